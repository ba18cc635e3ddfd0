"""The commands ``liftgraph query``, ``marginals``, ``logz``, ``mpe`` and ``map``: questions."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from dataclasses import dataclass
from typing import Any, cast

from liftgraph.cli.answers import answer_json, answer_text, answer_uai, selected
from liftgraph.cli.evidence import asked_for, names_of, read_evidence, read_interventions
from liftgraph.cli.options import (
    EXAMPLE,
    Commands,
    add_command,
    add_inference,
    add_interventions,
    add_model,
)
from liftgraph.cli.output import show, show_table, unless_none
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import read_model
from liftgraph.errors import InputError
from liftgraph.inference.answer import run
from liftgraph.inference.contradiction import contradictions_named
from liftgraph.inference.counts import plan_question
from liftgraph.inference.joint_states.explanations import checked_best
from liftgraph.inference.relational import is_prv, kind_for, of_prv
from liftgraph.io.formats import Model
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.causal import about_variables_of, intervened
from liftgraph.model.memory_limit import MEMORY_LIMIT
from liftgraph.model.query import (
    EXPLANATION,
    EXPLANATIONS,
    KINDS,
    MAP,
    MARGINAL,
    MARGINALS,
    Query,
)
from liftgraph.model.questions import SEARCH_SECONDS

_VARIABLES = "variables asked for; or counts, as count:Sick=true or count:A,B,C=yes"
_STATES_OF = "variables asked for; or PRVs of a lifted model, with all of their variables"
_ONLY = "variables whose distributions to print (default: all variables); or one PRV, in a table"
_QUESTIONS: list[tuple[str, str, str, str]] = [
    (
        "query",
        "marginal",
        "the distribution of a variable, or the joint one of several, given evidence",
        "Sick.alice --given Epid=true Travel.bob=false",
    ),
    (
        "marginals",
        "marginals",
        "the distribution of every variable, or of each one named, given evidence",
        "Sick.alice Sick.bob --given Epid=true",
    ),
    (
        "logz",
        "partition",
        "the logarithm of the total weight of all assignments which agree with the evidence",
        "--exact",
    ),
    (
        "mpe",
        "explanation",
        "a most probable assignment of all variables given evidence",
        "--given Epid=true",
    ),
    (
        "map",
        "map",
        "a most probable joint state of some variables, all others summed out, given evidence",
        "Epid Sick.bob --given Sick.alice=true",
    ),
]


@dataclass(frozen=True)
class TimedAnswer:
    """An answer, how long it took to compute unless that is left out, and the plan if requested."""

    answer: Answer
    seconds: float | None
    plan: str | None


def add_to(commands: Commands) -> None:
    """Add the commands and their options."""
    for name, kind, what, arguments in _QUESTIONS:
        command = add_command(commands, name, what, f"{EXAMPLE} {arguments}")
        add_model(command)
        if kind == MAP.name:
            command.add_argument("variables", metavar="VAR", nargs="*", help=_STATES_OF)
            command.add_argument(
                "--query", metavar="FILE", help="variables asked for, by index, as UAI lists them"
            )
        elif KINDS[kind].takes_variables:
            command.add_argument("variables", metavar="VAR", nargs="+", help=_VARIABLES)
        elif kind == MARGINALS.name:
            command.add_argument("variables", metavar="VAR", nargs="*", help=_ONLY)
        if kind == EXPLANATION.name:
            command.add_argument(
                "--best",
                metavar="K",
                type=int,
                help="the K most probable assignments; of a lifted model, up to exchanging"
                " individuals",
            )
        formats = ("table", "json") if kind == MARGINAL.name else ("table", "json", "uai")
        add_inference(command, *formats)
        add_interventions(command)
        command.set_defaults(run=answer, kind=kind)


def answer(options: Namespace) -> None:
    """Answer a question of the kind ``options.kind`` in the requested format."""
    if options.kind == MARGINALS.name and options.variables and options.format == "uai":
        raise InputError("the UAI format has the marginals of all variables: expected no VAR")
    if options.kind == EXPLANATION.name and options.best is not None and options.format == "uai":
        raise InputError("the UAI format has one most probable assignment: expected no --best")
    timed = _ask(options, options.kind)
    if options.format == "json":
        show(_json(timed))
    elif options.format == "uai":
        show(answer_uai(timed.answer), end="")
    else:
        show_table(answer_text(timed.answer))


def _json(timed: TimedAnswer) -> str:
    entries = answer_json(timed.answer) | unless_none("seconds", timed.seconds)
    return json.dumps(entries | unless_none("plan", timed.plan))


def given_options(options: Namespace) -> dict[str, object]:
    """The options that were typed: a method that does not take one of them refuses it."""
    typed = {
        "memory_limit": options.memory,
        "tolerance": options.tolerance,
        "search_seconds": options.search,
        "device": options.device,
    }
    defaults = {
        "memory_limit": MEMORY_LIMIT,
        "tolerance": None,
        "search_seconds": SEARCH_SECONDS,
        "device": None,
    }
    return {name: value for name, value in typed.items() if value != defaults[name]}


def _asked_prv(model: Model, options: Namespace) -> str | None:
    """The PRV that is asked for, if a single name is given that is one and no variable."""
    names: list[str] = options.variables
    return names[0] if len(names) == 1 and is_prv(model, names[0]) else None


def _variables(model: Model, options: Namespace) -> tuple[str | int, ...]:
    """The variables that are asked for, on the command line and in a file."""
    variables: list[Any] = [*map(asked_for, options.variables)]
    if options.kind == MAP.name and options.query is not None:
        from liftgraph.io import uai

        count, limit = model.variable_count, options.memory
        variables += uai.read_query(options.query, count, memory_limit=limit)
    return tuple(variables)


def _ask(options: Namespace, kind: str) -> TimedAnswer:
    """Read the model and its evidence, plan, print the plan if requested, and run it."""
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read_model(options)
        given = read_evidence(model, options)
        interventions = read_interventions(model, options)
        asked = intervened(model, interventions) if interventions else model
        variables = _variables(model, options) if KINDS[kind].takes_variables else ()
        prv = _asked_prv(model, options) if kind == MARGINALS.name else None
        only = names_of(model, options.variables) if kind == MARGINALS.name and not prv else []
        report.stage("planning")
        start = time.perf_counter()
        query = Query(kind_for(asked).name if prv else kind, variables, options.exact)
        if kind == EXPLANATION.name and options.best is not None:
            query = Query(EXPLANATIONS.name, (), options.exact, checked_best(options.best))
        with contradictions_named(asked, {"given": given, "memory_limit": options.memory}):
            planned = plan_question(asked, query, given, options.method, **given_options(options))
            if options.explain:
                show_table(planned, file=sys.stderr)
            report.stage("computing")
            computed = about_variables_of(model, run(planned, report.done))
        if prv:
            computed = of_prv(model, prv, computed)
            computed.check_size()  # all rows are printed
        if only:
            computed = selected(cast(Marginals, computed), only)
        seconds = None if options.reproducible else time.perf_counter() - start
    return TimedAnswer(computed, seconds, str(planned) if options.explain else None)
