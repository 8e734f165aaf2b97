"""What a topology keeps, and which changes of it its checkpoint bears."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import StateChanged
from headrace.passes.pipeline import rewrite
from headrace.runtime.checkpoint import Checkpoint, Layout
from headrace.runtime.kept import Evolution, Stages, kept

Declare = Callable[[hr.App], object]


def stages(declare: Declare) -> Stages:
    app = hr.App("a")
    declare(app)
    return kept(rewrite(app.plan()))


def misfits(there: Stages, here: Stages) -> list[str]:
    return Evolution.of(there, here).misfits


def texts(app: hr.App, topic: str = "in") -> hr.KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def counted(app: hr.App) -> None:
    texts(app).group_by_key().count(store="n").to_stream().to("out")


def grown(app: hr.App) -> None:
    counted(app)
    texts(app).group_by_key().reduce(lambda a, _: a, store="added")


def twice(app: hr.App) -> None:
    counts = texts(app).group_by_key().count(store="n").to_stream()
    counts.group_by(lambda _, v: v).count(store="m").to_stream().to("out")


def test_owners_of_keys_in_words() -> None:
    def declare(app: hr.App) -> None:
        stream = texts(app)
        stream.group_by_key().count(store="kept")
        stream.group_by(lambda _, v: v).count(store="moved")
        stream.repartition(2).group_by_key().count(store="two")
        stream.repartition(partitioner=lambda _k, _v, n: n - 1).group_by_key().count(store="last")

    [found] = stages(declare)
    assert {name: account["tasks"] for name, account in found.items()} == {
        "kept": "source in",
        "moved": "hash",
        "two": "hash into 2",
        "last": "partition partitions - 1",
    }


@pytest.mark.parametrize(
    "declare",
    [
        lambda app: texts(app).filter(hr.value != "").map_values(lambda v: v + "!").group_by_key().count(store="n"),
        lambda app: app.stream("in", key=hr.STRING, value=hr.INT64).group_by_key().count(store="n", emit="every"),
        grown,
    ],
    ids=["stateless nodes", "values that are not kept", "another store"],
)
def test_changes_that_fit(declare: Declare) -> None:
    assert misfits(stages(counted), stages(declare)) == []


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda app: texts(app).to("out"), "it keeps state in no stage, it was kept in 1 stage"),
        (twice, "it keeps state in 2 stages, it was kept in 1 stage"),
        (
            lambda app: texts(app).group_by_key().count(store="other"),
            "store 'n' is not there any more",
        ),
        (
            lambda app: app.stream("in", key=hr.INT64).group_by_key().count(store="n"),
            "the key type of store 'n' is int, it was str",
        ),
        (
            lambda app: texts(app).group_by_key().aggregate(0, lambda _k, _v, n: n + 1, store="n"),
            "the operator of store 'n' is aggregate, it was count",
        ),
        (
            lambda app: texts(app).group_by(lambda _, v: v).count(store="n"),
            "the rule for the task of a key of store 'n' is hash, it was source in",
        ),
        (
            lambda app: app.stream("in", key=hr.STRING, timestamp="partition_time").group_by_key().count(store="n"),
            "it keeps state in 2 stages, it was kept in 1 stage",
        ),
    ],
)
def test_changes_that_do_not_fit(declare: Declare, words: str) -> None:
    assert words in misfits(stages(counted), stages(declare))


def test_a_store_that_moves_to_another_stage() -> None:
    def turned(app: hr.App) -> None:
        counts = texts(app).group_by_key().count(store="m").to_stream()
        counts.group_by(lambda _, v: v).count(store="n").to_stream().to("out")

    assert "store 'n' is in stage 2, it was in stage 1" in misfits(stages(twice), stages(turned))


def windowed(size: str, **options: str) -> Declare:
    def declare(app: hr.App) -> None:
        windows = hr.tumbling(size, **options)
        texts(app).group_by_key().windowed_by(windows).count(store="n")

    return declare


def test_windows_and_how_long_they_are_kept() -> None:
    there = stages(windowed("10s", grace="1s"))
    assert misfits(there, stages(windowed("10s", grace="1s", idle_after="1m"))) == []
    [told] = misfits(there, stages(windowed("20s", grace="1s")))
    assert told.startswith("the time of store 'n' is tumbling 20s, grace 1s")
    assert ", it was tumbling 10s, grace 1s" in told
    [told] = misfits(there, stages(windowed("10s", grace="2s")))
    assert told.startswith("the time of store 'n' is tumbling 10s, grace 2s")


@dataclass
class Order:
    amount: int


def test_records_that_got_another_field() -> None:
    def last(order: type) -> Declare:
        return lambda app: app.table("in", key=hr.STRING, value=hr.json(order), store="orders")

    before = stages(last(Order))

    @dataclass
    class Order2:
        amount: int
        note: str | None = None

    Order2.__name__ = Order2.__qualname__ = "Order"
    [told] = misfits(before, stages(last(Order2)))
    assert told.startswith("the value type of store 'orders' is Order struct<`amount`:bigint,`note`:string>, it was")


def test_a_handler_in_front_of_a_repartition_is_a_stage_more(tmp_path: Path) -> None:
    def doubled(value: str) -> str:
        return value * 2

    def declare(app: hr.App) -> None:
        texts(app).map_values(doubled).group_by(lambda _, v: v).count(store="n")

    before = stages(declare)
    app = hr.App("a", on_error="skip")
    declare(app)
    after = kept(rewrite(app.plan()))
    assert Evolution.of(before, after).only_stages
    assert not Evolution.of(before, stages(grown)).only_stages
    known = layout(declare, {"in": {}})
    with pytest.raises(
        StateChanged, match=r"with on_error or \.errors\(\) in front of a repartition there is a stage more"
    ):
        Checkpoint("a", tmp_path).refuse_other_state(known, after)


def layout(declare: Declare, sources: dict[str, dict[str, int] | None]) -> Layout:
    return Layout(app="a", cluster="c", tasks=4, sources=sources, stages=stages(declare), starts={})


def test_a_checkpoint_keeps_what_is_new_and_refuses_what_does_not_fit(tmp_path: Path) -> None:
    checkpoint = Checkpoint("a", tmp_path)
    checkpoint.settle(layout(counted, {"in": {"in": 4}, "other": {}}))

    def both(app: hr.App) -> None:
        counted(app)
        texts(app, "other").group_by_key().count(store="added")

    grown = layout(both, {"in": {"in": 4}, "other": {"other": 4}})
    checkpoint.settle(grown)
    assert checkpoint.known_layout() == grown
    with pytest.raises(StateChanged) as caught:
        checkpoint.settle(layout(counted, {"in": {"in": 4}, "other": {}}))
    assert str(caught.value) == (
        "application 'a' does not fit its state: store 'added' is not there any more\n"
        f"  at: {tmp_path}\n"
        "  to do: start with the old topology; or migrate: give the new one another application id, it then reads its"
        " topics again while the old one runs; or begin anew under this id: headrace reset"
    )
    assert checkpoint.known_layout() == grown
