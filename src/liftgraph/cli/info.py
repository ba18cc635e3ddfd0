"""The command ``liftgraph info``: what a model consists of."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict

from liftgraph.cli.options import EXAMPLE, Commands, add_command, add_formats, add_model
from liftgraph.cli.output import aligned, show, show_table, unless_none
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import read_model
from liftgraph.display import counted
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.model.ground.summary import Info, info
from liftgraph.model.ground.views import Variable
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "info", "count what a model consists of", EXAMPLE)
    add_model(command)
    command.add_argument(
        "--variables",
        action="store_true",
        help="list the variables and their states instead; of a lifted model, the PRVs",
    )
    add_formats(command, "table", "json")
    command.set_defaults(run=show_info)


def show_info(options: Namespace) -> None:
    """Print the size of a model, or its variables; a lifted model is not ground for that."""
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read_model(options)
        as_json = options.format == "json"
        if options.variables:
            text = json.dumps(variable_entries(model)) if as_json else _variable_text(model)
        elif isinstance(model, ParfactorGraph):
            text = json.dumps(model_counts(model)) if as_json else model.summary()
        else:
            counts = info(model)
            text = json.dumps(asdict(counts)) if as_json else _text(counts)
    (show if as_json else show_table)(text)


def model_counts(model: ParfactorGraph) -> dict[str, object]:
    """What a lifted model consists of, for programs."""
    return {
        "variables": model.variable_count,
        "factors": model.factor_count,
        "logvars": {domain.name: domain.size for domain in model.domains},
        "prvs": len(model.prvs),
        "parfactors": len(model.parfactors),
        "ground_variables": model.ground_variables,
        "observed": model.observed_count,
    }


def variable_entries(model: FactorGraph | ParfactorGraph) -> dict[str, object]:
    """The variables of a model and their states, for programs; the PRVs of a lifted model."""
    if isinstance(model, ParfactorGraph):
        return {"prvs": [*map(_prv_entry, model.prvs)]}
    views = (model[index] for index in range(model.variable_count))
    return {"variables": [_entry(view.name, view.states, view.observed) for view in views]}


def _prv_entry(prv: PRV) -> dict[str, object]:
    observed = None if prv.observed is None else prv.states[prv.observed]
    logvars = [logvar.name for logvar in prv.logvars]
    return _entry(prv.name, prv.states, observed) | {"logvars": logvars, "variables": prv.size}


def _entry(name: str, states: States, observed: str | None) -> dict[str, object]:
    return {"name": name, "states": states, **unless_none("observed", observed)}


def _variable_text(model: FactorGraph | ParfactorGraph) -> str:
    """A line for each variable or PRV, with all its states."""
    if isinstance(model, ParfactorGraph):
        rows = {str(prv.atom): f"{', '.join(prv.states)}  {_size(prv)}" for prv in model.prvs}
    else:
        views = (model[index] for index in range(model.variable_count))
        rows = {view.name: f"{', '.join(view.states)}{_observed(view)}" for view in views}
    return aligned(rows) or "no variables"


def _size(prv: PRV) -> str:
    observed = "" if prv.observed is None else f", observed {prv.states[prv.observed]}"
    return f"({counted(prv.size, 'variable')}{observed})"


def _observed(view: Variable) -> str:
    return "" if view.observed is None else f"  (observed {view.observed})"


def _text(counts: Info) -> str:
    rows = {
        "variables": f"{counts.variables:,}",
        "states": _histogram(counts.states, "variable"),
        "factors": f"{counts.factors:,}",
        "arguments": _histogram(counts.arguments, "factor"),
        "edges": f"{counts.edges:,}",
        "tables": f"{counts.tables:,} ({counts.zeros:,} with zeros, {counts.measured:,} measured)",
        "largest": counted(counts.largest_table, "entry"),
        "observed": f"{counts.observed:,}",
    }
    return aligned(rows)


def _histogram(counts: dict[int, int], noun: str) -> str:
    """Sizes and how many things have each, the first few of them."""
    shown = [f"{size} ({counted(count, noun)})" for size, count in list(counts.items())[:6]]
    return ", ".join(shown + ["…"] * (len(counts) > 6)) or "none"
