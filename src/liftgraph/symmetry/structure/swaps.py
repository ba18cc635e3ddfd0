"""Whether the order of logvars in an unordered set really does not matter."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from liftgraph.model.lifted.renamings import COUNTED, Key, swapped
from liftgraph.model.lifted.substitutions import Pattern
from liftgraph.symmetry.structure.factor_rows import FactorRows
from liftgraph.symmetry.structure.parfactor_fit import FittedArgument, FittedRows


def swaps_change_nothing(
    rows: FactorRows, fitted: FittedRows, patterns: dict[int, Pattern]
) -> bool:
    """Whether swapping two logvars of an unordered set, along with others if need be, takes the
    parfactor to itself: arguments, constraints and table."""
    given = fitted.fit.pattern
    keys = [_key(each, fitted, patterns) for each in fitted.arguments]
    return all(
        any(
            _table_kept(rows, fitted, images)
            for _, images in swapped(keys, fitted.fit.domains, given, pair)
        )
        for each in given.unordered
        for pair in pairwise(each)
    )


def _table_kept(rows: FactorRows, fitted: FittedRows, images: list[int]) -> bool:
    axes = np.arange(rows.integers.ndim)
    for argument, image in zip(fitted.arguments, images, strict=True):
        axes[list(argument.columns)] = fitted.arguments[image].columns
    return np.array_equal(rows.integers.transpose(axes), rows.integers)


def _key(argument: FittedArgument, fitted: FittedRows, patterns: dict[int, Pattern]) -> Key:
    return Key(
        (argument.counts, argument.group),
        tuple(COUNTED if slot < 0 else fitted.fit.logvar[slot] for slot in argument.slots),
        patterns[argument.group].unordered if argument.group in patterns else (),
        frozenset() if argument.but is None else frozenset([fitted.fit.logvar[argument.but]]),
    )
