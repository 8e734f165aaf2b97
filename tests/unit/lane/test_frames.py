"""Messages come out as they went in."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from headrace.lane.frames import Channel, Reader, Writer, packed_parts, unpacked_parts

PARTS = st.lists(st.none() | st.binary(max_size=20))


@given(PARTS)
def test_columns(values: list[bytes | None]) -> None:
    read = Reader(Writer().column(values).int32(7).take())
    found = read.column(len(values))
    assert found == (values if any(value is not None for value in values) else None)
    assert read.int32() == 7


@given(PARTS)
def test_packed_parts(parts: list[bytes | None]) -> None:
    assert unpacked_parts(packed_parts(parts)) == parts


def test_numbers_and_texts() -> None:
    written = Writer().int32(-5).int64(1 << 40).text("grün").part(None).part(b"").int32s([1, -2]).int64s([-(1 << 60)])
    read = Reader(written.take())
    assert (read.int32(), read.int64(), read.text(), read.part(), read.part()) == (-5, 1 << 40, "grün", None, b"")
    assert (list(read.int32s(2)), list(read.int64s(1))) == ([1, -2], [-(1 << 60)])


def test_a_channel_ends_where_its_input_does() -> None:
    wire = io.BytesIO()
    Channel(io.BytesIO(), wire).send("C", b"abc")
    channel = Channel(io.BytesIO(wire.getvalue()), io.BytesIO())
    found = channel.receive()
    assert found is not None
    assert (found[0], channel.receive()) == ("C", None)
