"""Compare generated topologies with the real Kafka Streams, thousands if wanted, and record a sample for the suite.

    python -m conformance.oracle_live --seed 7 --count 3000             # in tests/, with src on the PYTHONPATH
    python -m conformance.oracle_live --seed 7 --count 400 --record 100 # keeps that many in oracle_sample.jsonl

Needs what the oracle needs: see shared/oracle/README.md beside this repository.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.oracle_build import OPS, missing
from conformance.oracle_compare import difference

ORACLE = Path(__file__).parents[2].parent / "shared" / "oracle"
SAMPLE = Path(__file__).with_name("oracle_sample.jsonl")

Pair = tuple[dict[str, Any], dict[str, Any]]


def answered(seed: int, count: int, ops: str) -> Iterator[Pair]:
    """Generated cases with what Kafka Streams answers, those that it refuses left out."""
    chosen = ["--ops", ops] if ops else []
    generate = [sys.executable, str(ORACLE / "generate.py"), "--seed", str(seed), "--count", str(count), *chosen]
    cases = subprocess.run(generate, capture_output=True, check=True, text=True).stdout
    with tempfile.TemporaryFile("w+") as lines:
        lines.write(cases)
        lines.seek(0)
        answers = subprocess.run([str(ORACLE / "run")], stdin=lines, capture_output=True, check=True, text=True).stdout
    for case, answer in zip(cases.splitlines(), answers.splitlines(), strict=True):
        pair = json.loads(case), json.loads(answer)
        if "error" not in pair[1]:
            yield pair


def recorded() -> list[Pair]:
    """The cases of the sample, each with its answer."""
    return [(one["case"], one["answer"]) for one in map(json.loads, SAMPLE.read_text().splitlines())]


def main() -> int:
    """Compare, and say how it went; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--ops", default="", help="only these, and what they need: table_join,count")
    parser.add_argument("--record", type=int, default=0, help="keep so many cases as the sample")
    options = parser.parse_args()
    same, differing, to_come, tagged, kept = 0, 0, Counter[str](), Counter[str](), list[str]()
    for case, answer in answered(options.seed, options.count, options.ops):
        absent = missing(case["nodes"])
        to_come.update(absent)
        if absent:
            continue
        found = difference(case, answer)
        if found:
            differing += 1
            tagged.update(case.get("tags") or ["no tag"])
            print(found, json.dumps(case["nodes"]), case.get("tags"), sep="\n")
        else:
            same += 1
            if answer["outputs"] and len(kept) < options.record:
                kept.append(json.dumps({"case": case, "answer": answer}))
    if options.record:
        SAMPLE.write_text("\n".join(kept) + "\n")
    print(f"seed {options.seed}: {same} alike, {differing} different; not there yet: {dict(to_come) or 'nothing'}")
    print(f"tags of those that differ: {dict(tagged) or 'none'}")
    print(f"operators: {', '.join(sorted(OPS))}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
