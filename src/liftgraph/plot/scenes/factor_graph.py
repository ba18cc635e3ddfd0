"""A factor graph with its groups as colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from liftgraph.display import format_count
from liftgraph.exact import numeral
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.layout import laid_out, named_beside
from liftgraph.plot.scenes.groups import Groups, group_colours, legend
from liftgraph.plot.scenes.scene import Edge, Node, Scene, below, extent
from liftgraph.plot.text import shortened
from liftgraph.symmetry.colours.colouring import Colouring

LABELLED = 40  # factors; of more, only those in the legend are named
_CALLED = {"alpha-acp": "α-ACP", "acp": "ACP", "cp": "CP"}


def factor_graph_scene(graph: FactorGraph, found: Colouring, factor_names: bool | None) -> Scene:
    """Variables, factors and edges, groups in colours."""
    groups = group_colours(found.variable_colours, found.factor_colours)
    scene = laid_out(coloured(graph, groups))
    named = graph.factor_count <= LABELLED if factor_names is None else factor_names
    if named:
        scene = named_beside(scene, _factor_names(graph))
    caption = f"{counts(graph)}. {called(found)} found {_groups(found)}."
    caption += marks(graph, groups)
    return replace(below(scene, _legend(graph, groups, scene)), caption=caption)


def coloured(graph: FactorGraph, groups: Groups) -> Scene:
    """The graph without places."""
    variables = (_variable(graph, v, groups) for v in range(graph.variable_count))
    factors = (
        Node(f"factor-{f}", "factor", "", group, _badge(groups, group))
        for f, group in enumerate(groups.factors)
    )
    return Scene((*variables, *factors), tuple(_edges(graph)))


def _variable(graph: FactorGraph, variable: int, groups: Groups) -> Node:
    group = groups.variables[variable]
    observed = variable in graph.evidence
    label = variable_label(graph, variable)
    return Node(
        f"variable-{variable}", "variable", label, group, _badge(groups, group), observed=observed
    )


def variable_label(graph: FactorGraph, variable: int) -> str:
    """What a variable is called, with its state if that was observed."""
    name = shortened(graph.name(variable))
    if variable not in graph.evidence:
        return name
    return f"{name} = {shortened(graph.states(variable)[graph.evidence[variable]], 12)}"


def _badge(groups: Groups, group: int | None) -> str:
    return str(group + 1) if groups.numbered and group is not None else ""


def _edges(graph: FactorGraph) -> Iterator[Edge]:
    """An edge for each factor and variable in its scope."""
    for factor in range(graph.factor_count):
        for variable in dict.fromkeys(graph.factor(factor)[0]):
            yield Edge(f"variable-{variable}", f"factor-{factor}")


def _factor_names(graph: FactorGraph) -> dict[str, str]:
    return {f"factor-{number}": f"φ{number + 1}" for number in range(graph.factor_count)}


def _legend(graph: FactorGraph, groups: Groups, above: Scene) -> Scene:
    left, _, right, _ = extent(above)
    names = [shortened(graph.name(v), 20) for v in range(graph.variable_count)]
    return legend(groups, names, list(_factor_names(graph).values()), right - left)


def called(found: Colouring) -> str:
    """By what groups were found, and how alike their members have to be if not exactly."""
    about = f" with tolerance {shortened(numeral(found.tolerance))}" if found.tolerance else ""
    return f"{_CALLED[found.algorithm]}{about}"


def counts(graph: FactorGraph) -> str:
    """How much there is of a graph."""
    return (
        f"{counted(graph.variable_count, 'variable')} and {counted(graph.factor_count, 'factor')}"
    )


def counted(number: int, what: str) -> str:
    """So many things.

    >>> counted(1, "variable"), counted(2000, "factor")
    ('1 variable', '2,000 factors')
    """
    return f"{format_count(number)} {what}{'s' * (number != 1)}"


def _groups(found: Colouring) -> str:
    factors = f"{found.factor_group_count:,} of factors"
    return f"{counted(found.variable_group_count, 'group')} of variables and {factors}"


def marks(graph: FactorGraph, groups: Groups) -> str:
    """What has no colour, and what is filled, if there are such."""
    alone = None in groups.variables or None in groups.factors
    told = " Without a colour: alone in its group." * alone
    return told + " Filled: observed." * bool(graph.evidence)
