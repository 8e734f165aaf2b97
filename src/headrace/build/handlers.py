"""What becomes of records that fail: as an application says, and single operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from headrace.build.functions import VALUE, check_ordinary, shown
from headrace.build.side_outputs import failing_parts, may_fail
from headrace.errors import OptionInvalid
from headrace.expr import Bound, Opaque, bind, check_parameters, trace
from headrace.model.failure import Failure, Letter
from headrace.model.types import BOOL
from headrace.plan.graph import Plan
from headrace.plan.nodes import DeadLetters, Errors, Filter, Map, Node, Skipped
from headrace.serde import STRING, JsonSerde
from headrace.serde.json import json

Question = Callable[[Failure[Any]], str]
"""A function that says what to do with a record that fails."""

Handler = str | Question
"""What to do with a record that fails: "fail", "skip", "dead_letter", or a function that says so of each failure."""

FAIL, SKIP, DEAD_LETTER = ANSWERS = ("fail", "skip", "dead_letter")


def handler_of(handler: Handler, here: str) -> Handler:
    """The handler, if it is one."""
    if callable(handler):
        check_ordinary("on_error", handler, here)
        check_parameters(handler, VALUE, "the function of on_error", here)
    elif handler not in ANSWERS:
        wanted = f"{', '.join(map(repr, ANSWERS))}, or a function of an hr.Failure that gives one of them"
        raise OptionInvalid("on_error", handler, wanted, here)
    return handler


def dead_letters_of(app: str) -> str:
    """The topic of an application's dead letters."""
    return f"{app}-dead-letters"


class Handlers:
    """The handlers of one application."""

    def __init__(self, usual: Handler) -> None:
        self.usual = usual
        self._own: dict[str, Handler] = {}

    def set(self, node: Node, handler: Handler, here: str) -> None:
        """Say what becomes of the records that an operator fails on."""
        chosen = handler_of(handler, here)
        self._own |= {part.name: chosen for part in failing_parts(node, "on_error", here)}

    def applied(self, plan: Plan) -> Plan:
        """The plan with what sees to the failures that nobody reads."""
        read = {part for errors in plan.of(Errors) for part in errors.of}
        ends: list[Node] = []
        for node in plan.nodes:
            handler = self._own.get(node.name, self.usual if may_fail(node) else FAIL)
            if handler != FAIL and node not in read:
                ends += self._end(plan.app, node, handler)
        if not ends:
            return plan
        added = (one for end in ends for one in _with_inputs(end))
        return replace(plan, ends=(*plan.ends, *ends), declared=(*plan.declared, *added))

    def _end(self, app: str, node: Node, handler: Handler) -> Iterator[Node]:
        here = node.origin
        if handler == SKIP:
            yield Skipped(name=f"{node.name}.skipped", origin=here, of=(node,))
            return
        failed: Node = Errors(name=f"{node.name}.failed", origin=here, of=(node,))
        if callable(handler):
            decision = _decision(handler, node)
            failed = Filter(name=f"{node.name}.on_error", origin=here, upstream=failed, predicate=decision)
        told = bind(trace(_told, VALUE, here, "dead_letter"), {"value": failed.output().value.type}, here)
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


LETTER: JsonSerde[Letter] = json(Letter)


def _told(failure: Any) -> Any:
    return failure.origin, Letter(failure.node, failure.error, failure.message, failure.origin)


def _decision(handler: Question, node: Node) -> Bound:
    """Whether a failure goes to the dead letters, as the user's function says: it may have the application fail."""
    return Opaque(
        BOOL,
        True,
        shown(handler),
        _Decision(Asked(handler)),
        VALUE,
        "the function of on_error",
        "it says what becomes of each failure",
        node.origin,
    )


@dataclass(frozen=True)
class Asked:
    """What the user's function says of a failure, if it is an answer."""

    handler: Question

    def __call__(self, failure: Failure[Any]) -> str:
        answer = self.handler(failure)
        if answer not in ANSWERS:
            raise TypeError(f"on_error gave {answer!r}, it has to give one of {', '.join(map(repr, ANSWERS))}")
        return answer


@dataclass(frozen=True)
class _Decision:
    ask: Asked

    def __call__(self, failure: Failure[Any]) -> bool:
        answer = self.ask(failure)
        if answer == FAIL:
            raise RuntimeError(f"{failure.node} failed on a record: {failure.message}")
        return answer == DEAD_LETTER
