"""Which windows hold a moment, and when they are over."""

import pytest

from headrace.model.windows import JoinWindows, SessionWindows, SlidingWindows, TimeWindows, Window, Windowed

TUMBLING = TimeWindows(size_ms=10, advance_ms=10, grace_ms=5)
HOPPING = TimeWindows(size_ms=10, advance_ms=4, grace_ms=0)
SLIDING = SlidingWindows(difference_ms=10, grace_ms=5)
SESSION = SessionWindows(gap_ms=10, grace_ms=5)


@pytest.mark.parametrize(("ts", "starts"), [(0, [0]), (9, [0]), (10, [10]), (25, [20])])
def test_tumbling_windows(ts: int, starts: list[int]) -> None:
    assert list(TUMBLING.holding(ts)) == [Window(start, start + 10) for start in starts]


@pytest.mark.parametrize(
    ("ts", "starts"), [(0, [0]), (3, [0]), (4, [0, 4]), (9, [0, 4, 8]), (10, [4, 8]), (12, [4, 8, 12])]
)
def test_hopping_windows(ts: int, starts: list[int]) -> None:
    assert [window.start for window in HOPPING.holding(ts)] == starts


@pytest.mark.parametrize(
    ("windows", "window", "last_open"),
    [(TUMBLING, Window(0, 10), 14), (SLIDING, Window(0, 10), 15), (SESSION, Window(0, 10), 25)],
    ids=["tumbling", "sliding", "session"],
)
def test_a_window_is_open_until_stream_time_is_past_it(
    windows: TimeWindows | SlidingWindows | SessionWindows, window: Window, last_open: int
) -> None:
    assert windows.open(window, last_open)
    assert not windows.open(window, last_open + 1)
    place = window.end if isinstance(windows, SessionWindows) else window.start
    assert windows.last_closed(last_open) == place - 1
    assert windows.last_closed(last_open + 1) == place


def test_how_long_stores_keep_windows() -> None:
    assert [windows.retention_ms for windows in (TUMBLING, SLIDING, SESSION)] == [15, 25, 15]
    assert [windows.needed_ms for windows in (TUMBLING, SLIDING, SESSION)] == [15, 36, 16]


def test_how_long_the_sides_of_a_join_keep_their_records() -> None:
    assert JoinWindows(before_ms=3, after_ms=4, grace_ms=5).retention_ms == 13
    assert JoinWindows(before_ms=-3, after_ms=4, grace_ms=5).retention_ms == 10
    assert JoinWindows(before_ms=0, after_ms=0, grace_ms=0).retention_ms == 1


def test_windows_say_what_they_are() -> None:
    assert str(TUMBLING) == "tumbling 10ms, grace 5ms"
    assert str(HOPPING) == "hopping 10ms by 4ms, grace 0s"
    assert str(SLIDING) == "sliding 10ms, grace 5ms"
    assert str(SESSION) == "session gap 10ms, grace 5ms"
    assert str(JoinWindows(before_ms=1_000, after_ms=1_000, grace_ms=0)) == "within 1s, grace 0s"
    assert str(JoinWindows(before_ms=0, after_ms=1_000, grace_ms=0)) == "0s before to 1s after, grace 0s"


def test_a_windowed_key_is_a_tuple_with_names() -> None:
    key = Windowed("ann", 0, 10)
    assert (key.key, key.start, key.end) == ("ann", 0, 10) == key
    assert str(key) == "ann@0/10"
