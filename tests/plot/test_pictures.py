"""Pictures as files: complete, with any names, of any registered object; and the command."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.inference import methods
from liftgraph.model.notebook import Pictured
from liftgraph.model.query import Query
from liftgraph.plot.draw import register
from liftgraph.plot.render import ALONE, node_colours
from liftgraph.plot.scene import Node, Point, Scene
from liftgraph.plot.style import PALETTE, PAPER, ink_on, tint

SVG = "{http://www.w3.org/2000/svg}"
EPIDEMIC = "src/liftgraph/datasets/epidemic.json"
ODD_NAMES = [
    "x<y & 'z' \"q\"",
    "$\\alpha$ and $",
    "two\nlines\x00\x1b",
    "\u202eturned\u202c",
    "变量.一二三",
    "🙂",
    "\uffff\ufdd0",
    "a" * 300,
    " ",
]


@pytest.fixture
def graph() -> lg.FactorGraph:
    return lg.read_graph(EPIDEMIC)


def parts(picture: lg.Picture) -> dict[str, ElementTree.Element]:
    """The elements of the SVG by their ids."""
    root = ElementTree.fromstring(picture.svg)
    return {element.attrib["id"]: element for element in root.iter() if "id" in element.attrib}


def style(element: ElementTree.Element) -> dict[str, str]:
    path = next(element.iter(f"{SVG}path"))
    return dict(pair.strip().split(": ") for pair in path.attrib["style"].split(";") if pair)


def objects(graph: lg.FactorGraph) -> list[Any]:
    """One object of each type that can be drawn."""
    model = lg.lift(graph)
    plans = [graph.explain("Sick.bob", method=method) for method in ("ground", "lifted")]
    answers = [graph.query("Epid", exact=True), graph.query("Epid", "Sick.bob"), graph.marginals()]
    choices = graph.trade_off(["0", "0.1"], variables=["Epid"])
    colouring = lg.colour_passing(graph)
    quotient = lg.quotient(graph, colouring)
    return [graph, model, colouring, quotient, *answers, *plans, choices]


def test_nodes_edges_colours_and_labels_are_in_the_file(graph: lg.FactorGraph) -> None:
    picture = lg.draw(graph.given({"Sick.alice": "true"}))
    elements = parts(picture)
    for node in picture.scene.nodes:
        fill, outline = node_colours(node)
        # matplotlib leaves out black, the default of SVG
        assert style(elements[node.id]).get("fill", "#000000") == fill
        assert style(elements[node.id]).get("stroke", "#000000") == outline
        if node.label:
            (written,) = elements[f"label-{node.id}"].iter(f"{SVG}text")
            assert written.text == node.label
    assert all(edge.id in elements for edge in picture.scene.edges)
    texts = {text.text for element in elements.values() for text in element.iter(f"{SVG}text")}
    assert "Sick.alice = true" in texts


def test_the_same_colour_is_the_same_group(graph: lg.FactorGraph) -> None:
    elements = parts(lg.draw(graph))
    strokes: dict[str, set[int]] = {}
    groups = lg.colour_passing(graph).variable_colours.tolist()
    for variable, group in enumerate(groups):
        strokes.setdefault(style(elements[f"variable-{variable}"])["stroke"], set()).add(group)
    assert all(len(sharing) == 1 for sharing in strokes.values())
    assert len(strokes) == 4


def test_everything_can_be_drawn_both_ways(graph: lg.FactorGraph, tmp_path: Path) -> None:
    pictures = [*map(lg.draw, objects(graph)), lg.draw_rounds(graph)]
    for index, picture in enumerate(pictures):
        assert picture._repr_svg_() == picture.svg
        assert picture.png.startswith(b"\x89PNG")
        for suffix in ("svg", "PNG"):
            path = picture.save(tmp_path / f"{index}.{suffix}")
            assert path.stat().st_size > 1000
        assert (tmp_path / f"{index}.svg").read_text(encoding="utf-8") == picture.svg


class Names(list[str], Pictured):
    """An object that the library does not know."""


class Roster(Names):
    """A special one."""


def test_new_kinds_of_objects_get_pictures_from_outside(tmp_path: Path) -> None:
    team = Roster(["alice", "bob"])
    with pytest.raises(lg.InputError, match=r"to draw, got \['alice', 'bob'\]"):
        lg.draw(team)
    assert team._repr_svg_() is None

    def names_scene(names: Names) -> Scene:
        nodes = tuple(Node(name, "variable", name) for name in names)
        return Scene(nodes, caption=f"{len(names)} names.")

    register(Names, names_scene)
    picture = lg.draw(team, tmp_path / "team.svg")
    assert [node.label for node in picture.scene.nodes] == ["alice", "bob"]
    assert (tmp_path / "team.svg").read_text(encoding="utf-8") == team._repr_svg_() == picture.svg
    with pytest.raises(lg.InputError, match="for a factor graph only"):
        lg.draw(team, summary=True)
    register(Roster, lambda roster: Scene(caption=f"A roster of {len(roster)}."))
    assert lg.draw(team).caption == "A roster of 2."
    assert lg.draw(Names(team)).caption == "2 names."


def test_notebooks_show_pictures(graph: lg.FactorGraph) -> None:
    for shown in objects(graph):
        if not isinstance(shown, lg.Marginal):  # it has a table with bars
            assert shown._repr_svg_() == lg.draw(shown).svg
    huge = lg.FactorGraphBuilder()
    huge.add_variables(100_001)
    huge.add_factors(np.arange(200_002).reshape(-1, 2) % 100_001, [1, 2, 2, 1])
    assert huge.build()._repr_svg_() is None


def test_without_matplotlib_there_is_an_error_and_notebooks_show_text(
    graph: lg.FactorGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(lg.InputError, match=r"pictures need matplotlib: pip install 'liftgraph"):
        lg.draw(graph)
    for shown in objects(graph):
        assert isinstance(shown, lg.Marginal) or shown._repr_svg_() is None


def test_drawing_leaves_no_traces() -> None:
    program = f"""
