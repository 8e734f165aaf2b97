"""The table of functions as a whole."""

from __future__ import annotations

from headrace.expr.functions import TABLE

# Functions of what Spark does not read yet. Decimals and records share their operators with other types.
PYTHON_ONLY = {"as_bool", "as_float", "as_int", "as_list", "as_str", "decimal", ".get", ".keys", ".values"}


def named(names: set[str]) -> set[str]:
    return {name for name in names if name.lstrip(".@").isidentifier()}


def test_there_are_many_functions() -> None:
    assert len(named({row.name for row in TABLE if row.sql is not None})) >= 80


def test_what_has_no_catalyst_form_is_listed() -> None:
    assert {row.name for row in TABLE} - {row.name for row in TABLE if row.sql is not None} == PYTHON_ONLY
