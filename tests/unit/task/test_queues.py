"""Which record a task takes next."""

from headrace.model.record import Record
from headrace.plan.nodes import Source
from headrace.serde import BYTES
from headrace.task.queues import Queue, Queues

NODE = Source(name="in", origin="app.py:1", topics=("in",), key=BYTES, value=BYTES)


def taken(*queues: tuple[Queue, list[int]]) -> list[tuple[str, int]]:
    """What comes out when each queue holds records of these times."""
    waiting = Queues()
    for queue, times in queues:
        for ts in times:
            waiting.put(queue, Record(key=queue.topic, ts=ts))
    found = []
    while (one := waiting.take()) is not None:
        found.append((one[1].key, one[1].ts))
    return found


def queue(topic: str, place: int) -> Queue:
    return Queue((place,), NODE, topic)


def test_one_queue_keeps_its_order() -> None:
    assert taken((queue("a", 0), [5, 3, 9])) == [("a", 5), ("a", 3), ("a", 9)]


def test_the_earliest_head_is_next() -> None:
    a, b = queue("a", 0), queue("b", 1)
    assert taken((a, [10, 40, 20]), (b, [30, 5])) == [("a", 10), ("b", 30), ("b", 5), ("a", 40), ("a", 20)]


def test_at_equal_times_the_place_decides_not_who_came_first() -> None:
    assert taken((queue("b", 1), [1, 1]), (queue("a", 0), [1, 1])) == [("a", 1), ("a", 1), ("b", 1), ("b", 1)]


def test_what_was_forgotten_is_not_taken() -> None:
    waiting = Queues()
    waiting.put(queue("a", 0), Record(ts=1))
    waiting.clear()
    assert waiting.take() is None
