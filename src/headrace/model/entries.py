"""Entries: keys with their values, in order, whatever the keys are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def entries_of(pairs: Iterable[tuple[K, V]]) -> Mapping[K, V]:
    """Keys with their values: a dict, or `Entries` if there are keys that a dict does not take."""
    listed = list(pairs)
    try:
        return dict(listed)
    except TypeError:  # a key that is a dict, or a dataclass that is not frozen, has no hash
        return Entries(listed)


class Entries(Mapping[K, V]):
    """A mapping that also takes keys without a hash: dataclasses that are not frozen, lists, dicts.

    Keys are the same if they are equal. It prints as a dict does, and equals one of the same entries.

    >>> shops = Entries([({"city": "Oslo"}, 2)])
    >>> shops, shops[{"city": "Oslo"}]
    ({{'city': 'Oslo'}: 2}, 2)
    """

    def __init__(self, pairs: Iterable[tuple[K, V]]) -> None:
        self._rows = {_hashable(key): (key, value) for key, value in pairs}

    def __getitem__(self, key: K) -> V:
        try:
            return self._rows[_hashable(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{key!r}: {value!r}' for key, value in self._rows.values())}}}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._rows == Entries(other.items())._rows

    __hash__ = None  # type: ignore[assignment]


def _hashable(key: Any) -> Hashable:
    """Substitute for a key in a dict: the key, or if it has no hash, its class and its parts."""
    try:
        hash(key)
        return key  # type: ignore[no-any-return]
    except TypeError:
        pass
    if isinstance(key, dict):
        return dict, frozenset((name, _hashable(value)) for name, value in key.items())
    if isinstance(key, list | tuple):
        return type(key), tuple(map(_hashable, key))
    if is_dataclass(key):
        return type(key), tuple(_hashable(getattr(key, one.name)) for one in fields(key) if one.compare)
    return type(key), tuple((name, _hashable(value)) for name, value in vars(key).items())
