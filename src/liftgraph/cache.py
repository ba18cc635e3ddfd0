"""A cache of values computed from a model: typed, bounded, and not part of the model.

A ``Memo`` is a kind of value that is worth keeping, such as the lifted model of a graph for each
tolerance. It is declared where the value is computed; the cache of a model holds at most a fixed
number of values of each kind.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache:
    """Values by kind and key; the ones used most recently stay."""

    def __init__(self) -> None:
        self._values: dict[Memo[Any, Any], OrderedDict[Hashable, Any]] = {}
        self._sizes: dict[Memo[Any, Any], int] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return sum(map(len, self._values.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Memo(Generic[Key, Value]):
    """A kind of value that caches keep. ``title``: its name; ``most``: how many a cache keeps.

    If values have a ``size``, this is how large they may be together; a larger one is not kept.
    Each is a kind of its own, even if another has the same title.

    >>> squares: Memo[int, int] = Memo("squares", most=2)
    >>> cache = Cache()
    >>> [squares.get(cache, n, lambda n=n: n * n) for n in (1, 2, 3, 3)], len(cache)
    ([1, 4, 9, 9], 2)
    """

    title: str
    most: int
    size: Callable[[Value], int] = lambda value: 1

    def get(self, cache: Cache, key: Key, compute: Callable[[], Value]) -> Value:
        """The value for a key: the one in the cache, or a new one, which the cache then keeps."""
        try:
            kept = cache._values[self]
            value: Value = kept[key]
            kept.move_to_end(key)
        except KeyError:  # not yet there, or another thread has just dropped it
            value = compute()
            self._keep(cache, key, value)
        return value

    def find(self, cache: Cache, key: Key) -> Value | None:
        """The value that the cache holds for a key, if it does."""
        try:
            kept = cache._values[self]
            value: Value = kept[key]
            kept.move_to_end(key)
        except KeyError:
            return None
        return value

    def _keep(self, cache: Cache, key: Key, value: Value) -> None:
        """Keep a value; those that were not used for longest make room for it."""
        size = self.size(value)
        if size > self.most:
            return
        with cache._lock:
            kept = cache._values.setdefault(self, OrderedDict())
            total = cache._sizes.get(self, 0)
            if key in kept:
                total -= self.size(kept.pop(key))
            while total + size > self.most:
                total -= self.size(kept.popitem(last=False)[1])
            kept[key] = value
            cache._sizes[self] = total + size

    def has(self, cache: Cache, key: Key) -> bool:
        """Whether a cache holds the value for a key."""
        return key in cache._values.get(self, ())


class Cached:
    """A frozen dataclass with a cache that copies and pickles do not include."""

    @property
    def cache(self) -> Cache:
        """What was computed from this object."""
        cache: Cache | None = self.__dict__.get("_cache")
        return self.__dict__.setdefault("_cache", Cache()) if cache is None else cache

    def sharing_cache(self, other: Cached) -> None:
        """Use the cache of another object. Precondition: what it holds is true of both."""
        self.__dict__["_cache"] = other.cache

    def __getstate__(self) -> dict[str, Any]:
        names = [attribute.name for attribute in fields(self)]  # type: ignore[arg-type]
        return {name: self.__dict__[name] for name in names}
