"""Python's meaning of the syntax that symbols cannot overload; functions that were made anew call this.

Without symbols, everything here is Python's own.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import operator
import sys
from enum import Enum
from types import FunctionType, MethodType
from typing import Any

from headrace.expr.read import Acts, reading
from headrace.expr.regex import RegexMatch, regex_of
from headrace.expr.syntax import Expr, call, tree_of
from headrace.expr.texts import formatted, text
from headrace.expr.tree import Attribute
from headrace.expr.twins import twin_of
from headrace.expr.untraceable_code import unseen, unseen_in
from headrace.expr.ways import ValueNeeded, walking
from headrace.expr.where import is_users

__all__ = ["called", "formatted", "other", "same", "text", "within", "without"]
"""What functions that were made anew call."""

_ACTING = (print, input, open, setattr, delattr, breakpoint)
_BLIND = (operator.is_, operator.is_not, isinstance, issubclass, type, hasattr, callable, id, getattr)


def same(one: object, other: object) -> object:
    """`one is other`."""
    if isinstance(other, Expr | RegexMatch):
        one, other = other, one
    if isinstance(one, RegexMatch) and other is None:
        return call("~", one.there)
    if not isinstance(one, Expr):
        return one is other
    if other is None:
        return _helped(call("is_null", one))
    if isinstance(other, Enum):
        return _helped(call("==", one, other))
    raise ValueNeeded("`is` compares now, before there is a value, but with None and members of an Enum: use ==")


def other(one: object, other: object) -> object:
    """`one is not other`."""
    found = same(one, other)
    return call("~", found) if isinstance(found, Expr) else not found


def within(part: object, whole: Any) -> object:
    """`part in whole`."""
    if isinstance(whole, Expr) or (isinstance(whole, str | bytes) and isinstance(part, Expr)):
        return _helped(call("contains", whole, part))
    # All items are computed before the first is compared: those that are symbols have to be used on every way.
    if isinstance(part, Expr) and isinstance(whole, tuple | list | set | frozenset | dict) and not _has_symbols(whole):
        if not whole:
            return False
        # A value that comes from elsewhere is never the NaN of a program itself, and that equals nothing.
        alike = [call("==", part, one) for one in whole]
        return _helped(functools.reduce(lambda found, one: call("|", found, one), alike))
    return part in whole


def without(part: object, whole: object) -> object:
    """`part not in whole`."""
    found = within(part, whole)
    return call("~", found) if isinstance(found, Expr) else not found


def called(function: Any, /, *args: Any, **named: Any) -> Any:
    """`function(*args, **named)`."""
    if isinstance(function, Expr):
        return _method(function, args, named)
    if any(function is one for one in _ACTING):
        raise ValueNeeded(f"what {function.__name__}() does is not seen")
    symbols = any(map(_has_symbols, (*args, *named.values())))
    if symbols:
        if any(function is one for one in _BLIND):
            raise ValueNeeded(f"{function.__name__}() sees the expression, not the value")
        twin = regex_of(function) or twin_of(function)
        if twin is not None:
            _helped(None)
            return twin(*args, **named)
    given, by_name = [seeing(one) for one in args], {name: seeing(one) for name, one in named.items()}
    anew = seeing(function)
    if anew is not function:
        return anew(*given, **by_name)
    _check(function, symbols)
    way = walking.get()
    assert way is not None
    asking, way.asking = way.asking, way.asking and (_is_ours(function) or not _is_python(function))
    try:
        return function(*given, **by_name)
    finally:
        way.asking = asking


def _method(method: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A method of a symbol; of `startswith()` and `endswith()` one of several parts may do."""
    attribute = tree_of(method)
    match attribute, args:
        case Attribute(target, "startswith" | "endswith" as name), (tuple((first, *others)),) if not named:
            found = method(first)
            for other in others:
                found = call("|", found, call(f".{name}", Expr(target), other))
            return _helped(found)
    return method(*args, **named)


def seeing(thing: Any) -> Any:
    """A function of the user's as one that sees symbols, if it can be made anew; anything else as it is."""
    if isinstance(thing, Expr | type) or not callable(thing) or not is_users(_file_of(thing)):
        return thing
    anew = reading(thing, sys.modules[__name__])
    if anew is None:
        return thing
    found = unseen_in(anew)
    if found is not None:
        raise Acts(*found)
    return anew


def _check(function: Any, symbols: bool) -> None:
    """Raise for a function that would take symbols for values."""
    if _is_ours(function):
        return
    for part in _parts(function):
        if not is_users(part.__code__.co_filename):
            if symbols:
                raise ValueNeeded(f"{_name(function)}() is code of a library, which needs the value now")
        elif (found := unseen(part)) is not None:
            raise Acts(*found)


def _parts(function: Any) -> list[FunctionType]:
    """The functions written in Python that a call begins with."""
    if isinstance(function, type):
        makers = [getattr(function, name, None) for name in ("__new__", "__init__", "__post_init__")]
        makers.append(getattr(type(function), "__call__", None))  # noqa: B004
    elif isinstance(function, functools.partial):
        return _parts(function.func)
    else:
        makers = [function, getattr(type(function), "__call__", None)]  # noqa: B004
    plain = [getattr(one, "__func__", one) for one in makers]
    functions = [one for one in plain if isinstance(one, FunctionType)]
    # Those of dataclasses and named tuples, which were made by Python, put symbols where they belong.
    return [one for one in functions if not (isinstance(function, type) and one.__code__.co_filename.startswith("<"))]


def _is_python(function: Any) -> bool:
    return bool(_parts(function))


def _file_of(function: Any) -> str:
    parts = _parts(function)
    return parts[0].__code__.co_filename if parts else "<frozen"


def _name(function: Any) -> str:
    module = inspect.getmodule(function)
    home = "" if module is None or module is builtins else module.__name__ + "."
    return home + getattr(function, "__name__", type(function).__name__)


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).partition(".")[0] == "headrace"


def _has_symbols(thing: object) -> bool:
    match thing:
        case Expr():
            return True
        case list() | tuple() | set() | frozenset():
            return any(map(_has_symbols, thing))
        case dict():
            return any(map(_has_symbols, thing.values()))
        case functools.partial():
            return any(map(_has_symbols, (*thing.args, *thing.keywords.values())))
        case MethodType():
            return _has_symbols(thing.__self__)
    return False


def _helped(found: object) -> object:
    way = walking.get()
    if way is not None:
        way.helped = True
    return found
