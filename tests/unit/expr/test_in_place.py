"""Functions that change what they are given: they stay Python code, give Python's result, and nobody else sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.expr import Opaque
from headrace.plan.nodes import Aggregate, MapValues
from headrace.testing import TopologyTestDriver


@dataclass
class Order:
    amount: int
    tags: list[str]

    def double(self) -> None:
        self.amount *= 2


class Paid(TypedDict):
    amount: int
    tags: list[str]


def append(order: Any) -> Any:
    order.tags.append("seen")
    return order


def append_to_part(order: Any) -> Any:
    tags = order.tags
    tags.append("seen")
    return order


def extend_by_sign(order: Any) -> Any:
    tags = order.tags
    tags += ["seen"]
    return order


def repeat_by_sign(order: Any) -> Any:
    tags = order.tags
    tags *= 2
    return order


def sort(order: Any) -> Any:
    order.tags.sort()
    return order


def set_field(order: Any) -> Any:
    order.amount = 1
    return order


def add_to_field(order: Any) -> Any:
    order.amount += 1
    return order


def set_item_of_list(order: Any) -> Any:
    order.tags[0] = "first"
    return order


def delete_item_of_list(order: Any) -> Any:
    del order.tags[0]
    return order


def take_one(order: Any) -> Any:
    return order.tags.pop()


def own_method(order: Any) -> Any:
    order.double()
    return order


@pytest.mark.parametrize(
    ("function", "result", "reason"),
    [
        (append, Order(3, ["b", "a", "seen"]), "append() changes the value in place"),
        (append_to_part, Order(3, ["b", "a", "seen"]), "append() changes the value in place"),
        (extend_by_sign, Order(3, ["b", "a", "seen"]), "is not part of the result"),
        (repeat_by_sign, Order(3, ["b", "a", "b", "a"]), "is not part of the result"),
        (sort, Order(3, ["a", "b"]), "sort() changes the value in place"),
        (set_field, Order(1, ["b", "a"]), "`.amount = ...` changes the value in place"),
        (add_to_field, Order(4, ["b", "a"]), "`.amount = ...` changes the value in place"),
        (set_item_of_list, Order(3, ["first", "a"]), "`[...] = ...` changes the value in place"),
        (delete_item_of_list, Order(3, ["a"]), "`del` of an item changes the value in place"),
        (take_one, "a", "pop() changes the value in place"),
        (own_method, Order(6, ["b", "a"]), "is not part of the result"),
    ],
)
def test_a_record_that_is_changed(function: Callable[[Any], Any], result: object, reason: str) -> None:
    kept, given = _mapped(hr.json(Order), function, Order(3, ["b", "a"]))
    assert reason in kept.reason
    assert kept.line.startswith("test_in_place.py:")
    assert given == (result, Order(3, ["b", "a"]))


def set_item(paid: Any) -> Any:
    paid["amount"] = 1
    return paid


def delete_item(paid: Any) -> Any:
    del paid["amount"]
    return paid


def update(paid: Any) -> Any:
    paid.update(amount=2)
    return paid


def update_by_sign(paid: Any) -> Any:
    paid |= {"amount": 2}
    return paid


def clear(paid: Any) -> Any:
    paid["tags"].clear()
    return paid


@pytest.mark.parametrize("serde", [hr.json(Paid), hr.json()], ids=["typed", "untyped"])
@pytest.mark.parametrize(
    ("function", "result"),
    [
        (set_item, {"amount": 1, "tags": ["b"]}),
        (delete_item, {"tags": ["b"]}),
        (update, {"amount": 2, "tags": ["b"]}),
        (update_by_sign, {"amount": 2, "tags": ["b"]}),
        (clear, {"amount": 3, "tags": []}),
    ],
)
def test_a_dict_that_is_changed(serde: Any, function: Callable[[Any], Any], result: object) -> None:
    _, given = _mapped(serde, function, {"amount": 3, "tags": ["b"]})
    assert given == (result, {"amount": 3, "tags": ["b"]})


def test_numbers_and_texts_are_traced_with_the_same_signs() -> None:
    def added(value: int) -> int:
        value += 1
        value *= 2
        return value

    app = Builder("app")
    app.stream("in", value=hr.INT64).map_values(added).to("out")
    assert str(app.plan().of(MapValues)[0].value) == "(value + 1) * 2"


def test_a_list_that_grows_by_a_sign_stays_python_code() -> None:
    def grown(words: list[str]) -> list[str]:
        words += ["end"]
        return words

    app = Builder("app")
    lists = app.stream("in", value=hr.STRING).map_values(lambda v: v.split())
    lists.map_values(grown).flat_map_values(lambda words: words).to("out", value=hr.STRING)
    kept = app.plan().of(MapValues)[1].value
    assert isinstance(kept, Opaque)
    assert kept.reason == "`+=` changes a list[str] in place"
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("a b")
    assert [value for _, value in driver.output("out").read_all()] == ["a", "b", "end"]


def test_an_aggregate_that_grows_in_place_keeps_its_old_values() -> None:
    def noted(_: str, value: str, seen: list[str]) -> list[str]:
        seen.append(value)
        return seen

    app = Builder("app", emit="every")
    texts = app.stream("in", key=hr.STRING, value=hr.STRING)
    lists = texts.group_by_key().aggregate(list, noted, store="lists")

    def size(key: str, seen: list[str]) -> tuple[str, str]:
        return str(len(seen)), key

    lists.group_by(size).count(store="sizes")
    driver = TopologyTestDriver(app)
    for word in ("a", "b", "c"):
        driver.input("in").pipe(word, key="k")
    assert isinstance(app.plan().of(Aggregate)[0].aggregator, Opaque)
    assert driver.store("lists").all() == {"k": ["a", "b", "c"]}
    assert driver.store("sizes").all() == {"1": 0, "2": 0, "3": 1}


def _mapped(serde: Any, function: Callable[[Any], Any], value: Any) -> tuple[Opaque, tuple[Any, Any]]:
    """The function as the plan has it, its result, and what another reader of the same record sees."""
    app = Builder("app")
    stream = app.stream("in", value=serde)
    seen: list[Any] = []

    def noted(result: Any) -> str:
        seen.append(result)
        return ""

    stream.map_values(function).map_values(noted).to("out")
    stream.to("as-it-was")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe(value)
    mapped = app.plan().of(MapValues)[0].value
    assert isinstance(mapped, Opaque)
    return mapped, (seen[0], driver.output("as-it-was").read_all()[0][1])
