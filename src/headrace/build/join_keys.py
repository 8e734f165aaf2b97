"""Join keys other than the key of the records: `on="sku"`, `on=["sku", "region"]`, `on=lambda`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from headrace.build.functions import KEY_VALUE, VALUE, Check, bound_on, exactly
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound, Expr, as_expr, bind, value
from headrace.expr.bound import Input
from headrace.expr.tree import Attribute, Symbol
from headrace.expr.tuples import Given, ItemOf, RecordOf, WholeKey
from headrace.model.types import INT, JSON, EnumType, StructType, TupleType, Type, keyed_struct, present
from headrace.plan.nodes import Node, SelectKey

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")

Column = str | tuple[str, str]
"""A field that both sides have, or the name it has on the left and the one on the right."""

Columns = str | Sequence[Column]
On = Callable[..., Any] | Expr | Columns
LookUp = Callable[[K, V], K2 | None] | Callable[[V], K2 | None] | Expr | Columns
"""Finds the key of a row of another table: in the value, or in the key and the value."""

LEFT, RIGHT = 0, 1


def rekeyed(
    declared: Declared,
    op: str,
    node: Node,
    on: On,
    here: str,
    *,
    side: int = LEFT,
    inner: bool = False,
    table: Node | None = None,
) -> Node:
    """The records of a stream with the key that a join goes by; with a table, it has to be that of the table."""
    key = key_of(op, node, on, here, side, inner) if table is None else key_into(op, node, table, on, here, inner)
    names = _names(on, side, here)
    path = f"{node.name}.{op}-on" if names is None else f"{node.name}.by-{'-'.join(names)}"
    known = declared.node(path)
    if isinstance(known, SelectKey) and (known.upstream, known.key) == (node, key):
        return known  # joined by the same columns before: the records move there once
    return declared.add(SelectKey(name=declared.unique(None, path, here), origin=here, upstream=node, key=key))


def key_of(
    op: str, node: Node, on: On, here: str, side: int = LEFT, inner: bool = False, check: Check | None = None
) -> Bound:
    """The key by which records or rows of a node are joined; none at all if one of several columns is None.

    With `inner`, the values of the node are tuples of those of the streams joined so far, and the first one is meant.
    """
    schema = node.output()
    whole = schema.value.type
    first = whole.items[0] if inner and isinstance(whole, TupleType) else whole
    names = _names(on, side, here)
    if names is not None:
        key = _columns(names, first, here)
    else:
        assert callable(on) or isinstance(on, Expr)
        symbols = {"key": schema.key.type, "value": first, "timestamp": INT}
        key = bound_on(op, on, (VALUE, KEY_VALUE), symbols, here, check)
    if isinstance(key.type, TupleType):
        key = WholeKey(key.type, True, key.text, key)
    if not inner:
        return key
    of_value = Input(whole, True, "value", "value")
    given = (
        ("key", Input(schema.key.type, True, "key", "key")),
        ("value", ItemOf(first, True, "value", of_value, 0, or_none=True)),
        ("timestamp", Input(INT, False, "timestamp", "timestamp")),
    )
    return Given(key.type, True, key.text, key, given)


def key_into(
    op: str, node: Node, table: Node, on: On, here: str, inner: bool = False, what: str = "the key to join on"
) -> Bound:
    """The key by which records or rows find their row in a table, which has to be keyed so.

    Columns find a key that is a tuple of them, or a record with just these fields.
    """
    wanted = table.output().key.type
    left, right = _names(on, LEFT, here), _names(on, RIGHT, here)
    key = key_of(op, node, on, here, inner=inner, check=exactly(wanted, what))
    if left is None or right is None:
        return key
    if isinstance(wanted, StructType):
        return _record(key, right, wanted, here)
    if left != right:
        raise OptionInvalid("on", on, "names of this side alone: the other side is found by its key", here)
    if key.type != wanted:
        raise _not_the_key(key.type, wanted, here)
    return key


def _record(key: Bound, names: tuple[str, ...], wanted: StructType, here: str) -> Bound:
    """A key of columns as the record that is the key of a table."""
    types = key.type.items if isinstance(key.type, TupleType) else (key.type,)
    given = dict(zip(names, types, strict=True))
    if given != {field.name: present(field.type) for field in wanted.fields}:
        raise _not_the_key(keyed_struct(given), wanted, here)
    return RecordOf(wanted, True, key.text, key, names)


def _not_the_key(found: Type, wanted: Type, here: str) -> TypesDiffer:
    fix = "join a table that has just these for its key; one of other keys is brought to it with"
    fix += " .to_stream().select_key(...).to_table()"
    if isinstance(found, EnumType) and found.of_values == wanted:
        fix = "join by the value of the member: on=lambda value: value.<field>.value"
    return TypesDiffer("the columns are not the key of the table", found, wanted, here, fix=fix)


def _columns(names: tuple[str, ...], type_: Type, here: str) -> Bound:
    fields: list[Any] = [_field(name, type_) for name in names]
    return bind(as_expr(fields[0] if len(fields) == 1 else tuple(fields)), {"value": type_}, here)


def _field(name: str, type_: Type) -> Expr:
    if isinstance(type_, StructType) and type_.keyed:
        return value[name]
    return value.get(name) if type_ == JSON else Expr(Attribute(Symbol("value"), name))


def _names(on: On, side: int, here: str) -> tuple[str, ...] | None:
    """The columns of one side; None if a function finds the key."""
    if callable(on) or isinstance(on, Expr):
        return None
    columns = (on,) if isinstance(on, str) else tuple(on) if isinstance(on, list | tuple) else ()
    names = tuple(one if isinstance(one, str) else _of_side(one, side) for one in columns)
    if not names or None in names or len(set(names)) < len(names):
        raise OptionInvalid("on", on, _ALLOWED, here)
    return names  # type: ignore[return-value]


def _of_side(column: object, side: int) -> str | None:
    match column:
        case (str(), str()):
            return column[side]
    return None


_ALLOWED = 'a function, the name of a field, or different ones in a list: on=["sku", ("region", "area")]'
