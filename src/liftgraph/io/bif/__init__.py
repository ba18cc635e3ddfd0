"""Bayesian networks in the Interchange Format: ``.bif``.

``tokens`` has the words and signs of the language, ``reader`` the rules of its grammar; ``writer``
writes one block for each variable, and one for each distribution.

::

    network "Dog problem" { }
    variable light { type discrete [ 2 ] { on, off }; property "position = (73, 165)"; }
    variable out { type discrete [ 2 ] { yes, no }; }
    probability ( out ) { table 0.15, 0.85; }
    probability ( light | out ) { (yes) 0.6, 0.4; default 0.05, 0.95; }

Rows begin with the states of the parents. ``table`` has all numbers at once, in the order of
the arguments in the block's head: the variable itself changes slowest, its last parent fastest.
Commas and ``|`` only separate, as the format says. Names may be in double quotes. The name of the
network and properties are skipped.
"""

from liftgraph.io.bif.reader import read
from liftgraph.io.bif.writer import losses, write

__all__ = ["losses", "read", "write"]
