"""Wrong topologies fail while they are declared or built, with the user's line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

import headrace as hr
from dsl.refusals import refused_app
from headrace.dsl import Builder, KStream, KTable
from headrace.errors import (
    EndlessLoop,
    HeadraceError,
    NameInvalid,
    NumberTooLarge,
    OptionInvalid,
    TopicReadTwoWays,
    TopicWrittenAnotherWay,
    TypesDiffer,
    UnknownName,
    WrongParameters,
    WrongType,
)

HERE = r"test_bad_input\.py:\d+"


@dataclass
class Order:
    customer: str
    amount: int


@dataclass
class Customer:
    customer: str


@dataclass
class Refund:
    customer: str
    amount: str


def texts(app: Builder, topic: str = "in") -> KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def table(app: Builder, topic: str = "rows") -> KTable[str, str]:
    return app.table(topic, key=hr.STRING, value=hr.STRING)


# -- topics that come back


def written_and_read(written: Any, read: Any) -> Callable[[Builder], object]:
    def declare(app: Builder) -> None:
        app.stream("in", key=hr.STRING, value=written).to("mid")
        app.stream("mid", key=hr.STRING, value=read).to("out")

    return declare


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (hr.STRING, hr.INT64),
        (hr.INT64, hr.INT32),
        (hr.INT64, hr.json()),
        (hr.json(Customer), hr.json(Order)),
        (hr.json(Order), hr.json(Refund)),
    ],
    ids=str,
)
def test_a_topic_that_is_read_with_another_type_than_it_is_written_with(written: Any, read: Any) -> None:
    found = refused_app(TopicWrittenAnotherWay, written_and_read(written, read))
    assert f"topic 'mid' is written as (STRING, {written}) and read as (STRING, {read})" in found
    assert re.search(f"at: {HERE} and {HERE}", found)
    assert "to do: give .to(...) the serdes that the topic is read with, or read it with those it is" in found


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (hr.STRING, hr.STRING),
        (hr.STRING, hr.BYTES),
        (hr.STRING, hr.json()),
        (hr.json(Order), hr.STRING),
        (hr.BYTES, hr.INT64),
        (hr.json(Order), hr.json()),
        (hr.json(), hr.json(Order)),
        (hr.json(Order), hr.json(Customer)),
    ],
    ids=str,
)
def test_a_topic_that_can_be_read_as_it_is_written(written: Any, read: Any) -> None:
    app = Builder("app")
    written_and_read(written, read)(app)
    assert len(app.plan().nodes) == 4


def test_a_pattern_that_reads_what_is_written_with_another_type() -> None:
    def declare(app: Builder) -> None:
        app.stream(re.compile("log-.*"), value=hr.INT64).to("out")
        texts(app).to("log-a")

    assert "topic 'log-a' is written as (STRING, STRING)" in refused_app(TopicWrittenAnotherWay, declare)


def round_trip(app: Builder) -> None:
    texts(app, "a").map_values(lambda v: v + "!").select_key(hr.value).repartition().to("b")
    texts(app, "b").peek(hr.value).merge(texts(app, "c")).to("a")


def through_a_table(app: Builder) -> None:
    table(app, "a").map_values(lambda v: v + "!").to_stream().to("a")


@pytest.mark.parametrize(
    ("declare", "topics"),
    [(lambda app: texts(app, "a").to("a"), "'a'"), (round_trip, "'a' and 'b'"), (through_a_table, "'a'")],
)
def test_records_that_never_end(declare: Callable[[Builder], object], topics: str) -> None:
    found = refused_app(EndlessLoop, declare)
    assert f"every record written to {topics} is read and written there again, for ever" in found
    assert "to do: put a filter or a branch on the way, so that a record can end, or write to another" in found


@pytest.mark.parametrize(
    "declare",
    [
        lambda app: texts(app, "a").filter(lambda _, v: v != "").map_values(lambda v: v[1:]).to("a"),
        lambda app: texts(app, "a").flat_map_values(lambda v: v.split()).to("a"),
        lambda app: texts(app, "a").split().branch(hr.value > "m").no_default_branch()["1"].to("a"),
    ],
)
def test_records_that_may_end_can_go_round(declare: Callable[[Builder], object]) -> None:
    app = Builder("app")
    declare(app)
    app.plan()


def test_one_topic_as_a_stream_and_as_a_table() -> None:
    def declare(app: Builder) -> None:
        texts(app, "a").to("out")
        table(app, "a")

    assert "topic 'a' is read as a stream and as a table" in refused_app(TopicReadTwoWays, declare)


# -- durations


@pytest.mark.parametrize("duration", ["-5s", "5", "", "5 weeks", timedelta(seconds=-5), 5, None, "99999999999999999d"])
@pytest.mark.parametrize(
    ("option", "declare"),
    [
        ("size", lambda d: hr.tumbling(d)),
        ("grace", lambda d: hr.tumbling("1s", grace=d)),
        ("size", lambda d: hr.hopping(d, advance="1s")),
        ("advance", lambda d: hr.hopping("10s", advance=d)),
        ("difference", lambda d: hr.sliding(d)),
        ("grace", lambda d: hr.sliding("1s", grace=d)),
        ("gap", lambda d: hr.session(d)),
        ("grace", lambda d: hr.session("1s", grace=d)),
        ("difference", lambda d: hr.join_windows(d)),
        ("grace", lambda d: hr.join_windows("1s", grace=d)),
        ("limit", lambda d: hr.until_time_limit(d)),
        ("history", lambda d: Builder("app").versioned_table("t", key=hr.STRING, value=hr.STRING, history=d)),
        ("size", lambda d: hr.time_windowed(hr.STRING, size=d)),
    ],
)
def test_durations(option: str, declare: Callable[[Any], object], duration: Any) -> None:
    with pytest.raises(OptionInvalid) as caught:
        declare(duration)
    found = str(caught.value)
    assert f"{option}={duration!r} is not possible" in found
    assert re.search(f"  at: {HERE}", found)
    assert "give a duration" in found or "a difference, or both before= and after=" in found


def test_a_retention_shorter_than_the_windows() -> None:
    counted = texts(Builder("app")).group_by_key().windowed_by(hr.tumbling("10s", grace="5s"))
    with pytest.raises(OptionInvalid, match="at least 15s, what tumbling 10s, grace 5s need"):
        counted.count(retention="14s")


# -- joins


def test_a_join_of_streams_without_windows() -> None:
    def declare(app: Builder) -> None:
        texts(app).join(texts(app, "other"), lambda a, b: a + b)  # type: ignore[call-overload]

    assert "two streams are joined within some time" in refused_app(OptionInvalid, declare)


def test_keys_of_two_types_never_meet() -> None:
    def declare(app: Builder) -> None:
        numbers = app.table("numbers", key=hr.INT64, value=hr.STRING)
        texts(app).join(numbers, lambda a, b: a + b)  # type: ignore[arg-type, return-value]

    assert "the joined sides have keys of two types: STRING and INT64" in refused_app(TypesDiffer, declare)


# -- functions with other arguments


five: Any = lambda a, b, c, d, e: (a, b, c, d, e)  # noqa: E731


@pytest.mark.parametrize(
    "declare",
    [
        lambda app: texts(app).filter(five),
        lambda app: texts(app).filter_not(five),
        lambda app: texts(app).map(five),
        lambda app: texts(app).map_values(five),
        lambda app: texts(app).flat_map(five),
        lambda app: texts(app).flat_map_values(five),
        lambda app: texts(app).select_key(five),
        lambda app: texts(app).group_by(five),
        lambda app: texts(app).peek(five),
        lambda app: texts(app).foreach(five),
        lambda app: texts(app).print(mapper=five),
        lambda app: texts(app).to(five),
        lambda app: texts(app).to("out", partitioner=five),
        lambda app: texts(app).repartition(partitioner=five),
        lambda app: texts(app).split().branch(five),
        lambda app: texts(app).join(texts(app, "other"), five, hr.join_windows("1s")),
        lambda app: texts(app).left_join(table(app), five),
        lambda app: texts(app).join(app.global_table("g", key=hr.STRING, value=hr.STRING), lambda a, _: a, on=five),
        lambda app: texts(app).group_by_key().reduce(five),
        lambda app: texts(app).group_by_key().aggregate("", five),
        lambda app: texts(app).group_by_key().windowed_by(hr.tumbling("1s")).reduce(five),
        lambda app: texts(app).group_by_key().windowed_by(hr.tumbling("1s")).aggregate("", five),
        lambda app: (
            texts(app).group_by_key().windowed_by(hr.session("1s")).aggregate("", lambda _k, v, _a: v, merger=five)
        ),
        lambda app: texts(app).group_by_key().cogroup(five).aggregate(""),
        lambda app: table(app).filter(five),
        lambda app: table(app).map_values(five),
        lambda app: table(app).group_by(five),
        lambda app: table(app).group_by(lambda k, v: (k, v)).reduce(five, lambda a, _: a),
        lambda app: table(app).group_by(lambda k, v: (k, v)).aggregate("", lambda _k, v, _a: v, five),
        lambda app: table(app).join(table(app, "other"), five),
        lambda app: table(app).join(table(app, "other"), lambda a, _: a, on=five),
        lambda app: table(app).to_stream(five),
        lambda app: app.stream("in", timestamp=five),
    ],
)
def test_a_function_with_the_wrong_arguments(declare: Callable[[Builder], object]) -> None:
    found = refused_app(WrongParameters, declare)
    assert "takes 5 arguments (a, b, c, d, e), it is called with" in found
    assert "to do: write it as lambda " in found


def test_an_initial_value_that_cannot_be_made() -> None:
    def declare(app: Builder) -> None:
        texts(app).group_by_key().aggregate(lambda: str(int("none")), lambda _k, v, _a: v)

    assert "one that can be called: invalid literal for int()" in refused_app(OptionInvalid, declare)


# -- expressions


def orders(app: Builder) -> KStream[str, Order]:
    return app.stream("orders", key=hr.STRING, value=hr.json(Order))


@pytest.mark.parametrize(
    ("kind", "declare", "words"),
    [
        (UnknownName, lambda s: s.map_values(lambda o: o.amout), "Order has no field amout"),
        (UnknownName, lambda s: s.map_values(lambda o: o.amout), "did you mean amount?"),
        (UnknownName, lambda s: s.map_values(lambda o: o.customer.size), "str has no field size"),
        (WrongType, lambda s: s.map_values(lambda o: o.amount + o.customer), "int + str"),
        (WrongType, lambda s: s.filter(lambda _, o: o.amount), "the predicate is int, bool is needed"),
        (
            NumberTooLarge,
            lambda s: s.map_values(lambda o: o.amount + 2**63),
            "9223372036854775808 does not fit 64",
        ),
        (NumberTooLarge, lambda s: s.filter(hr.value.amount > -(2**70)), "-1180591620717411303424 does not fit 64"),
    ],
)
def test_a_wrong_expression_names_field_type_and_line(
    kind: type[HeadraceError], declare: Callable[[KStream[str, Order]], object], words: str
) -> None:
    assert words in refused_app(kind, lambda app: declare(orders(app)))


# -- names from outside


@pytest.mark.parametrize("name", ["../../x", "", "a\n", "x" * 300, "..", "a b", "a\0b", "<img>", "$(x)", "a\u200bb"])
def test_names_of_applications_topics_and_stores(name: str) -> None:
    for declare in (
        lambda _: Builder(name),
        lambda app: texts(app, name),
        lambda app: texts(app).to(name),
        lambda app: table(app).filter(hr.value != "", store=name),
        lambda app: texts(app).filter(hr.value != "", name=name),
    ):
        assert "cannot be the name of" in refused_app(NameInvalid, declare)
