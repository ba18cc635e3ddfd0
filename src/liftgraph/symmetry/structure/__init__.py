"""The logvars behind a colouring.

``factor_rows`` lists the factors of each group as rows of members of groups of variables.
``relations`` turns what the rows tell into ``aspects``: partitions of the groups, with links
between those that mean the same (``components`` has the arrays for it). ``coordinates`` makes
logvars of aspects. ``parfactor_fit`` turns the rows of a group into a parfactor: ``arrangement``
orders interchangeable arguments, ``fitting`` decides whether the rows are all substitutions.
``structure`` runs all of this; if groups are left over, ``further_aspects`` looks for more.
"""
