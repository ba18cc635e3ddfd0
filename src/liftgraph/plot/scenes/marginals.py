"""Marginal distributions as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from liftgraph.display import counted
from liftgraph.exact import shown
from liftgraph.model.answers.marginal import Marginal, most_likely
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.arrays import digits
from liftgraph.plot.layout.arrangement import grid
from liftgraph.plot.scene import Scene
from liftgraph.plot.scenes.bars import MOST_BARS, Bar, bars_scene
from liftgraph.plot.scenes.captions import log_odds_note
from liftgraph.plot.scenes.numbers import has_numbers, histogram_scene
from liftgraph.plot.text import abbreviated

_MOST_PANELS = 24
_LONGEST_FRACTION = 24  # characters
_SMALL = 0.25  # smaller probabilities are hard to compare if a full bar is for 1


def marginal_scene(marginal: Marginal) -> Scene:
    """The probability of each state, or of the most likely ones if there are many."""
    full = _full_bar([marginal])
    scene = _panel(marginal, "marginal", full)
    if scene.caption:  # a histogram
        return scene
    sentences = _reading(marginal, full)
    state_count = marginal.probabilities.size
    if state_count > MOST_BARS:
        shown_first = f"The {MOST_BARS - 1} most likely of {state_count:,} states"
        sentences.insert(0, f"{shown_first}; the last row sums up the others.")
    return replace(scene, caption=" ".join(sentences))


def marginals_scene(marginals: Marginals) -> Scene:
    """A panel for each different distribution, with the variables that have it."""
    members: dict[int, list[int]] = {}
    for variable, group in enumerate(marginals.group.tolist()):
        members.setdefault(group, []).append(variable)
    groups = list(members.values())[:_MOST_PANELS]
    distributions = [marginals[marginals.names[group[0]]] for group in groups]
    full = _full_bar(distributions)
    panels = [
        _shared(_panel(distribution, f"marginal-{index}", full), len(group))
        for index, (distribution, group) in enumerate(zip(distributions, groups, strict=True))
    ]
    sentences = [
        f"{counted(len(marginals), 'variable')} with {counted(len(members), 'distribution')}."
    ]
    if len(members) > len(panels):
        sentences.append(f"The first {len(panels)} of these are shown.")
    caption = " ".join(sentences + _reading(marginals, full))
    return replace(grid(panels, 3) if panels else Scene(), caption=caption)


def _is_histogram(marginal: Marginal) -> bool:
    """Whether states are numbers, more than there can be rows, with certain probabilities."""
    certain = not marginal.log_odds_bound and marginal.interval is None
    return certain and marginal.probabilities.size > MOST_BARS and has_numbers(marginal)


def _full_bar(marginals: Sequence[Marginal]) -> float:
    """The probability that a bar of full length stands for: 1, unless all are far smaller."""
    marginals = [marginal for marginal in marginals if not _is_histogram(marginal)]
    shares = [float(marginal.bounds[1].max()) for marginal in marginals]
    shares += [most_likely(marginal.probabilities, MOST_BARS)[1] for marginal in marginals]
    largest = max(shares, default=1.0)
    return largest if 0 < largest < _SMALL else 1.0


def _reading(answer: Marginal | Marginals, full: float) -> list[str]:
    """How to read the bars, if that is not obvious."""
    sentences = []
    if full != 1:
        sentences.append(f"A bar of full length stands for {full:.3g}, not for 1.")
    if answer.log_odds_bound:
        note = log_odds_note(answer.log_odds_bound)
        sentences.append(f"The {note}; error bars show the probabilities that this admits.")
    return sentences


def _panel(marginal: Marginal, name: str, full: float) -> Scene:
    title = f"P({', '.join(map(abbreviated, marginal.variables))})"
    if _is_histogram(marginal):
        return histogram_scene(marginal, name, title)
    kept, rest = most_likely(marginal.probabilities, MOST_BARS)
    bars = [_bar(marginal, index, full) for index in kept]
    left_out = marginal.probabilities.size - len(kept)
    if left_out:
        bars.append(Bar(f"{left_out:,} others", rest / full, f"{rest:.6g}"))
    return bars_scene(name, title, bars)


def _bar(marginal: Marginal, index: int, full: float) -> Bar:
    """The bar of a state, given by its index in the flattened distribution."""
    probability = float(marginal.probabilities.ravel()[index])
    position = digits(index, marginal.probabilities.shape)
    states = [names[state] for names, state in zip(marginal.states, position, strict=True)]
    value = f"{probability:.6g}"
    if marginal.fractions is not None:
        value = _with_fraction(value, marginal.fractions.ravel()[index])
    label, share = ", ".join(map(abbreviated, states)), probability / full
    if not marginal.log_odds_bound:
        return Bar(label, share, value)
    low, high = (float(bound.ravel()[index]) for bound in marginal.bounds)
    return Bar(label, share, f"{value} [{low:.6g}, {high:.6g}]", (low / full, high / full))


def _with_fraction(decimal: str, exact: Fraction) -> str:
    """A rounded number with the fraction that it is rounded from, unless that is very long."""
    fraction = shown(exact)
    if fraction == decimal or len(fraction) > _LONGEST_FRACTION:
        return decimal
    return f"{decimal} {'=' if Fraction(decimal) == exact else '≈'} {fraction}"


def _shared(panel: Scene, member_count: int) -> Scene:
    """The distribution of several interchangeable variables, the first of which is named."""
    if member_count == 1:
        return panel
    title = panel.texts[0]
    title = replace(title, text=f"{title.text} and {member_count - 1:,} more")
    return replace(panel, texts=(title, *panel.texts[1:]))
