"""From a user's function to an expression: call it once, with symbols for its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headrace.errors import HeadraceError, NotTraceable, WrongParameters
from headrace.expr.front import floating, integer, length, text
from headrace.expr.syntax import Expr, ValueNeeded, as_expr, made_at, tracing, tree_of
from headrace.expr.tree import Call, Symbol
from headrace.expr.unseen import unseen
from headrace.expr.where import failing_line, is_users, place

# Builtins that people pass as they are: map_values(str), map_values(len).
_TWINS: tuple[tuple[object, Callable[[object], Expr]], ...] = (
    (str, text),
    (int, integer),
    (float, floating),
    (len, length),
)


def trace(function: Callable[..., Any] | Expr, parameters: tuple[str, ...], origin: str, op: str = "") -> Expr:
    """The expression a function computes from its parameters.

    `parameters` name the symbols it is called with, in order; `origin` is where its operator was declared, `op` the
    operator's name. An expression in place of the function is taken as it is.

    >>> trace(lambda line: line.lower().split(), ("value",), "app.py:7", "flat_map_values")
    value.lower().split()
    """
    if isinstance(function, Expr):
        return function
    called = f"the function of {op}" if op else "the function"
    function = _twin(function)
    check_parameters(function, parameters, called, origin)
    found = unseen(function)
    if found is not None:
        raise NotTraceable(called, *found)
    computed: list[Call] = []
    token = tracing.set(computed)
    try:
        result = function(*(Expr(Symbol(name)) for name in parameters))
        line = made_at.set(_line_of(function, origin))
        try:
            found_out = as_expr(result)
        finally:
            made_at.reset(line)
    except ValueNeeded as exc:
        raise NotTraceable(called, str(exc), failing_line(exc.__traceback__) or _line_of(function, origin)) from None
    except HeadraceError:
        raise
    except Exception as exc:
        tracing.set(None)  # its words may show a symbol
        reason = f"{type(exc).__name__}: {exc}"
        raise NotTraceable(called, reason, failing_line(exc.__traceback__) or _line_of(function, origin)) from exc
    finally:
        tracing.reset(token)
    _check_used(found_out, computed, called, origin)
    return found_out


def _check_used(result: Expr, computed: list[Call], called: str, origin: str) -> None:
    """Raise for something that a function computes and does not use: it may do something, or fail, all the same."""
    used: set[int] = set()
    waiting = [tree_of(result)]
    while waiting:  # by identity: a part that is used twice is looked at once
        tree = waiting.pop()
        if id(tree) not in used:
            used.add(id(tree))
            waiting += tree.parts
    for call in computed:
        if id(call) not in used:
            raise NotTraceable(
                called, f"`{call}` is not part of the result: what it does is not seen", call.line or origin
            )


def _twin(function: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.ismethoddescriptor(function) and getattr(function, "__objclass__", None) is str:
        name = function.__name__
        return lambda target, *args: getattr(as_expr(target), name)(*args)
    return next((twin for builtin, twin in _TWINS if builtin is function), function)


def check_parameters(function: Callable[..., Any], given: tuple[str, ...], called: str, origin: str) -> None:
    """Raise if a function does not take so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none: calling them will tell
        return
    try:
        signature.bind(*given)
    except TypeError:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [name for name, one in signature.parameters.items() if one.kind in kinds]
        takes = f"{len(names)} argument{'' if len(names) == 1 else 's'}" + (f" ({', '.join(names)})" if names else "")
        raise WrongParameters(called, takes, given, _line_of(function, origin)) from None


def _line_of(function: Callable[..., Any], origin: str) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or not is_users(code.co_filename):
        return origin
    return place(code.co_filename, code.co_firstlineno)
