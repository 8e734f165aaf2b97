"""What a topology keeps, and which changes of it its checkpoint bears."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.kept import kept
from headrace.engine.inventory import Evolution, StateInventory
from headrace.engine.layout import CheckpointLayout
from headrace.errors import CheckpointForeign, StateChanged
from headrace.passes.pipeline import rewrite

Declare = Callable[[hr.App], object]


def kept_by(declare: Declare) -> StateInventory:
    app = hr.App("a")
    declare(app)
    return kept(rewrite(app.plan()))


def misfits(there: StateInventory, here: StateInventory) -> list[str]:
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

    [found] = kept_by(declare).stages
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
    assert misfits(kept_by(counted), kept_by(declare)) == []


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
    assert words in misfits(kept_by(counted), kept_by(declare))


def test_a_store_that_moves_to_another_stage() -> None:
    def turned(app: hr.App) -> None:
        counts = texts(app).group_by_key().count(store="m").to_stream()
        counts.group_by(lambda _, v: v).count(store="n").to_stream().to("out")

    assert "store 'n' is in stage 2, it was in stage 1" in misfits(kept_by(twice), kept_by(turned))


def windowed(size: str, **options: str) -> Declare:
    def declare(app: hr.App) -> None:
        windows = hr.tumbling(size, **options)
        texts(app).group_by_key().windowed_by(windows).count(store="n")

    return declare


def test_windows_and_how_long_they_are_kept() -> None:
    there = kept_by(windowed("10s", grace="1s"))
    assert misfits(there, kept_by(windowed("10s", grace="1s", idle_after="1m"))) == []
    [told] = misfits(there, kept_by(windowed("20s", grace="1s")))
    assert told.startswith("the time of store 'n' is tumbling 20s, grace 1s")
    assert ", it was tumbling 10s, grace 1s" in told
    [told] = misfits(there, kept_by(windowed("10s", grace="2s")))
    assert told.startswith("the time of store 'n' is tumbling 10s, grace 2s")


@dataclass
class Order:
    amount: int


def test_records_that_got_another_field() -> None:
    def last(order: type) -> Declare:
        return lambda app: app.table("in", key=hr.STRING, value=hr.json(order), store="orders")

    before = kept_by(last(Order))

    @dataclass
    class Order2:
        amount: int
        note: str | None = None

    Order2.__name__ = Order2.__qualname__ = "Order"
    [told] = misfits(before, kept_by(last(Order2)))
    assert told.startswith("the value type of store 'orders' is Order struct<`amount`:bigint,`note`:string>, it was")


def test_a_handler_in_front_of_a_repartition_is_a_stage_more(tmp_path: Path) -> None:
    def doubled(value: str) -> str:
        return value * 2

    def declare(app: hr.App) -> None:
        texts(app).map_values(doubled).group_by(lambda _, v: v).count(store="n")

    before = kept_by(declare)
    app = hr.App("a", on_error="skip")
    declare(app)
    after = kept(rewrite(app.plan()))
    assert Evolution.of(before, after).only_stages
    assert not Evolution.of(before, kept_by(grown)).only_stages
    known = layout(declare, {"in": {}})
    with pytest.raises(
        StateChanged,
        match=r"on_error, \.errors\(\) or Python in front of a store may be a stage more",
    ):
        Checkpoint("a", tmp_path).refuse_other_state(known, after)


def summed(adding: Callable[[str, int, int], int]) -> Declare:
    def declare(app: hr.App) -> None:
        numbers = app.stream("in", key=hr.STRING, value=hr.INT64).group_by_key()
        numbers.aggregate(0, adding, store="total").to_stream().to("out")

    return declare


def mended(_key: str, value: int, total: int) -> int:
    return total + len(range(value))


class Seen(hr.Processor[str, str]):
    def process(self, record: hr.Record) -> None:
        self.context.forward(record)


def watched(app: hr.App) -> None:
    counted(app)
    texts(app).process(Seen)


def shouted(value: str) -> str:
    return "".join([*value])


def with_python_beside(app: hr.App) -> None:
    counted(app)
    texts(app).map_values(shouted).to("other")


def own_time(_key: str, value: str) -> int:
    return len([*value])


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            summed(lambda _k, v, n: n + v),
            summed(mended),
            ["store 'total' is kept in Python, it was kept in the kernel"],
        ),
        (
            summed(mended),
            summed(lambda _k, v, n: n + v),
            ["store 'total' is kept in the kernel, it was kept in Python"],
        ),
        (counted, watched, ["store 'n' is kept in Python, it was kept in the kernel"]),
        (counted, with_python_beside, ["stage 1 runs in the kernel and Python, it ran in the kernel"]),
        (with_python_beside, counted, ["stage 1 runs in the kernel, it ran in the kernel and Python"]),
        (
            counted,
            lambda app: (
                app.stream("in", key=hr.STRING, value=hr.STRING, timestamp=own_time).group_by_key().count(store="n")
            ),
            ["the stage that finds the times of records runs in Python, it was not there"],
        ),
    ],
    ids=["to Python", "from Python", "drawn into Python", "Python beside", "no Python any more", "times"],
)
def test_other_lanes(tmp_path: Path, before: Declare, after: Declare, words: list[str]) -> None:
    there, here = kept_by(before), kept_by(after)
    assert misfits(there, here) == words
    with pytest.raises(StateChanged, match="to do: headrace explain tells what runs in Python, and why: start with"):
        Checkpoint("a", tmp_path).refuse_other_state(layout(before, {}), here)
    assert misfits(older(there), here) == []


def older(found: StateInventory) -> StateInventory:
    """As it was told before lanes, and what is held back, were."""
    stages = [
        {store: {part: text for part, text in account.items() if part != "lane"} for store, account in stage.items()}
        for stage in found.stages
    ]
    return StateInventory(
        [{store: one for store, one in stage.items() if not store.startswith("what ")} for stage in stages]
    )


def test_what_keeps_nothing_may_change_its_lane() -> None:
    def failing(function: Callable[[str], str]) -> Declare:
        return lambda app: texts(app).map_values(function).errors().to("failed")

    there, here = kept_by(failing(lambda value: value + "!")), kept_by(failing(shouted))
    assert (there.lanes["1"], here.lanes["1"]) == (["kernel"], ["python"])
    assert misfits(there, here) == []


def held(then: Callable[[hr.KTable[Any, int]], hr.KTable[Any, Any]]) -> Declare:
    def declare(app: hr.App) -> None:
        windows = texts(app).group_by_key().windowed_by(hr.tumbling("10s", grace="1s"))
        then(windows.count(store="n")).to_stream().to("out")

    return declare


def test_results_that_are_held_back() -> None:
    there = kept_by(held(lambda counts: counts.suppress(hr.until_window_closes())))
    assert [*there.stages[0]] == ["n", "what 'n.suppress' holds back"]
    filtered = held(lambda counts: counts.filter(lambda _, n: n > 1).suppress(hr.until_window_closes()))
    found = Evolution.of(there, kept_by(filtered))
    assert found.lost == ["what 'n.suppress' holds back"]
    assert found.added == ["what 'n.filter.suppress' holds back"]
    assert found.misfits == ["what 'n.suppress' holds back would be lost: its operator is gone"]
    assert found.hint == "give what holds something back its old name with name=; or "
    named = held(lambda counts: counts.filter(lambda _, n: n > 1).suppress(hr.until_window_closes(), name="n.suppress"))
    assert Evolution.of(there, kept_by(named)) == Evolution(kept=["store 'n'", "what 'n.suppress' holds back"])
    assert Evolution.of(older(there), kept_by(filtered)) == Evolution(kept=["store 'n'"])
    assert misfits(there, kept_by(windowed("10s", grace="1s"))) == [
        "what 'n.suppress' holds back would be lost: its operator is gone"
    ]
    assert misfits(kept_by(windowed("10s", grace="1s")), there) == []
    words = held(
        lambda counts: counts.map_values(lambda n: n * 0.5).suppress(hr.until_window_closes(), name="n.suppress")
    )
    assert misfits(there, kept_by(words)) == ["the value type of what 'n.suppress' holds back is float, it was int"]


def test_how_long_results_are_held_back_may_change() -> None:
    def limited(wait: str) -> Declare:
        return held(lambda counts: counts.suppress(hr.until_time_limit(wait)))

    assert misfits(kept_by(limited("5s")), kept_by(limited("1m"))) == []


def joined(side: str, *, filtered: bool = False) -> Declare:
    def declare(app: hr.App) -> None:
        left, right = texts(app), texts(app, "right")
        left = left.filter(hr.value != "") if filtered else left
        getattr(left, side)(right, lambda a, _: a, hr.join_windows("5s"), store="j").to("out")

    return declare


@pytest.mark.parametrize("side", ["left_join", "outer_join"])
def test_records_that_wait_for_a_partner(side: str) -> None:
    there, here = kept_by(joined(side)), kept_by(joined(side, filtered=True))
    assert misfits(there, here) == [f"what 'in.{side}' holds back would be lost: its operator is gone"]
    assert misfits(older(there), here) == []


def test_nothing_waits_in_an_inner_join() -> None:
    assert misfits(kept_by(joined("join")), kept_by(joined("join", filtered=True))) == []


@pytest.mark.parametrize(
    ("grace", "told"),
    [("1s", ["what 'in.join' holds back would be lost: its operator is gone"]), (None, [])],
    ids=["grace", "none"],
)
def test_records_that_wait_for_a_row(grace: str | None, told: list[str]) -> None:
    def looked_up(*, filtered: bool) -> Declare:
        def declare(app: hr.App) -> None:
            names = app.versioned_table("names", history="1m", key=hr.STRING, value=hr.STRING, store="names")
            stream = texts(app).filter(hr.value != "") if filtered else texts(app)
            stream.join(names, lambda a, b: a + b, grace=grace).to("out")

        return declare

    assert misfits(kept_by(looked_up(filtered=False)), kept_by(looked_up(filtered=True))) == told


def layout(declare: Declare, sources: dict[str, dict[str, int] | None]) -> CheckpointLayout:
    found = kept_by(declare)
    return CheckpointLayout(
        app="a", cluster="c", tasks=4, sources=sources, stages=found.stages, starts={}, lanes=found.lanes, pickled=False
    )


def test_a_checkpoint_keeps_what_is_new_and_refuses_what_does_not_fit(tmp_path: Path) -> None:
    checkpoint = Checkpoint("a", tmp_path)
    checkpoint.settle(layout(counted, {"in": {"in": 4}, "other": {}}))

    def both(app: hr.App) -> None:
        counted(app)
        texts(app, "other").group_by_key().count(store="added")

    grown = layout(both, {"in": {"in": 4}, "other": {"other": 4}})
    checkpoint.settle(grown)
    assert checkpoint.known_layout() == grown
    (tmp_path / "spark" / "commits").mkdir(parents=True)
    (tmp_path / "spark" / "commits" / "0").write_text("v1")
    with pytest.raises(StateChanged) as caught:
        checkpoint.settle(layout(counted, {"in": {"in": 4}, "other": {}}))
    assert str(caught.value) == (
        "application 'a' does not fit its state: store 'added' is not there any more\n"
        f"  at: {tmp_path}\n"
        "  to do: start with the old topology; or migrate: give the new one another application id, it then reads its"
        " topics again while the old one runs; or begin anew under this id: headrace reset"
    )
    assert checkpoint.known_layout() == grown


def test_before_a_batch_is_done_there_is_nothing_to_fit(tmp_path: Path) -> None:
    checkpoint = Checkpoint("a", tmp_path)
    checkpoint.settle(layout(counted, {"in": {"in": 4}}))
    (tmp_path / "spark" / "state").mkdir(parents=True)
    other = layout(lambda app: texts(app).to("out"), {"in": {}})
    checkpoint.settle(other)
    assert checkpoint.known_layout() == other
    assert not (tmp_path / "spark" / "state").exists()
    with pytest.raises(CheckpointForeign, match="the sources"):
        checkpoint.settle(layout(counted, {"others": {"others": 4}}))


class Summing(hr.Processor[str, str]):
    """Never run here."""

    def process(self, record: hr.Record) -> None: ...


def processed(name: str, **options: str) -> Declare:
    def declare(app: hr.App) -> None:
        store = hr.stores.key_value(name, key=hr.STRING, value=hr.INT64, **options)
        texts(app).process(Summing, stores=[store]).to("out")

    return declare


def test_stores_of_processors_have_to_be_there() -> None:
    there = kept_by(processed("sums"))
    assert misfits(there, there) == []
    assert misfits(there, kept_by(processed("totals"))) == ["store 'sums' is not there any more"]
    assert misfits(there, kept_by(processed("sums", ttl="1h"))) == ["the time of store 'sums' is ttl 1h, it was none"]


def named_in(*stages: str) -> Declare:
    """Names are looked up before a repartition of counts, behind it, or both."""

    def declare(app: hr.App) -> None:
        names = app.global_table("names", key=hr.STRING, value=hr.STRING, store="names")
        first = texts(app)
        counts = first.group_by_key().count(store="first").to_stream()
        moved = counts.select_key(lambda key, _: key + "!").repartition(name="moved")
        moved.group_by_key().count(store="second").to_stream().to("counts")
        if "first" in stages:
            first.join(names, lambda _, name: name, on=lambda key, _: key).to("out")
        if "second" in stages:
            moved.join(names, lambda _, name: name, on=lambda key, _: key).to("out")

    return declare


def test_a_global_table_does_not_begin_empty_in_another_stage() -> None:
    one, both = kept_by(named_in("first")), kept_by(named_in("first", "second"))
    assert misfits(one, both) == ["store 'names' is in stage 1 and 2, it was in stage 1"]
    assert misfits(both, one) == []
