"""Which domains can have a plate: a rectangle around what is repeated, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations

from liftgraph.model.lifted.logvars import Domain, LogVar
from liftgraph.model.lifted.parfactor import PRV, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

Element = PRV | Parfactor
DomainSet = frozenset[Domain]
PlateBlock = tuple[DomainSet, ...]  # columns from left to right; each is repeated for its domains
_MOST_BLOCKS = 12
_MOST_COLUMNS = 6  # all orders of the columns of a block are tried
_MOST_ROW_PLATES = 2
_HIGHEST_COLUMN = 25  # PRVs or parfactors


@dataclass(frozen=True, slots=True)
class PlateGrid:
    """Where elements stand: in columns, which form blocks below each other, and in rows.

    ``domains``: those with a plate. ``rows``: the domains for which the elements of each row are
    repeated, from top to bottom; all other plates are around columns. Precondition: if there are
    several rows, there is one block.
    """

    domains: tuple[Domain, ...]
    blocks: tuple[PlateBlock, ...]
    rows: tuple[DomainSet, ...] = (frozenset(),)

    @property
    def row_domains(self) -> DomainSet:
        """The domains whose plates are around rows."""
        return frozenset(chain(*self.rows))


def plate_grid(model: ParfactorGraph) -> PlateGrid:
    """The domains that can be drawn as plates, and where elements (PRVs and parfactors) stand.

    Elements that are repeated for the same domains stand in one column, and columns with a plate
    or an edge in common form a block. What is not repeated stands left of all blocks. If no order
    of the columns keeps all plates together, one or two plates are around rows instead.
    A domain of two logvars of one element gets no plate: its logvars are written in the labels.
    If rows do not help, the smallest domain gets no plate either; if a column were too high, no
    domain gets one.
    """
    elements: list[Element] = [*model.prvs, *model.parfactors]
    domains = [
        domain for domain in model.domains if all(_once(domain, element) for element in elements)
    ]
    while True:
        columns = Counter((type(element), repeated_for(element, domains)) for element in elements)
        if domains and max(columns.values()) > _HIGHEST_COLUMN:
            domains = []
        grid = _grid(elements, domains, model)
        if grid is not None:
            return grid
        domains.remove(min(domains, key=lambda domain: domain.size))


def _grid(
    elements: Sequence[Element], domains: Sequence[Domain], model: ParfactorGraph
) -> PlateGrid | None:
    """Columns and as few rows as can be; None if plates cannot be kept together that way."""
    sizes = Counter(chain(*(repeated_for(element, domains) for element in elements)))
    fewest_first = sorted(domains, key=lambda domain: sizes[domain])
    for count in range(_MOST_ROW_PLATES + 1):
        for around_rows in combinations(fewest_first, count):
            others = [domain for domain in domains if domain not in around_rows]
            columns = dict.fromkeys(repeated_for(element, others) for element in elements)
            blocks = _blocks([column for column in columns if column], others, model)
            rows = dict.fromkeys(repeated_for(element, around_rows) for element in elements)
            orders = _orders([row for row in rows if row], around_rows)
            if blocks is not None and orders and (count == 0 or len(blocks) == 1):
                return PlateGrid(tuple(domains), tuple(blocks), (frozenset(), *orders[0]))
    return None


def repeated_for(element: Element, domains: Iterable[Domain]) -> DomainSet:
    """The domains for whose individuals the element is repeated."""
    return frozenset(logvar.domain for logvar in element.logvars) & frozenset(domains)


def all_logvars(element: Element) -> tuple[LogVar, ...]:
    """The logvars of a PRV or parfactor, including counted ones."""
    return element.logvars + (element.counted if isinstance(element, Parfactor) else ())


def _once(domain: Domain, element: Element) -> bool:
    return sum(logvar.domain == domain for logvar in all_logvars(element)) <= 1


def _blocks(
    columns: Iterable[DomainSet], domains: Sequence[Domain], model: ParfactorGraph
) -> list[PlateBlock] | None:
    """Columns in orders that keep plates together and edges short; None if no order does."""
    links = [
        (repeated_for(atom_of(argument).prv, domains), repeated_for(parfactor, domains))
        for parfactor in model.parfactors
        for argument in parfactor.arguments
    ]
    blocks: list[PlateBlock] = []
    for part in _connected(columns, links):
        fitting = _orders(part, domains)
        if not fitting or len(blocks) == _MOST_BLOCKS:
            return None
        blocks.append(min(fitting, key=lambda order: _length(order, links)))
    return blocks


def _connected(
    columns: Iterable[DomainSet], links: Iterable[tuple[DomainSet, DomainSet]]
) -> list[list[DomainSet]]:
    """Columns that are connected by plates or edges."""
    linked = set(links) | {(second, first) for first, second in links}
    parts: list[list[DomainSet]] = []
    for column in columns:
        met = [
            part
            for part in parts
            if any(column & member or (column, member) in linked for member in part)
        ]
        parts = [part for part in parts if part not in met] + [[*chain(*met), column]]
    return parts


def _orders(part: Sequence[DomainSet], domains: Sequence[Domain]) -> list[PlateBlock]:
    """All orders that keep plates together; none if there are too many orders to try."""
    if len(part) > _MOST_COLUMNS:
        return []
    return [
        order
        for order in permutations(part)
        if all(_consecutive(domain, order) for domain in domains)
    ]


def _length(order: PlateBlock, links: Iterable[tuple[DomainSet, DomainSet]]) -> int:
    """How many columns edges pass in total; what is not repeated stands left of all others."""
    position = {column: index for index, column in enumerate(order, 1)}
    return sum(
        abs(position.get(prv_column, 0) - position[parfactor_column])
        for prv_column, parfactor_column in links
        if parfactor_column in position
    )


def _consecutive(domain: Domain, order: PlateBlock) -> bool:
    positions = [index for index, column in enumerate(order) if domain in column]
    return not positions or positions[-1] - positions[0] < len(positions)


def nesting_levels(blocks: Iterable[PlateBlock]) -> dict[Domain, int]:
    """How far out the rim of each plate is: plates with a column in common differ."""
    levels: dict[Domain, int] = {}
    for block in blocks:
        columns = {
            domain: [column for column in block if domain in column] for domain in chain(*block)
        }
        for domain in sorted(columns, key=lambda domain: (len(columns[domain]), domain.name)):
            inner = [levels[member] for member in chain(*columns[domain]) if member in levels]
            levels[domain] = max(inner, default=-1) + 1
    return levels
