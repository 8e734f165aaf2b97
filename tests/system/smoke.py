"""The smoke test of Kafka Streams: keys whose results are known, an application of many operators, and what it wrote.

The key `3-7` has the values 3 to 7, once each and shuffled a little. All records have different times, so the time of a
result tells which records are in it: only settled changes are sent on, and steps in between may be left out, but what
is told of a moment has to be what was true then.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import headrace as hr
from headrace.log.records import NewRecord
from system.ledger import Wrong, check_echo

TOPICS: dict[str, hr.Serde[Any]] = {
    "echo": hr.INT32,
    "min-raw": hr.INT32,
    "min-suppressed": hr.INT32,
    "min": hr.INT32,
    "sws-raw": hr.INT32,
    "sws-suppressed": hr.INT32,
    "max": hr.INT32,
    "sum": hr.INT64,
    "cnt": hr.INT64,
    "dif": hr.INT32,
    "avg": hr.DOUBLE,
    "tagg": hr.INT64,
}
WINDOWED = {
    "min-raw": hr.time_windowed(hr.STRING, "1d"),
    "min-suppressed": hr.time_windowed(hr.STRING, "1d"),
    "sws-raw": hr.time_windowed(hr.STRING, "2s"),
    "sws-suppressed": hr.time_windowed(hr.STRING, "2s"),
}
FLUSH = "flush"
_DAY_MS = 86_400_000
# As long as the windows of seconds with their grace, three times: most of them close on the way.
_SPAN_MS = 96_000

PROGRAM = """
import headrace as hr
import headrace.functions as F

def of_windows(table):
    return table.to_stream().filter(lambda window, _: window.key != "flush")

def of_keys(table):
    return of_windows(table).map(lambda window, value: (window.key, value))

def table(name, value):
    return app.table({source!r} + "-" + name, key=hr.STRING, value=value)

def write(stream, name, value, key=hr.STRING):
    stream.to({source!r} + "-" + name, key=key, value=value)

app = hr.App("smoke-" + {source!r}, broker={broker!r}, checkpoint={checkpoint!r})
source = app.stream({source!r}, key=hr.STRING, value=hr.INT32)
write(source.filter(lambda key, _: key != "flush"), "echo", hr.INT32)
data = source.group_by_key()

least = data.windowed_by(hr.tumbling("1d", grace="1m")).aggregate(
    2**31 - 1, lambda _, value, so_far: F.least(so_far, value), store="least"
)
write(of_windows(least), "min-raw", hr.INT32, key=None)
write(of_windows(least.suppress(hr.until_window_closes())), "min-suppressed", hr.INT32, key=None)
write(of_keys(least), "min", hr.INT32)

sums = data.windowed_by(hr.hopping("2s", advance="1s", grace="30s")).reduce(lambda so_far, value: so_far + value)
write(of_windows(sums), "sws-raw", hr.INT32, key=None)
write(of_windows(sums.suppress(hr.until_window_closes())), "sws-suppressed", hr.INT32, key=None)

days = data.windowed_by(hr.tumbling("2d"))
most = days.aggregate(-(2**31), lambda _, value, so_far: F.greatest(so_far, value), store="most")
write(of_keys(most), "max", hr.INT32)
write(of_keys(days.aggregate(0, lambda _, value, so_far: so_far + value, store="total")), "sum", hr.INT64)
write(of_keys(days.count(store="count")), "cnt", hr.INT64)

differences = table("max", hr.INT32).join(table("min", hr.INT32), lambda most, least: most - least)
write(differences.to_stream(), "dif", hr.INT32)
counts = table("cnt", hr.INT64)
averages = table("sum", hr.INT64).join(counts, lambda total, count: total / count)
write(averages.to_stream(), "avg", hr.DOUBLE)
alike = counts.group_by(lambda _, count: (F.text(count), 1)).aggregate(
    0, lambda _, one, so_far: so_far + one, lambda _, one, so_far: so_far - one, store="alike"
)
write(alike.to_stream(), "tagg", hr.INT64)

if __name__ == "__main__":
    app.run()
