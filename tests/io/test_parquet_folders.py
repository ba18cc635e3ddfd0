"""Folders of Parquet files are replaced as a whole, whoever reads them and whoever is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from pyarrow import parquet

import liftgraph as lg
from liftgraph import datasets
from liftgraph.io.parquet import layout

posix = pytest.mark.skipif(os.name != "posix", reason="modes, pipes and signals of POSIX")
OLD = datasets.epidemic().given({"Sick.alice": "true"})
NEW = datasets.epidemic().given({"Sick.bob": "false"})
THIRD = datasets.epidemic()
GRAPHS = [OLD, NEW, THIRD]
TABLES = ("edges", "evidence", "factors", "states", "tables", "variables")
FILES = sorted(["graph.json", *(f"{name}.parquet" for name in TABLES)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A graph on disk, alone in its folder."""
    lg.write(OLD, tmp_path / "model.fg.parquet")
    return tmp_path / "model.fg.parquet"


def template() -> lg.Template:
    """Of each person who is sick or not."""
    return lg.Template([lg.rule([lg.prv("Sick", lg.LogVar("P", lg.Domain("person")))], [1, 2])])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def generations(path: Path) -> set[bytes]:
    """What all files of a graph say of those that they belong to."""
    files = [file for file in path.rglob("*.parquet") if file.is_file()]
    listed = {parquet.read_metadata(file).metadata[b"liftgraph.generation"] for file in files}
    return {*listed, json.loads((path / "graph.json").read_text())["generation"].encode()}


def test_files_written_together_say_so_and_no_others_do(path: Path, tmp_path: Path) -> None:
    lg.write(OLD, tmp_path / "again.fg.parquet")
    first, second = generations(path), generations(tmp_path / "again.fg.parquet")
    assert len(first) == len(second) == 1
    assert first != second


def test_templates_write_such_files_too(tmp_path: Path) -> None:
    template().write(tmp_path / "m.fg.parquet", domains={"person": ["a", "b"]})
    assert len(generations(tmp_path / "m.fg.parquet")) == 1
    assert lg.read(tmp_path / "m.fg.parquet").variable_count == 2


@pytest.mark.parametrize("name", FILES)
def test_files_of_different_graphs_are_not_one_graph(name: str, path: Path, tmp_path: Path) -> None:
    lg.write(NEW, tmp_path / "other.fg.parquet")
    shutil.copy(tmp_path / "other.fg.parquet" / name, path / name)
    with pytest.raises(lg.InputError, match=r"written together .*: write the graph again"):
        lg.read(path)


@pytest.mark.parametrize("name", TABLES)
def test_files_of_other_programs_say_nothing(name: str, path: Path) -> None:
    table = parquet.read_table(path / f"{name}.parquet")
    parquet.write_table(table.replace_schema_metadata(), path / f"{name}.parquet")
    assert lg.read(path) == OLD


WRITER = """
import os, sys, time
import liftgraph as lg
from tests.io.test_parquet_folders import NEW, OLD, THIRD
while not os.path.exists(sys.argv[2]):
    for graph in (NEW, THIRD, OLD):
        lg.write(graph, sys.argv[1])
        time.sleep(0.02)
"""


def test_readers_find_one_graph_while_it_is_replaced(path: Path, tmp_path: Path) -> None:
    stop, end = tmp_path.with_suffix(".stop"), time.monotonic() + 30
    command = [sys.executable, "-c", WRITER, str(path), str(stop)]
    writers = [subprocess.Popen(command) for _ in range(2)]
    seen: list[lg.FactorGraph] = []
    try:
        while (len(seen) < 30 or len({*map(id, seen)}) < 3) and time.monotonic() < end:
            try:
                graph = lg.read_graph(path)
            except lg.InputError as error:  # the machine is so busy that no reading is in time
                assert "replaced 50 times" in str(error)
            else:
                assert graph in GRAPHS
                seen.append(GRAPHS[GRAPHS.index(graph)])
    finally:
        stop.touch()
        ended = [writer.wait() for writer in writers]
    assert ended == [0, 0]
    assert len({*map(id, seen)}) == 3
    assert [*path.parent.iterdir()] == [path]


# Ends like a process that the system kills, before or after the N-th call of a function.
KILLED = """
import ctypes, os, shutil, signal, sys
import liftgraph as lg
from tests.io.test_parquet_folders import NEW
module, name, left, exchanging = sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
if exchanging == "no":
    def refused(*_, **__):
        raise OSError
    ctypes.CDLL = refused
module = {"os": os, "shutil": shutil}[module]
original = getattr(module, name)
def called(*arguments, **options):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(*arguments, **options)
setattr(module, name, called)
lg.write(NEW, sys.argv[1])
"""


def killed(path: Path, call: str, left: int, exchanging: str = "yes") -> None:
    module, name = call.split(".")
    command = [sys.executable, "-c", KILLED, str(path), module, name, str(left), exchanging]
    assert subprocess.run(command, stderr=subprocess.PIPE).returncode == -signal.SIGKILL


