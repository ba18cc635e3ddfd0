"""Options of questions: those that are unknown are refused, with what was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from inspect import Parameter, signature
from itertools import islice
from typing import Any

from liftgraph.display import closest
from liftgraph.errors import InputError

# What other libraries call our options, or what one might call them.
_MEANT = {
    "given": "evidence evidences evs observed observations observation conditions hard_evidence",
    "method": "algorithm inference engine solver strategy",
    "memory_limit": "memory max_memory limit",
    "tolerance": "epsilon eps atol rtol",
    "search_seconds": "timeout time_limit",
    "exact": "fractions rational",
    "seed": "random_state random_seed rng",
}
_OPTIONS = {word: option for option, words in _MEANT.items() for word in words.split()}
_FIRST = "variables come first, one by one, without a keyword"
_FACTOR = "a likelihood is evidence: given={variable: [0.8, 0.2]}"
_FIRST_DONE = "interventions come first: ask model.do({variable: state})"
_COUNT = "the number of samples comes first, without a keyword"
_HINTS = {
    **dict.fromkeys(["n", "n_samples", "num_samples", "samples", "size"], _COUNT),
    **dict.fromkeys(["variables", "variable", "target", "targets", "vars", "nodes"], _FIRST),
    **dict.fromkeys(["virtual_evidence", "soft_evidence", "likelihood"], _FACTOR),
    **dict.fromkeys(["do", "doing", "intervention", "interventions"], _FIRST_DONE),
    "joint": "query(A, B) is joint, and marginals() has one distribution for each variable",
}


def unknown_option(name: str, known: Iterable[str]) -> InputError:
    """The error for an option that does not exist, with the one that was probably meant.

    >>> unknown_option("evidence", ["given", "exact"])
    InputError('expected options among given, exact, got evidence (did you mean given=?)')
    """
    options = [*known]
    meant = [_OPTIONS[name]] if _OPTIONS.get(name) in options else closest(name, options)
    hint = f"did you mean {meant[0]}=?" if meant else _HINTS.get(name)
    expected = f"options among {', '.join(options)}" if options else "no options"
    return InputError(f"expected {expected}, got {name}" + f" ({hint})" * (hint is not None))


def check_options(answer: Callable[..., Any], options: Iterable[str]) -> None:
    """Refuse options that a function does not take, unless it takes any and checks them itself."""
    known = _options_of(answer)
    if known is not None:
        for name in options:
            if name not in known:
                raise unknown_option(name, known)


@lru_cache(maxsize=256)
def _options_of(answer: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of a function's options; None if it takes any."""
    parameters = signature(answer).parameters.values()
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    after_model = islice(parameters, 1, None)
    return tuple([parameter.name for parameter in after_model if parameter.kind in named])
