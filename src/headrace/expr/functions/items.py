"""Items and slices of str, bytes and lists, and what asks about lists."""

from __future__ import annotations

from typing import Any

from headrace.expr.functions.row import ANY, Function
from headrace.model.types import BOOL, BYTES, INT, STR, Type, list_of


def item(whole: Any, index: int) -> Any:
    """`whole[index]`."""
    try:
        return whole[index]
    except IndexError:
        raise LookupError(f"there is no [{index}] in {len(whole)}") from None


_END = f"{2**63 - 1}L"


def _slices(type_: Type, sql: str) -> list[Function]:
    return [
        Function("[:]", (type_, INT), type_, lambda whole, start: whole[start:], f"{sql}({{0}}, {{1}}, {_END})"),
        Function("[:]", (type_, INT, INT), type_, lambda whole, a, b: whole[a:b], f"{sql}({{0}}, {{1}}, {{2}})"),
    ]


_ANYS = list_of(ANY)
# Whether None is in a list is not known from its type: an item may always be None.
ITEMS = (
    Function("[]", (STR, INT), STR, item, "hr_item({0}, {1})"),
    Function("[]", (BYTES, INT), INT, item, "hr_item_bytes({0}, {1})"),
    Function("[]", (_ANYS, INT), ANY, item, "hr_item_list({0}, {1})", gives_none=lambda *_: True),
    Function("[::-1]", (STR,), STR, lambda whole: whole[::-1], "reverse({0})"),
    Function("[::-1]", (_ANYS,), _ANYS, lambda whole: whole[::-1], "reverse({0})"),
    *_slices(STR, "hr_slice"),
    *_slices(BYTES, "hr_slice_bytes"),
    *_slices(_ANYS, "hr_slice_list"),
    # Not `in`, which takes a NaN for equal to itself if it is the same object.
    Function(
        "contains",
        (_ANYS, ANY),
        BOOL,
        lambda whole, part: any(one == part for one in whole),
        "hr_member({0}, {1}, {shape})",
    ),
    Function("contains", (BYTES, BYTES), BOOL, lambda whole, part: part in whole, "contains({0}, {1})"),
    Function("+", (_ANYS, _ANYS), _ANYS, lambda left, right: left + right, "concat({0}, {1})"),
    Function("+", (BYTES, BYTES), BYTES, lambda left, right: left + right, "concat({0}, {1})"),
)
