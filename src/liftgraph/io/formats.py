"""The formats of model files: their titles and suffixes, and what each can hold.

``FORMATS`` are those of the library. ``register`` adds a format from outside: then ``read``,
``write`` and the command line know it, and list its suffixes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeVar

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.memory_limit import MEMORY_LIMIT

Model = FactorGraph | ParfactorGraph
Written = TypeVar("Written", contravariant=True)
_SUFFIX = re.compile(r"\.[^\s./\\A-Z]+")


class Reader(Protocol):
    """Reads a whole file; refuses to take more memory than ``memory_limit``, in bytes.

    ``Allowance`` in ``allowance.py`` keeps count of what a reader takes.
    """

    def __call__(self, path: Path | str, /, *, memory_limit: int = MEMORY_LIMIT) -> Model: ...


class Writer(Protocol[Written]):
    """Writes a whole file; ``rounded``: values without a finite decimal form have 17 digits."""

    def __call__(self, model: Written, path: Path | str, /, *, rounded: bool = False) -> None: ...


class Losses(Protocol[Written]):
    """Notes on what a file does not keep of a model, and on what other programs may not read."""

    def __call__(self, model: Written, /, *, rounded: bool = False) -> Iterator[str]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format of model files.

    ``suffixes``: of its files, in lower case. ``write`` refuses what the format cannot hold.
    ``takes_lifted``: whether parametric factor graphs can be written. ``holds_evidence``: whether
    files can say what was observed. ``repairs``: whether ``read`` has an option ``repair``, for
    numbers that are not quite probabilities.
    """

    title: str
    suffixes: tuple[str, ...]
    read: Reader
    write: Writer[Model]
    losses: Losses[Model]
    takes_lifted: bool = False
    holds_evidence: bool = False
    repairs: bool = False


def graph_format(
    title: str,
    suffixes: tuple[str, ...],
    read: Reader,
    write: Writer[FactorGraph],
    losses: Losses[FactorGraph],
    holds_evidence: bool = False,
) -> Format:
    """A format for factor graphs, mostly without evidence; ``write`` and ``losses`` only see these.

    Lifted models and evidence are refused, saying what to write instead.
    """

    def write_graph(model: Model, path: Path | str, /, *, rounded: bool = False) -> None:
        if isinstance(model, ParfactorGraph):
            problem = f"{title} files have no logvars: write model.ground() instead"
            raise InputError(f"{path}: {problem}")
        if len(model.evidence) and not holds_evidence:
            problem = f"{title} files have no evidence: write graph.observing({{}}) instead"
            raise InputError(f"{path}: {problem}")
        write(model, path, rounded=rounded)

    def losses_of_model(model: Model, /, *, rounded: bool = False) -> Iterator[str]:
        if isinstance(model, ParfactorGraph):
            yield f"{title} files have no logvars: the model was ground"
        graph = as_graph(model)
        if len(graph.evidence) and not holds_evidence:
            yield f"{title} models have no evidence: it was left out"
            graph = graph.observing({})
        yield from losses(graph, rounded=rounded)

    return Format(title, suffixes, read, write_graph, losses_of_model, False, holds_evidence)


def read_as(form: Format, path: Path | str, memory_limit: int, repair: bool) -> Model:
    """The model in a file of a format; ``repair`` is refused where nothing can be repaired."""
    if not repair:
        return form.read(path, memory_limit=memory_limit)
    if not form.repairs:
        expected = "the file of a Bayesian network to repair"
        raise InputError(f"{path}: expected {expected}, got a {form.title} file")
    read: Any = form.read
    model: Model = read(path, memory_limit=memory_limit, repair=True)
    return model


def _functions(package: str) -> tuple[Any, Any, Any]:
    """How a format of the library is read and written, and what it loses.

    The package of the format is loaded when one of them is called: most commands need one.
    """

    def function(name: str) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            return getattr(import_module(f"liftgraph.io.{package}"), name)(*arguments, **options)

        return call

    return function("read"), function("write"), function("losses")


