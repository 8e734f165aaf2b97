"""Calls by the clock: when they come, and when they do not."""

from headrace.task.timers import Timer, Timers


def test_a_timer_is_called_at_its_first_time_and_at_every_interval() -> None:
    timers, calls = Timers(), list[int]()
    timers.add(10, 5, calls.append)
    for now in (9, 10, 14, 15, 20):
        timers.run(now)
    assert calls == [10, 15, 20]


def test_missed_times_are_one_call_and_the_schedule_stays() -> None:
    timers, calls = Timers(), list[int]()
    timers.add(0, 10, calls.append)
    for now in (37, 39, 40):
        timers.run(now)
    assert calls == [37, 40]


def test_timers_that_are_due_together_go_by_their_times() -> None:
    timers, calls = Timers(), list[str]()
    timers.add(20, 50, lambda _: calls.append("late"))
    timers.add(10, 50, lambda _: calls.append("early"))
    assert timers.run(30)
    assert calls == ["early", "late"]


def test_a_call_can_cancel_its_own_timer() -> None:
    timers, calls, made = Timers(), list[int](), list[Timer]()

    def once(now: int) -> None:
        calls.append(now)
        made[0].cancel()

    made.append(timers.add(0, 10, once))
    timers.run(0)
    assert not timers.run(100)
    assert calls == [0]


def test_timers_that_are_due_at_one_time_go_in_the_order_they_were_made() -> None:
    timers, calls = Timers(), list[str]()
    timers.add(0, 10, lambda _: calls.append("tens"))
    timers.add(0, 20, lambda _: calls.append("twenties"))
    for now in (0, 10, 20):
        timers.run(now)
    assert calls == ["tens", "twenties", "tens", "tens", "twenties"]


def test_calls_that_were_made_before_are_skipped_and_the_schedule_stays() -> None:
    timers, calls = Timers(), list[int]()
    timers.add(0, 10, calls.append)
    timers.skip(20)
    for now in (20, 29, 30):
        timers.run(now)
    assert calls == [30]
