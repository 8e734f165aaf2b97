"""Which plans run on Spark."""

from __future__ import annotations

from headrace.errors import NotOnSparkYet, PythonNeeded
from headrace.plan.graph import Plan
from headrace.plan.nodes import GlobalStore
from headrace.spark.reasons import opaque_functions, why_python


def check_supported(plan: Plan, *, strict_native: bool = False) -> None:
    """Raise for the first node that cannot run, before anything is started for the others.

    With `strict_native`, nothing may run in Python.
    """
    for node in plan.nodes:
        if isinstance(node, GlobalStore):
            raise NotOnSparkYet(node.name, node.op, node.origin)
        reason = why_python(node) if strict_native else None
        if reason is not None:
            for function in opaque_functions(node):
                raise function.refusal()
            raise PythonNeeded(node.name, node.op, reason, node.origin)
