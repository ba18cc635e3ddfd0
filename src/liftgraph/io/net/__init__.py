"""Bayesian networks in Hugin's NET language: ``.net``.

``tokens`` has the words and signs of the language, ``reader`` the rules of its grammar; ``writer``
writes a node for each variable, and a potential for each distribution.

::

    net { node_size = (80 40); }
    node out { states = ("yes" "no"); }
    node light { label = "Is the light on?"; position = (100 200); states = ("on" "off"); }
    potential ( out ) { data = (0.15 0.85); }
    potential ( light | out ) { data = ((0.6 0.4)      % yes
                                        (0.05 0.95)); } % no

The parents' states are outermost, in the order of the potential's head, and the variable itself
changes fastest; parentheses inside the outermost ones may be left out. A potential without data is
uniform. Attributes other than states and data are skipped; decisions, utilities, continuous
nodes, classes and potentials that are given by expressions only are refused.

The names of nodes are identifiers. A variable whose name is not one gets another identifier; its
name becomes its ``label`` and its attribute ``liftgraph_name``, from which it is read back.
"""

from liftgraph.io.net.reader import read
from liftgraph.io.net.writer import losses, write

__all__ = ["losses", "read", "write"]
