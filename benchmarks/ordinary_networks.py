"""The bnlearn networks here and in pyAgrum: first questions, repeated ones, all marginals."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyagrum
from ordinary_rows import Row, Section, cpu_seconds
from pgmpy_networks import networks, read_by_pyagrum

import liftgraph as lg

STREAM = 40  # distinct questions to each network
QUESTIONS = 10  # that are repeated, for each network
STATES = 20  # different observations of a repeated question
SLOW = {"link", "munin1"}  # all marginals take pyAgrum a minute


@dataclass(frozen=True)
class Network:
    """A network here and in pyAgrum, and possible observations: a variable and its states."""

    name: str
    graph: lg.FactorGraph
    peer: Any
    observations: tuple[tuple[str, tuple[str, ...]], ...]


@cache
def loaded() -> tuple[Network, ...]:
    """All networks, as both libraries have them."""
    found = []
    for name, path in networks().items():
        graph = lg.read_graph(path)
        with tempfile.TemporaryDirectory() as folder:
            peer = read_by_pyagrum(graph, Path(folder))
        found.append(Network(name, graph, peer, tuple(_possible(graph))))
    return tuple(found)


def _possible(graph: lg.FactorGraph) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Some variables with the states that have a positive probability."""
    generator = random.Random(graph.variable_count)
    chosen = generator.sample(range(graph.variable_count), min(graph.variable_count, 40))
    for variable in chosen:
        answer = graph.query(variable, method="ground")
        states = tuple(state for state, p in answer.items() if p > 0)
        yield answer.variables[0], states  # type: ignore[misc]


@dataclass(frozen=True)
class Question:
    """A variable that is asked for, and one that is observed in different states."""

    network: Network
    target: str
    observed: str
    states: tuple[str, ...]


def questions(network: Network, count: int) -> list[Question]:
    """Random questions about a network, no two about the same pair of variables."""
    pairs = [
        (target, *observation)
        for target in network.graph.variables
        for observation in network.observations
        if observation[0] != target
    ]
    chosen = random.Random(network.name).sample(pairs, min(count, len(pairs)))
    return [Question(network, *pair) for pair in chosen]


def _ask(graph: lg.FactorGraph, question: Question) -> Any:
    given = {question.observed: question.states[0]}
    return graph.query(question.target, given=given).probabilities


def _ask_peer(question: Question, inference: Any) -> Any:
    """The answer of an inference object that is kept, or of a new one."""
    if inference is None:
        inference = _inference(question)
    else:
        inference.setEvidence({question.observed: question.states[0]})
        inference.setTargets({question.target})
    inference.makeInference()
    return inference.posterior(question.target).toarray()


def _inference(question: Question) -> Any:
    inference = pyagrum.LazyPropagation(question.network.peer)
    inference.setNumberOfThreads(1)
    inference.setEvidence({question.observed: question.states[0]})
    inference.setTargets({question.target})
    return inference


def first_queries(known: bool) -> Section:
    """Streams of distinct questions, to one graph (``known``) or each to a graph of its own."""
    rows = [_stream_row(network, known) for network in loaded()]
    note = f"""\
{STREAM} distinct questions one after the other, each for a variable of a bnlearn network given a
state of another one (all that there are, for networks with fewer pairs): the mean time of a
question. """
    if known:
        note += """All go to one graph, which was not asked before. pyAgrum keeps its inference
object or makes one for each question, whichever is faster."""
        return Section("Streams of questions", rows, mean=2.0, worst=4.0, note=note)
    note += "Each goes to a copy of the graph that was not asked before, and to a new object there."
    title = "First queries, nothing known of the graph"
    return Section(title, rows, mean=2.0, worst=4.0, note=note)


def _stream_row(network: Network, known: bool) -> Row:
    stream = questions(network, STREAM)
    ours = partial(_answers, stream, known)
    anew = partial(_peer_answers, stream, False)
    kept = [partial(_peer_answers, stream, True)] if known else []
    for answer, *expected in zip(ours(), *(theirs() for theirs in (anew, *kept)), strict=True):
        assert all(np.allclose(answer, values, atol=1e-9) for values in expected)
    seconds, *peer_seconds = np.array(cpu_seconds([ours, anew, *kept])) / len(stream)
    return Row(network.name, float(seconds), "pyAgrum", float(min(peer_seconds)))


def _answers(stream: list[Question], known: bool) -> list[Any]:
    graph = replace(stream[0].network.graph)  # with nothing in its cache
    return [_ask(graph if known else replace(graph), question) for question in stream]


def _peer_answers(stream: list[Question], kept: bool) -> list[Any]:
    inference = _inference(stream[0]) if kept else None
    return [_ask_peer(question, inference) for question in stream]


def repeated_questions() -> Section:
    """The same question with other states; both libraries keep what they have."""
    rows = [_repeated_row(network) for network in loaded()]
    note = "The same question with other states; pyAgrum keeps its inference object."
    return Section("Repeated questions", rows, mean=1.0, note=note)


def _repeated_row(network: Network) -> Row:
    seconds, asked = np.zeros(2), questions(network, QUESTIONS)
    for question in asked:
        tasks = (
            partial(_ask_again, question),
            partial(_ask_peer_again, question, _inference(question)),
        )
        answer, expected = tasks[0](), tasks[1]()
        assert np.allclose(answer, expected, atol=1e-9), question
        seconds += cpu_seconds(tasks, 3)
    count = len(asked) * STATES
    return Row(network.name, seconds[0] / count, "pyAgrum", seconds[1] / count)


def _listed_states(question: Question) -> list[str]:
    return [question.states[index % len(question.states)] for index in range(STATES)]


def _ask_again(question: Question) -> Any:
    graph, target, observed = question.network.graph, question.target, question.observed
    for state in _listed_states(question):
        answer = graph.query(target, given={observed: state})
    return answer.probabilities


def _ask_peer_again(question: Question, inference: Any) -> Any:
    for state in _listed_states(question):
        inference.chgEvidence(question.observed, state)
        inference.makeInference()
        answer = inference.posterior(question.target)
    return answer.toarray()


def all_marginals(slow: bool) -> Section:
    """The distributions of all variables, without evidence, for the first time."""
    left_out = [network.name for network in loaded() if network.name in SLOW and not slow]
    rows = [_marginals_row(network) for network in loaded() if network.name not in left_out]
    slow_ones = " and ".join(left_out)
    note = f"Without {slow_ones}, where pyAgrum takes a minute." if left_out else ""
    return Section("All marginals", rows, mean=1.0, note=note)


def _marginals_row(network: Network) -> Row:
    tasks = lambda: replace(network.graph).marginals(), partial(_all_posteriors, network)
    seconds, peer_seconds = cpu_seconds(tasks, 3)
    return Row(network.name, seconds, "pyAgrum", peer_seconds)


def _all_posteriors(network: Network) -> Any:
    inference = pyagrum.LazyPropagation(network.peer)
    inference.setNumberOfThreads(1)
    inference.makeInference()
    return [inference.posterior(node) for node in network.peer.nodes()]
