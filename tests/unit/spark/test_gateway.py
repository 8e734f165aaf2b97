"""Why a JVM did not start, by what it has said."""

from __future__ import annotations

import pytest

from headrace.spark.session.gateway import why_it_ended


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([], "its process has ended"),
        (
            [
                "Could not load file: compiler.json",
                "Error: Could not create the Java Virtual Machine.",
                "Error: A fatal exception has occurred. Program will exit.",
            ],
            "Could not load file: compiler.json",
        ),
        (
            ["Error occurred during initialization of VM", "Could not reserve enough space for 2097152KB object heap"],
            "Could not reserve enough space for 2097152KB object heap",
        ),
        (
            ["Error occurred during initialization of VM", "Initial heap size set to a larger value than the maximum"],
            "Initial heap size set to a larger value than the maximum",
        ),
        (
            ["# There is insufficient memory", "There is insufficient memory for the Java Runtime Environment."],
            "There is insufficient memory for the Java Runtime Environment.",
        ),
        (['Exception in thread "main" org.apache.spark.SparkException: no master', "\tat a.b.c"], "no master"),
        (["Error: Could not find or load main class x"], "Could not find or load main class x"),
    ],
)
def test_the_line_that_says_why_a_jvm_ended(said: list[str], reason: str) -> None:
    assert why_it_ended(f"{line}\n" for line in said) == reason
