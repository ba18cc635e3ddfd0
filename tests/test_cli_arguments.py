"""How arguments are read: in any order, nothing swallowed, and what was meant is suggested."""

from __future__ import annotations

import argparse
import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.cli.parser import make_parser, one_event_each

EXAMPLE = str(Path(__file__).parent.parent / "src/liftgraph/datasets/epidemic.json")
GIVEN = ["--given", "Epid=true", "Travel.bob=false"]


def printed(arguments: list[str], status: int = 0) -> str:
    """What a command prints: its output if it is meant to succeed, else its error."""
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as error:
        assert main(arguments) == status, error.getvalue()
    return error.getvalue() if status else output.getvalue()


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of all commands."""
    parser = make_parser()
    assert parser._subparsers is not None
    (action,) = parser._subparsers._group_actions
    assert isinstance(action.choices, dict)
    return action.choices


# Of each command: its other arguments, in their order, and options with their values.
ORDERS: dict[str, tuple[list[str], list[list[str]]]] = {
    "info": ([EXAMPLE], [["--json"], ["--memory", "1GB"], ["--input-format", "json"]]),
    "query": ([EXAMPLE, "Sick.alice", "Sick.bob"], [GIVEN, ["--exact"], ["--method", "ground"]]),
    "marginals": ([EXAMPLE, "Sick.bob", "Epid"], [GIVEN, ["--format", "json"], ["--reproducible"]]),
    "logz": ([EXAMPLE], [GIVEN, ["--method", "lifted"], ["--exact"]]),
    "mpe": ([EXAMPLE], [GIVEN, ["--format", "uai"]]),
    "map": ([EXAMPLE, "Sick.alice", "Epid"], [GIVEN, ["--query", "file.query"], ["--exact"]]),
    "sample": ([EXAMPLE], [["-n", "3"], ["--seed", "1"], GIVEN, ["--table", "Sick"]]),
    "lift": ([EXAMPLE], [GIVEN, ["--reproducible"], ["--algorithm", "acp"], ["--rounds"]]),
    "predict": ([EXAMPLE, "rows.csv", "Sick.bob", "Epid"], [GIVEN[:2], ["--ignore", "date"]]),
    "likelihood": ([EXAMPLE, "rows.csv"], [GIVEN[:2], ["--counts", "n"], ["--ignore", "date"]]),
    "convert": ([EXAMPLE, "out.json"], [["--json"], ["--round"]]),
    "learn": ([EXAMPLE, "all.csv", "all.csv"], [["-o", "out.json"], ["--prior", "1"]]),
    "draw": ([EXAMPLE, "Sick.alice"], [["-o", "out.svg"], ["--what", "plan"], GIVEN]),
    "trade-off": ([EXAMPLE, "Epid", "Sick.bob"], [["--tolerances", "0,0.1"], ["--json"], GIVEN]),
    "experiment": (["tolerance", "floats"], [["--quick"], ["-o", "out"], ["--seed", "3"]]),
    "completion": (["bash"], []),
    "demo": ([], []),
}


def test_every_command_is_tried_in_other_orders() -> None:
    assert set(ORDERS) == set(commands())


@pytest.mark.parametrize("command", ORDERS)
@settings(max_examples=20)
@given(data=st.data())
def test_arguments_of_every_command_come_in_any_order(command: str, data: Any) -> None:
    """Options stand anywhere between the other arguments, and mean the same."""
    others, options = ORDERS[command]
    usual = [command, *others, *(word for option in options for word in option)]
    shuffled: list[list[str]] = data.draw(st.permutations(options))
    places = data.draw(st.lists(st.integers(0, len(others)), min_size=9, max_size=9))
    mixed = [command]
    for index in range(len(others) + 1):
        for option, place in zip(shuffled, places, strict=False):
            mixed += option if place == index else []
        mixed += others[index : index + 1]
    expected = vars(make_parser().parse_args(one_event_each(usual)))
    assert vars(make_parser().parse_args(one_event_each(mixed))) == expected


def test_options_stand_before_variables_of_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    asked = [EXAMPLE, "--what", "plan", "Sick.alice", "-o", str(tmp_path / "plan.svg")]
    assert "P(Sick.alice)" in printed(["draw", *asked])


def test_options_stand_before_variables() -> None:
    tried = ["trade-off", EXAMPLE, "--json", "--tolerances", "0.1", "--tolerances=0,1/5", "Epid"]
    answer = json.loads(printed(tried))
    assert answer["tolerance"] == ["0", "0.1", "0.2"]
    assert None not in answer["error"]
    error = printed(["query", EXAMPLE, "--exact", "--", "Epid", "--json"], 2)
    assert "expected a variable, got '--json'" in error
    for after in (["--", "Epid", "Sick.bob"], ["--exact", "--", "Epid", "Sick.bob"]):
        assert printed(["query", EXAMPLE, *after]).startswith("P(Epid, Sick.bob)")


def test_an_event_that_may_be_a_variable_is_refused(tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("a", ["b", "c"])
    builder.add_variable("a=b", ["x", "y"])
    builder.add_factor(["a", "a=b"], [[1, 3], [2, 2]])
    model = str(tmp_path / "model.json")
    lg.write(builder.build(), model)
    problem = "a=b is a variable, but stands where events do"
    assert problem in printed(["query", model, "a", "--given", "a=c", "a=b"], 2)
    asked = ["query", model, "a=b", "--json", "--given", "a=b"]
    assert json.loads(printed(asked))["probabilities"] == pytest.approx([0.25, 0.75])


@settings(max_examples=50)
@given(st.data())
def test_a_misspelt_option_is_answered_with_what_was_meant(data: Any) -> None:
    command = data.draw(st.sampled_from(sorted(commands())))
    names = [
        name
        for action in commands()[command]._actions
        for name in action.option_strings
        if action.help != argparse.SUPPRESS and len(name) > 5
    ]
    name = data.draw(st.sampled_from(names))
    place = data.draw(st.integers(3, len(name) - 2))
    misspelt = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    assume(not any(other.startswith(misspelt) for other in names))
    others, options = ORDERS[command]
    error = printed(
        [command, *others, *(word for option in options for word in option), misspelt], 2
    )
    expected = rf"unknown option {misspelt} \(did you mean --[\w-]+\? liftgraph {command} --help"
    assert re.search(expected, error)
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["qurey", EXAMPLE], "query"),
        (["Info", EXAMPLE], "info"),
        (["--versoin"], "--version"),
        (["--versoin", "info", EXAMPLE], "--version"),
        (["query", EXAMPLE, "Epid", "--method", "lifed"], "lifted"),
        (["query", EXAMPLE, "Epid", "--Json"], "--json"),
        (["draw", EXAMPLE, "-o", "x.svg", "--what", "grph"], "graph"),
        (["lift", EXAMPLE, "--algorithm", "alpha-cap"], "alpha-acp"),
        (["lift", EXAMPLE, "--engine", "compild"], "compiled"),
        (["mpe", EXAMPLE, "--format", "tabel"], "table"),
        (["info", "x", "--input-format", "bfi"], "bif"),
        (["info", "model.jsno"], ".json"),
        (["experiment", "toleranc"], "tolerance"),
        (["completion", "bsh"], "bash"),
    ],
)
def test_what_was_meant_is_suggested(arguments: list[str], meant: str) -> None:
    error = printed(arguments, 2)
    assert f"(did you mean {meant}?" in error
    assert error.count("\n") == 1


def test_the_command_alone_shows_its_help_and_fails() -> None:
    assert printed([], 2) == make_parser().format_help()


@pytest.mark.parametrize("command", ["query", "marginals", "logz", "mpe", "lift"])
def test_reproducible_runs_print_the_same(command: str) -> None:
    asked = [command, EXAMPLE, *(["Epid"] if command == "query" else []), "--reproducible"]
    for more in ([], ["--json"]):
        assert printed([*asked, *more]) == printed([*asked, *more])
        assert "seconds" not in printed([*asked, *more])
    assert "seconds" in json.loads(printed([*asked[:-1], "--json"]))


def test_marginals_of_some_variables() -> None:
    every = json.loads(printed(["marginals", EXAMPLE, "--json", "--exact", *GIVEN]))
    some = json.loads(
        printed(["marginals", EXAMPLE, "Sick.bob", "Epid", "--json", "--exact", *GIVEN])
    )
    for key in ("marginals", "exact", "states"):
        assert some[key] == {name: every[key][name] for name in ("Sick.bob", "Epid")}
        assert list(some[key]) == ["Sick.bob", "Epid"]
    assert some["log_z"] == every["log_z"]
    for wrong, problem in (
        (["Sick.bobb"], "did you mean Sick.bob?"),
        (["Epid", "Epid"], "expected distinct variables"),
        (["Epid", "--format", "uai"], "the UAI format has the marginals of all variables"),
    ):
        assert problem in printed(["marginals", EXAMPLE, *wrong], 2)
