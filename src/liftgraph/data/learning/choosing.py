"""Which sources a factor is counted in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liftgraph.data.learning.learnt import Scope
from liftgraph.data.learning.skeletons import scope_of
from liftgraph.data.learning.sources import View, meant_column, observers
from liftgraph.errors import InputError
from liftgraph.model.ground.names import checked_name

CountedIn = Mapping[Sequence[str], str | Sequence[str]]


def chosen_sources(
    scopes: Sequence[Scope], views: list[View], counted_in: CountedIn
) -> list[list[View]]:
    """The sources to count each factor in: those named for its scope, or all that observe it."""
    names_of = {scope_of(scope): _listed(names) for scope, names in counted_in.items()}
    existing = set(scopes)
    for scope in names_of:
        if scope not in existing:
            raise InputError(f"counted_in: expected one of the scopes, got ({', '.join(scope)})")
    views_of = observers(views)
    chosen: list[list[View]] = []
    for factor, scope in enumerate(scopes):
        try:
            if scope in names_of:
                chosen.append(_named(scope, views, names_of[scope]))
            else:
                observing = [views_of.get(variable, []) for variable in scope]
                chosen.append(_complete(scope, views, observing))
        except InputError as error:
            raise InputError(f"factor {factor} ({', '.join(scope)}): {error}") from None
    return chosen


def _complete(scope: Scope, views: list[View], observing: list[list[View]]) -> list[View]:
    """The sources that observe every argument. ``observing``: those that observe each of them."""
    fewest = min([views, *observing], key=len)
    complete = [view for view in fewest if view.columns.keys() >= set(scope)]
    if complete:
        return complete
    unobserved = [name for name, some in zip(scope, observing, strict=True) if not some]
    came = "each observes some of them"
    if unobserved:
        came = f"none observes {', '.join(unobserved)}"
        came += meant_column(unobserved[0], views) * (len(unobserved) == 1)
    raise InputError(f"expected a source which observes all arguments, but {came}")


def _listed(names: object) -> list[str]:
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, Sequence) or not listed:
        raise InputError(f"counted_in: expected the names of sources, got {names!r}")
    return list(map(checked_name, listed))


def _named(scope: Scope, views: list[View], names: list[str]) -> list[View]:
    """The sources of these names. Precondition, checked: they observe every argument."""
    by_name = {view.name: view for view in views}
    for name in names:
        if name not in by_name:
            raise InputError(f"expected a source among {', '.join(by_name)}, got {name!r}")
        lacking = [variable for variable in scope if variable not in by_name[name].columns]
        if lacking:
            raise InputError(f"expected {name} to observe {', '.join(lacking)} too")
    return [by_name[name] for name in dict.fromkeys(names)]
