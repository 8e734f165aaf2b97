"""Compare generated topologies on Spark, hundreds if wanted: with the Python tasks, and with the real Kafka Streams.

    python -m conformance.spark_live --seed 7 8 --count 250          # in tests/, with src on the PYTHONPATH
    python -m conformance.spark_live --seed 7 --count 300 --settled  # any batches, and only settled changes
    python -m conformance.spark_live --seed 7 --python 0.2           # every fifth node, and those with it, in Python

Records come in a few random batches, with a restart of the application between them; cases run many in one query, each
with its own topics. Without `--settled` every change is sent on, and a batch has to write what its records write one by
one: so Kafka Streams' test driver works them off, which answers the same cases. With it the Python tasks say what is
wanted. Needs what the oracle needs: see shared/oracle/README.md beside this repository.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from cases.table import Case, Row
from conformance import pack
from conformance.batches import Unbatched, rows
from conformance.observed import Observed
from conformance.oracle_build import build
from conformance.oracle_compare import lost_there, versions_hidden
from conformance.oracle_live import Pair, answered, generated
from conformance.spark_engine import observe_all
from conformance.task_engine import observe
from headrace.dsl import Builder
from headrace.log.broker import EmbeddedBroker
from headrace.plan.nodes import Node, Source
from headrace.spark.layout import lanes
from headrace.spark.layout.reasons import why_python
from headrace.spark.session.spark import join, leave
from headrace.task.loop import Loop

Spec = dict[str, Any]
"""A case as the oracle has it."""


def settling(spec: Spec, chance: random.Random) -> Case:
    """A case of the oracle that sends on only settled changes."""
    return _unbatched(spec, "settled").settling(chance)


def as_if_single(spec: Spec, chance: random.Random, most: int = 6) -> Case:
    """A case of the oracle that writes what Kafka Streams does, or the beginning of it: a batch takes Spark seconds."""
    return _unbatched(spec, "every").as_if_single(chance, most)


def _unbatched(spec: Spec, emit: str) -> Unbatched:
    """The clock is left out: no operator of the oracle's looks at it."""
    return Unbatched(
        title=f"{emit} {spec['id']}",
        topology=partial(_topology, spec["nodes"]),
        outputs=[node["topic"] for node in spec["nodes"] if node["op"] == "to"],
        inputs=[(step["topic"], (step["key"], step["value"], step["ts"])) for step in _records(spec).values()],
    )


def _topology(nodes: list[dict[str, Any]], builder: Builder) -> None:
    build(builder, nodes)


def _records(spec: Spec) -> dict[int, dict[str, Any]]:
    return {number: step for number, step in enumerate(spec["inputs"]) if "topic" in step}


@contextmanager
def ties_by_plan() -> Iterator[None]:
    """At equal times Kafka Streams leaves open which of two repartitions is next.

    The Python tasks do as its test driver does, by how queues lie in a heap. Spark has all records of a stage at once
    and goes by the plan; so do the Python tasks here.
    """
    found = Loop._place

    def place(loop: Loop, node: Node, topic: str) -> tuple[int, int, str]:
        first, second, name = found(loop, node, topic)
        return (first, second if isinstance(node, Source) else loop.plan.nodes.index(node), name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Loop, "_place", place)
        yield


@contextmanager
def mixed_lanes(share: float) -> Iterator[None]:
    """Have some of the nodes run in Python, always the same by their names."""

    def why(node: Node) -> str | None:
        return "chosen" if crc32(node.name.encode()) < share * 2**32 else why_python(node)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "why_python", why)
        patch.setattr(pack, "RUN", f"mixed-{share}.")
        yield


def unlike_tasks(case: Case, observed: Observed) -> str | None:
    """The first batch that is not as on the Python tasks, in words; None if there is none."""
    wanted = observe(case)
    for number in range(len(case.batches)):
        for topic in case.outputs:
            new, asked = (rows(one.after(number, topic)[0]) for one in (observed, wanted))
            if new != asked:
                place = f"topic {topic}, batch {number} of {len(case.batches)}"
                return f"unlike the Python tasks: {place}\n wanted {asked}\n found  {new}\n{case.batches}"
    if observed.drops != wanted.drops:
        return f"unlike the Python tasks\n wanted drops {wanted.drops}\n found  drops {observed.drops}\n{case.batches}"
    return None


