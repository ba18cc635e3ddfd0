"""Groups and lifted models as text for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

from liftgraph.cli.show import aligned, if_known
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colouring import Colouring


def lifting_json(
    colouring: Colouring, model: ParfactorGraph, seconds: float, notes: list[str]
) -> str:
    """The groups that colour passing found and the lifted model in numbers, for programs."""
    said = {
        "variable_groups": colouring.variable_group_count,
        "factor_groups": colouring.factor_group_count,
        "rounds": colouring.rounds,
        "seconds": seconds,
        "algorithm": colouring.algorithm,
        "tolerance": str(colouring.tolerance),
        "log_odds_bound": model.log_odds_bound,
        **model_counts(model),
        "verified": True,  # or lifting would have failed
        **if_known("notes", notes or None),
    }
    return json.dumps(said | if_known("groups_by_round", _groups_by_round(colouring)))


def model_counts(model: ParfactorGraph) -> dict[str, object]:
    """What a lifted model consists of."""
    return {
        "variables": model.variable_count,
        "factors": model.factor_count,
        "logvars": {each.name: each.size for each in model.domains},
        "prvs": len(model.prvs),
        "parfactors": len(model.parfactors),
        "ground_variables": model.ground_variables,
        "observed": model.observed_count,
    }


def lifting_text(colouring: Colouring, model: ParfactorGraph, seconds: float) -> str:
    """The groups that colour passing found and the lifted model, for people."""
    rows = {
        "variables": _in_groups(len(colouring.variable_colours), colouring.variable_group_count),
        "factors": _in_groups(len(colouring.factor_colours), colouring.factor_group_count),
        "rounds": f"{colouring.rounds:,}",
        "algorithm": colouring.algorithm,
        "tolerance": _tolerance(colouring, model),
        "seconds": f"{seconds:.3g}",
    }
    by_round = _groups_by_round(colouring)
    rounds = [] if by_round is None else ["", *_round_lines(by_round)]
    lifted = ["lifted, and verified by grounding it again:", model.summary(), "", str(model)]
    return "\n".join([aligned(rows), "", *lifted, *rounds])


def _in_groups(members: int, groups: int) -> str:
    return f"{members:,} in {groups:,} group{'s' * (groups != 1)}"


def _tolerance(colouring: Colouring, model: ParfactorGraph) -> str:
    if not colouring.tolerance:
        return "none: groups are exact"
    bound = f"no log odds change by more than {model.log_odds_bound:.2g}"
    return f"{float(colouring.tolerance):g} ({bound})"


def _groups_by_round(colouring: Colouring) -> list[tuple[int, int]] | None:
    """How many groups of variables and of factors there were before the first round and after
    each, if that was recorded."""
    if colouring.changes is None:
        return None
    return [(change.variable_groups, change.factor_groups) for change in colouring.changes]


def _round_lines(by_round: list[tuple[int, int]]) -> Iterator[str]:
    """A line per round; of very many, the first and the last ones."""
    yield f"{'round':>7} {'groups of variables':>20} {'groups of factors':>18}"
    for number, (variables, factors) in enumerate(by_round):
        if number == 20 and len(by_round) > 40:
            yield f"{'…':>7}"
        if number < 20 or number >= len(by_round) - 20:
            yield f"{number:>7,} {variables:>20,} {factors:>18,}"
