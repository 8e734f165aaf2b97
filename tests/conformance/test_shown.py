"""`peek` prints on Spark what Python's `str` gives."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.expr import as_expr, bind
from headrace.spark.sql import shown

pytestmark = pytest.mark.spark

VALUES = ["text", 7, -0.0, 1e100, True, None, ("key", 1), (None, 2.5), ["a", "b"], [1, 2], [(False, "x")]]


def test_shown_as_python_prints_it(spark: Any) -> None:
    bound = [bind(as_expr(value), {}, "here") for value in VALUES]
    columns = ", ".join(shown(one.type, one.sql({})) for one in bound)
    assert list(spark.sql(f"SELECT {columns}").first()) == [str(value) for value in VALUES]
