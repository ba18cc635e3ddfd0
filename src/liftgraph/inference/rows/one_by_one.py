"""A query for each row: for methods and models that cannot take many rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, ZeroWeightError
from liftgraph.inference.methods import METHODS, Model, plan
from liftgraph.inference.rows.groups import Variable
from liftgraph.model.answers.answer import Answer, accuracy_text
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.plans import Progress
from liftgraph.model.query import MARGINAL, Query
from liftgraph.semiring.protocol import Floats


def query_rows(
    model: Model,
    asked: Variable,
    rows: Sequence[Mapping[str, str]],
    method: str,
    memory_limit: int,
    progress: Progress,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The distribution of a variable given each row, (rows, states), and which are possible."""
    options = {"memory_limit": memory_limit} if "memory_limit" in METHODS[method].options else {}
    query = Query(MARGINAL.name, (asked.name,))
    shares = np.zeros((len(rows), len(asked.states)))
    possible = np.ones(len(rows), dtype=np.bool_)
    for row_index, states in enumerate(rows):
        try:
            answer = plan(model, query, given=states, method=method, **options).run()
        except ZeroWeightError:
            possible[row_index] = False
        else:
            shares[row_index] = _exact(answer)
        progress((row_index + 1) / len(rows))
    return shares, possible


def _exact(answer: Answer) -> Floats:
    """The probabilities of an answer, which must be exact."""
    check_exact(answer)
    assert isinstance(answer, Marginal)
    return answer.probabilities


def check_exact(answer: Answer) -> None:
    """Refuse an answer that may be off: rows have no place for bounds."""
    if answer.approximate or answer.log_odds_bound:
        came = f"got one that may be off{accuracy_text(answer)}"
        raise InputError(
            f"expected an exact answer for each row, {came}; ask the given graph: model.ground()"
        )
