"""A store is found again by its name: no name may hang on the order of lines."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import headrace as hr
from headrace.dsl import Builder, KStream
from headrace.errors import ChangelogNameTaken, NameTaken, StoreNeedsName
from headrace.plan.nodes import Count

Texts = KStream[str, str]
WITHIN = hr.join_windows("1s")


def texts(app: Builder) -> Texts:
    return app.stream("in", key=hr.STRING, value=hr.STRING)


def a(stream: Texts) -> Texts:
    return stream.filter(hr.value == "a")


def b(stream: Texts) -> Texts:
    return stream.filter(hr.value == "b")


def behind_filters(stream: Texts) -> None:
    a(stream).group_by_key().count()
    b(stream).group_by_key().count()


def one_named(stream: Texts) -> None:
    a(stream).group_by_key().count(store="mine")
    b(stream).group_by_key().count()


def far_behind(stream: Texts) -> None:
    a(stream).map_values(lambda v: v.upper()).group_by_key().count()
    b(stream).to("out")


def twin_that_goes_nowhere(stream: Texts) -> None:
    a(stream).group_by_key().count()
    b(stream)


def twin_with_the_path_for_a_name(stream: Texts) -> None:
    stream.filter(hr.value == "b", name="in.filter").to("out")
    a(stream).group_by_key().count()


def merges(stream: Texts) -> None:
    stream.merge(stream.filter(hr.value == "a", name="a")).group_by_key().count()
    stream.merge(stream.filter(hr.value == "b", name="b")).to("out")


def right_of_a_join(stream: Texts) -> None:
    stream.filter(hr.value == "b", name="b").join(a(stream), lambda x, y: x + y, hr.join_windows("1s")).to("out")
    b(stream).to("out")


def splits(stream: Texts) -> None:
    stream.split("x-").branch(hr.value == "a", name="a").no_default_branch()["x-a"].group_by_key().count()
    stream.split("y-").branch(hr.value == "b", name="b").no_default_branch()["y-b"].to("out")


def branches_by_position(stream: Texts) -> None:
    ways = stream.split("x-").branch(hr.value == "a").branch(hr.value == "b").no_default_branch()
    ways["x-1"].group_by_key().count()
    ways["x-2"].to("out")


@pytest.mark.parametrize(
    "declare",
    [
        behind_filters,
        one_named,
        far_behind,
        twin_that_goes_nowhere,
        twin_with_the_path_for_a_name,
        merges,
        right_of_a_join,
        splits,
        branches_by_position,
    ],
)
def test_a_twin_on_the_way(declare: Callable[[Texts], None]) -> None:
    app = Builder("app")
    declare(texts(app))
    with pytest.raises(
        StoreNeedsName, match=r"the (count|stream_join) at test_store_names\.py:\d+ needs a name for its store"
    ) as no:
        app.plan()
    assert re.search(r"\n  at: test_store_names\.py:\d+ and test_store_names\.py:\d+\n", str(no.value))
    assert "give it one with store=...: state is found again by it after a restart" in str(no.value)


def test_the_words() -> None:
    app = Builder("app")
    behind_filters(texts(app))
    with pytest.raises(StoreNeedsName) as needed:
        app.plan()
    assert "only the order of two lines tells which 'in.filter' it belongs to" in str(needed.value)
    first, second = (one.origin for one in app._declared.nodes if one.op == "filter")
    assert needed.value.where == f"{first} and {second}"


def named_stores(stream: Texts) -> None:
    a(stream).group_by_key().count(store="one")
    b(stream).group_by_key().count(store="two")
    stream.group_by_key().count(store="three")
    stream.group_by_key().count(store="four")


def named_operator(stream: Texts) -> None:
    a(stream).to("out")
    stream.filter(hr.value == "b", name="b").map_values(lambda v: v.upper()).group_by_key().count()


def behind_a_named_store(stream: Texts) -> None:
    counts = a(stream).group_by_key().count(store="one")
    b(stream).group_by_key().count(store="two")
    counts.to_stream().group_by_key().count()


def one_numbered_branch_and_the_rest(stream: Texts) -> None:
    ways = stream.split().branch(hr.value == "a").default_branch()
    ways["1"].group_by_key().count()
    ways["0"].group_by_key().count()


@pytest.mark.parametrize(
    ("declare", "stores"),
    [
        (lambda stream: a(stream).group_by_key().count(), {"in.filter.count"}),
        (named_stores, {"one", "two", "three", "four"}),
        (named_operator, {"b.map_values.count"}),
        (behind_a_named_store, {"one", "two", "one.to_stream.count"}),
        (one_numbered_branch_and_the_rest, {"in.split.1.count", "in.split.0.count"}),
    ],
)
def test_names_that_last(declare: Callable[[Texts], None], stores: set[str]) -> None:
    app = Builder("app")
    declare(texts(app))
    assert {count.store for count in app.plan().of(Count)} == stores


def joined(app: Builder, store: str | None = "j") -> None:
    texts(app).join(app.stream("b", key=hr.STRING, value=hr.STRING), lambda x, y: x + y, WITHIN, store=store)


def counted(app: Builder, store: str) -> None:
    texts(app).group_by_key().count(store=store)


def added(app: Builder, store: str) -> None:
    app.add_state_store(hr.stores.key_value(store, key=hr.STRING, value=hr.STRING))


@pytest.mark.parametrize("other", [counted, added])
@pytest.mark.parametrize("store", ["j.left", "j.right"])
def test_both_sides_of_a_join_have_stores_of_their_own(other: Callable[[Builder, str], None], store: str) -> None:
    app = Builder("app")
    joined(app)
    with pytest.raises(NameTaken, match=f"the name '{store}' is used twice"):
        other(app, store)
    app = Builder("app")
    other(app, store)
    with pytest.raises(NameTaken, match=f"the name '{store}' is used twice"):
        joined(app)


def test_a_path_is_no_name_where_a_store_was_added_under_it() -> None:
    app = Builder("app")
    added(app, "in.join-b.right")
    with pytest.raises(StoreNeedsName, match=r"there is a store at its path 'in\.join-b\.right' already"):
        joined(app, store=None)


@pytest.mark.parametrize("used", ["read", "written", "matched"])
def test_a_changelog_has_its_topic_for_itself(used: str) -> None:
    app = hr.App("shop")
    orders = app.stream("orders", key=hr.STRING, value=hr.STRING)
    orders.group_by_key().count(store="n")
    if used == "written":
        orders.to("shop-n-changelog")
    else:
        topic = "shop-n-changelog" if used == "read" else re.compile("shop-.*")
        app.stream(topic, key=hr.STRING, value=hr.INT64).foreach(lambda *_: None)
    with pytest.raises(ChangelogNameTaken) as refused:
        app.describe()
    verb = "written" if used == "written" else "read"
    assert str(refused.value).startswith(
        f"topic 'shop-n-changelog' is the changelog of store 'n', and is {verb} as well"
    )
    app.queryable = False
    app.describe()
