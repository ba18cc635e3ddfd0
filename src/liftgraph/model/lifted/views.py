"""The variables and PRVs of a lifted model, as values that print well.

Nothing is ground, and no list of all variables is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from liftgraph.display import format_count
from liftgraph.errors import printable
from liftgraph.model.ground.names import States, is_count
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.logvars import LogVar
from liftgraph.model.lifted.parfactor import PRV, Atom, Parfactor
from liftgraph.model.lifted.substitutions import in_order
from liftgraph.model.lifted.variables import Place, Variables, has_variable, locate, name_of
from liftgraph.model.listing import Lazy, first_few, in_braces
from liftgraph.model.tabular import Described

if TYPE_CHECKING:
    from liftgraph.model.lifted.factor_views import LiftedFactor
    from liftgraph.model.lifted.occurrences import Occurrence

_FEW = 6  # individuals that are listed as observed


@dataclass(frozen=True, repr=False, eq=False)
class ModelVariables(Lazy[str]):
    """The names of the variables that a lifted model stands for.

    They are in the order of their indices: that of the graph that was lifted, or PRV after PRV.
    """

    places: Variables

    noun = "variable"

    @property
    def size(self) -> int:
        """How many variables there are."""
        return self.places.count

    def item(self, index: int) -> str:
        """The name of a variable."""
        return name_of(self.places, locate(self.places, index))

    def __iter__(self) -> Iterator[str]:
        origin = self.places.origin
        if origin is not None:
            return iter(origin.names) if origin.names else map(str, range(self.size))
        prvs = enumerate(self.places.prvs)
        return (name_of(self.places, (i, chosen)) for i, prv in prvs for chosen in _members(prv))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and has_variable(self.places, name)


def _members(prv: PRV) -> Iterator[tuple[int, ...]]:
    return in_order(prv.pattern) if prv.logvars else iter([()])


@dataclass(frozen=True, repr=False)
class LiftedVariable:
    """A PRV of a lifted model, or one of its variables: what ``model["Sick"]`` and
    ``model["Sick.alice"]`` return.

    ``prv_index``: which PRV; ``numbers``: the individuals, by number, None for the whole PRV.
    """

    places: Variables
    parfactors: tuple[Parfactor, ...]
    evidence: LiftedEvidence
    prv_index: int
    numbers: tuple[int, ...] | None = None

    @property
    def prv(self) -> PRV:
        """The PRV, or that of the variable."""
        return self.places.prvs[self.prv_index]

    @property
    def name(self) -> str:
        """The name of the PRV or of the variable."""
        return self.prv.name if self.numbers is None else name_of(self.places, self._place)

    @property
    def _place(self) -> Place:
        return self.prv_index, self.numbers or ()

    @property
    def states(self) -> States:
        """The names of the states."""
        return self.prv.states

    @property
    def logvars(self) -> tuple[LogVar, ...]:
        """The logvars of the PRV."""
        return self.prv.logvars

    @property
    def individuals(self) -> tuple[str, ...]:
        """The individuals of the variable, one for each logvar; none for a whole PRV."""
        pairs = zip(self.logvars, self.numbers or (), strict=False)
        return tuple(logvar.domain.individual(number) for logvar, number in pairs)

    @property
    def size(self) -> int:
        """How many variables it stands for."""
        return self.prv.size if self.numbers is None else 1

    @property
    def observed(self) -> str | None:
        """The state that it was observed in, if it was: all of the PRV, or the variable."""
        state = self.prv.observed
        if self.numbers is not None or not self.logvars:
            state = self.evidence.get(self._place, state)
        return None if state is None else self.states[state]

    @property
    def factors(self) -> tuple[LiftedFactor, ...]:
        """The parfactors that it is in, with their names."""
        from liftgraph.model.lifted.factor_views import LiftedFactor

        listed = enumerate(self.parfactors)
        return tuple(LiftedFactor(i, p) for i, p in listed if any(self._occurrences(p)))

    @property
    def neighbours(self) -> tuple[str, ...]:
        """What else is in its parfactors: of a PRV, the names of PRVs; of a variable, variables by
        name, or PRVs with the individuals that are known: Treat(alice, M)."""
        from liftgraph.model.lifted.occurrences import beside

        found = (occurrence for p in self.parfactors for occurrence in self._occurrences(p))
        names = dict[tuple[object, ...], str]()  # logvars of other names mean the same
        for occurrence in found:
            for atom in beside(occurrence):
                chosen = [occurrence.known.get(logvar) for logvar in atom.logvars]
                names.setdefault((atom.prv.name, *chosen), self._named(atom, occurrence))
        listed = dict.fromkeys(names.values())
        return tuple(name for name in listed if self.size > 1 or name != self.name)

    def _occurrences(self, parfactor: Parfactor) -> Iterator[Occurrence]:
        from liftgraph.model.lifted.occurrences import occurrences

        return occurrences(self.prv, self.numbers, parfactor)

    def _named(self, atom: Atom, occurrence: Occurrence) -> str:
        if self.numbers is None:
            return atom.prv.name
        from liftgraph.model.lifted.occurrences import with_individuals

        return with_individuals(self.places, atom, occurrence.known)

    @property
    def _described(self) -> Described:
        prv, factors, neighbours = self.prv, self.factors, self.neighbours
        rows: dict[str, str | None] = {}
        if self.numbers is None:
            rows["logvars"] = first_few(map(str, self.logvars), len(self.logvars))
            rows["variables"] = format_count(self.size)
            rows["observed"] = self.observed or self._observed_members
            title = str(prv)
        else:
            values = zip(self.logvars, self.individuals, strict=True)
            chosen = ", ".join([f"{logvar.name} = {name}" for logvar, name in values])
            rows["PRV"] = f"{prv.atom} with {chosen}" if chosen else None
            rows["observed"] = self.observed
            likelihood = self.evidence.likelihoods.get(self._place)
            rows["likelihood"] = None if likelihood is None else likelihood.first_entries()
            title = f"{self.name} ∈ {in_braces(self.states)}"
        rows["parfactors"] = first_few((factor.label for factor in factors), len(factors))
        rows["neighbours"] = first_few(neighbours, len(neighbours))
        return Described(title, tuple((word, text) for word, text in rows.items() if text))

    @property
    def _observed_members(self) -> str | None:
        """Which variables of a PRV were observed, the first of them."""
        members = [(place, s) for place, s in self.evidence.items() if place[0] == self.prv_index]
        texts = (f"{name_of(self.places, place)} = {self.states[s]}" for place, s in members)
        return first_few(texts, len(members), _FEW) if members else None

    def __str__(self) -> str:
        return str(self._described)

    def _repr_html_(self) -> str:
        return self._described._repr_html_()

    def __repr__(self) -> str:
        of_many = f", {format_count(self.size)} variables" * (self.numbers is None)
        return f"LiftedVariable({printable(self.name)} ∈ {in_braces(self.states)}{of_many})"


def find(places: Variables, variable: str | int) -> tuple[int, tuple[int, ...] | None]:
    """The PRV of this name, without individuals, or the place of a variable by name or index.

    If a PRV and a variable have the same name, it is the variable, as in questions.
    """
    is_prv = isinstance(variable, str) and variable in places.prv_index
    if is_prv and not has_variable(places, str(variable)):
        return places.prv_index[str(variable)], None
    return locate(places, variable)


def has(places: Variables, variable: object) -> bool:
    """Whether there is a variable or a PRV of this name, or a variable with this index."""
    if is_count(variable):
        return 0 <= variable < places.count
    if not isinstance(variable, str):
        return False
    return variable in places.prv_index or has_variable(places, variable)
