"""Other libraries, loaded when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from liftgraph.errors import InputError


def needed(library: str, module: str | None = None) -> Any:
    """A module of a library; if this is not installed, the error says how to install it."""
    try:
        return import_module(module or library)
    except ImportError as error:
        if (error.name or "").split(".")[0] != library:
            raise
        problem = f"this needs {library}: pip install 'liftgraph[{library}]'"
        raise InputError(problem) from None


def refused(model: object, accepted: Sequence[str]) -> InputError:
    """The error for an object that is not a model of these kinds."""
    kind = type(model)
    return InputError(
        f"expected a {' or '.join(accepted)}, got a {kind.__module__}.{kind.__name__}"
    )


def chosen(kind: str, kinds: Sequence[str]) -> str:
    """The requested kind of model; unknown kinds are refused."""
    if kind not in kinds:
        raise InputError(f"expected a kind of {', '.join(kinds)}, got {kind!r}")
    return kind
