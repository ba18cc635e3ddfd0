"""Real instances of the UAI 2014 competition, where they are at hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.io import uai
from tests.io.test_uai import naive_read, same

SHARED = Path(__file__).parents[3] / "shared" / "data" / "uai2014"
INSTANCES = sorted(SHARED.glob("*.uai.gz"))

# Published logarithms (base 10) of the partition functions, evidence included.
PUBLISHED = {
    "Grids_11": (169.408, 3),
    "Promedus_24": (-5.86181, 5),
    "CSP_12": (16.4536, 4),
    "Pedigree_11": (-17.2155, 4),
    "Segmentation_12": (-10.2872, 4),
}


@pytest.mark.skipif(not INSTANCES, reason="the instances of the UAI 2014 competition are not here")
@pytest.mark.parametrize("name", PUBLISHED)
def test_log_z_of_competition_instances(name: str) -> None:
    model = SHARED / f"{name}.uai.gz"
    graph = uai.read_evidence(uai.read(model), SHARED / f"{name}.uai.evid")
    published, digits = PUBLISHED[name]
    assert round(graph.partition().log10_z, digits) == published


@pytest.mark.skipif(not INSTANCES, reason="the instances of the UAI 2014 competition are not here")
@pytest.mark.parametrize("path", INSTANCES, ids=lambda path: path.name)
def test_competition_instances_read_like_naively_and_back(path: Path, tmp_path: Path) -> None:
    graph = lg.read_graph(path)
    assert same(graph, *naive_read(gzip.decompress(path.read_bytes()).decode()))
    lg.write(graph, tmp_path / "copy.uai")
    assert lg.read(tmp_path / "copy.uai") == graph
