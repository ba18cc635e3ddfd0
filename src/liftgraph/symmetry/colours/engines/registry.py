"""The engines of colour passing, by name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from liftgraph.errors import InputError, quoted
from liftgraph.symmetry.colours.engines.engine import Engine, StableColours
from liftgraph.symmetry.colours.engines.rounds import PATIENCE, installed, refined
from liftgraph.symmetry.colours.incidence import Incidence
from liftgraph.symmetry.colours.initial import Colour

_ENGINES: dict[str, Engine] = {}


def register_engine(engine: Engine) -> None:
    """Register an engine by its name; it replaces an earlier one of the same name."""
    _ENGINES[engine.name] = engine


def engine_names() -> list[str]:
    """The names of all engines, whether what they need is installed or not."""
    return list(_ENGINES)


def engine_named(name: str, device: str | None = None) -> Engine:
    """The engine of this name, on this device if one is named; unknown ones, and engines that need
    a missing package, are refused.

    >>> engine_named("arrays").name
    'arrays'
    """
    engine = _ENGINES.get(name) if isinstance(name, str) else None
    if engine is None:
        raise InputError(f"expected an engine among {', '.join(_ENGINES)}, got {name!r}")
    if engine.module is not None and not installed(engine.module):
        needed = f"pip install 'liftgraph[{engine.extra}]'" if engine.extra else "install it"
        raise InputError(f"the engine {name} needs {engine.module}: {needed}")
    return engine if device is None else _on_device(engine, device)


def _on_device(engine: Engine, device: object) -> Engine:
    """The engine, told which device to use; unknown devices are refused."""
    if not engine.devices:
        having = ", ".join(name for name, listed in _ENGINES.items() if listed.devices)
        raise InputError(
            f"expected an engine with devices ({having}) for the device {quoted(device)},"
            f" got {engine.name}"
        )
    if not isinstance(device, str) or device not in engine.devices:
        expected = ", ".join(engine.devices)
        raise InputError(f"expected a device among {expected}, got {quoted(device)}")
    return replace(engine, refine=engine.devices[device])


def device_names() -> list[str]:
    """The devices which engines can be told to use, whether the machine has them or not."""
    return sorted({device for engine in _ENGINES.values() for device in engine.devices})


def _by_torch(
    incidence: Incidence,
    variable_colours: Colour,
    factor_colours: Colour,
    record: bool,
    device: str | None = None,
) -> StableColours:
    """``refined_by_torch``; torch is loaded only when this is called."""
    from liftgraph.symmetry.colours.engines.torch_engine import refined_by_torch

    return refined_by_torch(incidence, variable_colours, factor_colours, record, device)


register_engine(Engine("auto", partial(refined, patience=PATIENCE)))
register_engine(Engine("arrays", refined))
register_engine(Engine("compiled", partial(refined, patience=0), "numba", "compiled"))
_ON_DEVICES = {device: partial(_by_torch, device=device) for device in ("cuda", "cpu")}
register_engine(Engine("torch", _by_torch, "torch", "gpu", _ON_DEVICES))
