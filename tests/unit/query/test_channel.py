"""Many who watch one replica: each is told what it watches."""

from __future__ import annotations

from typing import cast

import pytest

from headrace.query.replica.key_order import Layout
from headrace.query.replica.replica import Replica
from headrace.query.replica.watched import ChangeChannel, ChannelEnded, ReplicaWatcher, _ReplicaWatchers
from headrace.query.service.ports import Changed, Watched
from headrace.serde import STRING

LAYOUT = Layout.of(STRING)


class Seen:
    """One who watches, and the keys it was told of."""

    def __init__(self, among: _ReplicaWatchers, watched: Watched) -> None:
        self.keys: list[bytes] = []
        self.watcher = ReplicaWatcher(0, LAYOUT, watched, self._tell, lambda _: None)
        assert list(self.watcher.open()) == []
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


def test_nobody_joins_a_channel_that_has_ended() -> None:
    class Read:
        next = 7

    channel = ChangeChannel(0, LAYOUT)
    watched = Watched("s", since={0: 7})
    replica = cast(Replica, Read())
    watcher = ReplicaWatcher(0, LAYOUT, watched, lambda _: None, lambda _: None)
    assert list(channel.join(watcher, replica)) == []
    channel.end()
    with pytest.raises(ChannelEnded):
        channel.join(watcher, replica)


def test_what_changes_while_one_is_told_what_is_there_is_told_in_parts_that_may_wait() -> None:
    first: list[list[Changed]] = []
    later: list[list[Changed]] = []
    watcher = ReplicaWatcher(0, LAYOUT, Watched("s"), later.append, lambda _: None)
    for number in range(3_000):
        watcher.tell_changes([Changed(0, number, b"%d" % (number % 2_000), None)])
    for part in watcher.open():
        first.append(part)
        if len(first) == 1:  # more changes while the first ones are handed over
            watcher.tell_changes([Changed(0, 5_000 + number, b"%d" % number, None) for number in range(600)])
        elif len(first) == 4:
            watcher.tell_changes([Changed(0, 6_000, b"0", None)])
    assert len(first) > 4
    assert all(sum(change.size for change in part) < 33 * 1024 for part in first)
    told = [change.offset for part in first for change in part]
    assert told == list(range(1_000, 3_000))
    assert [len(part) for part in later] == [600]
    assert [change.offset for change in later[0]] == [*range(5_001, 5_600), 6_000]
    watcher.tell_changes([Changed(0, 7_000, b"1", None)])
    assert len(later) == 2
