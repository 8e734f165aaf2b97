"""A processor alone, in a context that a test makes."""

from __future__ import annotations

import pytest

import headrace as hr
from headrace.errors import ForwardRefused, OptionInvalid, StoreNotConnected

SUMS = hr.stores.key_value("sums", key=hr.STRING, value=hr.INT64)


class Summing(hr.Processor[str, int]):
    """Adds up, and sends on all sums every ten seconds."""

    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        self.sums = context.store(SUMS)
        self.timer = context.schedule("10s", self.flush, by="wall")

    def process(self, record: hr.Record) -> None:
        self.sums.put(record.key, (self.sums.get(record.key) or 0) + record.value)
        if self.context.metadata is not None:
            self.context.forward(record.with_value(self.context.metadata.offset), to="places")
        self.context.commit()

    def flush(self, now: int) -> None:
        for key, total in self.sums.all():
            self.context.forward(hr.Record(key=key, value=total, ts=now))
        self.timer.cancel()


@pytest.fixture
def context() -> hr.testing.MockProcessorContext:
    made = hr.testing.MockProcessorContext(now_ms=7, key_serde=hr.STRING)
    made.add_store(SUMS)
    return made


def test_what_a_processor_does_is_remembered(context: hr.testing.MockProcessorContext) -> None:
    summing = Summing()
    summing.init(context)
    assert not context.committed
    for value in (1, 2):
        summing.process(hr.Record(key="a", value=value, ts=5))
    assert context.committed
    assert context.store(SUMS).get("a") == 3
    context.reset_commit()
    (timer,) = context.scheduled
    assert (timer.interval_ms, timer.by, timer.cancelled) == (10_000, "wall", False)
    timer.call(99)
    assert [(sent.record, sent.to) for sent in context.forwarded()] == [(hr.Record(key="a", value=3, ts=99), None)]
    assert timer.cancelled
    assert not context.committed


def test_what_is_sent_to_one_child(context: hr.testing.MockProcessorContext) -> None:
    summing = Summing()
    summing.init(context)
    context.set_metadata("in", partition=1, offset=42)
    summing.process(hr.Record(key="a", value=1, ts=5))
    context.clear_metadata()
    context.scheduled[0].call(6)
    assert [sent.record.value for sent in context.forwarded()] == [42, 1]
    assert [sent.record.value for sent in context.forwarded("places")] == [42, 1]
    assert [sent.record.value for sent in context.forwarded("others")] == [1]
    context.reset_forwards()
    assert context.forwarded() == []


def test_the_times_and_names_are_what_the_test_says(context: hr.testing.MockProcessorContext) -> None:
    assert (context.now_ms, context.stream_time_ms) == (7, -1)
    context.set_now(8)
    context.set_stream_time(9)
    assert (context.now_ms, context.stream_time_ms) == (8, 9)
    assert (context.app_id, context.task_id) == ("test", "0_0")
    assert (context.key_serde, context.value_serde) == (hr.STRING, None)


def test_what_cannot_be_is_refused_as_in_a_task(context: hr.testing.MockProcessorContext) -> None:
    with pytest.raises(StoreNotConnected, match="store 'gone' is not connected to processor 'under test'"):
        context.store("gone")
    with pytest.raises(ForwardRefused, match="only records can be sent on"):
        context.forward("x")  # type: ignore[arg-type]
    with pytest.raises(OptionInvalid, match="by='sun' is not possible"):
        context.schedule("1s", print, by="sun")  # type: ignore[arg-type]


def test_a_store_with_a_ttl_forgets_by_stream_time() -> None:
    context = hr.testing.MockProcessorContext()
    store = context.add_store(hr.stores.key_value("seen", key=hr.STRING, value=hr.INT64, ttl="10s"))
    context.set_stream_time(1_000)
    store.put("a", 1)
    context.set_stream_time(10_999)
    assert (store.get("a"), store.approximate_num_entries()) == (1, 1)
    store.put("b", 2)
    context.set_stream_time(11_000)
    assert (store.get("a"), list(store.all()), store.approximate_num_entries()) == (None, [("b", 2)], 1)
    assert store.put_if_absent("a", 3) is None and store.delete("b") == 2
    assert list(store.all()) == [("a", 3)]
