"""Processors: what they send on, to whom, and when their time comes."""

from collections.abc import Iterator
from typing import Any

import headrace as hr
from cases.table import Case, every, in_any_order, put, texts
from headrace.dsl import Builder

A = (("from", b"a"),)

SEEN = hr.stores.key_value("seen", key=hr.STRING, value=hr.INT64)
NAMES = hr.stores.key_value("names", key=hr.STRING, value=hr.STRING)


def sent(app: Builder, processor: Any, **options: Any) -> None:
    texts(app).process(processor, key=hr.STRING, value=hr.STRING, **options).to("out")


# -- functions and classes


def doubled(record: hr.Record) -> Iterator[hr.Record]:
    yield record
    yield record.with_key("twice").with_ts(record.ts + 1).with_headers(A)


def placed(record: hr.Record, context: hr.ProcessorContext) -> Iterator[hr.Record]:
    yield record.with_value(f"{context.app_id} {context.task_id} {context.key_serde} {context.value_serde}")


class First(hr.Processor[str, str]):
    """The first record of each key, with how many came since beside the others."""

    stores = (SEEN,)

    def process(self, record: hr.Record) -> None:
        seen = self.context.store(SEEN)
        count = (seen.get(record.key) or 0) + 1
        seen.put(record.key, count)
        if count == 1:
            self.context.forward(record)


class Reader(hr.Processor[str, str]):
    """How often `First` has seen the key of each record."""

    def process(self, record: hr.Record) -> None:
        self.context.forward(record.with_value(str(self.context.store("seen").get(record.key))))


class Louder(hr.FixedKeyProcessor[str]):
    def process(self, record: hr.FixedKeyRecord) -> None:
        self.context.forward(record.with_value(record.value.upper()).with_ts(record.ts + 1))


class Growing(hr.Processor[str, list[str]]):
    """Sends on one list for each letter, in which there is one more each time."""

    def process(self, record: hr.Record) -> None:
        letters: list[str] = []
        for letter in record.value:
            letters.append(letter)
            self.context.forward(record.with_value(letters))


def growing(app: Builder) -> None:
    texts(app).process(Growing, key=hr.STRING, value=hr.json()).to("out")


def silent(record: hr.Record) -> None:
    """Sends on nothing."""


def one(record: hr.Record) -> hr.Record:
    return record.with_value(f"<{record.value}>")


def one_or_none(app: Builder) -> None:
    sent(app, one)
    texts(app).process(silent)


def recounted(app: Builder) -> None:
    counted = texts(app).process(lambda record: record.with_key(record.value), key=hr.STRING, value=hr.STRING)
    counted.group_by_key().count(store="n", emit="every").to_stream().to("out")


def counted_values(app: Builder) -> None:
    texts(app).process_values(one, value=hr.STRING).group_by_key().count(store="n", emit="every").to_stream().to("out")


def shared(app: Builder) -> None:
    texts(app).process(First).to("first")
    texts(app, "asked").process(Reader, stores=("seen",)).to("out")


# -- whom a record is sent to


def sorted_out(record: hr.Record, context: hr.ProcessorContext) -> None:
    context.forward(record, to="short" if len(record.value) < 3 else "long")
    context.forward(record.with_value("all"))


def two_ways(app: Builder) -> None:
    stream = texts(app).process(sorted_out, key=hr.STRING, value=hr.STRING)
    stream.to("short", name="short")
    stream.to("long", name="long")


def by_hand(app: Builder) -> None:
    topology = app.topology.add_source("left", "in", key=hr.STRING, value=hr.STRING)
    topology.add_source("right", "other", key=hr.STRING, value=hr.STRING)
    topology.add_processor("first", First, "left", "right")
    topology.add_processor("asked", Reader, "right").connect_processor_and_state_stores("asked", "seen")
    topology.add_sink("sink", "out", "first", "asked")


def to_the_sink(record: hr.Record, context: hr.ProcessorContext) -> None:
    context.forward(record, to="sink")


def gathered(app: Builder) -> None:
    topology = app.topology
    for name in ("in", "other"):
        topology.add_source(f"{name}-source", name, key=hr.STRING, value=hr.STRING)
        topology.add_processor(name, to_the_sink, f"{name}-source", key=hr.STRING, value=hr.STRING)
    topology.add_sink("sink", "out", "in", "other").add_sink("nothing", "never", "in")


def mixed(app: Builder) -> None:
    texts(app).map_values(lambda v: v + "!", name="loud")
    app.topology.add_processor("kept", First, "loud")
    app.topology.stream("kept").map_values(lambda v: v + "?").to("out", key=hr.STRING, value=hr.STRING)


# -- punctuators


class Ticking(hr.Processor[str, str]):
    """Sends on the times it is called at, three times."""

    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        self.calls = 0
        self.timer = context.schedule("10ms", self.tick, by="stream")

    def tick(self, now: int) -> None:
        self.calls += 1
        where = "nowhere" if self.context.metadata is None else "somewhere"
        self.context.forward(hr.Record(key=where, value=str(now), ts=7))
        if self.calls == 3:
            self.timer.cancel()

    def process(self, record: hr.Record) -> None:
        self.context.forward(record.with_value(str(self.context.stream_time_ms)))


