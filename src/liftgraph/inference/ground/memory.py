"""How many bytes ground elimination takes: for products, for tables and for the answer."""

from __future__ import annotations

from collections.abc import Sequence

from liftgraph.inference.answer_memory import (
    ARGUMENT_BYTES,
    DISTRIBUTION_BYTES,
    FACTOR_BYTES,
    STATE_BYTES,
    distribution_bytes,
    logarithms_bytes,
    product_logarithm_bytes,
    weight_bytes,
)
from liftgraph.inference.ground.pattern import Pattern, steady_bytes
from liftgraph.inference.ground.pieces import graph_pieces, graph_scales
from liftgraph.inference.ground.reduction import Reduction
from liftgraph.inference.tensor.memory import peak_bytes, rough_peak_bytes
from liftgraph.inference.tensor.operation_memory import (
    FLOAT_BYTES,
    LOGARITHMS,
    MAXIMA,
    PLAIN,
    Numbers,
    given_bytes,
    given_floats,
    integer_bytes,
    integers,
    kept_logarithm_bytes,
)
from liftgraph.inference.tensor.tensors import Adding, Tensor, entries
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.query import KINDS, Query

_TABLE_BYTES = 150  # what evaluation notes about a table
_PIECE_BYTES = 1100  # the objects around the entries of a distinct piece
_SLICE_BYTES = 700  # the objects around a slice of a piece
_SETTLED_BYTES = 250  # a piece without free variables: its value, counted
_NAME_BYTES = 80  # a name that is an index as text
_TENSOR_BYTES = 2000  # a tensor of a pattern, and its place in the contraction


def predicted_bytes(graph: FactorGraph, pattern: Pattern) -> int:
    """A bound on the bytes that answering takes beyond the model, whatever the states are."""
    query, keeping = pattern.query, pattern.keeping
    maximises = KINDS[query.kind].maximises
    working = peak_bytes(
        pattern.section.products,
        exact=query.exact,
        maximises=maximises,
        keeping=keeping,
        backwards=keeping and not maximises,
    )
    return working + steady_bytes(pattern.changes, query) + other_bytes(graph, pattern)


def exceeds(graph: FactorGraph, pattern: Pattern, limit: int) -> bool:
    """Whether answering may take more bytes than the limit; mostly, a quick bound tells."""
    tree = pattern.section.tree
    before = sum(tree.entries[: tree.leaves])
    rough = rough_peak_bytes(pattern.section.products, pattern.query.exact, before)
    rough += steady_bytes(pattern.changes, pattern.query) + other_bytes(graph, pattern)
    return rough > limit and predicted_bytes(graph, pattern) > limit


def kept_bytes(pattern: Pattern) -> int:
    """About how many bytes a pattern takes as long as it is kept."""
    tensors = len(pattern.section.tensors) + len(pattern.reduction.settled)
    return _TENSOR_BYTES * tensors + steady_bytes(pattern.changes, pattern.query)


def other_bytes(graph: FactorGraph, pattern: Pattern) -> int:
    """The bytes of the tables, each evaluated once, and of the answer."""
    query, reduction = pattern.query, pattern.reduction
    evaluated = table_bytes(graph, query, reduction, pattern.section.tensors)
    match query.kind:
        case "marginals":
            return evaluated + _marginals_bytes(graph, pattern)
        case "explanation":
            return evaluated + _explanation_bytes(graph, query, reduction)
    varying = entries(pattern.free, reduction.sizes)
    full = FLOAT_BYTES * (1 + query.exact) * entries(pattern.variables, reduction.sizes)
    bits = pattern.section.result.bits
    answer = distribution_bytes(varying, _answer_numbers(query, bits)) + full
    return evaluated + answer + _scale_bytes(graph, pattern)


