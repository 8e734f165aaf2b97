"""The Dockerfile of the examples, as far as it can be read: building it needs Docker, and minutes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from headrace.jvm.paths import pyspark_jars

FOLDER = Path(__file__).parents[2] / "examples"
LINES = re.sub(r"\\\n\s*", "", (FOLDER / "container" / "Dockerfile").read_text()).splitlines()


def said(instruction: str) -> list[str]:
    """What follows an instruction, each time it is there."""
    return [line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")]


def test_the_application_is_not_root_and_gets_signals_itself() -> None:
    assert said("USER") == ["app"]
    (command,) = said("CMD")
    assert json.loads(command) == ["headrace", "run", "app.py"]
    assert LINES.index("USER app") < LINES.index("RUN headrace jars > jars.txt")


def test_what_is_copied_is_there() -> None:
    assert [(FOLDER / line.split()[-2]).is_file() for line in said("COPY")] == [True]


def test_the_jars_that_are_left_out_are_those_of_this_pyspark() -> None:
    (removed,) = (line for line in said("RUN") if "cd jars" in line)
    patterns = removed.rpartition("rm -f ")[2].split()
    jars = {jar.name for jar in pyspark_jars().glob("*.jar")}
    left_out = {pattern: {jar.name for jar in pyspark_jars().glob(pattern)} for pattern in patterns}
    assert [pattern for pattern, found in left_out.items() if not found] == []
    kept = jars - set().union(*left_out.values())
    for needed in ("spark-sql_", "spark-catalyst_", "spark-core_", "rocksdbjni-", "hadoop-client-runtime-", "janino-"):
        assert any(jar.startswith(needed) for jar in kept), needed
