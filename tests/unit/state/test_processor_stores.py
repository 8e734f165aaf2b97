"""What stores promise a processor beside their answers: values of its own, and ranges of the moment."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import headrace as hr
from headrace.errors import StoreRefused
from headrace.testing import MockProcessorContext, TopologyTestDriver


@dataclass
class Basket:
    items: list[str]


BASKETS = hr.stores.key_value("baskets", key=hr.STRING, value=hr.json(Basket))


def test_what_is_stored_does_not_change_with_the_object() -> None:
    store = MockProcessorContext().add_store(BASKETS)
    basket = Basket(["apple"])
    store.put("ann", basket)
    basket.items.append("pear")
    found = store.get("ann")
    assert found == Basket(["apple"])
    found.items.append("plum")
    assert store.get("ann") == Basket(["apple"])


def test_the_rows_of_a_table_do_not_change_with_what_a_processor_saw() -> None:
    def greedy(record: hr.Record, context: hr.ProcessorContext) -> None:
        row = context.store("baskets").get(record.key)
        row.value.items.clear()

    app = hr.App("app")
    app.table("baskets", key=hr.STRING, value=hr.json(Basket), store="baskets")
    app.stream("in", key=hr.STRING).process(greedy, stores=("baskets",))
    driver = TopologyTestDriver(app)
    driver.input("baskets").pipe(Basket(["apple"]), key="ann")
    driver.input("in").pipe(b"", key="ann")
    assert driver.store("baskets").get("ann") == Basket(["apple"])


def test_a_range_is_what_was_there_when_it_was_asked_for() -> None:
    store = MockProcessorContext().add_store(hr.stores.key_value("s", key=hr.STRING, value=hr.INT64))
    store.put_all({"a": 1, "b": 2, "c": 3})
    found = store.all()
    assert next(found) == ("a", 1)
    store.delete("b")
    store.put("bb", 4)
    store.put("c", 5)
    assert list(found) == [("b", 2), ("c", 3)]
    assert list(store.all()) == [("a", 1), ("bb", 4), ("c", 5)]


def test_several_are_put_in_their_order() -> None:
    store = MockProcessorContext().add_store(hr.stores.key_value("s", key=hr.STRING, value=hr.INT64))
    store.put_all([("a", 1), ("b", 2), ("a", None), ("b", 3)])
    assert list(store.all()) == [("b", 3)]


def test_numbers_are_ordered_by_their_bytes() -> None:
    store = MockProcessorContext().add_store(hr.stores.key_value("s", key=hr.INT32, value=hr.STRING))
    store.put_all({-1: "c", 1: "b", 0: "a"})
    assert [key for key, _ in store.all()] == [0, 1, -1]
    assert list(store.prefix_scan(b"\x00\x00\x00", hr.BYTES)) == [(0, "a"), (1, "b")]


def test_a_timestamped_value_has_a_time() -> None:
    store = MockProcessorContext().add_store(hr.stores.timestamped_key_value("s", key=hr.STRING, value=hr.STRING))
    with pytest.raises(StoreRefused, match="'x' is a str, a Timestamped"):
        store.put("a", "x")  # type: ignore[arg-type]
    with pytest.raises(StoreRefused, match="the time of a value cannot be -1"):
        store.put("a", hr.stores.Timestamped("x", -1))
    store.put("a", hr.stores.Timestamped("x", 1))
    store.put("a", hr.stores.Timestamped(None, 2))  # type: ignore[arg-type]
    assert store.get("a") is None


def test_a_session_is_a_windowed_key() -> None:
    store = MockProcessorContext().add_store(hr.stores.session("s", key=hr.STRING, value=hr.STRING, retention="1m"))
    with pytest.raises(StoreRefused, match=r"store 's': 'a' is no session: give hr.Windowed\(key, start, end\)"):
        store.put("a", "x")  # type: ignore[arg-type]
    with pytest.raises(StoreRefused, match="None is no key"):
        store.put(hr.Windowed(None, 0, 1), "x")  # type: ignore[arg-type]


def test_the_driver_shows_the_stores_of_processors() -> None:
    names = hr.stores.key_value("names", key=hr.STRING, value=hr.STRING)

    def keep(record: hr.Record, context: hr.ProcessorContext) -> None:
        context.store(names).put(record.key, record.value)

    app = hr.App("app")
    app.add_global_store(names, "names", keep, key=hr.STRING, value=hr.STRING)
    app.stream("in", key=hr.STRING, value=hr.json(Basket)).process(
        lambda record, context: context.store(BASKETS).put(record.key, record.value), stores=(BASKETS,)
    )
    driver = TopologyTestDriver(app)
    driver.store("names").put("b", "bob")
    driver.input("names").pipe("ann", key="a")
    driver.input("in").pipe(Basket(["apple"]), key="a")
    assert list(driver.store("names").all()) == [("a", "ann"), ("b", "bob")]
    assert driver.store("baskets").get("a") == Basket(["apple"])
