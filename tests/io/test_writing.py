"""A file is replaced as a whole and keeps what is not its content, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from liftgraph.errors import InputError
from liftgraph.io import locks, writing
from liftgraph.io.writing import write_bytes
from tests.processes import run_ordinary

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and signals of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def umask(mask: int) -> Iterator[None]:
    earlier = os.umask(mask)
    try:
        yield
    finally:
        os.umask(earlier)


def in_between(
    monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[..., object], times: int = 1
) -> None:
    """Do something before each of the next calls of a function of ``os``."""
    original = getattr(os, name)
    left = [act] * times

    def called(*arguments: object) -> object:
        if left:
            left.pop()(*arguments)
        return original(*arguments)

    monkeypatch.setattr(os, name, called)


@posix
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o644, 0o666, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"old")
    path.chmod(kept)
    with umask(0o022):
        write_bytes(path, b"new")
    assert (mode(path), path.read_bytes()) == (kept, b"new")
    assert names(tmp_path) == ["model.json"]


@posix
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        write_bytes(tmp_path / "model.json", b"new")
    assert mode(tmp_path / "model.json") == 0o666 & ~mask


@posix
def test_a_partial_file_is_never_more_readable_than_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "model.json", list[int]()
    path.write_bytes(b"old")
    path.chmod(0o600)
    for name in ("fchmod", "write", "fsync"):
        in_between(monkeypatch, name, lambda *_: seen.extend(map(mode, tmp_path.iterdir())))
    with umask(0):
        write_bytes(path, b"new")
    assert set(seen) == {0o600}


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="root may change owners")
def test_a_replaced_file_keeps_its_owner_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    path.chmod(0o4640)
    try:
        os.setxattr(path, "user.origin", b"survey")
    except OSError:
        pytest.skip("the file system has no attributes")
    write_bytes(path, b"new")
    status = path.stat()
    assert (status.st_uid, status.st_gid, mode(path)) == (12345, 54321, 0o4640)
    assert os.getxattr(path, "user.origin") == b"survey"


@posix
def test_another_group_gets_no_more_than_everybody_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"old")
    path.chmod(0o664)
    earlier = list(path.stat())
    earlier[5] += 1  # the group of the file, as if it was not ours

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    monkeypatch.setattr(writing, "_is_plain", lambda *_: True)
    monkeypatch.setattr(writing, "_status", lambda _: os.stat_result(earlier))
    monkeypatch.setattr(writing, "is_named", lambda *_: True)
    write_bytes(path, b"new")
    assert mode(path) == 0o644


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "old.json").write_bytes(b"old")
    (here / "old.json").symlink_to("../there/old.json")
    (here / "dangling.json").symlink_to("../there/new.json")
    (here / "chain.json").symlink_to("dangling.json")
    write_bytes(here / "old.json", b"1")
    write_bytes(here / "chain.json", b"2")
    assert names(there) == ["new.json", "old.json"]
    assert all(path.is_symlink() for path in here.iterdir())
    assert [(there / name).read_bytes() for name in names(there)] == [b"2", b"1"]
    (here / "loop.json").symlink_to("loop.json")
    with pytest.raises(InputError, match=r"loop.json: cannot be written: Too many levels"):
        write_bytes(here / "loop.json", b"3")
    assert (here / "loop.json").is_symlink()


@posix
def test_other_names_of_a_file_keep_the_old_content(tmp_path: Path) -> None:
    path, other = tmp_path / "model.json", tmp_path / "backup.json"
    path.write_bytes(b"old")
    other.hardlink_to(path)
    write_bytes(path, b"new")
    assert (path.read_bytes(), other.read_bytes()) == (b"new", b"old")


@posix
def test_devices_and_pipes_are_written_into(tmp_path: Path) -> None:
    pipe, null, full = (tmp_path / name for name in ("pipe.json", "null.json", "full.json"))
    os.mkfifo(pipe)
    null.symlink_to("/dev/null")
    full.symlink_to("/dev/full")
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"1" * 200_000)
    reader.join()
    assert read == [b"1" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_bytes(null, b"2")
    assert stat.S_ISCHR(null.stat().st_mode)
    with pytest.raises(InputError, match=r"full.json: cannot be written: No space left"):
        write_bytes(full, b"3")
    with pytest.raises(InputError, match=r"cannot be written: Is a directory"):
        write_bytes(tmp_path, b"4")
    assert names(tmp_path) == ["full.json", "null.json", "pipe.json"]


@posix
@pytest.mark.parametrize("redirection", ["> out", ">> out", "| cat > out"])
def test_what_is_printed_and_what_is_written_follow_each_other(
    tmp_path: Path, redirection: str
) -> None:
    (tmp_path / "out").write_text("before ")
    (tmp_path / "model.json").symlink_to("/dev/stdout")
    code = (
        "from liftgraph.io.writing import write_bytes; print('1', end=' ', flush=True);"
        "write_bytes('model.json', b'2 '); print(3)"
    )
    command = f'"{sys.executable}" -c "{code}" {redirection}'
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    expected = "before 1 2 3\n" if ">>" in redirection else "1 2 3\n"
    assert (tmp_path / "out").read_text() == expected
    assert names(tmp_path) == ["model.json", "out"]


@posix
def test_write_protected_files_are_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    code = "from liftgraph.io.writing import write_bytes; write_bytes('model.json', b'new')"
    done = run_ordinary("-c", code, cwd=tmp_path)
    assert "model.json: cannot be written: Permission denied" in done.stderr
    assert path.read_bytes() == b"old"


def test_the_content_is_on_the_disk_before_the_name_and_then_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def synced(descriptor: int) -> None:
        status = os.fstat(descriptor)
        done.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")

    in_between(monkeypatch, "fsync", synced, times=2)
    in_between(monkeypatch, "replace", lambda *_: done.append("renamed"))
    write_bytes(tmp_path / "model.json", b"content")
    assert done == ["7 bytes", "renamed"] + ["folder"] * hasattr(os, "O_DIRECTORY")


def test_a_failed_write_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("write", "fsync", "replace"):
        for failure in (full, stopped):
            with monkeypatch.context() as patched:
                in_between(patched, name, failure)
                with pytest.raises((InputError, KeyboardInterrupt)):
                    write_bytes(path, b"new")
            assert (path.read_bytes(), names(tmp_path)) == (b"old", ["model.json"])


# Ends like a process that the system kills, in the middle of writing.
KILLED = """
import os, signal, sys
from liftgraph.io.writing import write_bytes
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
write_bytes(sys.argv[1], b"killed")
"""


@posix
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    killed = [subprocess.run([sys.executable, "-c", KILLED, path]).returncode for _ in range(2)]
    assert killed == [-signal.SIGKILL] * 2
    assert len(names(tmp_path)) == 1  # the second removed that of the first
    write_bytes(tmp_path / "other.json", b"other")
    assert len(names(tmp_path)) == 2  # it may be needed by somebody: only its own target knows
    write_bytes(path, b"new")
    assert names(tmp_path) == ["model.json", "other.json"]


def test_a_living_writer_keeps_its_partial_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, reached, go_on = tmp_path / "model.json", Event(), Event()
    slow = Thread(target=write_bytes, args=(path, b"slow"))

    def wait(_: int) -> None:
        reached.set()
        go_on.wait(60)

    in_between(monkeypatch, "fsync", wait)
    slow.start()
    reached.wait(60)
    for content in (b"1", b"2"):
        write_bytes(path, content)
        assert path.read_bytes() == content
        assert len(names(tmp_path)) == 2
    go_on.set()
    slow.join()
    assert (path.read_bytes(), names(tmp_path)) == (b"slow", ["model.json"])


def test_a_name_taken_before_it_was_locked_is_left_to_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer comes between creating the partial file and locking it."""
    path = tmp_path / "model.json"
    calls: list[int] = []

    def lock(descriptor: int) -> bool | None:
        calls.append(descriptor)
        if len(calls) == 1:
            write_bytes(path, b"other")
        return locks.lock(descriptor)

    monkeypatch.setattr(writing, "lock", lock)
    write_bytes(path, b"ours")
    assert (path.read_bytes(), names(tmp_path)) == (b"ours", ["model.json"])


