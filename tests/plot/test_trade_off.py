"""The picture of a trade-off: dots where its numbers are, on scales that have a place for zero."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf, log10

import pytest

import liftgraph as lg
from liftgraph.inference.trade_off import Choice
from liftgraph.plot.scenes.scene import Scene
from liftgraph.plot.scenes.trade_off import _scale


def made(*rows: tuple[str, int, int, float, float | None]) -> lg.TradeOff:
    choices = (Choice(Fraction(row[0]), row[1], row[2], row[3], row[4]) for row in rows)
    return lg.TradeOff(51, 41, tuple(choices))


def heights(scene: Scene, name: str) -> list[float]:
    """How high the dots of a curve are above each other, from the first."""
    return [-node.at[1] for node in scene.nodes if node.id.startswith(f"{name}-dot-")]


def told(scene: Scene, start: str) -> list[str]:
    return [text.text for text in scene.texts if text.id.startswith(start)]


CHOICES = made(("0", 51, 41, 0.0, 0.0), ("1/100", 50, 40, 0.04, 0.003), ("0.5", 5, 3, 1.4, 0.05))


def test_dots_are_where_the_numbers_are() -> None:
    scene = lg.draw(CHOICES).scene
    prvs, bound = heights(scene, "sizes-0"), heights(scene, "errors-0")
    decade = (prvs[0] - prvs[2]) / log10(51 / 5)
    assert decade > 0
    assert prvs[1] - prvs[2] == pytest.approx(decade)  # from 5 to 50
    parfactors = heights(scene, "sizes-1")
    assert prvs[0] - parfactors[0] == pytest.approx(decade * log10(51 / 41))
    errors = heights(scene, "errors-1")
    assert bound[0] == errors[0] < min(errors[1:])  # zero is on the lowest line
    decade = (bound[2] - bound[1]) / log10(1.4 / 0.04)
    assert bound[1] - errors[1] == pytest.approx(decade * log10(0.04 / 0.003))
    assert told(scene, "errors-0-told") == ["0", "0.04", "1.4"]
    assert told(scene, "sizes-1-told") == ["41", "40", "3"]


def test_both_panels_share_the_tolerances() -> None:
    scene = lg.draw(CHOICES).scene
    curves = ("sizes-0", "sizes-1", "errors-0", "errors-1")
    places = [[n.at[0] for n in scene.nodes if n.id.startswith(f"{c}-dot-")] for c in curves]
    assert places[0] == places[1] == places[2] == places[3] == sorted(set(places[0]))
    written = {t.text: t.at for t in scene.texts if t.id.startswith("tolerance-")}
    assert [written[each][0] for each in ("0", "0.01", "0.5")] == places[0]
    assert min(y for _, y in written.values()) > max(node.at[1] for node in scene.nodes)


def test_what_was_not_measured_is_not_drawn() -> None:
    picture = lg.draw(made(("0", 51, 41, 0.0, None), ("0.1", 4, 3, 1.4, None)))
    assert told(picture.scene, "errors-legend") == ["at most"]
    assert not heights(picture.scene, "errors-1")
    assert "Measured" not in picture.caption
    assert picture.caption.startswith("51 variables and 41 factors, lifted with 2 tolerances")


def test_scales_have_a_place_for_everything() -> None:
    plain = _scale([51.0, 4.0])
    assert [text for _, text in plain.ticks()] == ["1", "10", "100"]
    wide = _scale([0.0, 1e-12, 3.0, inf])
    assert wide.under == "< 10⁻⁵"  # both are
    assert wide.height(0.0) == wide.height(1e-12) < wide.height(1e-5)
    assert wide.height(inf) > wide.height(10.0)
    assert _scale([0.0, 0.5]).under == "0"
    assert [text for _, text in _scale([]).ticks()] == ["1", "10"]


def test_any_number_of_tolerances_fits() -> None:
    for count in (0, 1, 40, 1000):
        rows = [(f"{n}/7001", 51, 41, n / 9, None) for n in range(count)]
        scene = lg.draw(made(*rows)).scene
        labels = [t for t in scene.texts if t.id.startswith("tolerance-")]
        assert len(labels) <= count
        assert all(abs(node.at[0]) < 700 for node in scene.nodes)
        for one, other in pairwise(labels):
            assert other.at[0] - one.at[0] > 4 * (len(one.text) + len(other.text)) / 2


def test_notebooks_show_trade_offs() -> None:
    assert CHOICES._repr_svg_() == lg.draw(CHOICES).svg
