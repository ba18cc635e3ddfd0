"""The paper's evaluation on families of one's own: functions that make a model of each size.

A family is named ``module:function``. The function takes a size and returns a model, lifted or
not; if it has a parameter ``seed``, it gets one. The module is imported, so it must be installed
or be found on ``sys.path``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from liftgraph.datasets.random_numbers import Draws
from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, LiftgraphError, quoted
from liftgraph.exact import shortened
from liftgraph.experiments import evaluation, summaries
from liftgraph.experiments.figures import evaluation as figures
from liftgraph.experiments.instances import varied
from liftgraph.experiments.study import Cell, Row, Settings, Study
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.lifting.lift import lift

MOST_ASKED = 4  # PRVs of which a variable is asked for, as in the paper
Family = Callable[..., object]


def own_study(family: str | Family, sizes: Sequence[int] = ()) -> Study:
    """The paper's evaluation on a family: a function, or the name of one as ``module:function``.

    ``sizes``: those of the paper, if none are given.

    >>> own_study("liftgraph.datasets:employee", sizes=[2, 8]).name
    'liftgraph.datasets:employee'
    """
    function = load_family(family) if isinstance(family, str) else family
    name = family if isinstance(family, str) else _name(family)
    return Study(
        name,
        "how fast are queries on the output of ACP and of α-ACP, and when has α-ACP paid?",
        evaluation.COLUMNS,
        partial(_cells, name, sizes),
        partial(_measure, function),
        partial(summaries.evaluation, published=False),
        {
            "query_times": partial(figures.query_times, published=False),
            "offline_times": figures.offline_times,
            "amortisation": figures.amortisation,
        },
        varied=True,
        source=_digest(function),
    )


def load_family(name: str) -> Family:
    """The function of a family named ``module:function``."""
    module_name, _, function_name = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), function_name)):
        raise InputError(f"expected a family as module:function, got {name}")
    try:
        module = import_module(module_name)
    except (Exception, SystemExit) as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{module_name}.".startswith(f"{missing}."):
            problem = f"no module {missing} in this folder, and none is installed"
            raise InputError(f"{name}: {problem}") from None
        raise InputError(f"{name}: importing {module_name} fails: {_told(error)}") from error
    function = getattr(module, function_name, None)
    if function is None:
        public = [other for other in vars(module) if not other.startswith("_")]
        hint = did_you_mean(function_name, public)
        raise InputError(f"{name}: {module_name} has no {function_name}{hint}")
    if not callable(function):
        raise InputError(f"{name}: expected a function, got {shortened(quoted(function))}")
    return function  # type: ignore[no-any-return]


def _name(family: Family) -> str:
    return f"{family.__module__}:{getattr(family, '__qualname__', type(family).__name__)}"


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _digest(family: Family) -> str:
    """A digest of the file that defines a family: measurements of different models do not mix."""
    try:
        path = inspect.getsourcefile(inspect.unwrap(family))
        return "" if path is None else sha256(Path(path).read_bytes()).hexdigest()[:16]
    except (TypeError, OSError):  # not written in Python, or not in a file
        return ""


def family_model(name: str, family: Family, d: int, seed: int) -> ParfactorGraph:
    """A family's model of a size; a factor graph is lifted. Refused if it is not a model."""
    options = {"seed": seed} if "seed" in _parameters(family) else {}
    try:
        model = family(d, **options)
    except LiftgraphError as error:
        raise type(error)(f"{name}({d}): {error}") from None
    except Exception as error:
        raise InputError(f"{name}({d}) fails: {_told(error)}") from error
    if not isinstance(model, FactorGraph | ParfactorGraph):
        raise InputError(f"{name}({d}): expected a model, got {shortened(quoted(model))}")
    lifted = lift(model) if isinstance(model, FactorGraph) else model
    if lifted.observed_count or not lifted.variable_count:
        raise InputError(f"{name}({d}): expected a model with variables and without evidence")
    return lifted


def _parameters(family: Family) -> Any:
    try:
        return inspect.signature(family).parameters
    except (TypeError, ValueError):
        return ()


def _cells(name: str, sizes: Sequence[int], settings: Settings) -> list[Cell]:
    if settings.commutative:
        raise InputError(f"{name}: expected no commutative factors in a family of one's own")
    cells = evaluation.cells(settings, [name])
    if not sizes:
        return cells
    smallest = cells[0][1]
    others = [cell[2:] for cell in cells if cell[1] == smallest]
    return [(name, d, *rest) for d in sorted(set(sizes)) for rest in others]


def _measure(family: Family, cell: Cell, settings: Settings) -> list[Row]:
    name, d, p, seed = cell
    model = family_model(name, family, d, seed)
    graph = varied(model.ground(), name, d, p, seed, settings)
    return evaluation.measure_graph(cell, graph, _asked(name, model, graph, seed), settings)


def _asked(name: str, model: ParfactorGraph, graph: FactorGraph, seed: int) -> dict[str, int]:
    """A variable of each of the first PRVs, chosen at random, the same for every p."""
    share = float(Draws(seed, f"{name} queries").uniform(1)[0])
    asked = {}
    for prv, start in list(zip(model.prvs, model.variable_start, strict=False))[:MOST_ASKED]:
        variable = model.name(model.locate(start + int(share * prv.size)))
        asked[prv.name] = graph.variable(variable)
    return asked
