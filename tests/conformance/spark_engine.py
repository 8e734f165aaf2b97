"""Runs the cases on Spark: many in one application and one query, with a restart between batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest

from cases.table import Case
from conformance.kafka_io import Reader, create_topics, produce_all
from conformance.observed import Observed
from conformance.pack import PackedApp, prefix
from headrace.model.batches import Drops
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord, Record
from headrace.plan.idle import idle_ms
from headrace.plan.nodes import Changelog, Source, To
from headrace.task.loop import Loop

# Fewer pay for more starts; of more, the largest have rows with more columns than Spark plans quickly.
_PACK = 30


Between = Callable[[PackedApp], None]
"""What happens to an application between two runs."""


def observe_all(
    cases: Sequence[Case], broker: str, checkpoints: Path, between: Between = lambda _: None, engine: str = "batch"
) -> dict[str, Observed]:
    """What each case writes, by its id."""
    observed = {case.id: Observed() for case in cases}
    for number, pack in enumerate(_packs(cases)):
        try:
            _observe_pack(
                pack,
                partial(PackedApp, pack, broker=broker, engine=engine, checkpoint=checkpoints / str(number)),
                observed,
                between,
            )
        except Exception as exc:
            for case in pack:
                observed[case.id].failure = exc
    return observed


def observe_chosen(
    request: pytest.FixtureRequest,
    cases: Mapping[str, Case],
    broker: str,
    checkpoints: Path,
    between: Between = lambda _: None,
    engine: str = "batch",
) -> dict[str, Observed]:
    """The same of those cases, by the names of their tests, that are in this run: all of them, or some with -k."""
    if engine != "python":
        request.getfixturevalue("spark")  # keeps Spark up between the applications
    chosen = {item.name for item in request.session.items}
    return observe_all([case for test, case in cases.items() if test in chosen], broker, checkpoints, between, engine)


def _packs(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """Cases of one time of day, which an application has, with about as many batches, so that few wait for others.

    Those with changelogs are by themselves: these have as many partitions as the application has tasks, here one.
    """
    ordered = sorted(cases, key=lambda case: (_alike(case), len(case.batches)))
    for _, group in groupby(ordered, key=_alike):
        together = list(group)
        for start in range(0, len(together), _PACK):
            yield together[start : start + _PACK]


def _alike(case: Case) -> tuple[bool, list[int]]:
    return bool(case.plan().of(Changelog)), _moves(case)


def _moves(case: Case) -> list[int]:
    """How far the time of day moves on before each batch, up to the last move; only some topologies look at it."""
    looks = any(idle_ms(node) is not None for node in case.plan().nodes)
    moves = [batch.clock_ms * looks for batch in case.batches]
    while moves and not moves[-1]:
        moves.pop()
    return moves


def _observe_pack(
    cases: Sequence[Case], make: Callable[..., PackedApp], observed: dict[str, Observed], between: Between
) -> None:
    """Run some cases together: batch n of the application holds the n-th batch of every case.

    Where the time of day moves on before the records come, a batch of its own sees it.
    """
    broker = str(make().broker)
    create_topics(broker, {name for case in cases for name in _topics(case)})
    reader = Reader(broker, [prefix(case) + topic for case in cases for topic in case.outputs])
    now_ms = 0
    with closing(reader):
        moves = _moves(cases[0])
        for number in range(max(len(case.batches) for case in cases)):
            by_ms = moves[number] if number < len(moves) else 0
            now_ms += by_ms
            records = [raw for case in cases for raw in _input(case, number)]
            apps = [make(now_ms=now_ms)]
            if by_ms and records:
                apps.append(make(now_ms=now_ms))
                apps[1].run(until="latest")
            produce_all(broker, records)
            if number:
                between(apps[0])
            apps[0].run(until="latest")
            if any(map(_comes_back, cases)):
                apps.append(make(now_ms=now_ms))
                apps[-1].run(until="latest")
            found = reader.read()
            for case in cases:
                observed[case.id].add(_output(case, found))
                for app in apps:
                    observed[case.id].drops.update(_drops(case, app.metrics().drops))


def _comes_back(case: Case) -> bool:
    """Whether a case reads what it writes: that is in the topics only when it has run."""
    plan = case.plan()
    read = {topic for source in plan.of(Source) for topic in source.topics}
    return any(to.topic in read for to in plan.of(To))


def _topics(case: Case) -> Iterator[str]:
    plan = case.plan()
    named = [topic for source in plan.of(Source) for topic in source.topics]
    named += [to.topic for to in plan.of(To) if isinstance(to.topic, str)]
    made_by_itself = {to.topic for to in plan.of(Changelog)}
    for topic in [*named, *case.outputs, *(put.topic for batch in case.batches for put in batch.puts)]:
        if topic not in made_by_itself:
            yield prefix(case) + topic


def _input(case: Case, number: int) -> Iterator[RawRecord]:
    loop = Loop(case.plan(), SetClock())
    for put in case.batches[number].puts if number < len(case.batches) else ():
        source = loop.source_of(put.topic)
        for record in put.records:
            yield RawRecord(
                topic=prefix(case) + put.topic,
                key=source.key.encode(record.key),
                value=source.value.encode(record.value),
                ts=record.ts,
                headers=record.headers,
            )


def _output(case: Case, found: Mapping[str, Sequence[RawRecord]]) -> dict[str, list[Record]]:
    sinks = case.plan().of(To)
    named = {to.topic: to for to in sinks if isinstance(to.topic, str)}
    choosing = next((to for to in sinks if not isinstance(to.topic, str)), sinks[0])
    return {
        topic: [_decoded(case, raw, named.get(topic, choosing)) for raw in found[prefix(case) + topic]]
        for topic in case.outputs
    }


def _drops(case: Case, found: Drops) -> dict[tuple[str, str], int]:
    """What a case dropped, under the names that its nodes have by themselves."""
    before = prefix(case)
    return {(node[len(before) :], reason): count for (node, reason), count in found.items() if node.startswith(before)}


def _decoded(case: Case, raw: RawRecord, to: To) -> Record:
    """A record as the case knows it: failures tell the names of nodes, which are longer here."""
    (key, value), before = to.read_with(), prefix(case).encode()

    def short(data: bytes | None) -> bytes | None:
        return None if data is None else data.replace(before, b"")

    headers = tuple((name, short(data)) for name, data in raw.headers)
    return Record(key=key.decode(raw.key), value=value.decode(short(raw.value)), ts=raw.ts, headers=headers)