class Late(hr.Processor[str, str]):
    """Schedules when a record comes: the first call is at once, for stream time is known."""

    def process(self, record: hr.Record) -> None:
        self.context.forward(record)
        self.context.schedule("100ms", self.tick)

    def tick(self, now: int) -> None:
        self.context.forward(hr.Record(key="tick", value=str(now), ts=now))


# -- global and read-only stores, tables


def keep(record: hr.Record, context: hr.ProcessorContext) -> None:
    context.store(NAMES).put(record.key, record.value)


def named(record: hr.Record, context: hr.ProcessorContext) -> Iterator[hr.Record]:
    yield record.with_value(context.store(NAMES).get(record.value) or "nobody")


def globally(app: Builder) -> None:
    app.add_global_store(NAMES, "names", keep, key=hr.STRING, value=hr.STRING)
    sent(app, named)


def copied(app: Builder) -> None:
    app.topology.add_read_only_state_store(NAMES, "names", keep, key=hr.STRING, value=hr.STRING)
    sent(app, named, stores=("names",))


def row_of(record: hr.Record, context: hr.ProcessorContext) -> Iterator[hr.Record]:
    row = context.store("users").get(record.key)
    yield record.with_value("none" if row is None else f"{row.value} at {row.ts}")


def beside_a_table(app: Builder) -> None:
    app.table("users", key=hr.STRING, value=hr.STRING, store="users")
    sent(app, row_of, stores=("users",))


def beside_a_global_table(app: Builder) -> None:
    """Here, and in the tasks behind a repartition."""
    app.global_table("users", key=hr.STRING, value=hr.STRING, store="users")
    sent(app, row_of)
    moved = texts(app, "moved").select_key(lambda _, v: v).repartition()
    moved.process(row_of, key=hr.STRING, value=hr.STRING).to("out-2")


def windows_of(record: hr.Record, context: hr.ProcessorContext) -> Iterator[hr.Record]:
    for key, row in context.store("n").all():
        yield record.with_value(f"{key} {row.value}")


def beside_windows(app: Builder) -> None:
    texts(app).group_by_key().windowed_by(hr.tumbling("10ms", grace="1s")).count(store="n")
    texts(app, "asked").process(windows_of, stores=("n",), key=hr.STRING, value=hr.STRING).to("out")


# -- tables


class Numbered(hr.ValueTransformer[str]):
    stores = (SEEN,)

    def transform(self, key: Any, value: Any) -> str | None:
        seen = self.context.store(SEEN)
        seen.put(key, (seen.get(key) or 0) + 1)
        return f"{value} {seen.get(key)}"


def transformed(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING)
    table.transform_values(Numbered).to_stream().to("out")


def transformed_and_kept(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING)
    longer = table.transform_values(lambda k, v: v and k + v, value=hr.STRING, store="longer", emit="every")
    longer.group_by(lambda _, v: (v, v)).count(store="n", emit="every").to_stream().to("out")


def transformed_and_joined(app: Builder) -> None:
    table = app.table("users", key=hr.STRING, value=hr.STRING)
    upper = table.transform_values(lambda v: v or "gone", value=hr.STRING)
    texts(app).join(upper, lambda left, right: left + right).to("out")


