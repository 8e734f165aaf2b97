"""Partitioner of Java's clients: from a key to its partition."""

from __future__ import annotations

from struct import Struct

_SEED = 0x9747B28C
_FACTOR = 0x5BD1E995
_BITS = 0xFFFFFFFF
_POSITIVE = 0x7FFFFFFF
_WORDS = [Struct(f"<{count}I") for count in range(64)]


def partition_of(key: bytes, count: int) -> int:
    """The partition of a key in a topic that has so many.

    >>> partition_of(b"abc", 4)
    3
    """
    return (murmur2(key) & _POSITIVE) % count


def murmur2(data: bytes) -> int:
    """The hash of Kafka's default partitioner, without a sign."""
    length = len(data)
    words = length >> 2
    found = _SEED ^ length
    # Every question needs it: no objects but numbers.
    for word in (_WORDS[words] if words < 64 else Struct(f"<{words}I")).unpack_from(data):
        word = word * _FACTOR & _BITS
        found = (found * _FACTOR ^ (word ^ word >> 24) * _FACTOR) & _BITS
    rest = length & 3
    if rest:
        found = (found ^ int.from_bytes(data[-rest:], "little")) * _FACTOR & _BITS
    found = (found ^ found >> 13) * _FACTOR & _BITS
    return found ^ found >> 15
