"""Tracing of user functions: called with symbols for their arguments, once for each way through them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.errors import HeadraceError, NotTraceable, WrongParameters
from headrace.expr import meant
from headrace.expr.read import Acts, reading
from headrace.expr.regex import RegexMatch
from headrace.expr.syntax import Expr, as_expr, made_at, tree_of
from headrace.expr.tree import Symbol, Tree
from headrace.expr.twins import twin_of
from headrace.expr.untraceable_code import unseen, unseen_in
from headrace.expr.ways import ValueNeeded, Way, all_ways, walking
from headrace.expr.where import failing_line, is_users, place


@dataclass(frozen=True)
class Traced:
    """The expression that a function computes."""

    expr: Expr
    helped: bool
    """Whether Python alone would not have made it; then what does not fit together stays Python code, as it was."""


def trace(function: Callable[..., Any] | Expr, parameters: tuple[str, ...], origin: str, op: str = "") -> Expr:
    """The expression a function computes from its parameters.

    `parameters` name the symbols it is called with, in order; `origin` is where its operator was declared, `op` the
    operator's name. An expression in place of the function is taken as it is.

    >>> trace(lambda line: line.lower().split(), ("value",), "app.py:7", "flat_map_values")
    value.lower().split()
    """
    return traced(function, parameters, origin, op).expr


def traced(
    function: Callable[..., Any] | Expr,
    parameters: tuple[str, ...],
    origin: str,
    op: str = "",
    *,
    predicate: bool = False,
) -> Traced:
    """Trace a function, and say how; for a `predicate` the truth of its result counts."""
    if isinstance(function, Expr):
        return Traced(function, helped=False)
    called = f"the function of {op}" if op else "the function"
    twin = twin_of(function)
    if twin is None:
        check_parameters(function, parameters, called, origin)
    try:
        anew = None if twin is not None else reading(function, meant)
    except Acts as exc:
        raise NotTraceable(called, exc.reason, exc.line) from None
    found = unseen(function) if anew is None else unseen_in(anew)
    if found is not None:
        raise NotTraceable(called, *found)
    tracer = _Tracer(twin or anew or function, parameters, called, origin, predicate)
    try:
        tree, helped = all_ways(tracer.take, asking=anew is not None)
    except ValueNeeded as exc:
        line = failing_line(exc.__traceback__) or _line_of(function, origin)
        raise NotTraceable(called, str(exc), line) from None
    return Traced(Expr(tree), helped)


@dataclass(frozen=True)
class _Tracer:
    function: Callable[..., Any]
    parameters: tuple[str, ...]
    called: str
    origin: str
    predicate: bool

    def take(self, way: Way) -> Tree:
        """Take one way through the function, and give what it computes."""
        token = walking.set(way)
        try:
            found = tree_of(self._result(way))
        except Acts as exc:  # of a function that it calls
            raise NotTraceable(self.called, exc.reason, exc.line) from None
        except HeadraceError as exc:
            if way.helped:
                reason = exc.what if exc.fix is None else f"{exc.what}: {exc.fix}"
                raise NotTraceable(self.called, reason, exc.where or self._line) from None
            raise
        except Exception as exc:
            walking.set(None)  # its words may show a symbol
            reason = f"{type(exc).__name__}: {exc}"
            raise NotTraceable(self.called, reason, failing_line(exc.__traceback__) or self._line) from exc
        finally:
            walking.reset(token)
        _check_used((found, *way.used), way.computed, self.called, self.origin)
        return found

    def _result(self, way: Way) -> Expr:
        result = self.function(*(Expr(Symbol(name)) for name in self.parameters))
        if self.predicate and (way.conditions or isinstance(result, RegexMatch)):
            result = bool(result)
        line = made_at.set(self._line)
        try:
            return as_expr(result)
        finally:
            made_at.reset(line)

    @property
    def _line(self) -> str:
        return _line_of(self.function, self.origin)


def _check_used(results: tuple[Tree, ...], computed: list[Tree], called: str, origin: str) -> None:
    """Raise for something that a function computes and does not use: it may do something, or fail, all the same."""
    used: set[int] = set()
    waiting = list(results)
    while waiting:  # by identity: a part that is used twice is looked at once
        tree = waiting.pop()
        if id(tree) not in used:
            used.add(id(tree))
            waiting += tree.parts
    for one in computed:
        if id(one) not in used:
            raise NotTraceable(
                called,
                f"`{one}` is not part of the result: what it does is not seen; compute it only where it is used",
                one.line or origin,
            )


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
