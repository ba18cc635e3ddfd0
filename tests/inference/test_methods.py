"""Methods, kinds of questions and questions join from outside, and say what they do not take."""

from __future__ import annotations

import copy
import math
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liftgraph as lg
from liftgraph import datasets
from liftgraph.cli import main
from liftgraph.inference import methods
from liftgraph.inference.answer import run
from liftgraph.inference.methods import METHODS, Method, Option, register_method
from liftgraph.model import answering
from liftgraph.model import query as kinds
from liftgraph.model.plans import Operation, Plan, Progress
from liftgraph.model.query import Kind, Query, register_kind


@dataclass(frozen=True)
class SamplingPlan:
    """Draw independent states of one variable whose distribution is its only factor."""

    query: Query
    weights: tuple[int, ...]
    states: tuple[str, ...]
    samples: int
    method: str = "sampling"
    peak_bytes: int = 0
    outline: tuple[Operation, ...] = ()

    @property
    def names(self) -> list[str]:
        return [str(variable) for variable in self.query.variables]

    @property
    def work(self) -> int:
        return self.samples

    @property
    def text(self) -> str:
        return f"{self.samples} samples"

    def run(self, progress: Progress = lambda share: None) -> lg.Marginal:
        drawn = random.Random(1).choices(range(len(self.states)), self.weights, k=self.samples)
        shares = np.bincount(drawn, minlength=len(self.states)) / self.samples
        margin = math.sqrt(math.log(2 / 0.01) / (2 * self.samples))  # Hoeffding 1963, 99 %
        interval = np.clip(shares - margin, 0, 1), np.clip(shares + margin, 0, 1)
        name = self.names[0]
        return lg.Marginal((name,), (self.states,), shares, None, self.method, interval=interval)


def planned(model: Any, query: Query, given: Any, options: Mapping[str, Any]) -> Plan:
    scope, table = model.factors[0].parts
    weights = tuple(table.integers.tolist())
    return SamplingPlan(query, weights, model.states(scope[0]), options["samples"])


def checked(model: Any, samples: object) -> object:
    if not isinstance(samples, int):
        raise lg.InputError(f"expected a number of samples, got {samples!r}")
    return samples


@pytest.fixture
def sampling() -> Iterator[None]:
    options = {"samples": Option(1000, checked)}
    register_method(Method("sampling", planned, exact=False, options=options, kinds=("marginal",)))
    yield
    del METHODS["sampling"]


def coin() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("Coin", ["heads", "tails"])
    builder.add_factor(["Coin"], [3, 1])
    return builder.build()


@pytest.mark.usefixtures("sampling")
def test_a_method_from_outside_answers_and_says_that_it_is_approximate() -> None:
    answer = coin().query("Coin", method="sampling", samples=4000)  # type: ignore[call-arg]
    least, most = answer.bounds
    assert answer.approximate
    assert least[0] < 0.75 < most[0]
    assert "approximate (sampling)" in repr(answer)
    assert not coin().query("Coin").approximate
    plan = coin().explain("Coin", method="sampling")
    assert (plan.text, plan.method) == ("1000 samples", "sampling")
    assert plan.run().approximate  # whether the method itself says so or not
    assert copy.deepcopy(plan).run().approximate


@pytest.mark.usefixtures("sampling")
def test_a_method_takes_the_options_it_declares_and_no_others() -> None:
    with pytest.raises(lg.InputError, match="among given, do, exact, method, samples, got me"):
        coin().query("Coin", method="sampling", memory_limit=10**6)
    with pytest.raises(lg.InputError, match="expected a number of samples, got 'many'"):
        coin().query("Coin", method="sampling", samples="many")  # type: ignore[call-arg]
    with pytest.raises(lg.InputError, match="memory_limit, tolerance, search_seconds, got samples"):
        coin().query("Coin", samples=3)  # type: ignore[call-arg]


@pytest.mark.usefixtures("sampling")
def test_a_method_refuses_kinds_that_it_does_not_answer() -> None:
    with pytest.raises(lg.InputError, match=r"kind which sampling answers \(marginal\), got parti"):
        coin().partition(method="sampling")


def test_plans_of_all_methods_say_what_they_will_do() -> None:
    for method in ("lifted", "ground", "auto"):
        plan = datasets.epid(3).explain("Epid", method=method)
        assert isinstance(plan, Plan)
        assert plan.names == ["Epid"]
        assert plan.work > 0
        assert plan.peak_bytes > 0
        assert repr(plan) == plan.text
        assert plan.run().method == plan.method


@pytest.fixture
def weight_of_one_state() -> Iterator[None]:
    """A kind that only one method answers: the weight of the first state of a variable."""
    register_kind(Kind("weight of first state", "the weight of the first state of {}"))

    def plan_weight(model: Any, query: Query, given: Any, options: Mapping[str, Any]) -> Plan:
        return SamplingPlan(query, (1, 0), ("first", "second"), 1, "weighing")

    register_method(Method("weighing", plan_weight, kinds=("weight of first state",)))
    yield
    del METHODS["weighing"], kinds.KINDS["weight of first state"]


