"""The changelogs of stores on a real broker: how they are made, what is in them, and what becomes of them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.ownership import settings_of
from headrace.errors import ChangelogForeign, ChangelogMisfit, CheckpointForeign, CheckpointLost, RecordRefused
from headrace.log.groups import Group
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.model.windows import Windowed
from headrace.passes.pipeline import rewrite
from headrace.runtime.commands.reset import resetting
from headrace.serde import Serde

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

WORDS = ["to", "be", "or", "not", "to", "be", "that", "is", "the", "question"]


@dataclass(frozen=True)
class Counts:
    """Counts of words as a table that is written to no other topic."""

    broker: str
    source: str
    checkpoint: Path

    @property
    def topic(self) -> str:
        return f"count-{self.source}-n-changelog"

    @property
    def place(self) -> Checkpoint:
        return Checkpoint(f"count-{self.source}", self.checkpoint)

    def app(self, **options: Any) -> hr.App:
        app = hr.App(f"count-{self.source}", broker=self.broker, **{"checkpoint": self.checkpoint, **options})
        app.stream(self.source, key=hr.STRING, value=hr.STRING).group_by_key().count(store="n")
        return app

    def say(self, *words: str) -> None:
        produce(self.broker, None, self.source, [NewRecord(key=word.encode(), value=b"") for word in words])

    def run(self, **options: Any) -> hr.App:
        app = self.app(**options)
        app.run(until="latest")
        return app

    def rows(self) -> dict[str, int]:
        return {str(key): value for key, value in table(self.broker, self.topic, hr.STRING, hr.INT64).items()}


@pytest.fixture
def counts(broker: str, topic: Callable[..., str], tmp_path: Path) -> Counts:
    return Counts(broker, topic("words", 3), tmp_path / "checkpoint")


def table(broker: str, topic: str, key: Serde[Any], value: Serde[Any]) -> dict[Any, Any]:
    """What is left of a topic when it is read as a table."""
    rows = {key.decode(record.key): value.decode(record.value) for record in consume(broker, None, topic)}
    return {key: value for key, value in rows.items() if value is not None}


@pytest.mark.parametrize("guarantee", ["exactly_once", "at_least_once"])
def test_an_application_may_have_nothing_but_a_table(counts: Counts, guarantee: str) -> None:
    counts.say(*WORDS)
    app = counts.run(guarantee=guarantee)
    assert counts.rows() == Counter(WORDS)
    assert (app.metrics().records_out, app.metrics().rows_logged) == (0, len(set(WORDS)))
    counts.say("to", "sleep")
    counts.run(guarantee=guarantee)
    assert counts.rows() == Counter([*WORDS, "to", "sleep"])


def test_the_topic_is_compacted_and_has_a_partition_for_each_task(
    counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADRACE_ALLOW_PROPERTIES", "partitioner.class")
    counts.say(*WORDS)
    # Whatever partitioner somebody has chosen for the output: who asks for a key has to find it.
    counts.run(kafka={"partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner"})
    found = Topics(counts.broker).describe(counts.topic)
    assert len(found.partitions) == 3
    assert found.config == settings_of(f"count-{counts.source}", "n")
    assert found.config["cleanup.policy"] == "compact"
    placed = {record.key: record.partition for record in consume(counts.broker, None, counts.source)}
    assert {record.key: record.partition for record in consume(counts.broker, None, counts.topic)} == placed


def test_windows_have_kafkas_bytes(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source = topic("clicks", 2)
    clicks = [NewRecord(key=b"ann", value=b"", timestamp_ms=ts) for ts in (1_000, 2_000, 65_000, 66_000)]
    produce(broker, None, source, clicks)
    app = hr.App(f"clicks-{source}", broker=broker, checkpoint=tmp_path)
    grouped = app.stream(source, key=hr.STRING, value=hr.STRING).group_by_key()
    final = grouped.windowed_by(hr.tumbling("1m", grace="0s")).emit_strategy(hr.on_window_close())
    final.count(store="minutes", retention="1h")
    grouped.windowed_by(hr.session("10s")).count(store="visits", retention="1h")
    app.run(until="latest")
    minutes, visits = (f"{app.id}-{store}-changelog" for store in ("minutes", "visits"))
    windowed = hr.time_windowed(hr.STRING, "1m")
    assert table(broker, minutes, windowed, hr.INT64) == {
        Windowed("ann", 0, 60_000): 2,
        Windowed("ann", 60_000, 120_000): 2,
    }
    assert {record.key for record in consume(broker, None, minutes)} == {
        b"ann" + (0).to_bytes(8, "big"),
        b"ann" + (60_000).to_bytes(8, "big"),
    }
    assert len({record.partition for record in consume(broker, None, minutes)}) == 1
    assert table(broker, visits, hr.session_windowed(hr.STRING), hr.INT64) == {
        Windowed("ann", 1_000, 2_000): 2,
        Windowed("ann", 65_000, 66_000): 2,
    }


def test_positions_are_told_right_after_a_batch(counts: Counts) -> None:
    app, seen = counts.app(), []
    app.on_batch(lambda metrics: seen.append((dict(metrics.last.positions), counts.rows())))  # type: ignore[union-attr]
    counts.say("mill")
    app.run(until="latest")
    ends = {(counts.source, number): end for number, end in Topics(counts.broker).end_offsets(counts.source).items()}
    assert seen == [(ends, {"mill": 1})]
    assert Group(app.id, counts.broker).positions() == ends


class TestBeginningAnew:
    """An application that has nothing to go on from."""

    def test_without_its_checkpoint_nothing_is_emptied(self, counts: Counts, tmp_path: Path) -> None:
        """A container without its volume: refused, then it goes on with the volume, or begins anew when told so."""
        counts.say("mill", "weir")
        counts.run()
        volume = counts.checkpoint.rename(tmp_path / "away")
        with pytest.raises(CheckpointLost) as refused:
            counts.run()
        said = str(refused.value)
        assert said.startswith(f"application 'count-{counts.source}' has run before, and its checkpoint is not here: ")
        assert f"its consumer group has read {counts.source}-" in said
        assert f"; its changelog {counts.topic} has rows\n  at: {counts.checkpoint}\n" in said
        assert "give the checkpoint back" in said
        assert "headrace reset app.py --to earliest" in said
        assert counts.rows() == {"mill": 1, "weir": 1}
        counts.say("mill")
        counts.run(checkpoint=volume)  # mounted elsewhere
        assert counts.rows() == {"mill": 2, "weir": 1}
        shutil.rmtree(volume)
        with resetting(rewrite(counts.app().plan()), counts.place, "latest", counts.broker, {}) as reset:
            assert (reset.changelogs, reset.foreign) == ((counts.topic,), ())
            reset.carry_out(counts.broker, {})
        counts.say("race")
        counts.run()
        assert counts.rows() == {"race": 1}

    def test_positions_alone_tell_of_an_earlier_life(self, counts: Counts, tmp_path: Path) -> None:
        counts.say("mill")
        counts.run(queryable=False)
        with pytest.raises(CheckpointLost, match=r"its consumer group has read words-\w+-\d to 1\n"):
            counts.run(queryable=False, checkpoint=tmp_path / "another")

    def test_records_of_somebody_else_are_left_as_they_are(self, counts: Counts) -> None:
        """As Kafka Streams makes its changelogs: what has an application's name is not its own for that."""
        Topics(counts.broker).create(counts.topic, 3, {"cleanup.policy": "compact"})
        rows = [NewRecord(key=f"k{number}".encode(), value=hr.INT64.encode(number)) for number in range(100)]
        produce(counts.broker, None, counts.topic, rows)
        counts.say("mill")
        with pytest.raises(ChangelogForeign) as refused:
            counts.run()
        said = str(refused.value)
        assert said.startswith(
            f"topic '{counts.topic}' cannot be the changelog of store 'n': it has records that are not"
        )
        for way in ("another id", "another name", "queryable=False", f"headrace topics delete {counts.topic}"):
            assert way in said
        with resetting(rewrite(counts.app().plan()), counts.place, "earliest", counts.broker, {}) as reset:
            assert (reset.changelogs, reset.foreign) == ((), (counts.topic,))
            reset.carry_out(counts.broker, {})
        assert len(counts.rows()) == 100
        counts.run(queryable=False)

    def test_two_stores_whose_names_meet_in_one_topic(self, counts: Counts, tmp_path: Path) -> None:
        """`<source>-b` with the store `c` and `<source>` with the store `b-c`."""
        counts.say("mill")

        def run(app_id: str, store: str) -> None:
            app = hr.App(app_id, broker=counts.broker, checkpoint=tmp_path / store)
            app.stream(counts.source, key=hr.STRING, value=hr.STRING).group_by_key().count(store=store)
            app.run(until="latest")

        run(f"{counts.source}-b", "c")
        with pytest.raises(
            ChangelogForeign, match=f"it is the changelog of store 'c' of application '{counts.source}-b'"
        ):
            run(counts.source, "b-c")
        assert table(counts.broker, f"{counts.source}-b-c-changelog", hr.STRING, hr.INT64) == {"mill": 1}
        counts.say("mill")
        run(f"{counts.source}-b", "c")
        assert table(counts.broker, f"{counts.source}-b-c-changelog", hr.STRING, hr.INT64) == {"mill": 2}

    def test_a_topic_that_was_made_in_advance_is_taken(self, counts: Counts) -> None:
        settings = {"cleanup.policy": "compact", "segment.ms": "600000"}
        Topics(counts.broker).create(counts.topic, 3, settings)
        counts.say("mill")
        counts.run()
        assert Topics(counts.broker).describe(counts.topic).config == settings

    def test_a_topic_that_forgets_is_refused(self, counts: Counts) -> None:
        Topics(counts.broker).create(counts.topic, 4, {"cleanup.policy": "delete"})
        with pytest.raises(ChangelogMisfit) as refused:
            counts.run()
        assert str(refused.value).splitlines() == [
            f"topic '{counts.topic}' cannot be the changelog of a store: it has 4 partitions, the application has 3"
            " tasks; its cleanup.policy is delete, which forgets rows that nobody has deleted",
            f"  to do: headrace topics delete {counts.topic}, then begin anew: headrace reset app.py --to earliest;"
            " or have no changelogs with App(..., queryable=False)",
        ]

    def test_whoever_is_refused_has_touched_nothing(self, counts: Counts, topic: Callable[..., str]) -> None:
        counts.say("mill")
        counts.run()
        other = Counts(counts.broker, topic("words", 3), counts.checkpoint.with_name("other"))
        other.say("weir")
        other.run()
        with pytest.raises(CheckpointForeign, match=f"made with application count-{other.source}, now it is count-"):
            counts.run(checkpoint=other.checkpoint)
        assert counts.rows() == {"mill": 1}


