"""Every error of joins on columns and of joins of several, by its words; and what describe() says of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.errors import (
    HeadraceError,
    NameTaken,
    OptionInvalid,
    StoreNeedsName,
    TypesDiffer,
    UnknownName,
    WrongParameters,
    WrongType,
)
from headrace.plan.nodes import ForeignKeyMatch, StreamJoin

WITHIN = hr.join_windows("10ms")


@dataclass
class Order:
    sku: str
    region: str
    pieces: int


@dataclass
class Place:
    sku: str
    area: str


class World:
    """Streams and tables to be joined."""

    def __init__(self, app: Builder | None = None) -> None:
        self.app = app = app or Builder("app")
        self.orders = app.stream("orders", key=hr.STRING, value=hr.json(Order))
        self.order_rows = app.table("order-rows", key=hr.STRING, value=hr.json(Order))
        self.payments = app.stream("payments", key=hr.STRING, value=hr.json(Order))
        self.texts = app.stream("texts", key=hr.STRING, value=hr.STRING)
        self.users = app.table("users", key=hr.STRING, value=hr.STRING)
        self.numbers = app.table("numbers", key=hr.INT64, value=hr.STRING)
        self.prices = app.table("prices", key=hr.json(tuple[str, str]), value=hr.INT64)
        self.places = app.table("places", key=hr.json(Place), value=hr.INT64)
        self.globe = app.global_table("globe", key=hr.json(tuple[str, str]), value=hr.INT64)


def pair(a: Any, b: Any) -> Any:
    return (a, b)


def three(a: Any, b: Any, c: Any) -> Any:
    return (a, b, c)


def four(a: Any, b: Any, c: Any, d: Any) -> Any:
    return (a, b, c, d)


OTHERS = "a stream or a table, or several in a list"
REFUSALS: list[tuple[str, type[HeadraceError], Callable[[Any], object], tuple[str, ...]]] = [
    (
        "nothing to join with",
        OptionInvalid,
        lambda w: w.orders.join([], three, WITHIN),
        ("other=[] is not possible", "give at least one to join with"),
    ),
    ("no tables to join with", OptionInvalid, lambda w: w.users.outer_join([], three), ("other=[] is not possible",)),
    ("not a stream", OptionInvalid, lambda w: w.orders.join("payments", pair, WITHIN), ("'payments'", OTHERS)),
    ("one that is no stream", OptionInvalid, lambda w: w.orders.join([w.payments, None], three, WITHIN), (OTHERS,)),
    (
        "a table with a stream",
        OptionInvalid,
        lambda w: w.users.join(w.texts, pair),
        (
            "other=KStream(texts)",
            "give a table, or several in a list: a stream joins a table with stream.join(table, ...)",
        ),
    ),
    (
        "one of another application",
        OptionInvalid,
        lambda w: w.users.join([w.users, World(Builder("b")).users], three),
        ("other='b' is not possible", "a stream or table of this application, 'app'"),
    ),
    (
        "several streams without windows",
        OptionInvalid,
        lambda w: w.orders.join([w.users, w.payments], three),
        ("windows=None is not possible", "two streams are joined within some time"),
    ),
    (
        "several tables with windows",
        OptionInvalid,
        lambda w: w.orders.join([w.users, w.users], three, WITHIN),
        ("give none: a table is looked up as it is when the record comes",),
    ),
    (
        "an outer join of a stream with a table",
        OptionInvalid,
        lambda w: w.orders.outer_join([w.payments, w.users], three, WITHIN),
        ("other='users'", "give a stream: only streams have an outer join with streams"),
    ),
    (
        "grace for several",
        OptionInvalid,
        lambda w: w.orders.join([w.users, w.users], three, grace="1s"),
        ("grace='1s'", "give it in a join with one versioned table, in front of the others"),
    ),
    (
        "grace of streams",
        OptionInvalid,
        lambda w: w.orders.join(w.payments, pair, WITHIN, grace="1s"),
        ("grace='1s'", "give it to the windows: hr.join_windows(..., grace=...)"),
    ),
    (
        "a store for a table",
        OptionInvalid,
        lambda w: w.orders.join(w.users, pair, store="s"),
        ("store='s'", "give none: a join with a table keeps nothing of its own"),
    ),
    (
        "a joiner of two values for three",
        WrongParameters,
        lambda w: w.orders.join([w.payments, w.texts], pair, WITHIN),
        (
            "the function of join takes 2 arguments (a, b), it is called with 3 arguments: value1, value2, value3",
            "write it as lambda value1, value2, value3: ...",
        ),
    ),
    (
        "a joiner of five values for three",
        WrongParameters,
        lambda w: w.users.left_join([w.users, w.users], lambda a, b, c, d, e: a + b + c + d + e),
        ("the function of left_join takes 5 arguments (a, b, c, d, e)",),
    ),
    (
        "a joiner of one value for two",
        WrongParameters,
        lambda w: w.orders.join(w.payments, lambda a: a, WITHIN),
        ("the function of join takes 1 argument (a), it is called with 2 arguments: left, right",),
    ),
    (
        "keys that differ further on",
        TypesDiffer,
        lambda w: w.users.join([w.users, w.numbers], three),
        ("the joined sides have keys of two types: STRING and INT64",),
    ),
    (
        "a key for each",
        OptionInvalid,
        lambda w: w.orders.join([w.users, w.users], three, on=["sku", "region", "pieces"]),
        ("give a list of 2, one for each of the others: a function, names of fields, or None",),
    ),
    (
        "a key for all",
        OptionInvalid,
        lambda w: w.orders.join([w.users, w.users], three, on="sku"),
        ("on='sku' is not possible", "give a list of 2"),
    ),
    (
        "no columns",
        OptionInvalid,
        lambda w: w.orders.join(w.payments, pair, WITHIN, on=[]),
        ("on=[] is not possible", 'give a function, the name of a field, or different ones in a list: on=["sku",'),
    ),
    ("a column twice", OptionInvalid, lambda w: w.orders.join(w.prices, pair, on=["sku", "sku"]), ("different ones",)),
    (
        "a number for a column",
        OptionInvalid,
        lambda w: w.orders.join(w.prices, pair, on=["sku", 1]),
        ("on=['sku', 1]",),
    ),
    ("a number for columns", OptionInvalid, lambda w: w.orders.join(w.prices, pair, on=7), ("on=7 is not possible",)),
    (
        "a column that is not there",
        UnknownName,
        lambda w: w.orders.join(w.payments, pair, WITHIN, on=["sku", "regoin"]),
        ("Order has no field regoin", "did you mean region?"),
    ),
    (
        "a column that the other side has not",
        UnknownName,
        lambda w: w.orders.join(w.texts, pair, WITHIN, on="sku"),
        ("str has no field sku",),
    ),
    (
        "columns of two types",
        TypesDiffer,
        lambda w: w.orders.join(w.payments, pair, WITHIN, on=[("sku", "pieces")]),
        ("the joined sides have keys of two types: str and int",),
    ),
    (
        "columns that are not the key",
        TypesDiffer,
        lambda w: w.orders.join(w.users, pair, on=["sku", "region"]),
        (
            "the columns are not the key of the table: tuple[str, str] and str",
            "is brought to it with .to_stream().select_key(...).to_table()",
        ),
    ),
    (
        "columns that are not the fields of the key",
        TypesDiffer,
        lambda w: w.order_rows.join(w.places, pair, on=["sku", "region"]),
        ("the columns are not the key of the table: {'sku': str, 'region': str} and Place",),
    ),
    (
        "names of two sides where one has a key",
        OptionInvalid,
        lambda w: w.order_rows.join(w.prices, pair, on=["sku", ("region", "area")]),
        ("give names of this side alone: the other side is found by its key",),
    ),
    (
        "a function that finds another key",
        WrongType,
        lambda w: w.orders.join(w.prices, pair, on=lambda o: (o.sku, o.pieces)),
        ("the key to join on is tuple[str, int], tuple[str, str] is needed",),
    ),
    (
        "a function that finds another key to look up",
        WrongType,
        lambda w: w.orders.left_join(w.globe, pair, on=lambda o: o.sku),
        ("the key to look up is str, tuple[str, str] is needed",),
    ),
    (
        "a global table without a key",
        OptionInvalid,
        lambda w: w.orders.join([w.users, w.globe], three),
        ("on=None is not possible", "give the key to look up: on=lambda key, value: ..."),
    ),
    (
        "a negative time",
        OptionInvalid,
        lambda w: w.orders.join([w.payments, w.payments], three, hr.join_windows("-1s")),
        ("-1s",),
    ),
    (
        "a store of the name of another",
        NameTaken,
        lambda w: [w.orders.join([w.payments, w.texts], three, WITHIN, store="s") for _ in range(2)],
        ("the name 's.payments' is used twice",),
    ),
    (
        "two joins of the same streams",
        StoreNeedsName,
        lambda w: [w.orders.join([w.payments, w.texts], three, WITHIN) for _ in range(2)],
        ("there is a store at its path 'orders.join-payments' already",),
    ),
    (
        "two foreign key joins of the same tables",
        StoreNeedsName,
        lambda w: [w.order_rows.join(w.users, pair, on="sku") for _ in range(2)],
        ("there is a store at its path 'order-rows.join-users.subscribers' already",),
    ),
]


@pytest.mark.parametrize(("kind", "declare", "words"), [pytest.param(*one, id=title) for title, *one in REFUSALS])
def test_a_wrong_join(kind: type[HeadraceError], declare: Callable[[World], object], words: tuple[str, ...]) -> None:
    with pytest.raises(kind) as caught:
        declare(World())
    found = str(caught.value)
    for word in words:
        assert word in found, found
    assert re.search(r"  at: test_joins\.py:\d+", found), found


def test_a_chain_is_named_by_its_path() -> None:
    w = World()
    w.orders.join([w.payments, w.texts], three, WITHIN).to("out", value=hr.json())
    w.orders.left_join([w.payments, w.payments, w.texts], four, WITHIN, name="all").to("all")
    joins = {node.name: node.store for node in w.app.plan().of(StreamJoin)}
    assert joins == {
        "orders.join": "orders.join-payments",
        "orders.join.join": "orders.join.join-texts",
        "all.payments": "all.payments",
        "all.payments-payments": "all.payments-payments",
        "all": "all",
    }


def test_a_chain_says_what_it_does() -> None:
    w = World()
    w.texts.join([w.texts, w.texts], lambda k, a, b, c: k + a + b + c, WITHIN).to("out")
    first, last = w.app.plan().of(StreamJoin)
    assert first.detail() == "inner, (value1, value2), within 10ms, grace 0s, store texts.join-texts"
    assert str(last.joiner) == "key + value1 + value2 + value3"
    assert str(last.output()) == "(STRING, str)"


def test_the_store_of_a_foreign_key_join_is_named_by_what_it_joins() -> None:
    w = World()
    w.order_rows.join(w.users, pair, on="sku")
    w.order_rows.left_join(w.users, pair, on="region", name="by-region")
    w.order_rows.join(w.prices, pair, on=["sku", "region"], store="priced")
    stores = {node.store for node in w.app.plan().of(ForeignKeyMatch)}
    assert stores == {"order-rows.join-users.subscribers", "by-region.subscribers", "priced.subscribers"}
