"""What is refused about tables and aggregates, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import pytest

import headrace as hr
import headrace.functions as F
from cases.table import texts
from cases.tables import rows
from headrace.dsl import Builder
from headrace.errors import NoSerde, OptionInvalid, PlanError, TopicReadTwoWays, TypesDiffer, WrongParameters, WrongType
from headrace.expr import Opaque
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Changelog


def said(kind: type[PlanError], *words: str) -> pytest.RaisesExc[PlanError]:
    """Expect an error of the kind that says all of this, and the line of this file."""
    return pytest.RaisesExc(kind, check=lambda error: all(word in str(error) for word in (*words, "test_tables.py:")))


def test_a_topic_as_a_stream_and_as_a_table() -> None:
    app = Builder("app")
    texts(app)
    with said(TopicReadTwoWays, "topic 'in' is read as a stream and as a table", "read it once and share the stream"):
        app.table("in", key=hr.STRING, value=hr.STRING)


def test_a_table_read_twice_is_one() -> None:
    app = Builder("app")
    first = rows(app, store="rows")
    assert rows(app)._node is first._node
    with said(OptionInvalid, "store='other' is not possible", "give 'rows', as at tables.py:"):
        app.table("in", key=hr.STRING, value=hr.STRING, store="other")


def test_an_initial_value_that_could_be_changed_in_place() -> None:
    grouped = texts(Builder("app")).group_by_key()
    with said(
        OptionInvalid, "initial=[] is not possible", "a function that makes it anew for each key, such as lambda: []"
    ):
        grouped.aggregate([], lambda _, v, seen: [*seen, v])


def test_an_aggregate_of_another_type() -> None:
    grouped = texts(Builder("app")).group_by_key()
    with said(WrongType, "the aggregate is str, int is needed"):
        grouped.aggregate(0, lambda _, v, _n: v)
    with said(WrongType, "the reduced value is int, str is needed"):
        grouped.reduce(lambda a, _: F.length(a))  # type: ignore[arg-type,return-value]
    with said(WrongParameters, "the function of aggregate takes 2 arguments (_v, n)", "key, value, aggregate"):
        grouped.aggregate(0, lambda _v, n: n)  # type: ignore[arg-type,misc]


def test_cogrouped_streams_with_other_keys() -> None:
    app = Builder("app")
    numbers = app.stream("numbers", key=hr.INT64, value=hr.STRING).group_by_key()
    words = ("the cogrouped streams have keys of two types: str and int", "group both by the same type")
    with said(TypesDiffer, *words):
        texts(app).group_by_key().cogroup(lambda _, v, text: text + v).cogroup(numbers, lambda _, v, text: text + v)  # type: ignore[arg-type]


def test_a_group_whose_key_has_no_type() -> None:
    with said(NoSerde, "no serde writes values of type object", "say what it returns: -> str, or give key=, value="):
        rows(Builder("app")).group_by(lambda k, v: (next(iter(k)), v))


def test_an_untraced_function_keeps_its_reason_and_type() -> None:
    def shown(value: str) -> str:
        return "yes" if [*value] else "no"

    mapped = rows(Builder("app")).map_values(shown)._node
    assert isinstance(mapped.value, Opaque)  # type: ignore[attr-defined]
    assert mapped.output().value.type.name == "str"
    assert mapped.detail() == "shown()"
    assert "needs the value now" in str(mapped.value.refusal())  # type: ignore[attr-defined]
    assert rows(Builder("app")).map_values(lambda v: [*v])._node.output().value.type.name == "object"


def test_joined_sides_with_other_keys() -> None:
    app = Builder("app")
    numbers = app.table("numbers", key=hr.INT64, value=hr.STRING)
    words = ("the joined sides have keys of two types: STRING and INT64", "bring both to one type, or join on=")
    with said(TypesDiffer, *words):
        rows(app).join(numbers, lambda left, right: left + right)
    with said(TypesDiffer, *words):
        texts(app, "stream").join(numbers, lambda left, _: left)  # type: ignore[arg-type, return-value]
    with said(WrongType, "the key to join on is str, int is needed"):
        rows(app).join(numbers, lambda left, right: left + right, on=lambda value: value)


class Size(Enum):
    SMALL = "small"


@dataclass
class Order:
    size: Size


def test_enum_keys_beside_text_keys_say_how_to_convert() -> None:
    app = Builder("app")
    orders = app.stream("orders", key=hr.STRING, value=hr.json(Order))
    by_value = "join by the value of Size: .select_key(lambda key, value: key.value)"
    with said(TypesDiffer, "keys of two types: Size and STRING", by_value):
        orders.select_key(lambda _, order: order.size).join(rows(app), lambda order, _: order)  # type: ignore[arg-type, return-value]
    with said(TypesDiffer, "not the key of the table: Size and str", "on=lambda value: value.<field>.value"):
        orders.join(rows(app), lambda order, _: order, on="size")
    with said(WrongType, "the key to join on is Size, str is needed", "take the value of the member: .value"):
        orders.join(rows(app), lambda order, _: order, on=lambda order: order.size)
    orders.join(rows(app), lambda order, _: order, on=lambda order: order.size.value)


@pytest.mark.parametrize("initial", [list, list[Order], lambda: []])
def test_an_aggregate_has_the_type_that_is_annotated(initial: Callable[[], list[Order]]) -> None:
    def put_in(_: str, order: Order, orders: list[Order]) -> list[Order]:
        return [*orders, order]

    app = Builder("app")
    grouped = app.stream("orders", key=hr.STRING, value=hr.json(Order)).group_by_key()
    assert str(grouped.aggregate(initial, put_in, store="s")._node.output()) == "(STRING, list[Order])"
    windows = grouped.windowed_by(hr.tumbling("1m")).aggregate(initial, put_in, store="w")
    assert str(windows._node.output().value) == "list[Order]"
    changelogs = {node.table: str(node.value) for node in rewrite(app.plan()).of(Changelog)}
    assert changelogs == {"s": "JSON(list[Order])", "w": "JSON(list[Order])"}


def test_sides_with_other_windows() -> None:
    grouped = texts(Builder("app")).group_by_key()
    minutes = grouped.windowed_by(hr.tumbling("1m")).count(store="minutes")
    hours = grouped.windowed_by(hr.tumbling("1h")).count(store="hours")
    visits = grouped.windowed_by(hr.session("1m")).count(store="visits")
    with said(TypesDiffer, "the joined sides have keys of two types: WINDOWED STRING 60000 MS and WINDOWED STRING 36"):
        minutes.join(hours, lambda left, right: left + right)
    with said(TypesDiffer, "keys of two types: WINDOWED STRING 60000 MS and SESSION STRING"):
        minutes.left_join(visits, lambda left, _: left)
    with said(TypesDiffer, "the merged streams have keys of two types: WINDOWED STRING 60000 MS and SESSION STRING"):
        minutes.to_stream().merge(visits.to_stream())


def test_sides_of_two_applications() -> None:
    other = rows(Builder("other"))
    with said(OptionInvalid, "other='other' is not possible", "a stream or table of this application, 'app'"):
        rows(Builder("app")).left_join(other, lambda left, _: left)


def test_sides_of_the_wrong_kind() -> None:
    app = Builder("app")
    stream, table = texts(app), rows(app, "rows")
    everywhere = app.global_table("table", key=hr.STRING, value=hr.STRING)
    with said(
        OptionInvalid,
        "other=KStream(in) is not possible",
        "a table, or several in a list: a stream joins a table with stream.join",
    ):
        table.join(stream, lambda left, _: left)  # type: ignore[call-overload]
    with said(OptionInvalid, "other=GlobalKTable(table) is not possible", "a table, or several in a list"):
        table.join(everywhere, lambda left, _: left)  # type: ignore[call-overload]
    with said(OptionInvalid, "other='rows' is not possible", "a stream or a table, or several in a list"):
        stream.join("rows", lambda left, _: left)  # type: ignore[arg-type]
    with said(OptionInvalid, "other='rows' is not possible", "only streams have an outer join with streams"):
        stream.outer_join(table, lambda left, _: left, hr.join_windows("1s"))  # type: ignore[call-overload]
    with said(OptionInvalid, "other=KTable(rows) is not possible", "its changes are one: table.to_stream()"):
        stream.merge(table)  # type: ignore[arg-type]
    with said(OptionInvalid, "grouped=KStream(in) is not possible", "a grouped stream: stream.group_by_key()"):
        stream.group_by_key().cogroup(lambda _, v, text: text + v).cogroup(stream, lambda _, v, text: text + v)  # type: ignore[arg-type]
    with said(OptionInvalid, "other=KGroupedStream(in) is not possible"):
        stream.merge(stream.group_by_key())  # type: ignore[arg-type]


def test_a_global_table_needs_a_key_to_look_up() -> None:
    app = Builder("app")
    table = app.global_table("table", key=hr.STRING, value=hr.STRING)
    with said(OptionInvalid, "on=None is not possible", "the key to look up: on=lambda key, value: ..."):
        texts(app).join(table, lambda left, right: left + right)  # type: ignore[call-overload]
    with said(WrongType, "the key to look up is int, str is needed"):
        texts(app).join(table, lambda left, right: left + right, on=F.length(hr.value))
    assert app.global_table("table", key=hr.STRING, value=hr.STRING)._node is table._node


def test_a_join_with_grace_needs_history() -> None:
    app = Builder("app")
    versioned = app.versioned_table("versions", key=hr.STRING, value=hr.STRING, history="5s")
    with said(OptionInvalid, "grace='1s' is not possible", "a versioned table only: app.versioned_table(...)"):
        texts(app).join(rows(app, "rows"), lambda left, right: left + right, grace="1s")
    with said(OptionInvalid, "grace='6s' is not possible", "no more than the table's history, 5s"):
        texts(app).join(versioned.filter(hr.value > "a"), lambda left, right: left + right, grace="6s")
