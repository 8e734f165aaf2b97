"""Handle the records that operators fail on, as the handlers of the application and of each operator say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from headrace.expr import Bound, Opaque, bind, trace
from headrace.expr.opaque import shown
from headrace.model.failure import Failure, Letter
from headrace.model.types import BOOL
from headrace.plan.failing import may_fail
from headrace.plan.graph import Plan
from headrace.plan.handlers import DEAD_LETTER, FAIL, NO_HANDLERS, SKIP, Asked, Handler, Question, dead_letters_of
from headrace.plan.nodes import DeadLetters, Errors, Filter, Map, Node, Skipped
from headrace.serde import STRING, JsonSerde
from headrace.serde.json import json

LETTER: JsonSerde[Letter] = json(Letter)

_VALUE = ("value",)


def handle_failures(plan: Plan) -> Plan:
    """Put an end for failures behind each operator whose failures nobody reads: dead letters, or a count."""
    read = {part for errors in plan.of(Errors) for part in errors.of}
    usual, own = plan.handlers.usual, plan.handlers.own
    ends: list[Node] = []
    for node in plan.nodes:
        handler = own.get(node.name, usual if may_fail(node) else FAIL)
        if handler != FAIL and node not in read:
            ends += _end(plan.app, node, handler)
    plan = replace(plan, handlers=NO_HANDLERS)
    if not ends:
        return plan
    added = (one for end in ends for one in _with_inputs(end))
    return replace(plan, ends=(*plan.ends, *ends), declared=(*plan.declared, *added))


def _end(app: str, node: Node, handler: Handler) -> Iterator[Node]:
    here = node.origin
    if handler == SKIP:
        yield Skipped(name=f"{node.name}.skipped", origin=here, of=(node,))
        return
    failed: Node = Errors(name=f"{node.name}.failed", origin=here, of=(node,))
    if callable(handler):
        decision = _decision(handler, node)
        failed = Filter(name=f"{node.name}.on_error", origin=here, upstream=failed, predicate=decision)
    told = bind(trace(_told, _VALUE, here, "dead_letter"), {"value": failed.output().value.type}, here)
    letter = Map(name=f"{node.name}.letter", origin=here, upstream=failed, pair=told)
    yield DeadLetters(
        name=f"{node.name}.dead_letters",
        origin=here,
        upstream=letter,
        topic=dead_letters_of(app),
        key=STRING,
        value=LETTER,
    )


def _with_inputs(end: Node) -> Iterator[Node]:
    """What was made for an end: it, and what stands in front of it up to the failures."""
    if not isinstance(end, Errors):
        for upstream in end.inputs:
            yield from _with_inputs(upstream)
    yield end


def _told(failure: Any) -> Any:
    return failure.origin, Letter(failure.node, failure.error, failure.message, failure.origin)


def _decision(handler: Question, node: Node) -> Bound:
    """Whether a failure goes to the dead letters, as the user's function says: it may have the application fail."""
    return Opaque(
        BOOL,
        True,
        shown(handler),
        _Decision(Asked(handler)),
        _VALUE,
        "the function of on_error",
        "it says what becomes of each failure",
        node.origin,
    )


@dataclass(frozen=True)
class _Decision:
    ask: Asked

    def __call__(self, failure: Failure[Any]) -> bool:
        answer = self.ask(failure)
        if answer == FAIL:
            raise RuntimeError(f"{failure.node} failed on a record: {failure.message}")
        return answer == DEAD_LETTER
