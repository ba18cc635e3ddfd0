"""What shards, axes and terms are called in plans and errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.terms import Axis, Counting, Term


def term_name(shards: ShardIndex, term: Term) -> str:
    """The axes of a term, with a name for each of its logvars: F(X, X'), S(X), S(X').

    Logvars over one of several parts of a domain have a number: X1, X2.
    """
    labels = list(_labels(shards, term.parts))
    return ", ".join(axis_name(shards, axis, labels) for axis in term.axes)


def shard_name(shards: ShardIndex, shard: int) -> str:
    """A shard, with logvars of its own."""
    parts = shards.world.shards[shard].parts
    labels = list(_labels(shards, parts))
    return axis_name(shards, (shard, tuple(range(len(parts)))), labels)


def _labels(shards: ShardIndex, parts: Sequence[int]) -> Iterator[str]:
    """Different names for logvars over these parts."""
    used: dict[int, int] = {}
    for part in parts:
        domain = shards.parts.listed[part].domain
        several = [p for p in shards.parts.by_domain[domain] if shards.world.sizes[p] > 1]
        name = shards.model.domains[domain].name
        number = str(several.index(part) + 1) if len(several) > 1 else ""
        yield f"{name}{number}{chr(39) * used.get(part, 0)}"
        used[part] = used.get(part, 0) + 1


def axis_name(shards: ShardIndex, axis: Axis, labels: Sequence[str]) -> str:
    """An axis, its logvars called by their labels, single individuals by their names."""
    shard, logvars = axis
    counting = shards.world.shards[shard].counting
    if counting is not None:
        return _counting_name(shards, counting, [labels[logvar] for logvar in logvars])
    return _atom_name(shards, shard, [labels[logvar] for logvar in logvars])


def _atom_name(shards: ShardIndex, shard: int, names: Sequence[str]) -> str:
    number, (parts, equal) = shards.world.shards[shard].key
    own = iter(names)
    called: dict[int, str] = {}
    for part, individual in zip(parts, equal, strict=True):
        if individual not in called:
            single = shards.world.sizes[part] == 1
            called[individual] = _individual(shards, part) if single else next(own)
    listed = ", ".join(called[individual] for individual in equal)
    name = shards.model.prvs[number].name
    return f"{name}({listed})" if listed else name


def _individual(shards: ShardIndex, part: int) -> str:
    """The name of the only individual of a part."""
    given = shards.parts.listed[part]
    number = shards.parts.first(part)
    if number < 0:  # it is the one that is in no other part
        taken = {each for domain, each in shards.parts.of if domain == given.domain}
        number = next(each for each in range(len(taken) + 1) if each not in taken)
    return shards.model.domains[given.domain].individual(number)


def _counting_name(shards: ShardIndex, counting: Counting, context: Sequence[str]) -> str:
    first = counting.slots[0]
    parts = shards.world.shards[first.shard].parts
    counted = [f"{each}*" for each in _labels(shards, [parts[p] for p in first.places])]
    inner = []
    for slot in counting.slots:
        others, own = iter(context), dict(zip(slot.places, counted, strict=True))
        size = len(shards.world.shards[slot.shard].parts)
        names = [own[p] if p in own else next(others) for p in range(size)]
        inner.append(_atom_name(shards, slot.shard, names))
    text = f"#{','.join(counted)}[{', '.join(inner)}]"
    return text.replace("*", "'" if set(counted) & {f"{name}*" for name in context} else "")