"""


@dataclass(frozen=True)
class Row:
    """A record of a topic, of a window where its key is windowed."""

    partition: int
    key: str
    value: float
    at_ms: int
    start_ms: int = 0

    def __str__(self) -> str:
        window = f" from {self.start_ms}" if self.start_ms else ""
        return f"{self.key!r}{window} = {self.value} at {self.at_ms}"


# -- what is sent


def noon() -> int:
    """The middle of this day (UTC): half a day to midnight, where the windows of a day end."""
    now = datetime.now(UTC)
    return int(now.replace(hour=12, minute=0, second=0, microsecond=0).timestamp() * 1000)


def pairs(keys: int, values: int, chance: random.Random) -> Iterator[tuple[str, int]]:
    """All values of all keys; those of a key lie at most a few places from their order."""
    left = {f"{low}-{low + values - 1}": _shuffled(range(low, low + values), chance) for low in range(keys)}
    while left:
        key = chance.choice(list(left))
        yield key, left[key].pop(0)
        if not left[key]:
            del left[key]


def records(keys: int, values: int, partitions: int, chance: random.Random) -> Iterator[NewRecord]:
    """What is sent: the pairs, one after the other in time, then what closes all windows."""
    begin, each = noon(), max(1, _SPAN_MS // (keys * values))
    at = begin
    for key, value in pairs(keys, values, chance):
        yield NewRecord(key=key.encode(), value=hr.INT32.encode(value), timestamp_ms=at)
        at += each
    for partition in range(partitions):
        flush = hr.INT32.encode(0)
        yield NewRecord(key=FLUSH.encode(), value=flush, timestamp_ms=at + 2 * _DAY_MS, partition=partition)


def _shuffled(values: Iterable[int], chance: random.Random) -> list[int]:
    shuffled = list(values)
    for place in range(len(shuffled)):
        other = chance.randrange(place, min(place + 10, len(shuffled)))
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled


# -- what is written

_Fold = Callable[[float | None, float], float]
History = dict[tuple[str, int], dict[int, float]]
"""What the result of each key and window is at the times when it changes."""


def check(keys: int, values: int, read: Sequence[Row], written: Callable[[str], Sequence[Row]]) -> None:
    """Hold all topics against the input; both in the order of their partitions."""
    check_input(keys, values, read)
    data = [row for row in read if row.key != FLUSH]
    homes = {row.key: row.partition for row in data}
    check_counts_of_counts(keys, values, written("tagg"))
    least, most = history(data, lambda _: [0], _least), history(data, lambda _: [0], _most)
    total, count = history(data, lambda _: [0], _sum), history(data, lambda _: [0], _count)
    days, hops = history(data, _day, _least), history(data, _hops, _sum)
    for name, wanted in {
        "min-raw": days,
        "min": least,
        "sws-raw": hops,
        "max": most,
        "sum": total,
        "cnt": count,
    }.items():
        check_updates(name, wanted, homes, written(name))
    check_finals("min-suppressed", days, homes, written("min-suppressed"))
    check_finals("sws-suppressed", hops, homes, written("sws-suppressed"))
    differences, averages = written("dif"), written("avg")
    check_joined("dif", most, least, lambda high, low: high - low, homes, differences)
    check_joined("avg", total, count, lambda all_of, number: all_of / number, homes, averages)
    _check_order("dif", differences, lambda before, now: before <= now)
    _check_lasts(keys, values, written)
    check_echo(_in_partitions(data), _in_partitions(written("echo")))


def check_input(keys: int, values: int, read: Sequence[Row]) -> None:
    """All that was to be sent is there, once, and each partition is in the order of time."""
    wanted = Counter((f"{low}-{low + values - 1}", value) for low in range(keys) for value in range(low, low + values))
    found = Counter((row.key, int(row.value)) for row in read if row.key != FLUSH)
    if wanted != found:
        raise Wrong(f"the input lacks {wanted - found} and has {found - wanted} too many")
    last: dict[int, int] = {}
    for row in read:
        if row.at_ms <= last.get(row.partition, -1):
            raise Wrong(f"the input goes back in time: {row}")
        last[row.partition] = row.at_ms


def check_updates(name: str, wanted: History, homes: Mapping[str, int], rows: Sequence[Row]) -> None:
    """Every result is that of its time, times only grow, and the last result is that of all records."""
    last: dict[tuple[str, int], int] = {}
    for row in rows:
        steps = _of(name, wanted, homes, row)
        if row.at_ms <= last.get((row.key, row.start_ms), -1):
            raise Wrong(f"{name} was at {last[row.key, row.start_ms]}, and then goes to {row}")
        if row.value != steps.get(row.at_ms):
            raise Wrong(f"{name} says {row}, and should say {steps.get(row.at_ms)}")
        last[row.key, row.start_ms] = row.at_ms
    for key, steps in wanted.items():
        if last.get(key) != max(steps):
            raise Wrong(f"{name} of {key} ends at {last.get(key)}, and should at {max(steps)}")


def check_finals(name: str, wanted: History, homes: Mapping[str, int], rows: Sequence[Row]) -> None:
    """Every window has one result, that of all its records, in the order of windows and keys."""
    rows_wanted = [Row(homes[key], key, steps[max(steps)], max(steps), start) for (key, start), steps in wanted.items()]
    in_order = sorted(rows_wanted, key=lambda row: (row.start_ms, row.key))
    for row in rows:
        _of(name, wanted, homes, row)
    check_echo(_in_partitions(in_order), _in_partitions(rows))


def check_joined(
    name: str,
    left: History,
    right: History,
    join: Callable[[float, float], float],
    homes: Mapping[str, int],
    rows: Sequence[Row],
) -> None:
    """Every result is of both sides up to its time, one of them just then; the last one is of all records."""
    for row in rows:
        lefts, rights = _of(name, left, homes, row), _of(name, right, homes, row)
        if row.at_ms not in lefts:
            raise Wrong(f"{name} says {row}, when nothing was sent")
        newest_left, newest_right = lefts[row.at_ms], rights[row.at_ms]
        possible = {join(newest_left, value) for at, value in rights.items() if at <= row.at_ms}
        possible |= {join(value, newest_right) for at, value in lefts.items() if at <= row.at_ms}
        if row.value not in possible:
            raise Wrong(f"{name} says {row}, which is of no two values up to then")
    _check_order(name, rows, lambda _before, _now: True)
    results, last = Counter(row.key for row in rows), {row.key: row.at_ms for row in rows}
    for (key, _), steps in left.items():
        if last.get(key) != max(steps):
            raise Wrong(f"{name} of {key!r} ends at {last.get(key)}, and should at {max(steps)}")
        if results[key] > 2 * len(steps):
            raise Wrong(f"{name} has {results[key]} results of {key!r}, for {len(steps)} changes of each side")


def check_counts_of_counts(keys: int, values: int, rows: Sequence[Row]) -> None:
    """In the end all keys have all values, and none has fewer."""
    counts, last = {str(count) for count in range(1, values + 1)}, dict[str, Row]()
    for row in rows:
        if row.key not in counts or not 0 <= row.value <= keys:
            raise Wrong(f"tagg says {row}, of {keys} keys with {values} values")
        if row.key in last and last[row.key].partition != row.partition:
            raise Wrong(f"tagg has {row.key!r} in the partitions {last[row.key].partition} and {row.partition}")
        last[row.key] = row
    left = {key: row.value for key, row in last.items() if row.value}
    if left != {str(values): keys}:
        raise Wrong(f"tagg ends with {left}, and should with {keys} of {values!r}")


def history(data: Sequence[Row], starts: Callable[[int], Sequence[int]], fold: _Fold) -> History:
    """Fold the values of each key, in each window that begins at one of the starts of its time."""
    found: History = {}
    last: dict[tuple[str, int], float] = {}
    for row in data:
        for start in starts(row.at_ms):
            key = row.key, start
            last[key] = fold(last.get(key), row.value)
            found.setdefault(key, {})[row.at_ms] = last[key]
    return found


def _least(so_far: float | None, value: float) -> float:
    return value if so_far is None else min(so_far, value)


def _most(so_far: float | None, value: float) -> float:
    return value if so_far is None else max(so_far, value)


def _sum(so_far: float | None, value: float) -> float:
    return (so_far or 0) + value


def _count(so_far: float | None, _: float) -> float:
    return (so_far or 0) + 1


def _day(at_ms: int) -> Sequence[int]:
    return [at_ms - at_ms % _DAY_MS]


def _hops(at_ms: int) -> Sequence[int]:
    second = at_ms - at_ms % 1000
    return [second - 1000, second]


def _of(name: str, wanted: History, homes: Mapping[str, int], row: Row) -> dict[int, float]:
    """The steps of the key of a row, which has to be known, and to lie in its partition."""
    if (row.key, row.start_ms) not in wanted:
        raise Wrong(f"{name} says {row}, nobody sent that key, or not in that window")
    if homes[row.key] != row.partition:
        raise Wrong(f"{name} has {row} in partition {row.partition}, its key belongs to {homes[row.key]}")
    return wanted[row.key, row.start_ms]


def _check_order(name: str, rows: Sequence[Row], fits: Callable[[float, float], bool]) -> None:
    """The rows of a key do not go back in time, and each value may follow the one before."""
    last: dict[str, Row] = {}
    for row in rows:
        before = last.get(row.key, row)
        if row.at_ms < before.at_ms or not fits(before.value, row.value):
            raise Wrong(f"{name} says {before}, and then {row}")
        last[row.key] = row


def _check_lasts(keys: int, values: int, written: Callable[[str], Sequence[Row]]) -> None:
    """What the key itself tells about the last results, whatever came before them."""
    wanted: Mapping[str, Callable[[int, int], float]] = {
        "min": lambda low, _: low,
        "max": lambda _, high: high,
        "dif": lambda low, high: high - low,
        "sum": lambda low, high: (low + high) * (high - low + 1) // 2,
        "cnt": lambda low, high: high - low + 1,
        "avg": lambda low, high: (low + high) / 2,
    }
    for name, of in wanted.items():
        last = {row.key: row.value for row in written(name)}
        right = {f"{low}-{low + values - 1}": of(low, low + values - 1) for low in range(keys)}
        if last != right:
            raise Wrong(f"{name} ends with {last}, and should with {right}")


def _in_partitions(rows: Iterable[Row]) -> dict[int, list[Row]]:
    found: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.partition].append(row)
    return found
