"""UAI evidence files: which variables were observed in which state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from liftgraph.io.files import write_bytes
from liftgraph.io.number_file import Tokens, read_tokens
from liftgraph.model.ground.factor_graph import FactorGraph


def read_evidence(graph: FactorGraph, path: Path | str) -> FactorGraph:
    """The graph with the evidence of a file besides its own."""
    sizes = graph.cardinalities
    found = read_states(path, graph.variable_count, lambda v: int(sizes[v]), graph.evidence)
    return graph.observing(found)


def read_states(
    path: Path | str,
    variables: int,
    states: Callable[[int], int],
    known: Mapping[int, int] = MappingProxyType({}),
) -> dict[int, int]:
    """The states of observed variables, by index, in either of the two layouts in use.

    ``k variable state …`` with k pairs; or the same behind the number of samples, which must
    be one. A file that fits the first layout is read by it. ``variables``: how many there are;
    ``states``: how many states a variable has; ``known``: evidence that must not be contradicted.
    """
    tokens = read_tokens(path)
    count = tokens.integer(0, "the number of observed variables")
    start = 1
    if tokens.count != 1 + 2 * count and count == 1 and tokens.count > 1:
        start, count = 2, tokens.integer(1, "the number of observed variables")
    _refuse_samples(tokens)
    if tokens.count < start + 2 * count:
        raise tokens.unexpected(tokens.count, f"{count} observed variables with their states")
    if tokens.count > start + 2 * count:
        raise tokens.unexpected(start + 2 * count, "the end of the file")
    return _pairs(tokens, range(start, start + 2 * count, 2), variables, states, known)


def _refuse_samples(tokens: Tokens) -> None:
    """Refuse a file of several samples: which one is meant?"""
    samples = tokens.integer(0, "the number of observed variables")
    if samples < 2 or tokens.count == 1 + 2 * samples:
        return
    place = 1
    for _ in range(samples):
        if place >= tokens.count:
            return
        place += 1 + 2 * tokens.integer(place, "the number of observed variables")
    if place == tokens.count:
        raise tokens.error(0, f"expected one sample of evidence, got {samples}")


def _pairs(
    tokens: Tokens,
    places: range,
    variables: int,
    states: Callable[[int], int],
    known: Mapping[int, int],
) -> dict[int, int]:
    """The state of each observed variable; one that comes twice must agree with itself."""
    evidence = dict(known)
    for place in places:
        variable = tokens.integer(place, f"a variable below {variables}", variables)
        size = states(variable)
        below = f"a state of variable {variable} below {size}"
        state = tokens.integer(place + 1, below, size)
        if evidence.setdefault(variable, state) != state:
            expected = f"variable {variable} in state {evidence[variable]} again"
            raise tokens.unexpected(place + 1, expected)
    return evidence


def write_evidence(graph: FactorGraph, path: Path | str) -> None:
    """Write the evidence of a graph as ``k variable state …``."""
    pairs = [f"{variable} {state}" for variable, state in graph.evidence.items()]
    write_bytes(path, (" ".join([str(len(pairs)), *pairs]) + "\n").encode())
