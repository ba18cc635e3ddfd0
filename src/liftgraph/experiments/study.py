"""What an experiment is, as data: cells to be measured, the rows they give, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from liftgraph.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LARGEST_SEED = 2**31  # the seeds of further graphs follow; all fit into an int64 column
Cell = tuple[Any, ...]  # texts and numbers
Row = dict[str, Any]
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a study is run.

    ``graphs``: how many graphs there are of each kind, each with its own potentials.
    ``repeats``: how often each time is measured; the shortest counts.
    ``permuted`` and ``commutative``, in the paper's evaluation: whether arguments are listed in
    random orders, and whether factors are commutative.
    ``quick``: whether only a few small cells are measured.
    """

    quick: bool = False
    graphs: int = 3
    seed: int = 0
    repeats: int = 3
    permuted: bool = False
    commutative: bool = False

    def __post_init__(self) -> None:
        if self.graphs < 1:
            raise InputError(f"expected at least one graph, got {self.graphs}")
        if self.repeats < 1:
            raise InputError(f"expected at least one repetition, got {self.repeats}")
        if not 0 <= self.seed < LARGEST_SEED:
            raise InputError(f"expected a seed from 0 to {LARGEST_SEED - 1}, got {self.seed}")

    @property
    def seeds(self) -> range:
        """The seeds of the graphs of a kind."""
        return range(self.seed, self.seed + (1 if self.quick else self.graphs))


@dataclass(frozen=True)
class Study:
    """An experiment.

    ``cells``: what there is to measure, smallest first; cells differ in their values.
    ``measure``: measures a cell and returns rows with these ``columns``.
    ``figures``: drawn from all rows, by name. ``summary``: Markdown made of all rows.
    ``varied``: whether the settings ``permuted`` and ``commutative`` make sense.
    ``source``: a digest of the code that makes the models, if that is not part of the library.
    """

    name: str
    question: str
    columns: tuple[str, ...]
    cells: Callable[[Settings], Sequence[Cell]]
    measure: Callable[[Cell, Settings], list[Row]]
    summary: Callable[[Rows], str]
    figures: Mapping[str, Callable[[Rows], Figure]]
    varied: bool = False
    source: str = ""
