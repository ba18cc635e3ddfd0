"""Files are written as a whole, whoever writes beside."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from liftgraph.io.files import read_bytes, write_bytes


def test_a_file_has_its_own_content_when_another_thread_writes_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def interrupted(partial: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", replace)
        other = Thread(target=write_bytes, args=(tmp_path / "second", b"2"))
        other.start()
        other.join()
        return replace(partial, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    write_bytes(tmp_path / "first", b"1")
    assert read_bytes(tmp_path / "first") == b"1"
    assert read_bytes(tmp_path / "second") == b"2"
    assert len([*tmp_path.iterdir()]) == 2
