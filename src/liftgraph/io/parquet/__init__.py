"""Factor graphs on disk: a folder of Parquet files, for graphs that other programs write or read.

``layout`` says which files there are and what is in them; the folder is as good as its
``graph.json``, which is written last and counts what must be there. ``rows`` reads columns of
integers batch by batch, ``potentials`` has tables as rows, and ``folders`` replaces a whole folder
safely. The reader takes what it needs from an allowance of memory before it reads.
"""

from liftgraph.io.parquet.reader import read
from liftgraph.io.parquet.writer import losses, write

__all__ = ["losses", "read", "write"]
