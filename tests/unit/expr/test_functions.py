"""The table of functions as a whole."""

from __future__ import annotations

from headrace.expr.functions import TABLE


def test_there_are_many_functions() -> None:
    assert len({row.name for row in TABLE if row.name.lstrip(".@").isidentifier()}) >= 80