CASES = [
    Case(
        "a value that was sent on may be changed afterwards",
        growing,
        put("in", ("k", "ab")),
        every("out", ("k", ["a"]), ("k", ["a", "b"])),
        on_error="skip",
    ),
    Case(
        "a function yields records with other keys times and headers",
        lambda app: sent(app, doubled),
        put("in", ("a", "x", 5), (None, None, 6)),
        every("out", ("a", "x", 5, ()), ("twice", "x", 6, A), (None, None, 6, ()), ("twice", None, 7, A)),
    ),
    Case(
        "a function may return one record or none",
        one_or_none,
        put("in", ("a", "x", 5)),
        every("out", ("a", "<x>", 5)),
    ),
    Case(
        "a processor knows its place",
        lambda app: sent(app, placed),
        put("in", ("a", "x")),
        every("out", ("a", "a-processor-knows-its-place 0_0 STRING STRING")),
    ),
    Case(
        "a processor keeps what it has seen in a store it names itself",
        lambda app: texts(app).process(First).to("out"),
        put("in", ("a", "1"), ("a", "2"), ("b", "3")),
        every("out", ("a", "1"), ("b", "3")),
        put("in", ("b", "4"), ("c", "5")),
        every("out", ("c", "5")),
    ),
    Case(
        "processors that share a store run in one task",
        shared,
        put("in", ("a", "1"), ("a", "2")),
        every("first", ("a", "1")),
        put("asked", ("a", "?"), ("b", "?")),
        every("out", ("a", "2"), ("b", "None")),
    ),
    Case(
        "keys that a processor makes are counted as new ones",
        recounted,
        put("in", ("a", "x"), ("b", "x")),
        every("out", ("x", 1), ("x", 2)),
    ),
    Case(
        "process_values leaves keys alone and may change times",
        lambda app: texts(app).process_values(Louder).to("out"),
        put("in", ("a", "x", 5), (None, "y", 6)),
        every("out", ("a", "X", 6), (None, "Y", 7)),
    ),
    Case(
        "a function works in process_values too",
        counted_values,
        put("in", ("a", "x"), ("a", "y")),
        every("out", ("a", 1), ("a", 2)),
    ),
    Case(
        "a record goes to one child by its name or to all",
        two_ways,
        put("in", ("a", "xx"), ("b", "yyy")),
        every("short", ("a", "xx"), ("a", "all"), ("b", "all")),
        every("long", ("a", "all"), ("b", "yyy"), ("b", "all")),
    ),
    Case(
        "a topology by hand",
        by_hand,
        put("in", ("a", "1", 1)),
        every("out", ("a", "1", 1)),
        put("other", ("a", "2", 2), ("b", "3", 3)),
        every("out", ("a", "2", 2), ("b", "3", 3), ("b", "1", 3)),
    ),
    Case(
        "a sink of several parents is found by its name from each",
        gathered,
        put("in", ("a", "1", 1)),
        put("other", ("b", "2", 2)),
        every("out", ("a", "1"), ("b", "2")),
        every("never"),
    ),
    Case(
        "streams and processors by hand are one topology",
        mixed,
        put("in", ("a", "1"), ("a", "2"), ("b", "3")),
        every("out", ("a", "1!?"), ("b", "3!?")),
    ),
    Case(
        "a punctuator by stream time is aligned to zero and missed times are one call",
        lambda app: texts(app).process(Ticking).to("out"),
        put("in", ("a", "", 3)),
        every("out", ("a", "3", 3), ("nowhere", "3", 7)),
        put("in", ("a", "", 9), ("a", "", 10)),
        every("out", ("a", "9", 9), ("a", "10", 10), ("nowhere", "10", 7)),
        put("in", ("a", "", 47), ("a", "", 12), ("a", "", 99)),
        every("out", ("a", "47", 47), ("nowhere", "47", 7), ("a", "47", 12), ("a", "99", 99)),
    ),
    Case(
        "a punctuator that a record schedules is called right behind it",
        lambda app: texts(app).process(Late).to("out"),
        put("in", ("a", "1", 50)),
        every("out", ("a", "1", 50), ("tick", "50", 50)),
    ),
    Case(
        "a global store is read by every processor and comes before other records",
        globally,
        put("in", ("a", "1", 1)),
        put("names", ("1", "ann", 9)),
        every("out", ("a", "ann", 1)),
        put("names", ("1", None, 10)),
        put("in", ("a", "1", 11)),
        every("out", ("a", "nobody", 11)),
    ),
    Case(
        "a read-only store follows its topic",
        copied,
        put("names", ("1", "ann", 1)),
        put("in", ("a", "1", 2), ("a", "2", 3)),
        every("out", ("a", "ann", 2), ("a", "nobody", 3)),
    ),
    Case(
        "a processor reads the rows of a table",
        beside_a_table,
        put("users", ("a", "ann", 4)),
        put("in", ("a", "?", 5), ("b", "?", 6)),
        every("out", ("a", "ann at 4", 5), ("b", "none", 6)),
    ),
    Case(
        "every processor reads the rows of a global table",
        beside_a_global_table,
        put("users", ("a", "ann", 4)),
        put("in", ("a", "?", 5), ("b", "?", 6)),
        put("moved", ("x", "a", 7)),
        every("out", ("a", "ann at 4", 5), ("b", "none", 6)),
        every("out-2", ("a", "ann at 4", 7)),
    ),
    Case(
        "a processor reads the windows of an aggregation",
        beside_windows,
        put("in", ("b", "", 3), ("a", "", 4), ("b", "", 12), ("b", "", 5)),
        put("asked", ("q", "?", 20)),
        every("out", ("q", "a@0/10 1"), ("q", "b@0/10 2"), ("q", "b@10/20 1")),
    ),
    Case(
        "transform_values is asked about deletions and may remember",
        transformed,
        put("in", ("a", "x", 1), ("a", None, 2), ("b", "y", 3)),
        every("out", ("a", "x 1", 1), ("a", "None 2", 2), ("b", "y 1", 3)),
    ),
    Case(
        "old values of transformed rows come from their store",
        transformed_and_kept,
        put("in", ("a", "x", 1), ("a", "y", 2), ("a", None, 3)),
        in_any_order("out", ("ax", 1), ("ax", 0), ("ay", 1), ("ay", 0)),
    ),
    Case(
        "a row that was never there is transformed when it is looked up",
        transformed_and_joined,
        put("users", ("a", "ann", 1)),
        put("in", ("a", "x", 2), ("b", "y", 3)),
        every("out", ("a", "xann", 2), ("b", "ygone", 3)),
    ),
]
