"""Every error of a join of streams, by its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import headrace as hr
import headrace.functions as F
from dsl.refusals import refused_app
from headrace.dsl import Builder, KStream
from headrace.errors import HeadraceError, OptionInvalid, StoreNeedsName, TypesDiffer
from headrace.testing import TopologyTestDriver

WITHIN = hr.join_windows("10ms")


def texts(app: Builder, topic: str = "left") -> KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def refused(kind: type[HeadraceError], declare: Callable[[Any, Any], object], *words: str) -> None:
    refused_app(kind, lambda app: declare(texts(app), texts(app, "right")), *words)


def join(a: str, b: str) -> str:
    return a + b


def test_a_join_of_streams_needs_windows() -> None:
    wanted = 'give hr.join_windows("10s"): two streams are joined within some time'
    refused(OptionInvalid, lambda left, right: left.join(right, join), "windows=None is not possible", wanted)
    refused(OptionInvalid, lambda left, right: left.left_join(right, join, hr.tumbling("1s")), wanted)


def test_a_join_with_a_table_has_none() -> None:
    refused(
        OptionInvalid,
        lambda left, right: left.join(right.to_table(), join, WITHIN),
        "give none: a table is looked up as it is when the record comes",
    )


def test_streams_are_joined_by_their_keys() -> None:
    refused(
        TypesDiffer,
        lambda left, right: left.join(right.select_key(lambda _, v: F.length(v)), join, WITHIN),
        "the joined sides have keys of two types: STRING and int",
    )


def test_an_outer_join_is_one_of_streams() -> None:
    refused(
        OptionInvalid,
        lambda left, right: left.outer_join(right.to_table(), join, WITHIN),
        "give a stream: only streams have an outer join with streams",
    )


def test_two_joins_of_the_same_streams_need_names() -> None:
    def declare(left: KStream[str, str], right: KStream[str, str]) -> None:
        left.join(right, join, WITHIN)
        left.join(right, join, WITHIN)

    refused(StoreNeedsName, declare, "there is a store at its path 'left.join-right' already")


def test_a_join_says_what_it_does_and_what_it_dropped() -> None:
    app = Builder("app")
    texts(app).left_join(texts(app, "right"), lambda a, _: a + "!", hr.join_windows("1s"), name="pairs").to("out")
    (join_node,) = (node for node in app.plan().nodes if node.op == "stream_join")
    assert join_node.detail() == "left, left + '!', within 1s, grace 0s, store pairs"
    driver = TopologyTestDriver(app)
    driver.input("left").pipe(None, key="a")
    driver.input("right").pipe("x")
    assert driver.dropped == {("pairs", "no value"): 1, ("pairs", "no key"): 1}
