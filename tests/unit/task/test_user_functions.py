"""A user's function that raises, in every operator: the error names the node, the reason and the record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

import headrace as hr
from headrace.dsl import Builder, KStream, KTable
from headrace.errors import RecordFailed
from headrace.plan.nodes import Changelog, DeadLetters, GlobalStore, Node
from headrace.testing import TopologyTestDriver


def boom(*_: Any) -> NoReturn:
    raise LookupError("no such shop")


async def boom_later(_: str) -> str:
    boom()


def no_id(*_: Any) -> str:
    boom()


def texts(app: Builder, topic: str = "in") -> KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def table(app: Builder, topic: str = "in") -> KTable[str, str]:
    return app.table(topic, key=hr.STRING, value=hr.STRING, store=topic)


def grouped(app: Builder) -> Any:
    return texts(app).group_by_key()


def by_value(app: Builder) -> Any:
    return table(app).group_by(lambda k, v: (v, k))


def others(app: Builder) -> Any:
    return app.global_table("other", key=hr.STRING, value=hr.STRING)


def first(*values: Any) -> Any:
    return values[0]


class Initial:
    """Makes a value once, when its type is looked at, and fails from then on."""

    def __init__(self) -> None:
        self.made = False

    def __call__(self) -> str:
        if self.made:
            boom()
        self.made = True
        return ""


def last(_: str, value: str, __: str) -> str:
    return value


SESSIONS = hr.session("1s")
CASES: dict[str, Callable[[Builder], Any]] = {
    "filter": lambda app: texts(app).filter(boom).to("out"),
    "filter_not": lambda app: texts(app).filter_not(boom).to("out"),
    "map": lambda app: texts(app).map(boom).print(),
    "map_values": lambda app: texts(app).map_values(boom).print(),
    "map_values async": lambda app: texts(app).map_values(boom_later).print(),
    "map_batches": lambda app: texts(app).map_batches(boom).print(),
    "flat_map": lambda app: texts(app).flat_map(boom).print(),
    "flat_map_values": lambda app: texts(app).flat_map_values(boom).print(),
    "select_key": lambda app: texts(app).select_key(boom).print(),
    "peek": lambda app: texts(app).peek(boom),
    "drop_duplicates": lambda app: texts(app).drop_duplicates(no_id, within="1s").to("out"),
    "foreach": lambda app: texts(app).foreach(boom),
    "print": lambda app: texts(app).print(mapper=boom),
    "split": lambda app: texts(app).split().branch(boom).default_branch()["0"].to("out"),
    "to-out": lambda app: texts(app).to("out", partitioner=lambda *_: boom()),
    "to": lambda app: texts(app).to(lambda _k, _v: boom()),
    "repartition": lambda app: texts(app).repartition(partitioner=lambda *_: boom()).to("out"),
    "in": lambda app: app.stream("in", key=hr.STRING, value=hr.STRING, timestamp=lambda _k, _v: boom()).to("out"),
    "in versioned": lambda app: app.versioned_table(
        "in", key=hr.STRING, value=hr.STRING, history="1h", timestamp=lambda _k, _v: boom()
    ),
    "reduce": lambda app: grouped(app).reduce(boom),
    "aggregate": lambda app: grouped(app).aggregate("", boom),
    "aggregate initial": lambda app: grouped(app).aggregate(Initial(), last),
    "cogroup": lambda app: grouped(app).cogroup(boom).aggregate(""),
    "cogroup initial": lambda app: grouped(app).cogroup(last).aggregate(Initial()),
    "windowed.reduce": lambda app: grouped(app).windowed_by(hr.tumbling("1s")).reduce(boom),
    "windowed.aggregate": lambda app: grouped(app).windowed_by(hr.hopping("2s", advance="1s")).aggregate("", boom),
    "windowed.aggregate initial": lambda app: grouped(app).windowed_by(hr.tumbling("1s")).aggregate(Initial(), last),
    "windowed.aggregate sliding": lambda app: grouped(app).windowed_by(hr.sliding("1s")).aggregate("", boom),
    "windowed.aggregate session": lambda app: grouped(app).windowed_by(SESSIONS).aggregate("", boom, merger=last),
    "windowed.aggregate merger": lambda app: grouped(app).windowed_by(SESSIONS).aggregate("", last, merger=boom),
    "windowed.cogroup.1": lambda app: grouped(app).cogroup(boom).windowed_by(hr.tumbling("1s")).aggregate(""),
    "join": lambda app: texts(app).join(texts(app, "other"), boom, hr.join_windows("1s")).print(),
    "left_join": lambda app: texts(app).left_join(table(app, "other"), boom).print(),
    "join global": lambda app: texts(app).join(others(app), boom, on=hr.key).print(),
    "join on": lambda app: texts(app).join(others(app), first, on=lambda _k, _v: boom()).print(),
    "filter table": lambda app: table(app).filter(boom),
    "map_values table": lambda app: table(app).map_values(boom),
    "group_by": lambda app: table(app).group_by(failing_pair).count(store="n"),
    "group_by.reduce": lambda app: by_value(app).reduce(boom, boom),
    "group_by.aggregate": lambda app: by_value(app).aggregate("", boom, boom),
    "group_by.aggregate initial": lambda app: by_value(app).aggregate(Initial(), last, last),
    "join table": lambda app: table(app).join(table(app, "other"), boom, store="joined"),
    "join.subscribe": lambda app: table(app).join(table(app, "other"), first, on=failing_key),
    "join foreign": lambda app: table(app).join(table(app, "other"), boom, on=lambda v: v),
    "to_stream.select_key": lambda app: table(app).to_stream(boom).print(),
}


def failing_pair(*_: str) -> tuple[str, str]:
    boom()


def failing_key(_: str) -> str:
    boom()


@pytest.mark.parametrize("name", CASES)
def test_a_function_that_raises_names_node_reason_and_record(name: str) -> None:
    app = Builder("app", emit="every")
    CASES[name](app)
    driver = TopologyTestDriver(app)
    with pytest.raises(RecordFailed) as caught:
        if any(getattr(node, "topics", ()) == ("other",) for node in app.plan().nodes):
            driver.input("other").pipe("v", key="k")
            driver.input("other").pipe("v", key="v")
        for value in ("v", "v", "w"):
            driver.input("in").pipe(value, key="k")
    path = name.split()[0]
    node = path if path == "in" else f"in.{path}"
    assert re.match(
        rf"{re.escape(node)} \(test_user_functions.py:\d+\) failed on a record: no such shop", str(caught.value)
    )
    assert re.fullmatch(r"in-0@[012]", caught.value.where or ""), caught.value.where
    assert isinstance(caught.value.__cause__, LookupError)


def test_every_parameter_that_is_a_function_is_here() -> None:
    covered = {type(node) for declare in CASES.values() for node in _nodes(declare)}
    with_functions = {
        kind
        for kind in _kinds(Node)  # type: ignore[type-abstract]
        if any("Bound" in str(one.type) or "Fold" in str(one.type) for one in kind.__dataclass_fields__.values())
        and kind.__module__.startswith("headrace.")
        and hasattr(kind, "op")
    }
    inherited = {GlobalStore, DeadLetters, Changelog}  # the records of one have their own times, the topics have names
    assert {kind.__name__ for kind in with_functions - covered - inherited} == set()


def _nodes(declare: Callable[[Builder], Any]) -> tuple[Node, ...]:
    app = Builder("app")
    declare(app)
    return app.plan().nodes


def _kinds(root: type[Node]) -> set[type[Node]]:
    return {root}.union(*(_kinds(kind) for kind in root.__subclasses__()))


# -- results of the wrong shape


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda app: texts(app).map(three).print(), "in.map ... (1, 2, 3) is not (key, value)"),
        (lambda app: texts(app).map(number).print(), "in.map ... 7 is not (key, value)"),
        (lambda app: texts(app).flat_map(number).print(), "in.flat_map ... 7 is not a list"),
        (
            lambda app: texts(app).flat_map(threes).print(),
            "in.flat_map ... (1, 2, 3) is not (key, value)",
        ),
        (lambda app: texts(app).flat_map_values(number).print(), "in.flat_map_values ... 7 is not a list"),
        (lambda app: texts(app).flat_map_values(failing).print(), "in.flat_map_values ... no such shop"),
        (
            lambda app: table(app).group_by(three).count(store="n"),
            "in.group_by ... (1, 2, 3) is not (key, value)",
        ),
        (
            lambda app: texts(app).select_key(wrong_key).group_by_key().count(),
            "in.select_key.count ... 7 is a int, str is needed",
        ),
        (lambda app: texts(app).map_values(wrong).to("out"), "in.map_values.to-out ... 7 is a int, str is needed"),
        (
            lambda app: texts(app).map_values(huge).print(),
            "in.map_values ... 18446744073709551616 does not fit",
        ),
    ],
)
def test_a_result_of_the_wrong_shape(declare: Callable[[Builder], Any], words: str) -> None:
    app = Builder("app")
    declare(app)
    with pytest.raises(RecordFailed) as caught:
        TopologyTestDriver(app).input("in").pipe("v", key="k")
    node, reason = words.split(" ... ")
    assert caught.value.what.startswith(f"{node} (test_user_functions.py:")
    assert reason in caught.value.what
    assert caught.value.where == "in-0@0"


def number(_key: str, value: str) -> Any:
    return 7 if value else None


def three(_key: str, value: str) -> tuple[str, str]:
    return (1, 2, 3) if value else ("", "")  # type: ignore[return-value]


def threes(_key: str, value: str) -> list[tuple[str, str]]:
    return [three("", value)]


def failing(_key: str, value: str) -> Iterator[str]:
    yield value
    boom()


def wrong_key(_key: str, value: str) -> str:
    return 7 if value else ""  # type: ignore[return-value]


def wrong(value: str) -> str:
    return 7 if value else ""  # type: ignore[return-value]


def huge(value: str) -> int:
    return 2**64 if value else 1
