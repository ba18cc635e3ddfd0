"""Scenes: what is in the picture of an object.

Factor graphs: ``group_colours`` gives each group a colour, which ``legend`` explains; then come
``factor_graph`` (every node), ``quotient`` (a node for each group) and ``rounds`` (colour passing).
Lifted models: ``parfactor_graph``. Plans: ``plan_tree``. Numbers: ``bars`` for ``marginals`` and
``group_sizes``, ``curves`` for a ``trade_off``. ``captions`` has the phrases that all captions
share.
"""
