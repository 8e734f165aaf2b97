"""Compare generated topologies on Spark, hundreds if wanted: with the Python tasks, and with the real Kafka Streams.

    python -m conformance.spark_live --seed 7 8 --count 200          # in tests/, with src on the PYTHONPATH
    python -m conformance.spark_live --seed 7 --count 200 --settled  # random batches, and only settled changes

Without `--settled` every record is a batch of its own and every change is sent on, as in Kafka Streams' test driver,
which answers the same cases. With it records come in random batches, and the Python tasks say what is wanted. Either
way the application starts again in the middle. Cases run many in one query, each with its own topics.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from cases.table import Case, Step, every, put, restart
from conformance.observed import Observed
from conformance.oracle_build import build
from conformance.oracle_compare import Outputs, run, seen_there, versions_hidden
from conformance.oracle_live import answered, generated
from conformance.spark_engine import observe_all, observe_live, refusal
from conformance.task_engine import observe
from headrace.log.broker import EmbeddedBroker

Spec = Mapping[str, Any]
"""A case as the oracle has it."""


def one_by_one(spec: Spec) -> Case:
    """A case whose batches are single records, and which sends on every change."""
    return _case(spec, "every", [True] * len(spec["inputs"]))


def in_batches(spec: Spec, chance: random.Random) -> Case:
    """A case with random batches, whose tables settle."""
    return _case(spec, "settled", [chance.random() < _ENDS for _ in spec["inputs"]])


def _case(spec: Spec, emit: str, ends: Sequence[bool]) -> Case:
    seen = [every(node["topic"]) for node in spec["nodes"] if node["op"] == "to"]
    steps: list[Step] = []
    for number, (step, end) in enumerate(zip(spec["inputs"], ends, strict=True)):
        if number == len(ends) // 2:
            steps += [*seen, restart()] if number else []
        steps.append(put(step["topic"], (step["key"], step["value"], step["ts"])))
        steps += seen if end else []
    return Case(spec["id"], partial(_topology, spec["nodes"]), *steps, *seen, emit=emit)


def _topology(nodes: list[dict[str, Any]], builder: Any) -> None:
    build(builder, nodes)


def written(case: Case, observed: Observed) -> list[dict[str, list[tuple[Any, Any, int]]]]:
    """What a case wrote, batch by batch and by topic."""
    return [
        {topic: [(row.key, row.value, row.ts) for row in observed.after(number, topic)[0]] for topic in case.outputs}
        for number in range(len(case.batches))
    ]


class Tally:
    """How a comparison goes."""

    def __init__(self) -> None:
        self.alike, self.as_kafka, self.differing = 0, 0, 0
        self.refused = Counter[str]()
        self.ops = Counter[str]()

    def runnable(self, specs: Iterable[Spec], cases: Mapping[str, Case]) -> list[Spec]:
        """The cases that Spark takes; the others are counted with the reason."""
        taken = []
        for spec in specs:
            refused = refusal(cases[spec["id"]])
            if refused is None:
                taken.append(spec)
            else:
                self.refused[refused.what.split(" ", 1)[-1]] += 1
        return taken

    def add(self, spec: Spec, case: Case, observed: Observed, answer: Outputs | None) -> None:
        """Compare what Spark wrote with the Python tasks, and with an answer of Kafka Streams' that has no losses."""
        try:
            ours, wanted = written(case, observed), written(case, observe(case))
        except Exception as exc:
            return self._differs(spec, f"failed: {exc}")
        for number, (mine, theirs) in enumerate(zip(ours, wanted, strict=True)):
            if mine != theirs:
                return self._differs(spec, f"batch {number} of {len(ours)}\n wanted {theirs}\n found  {mine}")
        self.alike += 1
        self.ops.update({node["op"] for node in spec["nodes"]})
        if answer is not None:
            found = {
                (topic, number): rows for number, batch in enumerate(ours) for topic, rows in batch.items() if rows
            }
            if found != {place: rows for place, rows in answer.items() if rows}:
                return self._differs(spec, f"unlike Kafka Streams\n wanted {dict(answer)}\n found  {found}")
            self.as_kafka += 1
        return None

    def _differs(self, spec: Spec, what: str) -> None:
        self.differing += 1
        print(f"{spec['id']}: {what}", json.dumps(spec), sep="\n", flush=True)


def lossless(pairs: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> Iterator[tuple[str, Outputs]]:
    """The answers of Kafka Streams' in which it lost nothing, by the ids of their cases."""
    for spec, answer in pairs:
        theirs, mine = seen_there(answer).outputs, run(spec, []).outputs
        if defaultdict(list, theirs) == defaultdict(list, {place: rows for place, rows in mine.items() if rows}):
            yield spec["id"], theirs


def compare(seed: int, count: int, ops: str, *, settled: bool, broker: str, checkpoints: Path, tally: Tally) -> None:
    """Compare the cases of one seed."""
    chance = random.Random(seed)
    pairs = [
        (spec, answer)
        for spec, answer in answered(generated(seed, count, ops))
        if all("topic" in step for step in spec["inputs"])
    ]
    specs = [spec for spec, _ in pairs]
    cases = {spec["id"]: in_batches(spec, chance) if settled else one_by_one(spec) for spec in specs}
    answers = {} if settled else dict(lossless(pairs))
    with versions_hidden():
        taken = tally.runnable(specs, cases)
        run_all = observe_all if settled else observe_live
        observed = run_all([cases[spec["id"]] for spec in taken], broker, checkpoints / str(seed))
        for spec in taken:
            tally.add(spec, cases[spec["id"]], observed[spec["id"]], answers.get(spec["id"]))
    print(f"seed {seed}: {len(taken)} of {len(specs)} ran, {tally.differing} different so far", flush=True)


def main() -> int:
    """Compare, and say how it went; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--count", type=int, default=80, help="of each seed")
    parser.add_argument("--ops", default="", help="only these, and what they need: table_join,count")
    parser.add_argument("--settled", action="store_true", help="random batches, and only settled changes")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="headrace-live-") as place:
        broker = EmbeddedBroker(Path(place) / "broker")
        with ExitStack() as stack:
            stack.callback(broker.stop)
            lease = stack.enter_context(broker.join(say=print))
            for seed in options.seed:
                compare(
                    seed,
                    options.count,
                    options.ops,
                    settled=options.settled,
                    broker=lease.address,
                    checkpoints=Path(place),
                    tally=tally,
                )
    for reason, refused in tally.refused.most_common():
        print(f"refused {refused}: {reason}")
    print("cases with each operator:", ", ".join(f"{op} {count}" for op, count in tally.ops.most_common()))
    print(f"{tally.alike} as on the Python tasks, {tally.as_kafka} of them as on Kafka Streams")
    print(f"{tally.differing} different")
    return 1 if tally.differing else 0


_ENDS = 0.3
"""How likely a batch ends behind a record."""


if __name__ == "__main__":
    raise SystemExit(main())
