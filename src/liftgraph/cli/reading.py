"""The models and tables that commands read; ``-`` stands for standard input."""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from liftgraph.cli.output import print_notes
from liftgraph.errors import InputError, InputWarning
from liftgraph.io.files import STANDARD_INPUT
from liftgraph.io.formats import Format, Model, format_named, format_names, format_of, read_as
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import as_graph

DASH = "-"


def read_model(options: Namespace) -> Model:
    """The model that a command is about, in the format that its name or an option tells."""
    form, path = _format(options), path_of(options.model)
    with _noted():
        return read_as(form, path, options.memory, options.repair)


@contextmanager
def _noted() -> Iterator[None]:
    """Print warnings about what is read as notes on stderr; all others go their way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        yield
    print_notes(str(each.message) for each in caught if each.category is InputWarning)
    for each in caught:
        if each.category is not InputWarning:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def read_ground(options: Namespace) -> FactorGraph:
    """The same as a factor graph: a lifted model is grounded."""
    return as_graph(read_model(options), options.memory)


def _format(options: Namespace) -> Format:
    if options.input_format is not None:
        return format_named(options.input_format)
    if options.model == DASH:
        expected = ", ".join(format_names())
        raise InputError(f"standard input has no suffix: expected --input-format ({expected})")
    return format_of(options.model)


def path_of(source: str) -> str:
    """The path that readers take, standard input for a dash."""
    return STANDARD_INPUT if source == DASH else source


def check_sources(sources: Iterable[str]) -> None:
    """Refuse to read standard input twice: it would be empty the second time."""
    if [*sources].count(DASH) > 1:
        raise InputError("expected standard input (-) at most once: it can be read only once")
