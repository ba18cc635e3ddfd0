"""Reading takes at most the memory it is allowed, and says before what it would need.

Limits are compared with what tracemalloc measures: a limit just below that must be refused, and a
few times as much must be enough.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.data.csv_tables import read_csv
from liftgraph.io import uai
from tests.io.test_foreign_networks import WRITERS, ordered, spelt

MIB = 2**20
SMALLEST = 2 * MIB  # files below this need relatively more, for buffers
LOOSE = 8  # times as much as is used is always enough


def peak_of(action: Callable[[], object]) -> int:
    """The most memory that was in use at once, above that at the start."""
    tracemalloc.start()
    try:
        result = action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        del result


def decimals(count: int, seed: int = 0) -> list[str]:
    generator = random.Random(seed)
    return [f"0.{generator.randrange(1, 10**6):06}" for _ in range(count)]


def ring(factors: int, numerals: list[str]) -> str:
    scopes = "\n".join(f"2 {index} {(index + 1) % factors}" for index in range(factors))
    tables = "\n".join(f"4 {' '.join(numerals[4 * f : 4 * f + 4])}" for f in range(factors))
    return f"MARKOV\n{factors}\n{'2 ' * factors}\n{factors}\n{scopes}\n{tables}\n"


def network(variables: int) -> lg.FactorGraph:
    """A chain whose distributions all differ."""
    builder = lg.FactorGraphBuilder()
    for variable in range(variables):
        builder.add_variable(f"V {variable}", ["yes", "no"])
        rows = [[d, f"{1 - float(d):.6f}"] for d in decimals(2 if variable else 1, variable)]
        scope = [variable - 1, variable] if variable else [0]
        builder.add_factor(scope, rows if variable else rows[0])
    return builder.build()


def lifted(individuals: int) -> lg.ParfactorGraph:
    people = lg.LogVar("P", [f"p{index}" for index in range(individuals)])
    sick, travel = lg.prv("Sick", people), lg.prv("Travel", people)
    return lg.ParfactorGraph.of([lg.parfactor([sick, travel], [1, 2, 3, 4])])


CHAIN = ordered(network(300), [*range(300)])
TEXTS = {
    **{f"chain{suffix}": spelt(CHAIN, suffix) for suffix in WRITERS},
    "fields.dne": "bnet x {" + "a = 1;" * 20_000 + "};",
    "constants.dne": "bnet x {"
    + "".join(f"node n{n} {{ kind = CONSTANT; }};" for n in range(2000))
    + "};",
    "blocks.dsl": "net x { a = " + "{" * 20_000 + "}" * 20_000 + "; };",
    "states.dsl": "net x { node a { TYPE = CPT; DEFINITION = { NAMESTATES = ("
    + ", ".join(f"s{n:x}" for n in range(15_000))
    + f"); PROBABILITIES = (1{', 0' * 14_999}); }}; }}; }};",
    "states.dsc": "belief network x node V { type : discrete [ 15000 ] = { "
    + " ".join(f"s{n:x}" for n in range(15_000))
    + f"}}; }} probability ( V ) {{ 1 {'0 ' * 14_999}; }}",
    "bare.erg": f"3000 {'2 ' * 3000} {'0 ' * 3000} /* Probabilities */ {'2 .5 .5 ' * 3000}",
    "distinct.uai": ring(4000, decimals(16_000)),
    "integers.uai": ring(8000, ["1", "2", "3", "4"] * 8000),
    "fractions.uai": ring(500, [f"{n}/7" for n in range(2000)]),
    "exponents.uai": ring(50, [f"{10**20 + n}e-3960" for n in range(200)]),
    "long.uai": ring(400, [str(10**40 + n) for n in range(1600)]),
    "spaces.uai": "MARKOV 0 0" + " " * 10**6,
    "marks.uai": "MARKOV 0 0" + "#" * 10**5,
    "comments.uai": "MARKOV 0 0" + "#\n" * 2 * 10**4,
    "states.uai": f"MARKOV 9 {' '.join(str(9000 + n) for n in range(9))} 0",
    "sparse.fg": "1\n2\n0 1\n512 512\n0\n",
    "states.fg": "3\n1 0 50000 0\n1 1 50001 0\n1 2 50002 0",
    "empty.fg": f"3000\n{'0 1 0 1 ' * 3000}",
    "comments.bif": "network x {}" + "//\n" * 15_000,
    "quotes.bif": "network x { property " + '""' * 20_000 + "; } //",
    "wide.bif": "network x {}//\U0001f600" + "x" * 10**6,
    "name.bif": "network x { property " + "a" * 10**6 + "; }",
    "states.bif": "network x {} variable V { type discrete [ 15000 ] {"
    + " ".join(f"s{n:x}" for n in range(15_000))
    + "}; } probability ( V ) { default 1 "
    + "0 " * 14_999
    + ";}",
    "default.bif": "network x {}"
    + "".join(
        f"variable {name} {{ type discrete [ 50 ] {{ {' '.join(f's{n}' for n in range(50))} }}; }}"
        for name in "abc"
    )
    + "".join(
        f"probability ({head}) {{ default 1 {'0 ' * 49}; }}" for head in ("a", "b", "c | a b")
    ),
    "rounded.bif": "network x {} variable V { type discrete [ 20000 ] {"
    + " ".join(f"s{n:x}" for n in range(20_000))
    + "}; } probability ( V ) { default "
    + "0.0000499 " * 20_000
    + ";}",
    "attributes.net": f"net {{ {' '.join(f'a{n}=1;' for n in range(5000))} }}",
    "attributes.xml": "<BIF><NETWORK><PROPERTY "
    + " ".join(f'a{n}=""' for n in range(15_000))
    + "></PROPERTY></NETWORK></BIF>",
    "text.xml": f"<BIF><NETWORK><NAME>{'x' * 10**6}</NAME></NETWORK></BIF>",
    "lines.xml": "<BIF><NETWORK><NAME>" + "x\n" * 20_000 + "</NAME></NETWORK></BIF>",
    "nested.xdsl": "<smile><nodes/><extensions>"
    + "<a>" * 5000
    + "</a>" * 5000
    + "</extensions></smile>",
    "results.xdsl": '<smile><nodes><cpt id="a">'
    + "".join(f'<state id="s{n}"/>' for n in range(3000))
    + f"<probabilities>1 {'0 ' * 2999}</probabilities></cpt>"
    + '<deterministic id="b"><state id="x"/><parents>a</parents>'
    + f"<resultingstates>{'x ' * 3000}</resultingstates></deterministic></nodes></smile>",
    "named.blog": "type D; guaranteed D p[20000]; random Boolean A(D); obs A(X) = true;",
    "states.blog": "type D; guaranteed D [20000]; random D A; random D B;",
    "named.individuals.blog": "type D; guaranteed D p[3000]; random Boolean A(D);"
    + "parfactor D X : X != p1 . MultiArrayPotential[[1, 2]] (A(X));",
    "counted.individuals.blog": "type D; guaranteed D p[600]; random Boolean A(D);"
    + f"factor MultiArrayPotential[[{'1, ' * 599} 1]] (#(D X : X != p1)[A(X)]);",
    "statements.blog": "".join(f"random Boolean A{n};" for n in range(1000)),
    "table.blog": "type D; guaranteed D [3000]; random D A; factor MultiArrayPotential[["
    + ", ".join(decimals(3000))
    + "]] (A);",
    "spaces.json": json.dumps(
        {"format": "liftgraph factor graph", "version": 1}
        | {"variables": [], "tables": [], "factors": []}
    )
    + " " * 10**6,
    "table.json": json.dumps(
        {"format": "liftgraph factor graph", "version": 1, "factors": []}
        | {"variables": [], "tables": [{"shape": [10_000], "values": [7] * 9999 + [1]}]},
        separators=(",", ":"),
    ),
    "digits.json": json.dumps(
        {"format": "liftgraph factor graph", "version": 1, "factors": [], "variables": []}
        | {"tables": [{"shape": [2], "values": ["1", f"{n}e-3990"]} for n in range(1, 500)]}
    ),
    "decimals.json": json.dumps(
        {"format": "liftgraph factor graph", "version": 1, "factors": [], "variables": []}
        | {"tables": [{"shape": [5000], "values": [f"{d}12345678901" for d in decimals(5000)]}]},
        separators=(",", ":"),
    ),
    "columns.csv": "a,b\n" + "".join(f"x{n},{n}\n" for n in range(15_000)),
    "empty.csv": "a,b\n" + ",\n" * 20_000,
}
MODELS: dict[str, Any] = {
    "chain.json": lambda: network(300),
    "chain.bif": lambda: network(300),
    "chain.net": lambda: network(300),
    "chain.xml": lambda: network(300),
    "chain.xdsl": lambda: network(300),
    "chain.fg": lambda: network(300),
    "lifted.json": lambda: lifted(8000),
    "lifted.blog": lambda: lifted(8000),
    "evidence.json": lambda: lifted(1500).given({f"Sick.p{n}": "true" for n in range(1500)}),
    "origin.json": lambda: lg.lift(lifted(700).ground()),
}


@pytest.mark.parametrize("name", [*TEXTS, *MODELS])
def test_limits_bound_what_reading_takes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name in MODELS:
        lg.write(MODELS[name](), path)
    else:
        path.write_text(TEXTS[name], encoding="utf-8")
    read: Callable[..., object] = read_csv if path.suffix == ".csv" else lg.read
    read(path)  # modules are loaded
    peak = peak_of(lambda: read(path))
    read(path, memory_limit=SMALLEST + LOOSE * peak)
    if peak > MIB:
        with pytest.raises(lg.MemoryLimitError, match=r"needs .*, the limit is"):
            read(path, memory_limit=peak - 1)


SMALL_BOMBS = {
    "domain.blog": "type D; guaranteed D p[9999999]; random Boolean A(D);",
    "states.blog": "".join(
        f"type D{n}; guaranteed D{n} [1000000]; random D{n} A{n};" for n in range(9)
    ),
    "pairs.blog": "type D; guaranteed D p[3000]; random Boolean A(D); random Boolean B;"
    + "parfactor D X, D Y : X != p1 . MultiArrayPotential[[1, 2]] (B);",
    "primes.blog": f"type D; guaranteed D [9]; random Boolean A({','.join(['D'] * 20000)});",
    "sparse.fg": "1 2 0 1 4096 4096 0",
    "states.uai": f"MARKOV 100 {' '.join(str(10**6 + n) for n in range(100))} 0",
    "uniform.net": "net { }"
    + "".join(f"node {n} {{states=({' '.join(map(str, range(200)))});}}" for n in "abc")
    + "potential (a) {} potential (b) {} potential (c | a b) {}",
}


@pytest.mark.parametrize("name", SMALL_BOMBS)
def test_small_files_of_large_models_are_refused_before_they_fill_the_memory(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text(SMALL_BOMBS[name])

    def refused() -> None:
        with pytest.raises(
            lg.MemoryLimitError, match=rf"{name}(:\d+)?: needs .*the limit is .*: \w+"
        ):
            lg.read(path, memory_limit=20 * MIB)

    assert peak_of(refused) < 20 * MIB


@pytest.mark.parametrize("name", ["m.uai.gz", "m.json.gz", "m.bif.gz", "m.xml.gz", "m.blog.gz"])
def test_packed_files_are_unpacked_only_as_far_as_allowed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b" " * 40 * MIB, compresslevel=1))

    def refused() -> None:
        with pytest.raises(lg.MemoryLimitError, match=r"its text has [\d,]+ bytes or more"):
            lg.read(path, memory_limit=8 * MIB)

    assert peak_of(refused) < 8 * MIB


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_endless_files_are_read_up_to_the_limit(tmp_path: Path) -> None:
    for name in ("model.uai", "model.json", "model.bif"):
        (tmp_path / name).symlink_to("/dev/zero")

        def refused(path: Path = tmp_path / name) -> None:
            with pytest.raises(lg.MemoryLimitError, match=r"bytes or more"):
                lg.read(path, memory_limit=8 * MIB)

        assert peak_of(refused) < 8 * MIB


def test_evidence_and_tables_have_the_limit_too(tmp_path: Path) -> None:
    path = tmp_path / "model.evid"
    path.write_text(f"30000 {' '.join(f'{n} 0' for n in range(30000))}")
    graph = lg.FactorGraphBuilder()
    graph.add_variables(30000)
    with pytest.raises(lg.MemoryLimitError, match=r"model.evid: needs"):
        uai.read_evidence(graph.build(), path, memory_limit=4 * MIB)
    assert len(uai.read_evidence(graph.build(), path).evidence) == 30000
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b",\n" * 10**6))
    with pytest.raises(lg.MemoryLimitError, match=r"rows.csv.gz: needs"):
        read_csv(path, memory_limit=4 * MIB)


@pytest.mark.parametrize("limit", [-1, 1.5, None, True, b"1GB"])
def test_limits_are_numbers_of_bytes(tmp_path: Path, limit: Any) -> None:
    path = tmp_path / "model.json"
    lg.write(network(2), path)
    with pytest.raises(lg.InputError, match="expected a memory limit in bytes, got"):
        lg.read(path, memory_limit=limit)
