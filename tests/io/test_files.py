"""Files that are not what their names say."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, cast

import pytest

from liftgraph.errors import InputError, ParseError
from liftgraph.io import read, write
from liftgraph.model.ground.builder import FactorGraphBuilder


def test_packed_files_need_a_name_that_says_so(tmp_path: Path) -> None:
    for suffix in (".bif", ".xml", ".uai", ".json"):
        path = tmp_path / f"model{suffix}"
        path.write_bytes(gzip.compress(b"anything"))
        with pytest.raises(ParseError, match=r"expected text, got gzipped data without .gz"):
            read(path)


def test_models_and_names_of_files_are_told_apart(tmp_path: Path) -> None:
    graph: Any = FactorGraphBuilder().build()
    with pytest.raises(InputError, match=r"model.bif: expected a model to write, got 'graph'"):
        write(cast(Any, "graph"), tmp_path / "model.bif")
    for swapped in (lambda: write(cast(Any, "model.bif"), graph), lambda: read(graph)):
        with pytest.raises(InputError, match=r"expected the name of a file, got FactorGraph"):
            swapped()
