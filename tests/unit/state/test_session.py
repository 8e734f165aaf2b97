"""The session store."""

from headrace.model.windows import Window
from headrace.state.keyvalue import Stored
from headrace.state.session import SessionStore
from headrace.state.state import MemoryState


def filled(retention_ms: int, *sessions: tuple[bytes, int, int]) -> SessionStore:
    store = SessionStore(MemoryState(), "s", retention_ms)
    for key, start, end in sessions:
        store.put(key, Window(start, end), f"{start}-{end}", ts=end)
    return store


def test_sessions_are_found_by_what_they_touch() -> None:
    store = filled(100, (b"a", 20, 30), (b"a", 1, 5), (b"b", 1, 5), (b"a", 40, 40))
    assert [session for session, _ in store.find(b"a", 5, 20)] == [(1, 5), (20, 30)]
    assert [session for session, _ in store.find(b"a", 6, 19)] == []
    assert store.find(b"c", 0, 100) == []


def test_a_session_has_its_last_value() -> None:
    store = filled(100, (b"a", 1, 5))
    store.put(b"a", Window(1, 5), "new", ts=9)
    assert store.get(b"a", Window(1, 5)) == Stored("new", 9)
    assert store.get(b"a", Window(1, 6)) is None
    assert len(list(store.ended(0, 100))) == 1


def test_sessions_end_by_end_and_start_and_key() -> None:
    store = filled(100, (b"b", 3, 9), (b"a", 3, 9), (b"c", 1, 9), (b"a", 0, 2), (b"a", 10, 10))
    assert [(key, session) for key, session, _ in store.ended(3, 9)] == [(b"c", (1, 9)), (b"a", (3, 9)), (b"b", (3, 9))]


def test_sessions_are_removed() -> None:
    store = filled(100, (b"a", 1, 5), (b"a", 6, 8))
    store.remove(b"a", Window(1, 5))
    store.remove(b"a", Window(2, 5))
    store.put(b"a", Window(6, 8), None, ts=8)
    assert list(store.ended(0, 100)) == []


def test_what_ended_the_retention_before_the_newest_is_not_found() -> None:
    store = filled(10, (b"a", 1, 5), (b"a", 6, 6), (b"b", 15, 15))
    assert [session for session, _ in store.find(b"a", 0, 100)] == [(6, 6)]
    assert store.get(b"a", Window(1, 5)) is None


def test_what_is_put_among_the_forgotten_is_not_kept() -> None:
    store = filled(10, (b"b", 15, 15))
    store.put(b"a", Window(4, 5), "x", ts=15)
    assert [session.end for _, session, _ in store.ended(0, 14)] == []
    assert (store.keeps(5), store.keeps(6)) == (False, True)
    assert filled(10).keeps(0)


def test_a_session_that_is_put_as_none_moves_time_on_as_well() -> None:
    store = filled(10, (b"a", 1, 5))
    store.put(b"b", Window(15, 15), None, ts=15)
    assert store.find(b"a", 0, 100) == []
