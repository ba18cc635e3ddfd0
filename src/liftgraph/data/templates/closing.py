"""Parts of a template with the individuals that data gave to its open domains.

And which of its PRVs have variables only where these data mention them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import PRV, Atom, Parfactor, atom_of


@dataclass(frozen=True)
class Closed:
    """Parts of a template with closed domains. ``domains``: the closed one for each of its own."""

    domains: Mapping[Domain, Domain]

    def logvar(self, logvar: LogVar) -> LogVar:
        return LogVar(logvar.name, self.domains[logvar.domain])

    def constraint(self, constraint: Constraint) -> Constraint:
        if isinstance(constraint, Unordered):
            return Unordered(tuple(map(self.logvar, constraint.logvars)))
        return Different(self.logvar(constraint.first), self.logvar(constraint.second))

    def prv(self, prv: PRV) -> PRV:
        logvars = tuple(map(self.logvar, prv.logvars))
        constraints = tuple(map(self.constraint, prv.constraints))
        return replace(prv, logvars=logvars, constraints=constraints)

    def atom(self, atom: Atom) -> Atom:
        return Atom(self.prv(atom.prv), tuple(map(self.logvar, atom.logvars)))

    def parfactor(self, parfactor: Parfactor) -> Parfactor:
        arguments = tuple(self.atom(atom_of(argument)) for argument in parfactor.arguments)
        logvars = tuple(map(self.logvar, parfactor.logvars))
        constraints = tuple(map(self.constraint, parfactor.constraints))
        table, child = parfactor.table, parfactor.child
        return Parfactor(arguments, logvars, table, constraints, child=child)


def sparse_prvs(
    prvs: Sequence[PRV], everywhere: Iterable[Parfactor], somewhere: Iterable[Parfactor]
) -> set[PRV]:
    """PRVs of several logvars that have variables only where rows or evidence mention them.

    ``everywhere``: the rules that hold for all substitutions; ``somewhere``: those that hold for
    some rows.
    """
    dense, mentioned = (
        {atom_of(argument).prv for rule in rules for argument in rule.arguments}
        for rules in (everywhere, somewhere)
    )
    return {prv for prv in prvs if len(prv.logvars) > 1 and prv in mentioned - dense}
