"""Data: predicting the rows of a table, relational data, blocks, and exact numbers."""

from __future__ import annotations

import blocks
import exact_numbers
import predicting
import relational
from ordinary_rows import Row, Section

PEOPLE = 500  # of the exact weight
LIMITS = {"first query": 1.5, "next query": 0.02, "all marginals": 5.0}  # seconds
FASTER = {"pyAgrum": 20, "pgmpy": 500}  # how many times as fast predicting must be, at least


def predictions() -> list[Section]:
    """All rows of a table at once, beside other libraries row by row."""
    result = predicting.measure()
    note = (
        f"{result.rows:,} distinct rows of alarm, half of the values missing in {result.patterns}"
        " patterns (with predict_probability, only the asked one); peers are scaled up from fewer"
        f" rows. To be at least {{}} times as fast."
    )
    return [
        Section(
            f"Predicting, beside {name}",
            [
                Row("all rows", peer.beside, peer.title, peer.seconds)
                for peer in result.peers
                if name in peer.title
            ],
            worst=1 / times,
            note=note.format(times),
        )
        for name, times in FASTER.items()
    ]


def relations() -> Section:
    """100,000 people with few friendships."""
    seconds = relational.times()
    rows = [Row(task, seconds[task], "a limit", limit) for task, limit in LIMITS.items()]
    note = "100,000 people, 60,000 friendships at random, 30 % observed."
    return Section("Relational data", rows, worst=1.0, note=note)


def observed_blocks() -> Section:
    """Blocks of which some members are observed."""
    graph = blocks.blocks()
    without, _ = blocks.question_seconds(graph, {})
    rows = []
    for count in blocks.OBSERVED[1:]:
        seconds, answer = blocks.question_seconds(graph, blocks.alike(count))
        task = f"{count} of 500 blocks observed, {answer.method}"
        rows.append(Row(task, seconds, "without observations", without))
    return Section("Evidence here and there", rows, note="Z, lifting included.")


def exactly() -> Section:
    """The exact weight of smokers beside a plain loop on FLINT's integers."""
    ours, loop = exact_numbers.compared(PEOPLE)
    row = Row(f"smokers, {PEOPLE} people, Z", ours, "a plain FLINT loop", loop)
    return Section("Exact numbers", [row], worst=1.5)
