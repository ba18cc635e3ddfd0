"""What each command does: read, ask, show."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from liftgraph.cli import lifting, show
from liftgraph.cli.progress import Reporter, reporting
from liftgraph.cli.trade_off import check as check_trade_off
from liftgraph.cli.trade_off import draw_trade_off, trade_off_json
from liftgraph.errors import InputError
from liftgraph.inference.answer import run
from liftgraph.inference.methods import Model, plan
from liftgraph.inference.query import Answer, Kind, Query
from liftgraph.inference.trade_off import trade_off
from liftgraph.io import read, read_graph, uai, write, write_what_fits
from liftgraph.io.formats import format_of, suffixes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.summary import info
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.lifting.lift import lift_colouring


@dataclass(frozen=True)
class Outcome:
    """An answer, how long it took to compute, and the plan if it was asked for."""

    answer: Answer
    seconds: float
    plan: str | None

    @property
    def extras(self) -> dict[str, object]:
        """What every JSON answer says besides the answer."""
        said: dict[str, object] = {"seconds": self.seconds}
        return said if self.plan is None else said | {"plan": self.plan}


def show_info(options: Namespace) -> None:
    """Count what is in a model; a lifted one is not ground for that."""
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read(options.model)
        as_json = options.format == "json"
        if isinstance(model, ParfactorGraph):
            text = json.dumps(lifting.model_counts(model)) if as_json else model.summary()
        else:
            counted = info(model)
            text = show.info_json(counted) if as_json else show.info_text(counted)
    print(text)


def answer(options: Namespace) -> None:
    """Answer a question of the kind ``options.kind`` in the format that was asked for."""
    outcome = _ask(options, options.kind)
    if options.format == "json":
        print(json.dumps({**show.answer_json(outcome.answer), **outcome.extras}))
    elif options.format == "uai":
        print(show.answer_uai(outcome.answer), end="")
    else:
        print(show.answer_text(outcome.answer))


def lift(options: Namespace) -> None:
    """Lift a model, show what was found, and store it if it is to be kept."""
    if options.output is not None and not format_of(options.output).takes_lifted:
        expected = " or ".join(suffixes(lifted=True))
        raise InputError(f"{options.output}: expected {expected} for a lifted model")
    with reporting() as report:
        graph = _observed(_read(options.model, report), options)
        report.stage("passing colours")
        start = time.perf_counter()
        colour = partial(colour_passing, graph, options.algorithm, options.tolerance)
        found = colour(record=options.rounds)
        report.stage("lifting")
        model = lift_colouring(graph, found, colour)
        seconds = time.perf_counter() - start
        if options.output is not None:
            report.stage(f"writing {options.output}")
            write(model, options.output)
    notes = [] if options.output is None else list(format_of(options.output).losses(model))
    if options.format == "json":
        print(lifting.lifting_json(found, model, seconds, notes))
    else:
        print(lifting.lifting_text(found, model, seconds))
        show.print_notes(notes)


def convert(options: Namespace) -> None:
    """Read a model and write it in another format, saying what that format cannot keep."""
    with reporting() as report:
        report.stage(f"reading {options.source}")
        model = read(options.source)
        report.stage(f"writing {options.target}")
        notes = write_what_fits(model, options.target, rounded=options.round)
    if options.json:
        said = {"variables": model.variable_count, "factors": model.factor_count, "notes": notes}
        print(json.dumps({"source": options.source, "target": options.target, **said}))
    else:
        show.print_notes(notes)


def draw(options: Namespace) -> None:
    """Draw a model or what was found about it; what that needs is loaded only now."""
    from liftgraph.cli import pictures

    with reporting() as report:
        pictures.check(options)
        report.stage(f"reading {options.model}")
        model = read(options.model)
        given = _given(model, options)
        report.stage("drawing")
        told = pictures.draw(model, given, options)
    print(told)


def show_trade_off(options: Namespace) -> None:
    """Try tolerances on a model."""
    check_trade_off(options.output)
    with reporting() as report:
        graph = _read(options.model, report)
        given = _given(graph, options)
        report.stage("trying tolerances")
        found = trade_off(graph, options.tolerances, variables=options.variables, given=given)
        draw_trade_off(found, options.output)
    print(trade_off_json(found) if options.format == "json" else found)


def experiment(options: Namespace) -> None:
    """Run studies; what they need is loaded only now."""
    from liftgraph.cli import experiments

    experiments.experiment(options)


def _ask(options: Namespace, kind: Kind) -> Outcome:
    """Read the model and its evidence, plan, say so if asked to, and run."""
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read(options.model)
        given = _given(model, options)
        variables = tuple(options.variables) if kind == "marginal" else ()
        report.stage("planning")
        start = time.perf_counter()
        planned = plan(
            model,
            Query(kind, variables, options.exact),
            given=given,
            method=options.method,
            memory_limit=options.memory,
            tolerance=options.tolerance,
        )
        if options.explain:
            print(planned, file=sys.stderr)
        report.stage("computing")
        found = run(planned, report.done)
        seconds = time.perf_counter() - start
    return Outcome(found, seconds, str(planned) if options.explain else None)


def _given(model: Model, options: Namespace) -> dict[str | int, str]:
    """The evidence of a file and of the command line, by variable; they must not disagree."""
    given: dict[str | int, str] = {}
    if options.evidence is not None:
        count = model.variable_count
        found = uai.read_states(options.evidence, count, lambda v: len(_states(model, v)))
        given = {_name(model, v): _states(model, v)[state] for v, state in found.items()}
    for text in options.given:
        variable, state = split_event(model, text)
        if given.setdefault(variable, state) != state:
            raise InputError(
                f"expected one state for {variable}, got both {given[variable]} and {state}"
            )
    return given


def _read(path: str, report: Reporter) -> FactorGraph:
    report.stage(f"reading {path}")
    return read_graph(path)


def _observed(graph: FactorGraph, options: Namespace) -> FactorGraph:
    given = _given(graph, options)
    return graph.given(given) if given else graph


def split_event(model: Model, text: str) -> tuple[str, str]:
    """The variable and the state in ``VAR=STATE``; both may contain equals signs themselves."""
    signs = [place for place, letter in enumerate(text) if letter == "="]
    if not signs:
        raise InputError(f"expected VAR=STATE, got {text}")
    pairs = [(text[:sign], text[sign + 1 :]) for sign in signs]
    fitting = [(variable, state) for variable, state in pairs if state in _states(model, variable)]
    if len(fitting) > 1:
        raise InputError(f"expected one way to read {text} as VAR=STATE, got {len(fitting)}")
    return fitting[0] if fitting else pairs[0]


def _states(model: Model, variable: str | int) -> Sequence[str]:
    """The states of a variable, none if there is no such variable."""
    try:
        if isinstance(model, ParfactorGraph):
            return model.prvs[model.locate(variable)[0]].states
        return model.states(model.variable(variable))
    except InputError:
        return ()


def _name(model: Model, variable: int) -> str:
    if isinstance(model, ParfactorGraph):
        return model.name(model.locate(variable))
    return model.name(variable)