@pytest.mark.usefixtures("weight_of_one_state")
def test_a_kind_of_question_joins_from_outside() -> None:
    query = Query("weight of first state", ("Coin",))
    plan = methods.plan(coin(), query, method="weighing")
    assert plan.run() is not None
    assert kinds.title_of(query, plan.names) == "the weight of the first state of Coin"
    with pytest.raises(lg.InputError, match="expected at least one variable"):
        methods.plan(coin(), Query("weight of first state"), method="weighing")
    with pytest.raises(lg.InputError, match="kind which auto answers"):
        methods.plan(coin(), query)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(lg.InputError, match=r"kind of query \(marginal, .*\), got colour"):
        methods.plan(coin(), Query("colour"))


def test_a_question_from_outside_is_asked_of_every_model() -> None:
    def entropy(model: Any, variable: str, **options: Any) -> float:
        probabilities: list[float] = list(model.query(variable, **options).values())
        return -sum(p * math.log2(p) for p in probabilities if p)

    with pytest.raises(lg.InputError, match=r"expected a question \(.*query.*\), got entropy"):
        coin().ask("entropy", "Coin")
    answering.register(entropy=entropy)
    try:
        fair = lg.ParfactorGraph.of([lg.parfactor([lg.prv("Coin")], [1, 1])])
        assert fair.ask("entropy", "Coin") == 1.0
        assert coin().ask("entropy", "Coin", given={"Coin": "heads"}) == 0.0
    finally:
        del answering._ANSWERS["entropy"]


def test_a_question_that_was_interrupted_can_be_asked_again() -> None:
    program = """
import liftgraph as lg
from liftgraph.model import answering

class Interrupted(Exception): pass
loaders = list(answering._LOADERS)
def interrupted():
    raise Interrupted
answering._LOADERS.clear()
answering.answered_by(interrupted)
model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("Coin")], [1, 1])])
try:
    model.query("Coin")
except Interrupted:
    answering._LOADERS[:] = loaders
print(model.query("Coin")["true"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("0.5", "")


def test_many_threads_may_ask_first() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
import liftgraph as lg
model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("Coin")], [1, 1])])
with ThreadPoolExecutor(8) as threads:
    print({answer["true"] for answer in threads.map(model.query, ["Coin"] * 8)})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("{0.5}", "")


@pytest.mark.usefixtures("sampling")
def test_the_command_line_passes_only_options_that_were_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "coin.json")
    lg.write(coin(), path)
    assert main(["query", path, "Coin", "--method", "sampling"]) == 0
    assert "approximate (sampling)" in capsys.readouterr().out
    assert main(["query", path, "Coin", "--method", "sampling", "--tolerance", "0.1"]) == 2
    assert "got tolerance" in capsys.readouterr().err


@pytest.mark.parametrize("planned", [None, 7, Query("partition"), "partition"])
def test_only_plans_are_run(planned: Any) -> None:
    with pytest.raises(lg.InputError, match="expected a plan to carry out, got"):
        run(planned)


@pytest.mark.parametrize("lifted", [False, True])
def test_an_event_with_a_variable_in_two_states_is_refused(lifted: bool) -> None:
    builder = lg.FactorGraphBuilder()
    names = [f"V{index}" for index in range(10)]
    builder.add_variables(names)
    builder.add_factors(np.arange(10)[:, None], [3, 1])
    graph = builder.build()
    model = lg.lift(graph) if lifted else graph
    many = dict.fromkeys(names, "true")
    events: list[dict[Any, str]] = [{"V0": "true", 0: "false"}, {**many, 0: "false"}]
    for event in events:
        with pytest.raises(
            lg.InputError, match="expected one state for V0, got both true and false"
        ):
            model.probability(event)
    assert model.probability({"V0": "true", 0: "true"}, exact=True) == Fraction(3, 4)
    assert model.probability({**many, 0: "true"}, exact=True) == Fraction(3, 4) ** 10


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({0: 7}, "a state of V0, below 2, got 7"),
        ({0: -1}, "a state of V0, below 2, got -1"),
        ({0: "yes"}, "a state of V0 (true, false), got yes"),
        ({0: 1.0}, "a state of V0 (true, false), got 1.0"),
        ({0: 2**40}, "a state of V0, below 2, got"),
        ({9: 0}, "expected a variable, got 9"),
        ({-1: 0}, "expected a variable, got -1"),
        ({"V0": 0}, "a state of V0 (true, false), got 0"),
        ([0], "expected evidence as"),
    ],
)
def test_evidence_by_index_is_checked(evidence: Any, expected: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["V0", "V1"])
    builder.add_factor(["V0", "V1"], [1, 2, 3, 4])
    with pytest.raises(lg.InputError, match=re.escape(expected)):
        builder.build().observing(evidence)
    states: dict[Any, Any] = {0: np.int64(1)}
    assert builder.build().observing(states).evidence == {0: 1}


def test_the_method_torch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liftgraph.inference.ground.on_device.find_spec", lambda name: None)
    with pytest.raises(lg.InputError, match=r"needs torch: pip install 'liftgraph\[gpu\]'"):
        coin().query("Coin", method="torch")
