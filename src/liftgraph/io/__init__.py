"""Reading and writing model files; the suffix says which format, and .gz after it compresses.

``formats`` is the table of formats; each has a package with a reader and a writer. Readers share
what files have in common: ``files`` (bytes), ``scanner`` (words and signs), ``number_text``,
``number_file`` and ``numerals`` (all numbers of a text at once, exactly), ``decimal_tables``
(their tables, each distinct one once), ``network`` (Bayesian networks), ``xml_parsing``. Whatever
they are about to make, they take from an ``allowance`` of memory first. Writers share ``spelling``
(numbers as text) and ``network_writer``.
"""

from __future__ import annotations

from pathlib import Path

from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import shortened
from liftgraph.io.formats import Model, format_of, read_as
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit


@short_traceback
def read(
    path: Path | str, *, memory_limit: Bytes = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph | ParfactorGraph:
    """Read a model; the suffix of the file's name says which format, with or without .gz.

    A JSON file may hold a lifted model, and a BLOG file always does. If reading a file needs more
    than ``memory_limit`` (bytes, or text such as ``"8GiB"``; 4 GiB by default), it is refused
    beforehand.

    ``repair``: in files of Bayesian networks, rows of numbers are divided by their sums, however
    far these are from 1, and negative numbers down to -0.01, which rounding leaves, count as 0. An
    ``InputWarning`` says where. Otherwise such files are refused.
    """
    return read_as(format_of(path), path, checked_memory_limit(memory_limit), repair)


@short_traceback
def read_graph(
    path: Path | str, *, memory_limit: Bytes = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a factor graph as ``read`` does; a lifted model is grounded."""
    return as_graph(read(path, memory_limit=memory_limit, repair=repair), memory_limit)


@short_traceback
def write(model: FactorGraph | ParfactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a model; the suffix of the file's name says which format; .gz after it compresses.

    Only JSON keeps everything. UAI and libDAI files name variables and states by number. What a
    format cannot hold is an error; this includes evidence in formats for graphs.

    ``rounded``: values without a finite decimal form are not written as fractions such as 1/3 but
    with 17 significant digits, in formats where this makes a difference.
    """
    form = format_of(path)
    if not isinstance(model, FactorGraph | ParfactorGraph):
        raise InputError(f"{path}: expected a model to write, got {shortened(quoted(model))}")
    form.write(model, path, rounded=rounded)


def write_what_fits(
    model: Model, path: Path | str, *, rounded: bool = False, memory_limit: Bytes = MEMORY_LIMIT
) -> list[str]:
    """Write what a format can hold of a model; the notes say what is lost.

    A format without logvars gets the ground model, if the limit in bytes allows it, and a format
    for graphs without evidence the graph without its evidence.
    """
    form = format_of(path)
    fitting = model if form.takes_lifted else as_graph(model, memory_limit)
    if isinstance(fitting, FactorGraph) and not form.holds_evidence:
        fitting = fitting.observing({})
    form.write(fitting, path, rounded=rounded)
    return list(form.losses(model, rounded=rounded))
