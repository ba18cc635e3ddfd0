"""Unknown options are refused in one line, with what was probably meant."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.model.answering import register
from liftgraph.model.elsewhere import HINTS
from liftgraph.model.questions import Options

X = lg.LogVar("X", 3)
LIFTED = lg.ParfactorGraph.of([lg.parfactor([lg.prv("Sick", X), lg.prv("Epid")], [3, 1, 1, 5])])
MODELS = [LIFTED, LIFTED.ground()]
SICK = {"Sick.1": "true"}
SICK_ROWS = {"Sick.1": ["true"]}

QUESTIONS: dict[str, Callable[..., object]] = {
    "query": lambda model, **options: model.query("Epid", **options),
    "count": lambda model, **options: model.query(lg.count("Sick"), **options),
    "probability": lambda model, **options: model.probability({"Epid": "true"}, **options),
    "marginals": lambda model, **options: model.marginals(**options),
    "partition": lambda model, **options: model.partition(**options),
    "mpe": lambda model, **options: model.mpe(**options),
    "explain": lambda model, **options: model.explain("Epid", **options),
    "predict": lambda model, **options: model.predict(SICK_ROWS, "Epid", **options),
}


@pytest.mark.parametrize("model", MODELS, ids=["lifted", "ground"])
@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_unknown_options_are_answered_with_what_was_meant(
    ask: Callable[..., object], model: object
) -> None:
    for name, value, hint in (
        ("evidence", SICK, "did you mean given="),
        ("evs", SICK, "did you mean given="),
        ("Given", SICK, "did you mean given="),
        ("mehtod", "ground", "did you mean method="),
        ("memory", 10**9, "did you mean memory_limit="),
        ("variables", ["Epid"], "variables come first"),
        ("virtual_evidence", [], "a likelihood is evidence"),
        ("nonsense", 1, "got nonsense$"),
    ):
        with pytest.raises(lg.InputError, match=hint) as caught:
            ask(model, **{name: value})
        assert f"got {name}" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_an_option_means_depends_on_the_question() -> None:
    graph = LIFTED.ground()
    assert len(graph.trade_off(["0"], variables=["Epid"])) == 1
    with pytest.raises(lg.InputError, match=r"did you mean variables=\?"):
        graph.trade_off(["0"], varaibles=["Epid"])  # type: ignore[call-arg]
    with pytest.raises(lg.InputError, match=r"did you mean ignore=\?"):
        graph.predict(SICK_ROWS, "Epid", ingore=[])  # type: ignore[call-overload]
    with pytest.raises(lg.InputError, match=r"did you mean given=\?"):
        graph.compile("Epid", evidence=["Sick.1"])  # type: ignore[call-arg]


def test_questions_that_are_added_refuse_unknown_options_too() -> None:
    def answer(model: lg.FactorGraph, *, depth: int = 1) -> int:
        return depth

    def of_any(model: lg.FactorGraph, **options: Any) -> dict[str, Any]:
        return options

    register(answer_for_a_test=answer, any_answer_for_a_test=of_any)
    graph = LIFTED.ground()
    assert graph.ask("answer_for_a_test", depth=3) == 3
    assert graph.ask("any_answer_for_a_test", whatever=1) == {"whatever": 1}
    with pytest.raises(lg.InputError, match=r"options among depth, got dpeth \(did you mean depth"):
        graph.ask("answer_for_a_test", dpeth=3)


def test_a_method_is_suggested() -> None:
    with pytest.raises(lg.InputError, match=r"got Lifted \(did you mean lifted\?\)$"):
        LIFTED.query("Epid", method="Lifted")


def test_options_of_dynamic_models_are_suggested() -> None:
    sick = lg.prv("Sick", X)
    step = lg.parfactor([sick, lg.after(sick)], [3, 1, 1, 3])
    model = lg.Dynamic([lg.parfactor([sick], [1, 2])], [step])
    with pytest.raises(lg.InputError, match=r"did you mean memory_limit=\?"):
        model.filter([None], lg.count("Sick"), memory_limt=10**6)


@pytest.mark.parametrize("model", MODELS, ids=["lifted", "ground"])
def test_a_plan_can_be_run(model: lg.FactorGraph | lg.ParfactorGraph) -> None:
    asked: list[tuple[Any, ...]] = [
        ("Epid",),
        ("Sick.2", "Epid"),
        (lg.count("Sick"),),
        ("Epid", lg.count("Sick")),
    ]
    for variables in asked:
        for method in ("lifted", "ground", "auto"):
            plan = model.explain(*variables, given=SICK, method=method)
            answer = plan.run()
            assert isinstance(answer, lg.Marginal)
            expected = model.query(*variables, given=SICK, method=method)
            assert answer.variables == expected.variables
            assert dict(answer) == dict(expected)
            assert str(plan) == plan.text
    total = model.explain(given=SICK).run()
    assert isinstance(total, lg.Partition)
    assert total.log_z == pytest.approx(model.partition(given=SICK).log_z)


@pytest.mark.parametrize("question", ["query", "probability", "marginals", "mpe", "map", "sample"])
def test_signatures_and_errors_name_all_options(question: str) -> None:
    method = getattr(lg.FactorGraph, question)
    named = {*Options.__annotations__, "given", "exact"}
    assert named <= {*signature(method).parameters}
    assert all(f"``{name}``" in method.__doc__ for name in Options.__annotations__)
    target: dict[str, list[Any]] = {
        "probability": [{"Epid": "true"}],
        "query": ["Epid"],
        "map": ["Epid"],
    }
    with pytest.raises(lg.InputError) as caught:
        getattr(LIFTED, question)(*target.get(question, []), nonsense=1)
    assert all(name in str(caught.value) for name in named - {"device"})


def test_names_of_other_libraries_say_what_they_are_called_here() -> None:
    """Whatever a hint suggests exists."""
    for model in MODELS:
        for name, hint in (("map_query", "map"), ("nodes", "variables"), ("get_cpds", "cpd")):
            with pytest.raises(AttributeError, match=f"has no attribute '{name}'; here, .*{hint}"):
                getattr(model, name)
        assert not hasattr(model, "nonsense")
        assert pickle.loads(pickle.dumps(model)) == copy.copy(model) == model
    with pytest.raises(AttributeError, match="here, use add_variable"):
        lg.FactorGraphBuilder().add_node  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="here, read reads"):
        lg.loadBN  # type: ignore[attr-defined]  # noqa: B018
    used = {"builder": lg.FactorGraphBuilder, "library": lg, "model": lg.FactorGraph}
    for owner, hints in HINTS.items():
        for name, hint in hints.items():
            assert owner == "library" or not hasattr(used[owner], name)
            for word in re.findall(r"liftgraph\.(\w+)", hint):
                assert hasattr(lg, word)
            for word in re.findall(r"(?<!\.)\b([a-z_]+)\(", hint):
                assert hasattr(used[owner], word) or hasattr(lg.FactorGraphBuilder, word)
    assert {*dir(lg)} == {*lg.__all__, "__version__"}