import sys, warnings, liftgraph as lg
graph = lg.read({EPIDEMIC!r})
assert "matplotlib" not in sys.modules
import matplotlib
matplotlib.rcParams["font.size"] = 31
keys = set(matplotlib.rcParams) - {{"backend"}}  # asking for it loads pyplot
before, filters = {{key: matplotlib.rcParams[key] for key in keys}}, list(warnings.filters)
svg = lg.draw(graph).svg
assert {{key: matplotlib.rcParams[key] for key in keys}} == before
assert warnings.filters == filters
assert "matplotlib.pyplot" not in sys.modules
print(svg)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().rstrip() == lg.draw(lg.read_graph(EPIDEMIC)).svg.rstrip()


def test_pictures_are_never_wider_than_the_page(graph: lg.FactorGraph) -> None:
    for picture in (lg.draw(graph), lg.draw_rounds(graph), lg.draw(lg.lift(graph))):
        root = ElementTree.fromstring(picture.svg)
        assert "max-width: 100%; height: auto" in root.attrib["style"]
        size = root.attrib["width"], root.attrib["height"]
        assert root.attrib["viewBox"].split() == [
            "0",
            "0",
            *(side.removesuffix("pt") for side in size),
        ]


def test_nodes_have_titles_with_whole_names_and_pictures_have_words() -> None:
    builder = lg.FactorGraphBuilder()
    names = [f"the {number}th name <that> is & stays far too long to be shown" for number in (1, 2)]
    builder.add_variables(names, ["low", "high"])
    builder.add_factor(names, [1, 2, 3, 4])
    graph = builder.build().given({names[1]: "low"})
    picture = lg.draw(graph)
    elements = parts(picture)
    titles = {
        name: title.text
        for name, element in elements.items()
        if (title := element.find(f"{SVG}title")) is not None
    }
    assert titles["variable-0"] == titles["label-variable-0"] == f"{names[0]} ∈ {{low, high}}"
    assert titles["variable-1"] == f"{names[1]} = low, observed"
    assert titles["factor-0"] == f"φ1({', '.join(names)})"
    root = ElementTree.fromstring(picture.svg)
    assert (root.attrib["role"], root.attrib["aria-label"]) == ("img", picture.caption)
    described = root.findtext(f"{SVG}desc")
    assert described is not None
    assert all(title in described for title in titles.values() if title)
    answer = ElementTree.fromstring(lg.draw(graph.query(names[0])).svg)
    assert answer.attrib["aria-label"].startswith("P(the 1th")
    assert "low; 0.25; high; 0.75" in str(answer.findtext(f"{SVG}desc"))


