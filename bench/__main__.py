"""`python -m bench spark|driver`: runs a benchmark, prints its report and keeps it in RESULTS.md."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from bench import driver, spark

RESULTS = Path(__file__).with_name("RESULTS.md")
BENCHMARKS = {"spark": (spark.measure, 2_000_000), "driver": (driver.measure, 100_000)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("benchmark", nargs="?", choices=BENCHMARKS, default="spark")
    parser.add_argument("--records", type=int)
    chosen = parser.parse_args()
    measure, records = BENCHMARKS[chosen.benchmark]
    report = measure(chosen.records or records)
    print(report)
    _keep(chosen.benchmark, report)


def _keep(benchmark: str, report: str) -> None:
    """Replace the section of one benchmark, and leave the others as they are."""
    sections = dict(re.findall(r"^## (\w+)\n\n(.*?)\n*(?=^## |\Z)", RESULTS.read_text(), re.DOTALL | re.MULTILINE))
    sections[benchmark] = report
    RESULTS.write_text("# Results\n" + "".join(f"\n## {name}\n\n{text}\n" for name, text in sorted(sections.items())))


if __name__ == "__main__":
    main()
