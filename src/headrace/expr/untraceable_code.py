"""Untraceable code: it decides something about a value without asking the symbol, so tracing would be wrong.

`value is None` is False for a symbol, `isinstance(value, str)` too, `except` would turn a question to the symbol into
an answer, `random()` would be drawn once for all records, and a symbol would be put into the user's own list. None of
them can be overloaded, so they are looked for in the function's code, and in the user's own functions that it names.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType

from headrace.expr.syntax import IN_PLACE, Expr
from headrace.expr.where import is_users, place

_OPCODES = {
    "IS_OP": "`is` compares now, before there is a value: use == or F.is_null(...)",
    "MATCH": "`match` needs the value now: use hr.when(...).otherwise(...)",
    "PUSH_EXC_INFO": "`try` and `with` see no value yet: nothing fails until the application runs",
    "SETUP_FINALLY": "`try` and `with` see no value yet: nothing fails until the application runs",
    "SETUP_WITH": "`try` and `with` see no value yet: nothing fails until the application runs",
}
_LOADING = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
_ASKING = frozenset({"isinstance", "issubclass", "type", "hasattr", "callable", "id"})
_CHANGING = frozenset({"random", "secrets", "time", "uuid", "datetime"})
_CLOCKS = frozenset({"now", "utcnow", "today"})  # what else datetime has is the same for every record


def unseen(function: object) -> tuple[str, str] | None:
    """The reason why a function cannot be traced though it would run, and its line; None if nothing was found."""
    return next(_found(function, set()), None)


def unseen_in(function: object) -> tuple[str, str] | None:
    """Untraceable code of a function that was made anew, without the functions that it calls."""
    while not isinstance(function, FunctionType):
        function = function.func if isinstance(function, partial) else getattr(function, "__func__", None)
    used = inspect.getclosurevars(function)
    return next(_in_code(function.__code__, {**used.builtins, **used.globals, **used.nonlocals}), None)


def only_computes(function: object) -> bool:
    """Whether a function uses nothing but its arguments, constants and headrace's own functions: it can do no harm."""
    return isinstance(function, FunctionType) and _harmless(function, set())


def _harmless(thing: object, seen: set[object]) -> bool:
    if isinstance(thing, Expr | str | int | float | bytes):
        return True
    home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
    if isinstance(thing, ModuleType | FunctionType) and str(home).partition(".")[0] == "headrace":
        return True
    if not isinstance(thing, FunctionType):
        return False
    if thing in seen:
        return True
    seen.add(thing)
    used = inspect.getclosurevars(thing)
    outside = (*used.builtins.values(), *used.globals.values(), *used.nonlocals.values())
    return all(_harmless(one, seen) for one in outside)


def _found(function: object, seen: set[object]) -> Iterator[tuple[str, str]]:
    if isinstance(function, type):
        # A dataclass is built with symbols; its own __init__ was generated and asks for nothing.
        function = getattr(function, "__post_init__", None)
    function = inspect.unwrap(getattr(function, "__func__", function))  # type: ignore[arg-type]
    if not isinstance(function, FunctionType) or function in seen or not is_users(function.__code__.co_filename):
        return
    seen.add(function)
    used = inspect.getclosurevars(function)
    outside = {**used.builtins, **used.globals, **used.nonlocals}
    yield from _in_code(function.__code__, outside)
    for thing in outside.values():
        yield from _found(thing, seen)


def _in_code(code: CodeType, outside: dict[str, object]) -> Iterator[tuple[str, str]]:
    line, loaded = code.co_firstlineno, ["", ""]
    for instruction in dis.get_instructions(code):
        line = _line(instruction) or line
        changed = _changed(instruction, loaded, code)
        if changed in outside:
            yield (
                f"{changed} would change once, while the topology is declared, not for each record",
                place(code.co_filename, line),
            )
        reason = _opcode(instruction.opname) or _name(instruction, outside, code)
        if reason:
            yield reason, place(code.co_filename, line)
        loaded = [loaded[-1], _loaded(instruction, loaded[-1])]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _in_code(inner, outside)


def _line(instruction: dis.Instruction) -> int | None:
    positions = getattr(instruction, "positions", None)  # from Python 3.11; before, starts_line is the number
    return positions.lineno if positions is not None else instruction.starts_line


def _loaded(instruction: dis.Instruction, before: str) -> str:
    """The name of what an instruction has loaded from outside; what it took from such a thing counts as that."""
    if instruction.opname.startswith(_LOADING):
        return str(instruction.argval)
    return before if instruction.opname in ("LOAD_ATTR", "CACHE") else ""


def _changed(instruction: dis.Instruction, loaded: list[str], code: CodeType) -> str | None:
    """The name of what an instruction changes, if that can be told from the two before it."""
    match instruction.opname:
        case "STORE_GLOBAL":
            return str(instruction.argval)
        case "STORE_DEREF" if instruction.argval in code.co_freevars:
            return str(instruction.argval)
        case "LOAD_METHOD" | "LOAD_ATTR" if instruction.argval in IN_PLACE:
            return loaded[-1]
        case "STORE_ATTR" | "DELETE_ATTR":
            return loaded[-1]
        case "STORE_SUBSCR" | "DELETE_SUBSCR":
            return loaded[-2]
    return None


def _opcode(name: str) -> str | None:
    if name.endswith(("_IF_NONE", "_IF_NOT_NONE")):
        name = "IS_OP"
    elif name.startswith("MATCH_"):
        name = "MATCH"
    return _OPCODES.get(name)


def _name(instruction: dis.Instruction, outside: dict[str, object], code: CodeType) -> str | None:
    if not instruction.opname.startswith(_LOADING):
        return None
    name, thing = str(instruction.argval), outside.get(str(instruction.argval))
    if name in _ASKING and getattr(thing, "__module__", None) == "builtins":
        return f"{name}() sees the expression, not the value"
    # random.random() and `from random import random` alike; the latter's __self__ is a Random, its module None
    module = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
    home = module or type(getattr(thing, "__self__", None)).__module__
    if home in _CHANGING and (home != "datetime" or _CLOCKS.intersection(code.co_names)):
        return f"{name} is read once, while the topology is declared, not for each record"
    return None