class TestIncomplete:
    """A changelog that was not there from the first row on."""

    def test_a_store_that_was_there_before_is_not_asked(self, counts: Counts, caplog: pytest.LogCaptureFixture) -> None:
        counts.say("mill")
        counts.run(queryable=False)
        assert Topics(counts.broker).partitions([counts.topic]) == {counts.topic: None}
        counts.say("weir")
        caplog.set_level("INFO")
        counts.run()
        assert "store n has no complete changelog: to ask it begin anew" in caplog.text
        assert Topics(counts.broker).partitions([counts.topic]) == {counts.topic: None}

    def test_rows_that_its_topic_does_not_take_stop_the_application(self, counts: Counts) -> None:
        Topics(counts.broker).create(counts.topic, 3, {"cleanup.policy": "compact", "max.message.bytes": "2000"})
        counts.say("mill", "".join(map(chr, range(1_000, 9_000))))
        with pytest.raises(RecordRefused, match=counts.topic):
            counts.run(on_error="skip")

    def test_one_that_was_left_behind_is_not_trusted(self, counts: Counts) -> None:
        counts.say("mill")
        counts.run()
        counts.say("mill")
        counts.run(queryable=False)
        counts.say("mill")
        counts.run()
        assert counts.rows() == {"mill": 1}  # it is not written any more

    def test_one_that_somebody_has_deleted_is_not_begun_in_the_middle(self, counts: Counts) -> None:
        counts.say("mill")
        counts.run()
        Topics(counts.broker).delete([counts.topic])
        counts.say("weir")
        counts.run()
        assert Topics(counts.broker).partitions([counts.topic]) == {counts.topic: None}

    def test_one_that_somebody_has_made_anew_is_not_trusted(
        self, counts: Counts, caplog: pytest.LogCaptureFixture
    ) -> None:
        """As when the application was started without its checkpoint, and then with it again."""
        counts.say("mill")
        counts.run()
        Topics(counts.broker).delete([counts.topic])
        Topics(counts.broker).create(counts.topic, 3, settings_of(f"count-{counts.source}", "n"))
        counts.say("weir")
        caplog.set_level("INFO")
        counts.run()
        assert "store n has no complete changelog: to ask it begin anew" in caplog.text

    def test_a_store_that_joins_others_has_one(self, counts: Counts) -> None:
        counts.say("mill")
        counts.run(queryable=False)
        counts.say("weir")
        app = counts.app()
        app.stream(counts.source, key=hr.STRING, value=hr.STRING).group_by_key().count(store="new")
        app.run(until="latest")
        new = f"{app.id}-new-changelog"
        assert table(counts.broker, new, hr.STRING, hr.INT64) == {"weir": 1}
