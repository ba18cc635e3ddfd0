"""Rules of templates: parfactors that hold for the rows of a relation, or for all substitutions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Literal, TypeVar, cast, get_args

import numpy as np

from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import shortened
from liftgraph.model.ground.names import checked_name
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.builder import as_atom, parfactor
from liftgraph.model.lifted.logvars import (
    Constraint,
    Different,
    Domain,
    LogVar,
    Unordered,
    check_logvars,
    checked_constraints,
)
from liftgraph.model.lifted.parfactor import CRV, PRV, Atom, Parfactor, argument_names, atom_of
from liftgraph.model.lifted.parfactor_graph import check_names
from liftgraph.model.lifted.renamings import symmetries

Repeated = Literal["refuse", "once", "each"]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between individuals: a table, and which of its columns name them."""

    name: str
    columns: tuple[str, ...]

    def __call__(self, *logvars: LogVar) -> RelationAtom:
        """This relation between the individuals of logvars, one logvar for each column."""
        check_logvars(f"relation {self.name}", logvars)
        if len(logvars) != len(self.columns):
            expected = f"a logvar for each of {', '.join(self.columns)}"
            came = ", ".join(logvar.name for logvar in logvars) or "none"
            raise InputError(f"relation {self.name}: expected {expected}, got {came}")
        return RelationAtom(self, logvars)


@dataclass(frozen=True, slots=True)
class RelationAtom:
    """A relation with logvars, as in "for all friends(X, Y)"."""

    relation: Relation
    logvars: tuple[LogVar, ...]


def relation(name: str, *columns: str) -> Relation:
    """A relation by its name and the columns of its table which name individuals.

    >>> person = Domain("person")
    >>> X, Y = LogVar("X", person), LogVar("Y", person)
    >>> relation("friends", "person", "friend")(X, Y).relation.columns
    ('person', 'friend')
    """
    names = tuple(map(checked_name, columns))
    if not names or len(set(names)) < len(names):
        came = ", ".join(names) or "none"
        raise InputError(f"relation {checked_name(name)}: expected different columns, got {came}")
    return Relation(checked_name(name), names)


@dataclass(frozen=True, slots=True)
class Rule:
    """A parfactor for the rows of a relation, or for all substitutions if there is none.

    It holds for the rows that satisfy its constraints. ``repeated``: what repeated rows mean.
    ``known``: whether it has potentials; if not, they are to be learnt.
    """

    parfactor: Parfactor
    over: RelationAtom | None = None
    repeated: Repeated = "refuse"
    known: bool = True


@short_traceback
def rule(
    arguments: Sequence[Atom | PRV],
    values: object = None,
    where: Iterable[Constraint] = (),
    over: RelationAtom | str | None = None,
    repeated: Repeated = "refuse",
    child: Atom | PRV | None = None,
) -> Rule:
    """A rule of a template: a factor for each row of a relation which satisfies the constraints.

    ``values``: the potentials, as for ``parfactor``. Without them the rule says how its child, or
    else its last argument, is distributed given the others, and ``Template.learn`` finds out.
    ``over``: a relation with logvars, ``friends(X, Y)``; or its name, if its columns are named
    after the logvars; by default, the rule holds for all substitutions. Logvars of the relation
    which are in no argument repeat the factors.
    ``where``: ``different(X, Y)``, or ``unordered(X, Y)`` for a relation in which both orders of
    a row are the same: they give one factor.
    ``repeated``: a relation is a set, so repeated rows are refused (``"refuse"``), unless they
    should give one factor (``"once"``) or a factor for each (``"each"``).
    ``child``: the argument whose distribution given the others this is, as for ``parfactor``.

    >>> person = Domain("person")
    >>> X, Y = LogVar("X", person), LogVar("Y", person)
    >>> smokes, friends = PRV("Smokes", (X,)), relation("friends", "person", "friend")
    >>> rule([smokes(X), smokes(Y)], [3, 1, 1, 3], over=friends(X, Y)).parfactor.table
    Table(2×2, [3 1 1 3] × 1)
    """
    if not isinstance(arguments, Sequence):
        raise InputError(f"a rule: expected arguments in a list, got {quoted(arguments)}")
    if any(isinstance(argument, CRV) for argument in arguments):
        raise InputError("a rule: expected PRVs as arguments, got a counting variable")
    if repeated not in get_args(Repeated):
        expected = ", ".join(get_args(Repeated))
        raise InputError(f"a rule: expected repeated rows to be {expected}, got {repeated}")
    known = values is not None
    if not known:
        child = _last(arguments) if child is None else child
        values = _uniform(arguments, child)
    if over is None:
        return Rule(parfactor(arguments, values, where, child=child), None, repeated, known)
    related = _by_name(over, arguments) if isinstance(over, str) else over
    if not isinstance(related, RelationAtom):
        raise InputError(f"a rule: expected a relation with its logvars, got {quoted(over)}")
    return Rule(_over(related, arguments, values, where, child), related, repeated, known)


