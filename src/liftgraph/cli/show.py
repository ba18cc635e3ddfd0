"""Answers as text for people and as JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from liftgraph.errors import InputError
from liftgraph.io import uai
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.answers.weights import Explanation, Partition
from liftgraph.model.ground.summary import Info


def print_notes(notes: Iterable[str]) -> None:
    """Say what a written file does not keep, beside what a command prints."""
    for note in notes:
        print(f"liftgraph: note: {note}", file=sys.stderr)


def info_json(info: Info) -> str:
    """The counts of a model, for programs."""
    return json.dumps(asdict(info))


def info_text(info: Info) -> str:
    """The counts of a model, for people."""
    rows = {
        "variables": f"{info.variables:,}",
        "states": _histogram(info.states, "variables"),
        "factors": f"{info.factors:,}",
        "arguments": _histogram(info.arguments, "factors"),
        "edges": f"{info.edges:,}",
        "tables": f"{info.tables:,} ({info.zeros:,} with zeros, {info.measured:,} measured)",
        "largest": f"{info.largest_table:,} entries",
        "observed": f"{info.observed:,}",
    }
    return aligned(rows)


def _histogram(counts: dict[int, int], things: str) -> str:
    shown = [
        f"{number} ({count:,} {things if count > 1 else things.removesuffix('s')})"
        for number, count in list(counts.items())[:6]
    ]
    return ", ".join(shown + ["…"] * (len(counts) > 6)) or "none"


def aligned(rows: dict[str, str]) -> str:
    width = max(map(len, rows), default=0)
    return "\n".join(f"{key:<{width}}  {row}" for key, row in rows.items())


def answer_json(answer: Answer) -> dict[str, Any]:
    """What an answer says to programs."""
    match answer:
        case Marginal():
            said = {
                "variables": answer.variables,
                "states": answer.states,
                "probabilities": answer.probabilities.tolist(),
                **if_known("exact", _exact(answer)),
                "log_z": answer.log_z,
            }
        case Marginals():
            exact = {name: _exact(marginal) for name, marginal in answer.items()}
            said = {
                "marginals": {name: each.probabilities.tolist() for name, each in answer.items()},
                **if_known("exact", exact if exact and None not in exact.values() else None),
                "states": {name: marginal.states[0] for name, marginal in answer.items()},
                "log_z": answer.log_z,
            }
        case Partition():
            z = None if answer.z is None else str(answer.z)
            said = {"log_z": answer.log_z, "log10_z": answer.log10_z, **if_known("z", z)}
        case Explanation():
            weight = None if answer.weight is None else str(answer.weight)
            said = {
                "assignment": answer.assignment,
                "log_weight": answer.log_weight,
                **if_known("weight", weight),
            }
    bound = answer.log_odds_bound or None
    return {**said, "method": answer.method, **if_known("log_odds_bound", bound)}


def if_known(key: str, value: object) -> dict[str, object]:
    return {} if value is None else {key: value}


def _exact(marginal: Marginal) -> Any:
    """The fractions of a distribution as text, nested like its probabilities, if there are any."""
    if marginal.fractions is None:
        return None
    return np.vectorize(str, otypes=[object])(marginal.fractions).tolist()


def answer_uai(answer: Answer) -> str:
    """An answer as the UAI competitions want it. Precondition: it is no single marginal."""
    match answer:
        case Marginals():
            return uai.mar_text([marginal.probabilities.tolist() for marginal in answer.values()])
        case Partition():
            return uai.pr_text(answer.log_z)
        case Explanation():
            return uai.mpe_text(answer.states)
    raise InputError("expected all marginals for the UAI format, got a query")


def answer_text(answer: Answer) -> str:
    """What an answer says to people, and how far off it may be."""
    if isinstance(answer, Marginal) or not answer.log_odds_bound:
        return _plain_text(answer)
    what = "log odds" if isinstance(answer, Marginals) else "this"
    about = f"approximate: {what} may be off by up to {answer.log_odds_bound:.3g}"
    return f"{_plain_text(answer)}\n\n{about}"


def _plain_text(answer: Answer) -> str:
    match answer:
        case Marginal():
            return repr(answer)
        case Marginals():
            return aligned({name: _in_a_line(marginal) for name, marginal in answer.items()})
        case Partition():
            rows = {"log Z": repr(answer.log_z), "log10 Z": repr(answer.log10_z)}
            return aligned(rows if answer.z is None else rows | {"Z": str(answer.z)})
        case Explanation():
            weight = {"log weight": repr(answer.log_weight)}
            if answer.weight is not None:
                weight["weight"] = str(answer.weight)
            return f"{aligned(answer.assignment)}\n\n{aligned(weight)}"
    return repr(answer)


def _in_a_line(marginal: Marginal) -> str:
    exact = {} if marginal.fractions is None else marginal.exact
    return "  ".join([f"{s} {exact.get(s, format(p, '.6g'))}" for s, p in marginal.items()])
