"""Every record that comes in is in a result, late, failed, or counted with the reason why it was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder, KStream
from headrace.plan.nodes import To
from headrace.testing import TopologyTestDriver

Texts = KStream[str, str]
Step = tuple[str | None, str, int]
"""Key, value and time; the value is told apart by a number behind it."""

STEPS = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["a", "b", "x"]), st.integers(0, 40)), max_size=15
)


def checked(value: str) -> str:
    if value.startswith("x"):
        raise ValueError(value)
    return value


def sent_on(record: hr.Record, context: hr.ProcessorContext) -> None:
    context.forward(record.with_value(checked(record.value)), to="named")


def mapped(stream: Texts) -> Texts:
    result = stream.map_values(checked)
    gather(result.errors().map_values(lambda failure: failure.value), "failed")
    return result


def processed(stream: Texts) -> Texts:
    result = stream.process(sent_on, key=hr.STRING, value=hr.STRING)
    gather(result.errors().map_values(lambda failure: failure.value), "failed")
    return result.filter(hr.lit(True), name="named")


def rekeyed(stream: Texts) -> Texts:
    return stream.select_key(lambda _, v: v[:1]).repartition()


def deduplicated(stream: Texts) -> Texts:
    result = stream.drop_duplicates(hr.value[:1], within="10ms")
    gather(result.late(), "late")
    return result


def gather(stream: Any, topic: str) -> None:
    stream.to(topic)


def joined(stream: Texts) -> None:
    pairs = stream.join(stream, lambda a, _: a, hr.join_windows("5ms"), name="pairs")
    gather(pairs.late(), "late")
    gather(pairs, "out")


def counted(stream: Texts) -> None:
    windows = hr.tumbling("10ms", grace="5ms", idle_after="30s")
    listed = stream.group_by_key().windowed_by(windows).reduce(lambda a, v: a + "," + v, store="windows")
    gather(listed.late(), "late")
    gather(listed.suppress(hr.until_window_closes()).to_stream(lambda window, _: window.key), "out")


def sessions(stream: Texts) -> None:
    windows = stream.group_by_key().windowed_by(hr.session("5ms", idle_after="30s"))
    listed = windows.emit_strategy(hr.on_window_close()).reduce(lambda a, v: a + "," + v, store="sessions")
    gather(listed.late(), "late")
    gather(listed.to_stream(lambda window, _: window.key), "out")


def rows(stream: Texts) -> None:
    table = stream.to_table(store="rows", ttl="10ms", emit="every")
    gather(table.late(), "late")
    gather(table.to_stream(), "out")


def reduced(stream: Texts) -> None:
    listed = stream.group_by_key().reduce(lambda a, v: a + "," + v, store="n", ttl="10ms", emit="every")
    gather(listed.late(), "late")
    gather(listed.to_stream(), "out")


BETWEEN = [deduplicated, mapped, processed, rekeyed]
ENDS = [joined, counted, sessions, rows, reduced]
WAYS = st.lists(st.sampled_from(BETWEEN), max_size=3, unique=True)


@settings(deadline=None, max_examples=300)
@given(WAYS, st.sampled_from(ENDS), STEPS, st.booleans())
def test_no_record_vanishes(
    between: list[Callable[[Texts], Texts]], end: Callable[[Texts], None], steps: list[Step], together: bool
) -> None:
    if end is joined:  # a record without a key is dropped by both of its ways, and counted twice as in Kafka Streams
        steps = [(key or "a", value, ts) for key, value, ts in steps]
    app = Builder("app")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    for step in between:
        stream = step(stream)
    end(stream)
    driver = TopologyTestDriver(app)
    told_apart = [(key, f"{value}{number}", ts) for number, (key, value, ts) in enumerate(steps)]
    for batch in [told_apart] if together else [[one] for one in told_apart]:
        with driver.batch():
            for key, value, ts in batch:
                driver.input("in").pipe(value, key=key, ts=ts)
    driver.advance_wall_clock("1h")
    found = Counter[str]()
    topics = {node.topic for node in app.plan().of(To) if isinstance(node.topic, str)}
    texts = {topic: [value for value in driver.output(topic).read_values() if value is not None] for topic in topics}
    seen = {topic: {one for text in listed for one in text.split(",")} for topic, listed in texts.items()}
    for listed in seen.values():
        found.update(listed)
    assert all(count == 1 for count in found.values()), found
    for kind in {"late", "failed"} & topics:
        assert len(texts[kind]) == sum(n for (_, reason), n in driver.dropped.items() if reason == kind)
    others = sum(n for (_, reason), n in driver.dropped.items() if reason not in ("late", "failed"))
    assert len(found) + others == len(steps)