def _last(arguments: Sequence[Atom | PRV]) -> Atom | PRV:
    if not arguments:
        raise InputError("a rule without potentials: expected at least one argument, got none")
    return arguments[-1]


def _uniform(arguments: Sequence[Atom | PRV], child: Atom | PRV) -> Table:
    """What stands for unknown potentials."""
    shape = [as_atom(argument).values for argument in arguments]
    return Table(np.ones(shape, dtype=np.int64), Fraction(1, as_atom(child).values))


def _by_name(name: str, arguments: Sequence[Atom | PRV]) -> RelationAtom:
    """The relation whose columns are named after the logvars of the arguments."""
    logvars = dict.fromkeys(v for argument in arguments for v in as_atom(argument).logvars)
    if not logvars:
        raise InputError(f"a rule over {name}: expected arguments with logvars, got none")
    return relation(name, *(logvar.name for logvar in logvars))(*logvars)


def _over(
    related: RelationAtom,
    arguments: Sequence[Atom | PRV],
    values: object,
    where: Iterable[Constraint],
    child: Atom | PRV | None,
) -> Parfactor:
    """The parfactor of a rule, checked as if individuals in a row were always different.

    Only the rows show whether they are, and whether they have to be.
    """
    name, logvars = related.relation.name, related.logvars
    for argument in arguments:
        for logvar in as_atom(argument).logvars:
            if logvar not in logvars:
                bound = ", ".join(v.name for v in logvars)
                problem = f"expected logvars among {bound}, got {logvar.name}"
                raise InputError(f"a rule over {name}: {problem}")
    constraints = checked_constraints(f"a rule over {name}", where)
    pairs = combinations(logvars, 2)
    apart = [Different(a, b) for a, b in pairs if a.domain == b.domain]
    checked = parfactor(arguments, values, (*constraints, *apart), logvars, child)
    for constraint in constraints:
        if isinstance(constraint, Unordered):
            _check_swaps(name, checked, constraint)
    return replace(checked, constraints=constraints)


def _check_swaps(name: str, parfactor: Parfactor, unordered: Unordered) -> None:
    """Refuse an unordered set if swapping its logvars requires other logvars to be swapped, too."""
    place = {logvar: index for index, logvar in enumerate(parfactor.logvars)}
    for first, second in pairwise(unordered.logvars):
        swap = list(range(len(place)))
        swap[place[first]], swap[place[second]] = place[second], place[first]
        if tuple(swap) not in symmetries(parfactor, (first, second)):
            both = f"{first.name} and {second.name}"
            raise InputError(f"a rule over {name}: expected the same if only {both} are swapped")


def _listed(items: object, item_type: type[Item], plural: str) -> tuple[Item, ...]:
    """A single item of a type as a tuple, or the items of a list."""
    listed = tuple(items) if isinstance(items, Iterable) else (items,)
    if not all(isinstance(item, item_type) for item in listed):
        raise InputError(f"a template: expected {plural}, got {shortened(quoted(items))}")
    return cast(tuple[Item, ...], listed)


@dataclass(frozen=True, repr=False)
class RuleSet:
    """Rules, and PRVs that need not occur in them."""

    rules: Sequence[Rule]
    prvs: Sequence[PRV] = ()

    def __post_init__(self) -> None:
        rules, listed = _listed(self.rules, Rule, "rules"), _listed(self.prvs, PRV, "PRVs")
        used = [atom_of(argument).prv for rule in rules for argument in rule.parfactor.arguments]
        prvs = tuple(dict.fromkeys((*listed, *used)))
        if observed := [prv.name for prv in prvs if prv.observed is not None]:
            raise InputError(f"a template: expected PRVs without evidence, got {observed[0]}")
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "prvs", prvs)
        check_names([prv.name for prv in prvs], "PRV")
        check_names([domain.name for domain in self.domains], "domain")

    def check_known(self) -> None:
        """Refuse rules without potentials."""
        for rule in self.rules:
            if not rule.known:
                names = ", ".join(argument_names(rule.parfactor.arguments))
                raise InputError(f"expected potentials of the rule on {names}: learn them first")

    @property
    def domains(self) -> tuple[Domain, ...]:
        """All domains, open or not, in the order of their first use."""
        of_prvs = (logvar.domain for prv in self.prvs for logvar in prv.logvars)
        of_rules = (logvar.domain for rule in self.rules for logvar in rule.parfactor.logvars)
        return tuple(dict.fromkeys((*of_prvs, *of_rules)))

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of all relations, in the order of their first use."""
        return tuple(
            dict.fromkeys(rule.over.relation.name for rule in self.rules if rule.over is not None)
        )
