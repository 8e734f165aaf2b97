"""ttl, drop_duplicates and stores without bound: every error by its words, what describe() says, what is counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr
from headrace.dsl import Builder, KStream
from headrace.errors import NoSerde, OptionInvalid
from headrace.testing import TopologyTestDriver


def texts(app: Builder | None = None) -> KStream[str, str]:
    return (app or Builder("app")).stream("in", key=hr.STRING, value=hr.STRING)


def rows(app: Builder, **options: Any) -> hr.KTable[str, str]:
    return app.table("rows", key=hr.STRING, value=hr.STRING, **options)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: texts().group_by_key().count(ttl="0s"),
        lambda: texts().group_by_key().reduce(lambda a, b: a + b, ttl="0s"),
        lambda: texts().group_by_key().aggregate(0, lambda _, _v, n: n + 1, ttl="0s"),
        lambda: texts().group_by_key().cogroup(lambda _, _v, n: n + 1).aggregate(0, ttl="0s"),
        lambda: texts().to_table(ttl="0s"),
        lambda: rows(Builder("app"), ttl="0s"),
        lambda: rows(Builder("app")).group_by(lambda _, v: (v, 1)).count(ttl="0s"),
        lambda: rows(Builder("app")).group_by(lambda _, v: (v, v)).reduce(lambda a, _: a, lambda a, _: a, ttl="0s"),
    ],
)
def test_a_ttl_of_nothing(declare: Callable[[], object]) -> None:
    with pytest.raises(OptionInvalid, match="ttl='0s' is not possible") as caught:
        declare()
    assert "give a duration of 1 ms or more" in str(caught.value)
    assert re.search(r"  at: test_ttl\.py:\d+", str(caught.value))


@pytest.mark.parametrize(("of_rows", "theirs"), [(None, "has none"), ("2d", "has 2d")])
def test_rows_would_outlive_their_group(of_rows: str | None, theirs: str) -> None:
    grouped = rows(Builder("app"), ttl=of_rows).filter(hr.value > "a").group_by(lambda _, v: (v, 1))
    with pytest.raises(OptionInvalid, match="ttl='1d' is not possible") as caught:
        grouped.count(ttl="1d")
    wanted = f"give the table a ttl that is not longer: it {theirs}, and its rows would outlive their groups"
    assert wanted in str(caught.value)
    assert re.search(r"  at: test_ttl\.py:\d+", str(caught.value))


def test_one_topic_has_one_ttl() -> None:
    app = Builder("app")
    rows(app, ttl="1d")
    rows(app)
    with pytest.raises(
        OptionInvalid, match=r"ttl='2d' is not possible\n.*\n.*give the one at test_ttl\.py:\d+, or leave it out"
    ):
        rows(app, ttl="2d")


def test_a_ttl_is_described() -> None:
    app = Builder("app")
    texts(app).group_by_key().count(store="n", ttl="1d").to_stream().to("out")
    plan = app.plan()
    assert [node.detail() for node in plan.nodes if node.name == "n"] == ["store n, emit settled, ttl 1d"]


def test_late_records_of_a_ttl_are_counted() -> None:
    app = Builder("app")
    texts(app).to_table(store="rows", ttl="10ms")
    driver = TopologyTestDriver(app)
    for key, ts in (("a", 20), ("b", 10), ("c", 11)):
        driver.input("in").pipe("x", key=key, ts=ts)
    assert driver.store("rows").all() == {"a": "x", "c": "x"}
    assert driver.dropped == {("in.to_table", "late"): 1}


@pytest.mark.parametrize(
    ("declare", "kind", "words"),
    [
        (lambda s: s.drop_duplicates(within="0s"), OptionInvalid, "within='0s' is not possible"),
        (lambda s: s.drop_duplicates(within="-1s"), OptionInvalid, "within='-1s' is not possible"),
        (
            lambda s: s.drop_duplicates(lambda _, v: [hr.Windowed(v, 0, 1)], within="1s"),
            NoSerde,
            "no serde writes values of type list[Windowed[str]]",
        ),
    ],
)
def test_duplicates_of_nothing(declare: Callable[[KStream[str, str]], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        declare(texts())
    assert words in str(caught.value)
    assert re.search(r"  at: test_ttl\.py:\d+", str(caught.value))


def test_duplicates_are_counted_and_described() -> None:
    app = Builder("app")
    texts(app).drop_duplicates(lambda _, v: v[:1], within="10ms", store="seen", name="once").to("out")
    driver = TopologyTestDriver(app)
    for key, value, ts in (("a", "x1", 20), ("a", "x2", 25), ("a", "y", 26), (None, "x", 27), ("a", "z", 1)):
        driver.input("in").pipe(value, key=key, ts=ts)
    assert driver.output("out").read_all() == [("a", "x1"), ("a", "y")]
    assert driver.dropped == {("once", "duplicate"): 1, ("once", "no key"): 1, ("once", "late"): 1}
    (node,) = (node for node in app.plan().nodes if node.name == "once")
    assert node.detail() == "by key and value[:1], within 10ms, store seen"


def test_stores_that_grow_without_bound_are_named() -> None:
    app = hr.App("app")
    grouped = texts(app).group_by_key()
    grouped.count(store="counts")
    grouped.count(store="lasting", ttl="1d")
    grouped.reduce(lambda a, b: a + b, store="reduced")
    grouped.windowed_by(hr.tumbling("1m")).count(store="windows")
    grouped.windowed_by(hr.unlimited()).count(store="unlimited")
    table = rows(app, store="table")
    table.filter(lambda _, v: v != "", store="filtered")
    table.group_by(lambda _, v: (v, 1)).count(store="groups")
    growing = app.growing_stores()
    assert [(one.store, one.why) for one in growing] == [
        ("counts", "grows with the number of its keys"),
        ("reduced", "grows with the number of its keys"),
        ("unlimited", "grows with the number of its keys"),
        ("groups", "grows with the number of its groups"),
    ]
    assert re.fullmatch(r"test_ttl\.py:\d+", growing[0].origin)
    assert (growing[0].node, growing[0].fix) == ("counts", "ttl= or windows bound it")
    described = app.describe().splitlines()[-4:]
    assert described == [f"store {one}" for one in growing]
    assert described[0].startswith("store counts grows with the number of its keys (test_ttl.py:")


def test_an_application_that_cannot_grow_says_nothing_of_it() -> None:
    app = hr.App("app")
    texts(app).group_by_key().count(store="n", ttl="1d").to_stream().to("out")
    assert app.growing_stores() == ()
    assert "grows" not in app.describe()
