"""What a question does before its states are known: a pattern, kept with the graph.

Which variables are observed and what is asked decide which tables are left, how they are
contracted, and what memory that takes. The same question with other states only runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from liftgraph.cache import Cached, Memo
from liftgraph.errors import InputError
from liftgraph.inference.ground.known_orders import known_orders
from liftgraph.inference.ground.planning import check_ordering, take_reducing, take_walk
from liftgraph.inference.ground.reduction import Reduction, prune, reduce_graph
from liftgraph.inference.ground.refusal import (
    beyond_every_order,
    check_counts,
    check_tables,
    check_treewidth,
)
from liftgraph.inference.ground.relevance import relevant
from liftgraph.inference.tensor.added_up import guide
from liftgraph.inference.tensor.contraction import shape_of
from liftgraph.inference.tensor.contraction_tree import (
    BeyondMemoryError,
    ContractionTree,
    contraction_tree,
    tree_of,
)
from liftgraph.inference.tensor.elimination_order import Deadline, Search, better_orders
from liftgraph.inference.tensor.fraction_length import check_fraction_length
from liftgraph.inference.tensor.memory import VALUE_BYTES
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES, LOGARITHMS, integer_bytes
from liftgraph.inference.tensor.planning_memory import contracting_bytes
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import Adding, Convolution, Product, Tensor
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import MAX_ARGUMENTS
from liftgraph.model.memory_limit import PLANNING_BYTES, Planning
from liftgraph.model.query import KINDS, Query

States = Mapping[int, int]  # of observed variables, by index
_STEADY_BYTES = 1 << 23  # of values that are kept for the same question with other states
_FIXED: Memo[bytes, frozenset[int]] = Memo("fixed variables", most=4)


class Changes(NamedTuple):
    """What the states that a question observes change; those of the graph's own evidence do not.

    ``tables``: the indices of those cut at such a state; ``products``: what depends on them.
    ``steady_products``: the others. ``steady``: the tensors that do not change and that
    changing products read, or that are the result. Their values are kept, so if they take much
    memory, or nothing is to be gained, everything counts as changing.
    """

    tables: list[int]
    products: list[Product | Convolution]
    steady_products: list[Product | Convolution]
    steady: list[Tensor]


@dataclass(frozen=True, eq=False)
class Pattern(Cached):
    """A question about a graph with some variables observed, in states that are not known yet.

    ``query``: what is asked; ``variables``: the asked ones, by index. ``fixed``: the variables that
    are not free: observed, or with one state only; ``free``: the asked ones that are.
    ``reduction``: the tables that are left; ``section``: how they are contracted, where the first
    tensors are those of the tables.
    ``changes``: what the states that the question observes change. ``doubts``: tables that are left
    out, if any: the answer is right if they have weight. ``doubtful``: whether an answer proves
    that the graph's own evidence is possible, which was not known.
    """

    query: Query
    variables: tuple[int, ...]
    fixed: frozenset[int]
    free: tuple[int, ...]
    reduction: Reduction
    section: Section
    changes: Changes
    doubts: Reduction | None
    doubtful: bool

    @cached_property
    def work(self) -> int:
        """The number of multiplications."""
        return self.section.work

    @property
    def keeping(self) -> bool:
        """Whether values are kept to the end, for a backward pass."""
        return KINDS[self.query.kind].of_all


def new_pattern(
    graph: FactorGraph,
    query: Query,
    observed: Collection[int],
    planning: Planning,
    trusting: bool = False,
) -> Pattern:
    """Plan a question whatever the states of its observed variables are.

    ``observed``: the variables that the question observes beside the graph's own evidence.
    ``planning``: what it takes is charged there. ``trusting``: whether tables that only decide on
    whether anything is possible are left out.
    Raises ``MemoryLimitError`` if no order of elimination can fit into the limit, or planning does
    not.
    """
    memory_limit = planning.limit
    take_walk(graph, planning, len(observed))
    variables, doubtful, doubts = _asked(graph, query), False, None
    fixed = fixed_variables(graph, observed)
    asked = tuple([variable for variable in variables if variable not in fixed])
    if asked or not variables:
        check_treewidth(graph, observed, asked, memory_limit)
    if variables:
        check_counts(graph, query, variables, memory_limit)
        relevance = relevant(graph, observed, variables)
        doubtful, unproven = relevance.doubtful, sorted(chain.from_iterable(relevance.unproven))
        matter = [*relevance.factors] if trusting else sorted({*relevance.factors, *unproven})
        take_reducing(graph, planning, matter)
        reduction = reduce_graph(graph, fixed, asked, matter)
        if relevance.prunable:
            reduction = prune(graph, reduction, asked)
        if trusting and unproven:
            take_reducing(graph, planning, unproven)
            doubts = reduce_graph(graph, fixed, (), unproven)
    else:
        whole = graph.observing(dict.fromkeys(sorted(fixed), 0)) if observed else graph
        check_counts(whole, query, variables, memory_limit)
        take_reducing(graph, planning)
        reduction = _all_tables(graph, query, fixed)
    check_tables(len(reduction.scopes), memory_limit)
    check_ordering(reduction, planning)
    search = Search(memory_limit // FLOAT_BYTES, known_orders(graph.cache).orders)
    try:
        scopes, sizes = reduction.scopes, reduction.sizes
        compared = guide(scopes, [piece.adds for piece in reduction.pieces], sizes)
        tree = contraction_tree(scopes, sizes, asked, search, compared)
    except BeyondMemoryError as beyond:
        raise beyond_every_order(memory_limit, name_of(graph, beyond.variable)) from None
    planning.take(contracting_bytes(tree), f"elimination takes {len(tree.steps):,} steps")
    program, changes = _program(query, reduction, tree, observed)
    return Pattern(query, variables, fixed, asked, reduction, program, changes, doubts, doubtful)


def better_patterns(
    pattern: Pattern,
    observed: Collection[int],
    planning: Planning,
    deadline: Deadline,
    rounds: int,
) -> Iterator[Pattern]:
    """Patterns of the question with better and better orders, by a longer search; none if there is
    no room for two of them.

    ``deadline``: when to end the search at the latest; ``rounds``: how many it has at most.
    """
    again = contracting_bytes(pattern.section.tree)
    if planning.taken + 2 * again > planning.limit + PLANNING_BYTES:
        return
    reduction, kept = pattern.reduction, pattern.free
    scopes, sizes = reduction.scopes, reduction.sizes
    search = Search(planning.limit // FLOAT_BYTES, deadline=deadline, rounds=rounds)
    for order in better_orders(scopes, sizes, kept, pattern.section.tree.order, search):
        tree = tree_of(order.variables, scopes, sizes, kept)
        program, changes = _program(pattern.query, reduction, tree, observed)
        yield replace(pattern, section=program, changes=changes)


def _program(
    query: Query, reduction: Reduction, tree: ContractionTree, observed: Collection[int]
) -> tuple[Section, Changes]:
    """The products of an elimination, and which of them change with the states."""
    program = section(tree, range(len(reduction.sizes)), table_tensors(reduction))
    check_fraction_length(query, program.result.bits)
    changes = _changes(reduction, program, observed)
    of_all = KINDS[query.kind].of_all
    if of_all or steady_bytes(changes, query) > _STEADY_BYTES:
        changes = Changes([*range(program.tree.leaves)], program.products, [], [])
    return program, changes


def _asked(graph: FactorGraph, query: Query) -> tuple[int, ...]:
    variables = tuple(map(graph.variable, query.variables))
    if len(variables) > MAX_ARGUMENTS:
        count = len(variables)
        raise InputError(
            f"expected at most {MAX_ARGUMENTS} variables in a joint query, got {count}"
        )
    return variables


def _all_tables(graph: FactorGraph, query: Query, fixed: frozenset[int]) -> Reduction:
    """The tables that matter for the total weight, or for all variables."""
    free = [variable for variable in range(graph.variable_count) if variable not in fixed]
    reduction = reduce_graph(graph, fixed, free)
    return reduction if KINDS[query.kind].of_all else prune(graph, reduction, ())


def fixed_variables(graph: FactorGraph, observed: Iterable[int] = ()) -> frozenset[int]:
    """The variables that the graph or the question observes, and those with one state only."""
    variables = graph.evidence.variables

    def fixed() -> frozenset[int]:
        single = (graph.cardinalities == 1).nonzero()[0]
        return frozenset([*single.tolist(), *variables.tolist()])

    own = _FIXED.get(graph.cache, variables.tobytes(), fixed)
    return own.union(observed) if observed else own


def table_tensors(reduction: Reduction) -> list[Tensor]:
    """A tensor for each table of a reduction; without tables, a single tensor."""
    sizes = reduction.sizes
    tensors = [
        (Adding if piece.adds else Tensor)(shape_of(scope, sizes), piece.bits, "given")
        for scope, piece in zip(reduction.scopes, reduction.pieces, strict=True)
    ]
    return tensors or [Tensor((), 1, "given")]


def _changes(reduction: Reduction, program: Section, observed: Collection[int]) -> Changes:
    tables = [
        table
        for table, piece in enumerate(reduction.pieces)
        if piece.observed and not set(piece.observed).isdisjoint(observed)
    ]
    changing = {program.tensors[table] for table in tables}
    steady_products: list[Product | Convolution] = []
    products: list[Product | Convolution] = []
    steady: list[Tensor] = []
    for product in program.products:
        if changing.isdisjoint(product.operands):
            steady_products.append(product)
        else:
            steady += [operand for operand in product.operands if operand not in changing]
            products.append(product)
            changing.add(product)
    if program.result not in changing:
        steady.append(program.result)
    return Changes(tables, products, steady_products, steady)


def steady_bytes(changes: Changes, query: Query) -> int:
    """Bytes of the values that do not change with the states, and are kept for the next time."""
    total = 0
    for tensor in changes.steady:
        width = integer_bytes(tensor.bits) if query.exact else LOGARITHMS.width
        total += VALUE_BYTES + width * tensor.entries
    return total


def state_of(graph: FactorGraph, states: States, variable: int) -> int:
    """The state of a variable that is not free."""
    state = states.get(variable)
    return graph.evidence.get(variable, 0) if state is None else state


def name_of(graph: FactorGraph, variable: int) -> str:
    """The name of a variable of the elimination, which may be hidden inside a potential."""
    hidden = variable - graph.variable_count
    return graph.name(variable) if hidden < 0 else f"hidden variable {hidden + 1}"