MANY = """
import sys
from liftgraph.io.writing import write_bytes
for _ in range(int(sys.argv[3])):
    write_bytes(sys.argv[1], sys.argv[2].encode() * 10_000)
"""


def test_many_processes_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    command = [sys.executable, "-c", MANY, str(path)]
    writers = [subprocess.Popen([*command, letter, "30"]) for letter in "abc"]
    threads = [Thread(target=write_bytes, args=(path, b"d" * 10_000)) for _ in range(20)]
    for thread in threads:
        thread.start()
    while any(writer.poll() is None for writer in writers):
        content = path.read_bytes() if path.exists() else b"d" * 10_000
        assert len(content) == 10_000
        assert len(set(content)) == 1
    for thread in threads:
        thread.join()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert names(tmp_path) == ["model.json"]


def test_a_partial_file_that_was_renamed_meanwhile_is_not_taken_for_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    partial = Path(next(writing.partial_names(str(path))))
    partial.write_bytes(b"first")
    lock = locks.lock

    def lock_late(descriptor: int) -> bool | None:
        partial.replace(path)
        partial.write_bytes(b"second")
        return lock(descriptor)

    monkeypatch.setattr(writing, "lock", lock_late)
    writing.remove_if_left_behind(str(partial), str(path))
    assert (path.read_bytes(), partial.read_bytes()) == (b"first", b"second")


