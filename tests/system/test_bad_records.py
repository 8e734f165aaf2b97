"""Bad records, by their numbers in the list of bad inputs: each is a dead letter, a drop, or means what is said here.

Whatever comes, the good records around it, in the same and in other partitions, come through once, and the application
goes on. There is no Avro, no Protobuf and no schema registry yet, so nothing is here of 4 and 5.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

import headrace as hr
from headrace.errors import RecordFailed, TopicMissing, TypesDiffer
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.runtime.commands.dead_letters import DeadLetterTopic
from system.bad_records import NOON, Came, Running, Sent, Setting, batch_size, double, int64
from system.bad_settings import CODE, DOCUMENTS, JOINS, MOST, NUMBERS, OUTPUTS, PYTHON, TEXTS, WINDOWS

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

NOT_YET = {4, 5}
ELSEWHERE = {
    7: ["test_extremes.test_a_huge_record_a_hot_key_and_times_that_cannot_be"],
    8: ["test_extremes.test_a_topic_that_does_not_take_a_record_names_its_setting"],
    10: ["test_options.test_a_negative_time_stops_the_application"],
    11: ["test_extremes.test_a_time_far_ahead_closes_its_own_partition_alone"],
    15: ["test_workers.test_a_result_of_another_type_than_annotated_fails_on_its_record"],
    16: [
        "test_workers.test_one_that_takes_all_memory_fails_on_its_record",
        "test_supervision.test_a_spark_that_was_killed_is_started_again",  # the parent of a Python process is Spark
    ],
    17: ["test_extremes.test_a_huge_record_a_hot_key_and_times_that_cannot_be"],
    18: ["test_restart.test_a_topic_that_grew_is_refused_until_the_state_has_followed"],
    19: ["test_restart.test_an_empty_layout_is_told"],  # state is in the checkpoint: no topic has a copy of it
    20: [
        "test_supervision.test_a_topic_that_was_made_again_is_another",
        "test_reading.test_records_that_were_deleted_before_they_were_read_are_missed",
    ],
}


@dataclass(frozen=True)
class Bad:
    """Records, and what comes of them besides their dead letters."""

    number: int
    what: str
    setting: Setting
    sent: tuple[Sent, ...]
    came: tuple[Came, ...] = ()
    drops: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.number} {self.what}"


def text(number: int, what: str, *sent: Sent, came: int | None = None, **more: Any) -> Bad:
    """Texts, of which the last has so many letters together with those of its key before."""
    results = () if came is None else (("out", sent[-1].key, int64(came)),)
    return Bad(number, what, TEXTS, sent, results, **more)


def unread(words: str, key: bytes = b"k", value: bytes = b"v", **more: Any) -> Sent:
    return Sent(key, value, error="ValueError", told=words, **more)


LARGE = 12 << 20
HOT = 2_000
REPEATED = (("a", None), ("a", b""), ("a", b"\xff"), ("b", b"1"), ("a", b"2"))
MANY = tuple((f"h{number % 100}", b"%d" % number) for number in range(10_000))
TEXT_RECORDS = [
    text(1, "no key", Sent(None, b"v"), drops={("letters", "no key"): 1}),
    text(1, "an empty key is a key", Sent(b"", b"v"), came=1),
    text(2, "no value for an aggregate", Sent(b"none", None), drops={("letters", "no value"): 1}),
    text(3, "a value that is not UTF-8", unread("not STRING: byte 0xff at 1 is not UTF-8", value=b"v\xff")),
    text(3, "a key that is not UTF-8", unread("the key of a record is not STRING: byte 0xc0", key=b"\xc0\x80")),
    text(3, "half a letter in UTF-8", unread("byte 0xed at 0", value=b"\xed\xa0\x80")),
    text(3, "zero bytes are letters", Sent(b"a\0b", b"\0\0"), came=2),
    text(
        10, "no time", Sent(b"k", b"v", ts=-1, error="TimestampInvalid", told="has the time -1, which is before 1970")
    ),
    *(
        text(9, f"much in little {codec}", Sent(codec.encode(), b"0" * LARGE, codec=codec), came=LARGE)
        for codec in ("gzip", "zstd", "lz4", "snappy")
    ),
    text(14, "a key of a megabyte", Sent(b"k" * (1 << 20), b"v"), came=1),
    text(14, "headers of equal names and without values", unread("0xff", value=b"\xff", headers=REPEATED)),
    text(14, "ten thousand headers", unread("0xff", value=b"\xff", headers=MANY)),
    Bad(14, "headers on their way", TEXTS, (Sent(b"k", b"copy", headers=REPEATED),), (("copies", b"k", b"copy"),)),
    Bad(
        17,
        "one hot key",
        TEXTS,
        (Sent(b"hot", b"v"),) * HOT,
        tuple(("out", b"hot", int64(count + 1)) for count in range(HOT)),
    ),
]


def document(number: int, what: str, value: bytes, came: bytes) -> Bad:
    return Bad(number, what, DOCUMENTS, (Sent(b"k", value),), (("out", b"k", came),))


def unread_document(number: int, what: str, value: bytes, words: str) -> Bad:
    return Bad(number, what, DOCUMENTS, (unread(words, value=value),))


def price(number: int, what: str, value: bytes, **told: Any) -> Bad:
    return Bad(number, what, DOCUMENTS, (Sent(b"k", value, to="prices", **told),))


DEEP = 100_000
TOO_MANY_PIECES = b'{"pieces":9223372036854775808,"price":1}'
DOES_NOT_FIT = {"error": "OverflowError", "told": "does not fit a Decimal", "node": "square"}
DOCUMENT_RECORDS = [
    unread_document(3, "half a letter in JSON", b'"\\ud800"', "half a letter"),
    document(3, "a zero byte in JSON is a letter", b'"a\\u0000b"', b'"a\\u0000b"'),
    document(6, "of equal names the last counts", b'{"n":1,"n":2}', b'{"n":2}'),
    unread_document(6, "NaN", b'{"n":NaN}', "NaN is not JSON"),
    unread_document(6, "Infinity", b"[-Infinity]", "-Infinity is not JSON"),
    unread_document(6, "1e400", b"1e400", "1e400 is too large a number"),
    document(6, "minus zero", b"[-0,-0.0]", b"[0,-0.0]"),
    document(6, "more than a float can count to", b"[9007199254740993]", b"[9007199254740993]"),
    document(6, "more than 64 bits", b"[36893488147419103233]", b"[36893488147419103233]"),
    price(6, "more than 64 bits for an int", TOO_MANY_PIECES, error="ValueError", told="pieces"),
    unread_document(7, "nested too deeply", b"[" * DEEP + b"]" * DEEP, "it is nested too deeply"),
    unread_document(7, "nested too deeply and cut off", b'{"a":' * DEEP, "it is nested too deeply"),
    unread_document(7, "cut off", b'{"a":', "not JSON at 5"),
    unread_document(7, "no bytes", b"", "not JSON at 0"),
    document(7, "a very long text", b'"' + b"x" * LARGE + b'"', b'"' + b"x" * LARGE + b'"'),
    price(13, "a decimal that overflows", b'{"pieces":1,"price":1e999999}', **DOES_NOT_FIT),
]


def number(what: str, *sent: Sent, sums: Mapping[bytes, list[int]], shares: Mapping[bytes, list[int]]) -> Bad:
    came = [("sums", key, int64(one)) for key, found in sums.items() for one in found]
    came += [("shares", key, int64(one)) for key, found in shares.items() for one in found]
    return Bad(13, what, NUMBERS, sent, tuple(came))


ONE, ZERO, MINUS_ZERO, NAN = double(1.0), double(0.0), double(-0.0), double(float("nan"))
NUMBER_RECORDS = [
    number(
        "a sum that overflows",
        Sent(ONE, int64(2**63 - 1)),
        Sent(ONE, int64(1), error="OverflowError", told="64 bits", node="sum"),
        Sent(ONE, int64(-1)),
        sums={ONE: [2**63 - 1, 2**63 - 2]},
        shares={ONE: [0, 100, -100]},
    ),
    number(
        "division by zero",
        Sent(double(2.0), int64(0), error="ZeroDivisionError", told="division by zero", node="share"),
        sums={double(2.0): [0]},
        shares={},
    ),
    number(
        "zero and minus zero are two keys",
        Sent(ZERO, int64(1)),
        Sent(MINUS_ZERO, int64(2)),
        Sent(NAN, int64(4)),
        Sent(ZERO, int64(5)),
        sums={ZERO: [1, 6], MINUS_ZERO: [2], NAN: [4]},
        shares={ZERO: [100, 20], MINUS_ZERO: [50], NAN: [25]},
    ),
    number(
        "an int of four bytes",
        unread("4 bytes, 8 are needed", key=ONE, value=b"four"),
        unread("not DOUBLE", key=b"1", value=int64(1)),
        sums={},
        shares={},
    ),
]


def join(what: str, *sent: Sent, **more: Any) -> Bad:
    return Bad(2, what, JOINS, sent, **more)


JOIN_RECORDS = [
    join(
        "no value on either side of tables",
        Sent(b"t", b"a", to="left", ts=NOON + 1),
        Sent(b"t", b"b", to="right", ts=NOON + 2),
        Sent(b"t", None, to="left", ts=NOON + 3),
        Sent(b"t", b"c", to="left", ts=NOON + 4),
        Sent(b"t", None, to="right", ts=NOON + 5),
        Sent(b"t", None, to="right", ts=NOON + 6),
        came=(("both", b"t", b"ab"), ("both", b"t", None), ("both", b"t", b"cb"), *[("both", b"t", None)] * 2),
    ),
    join(
        "no value in the stream, and none in the table",
        Sent(b"s", b"row", to="left", ts=NOON + 11),
        Sent(b"s", None, ts=NOON + 12),
        Sent(b"s", b"1", ts=NOON + 13),
        Sent(b"s", None, to="left", ts=NOON + 14),
        Sent(b"s", b"2", ts=NOON + 15),
        came=(("out", b"s", b"1+row"), ("out", b"s", b"2+none")),
        drops={("joined", "no value"): 1},
    ),
    Bad(1, "no key in a table", JOINS, (Sent(None, b"v", to="left"),), drops={("left", "no key"): 1}),
    Bad(3, "a row that is not UTF-8", JOINS, (unread("0xff", value=b"\xff", to="right"),)),
]


def at(partition: int, *times: int, key: bytes = b"w") -> tuple[Sent, ...]:
    return tuple(Sent(key, b"v", ts=ts, partition=partition) for ts in times)


def windows(number: int, what: str, *sent: Sent, came: Mapping[int, list[int]], **more: Any) -> Bad:
    results = (("out", b"w" + int64(start), int64(count)) for start, counts in came.items() for count in counts)
    return Bad(number, what, WINDOWS, sent, tuple(results), **more)


THE_END = 2**63 - 1
IN_9999 = 253_402_300_799_999
LATE, NO_TIME = ("per-window", "late"), ("times", "no time")
WINDOW_RECORDS = [
    windows(
        12,
        "edges of windows and of grace",
        *at(0, NOON, NOON + 9_999, NOON + 10_000, NOON + 14_999, NOON + 9_999, NOON + 15_000, NOON + 9_999),
        came={NOON: [1, 2, 3], NOON + 10_000: [1, 2, 3]},
        drops={LATE: 1},
    ),
    windows(10, "no time", *at(1, -1, NOON), came={NOON: [1]}, drops={NO_TIME: 1}),
    windows(10, "the year 9999", *at(2, IN_9999, NOON), came={IN_9999 - 9_999: [1]}, drops={LATE: 1}),
    windows(10, "the end of time", *at(3, THE_END, NOON), came={THE_END // 10_000 * 10_000: [1]}, drops={LATE: 1}),
    windows(
        10, "seconds taken for milliseconds", *at(4, NOON // 1000, NOON), came={NOON // 10**7 * 10**4: [1], NOON: [1]}
    ),
    windows(10, "seconds behind milliseconds", *at(5, NOON, NOON // 1000), came={NOON: [1]}, drops={LATE: 1}),
    windows(11, "an hour ahead", *at(6, NOON + 3_600_000, NOON), came={NOON + 3_600_000: [1]}, drops={LATE: 1}),
]


def unruly(number: int, what: str, error: str, words: str) -> Bad:
    return Bad(number, what, PYTHON, (Sent(b"k", what.encode(), error=error, told=words, node="unruly"),))


PYTHON_RECORDS = [
    unruly(15, "raise", "KeyError", "raise"),
    unruly(15, "loop", "RecordFailed", "it took longer than 15s"),
    unruly(15, "recursion", "RecursionError", "maximum recursion depth"),
    Bad(15, "none", PYTHON, (Sent(b"k", b"none"),), (("out", b"k", None),)),
    unruly(16, "exit", "RecordFailed", "it ended with 3"),
    unruly(16, "sys.exit", "RecordFailed", "it ended with 1"),
    unruly(16, "kill", "RecordFailed", "signal 9 ended it"),
    Bad(16, "fork", PYTHON, (Sent(b"k", b"fork"),) * 3, (("out", b"k", b"FORK"),) * 3),
    Bad(16, "print", PYTHON, (Sent(b"k", b"print"),), (("out", b"k", b"PRINT"),)),
]


def code(what: str, failed: Sent, *came: str) -> Bad:
    """Code fails on a record; it came to these topics all the same, as the first of its key."""
    values = {"counts": int64(1), "out": failed.value, "numbers": failed.value}
    return Bad(15, what, CODE, (failed,), tuple((topic, failed.key, values[topic]) for topic in came))


def lost(word: str, node: str) -> Sent:
    told = "LookupError: " * (node == "counting") + word
    return Sent(word.encode(), word.encode(), error="LookupError", told=told, node=node)


MANY_COUNTS = "'many' is a str, int is needed"
NO_PARTITION = "2 is none of the partitions of moved, 0 to 1"
CODE_RECORDS = [
    code("foreach fails", lost("foreach", "foreach"), "counts", "out", "numbers"),
    code("peek fails", lost("peek", "peek"), "counts"),
    code("a processor fails half-way", lost("process", "counting"), "out", "numbers"),
    Bad(
        15,
        "the processor has not counted it",
        CODE,
        (Sent(b"process", b"again"),),
        (("counts", b"process", int64(1)), ("out", b"process", b"again"), ("numbers", b"process", b"again")),
    ),
    code("a function that names topics fails", lost("topic", "to-any"), "counts", "numbers"),
    code(
        "a value of another type",
        Sent(b"type", b"type", error="ValueError", told=MANY_COUNTS, node="to-counts"),
        "out",
        "numbers",
    ),
    code(
        "a partition that is not there",
        Sent(b"partition", b"partition", error="RecordFailed", told=NO_PARTITION, node="moved"),
        "counts",
        "out",
    ),
    code(
        "a partitioner fails",
        Sent(b"none", b"", error="ZeroDivisionError", told="division by zero", node="to-numbers"),
        "counts",
        "out",
    ),
]


def sized(size: int) -> bytes:
    """A value that no compression makes smaller, with which a record has a size."""
    about = random.Random(size).randbytes(size)
    return about[: size - (batch_size(b"small", about) - size)]


def refused(
    words: str, *, value: bytes = b"v", key: bytes = b"small", error: str = "RecordRefused", **more: Any
) -> Sent:
    more = {"node": key.decode(), "headers": (("h", b"\xff"),), **more}
    return Sent(key, value, error=error, told=words, **more)


def output(number: int, what: str, sent: Sent, *came: Came) -> Bad:
    return Bad(number, what, OUTPUTS, (sent,), came)


FITS = [(f"{MOST - size} less than the most", sized(size)) for size in (MOST - 1, MOST)]
TOO_MANY = f"bytes, {MOST} are the most (max.message.bytes of the topic)"
ZEROS = b"0" * 1_000_000
OUTPUT_RECORDS = [
    *(output(8, what, Sent(b"small", value), ("small", b"small", value)) for what, value in FITS),
    output(8, "one byte too many", refused(f"it has {MOST + 1} {TOO_MANY}", value=sized(MOST + 1), headers=())),
    output(8, "much that is little when compressed", Sent(b"small", ZEROS), ("small", b"small", ZEROS)),
    output(8, "too much for its dead letter as well", refused(TOO_MANY, value=sized(3 * MOST), kept=False)),
    output(8, "a topic that is not there", refused("no topic 'nowhere'", key=b"nowhere", error="TopicMissing")),
    output(8, "a topic that cannot be", refused("Topic name is invalid", key=b"no topic")),
    output(8, "a topic without a name", refused("Topic name is invalid", key=b"", node="")),
    output(10, "a time that the topic does not take", refused("its time is", key=b"recent", ts=IN_9999)),
    output(8, "a large record that cannot be read", unread("0xff", b"\xff", sized(3 * MOST), kept=False)),
]

RECORDS = [
    *(*TEXT_RECORDS, *DOCUMENT_RECORDS, *NUMBER_RECORDS, *JOIN_RECORDS),
    *(*WINDOW_RECORDS, *PYTHON_RECORDS, *CODE_RECORDS, *OUTPUT_RECORDS),
]


@pytest.fixture(scope="module")
def running(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Setting], Running]]:
    """The application of a setting, which runs until another is asked for."""
    now: list[Running] = []

    def run(setting: Setting) -> Running:
        if now and (now[0].setting is not setting or not now[0].app.state.up):
            now.pop().close()
        if not now:
            now.append(Running(setting, broker, tmp_path_factory.mktemp(setting.name)))
        return now[0]

    yield run
    for last in now:
        last.close()


@pytest.mark.parametrize("bad", RECORDS, ids=str)
def test_everything_else_goes_on(running: Callable[[Setting], Running], bad: Bad) -> None:
    running(bad.setting).check(bad.sent, bad.came, bad.drops)


def test_every_number_has_a_test() -> None:
    assert {bad.number for bad in RECORDS} | set(ELSEWHERE) | NOT_YET == set(range(1, 21))
    for place in (one for places in ELSEWHERE.values() for one in places):
        module, _, name = place.partition(".")
        assert hasattr(importlib.import_module(f"system.{module}"), name), place


Make = Callable[..., hr.App]


@pytest.fixture
def copying(broker: str, topic: Callable[..., str], tmp_path: Path) -> Make:
    """An application that copies records to the topics that they name: two to one that is not there, one to another."""

    def make(on_error: Any) -> hr.App:
        source, there = topic("in", 1), topic("out", 1)
        records = [NewRecord(value=name) for name in (b"nowhere", there.encode(), b"nowhere")]
        produce(broker, None, source, records)
        app = hr.App(f"copying-{source}", broker=broker, checkpoint=tmp_path, on_error=on_error)
        Topics(broker).create(app.dead_letters, 1)
        app.stream(source, value=hr.STRING).to(lambda _, name: name)
        return app

    return make


def test_outputs_that_are_refused_are_skipped(copying: Make) -> None:
    app = copying("skip")
    app.run(until="latest")
    assert app.metrics().drops == {("nowhere", "refused"): 2}
    assert app.metrics().records_out == 1


def test_a_function_is_asked_about_outputs(copying: Make) -> None:
    app = copying(lambda failure: "dead_letter" if failure.error == "TopicMissing" else "fail")
    app.run(until="latest")
    assert app.metrics().drops == {("nowhere", "refused"): 2}
    assert app.metrics().dead_letters == 2
    letters = DeadLetterTopic(app.dead_letters, str(app.broker)).all()
    assert [(one.record.value, one.told("message")) for one in letters] == [
        (b"nowhere", "there is no topic 'nowhere'"),
        (b"nowhere", "there is no topic 'nowhere'"),
    ]


def test_it_sees_what_was_to_be_written(copying: Make) -> None:
    app = copying(lambda failure: "skip" if (failure.node, failure.value) == ("nowhere", b"nowhere") else "fail")
    app.run(until="latest")
    assert app.metrics().drops == {("nowhere", "refused"): 2}


def test_it_may_have_the_application_fail(copying: Make) -> None:
    with pytest.raises(TopicMissing, match="no topic 'nowhere'"):
        copying(lambda _: "fail").run(until="latest")


def test_its_own_failures_are_told(copying: Make) -> None:
    with pytest.raises(
        RecordFailed, match="on_error gave 'perhaps', it has to give one of 'fail', 'skip', 'dead_letter'"
    ):
        copying(lambda _: "perhaps").run(until="latest")


def test_topics_with_other_numbers_of_partitions_are_joined_by_key(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    """Number 18: in Kafka Streams a refusal."""
    left, right, target = topic("left", 3), topic("right", 2), topic("out", 1)
    keys = [b"%d" % number for number in range(20)]
    produce(broker, None, left, [NewRecord(key=key, value=key, timestamp_ms=2) for key in keys])
    produce(broker, None, right, [NewRecord(key=key, value=b"row", timestamp_ms=1) for key in keys])
    app = hr.App("uneven", broker=broker, checkpoint=tmp_path)
    rows = app.table(right, key=hr.STRING, value=hr.STRING, store="rows")
    app.stream(left, key=hr.STRING, value=hr.STRING).join(rows, lambda a, b: a + b).to(target)
    app.run(until="latest")
    assert sorted(record.value or b"" for record in consume(broker, None, target)) == sorted(
        key + b"row" for key in keys
    )


def test_keys_of_other_types_are_not_joined() -> None:
    """Number 17: an int is no text."""
    app = hr.App("types")
    rows = app.table("right", key=hr.STRING, value=hr.STRING, store="rows")
    with pytest.raises(TypesDiffer, match="INT64 and STRING"):
        app.stream("left", key=hr.INT64, value=hr.STRING).join(cast("Any", rows), lambda a, b: a + b)
