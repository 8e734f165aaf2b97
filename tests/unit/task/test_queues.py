"""Which record is taken next."""

from headrace.model.record import Record
from headrace.task.queues import Queue, Queues


def taken(*queues: tuple[Queue, list[int]]) -> list[tuple[str, int]]:
    """What comes out when each queue holds records of these times."""
    waiting = Queues()
    for queue, times in queues:
        for ts in times:
            waiting.put(queue, Record(key=queue.place[-1], ts=ts))
    found = []
    while (one := waiting.take()) is not None:
        found.append((one[1].key, one[1].ts))
    return found


def queue(topic: str, place: int, *, first: bool = False) -> Queue:
    return Queue((place, 0, topic), (), first=first)


def test_one_queue_keeps_its_order() -> None:
    assert taken((queue("a", 0), [5, 3, 9])) == [("a", 5), ("a", 3), ("a", 9)]


def test_the_earliest_head_is_next() -> None:
    a, b = queue("a", 0), queue("b", 1)
    assert taken((a, [10, 40, 20]), (b, [30, 5])) == [("a", 10), ("b", 30), ("b", 5), ("a", 40), ("a", 20)]


def test_at_equal_times_the_place_decides_not_who_came_first() -> None:
    assert taken((queue("b", 1), [1, 1]), (queue("a", 0), [1, 1])) == [("a", 1), ("a", 1), ("b", 1), ("b", 1)]


def test_queues_of_one_place_take_turns_at_equal_times() -> None:
    waiting, a, b = Queues(), Queue((9, 0, ""), ()), Queue((9, 0, ""), ())
    for queue, key in ((a, 1), (a, 2), (b, 3), (b, 4)):
        waiting.put(queue, Record(key=key, ts=7))
    assert [one[1].key for one in iter(waiting.take, None)] == [1, 3, 2, 4]


def test_some_queues_go_before_all_others() -> None:
    assert taken((queue("a", 0), [1]), (queue("b", 1, first=True), [9, 5])) == [("b", 9), ("b", 5), ("a", 1)]


def test_what_was_forgotten_is_not_taken() -> None:
    waiting = Queues()
    waiting.put(queue("a", 0), Record(ts=1))
    waiting.clear()
    assert waiting.take() is None
