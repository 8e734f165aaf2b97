"""Partition assignment: every instance finds the same without talking, and few partitions move at a change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b


def ranked(names: Iterable[str], partition: int) -> list[str]:
    """Instances in the order in which they are to hold a partition (rendezvous hashing).

    >>> ranked(["ann", "bob", "cyd"], 0), ranked(["ann", "cyd"], 0)
    (['cyd', 'ann', 'bob'], ['cyd', 'ann'])
    """
    return sorted(names, key=lambda name: blake2b(f"{partition} {name}".encode(), digest_size=16).digest())


def wanted(
    me: str,
    ready: Mapping[str, Collection[int]],
    partitions: int,
    held: Collection[int],
    standbys: int,
) -> frozenset[int]:
    """The partitions that one instance is to hold; `ready` says of every instance which it answers for.

    It is to hold those where it is among the first; and keeps others until so many who come before it answer for them.
    Replicas are only read, so it is harmless that both hold them for a while.
    """
    found = set()
    for partition in range(partitions):
        order = ranked(ready, partition)
        before = order[: order.index(me)]
        answering = sum(partition in ready[name] for name in before)
        if len(before) <= standbys or (partition in held and answering <= standbys):
            found.add(partition)
    return frozenset(found)
