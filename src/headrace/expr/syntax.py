"""The expression that users hold in their hands: Python's operators and methods on it make new ones.

An `Expr` has no public attributes of its own: every name after the dot belongs to the value it stands for.
"""

from __future__ import annotations

import dataclasses
from contextvars import ContextVar
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Generic, NoReturn, TypeVar, overload

from headrace.errors import NotTraceable, NumberTooLarge
from headrace.expr.choices import truth
from headrace.expr.tree import Attribute, Built, Call, Listed, Literal, Mapped, Paired, Replaced, Tree, Tupled
from headrace.expr.ways import ValueNeeded, walking
from headrace.expr.where import calling_line
from headrace.model.records import enum_type
from headrace.model.types import BOOL, BYTES, DATE, DATETIME, DECIMAL, FLOAT, INT, NONE, STR, TIME
from headrace.model.windows import Windowed

made_at: ContextVar[str | None] = ContextVar("made_at", default=None)
"""The line of the function whose result is being looked at: it has returned, so no frame tells."""


def _refuse(reason: str) -> NoReturn:
    if walking.get() is not None:
        raise ValueNeeded(reason)
    raise NotTraceable("an expression", reason, calling_line() or "?")


class Expr:
    """A value that will be there when the application runs; operators and methods on it make new expressions."""

    __slots__ = ("_tree",)

    _tree: Tree

    def __init__(self, tree: Tree) -> None:
        object.__setattr__(self, "_tree", tree)

    def __repr__(self) -> str:
        if walking.get() is not None:  # the text would be that of the symbol, in every record
            _refuse("repr(), !r, or str() of a list needs the value now: use + and F.text(...)")
        return str(self._tree)

    def __getattr__(self, name: str) -> Method:
        if name.startswith("_"):  # Python's own protocols ask for these to see whether they are there
            raise AttributeError(name)
        attribute = Attribute(self._tree, name, line=calling_line())
        _note(attribute)
        return Method(attribute)

    # -- what Python lets an expression answer

    def __add__(self, other: object) -> Expr:
        return call("+", self, other)

    def __radd__(self, other: object) -> Expr:
        return call("+", other, self)

    def __sub__(self, other: object) -> Expr:
        return call("-", self, other)

    def __rsub__(self, other: object) -> Expr:
        return call("-", other, self)

    def __mul__(self, other: object) -> Expr:
        return call("*", self, other)

    def __rmul__(self, other: object) -> Expr:
        return call("*", other, self)

    def __truediv__(self, other: object) -> Expr:
        return call("/", self, other)

    def __rtruediv__(self, other: object) -> Expr:
        return call("/", other, self)

    def __floordiv__(self, other: object) -> Expr:
        return call("//", self, other)

    def __rfloordiv__(self, other: object) -> Expr:
        return call("//", other, self)

    def __mod__(self, other: object) -> Expr:
        return call("%", self, other)

    def __rmod__(self, other: object) -> Expr:
        return call("%", other, self)

    def __and__(self, other: object) -> Expr:
        return call("&", self, other)

    def __rand__(self, other: object) -> Expr:
        return call("&", other, self)

    def __or__(self, other: object) -> Expr:
        return call("|", self, other)

    def __ror__(self, other: object) -> Expr:
        return call("|", other, self)

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return call("==", self, other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return call("!=", self, other)

    def __lt__(self, other: object) -> Expr:
        return call("<", self, other)

    def __le__(self, other: object) -> Expr:
        return call("<=", self, other)

    def __gt__(self, other: object) -> Expr:
        return call(">", self, other)

    def __ge__(self, other: object) -> Expr:
        return call(">=", self, other)

    def __neg__(self) -> Expr:
        return call("-", self)

    def __invert__(self) -> Expr:
        return call("~", self)

    def __getitem__(self, item: object) -> Expr:
        if not isinstance(item, slice):
            return call("[]", self, item)
        if item.step == -1 and item.start is None and item.stop is None:
            return call("[::-1]", self)
        if item.step is not None:
            _refuse("a slice with a step is not supported yet, but for [::-1]")
        start = 0 if item.start is None else item.start  # the same, and one kind of slice less
        return call("[:]", self, start) if item.stop is None else call("[:]", self, start, item.stop)

    def __pow__(self, other: object) -> Expr:
        return call("**", self, other)

    def __rpow__(self, other: object) -> Expr:
        return call("**", other, self)

    def __abs__(self) -> Expr:
        return call("absolute", self)

    def __round__(self, digits: object = None) -> Expr:
        return call("rounded", self) if digits is None else call("rounded", self, digits)

    def __floor__(self) -> Expr:
        return call("floor", self)

    def __ceil__(self) -> Expr:
        return call("ceil", self)

    def __trunc__(self) -> Expr:
        return call("integer", self)

    # -- what changes a value, or makes a new one: that depends on its type

    def __iadd__(self, other: object) -> Expr:
        return _called("+", (self, other), in_place=True)

    def __imul__(self, other: object) -> Expr:
        return _called("*", (self, other), in_place=True)

    def __ior__(self, other: object) -> Expr:
        return _called("|", (self, other), in_place=True)

    # -- what changes the value itself

    def __setattr__(self, name: str, value: object) -> NoReturn:
        _refuse(f"`.{name} = ...` changes the value in place: make a new one of it instead")

    def __delattr__(self, name: str) -> NoReturn:
        _refuse(f"`del` of .{name} changes the value in place: make a new one of it instead")

    def __setitem__(self, item: object, value: object) -> NoReturn:
        _refuse("`[...] = ...` changes the value in place: make a new one of it instead")

    def __delitem__(self, item: object) -> NoReturn:
        _refuse("`del` of an item changes the value in place: make a new one of it instead")

    # -- what needs the value itself

    def __bool__(self) -> bool:
        way = walking.get()
        if way is not None and way.asking:
            return way.answer(truth(self._tree))
        _refuse(
            "`if`, `and`, `or`, `not`, `in (...)` and `a < b < c` need the value now:"
            " use hr.when(...).otherwise(...) for `if`, and & | ~ with parentheses for the others"
        )

    def __iter__(self) -> NoReturn:
        _refuse("going through it with `for`, `*` or list() needs the value now: it can only be passed on as a whole")

    def __len__(self) -> NoReturn:
        _refuse("len() needs the value now: use F.length(...)")

    def __contains__(self, item: object) -> bool:
        way = walking.get()
        if way is not None and way.asking:
            return bool(call("contains", self, item))
        _refuse("`in` needs the value now: use F.contains(...)")

    def __str__(self) -> NoReturn:
        _refuse("an f-string, str(), print() or % needs the value now: use + and F.text(...)")

    def __format__(self, spec: str) -> NoReturn:
        self.__str__()

    def __hash__(self) -> NoReturn:
        _refuse("looking it up in a set or dict needs the value now: use hr.when(...).otherwise(...)")

    def __int__(self) -> NoReturn:
        _refuse("int() needs the value now: use F.integer(...)")

    def __float__(self) -> NoReturn:
        _refuse("float() needs the value now: use F.floating(...)")

    def __index__(self) -> NoReturn:
        _refuse("using it as an index or in range() needs the value now")

    def __bytes__(self) -> NoReturn:
        _refuse("bytes() needs the value now: there is no expression for it yet")


IN_PLACE = frozenset(
    ("append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update")
)
"""Methods of lists and dicts that change them."""


class Method(Expr):
    """`value.lower`: an expression still, until it is called."""

    __slots__ = ()

    def __call__(self, *args: object, **named: object) -> Expr:
        attribute = self._tree
        assert isinstance(attribute, Attribute)
        way = walking.get()
        if way is not None:
            way.used.append(attribute)
        if attribute.name in IN_PLACE:
            _refuse(f"{attribute.name}() changes the value in place: make a new one of it instead")
        if named:
            _refuse(f"{attribute.name}() takes no arguments by name here ({', '.join(named)}=): give them in order")
        return call(f".{attribute.name}", Expr(attribute.target), *args)


T = TypeVar("T")
T2 = TypeVar("T2")


class When(Generic[T]):
    """`hr.when(...)` that waits for its `otherwise`."""

    __slots__ = ("_branches",)

    def __init__(self, branches: tuple[tuple[Expr, Expr], ...]) -> None:
        self._branches = branches

    @overload
    def when(self: When[Expr], condition: object, then: object) -> When[Expr]: ...

    @overload
    def when(self, condition: object, then: T2) -> When[T | T2]: ...

    def when(self, condition: object, then: object) -> When[Any]:
        """Add a choice, for when none of the conditions before held and this one does."""
        return When((*self._branches, (as_expr(condition), as_expr(then))))

    @overload
    def otherwise(self: When[Expr], value: object) -> Expr: ...

    @overload
    def otherwise(self, value: T2) -> T | T2: ...

    def otherwise(self, value: object) -> object:
        """End with the choice for when no condition held."""
        result = as_expr(value)
        for condition, then in reversed(self._branches):
            result = call("when", condition, then, result)
        return result


def as_expr(thing: object) -> Expr:
    """A Python value, list or tuple as an expression; an expression as it is."""
    return thing if isinstance(thing, Expr) else Expr(_tree_of(thing))


def tree_of(expr: Expr) -> Tree:
    """Tree of an expression."""
    return expr._tree


def call(function: str, *args: object) -> Expr:
    """A function of the table on its arguments."""
    return _called(function, args)


def _called(function: str, args: tuple[object, ...], *, in_place: bool = False) -> Expr:
    tree = Call(function, tuple(tree_of(as_expr(arg)) for arg in args), line=calling_line(), in_place=in_place)
    _note(tree)
    return Expr(tree)


def replaced(of: object, /, **fields: object) -> Expr:
    """`dataclasses.replace()`."""
    given = tuple((name, tree_of(as_expr(item))) for name, item in fields.items())
    tree = Replaced(tree_of(as_expr(of)), given, line=calling_line())
    _note(tree)
    return Expr(tree)


def _note(tree: Tree) -> None:
    way = walking.get()
    if way is not None:
        way.computed.append(tree)


def _tree_of(thing: object) -> Tree:
    line = made_at.get() or calling_line()
    match thing:
        case None:
            return Literal(None, NONE, line=line)
        case Enum():
            return Literal(thing, enum_type(type(thing), line or "?"), line=line)
        case bool():
            return Literal(thing, BOOL, line=line)
        case int():
            if not -(2**63) <= thing < 2**63:
                raise NumberTooLarge(thing, line or "?")
            return Literal(int(thing), INT, line=line)
        case float():
            return Literal(float(thing), FLOAT, line=line)
        case str():
            text = str.__str__(thing)
            if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
                _refuse(f"{text!r} has no UTF-8 form")
            return Literal(text, STR, line=line)
        case bytes():
            return Literal(bytes(thing), BYTES, line=line)
        case list():
            return Listed(tuple(tree_of(as_expr(item)) for item in thing), line=line)
        case Windowed():
            return Built(
                Windowed, tuple((name, tree_of(as_expr(item))) for name, item in thing._asdict().items()), line=line
            )
        case tuple() if len(thing) == 2:
            return Paired(tree_of(as_expr(thing[0])), tree_of(as_expr(thing[1])), line=line)
        case tuple() if len(thing) > 2:
            return Tupled(tuple(tree_of(as_expr(item)) for item in thing), line=line)
        case tuple():
            _refuse(f"a tuple of {len(thing)}: it needs at least two")
        case datetime():
            if thing.tzinfo is None:
                _refuse(f"{thing} has no time zone: give one, such as timezone.utc")
            return Literal(thing.astimezone(UTC), DATETIME, line=line)
        case date():
            return Literal(thing, DATE, line=line)
        case time():
            if thing.tzinfo is not None:
                _refuse(f"{thing} has a time zone: give a time without")
            return Literal(thing, TIME, line=line)
        case Decimal():
            return Literal(thing, DECIMAL, line=line)
        case dict():
            if not all(isinstance(name, str) for name in thing):
                _refuse("the keys of a dict have to be str")
            return Mapped(tuple((name, tree_of(as_expr(item))) for name, item in thing.items()), line=line)
        case When():
            _refuse("hr.when(...) needs .otherwise(...)")
        case _ if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
            # The user's constructor has run, with symbols: what it left in the fields is what it means.
            made = {one.name: getattr(thing, one.name) for one in dataclasses.fields(thing)}
            return Built(type(thing), tuple((name, tree_of(as_expr(item))) for name, item in made.items()), line=line)
        case _:
            _refuse(f"a {type(thing).__name__} cannot be part of an expression")
