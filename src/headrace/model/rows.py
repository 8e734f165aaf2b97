"""Rows for people: records or entries as a table, in text and in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from html import escape
from itertools import islice
from typing import Any, NamedTuple, overload

from headrace.model.windows import Windowed

SHOWN = 20
"""How many entries of a store are shown."""

_WIDEST = 60
_STYLE = "text-align:left;vertical-align:top"


class Row(NamedTuple):
    """A key with its value, the time of the record in milliseconds, and the topic that it was written to."""

    key: Any
    value: Any
    timestamp: int | None = None
    topic: str | None = None


class Rows(Sequence[Row]):
    """Rows in an order. A notebook shows them as a table, in which the fields of values are columns."""

    def __init__(self, rows: Iterable[Row], title: str = "", note: str = "") -> None:
        self._rows, self.title, self.note = tuple(rows), title, note

    @staticmethod
    def first(entries: Mapping[Any, Any], title: str) -> Rows:
        """The first keys with their values, and a word if there are more."""
        note = f"the first {SHOWN} entries" if len(entries) > SHOWN else "" if entries else "no entries so far"
        return Rows((Row(key, value) for key, value in islice(entries.items(), SHOWN)), title, note)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        heads, rows = self._table()
        lines = [tuple(map(_shortened, line)) for line in (heads, *rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([*filter(None, [self.title]), *text, *filter(None, [self.note])])

    def _repr_html_(self) -> str:
        heads, rows = self._table()
        caption = f"<caption style={_STYLE!r}>{escape(self.title)}</caption>" if self.title else ""
        note = f"<p><small>{escape(self.note)}</small></p>" if self.note else ""
        head, body = _line("th", heads), "".join(_line("td", cells) for cells in rows)
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{note}"

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The heads of the columns, and the cells of each row."""
        windowed = any(isinstance(row.key, Windowed) for row in self)
        names = self._fields()
        topics = {row.topic for row in self if row.topic is not None}
        timed = any(row.timestamp is not None for row in self)
        heads = ("key", *(["window"] * windowed), *(names or ["value"]), *(["time"] * timed))
        heads += ("topic",) * (len(topics) > 1)
        cells = []
        for row in self:
            key = [_text(row.key.key), _window(row.key)] if isinstance(row.key, Windowed) else [_text(row.key)]
            key += [""] * (windowed - len(key) + 1)
            values = [_text(_parts(row.value).get(name)) for name in names] if names else [_text(row.value)]
            time = [_time(row.timestamp)] * timed
            cells.append((*key, *values, *time, *([row.topic or ""] * (len(topics) > 1))))
        return heads, cells

    def _fields(self) -> list[str]:
        """The fields of the values, in their order; none if there are values without fields."""
        found: dict[str, None] = {}
        for row in self:
            if row.value is not None:
                parts = _parts(row.value)
                if not parts:
                    return []
                found |= dict.fromkeys(parts)
        return list(found)


def _line(name: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{name} style={_STYLE!r}>{escape(cell)}</{name}>' for cell in cells)}</tr>"


def _parts(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {str(name): part for name, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in fields(value)}
    return {}


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)


def _window(key: Windowed[Any]) -> str:
    return f"{_time(key.start)} \N{EN DASH} {_time(key.end)}"


def _time(ms: int | None) -> str:
    if ms is None:
        return ""
    found = datetime.fromtimestamp(ms / 1000, UTC)
    return found.strftime("%Y-%m-%d %H:%M:%S") + (f".{ms % 1000:03}" if ms % 1000 else "")


def _shortened(text: str) -> str:
    line = text.replace("\n", "\\n")
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
