"""`python -m bench`: runs the suite, or `driver`, `soak`, `start`, `joining` or `change`, and prints a report.

Results are kept in RESULTS.md, those of other parts stay there with `--only`; a run of another size is only printed,
and so is a shorter soak.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from bench import change, driver, joining, soak, start, suite
from bench.contenders import HERE
from bench.kept import merged
from bench.report import report

RESULTS = Path(__file__).with_name("RESULTS.md")
RECORDS = {"suite": 10_000_000, "driver": 100_000, "soak": 0, "start": 0, "joining": 10_000, "change": 2_000_000}
MINUTES = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("benchmark", nargs="?", choices=RECORDS, default="suite")
    parser.add_argument("--records", type=int, help="how many a workload has")
    parser.add_argument("--only", nargs="+", choices=suite.PARTS, metavar="PART", help=", ".join(suite.PARTS))
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often each system has its turn; the middle run counts"
    )
    parser.add_argument("--rate", type=int, default=1_000, help="records a second when latency is measured")
    parser.add_argument("--seconds", type=int, default=30, help="for how long it is measured")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for how long a soak goes")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another checkout that takes turns")
    chosen = parser.parse_args()
    records = chosen.records or RECORDS[chosen.benchmark]

    def kept(text: str) -> str:
        if not chosen.records and chosen.minutes >= MINUTES:
            _keep(chosen.benchmark, text)
        return text

    if chosen.benchmark == "driver":
        text = kept(driver.measure(records))
    elif chosen.benchmark == "soak":
        text = kept(soak.measure(chosen.minutes))
    elif chosen.benchmark in ("start", "joining"):
        beside = [chosen.beside.resolve()] if chosen.beside else []
        checkouts = [HERE, *beside]
        text = (
            start.measure(chosen.rounds, checkouts)
            if chosen.benchmark == "start"
            else joining.measure(records, checkouts)
        )
        text = text if beside else kept(text)
    elif chosen.benchmark == "change":
        if chosen.beside is None:
            parser.error("change: name the other checkout with --beside")
        text = change.measure(chosen.only or change.PARTS, records, chosen.rounds, chosen.beside.resolve())
    else:
        parts, speed = chosen.only or suite.PARTS, {"rate": chosen.rate, "seconds": chosen.seconds}
        # Kept after each part: a run that is broken off was not in vain.
        for results in suite.run(parts, records=records, rounds=chosen.rounds, **speed):
            text = kept(report(results if chosen.records else merged(results)))
    print(text)


def _keep(benchmark: str, text: str) -> None:
    """Replace the section of one benchmark, and leave the others as they are."""
    sections = dict(re.findall(r"^## (\w+)\n\n(.*?)\n*(?=^## |\Z)", RESULTS.read_text(), re.DOTALL | re.MULTILINE))
    sections[benchmark] = text
    RESULTS.write_text(
        "# Results\n" + "".join(f"\n## {name}\n\n{sections[name]}\n" for name in RECORDS if name in sections)
    )


if __name__ == "__main__":
    main()
