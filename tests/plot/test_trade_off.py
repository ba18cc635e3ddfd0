"""The picture of a trade-off: dots where its numbers are, on scales that have a place for zero."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf, log10

import pytest

import liftgraph as lg
from liftgraph.model.answers.trade_off import Choice, TradeOff
from liftgraph.plot.scene import Scene
from liftgraph.plot.scenes.curves import scale_for


def trade_off(*rows: tuple[str, int, int, float, float | None]) -> TradeOff:
    """Tolerance, PRVs, parfactors, bound and error of each choice."""
    choices = tuple(
        Choice(Fraction(tolerance), prvs, parfactors, bound, error)
        for tolerance, prvs, parfactors, bound, error in rows
    )
    return TradeOff(51, 41, choices)


def heights(scene: Scene, name: str) -> list[float]:
    """The heights of the dots of a curve, from left to right."""
    return [-node.at[1] for node in scene.nodes if node.id.startswith(f"{name}-dot-")]


def written(scene: Scene, start: str) -> list[str]:
    return [text.text for text in scene.texts if text.id.startswith(start)]


CHOICES = trade_off(
    ("0", 51, 41, 0.0, 0.0), ("1/100", 50, 40, 0.04, 0.003), ("0.5", 5, 3, 1.4, 0.05)
)


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
    assert written(scene, "errors-0-value") == ["0", "0.04", "1.4"]
    assert written(scene, "sizes-1-value") == ["41", "40", "3"]


def test_both_panels_share_the_tolerances() -> None:
    scene = lg.draw(CHOICES).scene
    curves = ("sizes-0", "sizes-1", "errors-0", "errors-1")
    places = [
        [node.at[0] for node in scene.nodes if node.id.startswith(f"{curve}-dot-")]
        for curve in curves
    ]
    assert places[0] == places[1] == places[2] == places[3] == sorted(set(places[0]))
    labels = {text.text: text.at for text in scene.texts if text.id.startswith("tolerance-")}
    assert [labels[tolerance][0] for tolerance in ("0", "0.01", "0.5")] == places[0]
    assert min(y for _, y in labels.values()) > max(node.at[1] for node in scene.nodes)


def test_what_was_not_measured_is_not_drawn() -> None:
    picture = lg.draw(trade_off(("0", 51, 41, 0.0, None), ("0.1", 4, 3, 1.4, None)))
    assert written(picture.scene, "errors-legend") == ["at most"]
    assert not heights(picture.scene, "errors-1")
    assert "Measured" not in picture.caption
    assert picture.caption.startswith("51 variables and 41 factors, lifted with 2 tolerances")


def test_scales_have_a_place_for_everything() -> None:
    plain = scale_for([51.0, 4.0])
    assert [text for _, text in plain.ticks()] == ["1", "10", "100"]
    wide = scale_for([0.0, 1e-12, 3.0, inf])
    assert wide.below == "< 10⁻⁵"  # both are
    assert wide.height(0.0) == wide.height(1e-12) < wide.height(1e-5)
    assert wide.height(inf) > wide.height(10.0)
    assert scale_for([0.0, 0.5]).below == "0"
    assert [text for _, text in scale_for([]).ticks()] == ["1", "10"]


def test_any_number_of_tolerances_fits() -> None:
    for count in (0, 1, 40, 1000):
        rows = [(f"{n}/7001", 51, 41, n / 9, None) for n in range(count)]
        scene = lg.draw(trade_off(*rows)).scene
        labels = [text for text in scene.texts if text.id.startswith("tolerance-")]
        assert len(labels) <= count
        assert all(abs(node.at[0]) < 700 for node in scene.nodes)
        for left, right in pairwise(labels):
            assert right.at[0] - left.at[0] > 4 * (len(left.text) + len(right.text)) / 2


def test_notebooks_show_trade_offs() -> None:
    assert CHOICES._repr_svg_() == lg.draw(CHOICES).svg
