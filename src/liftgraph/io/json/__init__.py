"""The library's own JSON format for factor graphs and parametric ones; it keeps everything.

``documents`` says what is in a file, ``text`` turns documents into text and back, and ``tables``
does so for tables. ``graphs`` translates documents of factor graphs, ``lifted_reader`` and
``lifted_writer`` those of parametric ones; ``reader`` and ``writer`` choose between them.
``quotients`` reads and writes documents of quotients, which are no models.

::

    {"format": "liftgraph factor graph", "version": 1,
     "variables": [{"name": "Epid", "states": ["true", "false"]}, …],
     "tables": [{"shape": [2, 2], "values": [3, 1, 0.5, "1/3"]}, …],
     "factors": [{"scope": ["Sick.alice", "Epid"], "table": 0}, …],
     "evidence": {"Epid": "true"}}

Values are numbers, or numerals as text, and are read exactly; the last argument changes fastest.
``"measured": true`` marks a table that was given as floats.

::

    {"format": "liftgraph parfactor graph", "version": 1,
     "domains": [{"name": "X", "size": 2, "individuals": ["alice", "bob"]}, …],
     "prvs": [{"name": "Sick", "logvars": {"X": "X"}, "states": ["true", "false"]}, …],
     "parfactors": [{"arguments": [{"prv": "Sick", "logvars": ["X"]}],
                     "logvars": {"X": "X"},
                     "table": {"shape": [2], "values": [1, 9]}}, …],
     "origin": {…}, "evidence": {"Sick.bob": "true", …}}

Logvars are given with their domains. ``"where"`` lists constraints: ``["X", "!=", "Y"]``, or
``["X", "<", "Y"]`` for an unordered set. ``"counted"`` in an argument names the logvars that a
counting variable counts over. ``"scales"`` lists the scales of the table, each with the number of
factors that have it. ``"origin"`` is there if the model was lifted: it says how the given graph
lists its variables and factors, and which of its tables were only near those of the parfactors.

::

    {"format": "liftgraph quotient", "version": 1, "algorithm": "alpha-acp", "tolerance": "0",
     "states": [["true", "false"], …],
     "variables": [{"name": "Sick.alice", "states": 0, "size": 2, "observed": "true"}, …],
     "tables": [{"shape": [2, 2], "values": [3, 1, 0.5, "1/3"]}, …],
     "factors": [{"arguments": [2, 0], "table": 0, "size": 2, "scales": [["1", 1], ["2", 1]]}, …]}

Variables and factors are groups here, with the name of one member and their sizes; arguments are
the indices of groups of variables.
"""

from liftgraph.io.json.reader import read
from liftgraph.io.json.writer import losses, write

__all__ = ["losses", "read", "write"]
