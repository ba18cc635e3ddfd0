"""Models without potentials, to be learnt: the scopes of factors, and the states of variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import Any

from liftgraph.data.learning.learnt import Scope
from liftgraph.data.learning.sources import View, coded, meant_column, observers
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import BOOLEAN, States, checked_name, state_names


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A model without potentials: scopes of factors over named variables.

    ``states``: those of all variables, or empty. ``children``: for each factor, the argument whose
    distribution it is; None if factors are not distributions.
    ``evidence``: indices of variables and of their states.
    """

    variables: tuple[str, ...]
    scopes: tuple[Scope, ...]
    states: Mapping[str, States]
    children: tuple[int, ...] | None
    evidence: Mapping[int, int]


def factor_skeleton(structure: FactorGraph | Iterable[Sequence[str]]) -> Skeleton:
    """The skeleton of a graph, or of scopes; variables come in the order of the scopes."""
    if isinstance(structure, FactorGraph):
        return _of_graph(structure, None)
    if not isinstance(structure, Iterable) or isinstance(structure, Mapping | str):
        expected = "expected a factor graph (ground it first if it is lifted) or a list of scopes"
        raise InputError(f"{expected}, got {shortened(quoted(structure))}")
    scopes = tuple(scope_of(scope) for scope in structure)
    variables = dict.fromkeys(variable for scope in scopes for variable in scope)
    return Skeleton(tuple(variables), scopes, {}, None, {})


def bayesian_skeleton(structure: object) -> Skeleton:
    """The skeleton of a Bayesian network, from such a graph, every variable's parents, or edges.

    Factors have the parents first and the child last, in the order of the children.
    """
    if isinstance(structure, FactorGraph):
        return _of_graph(structure, _children(structure))
    parents = parents_of_edges(structure)
    scopes = tuple(scope_of([*scope_of(above), child]) for child, above in parents.items())
    for variable in (variable for scope in scopes for variable in scope):
        if variable not in parents:
            raise InputError(f"expected the parents of {variable} too (an empty list if none)")
    _check_order(dict(zip(parents, scopes, strict=True)))
    return Skeleton(tuple(parents), scopes, {}, tuple(len(scope) - 1 for scope in scopes), {})


def parents_of_edges(structure: object) -> Mapping[str, Sequence[str]]:
    """Every variable's parents: as they are given, or those of edges or of a directed graph.

    Edges are pairs of a parent and a child; a directed graph has ``nodes`` and ``edges``, as that
    of networkx. Variables come in the order of the nodes, or of their first edge.

    >>> parents_of_edges([("epid", "sick"), ("travel", "sick")])
    {'epid': [], 'sick': ['epid', 'travel'], 'travel': []}
    """
    if isinstance(structure, Mapping):
        return structure
    nodes, edges = _nodes_and_edges(structure)
    parents: dict[str, list[str]] = {checked_name(node): [] for node in nodes}
    for edge in edges:
        is_pair = isinstance(edge, Sequence) and not isinstance(edge, str) and len(edge) == 2
        if not is_pair:
            problem = "expected edges as pairs of a parent and a child"
            raise InputError(f"{problem}, got {shortened(quoted(edge))}")
        above, child = map(checked_name, edge)
        if above == child:
            raise _cyclic([above, child])
        parents.setdefault(above, [])
        if above in parents.setdefault(child, []):
            raise InputError(f"expected each edge once, got {above} → {child} twice")
        parents[child].append(above)
    return parents


def _nodes_and_edges(structure: object) -> tuple[list[Any], list[Any]]:
    """Those of a directed graph; a list of edges names its nodes itself."""
    if hasattr(structure, "nodes") and hasattr(structure, "edges"):
        graph: Any = structure
        is_directed = getattr(graph, "is_directed", None)
        if is_directed is None or not is_directed():
            raise InputError(f"expected a directed graph, got {shortened(quoted(structure))}")
        return [*graph.nodes()], [*graph.edges()]
    if not isinstance(structure, Iterable) or isinstance(structure, str | bytes):
        expected = "a factor graph, the parents of each variable, or edges"
        raise InputError(f"expected {expected}, got {shortened(quoted(structure))}")
    return [], [*structure]


def _check_order(scopes: Mapping[str, Scope]) -> None:
    try:
        TopologicalSorter({child: scope[:-1] for child, scope in scopes.items()}).prepare()
    except CycleError as error:
        raise _cyclic(error.args[1]) from None


def _cyclic(cycle: Sequence[str]) -> InputError:
    problem = f"expected parents to come before their children, got the cycle {' → '.join(cycle)}"
    return InputError(f"this is not a Bayesian network: {problem}")


