"""Where state belongs once there is another number of tasks, and what becomes of a change that is broken off."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import cast

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError

import headrace as hr
import headrace.functions as F
from headrace.engine.batch.batch_log import BatchLog
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.layout import CheckpointLayout
from headrace.errors import CheckpointUnwritable, QueryFailed, RescaleRefused, SparkLost
from headrace.passes.pipeline import rewrite
from headrace.plan.graph import Plan
from headrace.plan.state import (
    FilesBegun,
    FinalResults,
    PartitionTimes,
    Remembered,
    StateDescriptor,
    StreamTime,
    Unmatched,
    WindowRows,
)
from headrace.plan.task_assignment import Sharing
from headrace.runtime.rescale.key_routing import KeyRoute, KeyRoutes, Sources, new_sources
from headrace.runtime.rescale.lane_memory import LaneMemory
from headrace.runtime.rescale.operator_memory import Kernel, Python
from headrace.runtime.rescale.rescale import refuse_what_is_half_written, told_plainly
from headrace.runtime.state_key import codec_of
from headrace.spark.layout.placement import Placement
from headrace.spark.rescaling import MoveBy, Rescaling
from headrace.spark.state_layout import cells_of
from headrace.state.window import Kept

LAYOUT = CheckpointLayout(app="a", cluster="c", tasks=4, sources={"in": {"in": 4}}, stages=[], starts={})


@pytest.fixture
def app() -> hr.App:
    return hr.App("a")


def texts(app: hr.App, topic: str = "in") -> hr.KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def plan(app: hr.App) -> Plan:
    return rewrite(app.plan())


def ways_of(app: hr.App, tasks: tuple[int, int], before: Sources, after: Sources) -> dict[str, KeyRoute]:
    placement = Placement(plan(app))
    ways = KeyRoutes(before, after, tasks)
    return {name: ways.of(cells.node) for name, cells in cells_of(placement).items()}


# -- by which rule


@pytest.mark.parametrize(
    ("tasks", "now", "wanted"),
    [
        ((4, 2), {"in": 4}, {"in": 4}),
        ((4, 3), {"in": 4}, {"in": 4}),
        ((4, 7), {"in": 7}, None),
        ((4, 7), {"in": 4}, None),  # more tasks than partitions
        ((2, 1), {"in": 4}, {"in": 4}),
        ((2, 3), {"in": 4}, None),  # one task has two partitions
    ],
)
def test_records_stay_with_their_partitions_where_these_can_be_told(
    app: hr.App, tasks: tuple[int, int], now: dict[str, int], wanted: dict[str, int] | None
) -> None:
    texts(app).group_by_key().count(store="n")
    sharing = Sharing(max(now.values()), {"in": now})
    assert new_sources(plan(app), {"in": {"in": 4}}, sharing, tasks) == {"in": wanted}


def test_what_comes_together_goes_by_one_rule(app: hr.App) -> None:
    texts(app).join(texts(app, "other"), lambda a, b: a + b, hr.join_windows("1s")).to("out")
    texts(app, "alone").group_by_key().count(store="n")
    known: Sources = {"in": {"in": 4}, "other": {"other": 4}, "alone": {"alone": 4}}
    assert new_sources(plan(app), known, Sharing(7, {**known}), (4, 7)) == known
    grown = Sharing(7, {"in": None, "other": None, "alone": {"alone": 4}})
    assert new_sources(plan(app), known, grown, (4, 7)) == {"in": None, "other": None, "alone": {"alone": 4}}


def test_each_store_goes_its_own_way(app: hr.App) -> None:
    texts(app).group_by_key().count(store="here")
    texts(app).group_by(lambda _, v: v).count(store="there")
    texts(app).repartition(3).group_by_key().count(store="three")
    globe = app.global_table("globe", key=hr.STRING, value=hr.STRING, store="globe")
    texts(app).join(globe, lambda a, b: a + b, on=lambda v: v).to("out")
    ways = ways_of(app, (4, 7), {"in": {"in": 4}, "globe": {}}, {"in": None, "globe": {}})
    assert ways["store.here"] == KeyRoute(MoveBy.KEY, 0, 7, written=4)
    assert ways["store.here"].meets
    assert ways["store.there"] == KeyRoute(MoveBy.KEY, 4, 7)
    assert not ways["store.there"].meets
    assert ways["store.three"] == KeyRoute(MoveBy.KEY, 3, 3)
    assert ways["store.globe"] == KeyRoute(MoveBy.ALL)
    known: Sources = {"in": {"in": 4}, "globe": {}}
    assert ways_of(app, (4, 2), known, known)["store.here"].by is MoveBy.TASK


def test_who_chooses_the_task_of_a_key_himself_is_refused(app: hr.App) -> None:
    placed = texts(app).repartition(partitioner=lambda _topic, _key, value, _count: F.length(value) % 2)
    placed.group_by_key().count(store="n")
    with pytest.raises(RescaleRefused, match="has a partitioner of its own, which says by the number of tasks"):
        ways_of(app, (4, 2), {"in": {}}, {"in": {}})


def test_a_processor_behind_a_new_key_is_refused(app: hr.App) -> None:
    seen = hr.stores.key_value("seen", key=hr.STRING, value=hr.STRING)
    texts(app).select_key(lambda _, v: v).process_values(lambda record, _: record, stores=[seen])
    with pytest.raises(RescaleRefused, match="takes records with other keys than those by which they came"):
        ways_of(app, (4, 7), {"in": None}, {"in": None})


# -- what is remembered


@pytest.mark.parametrize("rule", ["sign", "refuse"])
def test_what_somebody_else_has_pickled_is_not_read(rule: str) -> None:
    there = Python(codec_of(hr.App("a", pickled_state=rule, state_key="k" * 16)))
    assert there.read(there.write(Kept(newest=90))) == Kept(newest=90)
    assert Python(codec_of(hr.App("a", pickled_state="trust"))).read(pickle.dumps(Kept(newest=9))) == Kept(newest=9)
    theirs = codec_of(hr.App("a", state_key="other" * 5)).write((object(), 3))
    for data in (pickle.dumps(Kept(newest=90)), theirs):
        with pytest.raises(RescaleRefused, match=r"state of Python processes: .*pickled"):
            there.read(data)


def entry(state: StateDescriptor, what: str) -> Remembered:
    """Something that a descriptor declares for the kernel, or else for Python."""
    declared = (*state.in_kernel("x").remembered, *state.in_python("x").remembered)
    return next(one for one in declared if one.what == what)


def test_time_is_the_latest_and_what_is_to_be_done_begins_with_the_earliest() -> None:
    unmatched, results = Unmatched(waits=True), FinalResults(wanted=True)
    assert Kernel.merged(entry(StreamTime(), "stream time"), [None, 5, 9]) == 9
    assert Kernel.merged(entry(unmatched, "earliest unmatched"), [7, None]) == 7
    assert Kernel.merged(entry(results, "closed"), [7, None]) == -1
    there = [Kept(newest=90, gone=60, earliest=61), Kept(), Kept(newest=50, gone=20, earliest=30)]
    times = WindowRows(store="w", kept_ms=30).times
    assert Python.merged(times, [*there[::2], None]) == Kept(newest=90, gone=20, earliest=30)
    assert Python.merged(times, [Kept(), Kept()]) == Kept()
    assert Python.merged(entry(FilesBegun(), "files begun"), [{"a"}, {"b"}]) == {"a", "b"}
    assert Kernel.read(Kernel.write(-3)) == -3


def test_partitions_have_times() -> None:
    of = {lane: lane.layout(PartitionTimes(), "in").remembered[0] for lane in (Kernel, Python)}
    assert of[Kernel].is_called("time of a-b 3")
    assert not of[Kernel].is_called("time off")
    assert Kernel.partition_times("time of a-b 3", 17) == {"a-b-3": 17}
    assert Kernel.entries_of_times(of[Kernel], {"a-b-3": 17, "a-b-0": 5}) == {"time of a-b 3": 17, "time of a-b 0": 5}
    assert Python.partition_times("partition times", {"a-0": 1}) == {"a-0": 1}
    assert Python.entries_of_times(of[Python], {"a-0": 1}) == {"partition times": {"a-0": 1}}


class Cells:
    """The cells of one stage in memory, instead of those that Spark has: two tasks before, one after."""

    def __init__(self, **families: list[dict[bytes, bytes]]) -> None:
        self.old, self.new = families, dict[tuple[str, bytes], bytes]()

    def names(self) -> set[str]:
        return set(self.old)

    def cells(self, name: str, *, new: bool = False) -> list[dict[bytes, bytes]]:
        assert not new, "nothing is held back here"
        return self.old[name]

    def put(self, name: str, task: int, key: bytes, value: bytes) -> None:
        assert task == 0, "there is one task"
        self.new[name, key] = value


def carried(app: hr.App, *tasks: dict[str, int]) -> dict[str, int]:
    """What the kernel remembers in one task, of what two have remembered."""
    written = [{name.encode(): Kernel.write(number) for name, number in task.items()} for task in tasks]
    cells = Cells(memory=written)
    ways = KeyRoutes({"in": {"in": 2}}, {"in": {"in": 2}}, (2, 1))
    LaneMemory(cast("Rescaling", cells), Kernel(), Placement(plan(app)), ways).carry()
    return {key.decode(): Kernel.read(data) for (_, key), data in cells.new.items()}


def final_counts(app: hr.App) -> None:
    windows = texts(app).group_by_key().windowed_by(hr.tumbling("10ms"))
    windows.emit_strategy(hr.on_window_close()).count(store="n")


def test_a_task_to_which_no_record_came_has_nothing_to_say(app: hr.App) -> None:
    final_counts(app)
    first = {"n/stream time": 25, "n/closed": 9, "n/next to close": 10, "n/newest": 20}
    assert carried(app, first, {"n/stream time": -1, "n/closed": -1}) == first
    assert carried(app, first, {"n/stream time": 7})["n/closed"] == -1


def test_what_a_node_remembered_that_is_not_there_any_more_is_forgotten(app: hr.App) -> None:
    final_counts(app)
    assert carried(app, {"gone/stream time": 3}, {"in/time of in 1": 8, "in/stream time of the task": 8}) == {
        "in/time of in 1": 8,
        "in/stream time of the task": 8,
    }


def test_what_nobody_has_declared_is_refused(app: hr.App) -> None:
    final_counts(app)
    with pytest.raises(RescaleRefused, match="nobody knows how 'mood' of several tasks becomes one"):
        carried(app, {"n/mood": 1}, {"n/mood": 2})


# -- what Spark has written


def written(place: Path, *, begun: int) -> BatchLog:
    """The logs of a query with two batches done."""
    for name in ("offsets", "commits", "state/0/_metadata/v2", "state/0/1", "sources/0"):
        (place / name).mkdir(parents=True)
    (place / "metadata").write_text('{"id":"q"}')
    (place / "sources" / "0" / "0").write_bytes(b"\0{}")
    settings = json.dumps({"batchWatermarkMs": 0, "conf": {"spark.sql.shuffle.partitions": "2", "other": "x"}})
    for batch in range(begun + 1):
        (place / "offsets" / str(batch)).write_text(f'v1\n{settings}\n{{"in":{{"0":{batch}}}}}')
        (place / "offsets" / f".{batch}.crc").touch()
    for batch in range(2):
        ids = {"0": [[f"a{batch}"], [f"b{batch}"]]}
        (place / "commits" / str(batch)).write_text(f"v2\n{json.dumps({'stateUniqueIds': ids})}")
    (place / "state" / "0" / "_metadata" / "v2" / "0").write_text('v2\n{"stateStoreInfo":[{"numPartitions":2}]}')
    return BatchLog(place)


def test_the_logs_are_copied_for_another_number_of_tasks(tmp_path: Path) -> None:
    log = written(tmp_path / "old", begun=2)
    assert (log.query, log.begun, log.done, log.ids()) == ("q", 2, 1, {0: ["a1", "b1"]})
    log.copied(tmp_path, 3, {0: ["x", "y", "z"]})
    new = BatchLog(tmp_path)
    assert (new.query, new.begun, new.done, new.ids()) == ("q", 1, 1, {0: ["x", "y", "z"]})
    _, settings, offsets = (tmp_path / "offsets" / "1").read_text().split("\n")
    assert json.loads(settings)["conf"] == {"spark.sql.shuffle.partitions": "3", "other": "x"}
    assert offsets == '{"in":{"0":1}}'
    assert json.loads((tmp_path / "state/0/_metadata/v2/0").read_text()[3:]) == {
        "stateStoreInfo": [{"numPartitions": 3}]
    }
    assert not (tmp_path / "offsets" / ".1.crc").exists()
    assert not (tmp_path / "state" / "0" / "1").exists()


def test_without_a_batch_there_is_nothing_to_copy(tmp_path: Path) -> None:
    log = BatchLog(tmp_path / "none")
    assert (log.begun, log.done, log.ids()) == (-1, -1, {})
    (tmp_path / "new").mkdir()
    log.copied(tmp_path / "new", 3, {})
    assert BatchLog(tmp_path / "new").done == -1


def test_a_batch_of_which_something_is_written_has_to_be_finished(tmp_path: Path) -> None:
    log = written(tmp_path, begun=2)
    refuse_what_is_half_written(log, ["q 1", "another 2"])
    with pytest.raises(RescaleRefused) as refused:
        refuse_what_is_half_written(log, ["q 1", "q 2"])
    assert str(refused.value) == (
        "a part of batch 2 is written already, the rest is not\n"
        "  to do: let it finish the batch first: headrace run APP --until latest"
    )
    with pytest.raises(RescaleRefused, match="a transaction of batch 2 is still open"):
        refuse_what_is_half_written(log, None)


def test_state_without_names_is_not_left_behind(tmp_path: Path) -> None:
    log = written(tmp_path, begun=1)
    (tmp_path / "commits" / "1").write_text('v1\n{"nextBatchWatermarkMs":0}')
    with pytest.raises(RescaleRefused, match="batch 1 has not noted what its state is called"):
        log.ids()
    shutil.rmtree(tmp_path / "state")
    assert log.ids() == {}


# -- broken off


def test_what_is_broken_off_has_changed_nothing(tmp_path: Path) -> None:
    checkpoint = Checkpoint("a", tmp_path)
    checkpoint.settle(LAYOUT)
    (tmp_path / "spark").mkdir(exist_ok=True)
    (tmp_path / "spark" / "old").touch()
    more = CheckpointLayout(**{**vars(LAYOUT), "tasks": 7})
    with pytest.raises(RescaleRefused), checkpoint.renewed(more) as fresh:
        (fresh / "new").touch()
        raise RescaleRefused("no", "no")
    assert (tmp_path / "spark" / "old").exists()
    assert not (tmp_path / "spark.new").exists()
    assert checkpoint.complete_reset() is None
    assert checkpoint.known_layout() == LAYOUT
    with checkpoint.renewed(more) as fresh:
        (fresh / "new").touch()
    assert [file.name for file in (tmp_path / "spark").iterdir()] == ["new"]
    assert checkpoint.known_layout() == more


def test_what_others_fail_of_is_not_the_disk(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError), Checkpoint("a", tmp_path).renewed(LAYOUT):
        raise ConnectionError("the other end is gone")


@pytest.mark.parametrize(
    ("failure", "kind", "words"),
    [
        (Py4JError("java.io.IOException: No space left on device"), CheckpointUnwritable, "No space left on device"),
        (Py4JNetworkError("nobody answers"), SparkLost, "Spark's process has ended"),
        (Py4JError("java.lang.IllegalStateException: no"), QueryFailed, "application 'a' failed: java.lang.Illegal"),
    ],
)
def test_what_spark_fails_of_is_told_plainly(
    tmp_path: Path, failure: Exception, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words), told_plainly("a", Checkpoint("a", tmp_path), "broker:9092"):
        raise failure


def test_one_that_was_broken_off_is_completed_before_the_next(tmp_path: Path) -> None:
    checkpoint = Checkpoint("a", tmp_path)
    checkpoint.settle(LAYOUT)
    more = CheckpointLayout(**{**vars(LAYOUT), "tasks": 7})
    (tmp_path / "reset.json").write_text(json.dumps({"layout": vars(more)}))
    for name in ("spark", "spark.new"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / f"of {name}").touch()
    with pytest.raises(RescaleRefused), checkpoint.renewed(LAYOUT):
        raise RescaleRefused("no", "no")
    assert checkpoint.complete_reset() is None
    assert [file.name for file in (tmp_path / "spark").iterdir()] == ["of spark.new"]
    assert checkpoint.known_layout() == more


@pytest.mark.parametrize("there", ["both", "only the new one", "already moved"])
def test_the_next_start_completes_it(tmp_path: Path, there: str) -> None:
    checkpoint = Checkpoint("a", tmp_path)
    checkpoint.settle(LAYOUT)
    more = {**vars(LAYOUT), "tasks": 7}
    places = {"both": ["spark", "spark.new"], "only the new one": ["spark.new"], "already moved": ["spark"]}[there]
    for place in places:
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / ("new" if place == places[-1] else "old")).touch()
    (tmp_path / "reset.json").write_text(json.dumps({"layout": more}))
    assert checkpoint.complete_reset() is None
    assert {file.name for file in (tmp_path / "spark").iterdir()} - {"metadata"} == {"new"}
    assert checkpoint.known_layout() == CheckpointLayout(**more)
    assert not (tmp_path / "reset.json").exists()
