"""Damaged files: a model or an error in one line, soon; and what is read can be written again."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import category

import liftgraph as lg
from liftgraph.io.formats import format_of
from liftgraph.io.uai import read_evidence
from tests.soak.area import Area, Case, WrongError, expect
from tests.soak.asking import QUESTIONS, answer_of
from tests.soak.damaging import damaged, damaged_bytes, damaged_document
from tests.soak.files import (
    EVIDENCE,
    SUFFIXES,
    binary_variables,
    few_assignments,
    temporary_folder,
    text_of,
    valid_text,
)
from tests.soak.models import graph_of, permuted_graph, symmetric_graph

LONGEST = 300  # characters of a message
GRAPHS = [symmetric_graph, permuted_graph, permuted_graph]
FEW = 2000  # variables and factors of a model that is written again in all formats


def _draw(random: Random) -> Case:
    """Text, packed text, or packed bytes that are damaged themselves; as Latin-1, one byte each."""
    suffix = random.choice([*SUFFIXES, EVIDENCE])
    text = valid_text(random, suffix)
    how = random.choice(["text", "text", "text", "text", "packed", "damaged package"])
    if how == "damaged package":
        content = damaged_bytes(random, gzip.compress(text.encode(), mtime=0))
        return {"suffix": f"{suffix}.gz", "pack": False, "bytes": content.decode("latin-1")}
    content = damaged(random, text).encode("utf-8", "surrogatepass")
    packed = how == "packed"
    return {
        "suffix": f"{suffix}.gz" if packed else suffix,
        "pack": packed,
        "bytes": content.decode("latin-1"),
    }


def _draw_document(random: Random) -> Case:
    """A JSON document with entries that do not belong together; most are of lifted models."""
    if random.random() < 0.3:
        text = valid_text(random, ".json")
    else:
        text = text_of(lg.lift(graph_of(random.choice(GRAPHS)(random))), ".json")
    return {"suffix": ".json", "pack": False, "bytes": damaged_document(random, text)}


def _check(case: Case) -> None:
    content = case["bytes"].encode("latin-1")
    with temporary_folder() as folder:
        path = folder / f"m{case['suffix']}"
        path.write_bytes(gzip.compress(content) if case["pack"] else content)
        if EVIDENCE in case["suffix"]:
            _unless_refused(lambda: read_evidence(binary_variables(8), path))
            return
        model = _unless_refused(lambda: lg.read(path))
        if model is not None:
            _check_methods(model)
            write_in_all_formats(model, folder)


def is_one_line(message: str) -> bool:
    """Whether a message is a line of text, without characters that control a terminal."""
    controls = [letter for letter in message if category(letter) == "Cc"]
    return not controls and len(message.splitlines()) == 1


def _unless_refused(call: Callable[[], Any]) -> Any:
    """What a call returns, or None after an error that says what is wrong in one short line."""
    try:
        return call()
    except lg.LiftgraphError as error:
        message = str(error)
        expect(is_one_line(message), f"a message that is not one line: {message!r}")
        length = f"{message[:80]!r}… ({len(message)} characters)"
        expect(len(message) <= LONGEST, f"a long message: {length}")
        return None


def _check_methods(model: Any) -> None:
    """Whatever was read is one model: lifted and ground answers are equal, name by name.

    Where tables are only near each other, names are.
    """
    if isinstance(model, lg.ParfactorGraph) and few_assignments(model):
        twin = model.ground()
        names = [model.name(model.locate(number)) for number in range(model.variable_count)]
        ground = sorted(twin.name(variable) for variable in range(twin.variable_count))
        expect(sorted(names) == ground, f"names {names}, grounded {ground}")
        for question in () if model.log_odds_bound else QUESTIONS[2:]:
            found, right = (
                answer_of(model, question, "lifted"),
                answer_of(twin, question, "ground"),
            )
            expect(found == right, f"{question} of what was read: lifted and ground answers differ")


def write_in_all_formats(model: Any, folder: Path) -> None:
    """What is written in any format is read back as it was."""
    ground = isinstance(model, lg.FactorGraph)
    if ground and max(model.variable_count, model.factor_count) > FEW:
        return
    for suffix in SUFFIXES:
        try:
            _write_in(model, folder / f"again{suffix}")
        except WrongError as wrong:
            raise WrongError(f"written as {suffix}, {wrong}") from None


def _write_in(model: Any, path: Path) -> None:
    _unless_refused(lambda: lg.write(model, path))
    if not path.exists():
        return
    try:
        again = lg.read(path)
    except lg.LiftgraphError as error:
        raise WrongError(f"cannot be read back: {error}") from None
    if path.suffix == ".json":
        expect(again == model, "read back as another model")
        return
    lg.write(again, path)
    expect(lg.read(path) == again, "written and read twice, is another model")
    if isinstance(model, lg.ParfactorGraph) and model.log_odds_bound:
        notes = "; ".join(format_of(path).losses(model))
        expect("no log odds change by more than" in notes, "tables differ, and no note says so")
        model = replace(model, origin=None)  # each factor has the table of its parfactor
    if few_assignments(model) and few_assignments(again):
        expect(_weight(model) == _weight(again), "read back with another weight")


def _weight(model: Any) -> Any:
    graph = model if isinstance(model, lg.FactorGraph) else model.ground()
    try:
        return graph.partition(exact=True, method="ground").z
    except lg.ZeroWeightError:
        return 0


def _smaller(case: Case) -> Iterator[Case]:
    """The same file without some of its characters: first many, then few."""
    text = case["bytes"]
    length = len(text) // 2
    while length:
        for start in range(0, len(text), length):
            yield {**case, "bytes": text[:start] + text[start + length :]}
        length //= 2


AREAS = (
    Area("damage", _draw, _check, _smaller, seconds=20, memory=2**30),
    Area("documents", _draw_document, _check, seconds=20, memory=2**30),
)