def scope_of(scope: object) -> Scope:
    """A scope as a tuple of different names; a string is not a list of its letters."""
    if not isinstance(scope, Sequence) or isinstance(scope, str | bytes):
        raise InputError(f"expected a scope as a list of variables, got {shortened(quoted(scope))}")
    names = tuple(map(checked_name, scope))
    if len(set(names)) < len(names):
        raise InputError(f"expected different variables in a scope, got {', '.join(names)}")
    return names


def _of_graph(graph: FactorGraph, children: tuple[int, ...] | None) -> Skeleton:
    variables = tuple(graph.variables)
    scopes = (graph.scope_of(factor) for factor in range(graph.factor_count))
    return Skeleton(
        variables,
        tuple(tuple(variables[variable] for variable in scope) for scope in scopes),
        {name: graph.states(variable) for variable, name in enumerate(variables)},
        children,
        graph.evidence,
    )


def _children(graph: FactorGraph) -> tuple[int, ...]:
    children = [0] * graph.factor_count
    for variable, factor in enumerate(own_factors(graph).tolist()):
        children[factor] = graph.scope_of(factor).index(variable)
    return tuple(children)


def all_states(
    skeleton: Skeleton, views: Sequence[View], given: Mapping[str, Sequence[str] | int]
) -> dict[str, States]:
    """The states of every variable: the skeleton's, the given ones, or the values in the data."""
    open_to_choice = set(skeleton.variables) - skeleton.states.keys()
    for variable in given:
        if variable not in open_to_choice:
            raise InputError(f"states: expected a variable of the scopes, got {quoted(variable)}")
    given_states = {variable: _checked(variable, states) for variable, states in given.items()}
    views_of = observers(views)
    return {
        variable: skeleton.states.get(variable)
        or given_states.get(variable)
        or _checked(variable, in_order(_values(variable, views_of.get(variable, []), views)))
        for variable in skeleton.variables
    }


def _checked(variable: str, states: object) -> States:
    try:
        return state_names(states)
    except InputError as error:
        raise InputError(f"states of {variable}: {error}") from None


def _values(variable: str, observing: Sequence[View], views: Sequence[View]) -> set[str]:
    """The values of a variable in the sources ``observing`` it, among all ``views``.

    Sources that call the states of a variable by different names must not go unnoticed.
    """
    view_of = {_distinct(view, variable): view for view in observing}
    for values, others in combinations(view_of, 2):
        if min(len(values), len(others)) > 1 and values.isdisjoint(others):
            names = view_of[values].name, view_of[others].name
            raise _different(variable, dict(zip(names, (values, others), strict=True)))
    if not any(view_of):
        problem = f"no source has a value of {variable}{meant_column(variable, views)}"
        raise InputError(f"{problem}: expected its states to be given")
    _check_spelling(variable, view_of)
    return set().union(*view_of)


def _distinct(view: View, variable: str) -> frozenset[str]:
    """The values of a variable in a source: integers, if all of them are such as 1.0.

    Programs write columns of integers with gaps so.
    """
    values = coded(view, view.columns[variable]).values
    whole = [value.removesuffix(".0") for value in values if value.endswith(".0")]
    return frozenset(
        whole if len(whole) == len(values) and all(map(_is_integer, whole)) else values
    )


def _check_spelling(variable: str, view_of: Mapping[frozenset[str], View]) -> None:
    """Refuse states such as true and True, 1 and 1.0, unless some source tells them apart.

    ``view_of``: a source for each set of values.
    """
    spellings: dict[str, set[str]] = {}
    for value in set().union(*view_of):
        spellings.setdefault(value.strip().casefold().removesuffix(".0"), set()).add(value)
    for alike in (values for values in spellings.values() if len(values) > 1):
        spelt = {values & alike: view.name for values, view in view_of.items() if values & alike}
        if all(len(values) == 1 for values in spelt):
            raise _different(variable, {name: values for values, name in spelt.items()})


def _different(variable: str, values_of: Mapping[str, Set[str]]) -> InputError:
    """The refusal of different states. ``values_of``: some values by the name of their source."""
    came = (f"{', '.join(in_order(values)[:5])} in {name}" for name, values in values_of.items())
    problem = f"expected the same states of {variable} in all sources, got {' and '.join(came)}"
    return InputError(f"{problem} (states={{{variable!r}: …}} allows both)")


def in_order(values: Set[str]) -> list[str]:
    """States in an order that does not depend on the data: truth, numbers by size, text as text.

    >>> in_order({"10", "9"}), in_order({"false", "true"}), in_order({"10", "9", "many"})
    (['9', '10'], ['true', 'false'], ['10', '9', 'many'])
    """
    if values <= set(BOOLEAN):
        return [state for state in BOOLEAN if state in values]
    if all(_is_integer(value) for value in values):
        return sorted(values, key=lambda value: (int(value), value))
    return sorted(values)


def _is_integer(value: str) -> bool:
    digits = value.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 1000
