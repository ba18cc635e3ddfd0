"""Parametric factor graphs, from the bottom up.

``logvars`` stand for individuals; ``substitutions`` lists and counts the individuals they may
stand for together, ``histograms`` what is counted. From them, PRVs, counting variables and
parfactors (``parfactor``) are made by the ``builder`` after ``checks``, which need the
``renamings`` that change nothing. If a model was lifted, its ``origin`` says how the factor graph
listed everything. The ``variables`` have numbers and names, and there can be ``evidence`` on them.
``instances`` lists all factors, ``grounding`` turns them into a factor graph, ``text`` writes a
model as a paper would. One looks around through ``looking``, which returns ``views`` of variables
and PRVs, whose ``occurrences`` in parfactors are found without grounding, and ``factor_views``.
``parfactor_graph`` puts it all together, and ``counted`` adds counts.
"""
