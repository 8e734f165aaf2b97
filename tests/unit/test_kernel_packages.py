"""Packages of the kernel: Spark's internals are in kernel/spark/ alone, other folders know of Spark what they need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

KERNEL = Path(__file__).parents[2] / "kernel"
BOUND = "org.apache.spark.sql.headrace"
BYTES = ("org.apache.spark.unsafe.",)
ROWS = (*BYTES, "org.apache.spark.sql.types.", "org.apache.spark.sql.catalyst.")

# What each package that is free of Spark's internals may name of Spark: its bytes, its rows, or its public interfaces.
FREE = {
    "json": BYTES,
    "model": (*BYTES, "org.apache.spark.SparkThrowable"),
    "live": ("org.apache.spark.sql.util.",),
    "operators": BYTES,
    "spec": (),
    "stores": (),
    "formats": ROWS,
    "functions": ROWS,
    "shapes": ROWS,
    "python": (*ROWS, "org.apache.spark.SparkFiles"),
    "kafka": (*ROWS, "org.apache.spark.sql.connector.", "org.apache.spark.sql.util."),
}
# Packages of Spark and its connector that show something to their own classes only.
INSIDE_SPARK = {
    "PlannedRange.scala": "org.apache.spark.sql.kafka010.headrace",
    "StateCells.scala": "org.apache.spark.sql.execution.streaming.state.headrace",
}
REFLECTION = re.compile(r"\b(?:setAccessible|getDeclared\w+|getMethods?|getFields?)\b")


def free_files() -> Iterator[tuple[str, Path]]:
    """Every file outside of kernel/spark/, with its folder."""
    return ((path.parent.name, path) for path in sorted(KERNEL.rglob("*.scala")) if path.parent.name != "spark")


def named_of_spark(text: str) -> set[str]:
    """The names of Spark in a file: each one of an import by itself, and those within the code."""
    found = set(re.findall(r"org\.apache\.spark(?:\.\w+)+", re.sub(r"^import .*$", "", text, flags=re.M)))
    for home, several, one in re.findall(r"^import (org\.apache\.spark[\w.]*)\.(?:\{(.*)\}|(\w+))$", text, flags=re.M):
        found |= {f"{home}.{name.split(' ')[0]}" for name in (several.split(", ") if several else [one])}
    return found


def test_every_file_is_in_the_package_of_its_folder() -> None:
    packages = {path: path.read_text().partition("\n")[0].removeprefix("package ") for path in KERNEL.rglob("*.scala")}
    wanted = {
        path: INSIDE_SPARK.get(path.name, BOUND) if path.parent.name == "spark" else f"headrace.{path.parent.name}"
        for path in packages
    }
    assert packages == wanted
    assert {path.parent.name for path in packages} == {*FREE, "spark"}


def test_spark_is_named_in_other_folders_only_as_the_table_says() -> None:
    wrong = [
        f"{folder}/{path.name} names {name}"
        for folder, path in free_files()
        for name in sorted(named_of_spark(path.read_text()))
        if not name.startswith(FREE[folder])
    ]
    assert wrong == []


def test_nobody_looks_into_other_classes_by_reflection_but_the_folder_of_spark() -> None:
    assert [path.name for _, path in free_files() if REFLECTION.search(path.read_text())] == []


def test_the_names_of_an_import_are_found_one_by_one() -> None:
    imports = "import org.apache.spark.sql.execution.{SparkPlan, SortExec}\nimport org.apache.spark.sql.types._\n"
    text = f"{imports}  org.apache.spark.X.y"
    assert named_of_spark(text) == {
        "org.apache.spark.sql.execution.SparkPlan",
        "org.apache.spark.sql.execution.SortExec",
        "org.apache.spark.sql.types._",
        "org.apache.spark.X.y",
    }
