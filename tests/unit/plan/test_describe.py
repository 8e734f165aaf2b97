"""Plans as text."""

from __future__ import annotations

from headrace.plan.describe import table


def test_a_very_long_cell_does_not_widen_its_column() -> None:
    assert table([("in", "topic in", "a.py:1"), ("in.map", "x" * 200, "a.py:2")], indent=2) == [
        "  in      topic in  a.py:1",
        f"  in.map  {'x' * 200}  a.py:2",
    ]


def test_a_column_of_long_cells_alone() -> None:
    assert table([("x" * 200, "a.py:1")], indent=0) == [f"{'x' * 200}  a.py:1"]
