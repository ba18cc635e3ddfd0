"""UAI evidence files: which variables were observed, and in which states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END
from liftgraph.io.number_file import NumberFile, read_number_file
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_OBSERVATION_COST = 300


def read_evidence(
    graph: FactorGraph, path: Path | str, *, memory_limit: int = MEMORY_LIMIT
) -> FactorGraph:
    """The graph with the evidence of a file in addition to its own."""
    sizes = graph.cardinalities
    evidence = read_states(
        path,
        graph.variable_count,
        lambda v: int(sizes[v]),
        graph.evidence,
        memory_limit=memory_limit,
    )
    return graph.observing(evidence)


def read_states(
    path: Path | str,
    variables: int,
    states: Callable[[int], int],
    known: Mapping[int, int] = MappingProxyType({}),
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> dict[int, int]:
    """The states of observed variables, by index, in either of the two layouts in use.

    The layouts are ``k variable state …`` with k pairs, and the same after the number of samples,
    which must be one. A file that fits the first layout is read that way. ``variables``: how
    many there are; ``states``: how many states a variable has; ``known``: evidence that the file
    must not contradict.
    """
    allowance = Allowance(str(path), memory_limit)
    numbers = read_number_file(path, allowance)
    count = numbers.integer(0, "the number of observed variables")
    start = 1
    if numbers.count != 1 + 2 * count and count == 1 and numbers.count > 1:
        start, count = 2, numbers.integer(1, "the number of observed variables")
    _refuse_samples(numbers)
    if numbers.count < start + 2 * count:
        raise numbers.unexpected(numbers.count, f"{count} observed variables with their states")
    if numbers.count > start + 2 * count:
        raise numbers.unexpected(start + 2 * count, END)
    allowance.take(_OBSERVATION_COST * count, f"it observes {count:,} variables")
    return _pairs(numbers, range(start, start + 2 * count, 2), variables, states, known)


def _refuse_samples(numbers: NumberFile) -> None:
    """Refuse a file with several samples: it does not say which one is meant."""
    samples = numbers.integer(0, "the number of observed variables")
    if samples < 2 or numbers.count == 1 + 2 * samples:
        return
    place = 1
    for _ in range(samples):
        if place >= numbers.count:
            return
        place += 1 + 2 * numbers.integer(place, "the number of observed variables")
    if place == numbers.count:
        raise numbers.error(0, f"expected one sample of evidence, got {samples}")


def _pairs(
    numbers: NumberFile,
    places: range,
    variables: int,
    states: Callable[[int], int],
    known: Mapping[int, int],
) -> dict[int, int]:
    """The state of each observed variable; one that comes twice must have the same state."""
    evidence = dict(known)
    for place in places:
        variable = numbers.integer(place, f"a variable below {variables}", variables)
        size = states(variable)
        below = f"a state of variable {variable} below {size}"
        state = numbers.integer(place + 1, below, size)
        if evidence.setdefault(variable, state) != state:
            expected = f"variable {variable} in state {evidence[variable]} again"
            raise numbers.unexpected(place + 1, expected)
    return evidence


def write_evidence(graph: FactorGraph, path: Path | str) -> None:
    """Write the evidence of a graph as ``k variable state …``."""
    pairs = [f"{variable} {state}" for variable, state in graph.evidence.items()]
    write_bytes(path, (" ".join([str(len(pairs)), *pairs]) + "\n").encode())
