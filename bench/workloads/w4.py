"""W4, enrich and window (the Yahoo benchmark): views of ads, joined with their campaigns, counted by campaign."""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import headrace as hr
from bench.workloads.base import BEGIN_MS, SEED, Check, Frames, Input, Output, Topics, Void, Workload, number_of
from bench.workloads.w2 import long_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SIZE_MS, CAMPAIGNS, ADS_EACH, SKEW_MS = 10_000, 100, 10, 50
_AD_TYPES = ("banner", "modal", "sponsored-search", "mail", "mobile")
_EVENT_TYPES = ("view", "click", "purchase")


@dataclass
class Event:
    """Something that happened to an ad."""

    user_id: str
    page_id: str
    ad_id: str
    ad_type: str
    event_type: str
    event_time: int
    ip_address: str


class Campaigns(Check):
    """The counts of a window of a campaign grow, and the last one is the number of its views."""

    def __init__(self, table: Sequence[Input]) -> None:
        self._campaign = {row.key: row.value for row in table}
        self._views: Counter[tuple[bytes, int]] = Counter()

    def put(self, record: Input) -> None:
        if json.loads(record.value)["event_type"] == "view":
            self._views[self._campaign[record.key], record.ts // SIZE_MS * SIZE_MS] += 1
            self.inner += 1

    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:
        found: Counter[tuple[bytes, int]] = Counter()
        for output in outputs:
            window, count = (output.key[:-8], number_of(output.key[-8:])), number_of(output.value)
            if count <= found[window] or (every and count != found[window] + 1):
                raise Void(f"{window} is counted {count} behind {found[window]}")
            found[window] = count
        if found != self._views:
            wrong = [window for window in found | self._views if found[window] != self._views[window]]
            example = wrong[0]
            raise Void(
                f"{len(wrong)} windows are wrong: {example} is counted {found[example]} times instead of"
                f" {self._views[example]}"
            )


class W4(Workload):
    """A third of the events are views; 100 campaigns have 10 ads each."""

    name, title = "W4", "enrich and window"

    def __init__(self) -> None:
        chance = random.Random(SEED)
        self._campaigns, self._ads = _ids(chance, CAMPAIGNS), _ids(chance, CAMPAIGNS * ADS_EACH)

    def table(self) -> Sequence[Input]:
        return [
            Input(ad.encode(), self._campaigns[number // ADS_EACH].encode(), BEGIN_MS - 60_000)
            for number, ad in enumerate(self._ads)
        ]

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        users, pages = _ids(chance, 100), _ids(chance, 100)
        for number in range(count):
            ad, user = self._ads[int(chance.random() * len(self._ads))], users[number % 100]
            ts = self.at_ms(number) + int(chance.random() * 2 * SKEW_MS) - SKEW_MS
            kind = _EVENT_TYPES[int(chance.random() * 3)]
            value = (
                f'{{"user_id":"{user}","page_id":"{pages[number // 7 % 100]}","ad_id":"{ad}",'
                f'"ad_type":"{_AD_TYPES[number % 5]}","event_type":"{kind}","event_time":{ts},"ip_address":"1.2.3.4"}}'
            )
            yield Input(ad.encode(), value.encode(), ts)

    def check(self) -> Check:
        return Campaigns(self.table())

    def declare(self, app: hr.App, topics: Topics) -> None:
        campaigns = app.table(topics.table, key=hr.STRING, value=hr.STRING)
        events = app.stream(topics.source, key=hr.STRING, value=hr.json(Event))
        views = events.filter(lambda _, event: event.event_type == "view")
        seen = views.join(campaigns, lambda _, campaign: campaign).group_by(lambda _, campaign: campaign)
        counts = seen.windowed_by(hr.tumbling(f"{SIZE_MS}ms", grace="1d")).count(store="views")
        counts.to_stream().to(topics.target)

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        from pyspark.sql import functions as F

        schema = "ad_id string, event_type string"
        events = frames.records.select("timestamp", F.from_json(F.col("value").cast("string"), schema).alias("event"))
        views = events.where("event.event_type = 'view'").withWatermark("timestamp", "1 day")
        campaigns = frames.table.selectExpr("CAST(key AS STRING) AS ad_id", "value AS campaign").hint("broadcast")
        seen = views.selectExpr("timestamp", "event.ad_id AS ad_id").join(campaigns, "ad_id")
        counts = seen.groupBy("campaign", F.window("timestamp", f"{SIZE_MS} milliseconds")).count()
        start = long_bytes("unix_millis(window.start)")
        return counts.selectExpr(f"concat(campaign, {start}) AS key", f"{long_bytes('`count`')} AS value"), "update"


def _ids(chance: random.Random, count: int) -> list[str]:
    return [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(count)]
