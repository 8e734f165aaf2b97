"""Methods of str, and what asks about one.

Letters are as new as the Unicode of the interpreter and of ICU: `lower`, `upper` and `casefold` differ for a letter
that only one of them knows (Python 3.11 has Unicode 14, Spark 4.3 has 17). Older letters agree, special cases included.
"""

from __future__ import annotations

from headrace.expr.functions.row import ANY, Function
from headrace.model.types import BOOL, BYTES, INT, STR, list_of

_S, _SS, _SSS = (STR,), (STR, STR), (STR, STR, STR)

TEXT = (
    Function("+", _SS, STR, lambda left, right: left + right, "concat({0}, {1})"),
    Function(".lower", _S, STR, str.lower, "hr_lower({0})"),
    Function(".upper", _S, STR, str.upper, "hr_upper({0})"),
    Function(".casefold", _S, STR, str.casefold, "hr_casefold({0})"),
    Function(".strip", _S, STR, str.strip, "hr_strip({0})"),
    Function(".lstrip", _S, STR, str.lstrip, "hr_lstrip({0})"),
    Function(".rstrip", _S, STR, str.rstrip, "hr_rstrip({0})"),
    Function(".strip", _SS, STR, str.strip, "hr_strip_of({0}, {1})"),
    Function(".lstrip", _SS, STR, str.lstrip, "hr_lstrip_of({0}, {1})"),
    Function(".rstrip", _SS, STR, str.rstrip, "hr_rstrip_of({0}, {1})"),
    Function(".split", _S, list_of(STR), str.split, "hr_split({0})"),
    Function(".split", _SS, list_of(STR), str.split, "hr_split_at({0}, {1})"),
    Function(".startswith", _SS, BOOL, str.startswith, "startswith({0}, {1})"),
    Function(".endswith", _SS, BOOL, str.endswith, "endswith({0}, {1})"),
    Function(".replace", _SSS, STR, str.replace, "hr_replace({0}, {1}, {2})"),
    Function("contains", _SS, BOOL, lambda whole, part: part in whole, "contains({0}, {1})"),
    Function("length", _S, INT, len, "CAST(char_length({0}) AS BIGINT)"),
    Function("length", (BYTES,), INT, len, "CAST(octet_length({0}) AS BIGINT)"),
    Function("length", (list_of(ANY),), INT, len, "CAST(cardinality({0}) AS BIGINT)"),
)
