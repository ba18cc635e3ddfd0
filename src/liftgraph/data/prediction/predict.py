"""The front door of prediction: a model, a table, and the variables to predict in each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from liftgraph.data.columns import native_columns
from liftgraph.data.prediction.evidence import row_observations
from liftgraph.data.prediction.frames import check_names, like, prediction_columns
from liftgraph.display import counted
from liftgraph.errors import InputError, ZeroWeightError, quoted
from liftgraph.inference.counts import observing_counts
from liftgraph.inference.likelihoods import absorbed
from liftgraph.inference.methods import METHODS, Model, check_distinct, check_model, find_variable
from liftgraph.inference.named_states import name_and_states
from liftgraph.inference.rows.groups import Variable
from liftgraph.inference.rows.predictions import Predictions, predictions
from liftgraph.model import answering
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.model.plans import Progress
from liftgraph.model.questions import Given

Impossible = Literal["refuse", "missing"]


def predict(
    model: Model,
    table: Any,
    *variables: str | int,
    given: Given | None = None,
    ignore: Sequence[str] = (),
    impossible: Impossible = "refuse",
    method: str = "auto",
    memory_limit: Bytes = MEMORY_LIMIT,
    progress: Progress = lambda share: None,
) -> Any:
    """The distributions of variables in each row of a table, given the values in the row.

    ``Questions.predict`` says what the arguments are, and what the answer has. ``method``: "ground"
    answers all rows which observe the same variables at once, "lifted" and other exact methods ask
    a query for each distinct row, and "auto" does the latter if elimination needs too much memory
    or work. ``memory_limit``: besides the table and the answer.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variable("Epid"), builder.add_variable("Sick")
    >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
    >>> predict(builder.build(), {"Epid": ["true", None]}, "Sick")
    {'Sick': ['true', 'false'], 'P(Sick=true)': [0.75, 0.4], 'P(Sick=false)': [0.25, 0.6]}
    """
    check_model(model, given)
    limit = checked_memory_limit(memory_limit)
    conditioned_model, certain = observing_counts(*absorbed(model, given, limit), limit)
    observed_model = conditioned_model.given(certain) if certain else conditioned_model
    asked = _asked(model, variables)
    check_names(asked)  # equal names are refused before anything is computed
    # A model with counts may be a ground one, whose variables are in other places.
    places = [find_variable(observed_model, variable.name) for variable in asked]
    columns = native_columns(table)
    observations, compared = row_observations(observed_model, columns, places, ignore)
    chosen = _checked_method(method)
    predicted = predictions(
        observed_model, asked, observations, method=chosen, memory_limit=limit, progress=progress
    )
    _check_possible(predicted, impossible)
    observed = {place: states for place, states in compared.items() if (states >= 0).any()}
    return like(table, prediction_columns(asked, predicted, [*map(observed.get, places)]), asked)


def _asked(model: Model, variables: Sequence[str | int]) -> list[Variable]:
    if not variables:
        raise InputError("expected at least one variable to predict, got none")
    check_distinct(model, variables)
    places = [find_variable(model, variable) for variable in variables]
    return [Variable(*name_and_states(model, place)) for place in places]


def _checked_method(name: object) -> str:
    exact = [method for method in METHODS if METHODS[method].exact]
    if not isinstance(name, str) or name not in exact:
        raise InputError(f"expected an exact method ({', '.join(exact)}), got {name}")
    return name


def _check_possible(predicted: Predictions, impossible: object) -> None:
    if impossible not in ("refuse", "missing"):
        raise InputError(f"expected impossible to be refuse or missing, got {quoted(impossible)}")
    if impossible == "refuse" and not predicted.possible.all():
        row = int(np.argmin(predicted.possible))
        count = int(np.count_nonzero(~predicted.possible)) - 1
        others = f" (and {counted(count, 'more row')})" * (count > 0)
        raise ZeroWeightError(
            f"row {row}{others}: every assignment that agrees with the evidence has weight zero"
        )


answering.register(predict=predict)
