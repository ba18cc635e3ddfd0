"""Which sources a factor is counted in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liftgraph.data.learning.learnt import Scope
from liftgraph.data.learning.sources import View, observers
from liftgraph.data.learning.structures import scope_of
from liftgraph.errors import InputError
from liftgraph.model.ground.names import checked_name

CountedIn = Mapping[Sequence[str], str | Sequence[str]]


def chosen_sources(
    scopes: Sequence[Scope], seen: list[View], counted_in: CountedIn
) -> list[list[View]]:
    """The sources that each factor is counted in: those named for its scope, or all that can."""
    named = {scope_of(scope): _listed(names) for scope, names in counted_in.items()}
    known = set(scopes)
    for scope in named:
        if scope not in known:
            raise InputError(f"counted_in: expected one of the scopes, got ({', '.join(scope)})")
    observing = observers(seen)
    chosen: list[list[View]] = []
    for number, scope in enumerate(scopes):
        try:
            found = [seen, *(observing.get(name, []) for name in scope)]
            names = named.get(scope)
            chosen.append(_complete(scope, found) if names is None else _called(scope, seen, names))
        except InputError as error:
            raise InputError(f"factor {number} ({', '.join(scope)}): {error}") from None
    return chosen


def _complete(scope: Scope, observing: list[list[View]]) -> list[View]:
    """The sources that observe every argument, of those that observe each."""
    found = [view for view in min(observing, key=len) if view.columns.keys() >= set(scope)]
    if found:
        return found
    unseen = [name for name, some in zip(scope, observing[1:], strict=True) if not some]
    came = f"nobody observes {', '.join(unseen)}" if unseen else "each observes some of them"
    raise InputError(f"expected a source that observes all arguments, but {came}")


def _listed(names: object) -> list[str]:
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, Sequence) or not listed:
        raise InputError(f"counted_in: expected the names of sources, got {names!r}")
    return list(map(checked_name, listed))


def _called(scope: Scope, seen: list[View], names: list[str]) -> list[View]:
    """The sources of these names, if they observe every argument."""
    by_name = {view.name: view for view in seen}
    for name in names:
        if name not in by_name:
            raise InputError(f"expected a source among {', '.join(by_name)}, got {name!r}")
        lacking = [each for each in scope if each not in by_name[name].columns]
        if lacking:
            raise InputError(f"expected {name} to observe {', '.join(lacking)} too")
    return [by_name[name] for name in dict.fromkeys(names)]
