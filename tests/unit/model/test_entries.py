"""Entries of any keys."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from headrace.model.entries import Entries, entries_of
from headrace.model.windows import Windowed


@dataclass
class Shop:
    city: str
    tags: list[str]
    seen: int = field(default=0, compare=False)


class Model:
    """Compares by its fields and has no hash, as a pydantic model."""

    def __init__(self, city: str) -> None:
        self.city = city

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def test_keys_that_have_a_hash_make_a_dict() -> None:
    assert type(entries_of([("b", 1), ("a", 2)])) is dict


@pytest.mark.parametrize(
    ("key", "same", "other"),
    [
        (Shop("Oslo", ["a"], 1), Shop("Oslo", ["a"], 2), Shop("Oslo", ["b"])),
        ({"a": [1], "b": 2}, {"b": 2, "a": [1]}, {"a": [1]}),
        ([1, {"a": 2}], [1.0, {"a": 2}], [1]),
        (Windowed(Shop("Oslo", []), 0, 10), Windowed(Shop("Oslo", []), 0, 10), Windowed(Shop("Oslo", []), 0, 11)),
        (Model("Oslo"), Model("Oslo"), Model("Bergen")),
    ],
    ids=["dataclass", "dict", "list", "windowed", "object"],
)
def test_keys_without_a_hash_are_found_by_what_they_are(key: object, same: object, other: object) -> None:
    entries = entries_of([(key, 7), ("plain", 8)])
    assert isinstance(entries, Entries)
    assert (entries[same], entries["plain"], entries.get(other), other in entries, len(entries)) == (
        7,
        8,
        None,
        False,
        2,
    )
    assert list(entries) == [key, "plain"]
    assert (entries == Entries([("plain", 8), (same, 7)]), entries == {"plain": 8}, entries == 7) == (
        True,
        False,
        False,
    )
    with pytest.raises(KeyError, match=r"Oslo|1|a"):
        entries[other]
