"""Many who watch one replica: each is told what it watches."""

from __future__ import annotations

from headrace.query.answering import Changed, Watched
from headrace.query.layout import Layout
from headrace.query.watching import ReplicaWatcher, _ReplicaWatchers
from headrace.serde import STRING

LAYOUT = Layout.of(STRING)


class Seen:
    """One who watches, and the keys it was told of."""

    def __init__(self, among: _ReplicaWatchers, watched: Watched) -> None:
        self.keys: list[bytes] = []
        self.watcher = ReplicaWatcher(0, LAYOUT, watched, self._tell, lambda _: None)
        self.watcher.open()
        among.add(self.watcher)

    def _tell(self, changes: list[Changed]) -> None:
        self.keys += [change.key for change in changes]


def tell(among: _ReplicaWatchers, *keys: bytes) -> None:
    among.tell([(LAYOUT.place(key), Changed(0, offset, key, None)) for offset, key in enumerate(keys)])


def test_those_of_a_key_a_range_and_everything() -> None:
    among = _ReplicaWatchers()
    assert not among
    one, same, another = (Seen(among, Watched("s", key=key)) for key in (b"a", b"a", b"c"))
    some = Seen(among, Watched("s", first=b"a", last=b"b"))
    all_ = Seen(among, Watched("s"))
    tell(among, b"a", b"b", b"ab", b"a", b"c")
    assert one.keys == same.keys == [b"a", b"a"]
    assert another.keys == [b"c"]
    assert some.keys == [b"a", b"b", b"ab", b"a"]
    assert all_.keys == [b"a", b"b", b"ab", b"a", b"c"]
    assert len(list(among)) == 5


def test_who_has_left_is_told_no_more_and_the_others_are() -> None:
    among = _ReplicaWatchers()
    one, same = (Seen(among, Watched("s", key=b"a")) for _ in range(2))
    some = Seen(among, Watched("s", first=b"a", last=b"b"))
    among.discard(some.watcher)
    among.discard(one.watcher)
    among.discard(one.watcher)
    tell(among, b"a")
    assert (one.keys, same.keys, some.keys) == ([], [b"a"], [])
    among.discard(same.watcher)
    assert not among