def table_bytes(
    graph: FactorGraph, query: Query, reduction: Reduction, tensors: Sequence[Tensor]
) -> int:
    """The bytes of the distinct pieces, of evaluating the largest, and of what refers to them.

    ``tensors``: begin with those of the tables.
    """
    listed = graph_pieces(graph).listed
    tables = zip(reduction.pieces, tensors, strict=False)
    pieces = [piece for piece, tensor in tables if not isinstance(tensor, Adding)]
    total = largest = slices = 0
    logarithms = list[int]()
    for piece in set(pieces):
        slices += bool(piece.observed)
    for source, bits in {(piece.source, piece.bits) for piece in pieces}:
        numbers = _table_numbers(query, bits)
        if source is None:
            total += _PIECE_BYTES + numbers.width * max(reduction.sizes)
            continue
        table = listed[source[0]].integers[source[1]]
        total += numbers.width * table.size + _PIECE_BYTES
        if numbers.kind in ("maxima", "logarithms"):
            largest = max(largest, given_bytes(table, numbers))
            logarithms.append(table.size)
    noted = _TABLE_BYTES * len(reduction.pieces) + _SLICE_BYTES * slices
    return total + largest + kept_logarithm_bytes(logarithms) + noted


def _table_numbers(query: Query, bits: int) -> Numbers:
    if query.exact:
        return integers(bits)
    return MAXIMA if KINDS[query.kind].maximises else given_floats(bits)


def _answer_numbers(query: Query, bits: int) -> Numbers:
    """What the weights of an answer are; with few bits, they are certainly plain floats."""
    if query.exact:
        return integers(bits)
    return PLAIN if bits <= 500 else LOGARITHMS


def _scale_bytes(graph: FactorGraph, pattern: Pattern) -> int:
    """Bytes of what the total weight is multiplied by: scales, sums, and settled pieces."""
    query, settled = pattern.query, pattern.reduction.settled
    bits = pattern.section.result.bits
    noted = integer_bytes(bits) * query.exact + _SETTLED_BYTES * len(settled)
    if query.kind == "marginal":
        return noted
    constants = [*graph_scales(graph), *pattern.reduction.sums]
    if query.exact and query.kind == "partition":
        noted += weight_bytes(constants, bits + sum([piece.bits for piece in settled]))
    return noted + product_logarithm_bytes(constants) + logarithms_bytes(len(settled))


def _marginals_bytes(graph: FactorGraph, pattern: Pattern) -> int:
    """Bytes of the distributions of all variables; fixed ones are certain."""
    query, bits = pattern.query, pattern.section.result.bits
    sizes = pattern.reduction.sizes[: graph.variable_count]
    free = sum([size for variable, size in enumerate(sizes) if variable not in pattern.fixed])
    listed = (DISTRIBUTION_BYTES + _NAME_BYTES) * graph.variable_count
    fractions = 2 if query.exact else 1
    # The distributions are normalised one by one, and are float64 or fractions in the end.
    entry = distribution_bytes(1, integers(bits)) if query.exact else 3 * FLOAT_BYTES
    largest = distribution_bytes(max(sizes, default=0), _answer_numbers(query, bits))
    listed += fractions * 2 * FLOAT_BYTES * sum(sizes) + entry * free + largest
    return listed + _scale_bytes(graph, pattern)


def _explanation_bytes(graph: FactorGraph, query: Query, reduction: Reduction) -> int:
    """Bytes of an assignment, and of looking up the potentials of all factors there."""
    variables = (STATE_BYTES + _NAME_BYTES) * len(reduction.sizes)
    factors = FACTOR_BYTES * graph.factor_count + ARGUMENT_BYTES * len(graph.scope)
    values = logarithms_bytes(2 * min(graph.factor_count, _potential_count(graph)))
    chosen = sum([piece.bits for piece in [*reduction.pieces, *reduction.settled]])
    weight = weight_bytes(graph_scales(graph), chosen) if query.exact else 0
    return variables + factors + values + weight + _SETTLED_BYTES * len(reduction.settled)


def _potential_count(graph: FactorGraph) -> int:
    """How many potentials factors can have, at most, were all tables different."""
    return sum([entries(range(len(p.shape)), p.shape) for p in graph.potentials])
