"""Rows as tables, in text and in HTML; cells of notebooks as places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import headrace as hr
from headrace.errors import NothingToCount
from headrace.model.rows import SHOWN, Row, Rows
from headrace.testing import TopologyTestDriver


@dataclass
class Song:
    title: str
    plays: int | None


def test_fields_of_values_are_columns() -> None:
    rows = Rows([Row("a", Song("Low Water", 3), 1_700_000_000_250), Row(None, Song("x" * 80, None))], "songs")
    head, first, second = str(rows).splitlines()[1:]
    assert str(rows).splitlines()[0] == "songs"
    assert head.split() == ["key", "title", "plays", "time"]
    assert first.split() == ["a", "Low", "Water", "3", "2023-11-14", "22:13:20.250"]
    assert second.strip() == "x" * 59 + "…"


def test_values_of_several_kinds_are_one_column_and_windows_another() -> None:
    rows = Rows([Row(hr.Windowed("ann", 0, 10_000), 1), Row(hr.Windowed("bob", 0, 10_000), {"n": 2}, topic="t")])
    window = "1970-01-01 00:00:00 \N{EN DASH} 1970-01-01 00:00:10"
    assert str(rows).splitlines() == [
        "key  window                                     value",
        f"ann  {window}  1",
        f"bob  {window}  {{'n': 2}}",
    ]
    two = Rows([Row("k", 1, topic="one"), Row("k", 2, topic="two")])
    assert [line.split()[-1] for line in str(two).splitlines()] == ["topic", "one", "two"]


def test_nothing_in_them_is_read_as_html() -> None:
    bad = "<script>alert(1)</script>"
    told = Rows([Row(bad, {bad: bad})], bad, bad)._repr_html_()
    assert "<script" not in told
    assert told.count("&lt;script&gt;") == 5


def test_rows_are_a_sequence() -> None:
    rows = Rows([Row("a", 1), Row("b", 2)])
    assert (len(rows), rows[0].value, [row.key for row in rows[1:]]) == (2, 1, ["b"])
    assert rows == [Row("a", 1), Row("b", 2)]
    assert str(Rows([], note="nothing was written")) == "key  value\nnothing was written"


def test_a_store_of_the_driver_shows_its_first_entries() -> None:
    app = hr.App("shop")
    app.table("prices", key=hr.STRING, value=hr.INT64, store="prices")
    with TopologyTestDriver(app) as driver:
        for number in range(SHOWN + 1):
            driver.input("prices").pipe(number, key=f"{number:02}")
        told = driver.store("prices")._repr_html_()
    assert told.count("<tr>") == SHOWN + 1
    assert "the first 20 entries" in told


def test_an_application_is_drawn_and_a_table_says_how_it_is_seen() -> None:
    app = hr.App("shop")
    assert "nothing is declared so far" in app._repr_html_()
    table = app.table("prices", key=hr.STRING, value=hr.INT64, store="prices")
    assert app._repr_html_().startswith('<img alt="The topology of shop" style="max-width:100%" src="data:image')
    assert table._repr_html_() == "<code>KTable(prices)</code>: show() computes rows of what is in the topics now"
    assert repr(app) == "<App 'shop', created>"


CELL = """import headrace as hr
app = hr.App("shop")

app.stream("orders").to("seen")
app.stream("orders").filter(3)
"""


def test_places_in_a_notebook_are_named_by_cell(capsys: pytest.CaptureFixture[str]) -> None:
    shell: Any = InteractiveShell.instance()
    try:
        shell.run_cell("before = 1", store_history=True)
        number = shell.execution_count
        failed = shell.run_cell(CELL, store_history=True).error_in_exec
        told = f"error: function=3 is not possible\n  at: cell {number}, line 5\n"
        assert capsys.readouterr().out.startswith(told)
        assert failed.where == f"cell {number}, line 5"
        assert {node.origin for node in shell.user_ns["app"].plan().nodes} == {f"cell {number}, line 4"}
    finally:
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()


@pytest.mark.parametrize("options", [{"count": 0}, {"count": True}, {"timeout": "soon"}])
def test_how_long_it_runs_for_rows_is_checked_first(options: dict[str, Any]) -> None:
    app = hr.App("shop")
    app.stream("orders").to("seen")
    with pytest.raises(hr.HeadraceError, match=next(iter(options))):
        app.run(**options)


def test_a_run_for_rows_needs_a_topic_that_is_written() -> None:
    app = hr.App("shop", broker="127.0.0.1:1")
    app.table("prices", key=hr.STRING, value=hr.INT64, store="prices")
    with pytest.raises(NothingToCount, match="writes to no topic that it names"):
        app.run(count=1)
