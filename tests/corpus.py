"""Random models with all questions, whose exact answers are frozen: a redesign changes none.

``corpus.txt`` has a line for each model: its kind, its seed, and a digest of the answer to each
question in the order of ``QUESTIONS``, or ``-`` for what was refused; that may be answered later.
The models come from the generators of the campaign, so who changes these writes the corpus anew,
from a checkout whose answers are trusted:

    python -m tests.corpus > tests/corpus.txt
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import liftgraph as lg
from tests.dynamic_models import example
from tests.soak.models import graph_of, irregular_graph, network, permuted_graph, symmetric_graph
from tests.soak.relational_models import model_of, relational_model

FILE = Path(__file__).with_suffix(".txt")
REFUSED = "-"
QUESTIONS = (
    *("query", "joint", "given", "probability", "event", "partition", "marginals", "count"),
    *("mpe", "best", "map", "do", "rows", "predict", "days", "likelihood"),
)
_GRAPHS = {
    "irregular": irregular_graph,
    "symmetric": symmetric_graph,
    "permuted": permuted_graph,
    "network": network,
}
COUNTS = {**dict.fromkeys(_GRAPHS, 400), "relational": 1000, "days": 400}
_LARGEST_UNROLLED = 14  # variables


def made(kind: str, seed: int) -> Any:
    """The model of a line: a graph, a parametric factor graph, or days with observations."""
    random = Random(f"{kind} {seed}")
    if kind == "days":
        return example(random)
    return (
        model_of(relational_model(random))
        if kind == "relational"
        else graph_of(_GRAPHS[kind](random))
    )


def digests(kind: str, seed: int) -> list[str]:
    """A digest of the answer to each question."""
    answers = _of_days(made(kind, seed)) if kind == "days" else _of_model(kind, seed)
    return [_digest(answers[name]) if name in answers else REFUSED for name in QUESTIONS]


def _digest(ask: Callable[[], Any]) -> str:
    try:
        text = repr(_plain(ask()))
    except lg.ZeroWeightError:
        text = "impossible"
    except (lg.ComputationError, lg.InputError):
        return REFUSED
    return blake2b(text.encode(), digest_size=2).hexdigest()


def _plain(answer: Any) -> Any:
    """An answer as numbers and text; floats lose what rounding may change."""
    if isinstance(answer, dict):
        return {name: _plain(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [*map(_plain, answer)]
    if isinstance(answer, lg.Marginal):
        return (
            [str(share) for share in answer.fractions.ravel()]
            if answer.fractions is not None
            else None
        )
    if isinstance(answer, float):
        return f"{answer * math.pi:.8g}"  # no tie is rounded
    return str(answer) if isinstance(answer, Fraction) else answer


def _of_model(kind: str, seed: int) -> dict[str, Callable[[], Any]]:
    model, random = made(kind, seed), Random(f"questions {kind} {seed}")
    names = [*model.variables]
    if not names:
        return {"partition": lambda: model.partition(exact=True).z}
    some = random.sample(names, min(len(names), 3))
    states = {name: random.choice(model.states(name)) for name in some}
    other = {some[-1]: states[some[-1]]}
    counted = [name for name in names if model.states(name) == model.states(some[0])]
    count = lg.count(counted[:5], states[some[0]])
    rows = {name: [random.choice([None, *model.states(name)]) for _ in range(4)] for name in some}
    asked = next((name for name in names if name not in rows), None)
    answers: dict[str, Callable[[], Any]] = {
        "query": lambda: [model.query(name, exact=True) for name in (names[0], names[-1])],
        "joint": lambda: model.query(*some, exact=True),
        "given": lambda: (
            model.query(names[0], given=other, exact=True) if names[0] not in other else 1
        ),
        "probability": lambda: model.probability(states, exact=True),
        "event": lambda: model.probability(count >= 1, exact=True),
        "partition": lambda: model.partition(exact=True).z,
        "marginals": lambda: list(model.marginals(exact=True).values()),
        "count": lambda: model.query(count, exact=True),
        "mpe": lambda: model.mpe(exact=True).weight,
        "best": lambda: [one.weight for one in model.mpe(best=3, exact=True)],
        "map": lambda: model.map(*some[:2], exact=True).fraction,
        "rows": lambda: np.asarray(model.log_likelihood(rows, by_row=True)).tolist(),
    }
    if asked is not None:
        answers["predict"] = lambda: _shares(model.predict(rows, asked, impossible="missing"))
    if kind == "network" and len(names) > 1:
        done = {names[0]: model.states(names[0])[-1]}
        answers["do"] = lambda: [model.query(name, do=done, exact=True) for name in names[1:]]
    return answers


def _shares(predicted: dict[str, list[Any]]) -> list[Any]:
    return [column for name, column in predicted.items() if name.startswith("P(")]


def _of_days(chosen: Any) -> dict[str, Callable[[], Any]]:
    if chosen.size > _LARGEST_UNROLLED:
        return {}
    model, observations = chosen.model, chosen.observations
    return {
        "days": lambda: [
            [*question(observations, *chosen.asked, exact=True)]
            for question in (model.filter, model.smooth)
        ],
        "likelihood": lambda: model.likelihood(observations),
        "mpe": lambda: model.most_probable_path(observations).log_weight,
    }


def lines() -> Iterator[str]:
    """The corpus."""
    for kind, count in COUNTS.items():
        for seed in range(count):
            yield " ".join([kind, str(seed), *digests(kind, seed)])


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