@pytest.mark.parametrize("name", ["m" * 250 + ".json", "ü" * 125 + ".json", "a\nb.json"])
def test_names_may_be_as_long_as_the_system_permits(tmp_path: Path, name: str) -> None:
    write_bytes(tmp_path / name, b"new")
    assert names(tmp_path) == [name]


def test_without_locks_only_old_partial_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    path = tmp_path / "model.json"
    partial = Path(next(writing.partial_names(str(path))))
    partial.write_bytes(b"of another, or left behind")
    write_bytes(path, b"1")
    assert names(tmp_path) == [partial.name, "model.json"]
    two_days_ago = time.time() - 2 * 24 * 60 * 60
    os.utime(partial, (two_days_ago, two_days_ago))
    write_bytes(path, b"2")
    assert (path.read_bytes(), names(tmp_path)) == (b"2", ["model.json"])


# As on Windows: no calls of POSIX, and only closed files can be renamed and removed.
WINDOWS = """
import os, sys
for name in ("fchown", "fchmod", "chown", "listxattr", "setxattr", "getxattr", "removexattr",
             "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "geteuid", "getuid", "fork", "mkfifo"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
from pathlib import Path
from liftgraph.io import writing
writing._POSIX = False
opened, opening, closing, replacing = set(), os.open, os.close, os.replace
def open_(path, *rest):
    descriptor = opening(path, *rest)
    opened.add(descriptor)
    return descriptor
def close(descriptor):
    opened.discard(descriptor)
    closing(descriptor)
def replace(source, target):
    assert not opened
    replacing(source, target)
os.open, os.close, os.replace = open_, close, replace
import liftgraph as lg
graph = lg.datasets.epid(2).ground()
for _ in range(2):
    lg.write(graph, "model.json")
lg.draw(graph).save("model.svg")
assert lg.read("model.json") == graph
try:
    writing.write_bytes("missing/model.json", b"")
except lg.InputError as error:
    print(error)
print(*sorted(path.name for path in Path().iterdir()))
"""


def test_nothing_that_only_posix_has_is_needed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WINDOWS], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    problem = "missing/model.json: cannot be written: No such file or directory"
    assert done.stdout.splitlines() == [problem, "model.json model.svg"]


def test_windows_locks_a_byte_that_nobody_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[tuple[int, int]] = []

    class Windows:
        LK_NBLCK = 2

        @staticmethod
        def locking(descriptor: int, mode: int, count: int) -> None:
            if held:
                raise PermissionError
            held.append((os.lseek(descriptor, 0, os.SEEK_CUR), count))

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", Windows)
    with (tmp_path / "journal").open("wb") as stream:
        assert locks.lock(stream.fileno()) is True
        assert locks.lock(stream.fileno()) is False
        stream.write(b"content")
    assert (tmp_path / "journal").read_bytes() == b"content"
    assert held == [(2**30, 1)]
