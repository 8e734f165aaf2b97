"""Rename the outputs of a second run of an application, so that it writes beside the live one."""

from __future__ import annotations

from dataclasses import replace

from headrace.errors import CannotRunBeside
from headrace.plan.graph import Plan
from headrace.plan.handlers import dead_letters_of
from headrace.plan.nodes import DeadLetters, Node, Source, To


def id_beside(app: str, name: str) -> str:
    """Id of a run of an application beside the live one."""
    return f"{app}-{name}"


def run_beside(plan: Plan) -> Plan:
    """Put the plan of a side run under another id, with its name behind the topics that it writes, or reads back."""
    name = plan.side_run
    if name is None:
        return plan
    app, written = id_beside(plan.app, name), {to.topic for to in plan.of(To)}

    def change(node: Node) -> Node:
        if isinstance(node, DeadLetters):
            return replace(node, topic=dead_letters_of(app))
        if isinstance(node, To):
            if not isinstance(node.topic, str):
                raise CannotRunBeside(node.name, node.origin)
            return replace(node, topic=f"{node.topic}-{name}")
        if isinstance(node, Source):
            topics = tuple(f"{topic}-{name}" if topic in written else topic for topic in node.topics)
            return replace(node, topics=topics)
        return node

    return replace(plan.rewrite(change), app=app, side_run=None)
