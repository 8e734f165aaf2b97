"""The partition of a key is the one that Java's clients give it."""

from __future__ import annotations

import pytest

from headrace.log.partitioner import murmur2, partition_of

# What the test of Kafka's Java client expects.
HASHES = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


@pytest.mark.parametrize("key", HASHES)
def test_the_hash_is_that_of_kafka(key: bytes) -> None:
    assert murmur2(key) == HASHES[key] & 0xFFFFFFFF
    assert partition_of(key, 4) == (HASHES[key] & 0x7FFFFFFF) % 4


def test_a_key_may_be_empty_or_long() -> None:
    assert murmur2(b"") == 0x106E08D9
    assert 0 <= partition_of(bytes(1_000), 7) < 7
