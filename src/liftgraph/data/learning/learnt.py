"""What was learnt from data, and what supports it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Unpack

from liftgraph.data.learning.em import EMRun
from liftgraph.data.learning.priors import Prior, described
from liftgraph.data.learning.sources import row_total
from liftgraph.display import counted
from liftgraph.errors import InputError, short_traceback
from liftgraph.exact import shortened
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.questions import LikelihoodOptions

Scope = tuple[str, ...]
_LISTED = 10  # the most lines in a section of a report


@dataclass(frozen=True)
class RowCounts:
    """How many rows of a source a factor was counted in, and how many lacked a value."""

    source: str
    used: int
    skipped: int


@dataclass(frozen=True)
class Support:
    """What a factor was learnt from.

    ``scope``: the names of its arguments. ``rows``: for each source it was counted in.
    ``entries``: how many assignments its arguments have; ``unobserved``: how many of them were
    never observed; ``zeros``: how many of them are therefore impossible. ``uniform``: for how many
    assignments of the parents the distribution is uniform because they were never observed.
    ``states``: how many states the variable has whose distribution it is, 1 if there is none.
    """

    scope: Scope
    rows: tuple[RowCounts, ...]
    entries: int
    unobserved: int
    zeros: int
    uniform: int = 0
    states: int = 1


@dataclass(frozen=True, eq=False, repr=False)
class Learnt:
    """A factor graph with potentials from data, and the data behind them; print it for a report.

    It can be asked, looked at and drawn like its ``graph``.

    ``graph``: the model. ``factors``: in its order, each with its ``scope``, the ``rows`` used and
    skipped in each source, and how many of its ``entries`` were ``unobserved`` or are ``zeros``.
    ``sources``: the number of rows of each, by name.
    ``conditional``: whether potentials are relative frequencies given the parents, not counts.
    ``prior``: the pseudo-counts, as they were given. ``parameters``: for each factor, the first one
    with which it shares its table, which is itself unless they are tied. ``runs``: those of
    expectation maximisation, if missing values were completed; ``hidden``: the variables that no
    source observes.
    """

    graph: FactorGraph
    factors: tuple[Support, ...]
    sources: dict[str, int]
    conditional: bool
    prior: Prior
    parameters: tuple[int, ...]
    runs: tuple[EMRun, ...] = ()
    hidden: Scope = ()

    def __getattr__(self, name: str) -> Any:
        """An attribute of the graph: ``learnt.query("Sick")`` asks the graph."""
        if name.startswith("_") or name == "graph":
            raise AttributeError(f"'Learnt' object has no attribute {name!r}")
        return getattr(self.graph, name)

    @property
    def best_run(self) -> EMRun | None:
        """The run of EM that the potentials are from; None if nothing was completed."""
        return best_of(self.runs)

    @property
    def unsupported(self) -> tuple[Scope, ...]:
        """The factors without any observation: their tables are constant."""
        return tuple(factor.scope for factor in self.factors if factor.unobserved == factor.entries)

    @property
    def with_zeros(self) -> tuple[Scope, ...]:
        """The factors which make unobserved assignments impossible."""
        return tuple(factor.scope for factor in self.factors if factor.zeros)

    @property
    def free_parameters(self) -> int:
        """How many numbers a network's distributions leave free; tied ones count once.

        States of the parents that were never observed count as well.
        """
        if not self.conditional:
            raise InputError("expected a Bayesian network to count free parameters, got counts")
        return sum(
            [
                factor.entries - factor.entries // factor.states
                for index, factor in enumerate(self.factors)
                if self.parameters[index] == index
            ]
        )

    @short_traceback
    def bic(self, table: Any, **options: Unpack[LikelihoodOptions]) -> float:
        """Schwarz's information criterion (1978) of a network: the larger, the better.

        It is the log-likelihood of the table less ½ log n for each free parameter, where n is how
        many rows were observed. Other books multiply this by -2. The options are those of
        ``log_likelihood``.
        """
        free = self.free_parameters
        if options.pop("by_row", False):
            raise InputError("bic: expected no by_row: a criterion is about all rows")
        rows = row_total(table, options.get("counts"))
        if not rows:
            raise InputError("bic: expected at least one row, got none")
        return float(self.log_likelihood(table, **options)) - 0.5 * free * math.log(rows)

    def __repr__(self) -> str:
        return (
            f"Learnt({counted(len(self.factors), 'factor')} from"
            f" {counted(len(self.sources), 'source')},"
            f" {len(self.unsupported):,} unsupported, {len(self.with_zeros):,} with zeros)"
        )

    def __str__(self) -> str:
        return "\n".join(_report(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _report(learnt: Learnt) -> Iterator[str]:
    potentials = "relative frequencies given the parents" if learnt.conditional else "counts"
    tied = len(learnt.factors) - len(set(learnt.parameters))
    added = [described(learnt.prior), f"{tied:,} tied to others" * (tied > 0)]
    told = ", ".join([potentials, *filter(None, added)])
    yield f"{counted(len(learnt.factors), 'factor')}: {told}"
    yield from run_lines(learnt.runs)
    if learnt.hidden:
        yield f"  hidden, as no source observes them: {shortened(', '.join(learnt.hidden))}"
    yield "sources"
    yield from _limited([*_source_lines(learnt)])
    yield from support_lines(learnt.factors)


def best_of(runs: Sequence[EMRun]) -> EMRun | None:
    """The run that ended with the largest objective, the first of several."""
    return max(runs, key=lambda run: run.objectives[-1], default=None)


def run_lines(runs: Sequence[EMRun]) -> Iterator[str]:
    """What a report says about expectation maximisation."""
    run = best_of(runs)
    if run is not None:
        how = "converged" if run.converged else "not converged"
        starts = f"; the best of {len(runs):,} starts" * (len(runs) > 1)
        iterations = counted(run.iterations, "iteration")
        yield f"missing values completed by EM: {iterations}, {how}{starts}"
        yield f"  log-likelihood {run.log_likelihoods[-1]:.10g}, about a local maximum"


def support_lines(factors: Sequence[Support]) -> Iterator[str]:
    """What a report says about factors that little or nothing supports."""
    yield from _section(
        "not observed at all, so they say nothing",
        factors,
        lambda factor: _unseen(factor) if factor.unobserved == factor.entries else "",
    )
    yield from _section(
        "impossible because never observed",
        factors,
        lambda factor: f"{factor.zeros:,} of {factor.entries:,}" if factor.zeros else "",
    )
    yield from _section(
        "uniform where the parents' states were never observed",
        factors,
        lambda factor: f"{factor.uniform:,} of the parents' assignments" if factor.uniform else "",
    )


def _unseen(factor: Support) -> str:
    """Why nothing was observed: there are no rows, or their counts are zero."""
    used = sum(rows.used for rows in factor.rows)
    return f"{counted(used, 'row')} with a count of 0" if used else "no rows"


def _source_lines(learnt: Learnt) -> Iterator[str]:
    factors = dict.fromkeys(learnt.sources, 0)
    skipped = dict.fromkeys(learnt.sources, 0)
    for rows in (rows for factor in learnt.factors for rows in factor.rows):
        factors[rows.source] += 1
        skipped[rows.source] = max(skipped[rows.source], rows.skipped)
    for name, row_count in learnt.sources.items():
        what = "with gaps" if learnt.runs else "skipped because a value is missing"
        lacking = f", up to {counted(skipped[name], 'row')} {what}"
        used = f"{counted(row_count, 'row')} for {counted(factors[name], 'factor')}"
        yield f"{name}: {used}{lacking if skipped[name] else ''}"


def _section(
    title: str, factors: Sequence[Support], remark: Callable[[Support], str]
) -> Iterator[str]:
    remarks = [(factor.scope, remark(factor)) for factor in factors]
    lines = [f"φ({', '.join(scope)}): {text}" for scope, text in remarks if text]
    if lines:
        yield title
        yield from _limited(lines)


def _limited(lines: list[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:_LISTED])
    if len(lines) > _LISTED:
        yield f"  … and {len(lines) - _LISTED:,} more"
