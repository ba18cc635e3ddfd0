"""Factor graphs as libDAI stores them: ``.fg``.

The number of factors, and for each of them: its number of variables; their labels; their numbers
of states; how many entries are not zero; and for each of these its index and its value, where the
first variable changes fastest. ``#`` starts a comment.

Labels are names, and variables are in the order of their labels. There are no other names, no
names of states and no evidence.
"""

from liftgraph.io.fg.reader import read
from liftgraph.io.fg.writer import losses, write

TITLE = "libDAI"
LIFTED = False

__all__ = ["LIFTED", "TITLE", "losses", "read", "write"]