def unlike_kafka(spec: Spec, answer: dict[str, Any], case: Case, observed: Observed) -> str | None:
    """The first topic that is not as Kafka Streams wrote it, in words; None if there is none."""
    count = sum(len(put.records) for batch in case.batches for put in batch.puts)
    last = list(_records(spec))[count - 1]
    for topic in case.outputs:
        theirs: list[Row] = [
            (out["key"], out["value"], out["ts"])
            for out in answer["outputs"]
            if out["topic"] == topic and out["by"] <= last
        ]
        mine = rows(observed.after(len(case.batches) - 1, topic)[1])
        if mine != theirs:
            return f"unlike Kafka Streams: topic {topic}\n wanted {theirs}\n found  {mine}\n{case.batches}"
    return None


class Tally:
    """How a comparison goes."""

    def __init__(self) -> None:
        self.alike, self.tied, self.as_kafka, self.lossy, self.shortened, self.differing = 0, 0, 0, 0, 0, 0
        self.failed: defaultdict[str, list[str]] = defaultdict(list)
        """The cases of packs that failed, by what was said."""
        self.ops = Counter[str]()

    def add(self, pair: Pair, case: Case, observed: Observed, *, with_kafka: bool) -> None:
        """Compare what Spark wrote with the Python tasks, and with Kafka Streams where it lost nothing."""
        if observed.failure is not None:
            self.failed[str(observed.failure)].append(pair[0]["id"])
            return
        spec, answer = pair
        count = sum(len(put.records) for batch in case.batches for put in batch.puts)
        self.shortened += count < len(_records(spec))
        found = unlike_tasks(case, observed)
        if found is not None:
            with ties_by_plan():
                if unlike_tasks(case, observed) is None:
                    self.tied += 1
                    return
        if found is None and with_kafka:
            if lost_there(spec, answer):
                self.lossy += 1
            else:
                found = unlike_kafka(spec, answer, case, observed)
                self.as_kafka += found is None
        if found is None:
            self.alike += 1
            self.ops.update({node["op"] for node in spec["nodes"]})
        else:
            self.differing += 1
            print(f"{case.id}: {found}", json.dumps(spec), sep="\n", flush=True)

    def tell(self, *, with_kafka: bool) -> None:
        """Say how it went."""
        for text, ids in self.failed.items():
            print(f"failed together: {' '.join(ids)}; find out which of them by --only\n{text}")
        print("cases with each operator:", ", ".join(f"{op} {count}" for op, count in self.ops.most_common()))
        print(f"{self.alike} as on the Python tasks, {self.shortened} of all with their first records only")
        print(f"{self.tied} others too, where two repartitions at equal times go by the plan: Kafka leaves that open")
        if with_kafka:
            print(f"{self.as_kafka} as on Kafka Streams; it lost results in {self.lossy} others")
        print(f"{self.differing} different, {sum(map(len, self.failed.values()))} in packs that failed")


def compare(pairs: Iterable[Pair], seed: int, *, settled: bool, broker: str, checkpoints: Path, tally: Tally) -> None:
    """Compare the cases of one seed."""
    began, run = time.monotonic(), dict[str, tuple[Pair, Case]]()
    make = settling if settled else as_if_single
    with versions_hidden():
        for pair in pairs:
            case = make(pair[0], random.Random(pair[0]["id"]))
            run[case.id] = pair, case
        observed = observe_all([case for _, case in run.values()], broker, checkpoints / str(seed))
        for pair, case in run.values():
            tally.add(pair, case, observed[case.id], with_kafka=not settled)
    took = time.monotonic() - began
    print(f"seed {seed}: {len(run)} ran in {took:.0f} s, {tally.differing} different so far", flush=True)


def main() -> int:
    """Compare, and say how it went; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[random.randrange(1_000_000)])
    parser.add_argument("--count", type=int, default=80, help="of each seed")
    parser.add_argument("--ops", default="", help="only these, and what they need: table_join,count")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these, in the batches that they had: 7-12")
    parser.add_argument("--settled", action="store_true", help="any batches, and only settled changes")
    parser.add_argument("--python", type=float, default=0.0, metavar="SHARE", help="so many of the nodes run in Python")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)  # applications are quiet then
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="headrace-live-") as name, ExitStack() as stack:
        place = Path(name)
        stack.enter_context(mixed_lanes(options.python))
        broker = EmbeddedBroker(place / "broker")
        stack.callback(broker.stop)
        address = stack.enter_context(broker.join(say=print)).address
        stack.callback(leave, join({"spark.master": "local[2]"}, place / "spark.log"))  # up between applications
        for seed in options.seed:
            lines = generated(seed, options.count, options.ops)
            pairs = answered(line for line in lines if not options.only or json.loads(line)["id"] in options.only)
            compare(pairs, seed, settled=options.settled, broker=address, checkpoints=place, tally=tally)
    tally.tell(with_kafka=not options.settled)
    return 1 if tally.differing or tally.failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
