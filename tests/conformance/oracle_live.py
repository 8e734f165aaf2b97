"""Compare generated topologies with the real Kafka Streams, thousands if wanted, and record a sample for the suite.

    python -m conformance.oracle_live --seed 7 8 9 --count 1000         # in tests/, with src on the PYTHONPATH
    python -m conformance.oracle_live --seed 7 --count 400 --record 300 # keeps that many in oracle_sample.jsonl

Each case has to write what Kafka Streams writes and drop as many records, after both lost by the same rules (see
oracle_losses.py). Where Kafka Streams lost windows by its retention it is asked again with a long one, and headrace as
it is has to write the same. Needs what the oracle needs: see shared/oracle/README.md beside this repository.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.oracle_build import missing
from conformance.oracle_compare import Case, difference, difference_when_kept, lost_there, with_long_retention

ORACLE = Path(__file__).parents[2].parent / "shared" / "oracle"
SAMPLE = Path(__file__).with_name("oracle_sample.jsonl")

Pair = tuple[Case, dict[str, Any]]


def generated(seed: int, count: int, ops: str) -> list[str]:
    """Random cases, the same for the same seed."""
    chosen = ["--ops", ops] if ops else []
    generate = [sys.executable, str(ORACLE / "generate.py"), "--seed", str(seed), "--count", str(count), *chosen]
    return subprocess.run(generate, capture_output=True, check=True, text=True).stdout.splitlines()


def answered(cases: Iterable[str]) -> Iterator[Pair]:
    """Cases with what Kafka Streams answers, those that it refuses left out."""
    cases = list(cases)
    with tempfile.TemporaryFile("w+") as lines:
        lines.write("\n".join(cases) + "\n")
        lines.seek(0)
        answers = subprocess.run([str(ORACLE / "run")], stdin=lines, capture_output=True, check=True, text=True).stdout
    for case, answer in zip(cases, answers.splitlines(), strict=True):
        pair = json.loads(case), json.loads(answer)
        if "error" not in pair[1]:
            yield pair


def recorded() -> list[Pair]:
    """The cases of the sample, each with its answer."""
    return [(one["case"], one["answer"]) for one in map(json.loads, SAMPLE.read_text().splitlines())]


class Tally:
    """How a comparison goes."""

    def __init__(self) -> None:
        self.alike: list[Pair] = []
        self.differing = 0
        self.ops = Counter[str]()
        self.losses: defaultdict[str, list[Pair]] = defaultdict(list)
        """The cases in which Kafka Streams lost results, by rule."""
        self.again: list[str] = []
        """Cases that lost windows, to be asked again with a long retention."""

    def add(self, case: Case, answer: dict[str, Any]) -> None:
        """Compare one case."""
        assert not missing(case["nodes"]), missing(case["nodes"])
        self.ops.update({spec["op"] for spec in case["nodes"]})
        found = difference(case, answer)
        if found:
            self.differing += 1
            print(found, json.dumps(case["nodes"]), case.get("tags"), sep="\n")
            return
        self.alike.append((case, answer))
        lost = lost_there(case, answer)
        for rule in lost:
            self.losses[rule].append((case, answer))
        if "short_retention" in lost and (kept := with_long_retention(case)):
            self.again.append(json.dumps(kept))

    def ask_again(self) -> None:
        """Compare headrace as it is with what Kafka Streams writes when it keeps its windows."""
        originals = {case["id"]: case for case, _ in self.alike}
        for kept, answer in answered(self.again) if self.again else ():
            found = difference_when_kept(originals[kept["id"]], answer)
            if found:
                self.differing += 1
                print("with a long retention", found, json.dumps(kept["nodes"]), sep="\n")


def sample(tally: Tally, most: int) -> list[str]:
    """Short cases that wrote something, as lines: some that lost results, and every operator as often as the others."""
    seen, chosen = Counter[str](), list[str]()
    lossy = [pair for pairs in tally.losses.values() for pair in _shortest(pairs)[:_LOSSY]]
    for case, answer in [*lossy, *_shortest(tally.alike)]:
        ops = {spec["op"] for spec in case["nodes"]}
        line = json.dumps({"case": case, "answer": answer}, separators=(",", ":"))
        wanted = min(seen[op] for op in ops - _COMMON or ops) < _ENOUGH and line not in chosen
        if answer["outputs"] and wanted and len(chosen) < most:
            seen.update(ops)
            chosen.append(line)
    return chosen


def _shortest(pairs: list[Pair]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: len(json.dumps(pair)))


_COMMON = {"stream", "table", "to", "to_stream", "group_by_key"}
_ENOUGH, _LOSSY = 25, 10


def main() -> int:
    """Compare, and say how it went; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--count", type=int, default=1000, help="of each seed")
    parser.add_argument("--ops", default="", help="only these, and what they need: table_join,count")
    parser.add_argument("--record", type=int, default=0, help="keep so many cases as the sample")
    options = parser.parse_args()
    tally = Tally()
    for seed in options.seed:
        before = len(tally.alike)
        for pair in answered(generated(seed, options.count, options.ops)):
            tally.add(*pair)
        print(f"seed {seed}: {len(tally.alike) - before} of {options.count} alike", flush=True)
    tally.ask_again()
    if options.record:
        SAMPLE.write_text("\n".join(sample(tally, options.record)) + "\n")
    print("cases with each operator:", ", ".join(f"{op} {count}" for op, count in tally.ops.most_common()))
    lost = ", ".join(f"{rule} {len(pairs)}" for rule, pairs in sorted(tally.losses.items()))
    print(f"cases in which Kafka Streams lost results, by rule: {lost or 'none'}")
    print(f"of these asked again with a long retention: {len(tally.again)}")
    print(f"{len(tally.alike)} alike, outputs and number of drops; {tally.differing} different")
    return 1 if tally.differing else 0


if __name__ == "__main__":
    sys.exit(main())
