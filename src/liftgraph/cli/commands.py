"""What each command does: read, ask, show."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from dataclasses import dataclass
from typing import cast

from liftgraph.cli import show
from liftgraph.cli.progress import Reporter, reporting
from liftgraph.errors import InputError
from liftgraph.inference.answer import asked, plan, run
from liftgraph.inference.query import Answer, Explanation, Kind, Marginal, Partition, Query
from liftgraph.io import format_of, read, uai, write
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.summary import info


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
    with reporting() as report:
        graph = _read(options.model, report)
        summary = info(graph)
    print(show.info_json(summary) if options.format == "json" else show.info_text(summary))


def answer_query(options: Namespace) -> None:
    outcome = _ask(options, "marginal")
    marginal = cast(Marginal, outcome.answer)
    if options.format == "json":
        print(show.query_json(marginal, outcome.extras))
    else:
        print(marginal)


def answer_marginals(options: Namespace) -> None:
    outcome = _ask(options, "marginals")
    marginals = cast(dict[str, Marginal], outcome.answer)
    if options.format == "json":
        print(show.marginals_json(marginals, outcome.extras))
    elif options.format == "uai":
        rows = [marginal.probabilities.tolist() for marginal in marginals.values()]
        print(uai.mar_text(rows), end="")
    else:
        print(show.marginals_text(marginals))


def answer_logz(options: Namespace) -> None:
    outcome = _ask(options, "partition")
    partition = cast(Partition, outcome.answer)
    if options.format == "json":
        print(show.partition_json(partition, outcome.extras))
    elif options.format == "uai":
        print(uai.pr_text(partition.log_z), end="")
    else:
        print(show.partition_text(partition))


def answer_mpe(options: Namespace) -> None:
    outcome = _ask(options, "explanation")
    explanation = cast(Explanation, outcome.answer)
    if options.format == "json":
        print(show.explanation_json(explanation, outcome.extras))
    elif options.format == "uai":
        print(uai.mpe_text(explanation.states), end="")
    else:
        print(show.explanation_text(explanation))


def convert(options: Namespace) -> None:
    with reporting() as report:
        graph = _read(options.source, report)
        report.stage(f"writing {options.target}")
        if format_of(options.target) is not uai:
            write(graph, options.target)
            return
        uai.write(graph, options.target, rounded=options.round)
        fractions = uai.needs_fractions(graph)
    for loss in show.uai_losses(graph, fractions, options.round):
        print(f"liftgraph: note: {loss}", file=sys.stderr)


def _ask(options: Namespace, kind: Kind) -> Outcome:
    """Read the model and its evidence, plan, say so if asked to, and run."""
    with reporting() as report:
        graph = _observed(_read(options.model, report), options)
        variables = asked(graph, tuple(options.variables)) if kind == "marginal" else ()
        report.stage("planning")
        start = time.perf_counter()
        planned = plan(
            graph,
            Query(kind, variables, options.exact),
            method=options.method,
            memory_limit=options.memory,
        )
        if options.explain:
            print(planned, file=sys.stderr)
        report.stage("computing")
        answer = run(planned, report.done)
        seconds = time.perf_counter() - start
    return Outcome(answer, seconds, str(planned) if options.explain else None)


def _read(path: str, report: Reporter) -> FactorGraph:
    report.stage(f"reading {path}")
    return read(path)


def _observed(graph: FactorGraph, options: Namespace) -> FactorGraph:
    if options.evidence is not None:
        graph = uai.read_evidence(graph, options.evidence)
    for text in options.given:
        variable, state = split_event(graph, text)
        graph = graph.given({variable: state})
    return graph


def split_event(graph: FactorGraph, text: str) -> tuple[str, str]:
    """The variable and the state in ``VAR=STATE``; both may contain equals signs themselves."""
    cuts = [place for place, letter in enumerate(text) if letter == "="]
    if not cuts:
        raise InputError(f"expected VAR=STATE, got {text}")
    pairs = [(text[:cut], text[cut + 1 :]) for cut in cuts]
    fitting = [
        (variable, state)
        for variable, state in pairs
        if graph.has_variable(variable) and state in graph.states(graph.variable(variable))
    ]
    if len(fitting) > 1:
        raise InputError(f"expected one way to read {text} as VAR=STATE, got {len(fitting)}")
    return fitting[0] if fitting else pairs[0]
