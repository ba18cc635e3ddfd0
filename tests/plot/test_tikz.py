"""Pictures as TikZ: everything is there, and no name is taken for a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.plot.tikz import words
from tests.plot.test_pictures import ODD_NAMES, objects


def balanced(text: str) -> bool:
    """Whether braces that are not escaped close in order."""
    depth = 0
    for brace in re.findall(r"\\.|([{}])", text):
        depth += {"{": 1, "}": -1, "": 0}[brace]
        if depth < 0:
            return False
    return depth == 0


def odd_network() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    for name in ["50% of x_1", "a&b #7", "{$}", "~^<>", "back\\slash", "}", *ODD_NAMES]:
        builder.add_variable(name, ["y_es", "n%o"])
    for variable in range(6 + len(ODD_NAMES)):
        scope = [variable - 1, variable] if variable else [0]
        builder.add_factor(scope, ["0.5", "0.5"] * len(scope))
    return builder.build()


def pictures() -> list[lg.Picture]:
    odd = odd_network()
    observed = odd.given({"50% of x_1": "n%o"})
    X = lg.LogVar("X_1", 3)
    counted = lg.parfactor([lg.crv(lg.prv("S%", X)(X), X)], [1, 2, 3, 4])
    drawn = [lg.draw(observed, beliefs=True), lg.draw(odd), lg.draw(odd, arrows=False)]
    drawn += [lg.draw(odd.cpd("a&b #7")), lg.draw(lg.ParfactorGraph.of([counted]))]
    return [*drawn, *map(lg.draw, objects(lg.datasets.epidemic()))]


@pytest.mark.parametrize("picture", pictures(), ids=repr)
def test_everything_is_in_the_picture(picture: lg.Picture) -> None:
    code = picture.tikz
    lines = [line for line in code.splitlines() if not line.startswith("%")]
    assert lines[0].startswith(r"\begin{tikzpicture}")
    assert lines[-1] == r"\end{tikzpicture}"
    body = lines[1:-1]
    assert balanced("\n".join(body))
    commands = [line for line in body if not line.strip().startswith(r"\definecolor")]
    assert all(line.endswith(";") for line in commands)
    for node in picture.scene.nodes:
        if node.kind != "bar":
            assert f"({node.id}) at" in code
        for line in node.label.split("\n"):
            assert words(line) in code
    for edge in picture.scene.edges:
        assert words(edge.label) in code
    arrows = sum(edge.arrow for edge in picture.scene.edges)
    assert sum("-- cycle;" in line for line in body) == arrows
    for plate in picture.scene.plates:
        assert words(plate.label) in code
    for text in picture.scene.texts:
        is_caption = text.id.startswith("caption-")
        assert is_caption or f"{{{words(text.text)}}};" in code
    used = set(re.findall(r"liftgraph[0-9a-f]{6}", code))
    assert all(f"\\definecolor{{{name}}}{{HTML}}" in code for name in used)
    if picture.caption:
        assert code.startswith(f"% {picture.caption}"[:20])


def test_names_are_escaped() -> None:
    for name in ODD_NAMES:
        escaped = words(name)
        assert balanced(escaped)
        assert "\n" not in escaped
        plain = re.sub(r"\\[a-z]+\{\}|\\ensuremath\{[^}]*\}+|\\[&%$#_{}]", "", escaped)
        assert not set(plain) & set("&%$#_{}~^\\<>|"), plain
    code = lg.draw(odd_network()).tikz
    for escaped in (r"50\% of x\_1", r"a\&b \#7", r"\{\$\}", r"back\textbackslash{}slash"):
        assert escaped in code


def test_what_cannot_be_shown_does_not_stop_latex() -> None:
    for hidden in "\x00\x01\t\u2028\ufffd":  # LuaLaTeX takes U+FFFD for a broken file
        assert "\ufffd" not in words(f"a{hidden}b")
        assert words(f"a{hidden}b").startswith(r"a\ensuremath{")


def test_it_is_stored_by_its_suffix(tmp_path: Path) -> None:
    picture = lg.draw(lg.datasets.asia())
    for suffix in ("tex", "tikz", "TEX"):
        path = picture.save(tmp_path / f"asia.{suffix}")
        assert path.read_text(encoding="utf-8") == picture.tikz
    path = picture.save(tmp_path / "asia.pdf")
    assert path.read_bytes() == picture.pdf
    assert picture.pdf.startswith(b"%PDF")
    assert lg.draw(lg.datasets.asia()).pdf == picture.pdf  # no date in it