def test_small_nodes_without_names_have_titles() -> None:
    picture = lg.draw(lg.datasets.grid(10, 11), summary=False)
    assert not any(node.label for node in picture.scene.nodes if "legend" not in node.id)
    assert all(node.title for node in picture.scene.nodes if "legend" not in node.id)


def test_odd_names_stay_what_they_are() -> None:
    builder = lg.FactorGraphBuilder()
    for name in ODD_NAMES:
        builder.add_variable(name, ["<yes>", "$no$"])
    builder.add_factor(list(range(4)), list(range(1, 17)))
    builder.add_factor([], [3])
    builder.add_variable("one state", 1)
    graph = builder.build().given({"🙂": "<yes>"})
    shown = "".join(ElementTree.fromstring(lg.draw(graph).svg).itertext())
    for text in ("x<y & 'z' \"q\"", "$\\alpha$ and $", "two↵lines", "变量.一二三", "🙂 = <yes>"):
        assert text in shown
    answers = graph.marginals(), graph.query(ODD_NAMES[0])
    for picture in map(lg.draw, (lg.lift(graph), graph.explain("🙂"), *answers)):
        ElementTree.fromstring(picture.svg)
        assert picture.png
    ElementTree.fromstring(lg.draw_rounds(graph).svg)
    X = lg.LogVar("<&\n\x00>", 3)
    Y = lg.LogVar("$y$", X)
    friends = lg.prv("F\x07", X, Y, where=lg.different(X, Y))
    model = lg.ParfactorGraph.of([lg.parfactor([friends], [1, 2], where=lg.different(X, Y))])
    ElementTree.fromstring(lg.draw(model).svg)
    ElementTree.fromstring(lg.draw(methods.plan(model, Query("partition"))).svg)


def test_the_pictures_of_the_documentation_are_what_is_drawn_now() -> None:
    root = Path(__file__).parents[2]
    drawn = runpy.run_path(str(root / "examples" / "pictures.py"))["pictures"]()
    page = (root / "docs" / "how-to" / "pictures.md").read_text(encoding="utf-8")
    for name, picture in drawn.items():
        assert f"../figures/picture_{name}.svg" in page
        stored = ElementTree.parse(root / "docs" / "figures" / f"picture_{name}.svg").getroot()
        now = ElementTree.fromstring(picture.svg)
        assert list(stored.itertext()) == list(now.itertext())
        stored_ids, ids = ([g.get("id") for g in root.iter(f"{SVG}g")] for root in (stored, now))
        assert stored_ids == ids


def test_empty_objects_can_be_drawn() -> None:
    empty = lg.FactorGraphBuilder().build()
    colouring = lg.colour_passing(empty)
    quotient = lg.quotient(empty, colouring)
    for shown in (empty, lg.lift(empty), empty.marginals(), colouring, quotient):
        assert ElementTree.fromstring(lg.draw(shown).svg) is not None
    assert lg.draw_rounds(empty).png
    bare = lg.FactorGraphBuilder()
    bare.add_variables(200)
    assert lg.draw_rounds(bare.build()).svg
    assert lg.draw(bare.build()).svg


