"""Learning a Bayesian network from rows with gaps: exact counts, and expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.em import EM, EMRun
from liftgraph.data.learning.expected_counts import observed
from liftgraph.data.learning.learnt import Support
from liftgraph.data.learning.maximising import Distributions, best_run
from liftgraph.data.learning.observed_rows import all_rows, check_rows, put_together, rows_of_scope
from liftgraph.data.learning.skeletons import Skeleton
from liftgraph.data.learning.sources import View, as_floats
from liftgraph.data.learning.tables import counted_table, support
from liftgraph.inference.rows.stacks import Structure, Term
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Table
from liftgraph.model.memory_limit import checked_memory_limit


def completed(
    skeleton: Skeleton,
    states_of: Mapping[str, States],
    added: Sequence[NDArray[Any]],
    parameters: Sequence[int],
    views: Sequence[View],
    settings: EM,
) -> tuple[list[tuple[Table, Support]], list[EMRun]]:
    """The tables of a network learnt by expectation maximisation, what supports them, and the runs.

    A table whose arguments are observed in every row where they matter is an exact one; the others
    are floats.
    """
    sizes = [len(states_of[variable]) for variable in skeleton.variables]
    structure = _structure(skeleton, parameters, sizes)
    limit = checked_memory_limit(settings.memory_limit)
    check_rows(views, structure, limit)
    sources, weights = all_rows(views, skeleton.variables, states_of)
    children = skeleton.children or ()
    shapes = {parameter: added[parameter].shape for parameter in parameters}
    rows = put_together(sources, weights, sizes)
    data = observed(structure, shapes, rows, limit)
    learnt = Distributions(
        {parameter: children[parameter] for parameter in shapes},
        {parameter: as_floats(added[parameter], "prior") for parameter in shapes},
    )
    tables, counts, runs = best_run(data, learnt, settings)
    factors: list[tuple[Table, Support]] = []
    for factor, scope in enumerate(skeleton.scopes):
        parameter, child = parameters[factor], children[factor]
        total: NDArray[Any] = counts[parameter]
        if parameter in data.with_gaps:
            table = Table.of(tables[parameter])
        else:
            total = data.settled[parameter]
            table = counted_table(factor, scope, np.asarray(total + added[parameter]), child)
        used = rows_of_scope(scope, skeleton.variables, views, sources)
        factors.append((table, support(scope, used, total, table, child)))
    return factors, runs


def _structure(skeleton: Skeleton, parameters: Sequence[int], sizes: Sequence[int]) -> Structure:
    """The factors as terms, whose sources are parameters."""
    place = {variable: index for index, variable in enumerate(skeleton.variables)}
    terms: list[Term] = []
    for scope, parameter, child in zip(
        skeleton.scopes, parameters, skeleton.children or (), strict=True
    ):
        variables = tuple([place[variable] for variable in scope])
        terms.append(Term(parameter, variables, variables[child]))
    return Structure(terms, sizes)
