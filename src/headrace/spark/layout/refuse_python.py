"""Refusal of applications that want no Python beside Spark, and need it."""

from __future__ import annotations

from headrace.errors import PythonNeeded
from headrace.plan.graph import Plan
from headrace.spark.layout.reasons import opaque_functions, why_python


def refuse_python(plan: Plan) -> None:
    """Raise for the first node that would run in Python, before anything is started for the others."""
    for node in plan.nodes:
        reason = why_python(node)
        if reason is not None:
            for function in opaque_functions(node):
                raise function.refusal()
            raise PythonNeeded(node.name, node.op, reason, node.origin)