def test_refusals_say_what_was_expected(graph: lg.FactorGraph, tmp_path: Path) -> None:
    with pytest.raises(lg.InputError, match=r"graph\.gif: expected a picture's name to end in"):
        lg.draw(graph, "graph.gif")
    with pytest.raises(lg.InputError, match="3: expected a picture's name"):
        lg.draw(graph, 3)  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="cannot be written"):
        lg.draw(graph, tmp_path / "nowhere" / "graph.svg")
    with pytest.raises(
        lg.InputError, match="a colouring, a quotient, marginals, days, a plan or a trade-off to"
    ):
        lg.draw(3)
    with pytest.raises(lg.InputError, match="got one of 4 variables and 4 factors"):
        lg.draw(graph, colouring=lg.colour_passing(lg.datasets.grid(2, 2)))
    with pytest.raises(lg.InputError, match="for a factor graph only"):
        lg.draw(lg.lift(graph), summary=True)
    with pytest.raises(lg.InputError, match="expected summary for a factor graph only"):
        lg.draw(lg.quotient(graph, lg.colour_passing(graph)), summary=True)
    with pytest.raises(lg.InputError, match=r"with its rounds recorded \(record=True\)"):
        lg.draw_rounds(graph, lg.colour_passing(graph))
    with pytest.raises(lg.InputError, match="expected a factor graph, got"):
        lg.draw_rounds(lg.lift(graph))  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match=r"at most 1000 variables and factors.* got 1,160"):
        lg.draw(lg.datasets.grid(20, 20), summary=False)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["draw", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.parametrize(
    ("arguments", "caption"),
    [
        ([], "9 variables and 9 factors"),
        (["--given", "Sick.alice=true"], "Filled variables are observed."),
        (["--what", "rounds"], "α-ACP on 9 variables"),
        (["--what", "rounds", "--algorithm", "cp"], "CP on 9 variables"),
        (["--what", "lifted"], "4 PRVs for 9 variables"),
        (["--what", "lifted", "--given", "Sick.alice=true"], "7 PRVs for 9 variables"),
        (["--what", "plan"], "How the partition function is computed"),
        (
            ["Sick.alice", "--what", "plan", "--method", "lifted"],
            "P(Sick.alice) is computed, lifted",
        ),
        (["--what", "marginal"], "9 variables with 4 distributions."),
        (["Epid", "--what", "marginal", "--exact"], ""),
        (["Epid", "Sick.bob"], ""),
    ],
)
def test_the_command_draws(
    arguments: list[str], caption: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "picture.svg")
    status, printed, problem = run(capsys, EPIDEMIC, *arguments, "-o", path, "--json")
    assert (status, problem) == (0, "")
    stored = json.loads(printed)
    assert stored["file"] == path
    assert caption in stored["caption"]
    ElementTree.parse(path)


def test_the_command_draws_lifted_models_and_refuses_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = str(tmp_path / "model.json"), str(tmp_path / "picture.png")
    lg.write(lg.datasets.epid(3), model)
    assert run(capsys, model, "-o", path)[1].startswith(f"{path}: 4 PRVs for 13 variables")
    assert "13 variables and 10 factors" in run(capsys, model, "-o", path, "--what", "graph")[1]
    printed = run(capsys, model, "-o", path, "--given", "Sick.1=true")[1]
    assert "Filled variables are observed" in printed
    status, _, problem = run(capsys, model, "-o", str(tmp_path / "picture.gif"))
    assert status == 2
    assert "end in .svg, .png, .pdf, .tex or .tikz" in problem
    status, _, problem = run(capsys, model, "Epid", "-o", path, "--what", "graph")
    assert status == 2
    assert "expected variables for a plan, a marginal or a table only, got Epid" in problem
    status, _, problem = run(capsys, model, "nobody", "-o", path, "--what", "marginal")
    assert status == 2
    assert "expected a variable, got 'nobody'" in problem
    assert not (tmp_path / "picture.gif").exists()


# Viénot, Brettel and Mollon (1999): what people without red or green cones see, in linear light.
_SEEN = {
    "everybody": np.eye(3),
    "without red": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "without green": np.array(
        [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]
    ),
}


def lightness_and_hue(colour: str, seen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The CIE L*a*b* coordinates of a colour as somebody sees it."""
    channels = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    light = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = seen @ light
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(np.clip(to_xyz @ linear / [0.9505, 1.0, 1.089], 0.009, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("who", _SEEN)
def test_everybody_can_tell_colours_apart(who: str) -> None:
    shown = (*PALETTE, ALONE, PAPER)
    for colours, least in ((shown, 15), (map(on_dark_pages, shown), 9)):
        seen = [lightness_and_hue(colour, _SEEN[who]) for colour in colours]
        distances = [float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)]
        assert min(distances) > least  # a distance of about 2 can just be seen


def on_dark_pages(colour: str) -> str:
    """What the filter of a picture makes of a colour (CSS Filter Effects 1)."""
    filters = re.findall(r"invert\((.*?)\) hue-rotate\(180deg\)", lg.draw(lg.datasets.asia()).svg)
    assert len(set(filters)) == 1
    channels = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    inverted = channels * (1 - float(filters[0])) + (1 - channels) * float(filters[0])
    luminance = np.array([0.213, 0.715, 0.072])
    rotated = 2 * luminance @ inverted - inverted  # by 180 degrees: mirrored at the greys
    return "#" + "".join(f"{round(255 * c):02x}" for c in np.clip(rotated, 0, 1))


def test_dark_pages_have_dark_pictures() -> None:
    assert int(on_dark_pages(PAPER)[1:3], 16) < 32
    svg = lg.draw(lg.datasets.asia()).svg
    assert "@media (prefers-color-scheme: dark) {svg.liftgraph:root" in svg
    for page in ("body[data-theme=dark]", "body[data-jp-theme-light=false]", "body.vscode-dark"):
        assert f"{page} svg.liftgraph" in svg


def test_labels_are_dark_on_light_and_light_on_dark() -> None:
    assert ink_on(PAPER) == "#22272e"
    assert ink_on("#000000") == PAPER
    assert all(ink_on(tint(colour, 0.16)) == "#22272e" for colour in PALETTE)
    assert matplotlib.colors.is_color_like(tint(PALETTE[0], 0.3))


@pytest.mark.parametrize("what", ["graph", "rounds", "lifted", "marginal"])
def test_the_command_draws_up_to_a_tolerance(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "noisy.json")
    lg.write(lg.datasets.perturbed(lg.datasets.epid(4).ground(), "0.01"), model)
    command = ["draw", model, "--what", what, "-o", str(tmp_path / "picture.svg")]
    assert main([*command, "--tolerance", "0.1"]) == 0
    printed = capsys.readouterr().out
    assert "tolerance" in printed or "off by up to" in printed
    assert main(command) == 0
    assert "tolerance" not in capsys.readouterr().out


def test_wide_gates_are_drawn_without_their_tables() -> None:
    builder = lg.FactorGraphBuilder()
    pumps = [f"Pump.{number}" for number in range(60)]
    builder.add_variables([*pumps, "Plant"])
    builder.add_gate("Plant", pumps, lg.at_least(40))
    assert lg.draw(builder.build()).svg.count("Pump.1") > 0


def test_days_are_drawn_with_their_ranges() -> None:
    sick = lg.prv("Sick", lg.LogVar("P", 10))
    step = lg.parfactor([sick, lg.after(sick)], [3, 1, 1, 3])
    model = lg.Dynamic(lg.parfactor([sick], [1, 9]), step)
    days = model.filter([None] * 5, lg.count("Sick"))
    scene = lg.draw(days).scene
    lines = {line.id: line.points for line in scene.polylines}
    heights = {
        float(text.text): text.at[1] for text in scene.texts if text.id.startswith("days-tick-")
    }
    unit = (heights[0.0] - heights[max(heights)]) / max(heights)

    def values(points: Sequence[Point]) -> list[float]:
        return [(heights[0.0] - y) / unit for _, y in points]

    assert values(lines["days-0-line"]) == pytest.approx(days.means)
    band = [*days.quantiles(0.95), *days.quantiles(0.05)[::-1]]
    assert values(lines["days-band"]) == pytest.approx(band)
    assert lines["days-band"][0][0] == lines["days-band"][-1][0] == lines["days-0-line"][0][0]
    assert scene.nodes[2].title.startswith(f"day 2: mean {days.means[2]:.4g}, ")
    many = lg.draw(model.filter([None] * 90, "Sick.1"))
    (curve,) = (line for line in many.scene.polylines if line.stroke == "curve")
    assert len(curve.points) == 90
    assert many.caption == "Sick.1: the probability of true on each day."
    one = lg.draw(model.filter([None], lg.count("Sick"))).scene
    assert len({x for line in one.polylines if line.stroke == "band" for x, _ in line.points}) == 2
    with pytest.raises(lg.InputError, match="got none"):
        lg.draw(model.filter([], "Sick.1"))
