"""From an expression to one with types: picks the row of the table that fits, or says what is wrong and where."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from headrace.errors import UnknownName, WrongType
from headrace.expr.bound import Applied, Bound, Constant, Input, Items, Pair
from headrace.expr.fit import arguments, has_method, joint, methods_of, result, retyped, rows_of
from headrace.expr.functions import Function, signature
from headrace.expr.syntax import Expr, tree_of
from headrace.expr.tree import Attribute, Call, Listed, Literal, Paired, Symbol, Tree
from headrace.model.types import NONE, Type, list_of, pair_of


def bind(expr: Expr, types: Mapping[str, Type], origin: str, nullable: Collection[str] | None = None) -> Bound:
    """The expression with its types.

    `types` are those of the symbols that may occur, `nullable` the symbols that may be None (all but the timestamp when
    not given), `origin` the line to name when the expression itself has none.

    >>> from headrace.expr import value
    >>> from headrace.model.types import INT
    >>> bound = bind(value + 1, {"value": INT}, "app.py:7")
    >>> str(bound), str(bound.type), bound.python()({"value": 4})
    ('value + 1', 'int', 5)
    """
    maybe_none = set(types) - {"timestamp"} if nullable is None else set(nullable)
    return _Binder(types, maybe_none, origin).bind(tree_of(expr))


class _Binder:
    def __init__(self, types: Mapping[str, Type], nullable: Collection[str], origin: str) -> None:
        self._types, self._nullable, self._origin = types, nullable, origin

    def bind(self, tree: Tree) -> Bound:
        match tree:
            case Symbol(name):
                return self._symbol(tree, name)
            case Literal(value, type_):
                return Constant(type_, value is None, str(tree), value)
            case Listed(items):
                return self._list(tree, [self.bind(item) for item in items])
            case Paired(key, value):
                first, second = self.bind(key), self.bind(value)
                return Pair(pair_of(first.type, second.type), False, str(tree), first, second)
            case Call(name, args):
                return self._call(tree, name, tuple(self.bind(arg) for arg in args))
            case Attribute(target, name):
                raise self._unknown(tree, self.bind(target).type, f"field {name}", name)
        raise AssertionError(f"a new kind of tree: {tree!r}")

    def _line(self, tree: Tree) -> str:
        return tree.line or self._origin

    def _symbol(self, tree: Tree, name: str) -> Bound:
        if name not in self._types:
            raise UnknownName(
                f"hr.{name} is not known here", [f"hr.{known}" for known in self._types], [], self._origin
            )
        return Input(self._types[name], name in self._nullable, str(tree), name)

    def _list(self, tree: Tree, items: list[Bound]) -> Bound:
        element = NONE
        for item in items:
            common = joint(element, item.type)
            if common is None:
                raise WrongType(f"{item} in `{tree}`", item.type, f"{element} like those before it", self._line(tree))
            element = common
        return Items(list_of(element), False, str(tree), tuple(retyped(item, element) for item in items))

    def _call(self, tree: Tree, name: str, args: tuple[Bound, ...]) -> Bound:
        types = tuple(arg.type for arg in args)
        rows = rows_of(name)
        if name.startswith(".") and not any(has_method(row, types[0]) for row in rows):
            raise self._unknown(tree, types[0], f"method {name[1:]}()", name[1:])
        for widen in (False, True):  # a row that takes the types as they are comes first
            for row in rows:
                needed = arguments(row, types, widen)
                if needed is not None:
                    return _applied(tree, row, args, needed)
        alike = [row for row in rows if len(row.takes) == len(types)] or rows
        wanted = " or ".join(dict.fromkeys(signature(name, row.takes) for row in alike))
        raise WrongType(f"`{tree}`", signature(name, types), wanted, self._line(tree))

    def _unknown(self, tree: Tree, type_: Type, what: str, name: str) -> UnknownName:
        known = methods_of(type_)
        near = get_close_matches(name, known, n=2)
        shown = [f"{method}()" for method in known]
        return UnknownName(f"{type_} has no {what}", shown, [f"{method}()" for method in near], self._line(tree))


def _applied(tree: Tree, row: Function, args: tuple[Bound, ...], needed: tuple[Type, ...]) -> Bound:
    taken = tuple(retyped(arg, type_) for arg, type_ in zip(args, needed, strict=True))
    nullable = row.gives_none(*(arg.nullable for arg in taken))
    return Applied(result(row, needed), nullable, str(tree), row, taken)
