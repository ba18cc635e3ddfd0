"""Scenes: what is in the picture of an object.

Factor graphs: ``group_colours`` gives each group a colour, which ``legend`` explains; then come
``factor_graph`` (every node), ``quotient`` (a node for each group) and ``rounds`` (colour passing).
Bayesian networks: ``network``. ``gates`` names what is no table. Lifted models:
``parfactor_graph``. Plans: ``plan_tree``. Answers: ``bars`` for ``marginals`` and
``group_sizes``, a ``frame`` with axes for ``days`` and for many ``numbers``, ``curves`` on
logarithmic scales for a ``trade_off``. ``captions`` has the phrases that all captions share.
"""
