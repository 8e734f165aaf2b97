"""Stores equal a model that keeps everything in a list and looks at all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.processor.keyvalue import KeyValueStore
from headrace.processor.session import SessionStore
from headrace.processor.window import WindowStore
from headrace.testing import MockProcessorContext

KEYS = st.sampled_from(["", "a", "aa", "ab", "b", "B", "é"])
BOUNDS = st.none() | KEYS
VALUES = st.none() | st.integers(0, 9)
TIMES = st.integers(0, 60)
RETENTION = 20

PUTS = st.lists(st.tuples(KEYS, VALUES), max_size=20)
TIMED_PUTS = st.lists(st.tuples(KEYS, VALUES, TIMES, TIMES), max_size=20)
many = settings(deadline=None, max_examples=150)


def data(key: str) -> bytes:
    return key.encode()


def inside(key: str, first: str | None, last: str | None) -> bool:
    return (first is None or data(first) <= data(key)) and (last is None or data(key) <= data(last))


def both(forward: Iterator[Any], backward: Iterator[Any], wanted: list[Any]) -> None:
    assert list(forward) == wanted
    assert list(backward) == wanted[::-1]


@many
@given(PUTS, PUTS, BOUNDS, BOUNDS, KEYS)
def test_key_value(before: Any, after: Any, first: str | None, last: str | None, one: str) -> None:
    store: KeyValueStore[str, int] = MockProcessorContext().add_store(
        hr.stores.key_value("s", key=hr.STRING, value=hr.INT64)
    )
    model: dict[str, int] = {}
    for puts in (before, after):  # a range between them: what follows has to keep its order
        for key, value in puts:
            assert store.get(key) == model.get(key)
            store.put(key, value)
            model.pop(key, None)
            if value is not None:
                model[key] = value
        entries = sorted(model.items(), key=lambda entry: data(entry[0]))
        wanted = [entry for entry in entries if inside(entry[0], first, last)]
        both(store.range(first, last), store.reverse_range(first, last), wanted)
        both(store.all(), store.reverse_all(), entries)
        assert list(store.prefix_scan(one)) == [entry for entry in entries if data(entry[0]).startswith(data(one))]
        assert store.approximate_num_entries() == len(model)
    assert store.put_if_absent(one, 7) == model.get(one)
    assert store.delete(one) == model.get(one, 7)
    assert store.get(one) is None


@many
@given(TIMED_PUTS, st.booleans(), BOUNDS, BOUNDS, KEYS, TIMES, TIMES)
def test_window(
    puts: Any, duplicates: bool, first_key: str | None, last_key: str | None, one: str, first: int, last: int
) -> None:
    store: WindowStore[str, int] = MockProcessorContext().add_store(
        hr.stores.window(
            "s", key=hr.STRING, value=hr.INT64, size="5ms", retention=f"{RETENTION}ms", duplicates=duplicates
        )
    )
    model: list[tuple[int, str, int]] = []
    newest = -1
    for key, value, time, _ in puts:
        store.put(key, value, time)
        newest = max(newest, time)
        if not duplicates:
            model = [entry for entry in model if entry[:2] != (time, key)]
        if value is not None:
            model.append((time, key, value))
        model = [entry for entry in model if entry[0] > newest - RETENTION]
    model.sort(key=lambda entry: (entry[0], data(entry[1])))

    def shown(fits: Callable[[int, str], bool]) -> list[tuple[hr.Windowed[str], int]]:
        return [(hr.Windowed(key, time, time + 5), value) for time, key, value in model if fits(time, key)]

    both(store.all(), store.backward_all(), shown(lambda *_: True))
    in_time = shown(lambda time, _: first <= time <= last)
    both(store.fetch_all(first, last), store.backward_fetch_all(first, last), in_time)
    bounds = first_key, last_key, first, last
    in_both = [entry for entry in in_time if inside(entry[0].key, first_key, last_key)]
    both(store.fetch_range(*bounds), store.backward_fetch_range(*bounds), in_both)
    of_one = [(time, value) for time, key, value in model if key == one and first <= time <= last]
    both(store.fetch(one, first, last), store.backward_fetch(one, first, last), of_one)
    at = [value for time, key, value in model if (time, key) == (first, one)]
    assert store.fetch(one, first) == (at[-1] if at else None)


@many
@given(TIMED_PUTS, BOUNDS, BOUNDS, KEYS, TIMES, TIMES)
def test_session(
    puts: Any, first_key: str | None, last_key: str | None, one: str, earliest_end: int, latest_start: int
) -> None:
    store: SessionStore[str, int] = MockProcessorContext().add_store(
        hr.stores.session("s", key=hr.STRING, value=hr.INT64, retention=f"{RETENTION}ms")
    )
    model: dict[hr.Windowed[str], int] = {}
    newest = -1
    for key, value, *times in puts:
        session = hr.Windowed(key, min(times), max(times))
        store.put(session, value)
        newest = max(newest, session.end)
        model.pop(session, None)
        if value is not None:
            model[session] = value
        model = {known: kept for known, kept in model.items() if known.end > newest - RETENTION}
    entries = sorted(model.items(), key=lambda entry: (entry[0].end, entry[0].start, data(entry[0].key)))

    of_one = [entry for entry in entries if entry[0].key == one]
    both(store.fetch(one), store.backward_fetch(one), of_one)
    in_keys = [entry for entry in entries if inside(entry[0].key, first_key, last_key)]
    both(store.fetch_range(first_key, last_key), store.backward_fetch_range(first_key, last_key), in_keys)

    def overlaps(entry: tuple[hr.Windowed[str], int]) -> bool:
        return entry[0].end >= earliest_end and entry[0].start <= latest_start

    asked = one, earliest_end, latest_start
    both(store.find_sessions(*asked), store.backward_find_sessions(*asked), list(filter(overlaps, of_one)))
    bounds = first_key, last_key, earliest_end, latest_start
    found = list(filter(overlaps, in_keys))
    both(store.find_sessions_range(*bounds), store.backward_find_sessions_range(*bounds), found)
    ended = [entry for entry in entries if earliest_end <= entry[0].end <= latest_start]
    assert list(store.find_sessions_ended(earliest_end, latest_start)) == ended
    for session, value in entries:
        assert store.fetch_session(*session) == value
        store.remove(session)
        assert store.fetch_session(*session) is None
    assert list(store.fetch_range(None, None)) == []


@many
@given(TIMED_PUTS, KEYS, TIMES)
def test_versioned(puts: Any, one: str, as_of: int) -> None:
    store: Any = MockProcessorContext().add_store(hr.stores.versioned("s", key=hr.STRING, value=hr.INT64, history="1d"))
    model: dict[tuple[str, int], int | None] = {}
    for key, value, ts, _ in puts:
        later = [time for known, time in model if known == key and time > ts]
        kept = store.put(key, value, ts)
        if later:  # a deletion may have left no version to be followed by
            assert kept.valid_to in (*later, None)
        else:
            assert kept == (False, None)
        model[key, ts] = value
    versions = sorted((time, value) for (key, time), value in model.items() if key == one and time <= as_of)
    found = store.get(one, as_of)
    assert (found and found.value) == (versions[-1][1] if versions else None)
