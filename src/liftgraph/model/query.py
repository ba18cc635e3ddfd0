"""What is asked, as data: queries, and the kinds of questions there are.

Kinds are registered by name; methods of inference declare which of them they answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question.

    ``title``: what is computed; ``{}`` stands for the names of the variables asked for, and a
    kind whose title has no ``{}`` takes no variables. ``plural``: whether the title is a plural.
    ``maximises``: whether the other variables are maximised out, not summed out.
    ``of_all``: whether the answer says something about every variable. ``whole_prvs``: whether the
    name of a PRV stands for all of its variables.
    """

    name: str
    title: str
    plural: bool = False
    maximises: bool = False
    of_all: bool = False
    whole_prvs: bool = False

    @property
    def takes_variables(self) -> bool:
        """Whether some variables are asked for."""
        return "{}" in self.title


KINDS: dict[str, Kind] = {}


def register_kind(kind: Kind) -> Kind:
    """Register a kind of question by its name."""
    KINDS[kind.name] = kind
    return kind


MARGINAL = register_kind(Kind("marginal", "P({})"))
MARGINALS = register_kind(Kind("marginals", "all marginals", plural=True, of_all=True))
BY_PRV = register_kind(Kind("by PRV", "all marginals by PRV", plural=True, of_all=True))
PARTITION = register_kind(Kind("partition", "the partition function"))
EXPLANATION = register_kind(
    Kind("explanation", "a most probable explanation", maximises=True, of_all=True)
)
EXPLANATIONS = register_kind(
    Kind("explanations", "most probable explanations", plural=True, maximises=True, of_all=True)
)
MAP = register_kind(Kind("map", "a most probable joint state of {}", whole_prvs=True))


@dataclass(frozen=True)
class Query:
    """What to compute: a registered kind of question, by its name.

    ``variables``: those asked for, by name or index. ``exact``: in fractions, not in floats.
    ``best``: how many of the most probable explanations, if several are asked for.
    """

    kind: str
    variables: tuple[str | int, ...] = ()
    exact: bool = False
    best: int = 1


def title_of(query: Query, names: Sequence[str]) -> str:
    """What a query computes, as text. ``names``: those of the variables asked for."""
    return KINDS[query.kind].title.replace("{}", ", ".join(names))
