"""Records as tables that people can read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from headrace.errors import OptionInvalid, TableTextInvalid
from headrace.model.record import Header, Record
from headrace.plan.origin import origin
from headrace.serde import Serde
from headrace.testing.cells import QUOTED, canonical, cell, headers_cell, headers_of, parsed, time_cell, time_of

COLUMNS = ("key", "value", "ts", "headers")
_CELL = re.compile(rf'(?:{QUOTED}|[^"|])*')


class Cell(NamedTuple):
    """Cell of a text table, and its row and column; both count from 1."""

    text: str
    line: int
    column: int


class Table(str):
    """Records as text: a line of column names and a line for each record, in aligned columns.

    It is a text, so tests compare it with `==`, and pytest shows the lines that differ.
    """

    _columns: tuple[str, ...]
    _rows: list[list[Cell]]

    @staticmethod
    def of(columns: Sequence[str], rows: list[list[Cell]], shown: list[list[str]]) -> Table:
        """The aligned text of some rows: the cells as they were written, and how they are shown."""
        texts = [list(columns), *shown]
        widths = [max(len(row[at]) for row in texts) for at in range(len(columns))]
        lines = (
            " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in texts
        )
        made = Table("\n".join(lines))
        made._columns, made._rows = tuple(columns), rows
        return made

    def rows(self, key: Serde[Any], value: Serde[Any]) -> list[tuple[Any, Any, int | None, tuple[Header, ...]]]:
        """Key, value, time and headers of each record, for a topic with these serdes; None for a time not told."""
        rows = []
        readers: dict[str, Callable[[str], Any]] = {
            "key": lambda text: parsed(key, text),
            "value": lambda text: parsed(value, text),
            "ts": time_of,
            "headers": headers_of,
        }
        for row in self._rows:
            found = {
                name: _read(name, one, readers[name], {"key": key, "value": value}.get(name))
                for name, one in zip(self._columns, row, strict=True)
            }
            rows.append((found.get("key"), found.get("value"), found.get("ts"), found.get("headers", ())))
        return rows


def table(text: str) -> Table:
    """Records as a text with bars: the names of the columns, then a line for each record.

    The columns are some of `key`, `value`, `ts` and `headers`. How the cells are read depends on the topic that the
    table is piped into; `|` and other special things go into quotes.

    >>> print(table('''
    ...     key | value | ts
    ...     ann | 3 | 1000
    ...     "a|b" | null | 2s
    ... '''))
    key   | value | ts
    ann   | 3     | 1s
    "a|b" | null  | 2s
    """
    lines = [_split(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise TableTextInvalid(1, 1, "the table is empty", "begin with the names of its columns: key | value | ts")
    names = [_name(one, lines[0][:at]) for at, one in enumerate(lines[0])]
    for row in lines[1:]:
        if len(row) != len(names):
            what = f"{len(row)} cell{'' if len(row) == 1 else 's'} for {len(names)} columns"
            raise TableTextInvalid(row[-1].line, row[-1].column, what, f"give each of {', '.join(names)}")
    shown = [[_shown(name, one) for name, one in zip(names, row, strict=True)] for row in lines[1:]]
    return Table.of(names, lines[1:], shown)


def as_table(records: Iterable[tuple[Record, Serde[Any], Serde[Any]]], columns: Sequence[str]) -> Table:
    """Records as a table, each with the serdes of its key and its value."""
    for name in columns:
        if name not in COLUMNS:
            raise OptionInvalid("column", name, f"some of {', '.join(COLUMNS)}", origin())
    listed = list(records)
    names = columns or (COLUMNS if any(record.headers for record, _, _ in listed) else COLUMNS[:3])
    shown: list[list[str]] = []
    for record, key, value in listed:
        texts = {"key": cell(key, record.key), "value": cell(value, record.value)}
        texts |= {"ts": time_cell(record.ts), "headers": headers_cell(record.headers)}
        shown.append([texts[name] for name in names])
    rows = [[Cell(text, line, 1) for text in row] for line, row in enumerate(shown, start=2)]
    return Table.of(names, rows, shown)


def _split(number: int, line: str) -> list[Cell]:
    cells, at = [], 0
    while True:
        found = _CELL.match(line, at)
        assert found is not None, "it matches nothing, too"
        blank = len(found[0]) - len(found[0].lstrip())
        cells.append(Cell(found[0].strip(), number, at + blank + 1))
        at = found.end()
        if at == len(line):
            return cells
        if line[at] == '"':
            raise TableTextInvalid(number, at + 1, "a quote is not closed", r"close it, or write \" inside of quotes")
        at += 1


def _name(one: Cell, before: list[Cell]) -> str:
    fix = f"name some of {', '.join(COLUMNS)}, each once"
    if one.text not in COLUMNS:
        raise TableTextInvalid(one.line, one.column, f"{one.text!r} is no column", fix)
    if any(one.text == other.text for other in before):
        raise TableTextInvalid(one.line, one.column, f"column {one.text} is there twice", fix)
    return one.text


def _shown(name: str, one: Cell) -> str:
    """A cell in the form in which it comes out."""
    if not one.text and name != "headers":
        raise TableTextInvalid(
            one.line, one.column, f"the {name} is empty", 'write null for none, or "" for no letters'
        )
    show = {"ts": lambda text: time_cell(time_of(text)), "headers": lambda text: headers_cell(headers_of(text))}
    return str(_read(name, one, show.get(name, canonical)))


def _read(name: str, one: Cell, read: Callable[[str], Any], serde: Serde[Any] | None = None) -> Any:
    try:
        return read(one.text)
    except ValueError as exc:
        fix = f"the topic takes {serde}" if serde else "the forms are in the guide to testing"
        raise TableTextInvalid(one.line, one.column, f"{name}: {exc}", fix) from exc
