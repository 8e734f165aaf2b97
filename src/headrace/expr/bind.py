"""Binding of expressions to types: picks the row of the table that fits, or says what is wrong and where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches

from headrace.errors import NotTraceable, PlanError, UnknownName, WrongType
from headrace.expr.bound import Applied, Bound, Constant, Input, Items, Pair
from headrace.expr.functions import ANY, PYTHON, Function, FunctionTable, Null, signature
from headrace.expr.functions.formats import refusal
from headrace.expr.members import OfMember, parts_of
from headrace.expr.overloads import (
    always_true,
    arguments,
    assigned,
    has_method,
    joint,
    methods_of,
    result,
    retyped,
)
from headrace.expr.records import FieldOf, Needed, Struct
from headrace.expr.syntax import Expr, tree_of
from headrace.expr.tree import Attribute, Built, Call, Listed, Literal, Mapped, Paired, Replaced, Symbol, Tree, Tupled
from headrace.expr.tuples import ItemOf, Tuple
from headrace.expr.windowed import InWindow
from headrace.model.records import is_plain, record_type
from headrace.model.types import (
    BYTES,
    INT,
    JSON,
    NONE,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    StructType,
    TupleType,
    Type,
    dict_of,
    keyed_struct,
    list_of,
    optional_of,
    pair_of,
    present,
    tuple_of,
)
from headrace.model.windows import Windowed, WindowedType, windowed_of

_SERDE_NEEDED = (
    "a topic gives bytes unless its stream or table says how to read them: value=hr.STRING (or key=) for text,"
    " hr.json(...) for JSON"
)


def bind(
    expr: Expr,
    types: Mapping[str, Type],
    origin: str,
    nullable: Collection[str] | None = None,
    functions: FunctionTable = PYTHON,
) -> Bound:
    """The expression with its types.

    `types` are those of the symbols that may occur, `nullable` the symbols that may be None (all but the timestamp when
    not given), `origin` the line to name when the expression itself has none, `functions` what its names mean.

    >>> from headrace.expr import value
    >>> from headrace.model.types import INT
    >>> bound = bind(value + 1, {"value": INT}, "app.py:7")
    >>> str(bound), str(bound.type), bound.python()({"value": 4})
    ('value + 1', 'int', 5)
    """
    maybe_none = set(types) - {"timestamp"} if nullable is None else set(nullable)
    return _Binder(types, maybe_none, origin, functions).bind(tree_of(expr))


class _Binder:
    def __init__(
        self, types: Mapping[str, Type], nullable: Collection[str], origin: str, functions: FunctionTable
    ) -> None:
        self._types, self._nullable, self._origin, self._functions = types, nullable, origin, functions

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
            case Tupled(items):
                listed = tuple(self.bind(item) for item in items)
                return Tuple(tuple_of(*(one.type for one in listed)), False, str(tree), listed)
            case Mapped(items):
                bound = {name: self.bind(item) for name, item in items}
                fields = {name: _field(one) for name, one in bound.items()}
                # Of an empty dict nothing is known yet, as of an empty list.
                type_ = keyed_struct(fields) if fields else dict_of(NONE)
                return Struct(type_, False, str(tree), tuple(bound.values()))
            case Built(cls, fields) if cls is Windowed:
                return self._in_window(tree, dict(fields))
            case Built(cls, fields):
                return self._built(tree, record_type(cls, self._line(tree)), dict(fields))
            case Replaced(target, fields):
                return self._replaced(tree, target, dict(fields))
            case Call(name, args):
                return self._call(tree, name, tuple(self.bind(arg) for arg in args))
            case Attribute(Attribute(target, "window"), "start" | "end" as name) if self._is_windowed(target):
                return self._field(tree, self.bind(target), name)
            case Attribute(target, name):
                return self._field(tree, self.bind(target), name)
        raise AssertionError(f"a new kind of tree: {tree!r}")

    def _is_windowed(self, tree: Tree) -> bool:
        return isinstance(self.bind(tree).type, WindowedType)

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

    def _field(self, tree: Tree, target: Bound, name: str) -> Bound:
        struct = target.type
        if isinstance(tree, Attribute) and any(has_method(row, struct) for row in self._functions.named(f"@{name}")):
            return self._call(tree, f"@{name}", (target,))
        if isinstance(struct, WindowedType):
            return self._windowed(tree, struct, target, name)
        if isinstance(struct, EnumType) and isinstance(tree, Attribute) and name in parts_of(struct):
            return OfMember(parts_of(struct)[name], False, str(tree), target, name)
        if not isinstance(struct, StructType) or struct.keyed != isinstance(tree, Call):
            raise self._unknown(tree, struct, f"field {name}", name)
        field = struct.field(name)
        if field is None and hasattr(struct.made_of, name) and not struct.keyed:
            raise NotTraceable("the function", f"{struct}.{name} is Python code of its own", self._line(tree))
        if field is None:
            known = [one.name for one in struct.fields]
            near = get_close_matches(name, known, n=2)
            raise UnknownName(f"{struct} has no field {name}", known, near, self._line(tree))
        of_none = self._functions.field_of_none
        absent = of_none is Null.GIVES_NULL and (target.nullable or not field.needed)
        nullable = field.type != present(field.type) or field.type == JSON or absent
        return FieldOf(present(field.type), nullable, str(tree), target, name, struct.keyed, of_none)

    def _windowed(self, tree: Tree, windowed: WindowedType, target: Bound, name: str) -> Bound:
        types = {"key": windowed.key, "start": INT, "end": INT}
        if name == "window":
            raise NotTraceable("the function", f"{windowed}.window is an object of its own", self._line(tree))
        if name not in types:
            near = get_close_matches(name, types, n=2)
            raise UnknownName(f"{windowed} has no field {name}", list(types), near, self._line(tree))
        return FieldOf(types[name], False, str(tree), target, name, False, Null.RAISES)

    def _built(self, tree: Tree, struct: StructType, trees: dict[str, Tree]) -> Bound:
        items = []
        for field in struct.fields:
            item, what = self.bind(trees[field.name]), f"{struct}.{field.name}"
            optional = isinstance(field.type, OptionalType) or field.type == JSON
            fitting = assigned(item, field.type)
            if fitting is None or (item.type == NONE and not optional):
                raise WrongType(what, item.type, field.type, self._line(trees[field.name]))
            if fitting.nullable and not optional:
                fitting = Needed(fitting.type, False, str(item), fitting, f"{what} is None, {field.type} is needed")
            items.append(fitting)
        return _struct(tree, struct, items)

    def _in_window(self, tree: Tree, trees: dict[str, Tree]) -> Bound:
        parts = []
        for name, part in trees.items():
            bound = self.bind(part)
            if name != "key" and bound.type != INT:
                raise WrongType(f"Windowed.{name}", bound.type, INT, self._line(part))
            reason = f"Windowed.{name} is None, {bound.type} is needed"
            parts.append(Needed(bound.type, False, str(bound), bound, reason) if bound.nullable else bound)
        return InWindow(windowed_of(parts[0].type), False, str(tree), *parts)

    def _replaced(self, tree: Tree, target: Tree, changes: dict[str, Tree]) -> Bound:
        struct = self.bind(target).type
        if not isinstance(struct, StructType) or not is_plain(struct.made_of):
            raise NotTraceable("the function", f"replace() of {struct} runs its own code", self._line(tree))
        names = [one.name for one in struct.fields]
        unknown = [name for name in changes if name not in names]
        if unknown or len(changes) == len(names):  # of all fields, nothing would ask whether the old one is there
            raise NotTraceable("the function", f"`{tree}` is no replacement of some fields", self._line(tree))
        kept = {name: Attribute(target, name, line=tree.line) for name in names}
        return self._built(tree, struct, {**kept, **changes})

    def _call(self, tree: Tree, name: str, args: tuple[Bound, ...]) -> Bound:
        match name, args:
            case "[]", (Bound(type=StructType(keyed=True)), Constant(value=str(key))):
                return self._field(tree, args[0], key)
            case "[]", (Bound(type=TupleType(items=items)), Constant(value=int(at))) if -len(items) <= at < len(items):
                return ItemOf(items[at], True, str(tree), args[0], at % len(items))
        types = tuple(arg.type for arg in args)
        if name == "bool" and always_true(types[0]):
            there = Call("~", (Call("is_null", tree.parts),), line=tree.line)
            return replace(self.bind(there), text=str(tree))
        if isinstance(tree, Call) and tree.in_place and _changes(types[0]):
            raise NotTraceable("the function", f"`{name}=` changes a {types[0]} in place", self._line(tree))
        rows = self._functions.named(name)
        if name.startswith(".") and not any(has_method(row, types[0]) for row in rows):
            raise self._unknown(tree, types[0], f"method {name[1:]}()", name[1:])
        for widen in (False, True):  # a row that takes the types as they are comes first
            for row in rows:
                needed = arguments(row, types, widen)
                if needed is not None:
                    self._check_format(tree, name, args)
                    return _applied(tree, row, args, needed)
        if name == "if":
            ways = f"it gives {types[1]} on one of its ways and {types[2]} on another"
            ways += ": let them be of one type (0.0 for 0, or def ... -> float)"
            raise NotTraceable("the function", ways, self._line(tree))
        alike = [row for row in rows if len(row.takes) == len(types)] or rows
        alike = [row for row in alike if has_method(row, types[0]) and row.takes[0] != ANY] or alike
        wanted = " or ".join(dict.fromkeys(signature(name, row.takes) for row in alike))
        fix = _SERDE_NEEDED if any(isinstance(arg, Input) and arg.type == BYTES for arg in args) else None
        raise WrongType(f"`{tree}`", signature(name, types), wanted, self._line(tree), fix)

    def _check_format(self, tree: Tree, name: str, args: tuple[Bound, ...]) -> None:
        if name == "format":
            spec = args[1].value if isinstance(args[1], Constant) else None
            reason = refusal(args[0].type, spec) if isinstance(spec, str) else "its format is computed"
            if reason is not None:
                raise NotTraceable("the function", reason, self._line(tree))

    def _unknown(self, tree: Tree, type_: Type, what: str, name: str) -> PlanError:
        cls = type_.made_of if isinstance(type_, StructType) else type_.cls if isinstance(type_, EnumType) else None
        if cls is not None and hasattr(cls, name):
            raise NotTraceable("the function", f"{type_}.{name} is Python code of its own", self._line(tree))
        known = {method: f"{method}()" for method in methods_of(type_, self._functions)}
        if isinstance(type_, StructType) and not type_.keyed:
            known |= {field.name: field.name for field in type_.fields}
        if isinstance(type_, EnumType):
            known |= {part: part for part in parts_of(type_)}
        near = [known[one] for one in get_close_matches(name, known, n=2)]
        fix = _SERDE_NEEDED if type_ == BYTES and not near else None
        return UnknownName(f"{type_} has no {what}", list(known.values()), near, self._line(tree), fix)


def _applied(tree: Tree, row: Function, args: tuple[Bound, ...], needed: tuple[Type, ...]) -> Bound:
    taken = tuple(retyped(arg, type_) for arg, type_ in zip(args, needed, strict=True))
    nullable = row.may_give_none(*(arg.nullable for arg in taken))
    gives = result(row, needed)
    return Applied(present(gives), nullable or gives != present(gives), str(tree), row, taken)


def _changes(type_: Type) -> bool:
    """Whether a value of a type can be changed in place."""
    return isinstance(type_, ListType | DictType | StructType) or type_ == JSON


def _field(bound: Bound) -> Type:
    return optional_of(bound.type) if bound.nullable else bound.type


def _struct(tree: Tree, type_: StructType, items: Iterable[Bound]) -> Bound:
    return Struct(type_, False, str(tree), tuple(items))
