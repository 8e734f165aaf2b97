"""Serdes of the user's own: of records that headrace knows, and of values that only Python does."""

from __future__ import annotations

import csv
import io
import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, in_any_order, put
from headrace.dsl import Builder


@dataclass(frozen=True)
class Reading:
    sensor: str
    celsius: float


class ReadingSerde(hr.Serde[Reading]):
    """The length of the name, the name, and a double."""

    def write(self, value: Reading) -> bytes:
        name = value.sensor.encode()
        return struct.pack(f">H{len(name)}sd", len(name), name, value.celsius)

    def read(self, data: bytes) -> Reading:
        (size,) = struct.unpack_from(">H", data)
        name, celsius = struct.unpack(f">{size}sd", data[2:])
        return Reading(name.decode(), celsius)


@dataclass(frozen=True)
class Order:
    id: int
    customer: str
    amount: float


class CsvSerde(hr.Serde[Order]):
    """One line."""

    def write(self, value: Order) -> bytes:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([value.id, value.customer, value.amount])
        return line.getvalue().encode()

    def read(self, data: bytes) -> Order:
        number, customer, amount = next(csv.reader([data.decode()]))
        return Order(int(number), customer, float(amount))


class Compressed(hr.Serde[Any]):
    """Any JSON."""

    def __init__(self, level: int = 6) -> None:
        self.level = level

    def write(self, value: Any) -> bytes:
        return zlib.compress(json.dumps(value).encode(), self.level)

    def read(self, data: bytes) -> Any:
        return json.loads(zlib.decompress(data))


class Point:
    """No record."""

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self) -> int:
        return hash((self.x, self.y))


class PointSerde(hr.Serde[Point]):
    def write(self, value: Point) -> bytes:
        return bytes([value.x, value.y])

    def read(self, data: bytes) -> Point:
        return Point(*data)


def hottest(app: Builder) -> None:
    readings = app.stream("in", key=hr.STRING, value=ReadingSerde())
    readings.filter(lambda _, reading: reading.celsius > 20).to("hot")
    by_sensor = readings.group_by(lambda _, reading: reading.sensor)
    highest = by_sensor.aggregate(
        -300.0, lambda _, reading, high: max(reading.celsius, high), store="high", emit="every"
    )
    highest.to_stream().to("out")


def keyed_by_order(app: Builder) -> None:
    orders = app.stream("in", key=CsvSerde(), value=hr.STRING)
    orders.group_by_key().count(store="n", emit="every").to_stream().to("out", key=CsvSerde())


def compressed(app: Builder) -> None:
    events = app.stream("in", key=hr.STRING, value=Compressed())
    events.filter(lambda _, event: event["kind"] == "click").to("clicks", value=Compressed(9))
    events.map_values(lambda event: F.as_int(event["page"]) + 1).to("pages")


def mirrored(app: Builder) -> None:
    def mirror(point: Point) -> Point:
        return Point(point.y, point.x)

    app.stream("in", key=hr.STRING, value=PointSerde()).map_values(mirror).to("out", value=PointSerde())


CLICK, VIEW = {"kind": "click", "page": 3}, {"kind": "view", "page": 7}
CASES = [
    Case(
        "a binary struct as a value",
        hottest,
        put("in", ("a", Reading("attic", 19.5)), ("b", Reading("attic", 21.0)), ("c", Reading("cellar", 12.0))),
        every("hot", ("b", Reading("attic", 21.0))),
        in_any_order("out", ("attic", 19.5), ("attic", 21.0), ("cellar", 12.0)),
    ),
    Case(
        "a line of csv as a key",
        keyed_by_order,
        put(
            "in",
            (Order(7, "O'Neill, Ann", 1.5), "x"),
            (Order(8, "Bob", 2.0), "x"),
            (Order(7, "O'Neill, Ann", 1.5), "x"),
        ),
        in_any_order(
            "out", (Order(7, "O'Neill, Ann", 1.5), 1), (Order(8, "Bob", 2.0), 1), (Order(7, "O'Neill, Ann", 1.5), 2)
        ),
    ),
    Case(
        "compressed json",
        compressed,
        put("in", ("a", CLICK), ("b", VIEW)),
        every("clicks", ("a", CLICK)),
        every("pages", ("a", 4), ("b", 8)),
    ),
    Case(
        "values that only python knows",
        mirrored,
        put("in", ("a", Point(1, 2))),
        every("out", ("a", Point(2, 1))),
    ),
]
