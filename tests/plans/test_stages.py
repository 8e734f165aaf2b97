"""The specs of stages as text. `UPDATE_GOLDEN=1 pytest tests/plans` writes it anew."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from cases.all import all_cases
from headrace.dsl import Builder
from headrace.errors import HeadraceError
from headrace.passes.handle_failures import handle_failures
from headrace.passes.pipeline import rewrite
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.stage import stage_spec
from headrace.spark.compile.timestamps import remember_spec
from headrace.spark.layout.placement import Lane, Placement
from headrace.spark.layout.stamping import remembering
from headrace.spark.session.workers import Workers
from headrace.spark.spec.json import to_json
from headrace.spark.spec.python import PythonWorkerSpec
from headrace.spark.spec.stage import NodeSpec, StageSpec
from plans.topologies import TOPOLOGIES

GOLDEN = Path(__file__).with_name("stages.txt")
WORKERS = Workers(PythonWorkerSpec("python3", (), timeout_ms=60_000, memory_mb=512))


def test_stages_are_described_as_before() -> None:
    found = "\n\n".join(f"# {title}\n{text}" for title, text in _texts()) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


def _texts() -> Iterator[tuple[str, str]]:
    """The stages of all topologies, and of each case that has an operator which none before it has."""
    known: set[str] = set()
    for topology in TOPOLOGIES:
        app = Builder(topology.__name__)
        topology(app)
        text = _described(app.plan())
        known |= _operators(text)
        yield str(topology.__doc__), text
    for case in all_cases():
        text = _described(case.plan())
        if _operators(text) - known:
            known |= _operators(text)
            yield str(case), text


def _operators(text: str) -> set[str]:
    return set(re.findall(r"\bop=(\w+)", text))


def _described(plan: Plan) -> str:
    try:
        placement = Placement(rewrite(plan, last=handle_failures))
        return "\n".join(line for spec in _specs(placement) for line in _lines(spec))
    except HeadraceError as refused:
        return str(refused)


def _specs(placement: Placement) -> Iterator[StageSpec]:
    sharing = Sharing(4, {source.name: {} for source in placement.plan.of(Source)})
    tags = {edge.number: edge.number for edge in placement.edges}
    if remembering(placement):
        yield remember_spec(placement)
    for number in range(1, placement.stages + 1):
        for lane in (Lane.KERNEL, Lane.PYTHON):
            if placement.stage(number, lane):
                yield stage_spec(placement, tags, sharing, number, lane, WORKERS)


def _lines(spec: StageSpec) -> Iterator[str]:
    """A line a node; pickled code depends on the Python that pickles it, and is left out."""
    told = json.loads(to_json(spec))
    yield f"stage {told['number']}: entries {_flat(told['entries'])}, times {_flat(told['times'])}"
    for node in told["nodes"]:
        own = {field.name: node[field.name] for field in fields(NodeSpec) if _says(node.get(field.name))}
        yield "  " + " ".join(f"{name}={_flat(value)}" for name, value in own.items())
    for number, sql in enumerate(told["functions"]):
        yield f"  {number}: {_without_lines(sql)}"
    if "python" in told:
        yield f"  in Python: entries {_flat(told['python']['entries'])}, exits {_flat(told['python']['exits'])}"


def _says(value: Any) -> bool:
    return value not in (None, False, [], {})


def _flat(value: Any) -> str:
    return _without_lines(value if isinstance(value, str) else json.dumps(value))


def _without_lines(text: str) -> str:
    """The numbers of lines change with every edit above them."""
    return re.sub(r"(\w+\.py):\d+", r"\1", text)
