"""Answers as text for readers and as JSON for programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from liftgraph.cli.output import aligned, in_columns, unless_none
from liftgraph.errors import InputError
from liftgraph.model.answers.answer import Answer, accuracy_text
from liftgraph.model.answers.explanations import Explanations
from liftgraph.model.answers.frames import fraction_texts
from liftgraph.model.answers.joint_states import JointState
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.answers.relational import PRVMarginals
from liftgraph.model.answers.weights import Assignment, Partition


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer, for programs."""
    entries: dict[str, Any] = {}
    match answer:
        case Marginal():
            entries = {
                "variables": answer.variables,
                "states": answer.states,
                "probabilities": answer.probabilities.tolist(),
                **unless_none("exact", _exact(answer)),
            }
        case Marginals():
            exact = {name: _exact(marginal) for name, marginal in answer.items()}
            entries = {
                "marginals": {
                    name: marginal.probabilities.tolist() for name, marginal in answer.items()
                },
                **unless_none("exact", exact if exact and None not in exact.values() else None),
                "states": {name: marginal.states[0] for name, marginal in answer.items()},
                "log_z": answer.log_z,
            }
        case PRVMarginals():
            entries = _relation_json(answer)
        case Partition():
            z = None if answer.z is None else str(answer.z)
            entries = {"log_z": answer.log_z, "log10_z": answer.log10_z, **unless_none("z", z)}
        case Explanations():
            entries = {
                "assignments": [
                    {"count": count, **_without_method(answer_json(one))}
                    for one, count in zip(answer, answer.counts, strict=True)
                ],
                "more_alike": answer.more_alike,
            }
        case JointState():
            fraction = None if answer.fraction is None else str(answer.fraction)
            weight = None if answer.weight is None else str(answer.weight)
            entries = {
                "states": dict(answer),
                "probability": answer.probability,
                "log_probability": answer.log_probability,
                **unless_none("exact", fraction),
                "log_weight": answer.log_weight,
                **unless_none("weight", weight),
            }
        case Assignment():
            weight = None if answer.weight is None else str(answer.weight)
            entries = {
                "assignment": dict(answer),
                "log_weight": answer.log_weight,
                **unless_none("weight", weight),
            }
    bound, approximate = answer.log_odds_bound or None, answer.approximate or None
    accuracy = unless_none("log_odds_bound", bound) | unless_none("approximate", approximate)
    return {**entries, "method": answer.method, **accuracy}


def _relation_json(answer: PRVMarginals) -> dict[str, Any]:
    """A row for each variable: its individuals, and the probabilities of the states."""
    individuals = [*zip(*answer.rows.columns(), strict=True)] or [()] * answer.rows.size
    groups = answer.rows.groups().tolist()
    shares = [shared.probabilities.tolist() for shared in answer.distributions]
    fractions = [shared.fractions for shared in answer.distributions]
    texts = [fraction_texts(exact) for exact in fractions if exact is not None]
    return {
        "prv": answer.name,
        "logvars": answer.rows.headings,
        "states": answer.states,
        "individuals": individuals,
        "probabilities": [shares[group] for group in groups],
        **unless_none("exact", [texts[group] for group in groups] if texts else None),
    }


def _without_method(entries: dict[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if name != "method"}


def selected(answer: Marginals, names: list[str]) -> Marginals:
    """The marginals of these variables only. Precondition: the answer has them."""
    place = {name: index for index, name in enumerate(answer.names)}
    group = answer.group[[place[name] for name in names]]
    return replace(answer, names=tuple(names), group=group)


def _exact(marginal: Marginal) -> Any:
    """The fractions of a distribution, if any, as text, nested like its probabilities."""
    if marginal.fractions is None:
        return None
    return np.vectorize(str, otypes=[object])(marginal.fractions).tolist()


def answer_uai(answer: Answer) -> str:
    """An answer as the UAI competitions want it, if they ask for it."""
    from liftgraph.io import uai

    if answer.log_odds_bound or answer.approximate:
        came = f"got one that may be off{accuracy_text(answer)}; --method ground is exact"
        raise InputError(f"expected an exact answer for the UAI format, {came}")
    match answer:
        case Marginals():
            return uai.mar_text([marginal.probabilities.tolist() for marginal in answer.values()])
        case Partition():
            return uai.pr_text(answer.log_z)
        case JointState():
            return uai.mmap_text(answer.indices, answer.states)
        case Assignment():
            return uai.mpe_text(answer.states)
    raise InputError("expected all marginals for the UAI format, got a query")


def answer_text(answer: Answer) -> str:
    """An answer as text, and how far off it may be."""
    inexact = answer.log_odds_bound or answer.approximate
    if isinstance(answer, Marginal) or not inexact:
        return _plain_text(answer)
    what = "log odds" if isinstance(answer, Marginals | PRVMarginals) else "this"
    bound = f"{what} may be off by up to {answer.log_odds_bound:.3g}"
    accuracy = bound if answer.log_odds_bound else f"an estimate by {answer.method}"
    return f"{_plain_text(answer)}\n\napproximate: {accuracy}"


def _plain_text(answer: Answer) -> str:
    match answer:
        case Marginal():
            return repr(answer)
        case PRVMarginals():
            return in_columns([answer.headings, *answer.texts()])
        case Marginals():
            return aligned({name: _in_a_line(marginal) for name, marginal in answer.items()})
        case Partition():
            rows = {"log Z": repr(answer.log_z), "log10 Z": repr(answer.log10_z)}
            return aligned(rows if answer.z is None else rows | {"Z": str(answer.z)})
        case JointState():
            exact = "" if answer.fraction is None else str(answer.fraction)
            probability = {"probability": exact or repr(answer.probability)}
            if not answer.probability:
                probability["log probability"] = repr(answer.log_probability)
            return f"{aligned(answer)}\n\n{aligned(probability)}"
        case Assignment():
            weight = {"log weight": repr(answer.log_weight)}
            if answer.weight is not None:
                weight["weight"] = str(answer.weight)
            return f"{aligned(answer)}\n\n{aligned(weight)}"
    return repr(answer)


def _in_a_line(marginal: Marginal) -> str:
    exact = {} if marginal.fractions is None else marginal.exact
    return "  ".join([f"{s} {exact.get(s, format(p, '.6g'))}" for s, p in marginal.items()])
