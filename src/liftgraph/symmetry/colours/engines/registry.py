"""The engines of colour passing, by name."""

from __future__ import annotations

from functools import partial

from liftgraph.errors import InputError
from liftgraph.symmetry.colours.engines.engine import Engine
from liftgraph.symmetry.colours.engines.rounds import PATIENCE, installed, refined

_ENGINES: dict[str, Engine] = {}


def register_engine(engine: Engine) -> None:
    """Register an engine by its name; it replaces an earlier one of the same name."""
    _ENGINES[engine.name] = engine


def engine_names() -> list[str]:
    """The names of all engines, whether what they need is installed or not."""
    return list(_ENGINES)


def engine_named(name: str) -> Engine:
    """The engine of this name; unknown ones, and ones that need a missing package, are refused.

    >>> engine_named("arrays").name
    'arrays'
    """
    engine = _ENGINES.get(name) if isinstance(name, str) else None
    if engine is None:
        raise InputError(f"expected an engine among {', '.join(_ENGINES)}, got {name!r}")
    if engine.module is not None and not installed(engine.module):
        needed = f"pip install 'liftgraph[{engine.extra}]'" if engine.extra else "install it"
        raise InputError(f"the engine {name} needs {engine.module}: {needed}")
    return engine


register_engine(Engine("auto", partial(refined, patience=PATIENCE)))
register_engine(Engine("arrays", refined))
register_engine(Engine("compiled", partial(refined, patience=0), "numba", "compiled"))