@posix
@pytest.mark.parametrize(
    ("call", "left", "expected"),
    [
        ("os.mkdir", 1, OLD),
        ("os.fsync", 0, OLD),
        ("os.fsync", 6, OLD),
        ("shutil.rmtree", 0, NEW if sys.platform == "linux" else None),
    ],
)
def test_a_killed_writer_leaves_a_whole_graph_and_the_next_one_nothing(
    call: str, left: int, expected: lg.FactorGraph | None, path: Path
) -> None:
    killed(path, call, left)
    assert lg.read(path) == (expected or NEW)
    assert len([*path.parent.iterdir()]) == 2
    lg.write(THIRD, path)
    assert lg.read(path) == THIRD
    assert [*path.parent.iterdir()] == [path]


@posix
@pytest.mark.parametrize(("left", "expected"), [(0, OLD), (1, None), (2, NEW)])
def test_where_names_cannot_be_exchanged_the_next_writer_puts_the_old_graph_back(
    left: int, expected: lg.FactorGraph | None, path: Path
) -> None:
    killed(path, "os.rename", left, "no")
    if expected is None:  # it was killed between two names
        assert not path.exists()
        killed(path, "os.fsync", 0)  # the next one, having put back what was there
        expected = OLD
    assert lg.read(path) == expected
    lg.write(THIRD, path)
    assert lg.read(path) == THIRD
    assert [*path.parent.iterdir()] == [path]


@posix
def test_the_folder_of_a_living_writer_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached, go_on, original = Event(), Event(), os.fsync

    def wait(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", original)
        reached.set()
        go_on.wait(60)

    monkeypatch.setattr(os, "fsync", wait)
    slow = Thread(target=lg.write, args=(NEW, path))
    slow.start()
    reached.wait(60)
    lg.write(THIRD, path)
    assert lg.read(path) == THIRD
    assert len([*path.parent.iterdir()]) == 2
    go_on.set()
    slow.join()
    assert lg.read(path) == NEW
    assert [*path.parent.iterdir()] == [path]


@posix
def test_a_folder_and_its_files_keep_their_modes(path: Path) -> None:
    modes = {name: 0o600 | place for place, name in enumerate(FILES)}
    for name in FILES:
        (path / name).chmod(modes[name])
    path.chmod(0o700)
    lg.write(NEW, path)
    assert mode(path) == 0o700
    assert {file.name: mode(file) for file in path.iterdir()} == modes


@posix
def test_a_new_file_is_as_private_as_the_others(path: Path) -> None:
    lg.write(THIRD, path)
    for file in path.iterdir():
        file.chmod(0o600)
    lg.write(NEW, path)
    assert mode(path / "evidence.parquet") == 0o600


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_folder_has_the_mode_of_the_umask(tmp_path: Path, mask: int) -> None:
    earlier = os.umask(mask)
    try:
        lg.write(OLD, tmp_path / "new.fg.parquet")
    finally:
        os.umask(earlier)
    assert mode(tmp_path / "new.fg.parquet") == 0o777 & ~mask
    assert mode(tmp_path / "new.fg.parquet" / "edges.parquet") == 0o666 & ~mask


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="root may change owners")
def test_a_folder_and_its_files_keep_their_owners(path: Path) -> None:
    for place, file in enumerate([path, *sorted(path.iterdir())]):
        os.chown(file, 12345 + place, 54321)
    before = {file.name: file.stat().st_uid for file in [path, *path.iterdir()]}
    lg.write(NEW, path)
    assert {file.name: file.stat().st_uid for file in [path, *path.iterdir()]} == before
    assert {file.stat().st_gid for file in [path, *path.iterdir()]} == {54321}


READ_OR_WRITE = """
import sys
import liftgraph as lg
from tests.io.test_parquet_folders import NEW
try:
    lg.read(sys.argv[2]) if sys.argv[1] == "read" else lg.write(NEW, sys.argv[2])
except lg.InputError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("act", ["read", "write"])
@pytest.mark.parametrize("name", ["graph.json", "edges.parquet", "evidence.parquet"])
def test_pipes_are_refused_and_not_waited_for(act: str, name: str, path: Path) -> None:
    (path / name).unlink()
    os.mkfifo(path / name)
    command = [sys.executable, "-c", READ_OR_WRITE, act, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert "got a pipe" in done.stdout
    assert name in done.stdout


@posix
@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_pipes_among_tables_are_refused(kind: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"t{kind}")
    with pytest.raises(lg.InputError, match=r"evidence on Sick: .* expected a file, got a pipe"):
        template().write(tmp_path / "m.fg.parquet", evidence={"Sick": tmp_path / f"t{kind}"})


@posix
def test_a_protected_folder_is_not_replaced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(lg.InputError, match="cannot be written: Permission denied"):
        lg.write(NEW, path)
    assert lg.read(path) == OLD


def test_what_is_put_there_meanwhile_is_not_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_counts(folder: Path | str, counts: layout.Counts) -> None:
        layout.write_counts(folder, counts)
        (path / "notes.txt").write_text("keep")

    monkeypatch.setattr("liftgraph.io.parquet.writer.write_counts", write_counts)
    with pytest.raises(lg.InputError, match=r"got notes.txt in it"):
        lg.write(NEW, path)
    assert lg.read(path) == OLD
    assert (path / "notes.txt").read_text() == "keep"
