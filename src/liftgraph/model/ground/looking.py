"""Looking around in a factor graph: what every one can be asked without any inference.

What only Bayesian networks have is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from liftgraph.model.ground.graph_protocol import Graph
from liftgraph.model.ground.views import Factors, Variable, VariableNames, has
from liftgraph.model.listing import in_braces, sections

if TYPE_CHECKING:
    from liftgraph.model.ground.conditional import Conditional


class LookingAround:
    """The variables and factors of a factor graph, by name.

    Variables are given by their name or index. Iterating is over the names. There is no ``len``:
    ``variable_count`` and ``factor_count`` say which one is meant.
    """

    __slots__ = ()

    @property
    def variables(self: Graph) -> VariableNames:
        """The names of the variables, in the order of their indices."""
        return VariableNames(self)

    @property
    def factors(self: Graph) -> Factors:
        """The factors; ``factors[0]`` is called φ1 wherever factors have names."""
        return Factors(self)

    def __getitem__(self: Graph, variable: str | int) -> Variable:
        return Variable(self, self.variable(variable))

    def __contains__(self: Graph, variable: object) -> bool:
        return has(self, variable)

    def __iter__(self: Graph) -> Iterator[str]:
        return iter(VariableNames(self))

    def cpd(self: Graph, variable: str | int) -> Conditional:
        """The distribution of a variable given its parents, in a Bayesian network."""
        from liftgraph.model.ground.conditional import conditional

        return conditional(self, variable)

    @property
    def edges(self: Graph) -> tuple[tuple[str, str], ...]:
        """The arrows of a Bayesian network, as pairs of a parent and a child.

        >>> from liftgraph import datasets
        >>> datasets.asia().edges[:2]
        (('asia', 'tub'), ('smoke', 'lung'))
        """
        from liftgraph.model.ground.bayesian_network import network_arrows

        return tuple([(self.name(a), self.name(b)) for a, b in network_arrows(self)])

    def topological_order(self: Graph) -> tuple[str, ...]:
        """The variables of a Bayesian network, parents before their children.

        >>> from liftgraph import datasets
        >>> datasets.asia().topological_order()[-2:]
        ('xray', 'dysp')
        """
        from liftgraph.model.ground.bayesian_network import parents_first

        return tuple(map(self.name, parents_first(self)))

    def __str__(self: Graph) -> str:
        names, factors, observed = VariableNames(self), Factors(self), self.evidence
        variables = (f"{name} ∈ {in_braces(self.states(i))}" for i, name in enumerate(names))
        states = (f"{self.name(v)} = {self.states(v)[state]}" for v, state in observed.items())
        return sections(
            [
                ("variables", len(names), variables),
                ("factors", len(factors), (factor.text for factor in factors)),
                ("evidence", len(observed), states),
            ]
        )
