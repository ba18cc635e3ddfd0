"""Answers as text for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from liftgraph.inference.query import Explanation, Marginal, Partition
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.summary import Info


def info_json(info: Info) -> str:
    return json.dumps(asdict(info))


def info_text(info: Info) -> str:
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
    return _aligned(rows)


def _histogram(counts: dict[int, int], things: str) -> str:
    shown = [f"{number} ({count:,} {things})" for number, count in list(counts.items())[:6]]
    return ", ".join(shown + ["…"] * (len(counts) > 6)) or "none"


def _aligned(rows: dict[str, str]) -> str:
    width = max(map(len, rows), default=0)
    return "\n".join(f"{key:<{width}}  {row}" for key, row in rows.items())


def query_json(marginal: Marginal, extras: dict[str, object]) -> str:
    said = {
        "variables": marginal.variables,
        "states": marginal.states,
        "probabilities": marginal.probabilities.tolist(),
        **_exact(marginal),
        "log_z": marginal.log_z,
        "method": marginal.method,
        **extras,
    }
    return json.dumps(said)


def _exact(marginal: Marginal) -> dict[str, Any]:
    if marginal.fractions is None:
        return {}
    return {"exact": np.vectorize(str, otypes=[object])(marginal.fractions).tolist()}


def marginals_json(marginals: dict[str, Marginal], extras: dict[str, object]) -> str:
    exact = {
        name: _exact(marginal)["exact"] for name, marginal in marginals.items() if _exact(marginal)
    }
    anyone = next(iter(marginals.values()), None)
    said = {
        "marginals": {name: m.probabilities.tolist() for name, m in marginals.items()},
        **({"exact": exact} if exact else {}),
        "states": {name: marginal.states[0] for name, marginal in marginals.items()},
        **({} if anyone is None else {"log_z": anyone.log_z, "method": anyone.method}),
        **extras,
    }
    return json.dumps(said)


def marginals_text(marginals: dict[str, Marginal]) -> str:
    rows: dict[str, str] = {}
    for name, marginal in marginals.items():
        exact = {} if marginal.fractions is None else marginal.exact
        shown = [f"{s} {exact.get(s, format(p, '.6g'))}" for s, p in marginal.items()]
        rows[name] = "  ".join(shown)
    return _aligned(rows)


def partition_json(partition: Partition, extras: dict[str, object]) -> str:
    said = {
        "log_z": partition.log_z,
        "log10_z": partition.log10_z,
        **({} if partition.z is None else {"z": str(partition.z)}),
        "method": partition.method,
        **extras,
    }
    return json.dumps(said)


def partition_text(partition: Partition) -> str:
    rows = {"log Z": repr(partition.log_z), "log10 Z": repr(partition.log10_z)}
    return _aligned(rows if partition.z is None else rows | {"Z": str(partition.z)})


def explanation_json(explanation: Explanation, extras: dict[str, object]) -> str:
    said = {
        "assignment": explanation.assignment,
        "log_weight": explanation.log_weight,
        **({} if explanation.weight is None else {"weight": str(explanation.weight)}),
        "method": explanation.method,
        **extras,
    }
    return json.dumps(said)


def explanation_text(explanation: Explanation) -> str:
    weight = {"log weight": repr(explanation.log_weight)}
    if explanation.weight is not None:
        weight["weight"] = str(explanation.weight)
    return _aligned(explanation.assignment) + "\n\n" + _aligned(weight)


def uai_losses(graph: FactorGraph, fractions: bool, rounded: bool) -> Iterator[str]:
    """What a UAI file cannot keep of this model, or others may not read."""
    if graph.names is not None:
        yield "UAI files have no names: variables and states are written by their index"
    if len(graph.observed):
        yield "UAI models have no evidence: it was left out"
    if fractions and rounded:
        yield "values without a finite decimal form were rounded to 17 digits"
    elif fractions:
        yield "values without a finite decimal form were written as fractions; --round rounds them"
