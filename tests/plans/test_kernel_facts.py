"""Facts that Python and the kernel need alike: said in Python, written into kernel/model/Facts.scala.

`UPDATE_GOLDEN=1 pytest tests/plans` writes the file anew.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path

from headrace.model import queue_bits
from headrace.model.fault_kinds import FaultKind
from headrace.plan.nodes import SideOutput
from headrace.plan.state import KeyForm, TimeAt
from headrace.spark.rescaling import MoveBy
from headrace.spark.spec.stage import Going
from headrace.task.drops import Reason

FACTS = Path(__file__).parents[2] / "kernel" / "model" / "Facts.scala"
ENUMERATIONS = (Reason, SideOutput, Going, KeyForm, TimeAt, MoveBy)


def test_the_kernel_knows_the_same_facts() -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        FACTS.write_text(facts())
    assert facts() == FACTS.read_text()


def facts() -> str:
    """The text of the file."""
    return (
        "\n\n".join(
            (
                "package headrace.model",
                "// What Python says: `UPDATE_GOLDEN=1 pytest tests/plans` writes this file, and a test compares.",
                _constants("QueueBits", queue_bits.__name__, _bits()),
                _constants("FaultKind", FaultKind.__module__, {_camel(kind.name): f'"{kind}"' for kind in FaultKind}),
                *map(_enumeration, ENUMERATIONS),
            )
        )
        + "\n"
    )


def _bits() -> dict[str, str]:
    named = {name: value for name, value in vars(queue_bits).items() if name.isupper()}
    return {_camel(name): f"{value}" if name in ("PLACE", "TOPIC") else f"{value}L" for name, value in named.items()}


def _constants(name: str, module: str, values: dict[str, str]) -> str:
    lines = "\n".join(f"  final val {one} = {value}" for one, value in values.items())
    return f"/** See {module}. */\nobject {name} {{\n{lines}\n}}"


def _enumeration(values: type[Enum]) -> str:
    lines = "\n".join(f'  val {_camel(one.name)} = Value("{one.value}")' for one in values)
    return f"/** See {values.__module__}. */\nobject {values.__name__} extends Enumeration {{\n{lines}\n}}"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
