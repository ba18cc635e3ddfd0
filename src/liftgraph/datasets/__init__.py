"""Models to measure and to learn with, of any size.

``families`` has those of the paper's evaluation, with random potentials from ``random_numbers``;
``textbook`` has well-known ones. Both are written with logvars, for any number of individuals
(``sizes`` checks it); ``model.ground()`` is the factor graph that a model stands for.
``variations`` changes such a graph to what a learner might see: ``scaled``, ``permuted`` or
``perturbed``.

>>> from liftgraph import datasets, lift
>>> graph = datasets.scaled(datasets.epid(64).ground(), p=0.15)
>>> len(lift(graph, "alpha-acp").parfactors), len(lift(graph, "acp").parfactors) > 10
(3, True)
"""

from liftgraph.datasets.families import ds, employee, epid
from liftgraph.datasets.textbook import clique, grid, plates, smokers, workshops
from liftgraph.datasets.variations import permuted, perturbed, scaled

__all__ = [
    "clique",
    "ds",
    "employee",
    "epid",
    "grid",
    "permuted",
    "perturbed",
    "plates",
    "scaled",
    "smokers",
    "workshops",
]