def _network_format(title: str, suffixes: tuple[str, ...], package: str) -> Format:
    """A format of the library for Bayesian networks."""
    return replace(graph_format(title, suffixes, *_functions(package)), repairs=True)


def _network_reader(title: str, suffixes: tuple[str, ...], package: str) -> Format:
    """A format for Bayesian networks that is only read here: others are as good for writing."""
    instead = "write .bif, .net or .xdsl instead"

    def refuse(model: Model, path: Path | str, /, *, rounded: bool = False) -> None:
        raise InputError(f"{path}: {title} files are read but not written: {instead}")

    def nothing(model: Model, /, *, rounded: bool = False) -> Iterator[str]:
        yield f"{title} files are read but not written: {instead}"

    read, *_ = _functions(package)
    return Format(title, suffixes, read, refuse, nothing, repairs=True)


FORMATS = (
    graph_format("UAI", (".uai",), *_functions("uai")),
    Format("JSON", (".json",), *_functions("json"), takes_lifted=True, holds_evidence=True),
    Format("BLOG", (".blog",), *_functions("blog"), takes_lifted=True, holds_evidence=True),
    _network_format("BIF", (".bif",), "bif"),
    _network_format("XMLBIF", (".xmlbif", ".bifxml", ".xbif", ".xml"), "xmlbif"),
    _network_format("NET", (".net",), "net"),
    _network_reader("OOBN", (".oobn",), "net"),
    _network_format("XDSL", (".xdsl",), "xdsl"),
    _network_reader("DSL", (".dsl",), "dsl"),
    _network_reader("DNE", (".dne", ".dnet"), "dne"),
    _network_reader("DSC", (".dsc",), "dsc"),
    _network_reader("Ergo", (".erg",), "ergo"),
    graph_format("libDAI", (".fg",), *_functions("fg")),
    graph_format("Parquet", (".parquet",), *_functions("parquet"), holds_evidence=True),
)
_OWN = {suffix: form for form in FORMATS for suffix in form.suffixes}
_registered: dict[str, Format] = {}


def register(form: Format) -> None:
    """Add a format from outside, or replace one; the formats of the library stay as they are."""
    if not form.suffixes:
        raise InputError(f"{form.title}: expected a suffix, got none")
    for suffix in form.suffixes:
        if not _SUFFIX.fullmatch(suffix) or suffix == ".gz":
            expected = "a suffix such as .txt, in lower case and not .gz"
            raise InputError(f"{form.title}: expected {expected}, got {suffix!r}")
        if suffix in _OWN:
            problem = f"expected a new suffix, got {suffix} of {_OWN[suffix].title}"
            raise InputError(f"{form.title}: {problem}")
    _registered.update(dict.fromkeys(form.suffixes, form))


def suffixes(*, lifted: bool = False) -> tuple[str, ...]:
    """The suffixes of all formats, or of those that take lifted models."""
    formats = (_OWN | _registered).items()
    return tuple(suffix for suffix, form in formats if form.takes_lifted or not lifted)


def format_of(path: Path | str) -> Format:
    """The format of files with this name."""
    if not isinstance(path, str | PathLike):
        raise InputError(f"expected the name of a file, got {shortened(quoted(path))}")
    suffix = Path(Path(path).name.removesuffix(".gz")).suffix.lower()
    form = _OWN.get(suffix) or _registered.get(suffix)
    if form is None:
        expected = f"{', '.join(suffixes())} (or these and .gz)"
        hint = did_you_mean(suffix, suffixes())
        raise InputError(f"{path}: expected a name ending in {expected}{hint}")
    return form


def format_names() -> tuple[str, ...]:
    """What formats are called where no file name tells: their suffixes without the dot."""
    return tuple(suffix.removeprefix(".") for suffix in suffixes())


def format_named(name: str) -> Format:
    """The format of a name.

    >>> format_named("fg").title
    'libDAI'
    """
    if name not in format_names():
        expected = ", ".join(format_names())
        raise InputError(f"expected a format ({expected}), got {shortened(quoted(name))}")
    return format_of(f"model.{name}")
