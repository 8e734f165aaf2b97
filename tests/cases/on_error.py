"""on_error of an application: it is for all code of the user's, and for all that is read and written."""

from collections.abc import Iterator
from typing import Any

import headrace as hr
import headrace.functions as F
from cases.handlers import ZERO, letter, letters
from cases.table import Case, every, put, texts
from headrace.dsl import Builder

SEEN = hr.stores.key_value("seen", key=hr.STRING, value=hr.INT64)
WHEN = hr.stores.window("when", key=hr.STRING, value=hr.INT64, size="1s", retention="10s")


def narrow(app: Builder) -> None:
    """The result is an int, but not one of four bytes."""
    texts(app).map_values(lambda v: F.integer(v)).to("out", value=hr.INT32)


def mistaken(record: hr.Record) -> Iterator[hr.Record]:
    """Says that it gives numbers."""
    yield record.with_value(record.value if record.value == "five" else int(record.value))


def untrue(app: Builder) -> None:
    texts(app).process(mistaken, key=hr.STRING, value=hr.INT64).to("out")


def to_topics(app: Builder) -> None:
    texts(app).to(hr.when(100 // F.integer(hr.value) > 10, "out").otherwise("more"))


def to_no_topic(app: Builder) -> None:
    texts(app).to(hr.when(hr.value != "0", "out").otherwise(None))


def to_partitions(app: Builder) -> None:
    texts(app).to("out", partitioner=lambda _, v, n: 100 // F.integer(v) % n)


def to_a_partition_that_is_not_there(app: Builder) -> None:
    texts(app).to("out", partitioner=lambda _, v, n: hr.when(v == "0", n).otherwise(0))


def by_any_python(_: str, value: str, count: int) -> int:
    return 100 // int("".join([*value])) % count


def to_partitions_in_python(app: Builder) -> None:
    texts(app).to("out", partitioner=by_any_python)


def moved(app: Builder) -> None:
    texts(app).repartition(name="moved", partitioner=lambda _, v, n: 100 // F.integer(v) % n).to("out")


def moved_in_python(app: Builder) -> None:
    texts(app).repartition(name="moved", partitioner=by_any_python).to("out")


def peeking(app: Builder) -> None:
    texts(app).peek(lambda _, v: 100 // F.integer(v)).to("out")


def unwilling(_: str, value: str) -> None:
    if value == "0":
        raise ValueError("no")


def for_each(app: Builder) -> None:
    texts(app).foreach(unwilling)
    texts(app).to("out")


class Halfway(hr.Processor[str, int]):
    """Counts the records of a key, sends on the count, and then fails on some of them."""

    def process(self, record: hr.Record) -> None:
        seen, when = self.context.store(SEEN), self.context.store(WHEN)
        seen.put(record.key, (seen.get(record.key) or 0) + 1)
        when.put(record.key, seen.get(record.key), record.ts)
        when.put(record.key, 1, record.ts + 60_000)  # and what is older is gone
        self.context.schedule("1s", lambda now: self.context.forward(hr.Record(key="timer", value=now, ts=now)))
        self.context.forward(record.with_value(seen.get(record.key)))
        if record.value == "0":
            raise ValueError("no")
        when.put(record.key, None, record.ts + 60_000)


def half_way(app: Builder) -> None:
    texts(app).process(Halfway, stores=[SEEN, WHEN]).to("out")


class Windows(hr.Processor[str, int]):
    """Sends on what its key has in a store of windows."""

    def process(self, record: hr.Record) -> None:
        when = self.context.store(WHEN)
        if record.value == "0":
            when.put(record.key, 0, record.ts)
            when.put("other", 0, 90_000)  # all that was there before is gone
            raise ValueError("no")
        when.put(record.key, len(list(when.fetch(record.key, 0, 100_000))), record.ts)
        for _, found in when.fetch(record.key, 0, 100_000):
            self.context.forward(record.with_value(found))


def in_windows(app: Builder) -> None:
    texts(app).process(Windows, stores=[WHEN]).to("out")


class Numbered(hr.ValueTransformer[int]):
    """The sum of a row and how many it has seen."""

    def transform(self, _: str, value: str | None) -> int | None:
        seen = self.context.store(SEEN)
        count = (seen.get("all") or 0) + 1
        seen.put("all", count)
        return None if value is None else count + int(value)


def rows(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows")
    table.transform_values(Numbered, stores=[SEEN], store="numbered").to_stream().to("out")


def fixed(record: Any) -> Iterator[Any]:
    yield record.with_value("first")
    yield record.with_value(str(100 // int(record.value)))


def values(app: Builder) -> None:
    texts(app).process_values(fixed, value=hr.STRING).to("out")


def timed(app: Builder) -> None:
    """The time is in the value, as a share of 100."""
    stream = app.stream("in", key=hr.STRING, value=hr.STRING, timestamp=lambda _, v: 100 // F.integer(v))
    stream.to("out")


def time_of(_: str, value: str) -> int:
    return 100 // int("".join([*value]))


def timed_in_python(app: Builder) -> None:
    app.stream("in", key=hr.STRING, value=hr.STRING, timestamp=time_of).to("out")


def timed_before(app: Builder) -> None:
    app.stream("in", key=hr.STRING, value=hr.STRING, timestamp="partition_time").to("out")


def same(value: str) -> str:
    return "".join(value)


def read_in_python(app: Builder) -> None:
    texts(app).map_values(same).to("out")


NO = ("ValueError", "ValueError: no")
BEFORE_1970 = ("TimestampInvalid", "a record has the time -1, which is before 1970")
NONE_BEFORE = ("TimestampInvalid", "a record has the time -1, and no record of its partition before it had a time")
FIVE = "'five' is a str, int is needed"


def kept(title: str, topology: Any, node: str, error: str, message: str, out: list[tuple[Any, ...]]) -> Case:
    """Of three records the one in the middle fails."""
    return Case(
        title,
        topology,
        put("in", ("a", "5", 7), ("b", "0", 8), ("a", "4", 9)),
        every("out", *out),
        every(letters(title), (b"b", b"0", 8, letter(node, error, message, "in-0@1"))),
        on_error="dead_letter",
    )


BOTH = [("a", "5", 7), ("a", "4", 9)]
NARROW = "an int that the serde of its topic cannot write is kept"
UNTRUE = "a value of another type than was said is kept when it is written"
NO_TOPIC = "a function that names no topic fails"
FOREACH = "a record that foreach fails on is kept"
HALFWAY = "a processor that fails has done nothing"
WINDOWS = "a processor that fails has put nothing into windows"
ROWS = "a row that a transformer fails on is no row"
TIMELESS = "a record with a time before 1970 is kept"
SKIPPED = "a record with a time before 1970 is skipped"
FIRST = "a record without a time, and none before it, is kept"
IN_PYTHON = "a record with a time before 1970 is kept where Python reads it"

CASES = [
    Case(
        NARROW,
        narrow,
        put("in", ("a", "5"), ("b", "1099511627776"), ("c", "4")),
        every("out", ("a", 5), ("c", 4)),
        every(
            letters(NARROW),
            (
                b"b",
                b"1099511627776",
                1_000,
                letter("in.map_values.to-out", "ValueError", "1099511627776 does not fit 32 bits", "in-0@1"),
            ),
        ),
        on_error="dead_letter",
    ),
    Case(
        UNTRUE,
        untrue,
        put("in", ("a", "5"), ("b", "five"), ("c", "4")),
        every("out", ("a", 5), ("c", 4)),
        every(
            letters(UNTRUE),
            (b"b", b"five", 1_000, letter("in.process.to-out", "ValueError", FIVE, "in-0@1")),
        ),
        on_error="dead_letter",
    ),
    kept("a function that names topics may fail", to_topics, "in.to", *ZERO, BOTH),
    Case(
        NO_TOPIC,
        to_no_topic,
        put("in", ("a", "5"), ("b", "0"), ("c", "4")),
        every("out", ("a", "5"), ("c", "4")),
        every(letters(NO_TOPIC), (b"b", b"0")),
        on_error="dead_letter",
    ),
    kept("a partitioner of a topic may fail", to_partitions, "in.to-out", *ZERO, BOTH),
    kept(
        "a partitioner that names no partition of the topic fails",
        to_a_partition_that_is_not_there,
        "in.to-out",
        "RecordFailed",
        "1 is none of the partitions of out, 0 to 0",
        BOTH,
    ),
    kept(
        "a partitioner in Python may fail",
        to_partitions_in_python,
        "in.to-out",
        "ZeroDivisionError",
        "integer division or modulo by zero",
        BOTH,
    ),
    kept("a partitioner of a repartition may fail", moved, "moved", *ZERO, BOTH),
    kept(
        "a partitioner of a repartition in Python may fail",
        moved_in_python,
        "moved",
        "ZeroDivisionError",
        "integer division or modulo by zero",
        BOTH,
    ),
    kept("a record that peek fails on is kept, and goes no further", peeking, "in.peek", *ZERO, BOTH),
    kept(FOREACH, for_each, "in.foreach", "ValueError", "no", [("a", "5", 7), ("b", "0", 8), ("a", "4", 9)]),
    kept(HALFWAY, half_way, "in.process", *NO, [("a", 1), ("timer", 7), ("a", 2), ("timer", 9)]),
    Case(
        WINDOWS,
        in_windows,
        put("in", ("a", "5", 7_000), ("a", "0", 8_000), ("a", "4", 9_000)),
        every("out", ("a", 0), ("a", 0), ("a", 1)),
        every(letters(WINDOWS), (b"a", b"0", 8_000, letter("in.process", *NO, "in-0@1"))),
        on_error="dead_letter",
    ),
    Case(
        ROWS,
        rows,
        put("in", ("a", "5"), ("b", "7"), ("a", "x"), ("b", "8")),
        every("out", ("a", 6), ("b", 9), ("a", None), ("b", 11)),
        every(letters(ROWS), (b"a", b"x")),
        emit="every",
        on_error="dead_letter",
    ),
    kept(
        "a processor of values that fails has sent nothing on",
        values,
        "in.process_values",
        "ZeroDivisionError",
        "ZeroDivisionError: integer division or modulo by zero",
        [("a", "first"), ("a", "20"), ("a", "first"), ("a", "25")],
    ),
    kept("a function that finds times may fail", timed, "in", *ZERO, [("a", "5", 20), ("a", "4", 25)]),
    kept(
        "a function in Python that finds times may fail",
        timed_in_python,
        "in",
        "ZeroDivisionError",
        "integer division or modulo by zero",
        [("a", "5", 20), ("a", "4", 25)],
    ),
    Case(
        TIMELESS,
        lambda app: texts(app).to("out"),
        put("in", ("a", "5", 7), ("b", "0", -1), ("c", "4", 9)),
        every("out", ("a", "5", 7), ("c", "4", 9)),
        every(letters(TIMELESS), (b"b", b"0")),
        on_error="dead_letter",
    ),
    Case(
        SKIPPED,
        lambda app: texts(app).to("out"),
        put("in", ("a", "5", 7), ("b", "0", -1), ("c", "4", 9)),
        every("out", ("a", "5", 7), ("c", "4", 9)),
        on_error="skip",
    ),
    Case(
        FIRST,
        timed_before,
        put("in", ("a", "5", -1), ("b", "0", 8), ("c", "4", -1)),
        every("out", ("b", "0", 8), ("c", "4", 8)),
        every(letters(FIRST), (b"a", b"5")),
        on_error="dead_letter",
    ),
    Case(
        IN_PYTHON,
        read_in_python,
        put("in", ("a", "5", 7), ("b", "0", -1), ("c", "4", 9)),
        every("out", ("a", "5", 7), ("c", "4", 9)),
        every(letters(IN_PYTHON), (b"b", b"0")),
        on_error="dead_letter",
    ),
    Case(
        "failures with a time before 1970 are read at the first of all times",
        lambda app: texts(app).errors().map_values(lambda f: f.message).to("failed"),
        put("in", ("b", "0", -1)),
        every("failed", (b"b", BEFORE_1970[1], 0)),
    ),
    Case(
        "failures without a time are read",
        lambda app: (
            app.stream("in", key=hr.STRING, value=hr.STRING, timestamp="partition_time")
            .errors()
            .map_values(lambda f: f.message)
            .to("failed")
        ),
        put("in", ("b", "0", -1)),
        every("failed", (b"b", NONE_BEFORE[1], 0)),
    ),
]
