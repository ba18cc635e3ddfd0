"""The formats of the UAI inference competitions: models, evidence and results.

``reader`` and ``writer`` are for models (``.uai``), ``evidence`` is for files of observed states,
``asked`` for those of variables that are asked for (``.query``), and ``results`` writes answers as
the competitions expect them.

A model has a preamble (MARKOV or BAYES, the number of variables, their numbers of states, the
number of factors and their scopes) and then the tables, last variable fastest. Line breaks are
free and ``#`` starts a comment. Numbers are read exactly.
"""

from liftgraph.io.uai.asked import read_query
from liftgraph.io.uai.evidence import read_evidence, read_states, write_evidence
from liftgraph.io.uai.reader import read
from liftgraph.io.uai.results import mar_text, mmap_text, mpe_text, pr_text
from liftgraph.io.uai.writer import losses, write

__all__ = [
    "losses",
    "mar_text",
    "mmap_text",
    "mpe_text",
    "pr_text",
    "read",
    "read_evidence",
    "read_query",
    "read_states",
    "write",
    "write_evidence",
]
