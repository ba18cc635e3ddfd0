"""Factor graphs as libDAI stores them: ``.fg``.

``reader`` finds where each factor is among the numbers of a file, and then makes all tables at
once; ``writer`` writes factor by factor.

A file has the number of factors, and for each of them: its number of variables; their labels; their
numbers of states; how many entries are not zero; and for each of these its index and its value,
where the first variable changes fastest. ``#`` starts a comment.

The labels are the names of the variables, which are in the order of their labels. States have no
names, and there is no evidence.
"""

from liftgraph.io.fg.reader import read
from liftgraph.io.fg.writer import losses, write

__all__ = ["losses", "read", "write"]
