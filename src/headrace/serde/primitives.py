"""The primitive serdes, with the bytes of Kafka's own `Serdes`: other clients read what these write."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, TypeVar

from headrace.model.types import BOOL as BOOL_TYPE
from headrace.model.types import BYTES as BYTES_TYPE
from headrace.model.types import FLOAT, INT, STR, Type
from headrace.model.types import INT32 as INT32_TYPE
from headrace.serde.base import Serde
from headrace.serde.facts import Facts, KernelCodec, KeyOrder, Ordering, TextForm

T = TypeVar("T")

# Java writes every NaN as this one.
_NAN = b"\x7f\xf8" + bytes(6)
_INTS = {4: struct.Struct(">i"), 8: struct.Struct(">q")}


@dataclass(frozen=True, repr=False)
class Primitive(Serde[T]):
    """A serde without settings."""

    name: str
    type: Type

    @property
    def facts(self) -> Facts:
        codec = KernelCodec("PrimitiveCodec", lambda: f"{self.name} {self.type.sql}")
        return Facts(format=self.name, kernel=codec, keys=self.order)

    @property
    def order(self) -> KeyOrder:
        """Order of its keys."""
        return KeyOrder()

    def __repr__(self) -> str:
        return str(self)

    def wrong(self, value: object) -> ValueError:
        """The error for a value of another type."""
        return ValueError(f"{value!r} is a {type(value).__name__}, {self.type} is needed")


class StringSerde(Primitive[str]):
    """UTF-8."""

    @property
    def order(self) -> KeyOrder:
        return KeyOrder(prefixes=True)

    def reads(self, written: Serde[Any]) -> bool:
        return written.facts.text is TextForm.BYTES or super().reads(written)  # JSON is text

    def write(self, value: str) -> bytes:
        if not isinstance(value, str):
            raise self.wrong(value)
        try:
            return value.encode()
        except UnicodeEncodeError as exc:
            raise ValueError(f"U+{ord(value[exc.start]):04X} at {exc.start} has no UTF-8 form") from None

    def read(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as exc:
            raise ValueError(f"byte 0x{data[exc.start]:02x} at {exc.start} is not UTF-8") from None


class BytesSerde(Primitive[bytes]):
    """The bytes as they are."""

    @property
    def order(self) -> KeyOrder:
        return KeyOrder(prefixes=True)

    def write(self, value: bytes) -> bytes:
        if type(value) is bytes:
            return value
        if not isinstance(value, bytes | bytearray):
            raise self.wrong(value)
        return bytes(value)

    def read(self, data: bytes) -> bytes:
        return data


@dataclass(frozen=True, repr=False)
class IntSerde(Primitive[int]):
    """Two's complement, the highest byte first."""

    size: int

    @property
    def order(self) -> KeyOrder:
        return KeyOrder(Ordering.INT, self.size)

    def write(self, value: int) -> bytes:
        if type(value) is not int and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.wrong(value)
        try:
            return _INTS[self.size].pack(value)
        except struct.error:
            raise ValueError(f"{value} does not fit {self.size * 8} bits") from None

    def read(self, data: bytes) -> int:
        try:
            number: int = _INTS[self.size].unpack(data)[0]
        except struct.error:
            raise _wrong_size(data, self.size) from None
        return number


class DoubleSerde(Primitive[float]):
    """IEEE 754 binary64, the highest byte first."""

    @property
    def order(self) -> KeyOrder:
        return KeyOrder(Ordering.FLOAT, 8)

    def write(self, value: float) -> bytes:
        if not isinstance(value, float | int) or isinstance(value, bool):
            raise self.wrong(value)
        try:
            number = float(value)
        except OverflowError:
            raise ValueError(f"{value} does not fit a float") from None
        return struct.pack(">d", number) if number == number else _NAN

    def read(self, data: bytes) -> float:
        number: float = struct.unpack(">d", _sized(data, 8))[0]
        return number


class BoolSerde(Primitive[bool]):
    """Truth as one byte, 0 or 1."""

    @property
    def order(self) -> KeyOrder:
        return KeyOrder(size=1)

    def write(self, value: bool) -> bytes:
        if not isinstance(value, bool):
            raise self.wrong(value)
        return b"\x01" if value else b"\x00"

    def read(self, data: bytes) -> bool:
        if _sized(data, 1)[0] > 1:
            raise ValueError(f"byte 0x{data[0]:02x}, 0x00 or 0x01 is needed")
        return data == b"\x01"


def _sized(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise _wrong_size(data, size)
    return data


def _wrong_size(data: bytes, size: int) -> ValueError:
    there = f"{len(data)} byte{'' if len(data) == 1 else 's'}"
    return ValueError(f"{there}, {size} {'is' if size == 1 else 'are'} needed")


STRING = StringSerde("string", STR)
BYTES = BytesSerde("bytes", BYTES_TYPE)
INT32 = IntSerde("int32", INT, 4)
INT64 = IntSerde("int64", INT, 8)
DOUBLE = DoubleSerde("double", FLOAT)
BOOL = BoolSerde("bool", BOOL_TYPE)

_OF_INT32 = IntSerde("int32", INT32_TYPE, 4)
"""INT32 of what is known to be no longer: users name INT32, which gives an int like others."""

PRIMITIVES: tuple[Serde[Any], ...] = (STRING, BYTES, INT32, INT64, DOUBLE, BOOL)
_BY_TYPE = {serde.type: serde for serde in (*PRIMITIVES, _OF_INT32)}  # INT64 after INT32: it is the serde of an int


def primitive_of(type_: Type) -> Serde[Any] | None:
    """The primitive serde that writes values of a type when the user names none."""
    return _BY_TYPE.get(type_)
