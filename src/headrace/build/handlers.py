"""Handlers of failing records, checked and collected while a topology is declared."""

from __future__ import annotations

from headrace.build.functions import VALUE, check_ordinary
from headrace.build.side_outputs import failing_parts
from headrace.errors import OptionInvalid
from headrace.expr import check_parameters
from headrace.plan.handlers import ANSWERS, Handler, Handlers
from headrace.plan.nodes import Node


def handler_of(handler: Handler, here: str) -> Handler:
    """The handler, if it is one."""
    if callable(handler):
        check_ordinary("on_error", handler, here)
        check_parameters(handler, VALUE, "the function of on_error", here)
    elif handler not in ANSWERS:
        wanted = f"{', '.join(map(repr, ANSWERS))}, or a function of an hr.Failure that gives one of them"
        raise OptionInvalid("on_error", handler, wanted, here)
    return handler


def with_handler(handlers: Handlers, node: Node, handler: Handler, here: str) -> Handlers:
    """The handlers with another one for the records that an operator fails on."""
    chosen = handler_of(handler, here)
    own = {part.name: chosen for part in failing_parts(node, "on_error", here)}
    return Handlers(handlers.usual, {**handlers.own, **own})
