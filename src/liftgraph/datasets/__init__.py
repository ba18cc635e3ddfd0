"""Models to measure and to learn with: the families of the paper's evaluation, and textbook ones.

Families and textbook models are written with logvars, for any number of individuals;
``model.ground()`` is the factor graph one stands for, and ``scaled``, ``permuted`` and
``perturbed`` make of it what a learner might see.

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
