"""Put the results of a run into the report: tables, figures, and versions and machine.

    liftgraph experiment paper sizes floats tolerance treewidth -o DIR
    python experiments/publish.py DIR

The tables of docs/experiments.md are replaced, its figures go to docs/figures, and the rows behind
both to experiments/results.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

from liftgraph.experiments import STUDIES
from liftgraph.io.writing import write_bytes

ROOT = Path(__file__).parent.parent
REPORT = ROOT / "docs" / "experiments.md"


def replaced(name: str, content: str, text: str) -> str:
    """The report with other content between the marks of this name."""
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", flags=re.DOTALL)
    if not block.search(text):
        sys.exit(f"{REPORT.name}: expected <!-- {name} --> and <!-- end of {name} -->")
    return block.sub(lambda match: f"{match[1]}{content}\n{match[2]}", text)


def measured_with(journal: Path) -> str:
    """A sentence about versions and machine, from the first line of a journal."""
    with journal.open(encoding="utf-8") as stream:
        header = json.loads(stream.readline())
    versions = (f"{name} {header[name.lower()]}" for name in ("liftgraph", "Python", "NumPy"))
    return f"Measured with {', '.join(versions)} on: {header['machine']}."


def publish(study: str, folder: Path, text: str) -> str:
    """The report with a study's table; the study's rows and figures are copied to their places."""
    shutil.copy(folder / "results.csv", ROOT / "experiments" / "results" / f"{study}.csv")
    for name in STUDIES[study].figures:
        shutil.copy(folder / f"{name}.svg", ROOT / "docs" / "figures" / f"{name}.svg")
    table = (folder / "summary.md").read_text(encoding="utf-8").strip()
    return replaced(study, f"\n{table}\n", text)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python experiments/publish.py DIR")
    folder = Path(sys.argv[1])
    text = REPORT.read_text(encoding="utf-8")
    sentence = measured_with(folder / "paper" / "journal.jsonl")
    text = replaced("machine", sentence, text)
    for study in STUDIES:
        text = publish(study, folder / study, text)
    write_bytes(REPORT, text.encode())


if __name__ == "__main__":
    main()
