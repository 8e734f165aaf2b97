"""Which task owns a key, and what a checkpoint remembers of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

import headrace as hr
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.layout import CheckpointLayout
from headrace.engine.topics import share
from headrace.errors import CheckpointBroken, CheckpointForeign, PartitionsChanged, TopicMissing, TopicsOverlap
from headrace.log.topics import Topics
from headrace.passes.pipeline import rewrite
from headrace.plan.graph import Plan
from headrace.runtime.preflight.topics import refuse_overlaps

LAYOUT = CheckpointLayout(app="a", cluster="c", tasks=4, sources={"in": {"in": 4}}, stages=[], starts={})


class SomeTopics:
    """Topics of a broker that is not there."""

    address = "broker:9092"

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def names(self) -> list[str]:
        return sorted(self._counts)

    def partitions(self, names: Iterable[str]) -> dict[str, int | None]:
        return {name: self._counts.get(name) for name in names}

    def matching(self, pattern: str) -> list[str]:
        return [name for name in self._counts if re.fullmatch(pattern, name)]


@dataclass
class Payment:
    amount: int
    note: str | None = None


def topics(**counts: int) -> Topics:
    return cast("Topics", SomeTopics(counts))


def plan(app: hr.App) -> Plan:
    return rewrite(app.plan())


@pytest.fixture
def app() -> hr.App:
    return hr.App("a")


def test_a_counted_topic_stays_with_its_partitions(app: hr.App) -> None:
    app.stream("a").group_by_key().count(store="n")
    assert share(plan(app), topics(a=6)).partitions == {"a": {"a": 6}}
    assert share(plan(app), topics(a=6)).tasks == 6


def test_without_a_store_partitions_do_not_matter(app: hr.App) -> None:
    app.stream("a").to("b")
    assert share(plan(app), topics(a=6, b=1)).partitions == {"a": {}}


def test_topics_that_differ_go_by_key(app: hr.App) -> None:
    app.stream("a").merge(app.stream("b")).group_by_key().count(store="n")
    assert share(plan(app), topics(a=2, b=3)).partitions == {"a": None, "b": None}
    assert share(plan(app), topics(a=3, b=3)).partitions == {"a": {"a": 3}, "b": {"b": 3}}


def texts(app: hr.App, topic: str) -> hr.KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def rows(app: hr.App, topic: str) -> hr.KTable[str, str]:
    return app.table(topic, key=hr.STRING, value=hr.STRING)


def three(a: str, b: str, c: str) -> str:
    return a + b + c


def test_joined_streams_may_have_different_partitions(app: hr.App) -> None:
    texts(app, "a").join([texts(app, "b"), texts(app, "c")], three, hr.join_windows("1s")).to("out")
    assert share(plan(app), topics(a=2, b=3, c=2)).partitions == {"a": None, "b": None, "c": None}
    assert share(plan(app), topics(a=2, b=3, c=2)).tasks == 3
    assert share(plan(app), topics(a=2, b=2, c=2)).partitions == {"a": {"a": 2}, "b": {"b": 2}, "c": {"c": 2}}


def test_joined_tables_may_have_different_partitions(app: hr.App) -> None:
    rows(app, "a").join([rows(app, "b"), rows(app, "c")], three).to_stream().to("out")
    assert share(plan(app), topics(a=4, b=1, c=4)).partitions == {"a": None, "b": None, "c": None}


def test_a_table_that_meets_a_stream_by_a_new_key_goes_by_key(app: hr.App) -> None:
    texts(app, "a").join(rows(app, "b"), lambda a, b: a + b, on=lambda v: v).to("out")
    assert share(plan(app), topics(a=3, b=3)).partitions == {"a": {}, "b": None}


def test_tables_joined_by_a_foreign_key_need_not_agree(app: hr.App) -> None:
    rows(app, "a").join(rows(app, "b"), lambda a, b: a + b, on=lambda a: a[:1]).to_stream().to("out")
    assert share(plan(app), topics(a=3, b=5)).partitions == {"a": None, "b": None}


def test_a_global_table_is_met_by_nobody(app: hr.App) -> None:
    globe = app.global_table("globe", key=hr.STRING, value=hr.STRING)
    texts(app, "a").join(globe, lambda a, b: a + b, on=lambda v: v).to("out")
    assert share(plan(app), topics(a=3, globe=5)).partitions["a"] == {}


def test_the_description_says_which_topics_meet(app: hr.App) -> None:
    texts(app, "a").join([texts(app, "b"), rows(app, "c")], three, hr.join_windows("1s")).to("out")
    texts(app, "d").group_by_key().count(store="n")
    texts(app, "e").to("out")
    headings = [line for line in app.describe().splitlines() if line.startswith("sub-topology")]
    met = "sub-topology 0: by key, whatever the partitions of a, b, c"
    assert headings == [met, "sub-topology 1", "sub-topology 2"]


def test_a_pattern_goes_by_key(app: hr.App) -> None:
    app.stream(re.compile("a.")).group_by_key().count(store="n")
    sharing = share(plan(app), topics(a1=2, a2=5))
    assert (sharing.tasks, sharing.partitions) == (5, {"a.": None})


def test_a_topic_that_is_not_there_is_named(app: hr.App) -> None:
    app.stream("a").merge(app.stream("b")).group_by_key().count(store="n")
    with pytest.raises(TopicMissing, match="'b'"):
        share(plan(app), topics(a=3))


def test_a_topic_that_two_patterns_match_is_refused(app: hr.App) -> None:
    app.stream(re.compile("a.*")).merge(app.stream(re.compile(".*b"))).to("c")
    refuse_overlaps(plan(app), topics(a=1, b=1))
    with pytest.raises(TopicsOverlap, match="'ab' are read by two different streams"):
        refuse_overlaps(plan(app), topics(ab=1))


def test_the_layout_of_a_first_start_is_kept(tmp_path: Path) -> None:
    Checkpoint("a", tmp_path).settle(LAYOUT)
    assert Checkpoint("a", tmp_path).known_layout() == LAYOUT
    Checkpoint("a", tmp_path).settle(LAYOUT)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"app": "b"}, "made with application a, now it is b"),
        ({"app": "b", "stages": [{}], "sources": {"in": {"in": 7}}}, "made with application a, now it is b"),
        ({"cluster": "d"}, "made with the Kafka cluster c, now it is d"),
        ({"sources": {"in": {"in": 4}, "new": {}}}, "made with the sources {'in': {'in': 4}}, now it is"),
        ({"sources": {"in": None}}, "made with the sources {'in': {'in': 4}}, now it is {'in': None}"),
    ],
)
def test_a_layout_that_differs_is_refused(tmp_path: Path, changed: dict[str, object], words: str) -> None:
    Checkpoint("a", tmp_path).settle(LAYOUT)
    (tmp_path / "spark" / "commits").mkdir(parents=True)
    (tmp_path / "spark" / "commits" / "0").write_text("v1")
    with pytest.raises(CheckpointForeign) as caught:
        Checkpoint("a", tmp_path).settle(CheckpointLayout(**{**vars(LAYOUT), **changed}))
    assert words in str(caught.value)


def test_other_partitions_are_refused(tmp_path: Path) -> None:
    Checkpoint("a", tmp_path).settle(LAYOUT)
    with pytest.raises(PartitionsChanged) as caught:
        Checkpoint("a", tmp_path).settle(CheckpointLayout(**{**vars(LAYOUT), "sources": {"in": {"in": 6}}}))
    assert "topic 'in' has 6 partitions, the state of this application was made when it had 4" in str(caught.value)


@pytest.mark.parametrize("content", ["", "{", '{"app": "a"}', "[]"])
def test_a_broken_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "headrace.json").write_text(content)
    with pytest.raises(CheckpointBroken) as caught:
        Checkpoint("a", tmp_path).known_layout()
    assert "the checkpoint cannot be read: " in str(caught.value)
    assert f"at: {tmp_path}/headrace.json" in str(caught.value)
