"""The command that draws samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

import liftgraph as lg
from liftgraph.cli import main

EPIDEMIC = lg.datasets.epidemic()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def test_samples_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["sample", "example:epidemic", "-n", "4", "--seed", "3"]
    assert main([*arguments, "--given", "Epid=true"]) == 0
    printed = rows(capsys.readouterr().out)
    expected = EPIDEMIC.sample(4, seed=3, given={"Epid": True})
    assert printed == expected.to_frame().to_dict("records")
    assert main([*arguments, "--given", "Epid=true", "--json", "--reproducible"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"samples": printed, "seed": 3, "method": expected.method}


def test_a_new_seed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "example:asia", "-n", "20"]) == 0
    captured = capsys.readouterr()
    seed = captured.err.split()[-1]
    assert main(["sample", "example:asia", "-n", "20", "--seed", seed]) == 0
    assert capsys.readouterr().out == captured.out


def test_samples_that_may_be_off_say_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, written = str(tmp_path / "near.json"), str(tmp_path / "samples.csv")
    lg.write(lg.datasets.perturbed(lg.datasets.epid(8).ground(), "0.01"), path)
    asked = ["sample", path, "--seed", "1", "--tolerance", "0.05", "--method", "lifted"]
    for arguments in (asked, [*asked, "-o", written]):
        assert main(arguments) == 0
        assert "note: log odds of samples may be off by up to" in capsys.readouterr().err
    assert main([*asked[:4], "--method", "ground"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".json"])
def test_samples_are_written(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"samples{suffix}"
    assert main(["sample", "example:asia", "-n", "30", "--seed", "1", "-o", str(path)]) == 0
    read = {".parquet": pd.read_parquet, ".json": pd.read_json}.get(suffix, pd.read_csv)
    expected = lg.datasets.asia().sample(30, seed=1).to_frame()
    assert read(path).to_dict("list") == expected.to_dict("list")


def test_relations_are_printed_and_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = tmp_path / "lifted.json"
    lg.write(EPIDEMIC.lift(), model)
    lifted = lg.read(model)
    for name in (str(model), "example:epidemic"):
        folder = tmp_path / f"tables {len(name)}"
        seeded = ["sample", name, "-n", "3", "--seed", "2"]
        assert main([*seeded, "--tables", "-o", str(folder)]) == 0
        for prv, table in lifted.sample(3, seed=2).tables().items():
            written = (folder / f"{prv}.csv").read_text()
            assert rows(written) == table.astype(str).to_dict("records")
            assert main([*seeded, "--table", prv]) == 0
            assert capsys.readouterr().out == written


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--tables"], "expected a folder to write to"),
        (["--table", "Sik"], "did you mean Sick?"),
        (["-o", "samples.txt"], "expected a name that ends in"),
        (["--seed", "-1"], "expected a non-negative integer"),
        (["-n", "many"], "expected a non-negative integer"),
        (["--given", "Sick.alic=true"], "did you mean Sick.alice?"),
        (["-n", "1000000000", "--memory", "1MB"], "ask for fewer samples"),
    ],
)
def test_what_is_refused(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sample", "example:epidemic", *arguments]) != 0
    assert problem in capsys.readouterr().err


def test_prvs_that_cannot_be_files_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    people = lg.LogVar("X", 2)
    lg.write(
        lg.ParfactorGraph.of([lg.parfactor([lg.prv("../out", people)], [1, 1])]),
        tmp_path / "model.json",
    )
    folder = tmp_path / "folder"
    arguments = ["sample", str(tmp_path / "model.json"), "--tables", "-o", str(folder)]
    assert main(arguments) == 2
    assert "can be names of files" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
