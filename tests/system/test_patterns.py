"""Records of topics that match a pattern: where they were read is told by the topic's own name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from headrace.cli.main import main
from headrace.errors import LetterNotWhole, RecordFailed
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.runtime.commands.dead_letters import DeadLetterTopic
from headrace.spark.session.spark import kernel
from waiting import while_up

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

PROGRAM = """
import re
import headrace as hr
import headrace.functions as F

app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r}, on_error="dead_letter")
logs = app.stream(re.compile({pattern!r}), key=hr.STRING, value=hr.INT64)


def divided(value: int) -> int:
    return {expression}


logs.map_values(divided).to({target!r})
"""


def traced(value: int) -> int:
    return 1 // value


def python(value: int) -> int:
    return 1 // int(repr(value))


both_lanes = pytest.mark.parametrize("function", [traced, python])


def number(value: int) -> NewRecord:
    return NewRecord(key=b"k", value=hr.INT64.encode(value))


def numbers(broker: str, topic: str) -> list[int]:
    return sorted(hr.INT64.decode(record.value) or 0 for record in consume(broker, None, topic))


@pytest.mark.parametrize(
    ("expression", "mended"),
    [
        ("100 // value", "100 // F.greatest(value, 1)"),
        ("100 // int(repr(value))", "100 // max(int(repr(value)), 1)"),
    ],
    ids=["traced", "python"],
)
def test_dead_letters_are_sent_again_to_the_topics_they_were_read_from(
    broker: str,
    topic: Callable[..., str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    expression: str,
    mended: str,
) -> None:
    stem, target, file = topic("logs", 1), topic("out", 1), tmp_path / "logs.py"
    first, second = topic(f"{stem}-a", 1), topic(f"{stem}-b", 1)
    name, checkpoint = f"reads-{stem}", str(tmp_path / "checkpoint")
    letters = DeadLetterTopic(f"{name}-dead-letters", broker)
    Topics(broker).create(letters.topic, 1)

    def run(expression: str) -> list[int]:
        file.write_text(
            PROGRAM.format(
                name=name,
                broker=broker,
                checkpoint=checkpoint,
                pattern=f"{stem}-.*",
                expression=expression,
                target=target,
            )
        )
        assert main(["run", str(file), "--until", "latest"]) == 0
        return numbers(broker, target)

    produce(broker, None, first, [number(5), number(0)])
    produce(broker, None, second, [number(4), NewRecord(value=b"five"), number(0)])
    assert run(expression) == [20, 25]

    found = {letter.told("origin"): letter for letter in letters.all()}
    assert {origin: (letter.record.key, letter.record.value) for origin, letter in found.items()} == {
        f"{first}-0@1": (b"k", hr.INT64.encode(0)),
        f"{second}-0@1": (None, b"five"),
        f"{second}-0@2": (b"k", hr.INT64.encode(0)),
    }
    assert all(letter.whole for letter in found.values())
    capsys.readouterr()
    main(["errors", "resend", str(file), "--all", "--yes"])
    assert capsys.readouterr().out == f"sent 3 records to {first}, {second}\n"
    assert run(mended) == [20, 25, 100, 100]
    (text,) = letters.waiting()
    assert (text.told("attempt"), text.record.value) == ("2", b"five")


def test_the_whole_name_of_a_topic_matches(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    stem, target = topic("whole", 1), topic("out", 1)
    inside, longer = topic(f"{stem}-a", 1), f"more-{stem}-a"
    Topics(broker).create(longer, 1)
    app = hr.App(f"reads-{stem}", broker=broker, checkpoint=tmp_path)
    app.stream(re.compile(f"{stem}-.*"), value=hr.INT64).to(target)
    for name, value in ((inside, 1), (longer, 2)):
        produce(broker, None, name, [number(value)])
    app.run(until="latest")
    assert numbers(broker, target) == [1]


def test_a_topic_that_is_made_later(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    stem, target = topic("later", 1), topic("out", 1)
    early = topic(f"{stem}-early", 1)
    app = hr.App(f"reads-{stem}", broker=broker, checkpoint=tmp_path)
    logs = app.stream(re.compile(f"{stem}-.*"), key=hr.STRING, value=hr.INT64)
    for divided in (logs.map_values(traced), logs.map_values(python)):
        divided.errors().map_values(lambda failed: F.coalesce(failed.origin, "nowhere")).to(target)

    def told() -> list[bytes | None]:
        return [record.value for record in consume(broker, None, target)]

    with app:
        produce(broker, None, early, [number(0)])
        while_up(app, lambda: told() == [f"{early}-0@0".encode()] * 2, "a failure of each")
        late = topic(f"{stem}-late", 1)
        produce(broker, None, late, [number(1), number(0)])
        while_up(app, lambda: told()[2:] == [f"{late}-0@1".encode()] * 2, "a failure of each in the new topic")


@both_lanes
def test_an_error_behind_a_stage_names_the_topic(
    broker: str, topic: Callable[..., str], tmp_path: Path, function: Callable[[int], int]
) -> None:
    stem, target = topic("named", 1), topic("out", 1)
    source = topic(f"{stem}-a", 1)
    app = hr.App(f"reads-{stem}", broker=broker, checkpoint=tmp_path)
    logs = app.stream(re.compile(f"{stem}-.*"), key=hr.STRING, value=hr.INT64)
    counts = logs.group_by_key().count(store="n").to_stream()
    counts.map_values(lambda count: count - 1).map_values(function).to(target)
    produce(broker, None, source, [number(1)])
    with pytest.raises(RecordFailed) as failed:
        app.run(until="latest")
    assert f"{source}-0@0" in str(failed.value)


def alike(spark: Any, stem: str) -> tuple[str, str]:
    """Names of two topics that cannot be told apart by what is carried along with their records."""
    names = f"SELECT concat('{stem}-', id) AS name FROM range(5000)"
    pairs = f"SELECT collect_list(name) FROM ({names}) GROUP BY hash(name) & 65535 HAVING count(*) = 2"
    first, second = sorted(spark.sql(pairs).first()[0])
    assert kernel(spark, "kafka").Position.number(first) == kernel(spark, "kafka").Position.number(second)
    return first, second


@both_lanes
def test_topics_that_cannot_be_told_apart(
    spark: Any, broker: str, topic: Callable[..., str], tmp_path: Path, function: Callable[[int], int]
) -> None:
    stem, target = topic("alike", 1), topic("out", 1)
    first, second = alike(spark, stem)
    app = hr.App(f"reads-{stem}", broker=broker, checkpoint=tmp_path, on_error="dead_letter")
    app.stream(re.compile(f"{stem}-.*"), key=hr.STRING, value=hr.INT64).map_values(function).to(target)
    for name in (first, second, app.dead_letters):
        Topics(broker).create(name, 1)
    produce(broker, None, first, [number(1)])
    produce(broker, None, second, [number(0)])
    app.run(until="latest")
    assert numbers(broker, target) == [1]
    assert app.metrics().dead_letters == 1

    letters = DeadLetterTopic(app.dead_letters, broker)
    (letter,) = letters.all()
    assert letter.told("origin") == f"{first}|{second}-0@0"
    assert (letter.record.key, letter.record.value, letter.whole) == (None, None, False)
    with pytest.raises(LetterNotWhole, match="has not all of its record: it is not known which topic it was read from"):
        letters.send_again([letter])
