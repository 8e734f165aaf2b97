"""W1, stateless: each record on its own. One output for each record that is kept, in the order of its partition."""

from __future__ import annotations

import base64
import json
import random
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zlib import crc32

import headrace as hr
import headrace.functions as F
from bench.workloads.base import BEGIN_MS, Check, Frames, Input, Output, Topics, Void, Workload, number_of, pool, same

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DROPPED = -1
_MINUTES = [f"{datetime.fromtimestamp(BEGIN_MS / 1000 + 60 * at, UTC):%Y-%m-%dT%H:%M}" for at in range(24 * 60)]


class Kept(Check):
    """Every record that is to be kept comes out once, as it has to be, behind those of its partition before it."""

    def __init__(self) -> None:
        self._digests = array("q")
        self._kept = 0

    @abstractmethod
    def expected(self, value: bytes) -> int | None:
        """A digest of what has to become of a value; None if it is left out."""

    @abstractmethod
    def found(self, value: bytes) -> int:
        """The digest of what came out."""

    def put(self, record: Input) -> None:
        digest = self.expected(record.value)
        self._kept += digest is not None
        self._digests.append(_DROPPED if digest is None else digest)

    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:  # noqa: ARG002
        last: dict[int, int] = {}
        count = 0
        for output in outputs:
            number = number_of(output.key)
            if not 0 <= number < len(self._digests) or self._digests[number] == _DROPPED:
                raise Void(f"record {number} came out, and should not have")
            if self.found(output.value) != self._digests[number]:
                raise Void(f"record {number} came out with a wrong value")
            if number <= last.get(output.partition, -1):
                raise Void(f"record {number} came out behind record {last[output.partition]}")
            last[output.partition] = number
            count += 1
        same("records that came out", count, self._kept)

    def caused(self, output: Output) -> Sequence[int]:
        return (number_of(output.key),)


class Encoded(Kept):
    """All of them, in base64."""

    def expected(self, value: bytes) -> int:
        return crc32(base64.b64encode(value))

    def found(self, value: bytes) -> int:
        return crc32(value)


class W1a(Workload):
    """1200 bytes of text in, their base64 out."""

    name, title = "W1a", "stateless: base64 of 1200 bytes"
    size = 1200

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        texts = pool(chance, self.size * 3 // 4)
        for number in range(count):
            value = base64.b64encode(next(texts))
            yield Input(number.to_bytes(8, "big"), value, self.at_ms(number))

    def check(self) -> Check:
        return Encoded()

    def declare(self, app: hr.App, topics: Topics) -> None:
        app.stream(topics.source).map_values(lambda value: F.base64(value)).to(topics.target)

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        return frames.records.selectExpr("key", "base64(value) AS value"), "append"


@dataclass
class Bid:
    """A bid of Nexmark."""

    auction: int
    bidder: int
    price: int
    channel: str
    url: str
    dateTime: str
    extra: str


@dataclass
class Priced:
    """What is kept of a bid, with its price in another currency and the hour of the day."""

    auction: int
    bidder: int
    price: float
    hour: int
    extra: str


def bid(auction: int, number: int, chance: random.Random, extra: str) -> bytes:
    """A bid as JSON, about 230 bytes; prices are log-uniform from 100 to 100 million."""
    price, bidder = int(10 ** (2 + 6 * chance.random())), int(chance.random() * 10_000)
    return (
        f'{{"auction":{auction},"bidder":{bidder},"price":{price},"channel":"channel-{bidder % 1000}",'
        f'"url":"https://www.nexmark.com/item.htm?query=1&channel_id={bidder}",'
        f'"dateTime":"{_MINUTES[number % len(_MINUTES)]}:00.{number % 1000:03}Z","extra":"{extra}"}}'
    ).encode()


def _priced(bid: Bid) -> Any:
    hour: Any = F.integer(bid.dateTime[11:13])
    return Priced(auction=bid.auction, bidder=bid.bidder, price=bid.price * 0.908, hour=hour, extra=bid.extra)


class Filtered(Kept):
    """Bids on some auctions and high ones, with their new prices."""

    def expected(self, value: bytes) -> int | None:
        made = json.loads(value)
        if made["auction"] % 123 != 0 and made["price"] <= 10_000:
            return None
        row = (made["auction"], made["bidder"], made["price"] * 0.908, int(made["dateTime"][11:13]), made["extra"])
        return crc32(repr(row).encode())

    def found(self, value: bytes) -> int:
        made = json.loads(value)
        row = tuple(made[field] for field in ("auction", "bidder", "price", "hour", "extra"))
        return crc32(repr(row).encode())


class W1b(Workload):
    """Bids as JSON: read, filtered, changed and written."""

    name, title = "W1b", "stateless: filter and map of JSON"

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        extras = [base64.b64encode(next(one)).decode() for one in [pool(chance, 30)] for _ in range(1000)]
        for number in range(count):
            value = bid(1000 + int(chance.random() * 10_000), number, chance, extras[number % 1000])
            yield Input(number.to_bytes(8, "big"), value, self.at_ms(number))

    def check(self) -> Check:
        return Filtered()

    def declare(self, app: hr.App, topics: Topics) -> None:
        bids = app.stream(topics.source, value=hr.json(Bid))
        kept = bids.filter(lambda _, bid: (bid.auction % 123 == 0) | (bid.price > 10_000))
        kept.map_values(_priced).to(topics.target, value=hr.json(Priced))

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        schema = "auction long, bidder long, price long, channel string, url string, dateTime string, extra string"
        bids = frames.records.selectExpr("key", f"from_json(CAST(value AS STRING), '{schema}') AS bid")
        kept = bids.where("bid.auction % 123 = 0 OR bid.price > 10000")
        fields = "'auction', bid.auction, 'bidder', bid.bidder, 'price', bid.price * 0.908D,"
        fields += " 'hour', CAST(substring(bid.dateTime, 12, 2) AS INT), 'extra', bid.extra"
        return kept.selectExpr("key", f"to_json(named_struct({fields})) AS value"), "append"
