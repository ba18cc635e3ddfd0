"""Models to measure and to learn with.

``examples`` has two small ones and a table of observations, which come as files with the library.
The others are of any size, and written with logvars (``sizes`` checks the number of individuals);
``model.ground()`` is the factor graph that a model stands for. ``families`` has those of the
paper's evaluation, with random potentials from ``random_numbers``; ``textbook`` has well-known
ones. ``variations`` changes such a graph to what a learner might see: ``scaled``, ``permuted`` or
``perturbed``.

>>> from liftgraph import datasets, lift
>>> graph = datasets.scaled(datasets.epid(64).ground(), p=0.15)
>>> len(lift(graph, "alpha-acp").parfactors), len(lift(graph, "acp").parfactors) > 10
(3, True)
"""

from liftgraph.datasets.examples import asia, epidemic, patients
from liftgraph.datasets.families import ds, employee, epid
from liftgraph.datasets.textbook import clique, grid, plates, smokers, workshops
from liftgraph.datasets.variations import permuted, perturbed, scaled

__all__ = [
    "asia",
    "clique",
    "ds",
    "employee",
    "epid",
    "epidemic",
    "grid",
    "patients",
    "permuted",
    "perturbed",
    "plates",
    "scaled",
    "smokers",
    "workshops",
]
