"""map_batches: functions of many records at once."""

from dataclasses import dataclass
from typing import Any

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled, texts
from headrace.dsl import Builder

H = (("h", b"1"),)


@dataclass
class Order:
    item: str
    amount: int | None
    tags: list[str]


@dataclass
class Priced:
    item: str
    total: int | None = None


def column(table: Any, name: str, values: list[Any]) -> Any:
    """The table with a column more, or another one of that name."""
    kept = table.drop_columns([name]) if name in table.column_names else table
    return kept.append_column(name, [values])


def upper(table: Any) -> Any:
    return column(table, "value", [value and value.upper() for value in table["value"].to_pylist()])


def described(table: Any) -> Any:
    """What the function sees: the columns, and how many rows there are."""
    seen = f"{', '.join(f'{field.name} {field.type}' for field in table.schema)}: {table.num_rows}"
    return column(table.select(["key"]), "value", [seen] * table.num_rows)


def priced(table: Any) -> Any:
    totals = [amount and amount * 3 for amount in table["amount"].to_pylist()]
    return column(table.select(["key", "timestamp", "item"]), "total", totals)


def measured(table: Any) -> Any:
    texts_ = table["value"].to_pylist()
    return column(column(table.select([]), "size", [len(one) for one in texts_]), "first", [one[0] for one in texts_])


def numbers(table: Any) -> Any:
    return column(table, "value", [100 // int(value) for value in table["value"].to_pylist()])


def only_long(table: Any) -> Any:
    """Leaves out rows, which is not possible."""
    return table.filter([len(value) > 1 for value in table["value"].to_pylist()])


def orders(app: Builder) -> Any:
    return app.stream("in", key=hr.STRING, value=hr.json(Order))


def typed(app: Builder) -> None:
    totals = orders(app).map_batches(priced, value=hr.json(Priced))
    totals.map_values(lambda one: one.item + " " + F.text(one.total)).to("out")


def failing(function: Any) -> Any:
    def topology(app: Builder) -> None:
        values: Any = texts(app).map_batches(function)
        values.map_values(lambda v: str(v)).to("out", value=hr.STRING)
        values.errors().map_values(lambda f: f.value + " " + f.error).to("failed")

    return topology


def counted(app: Builder) -> None:
    texts(app).map_batches(upper, value=hr.STRING, size=2).group_by(lambda _, v: v).count(store="n").to_stream().to("n")


CASES = [
    Case(
        "batches keep keys times headers and order",
        lambda app: texts(app).map_batches(upper, value=hr.STRING, size=2).to("out"),
        put("in", ("a", "x", 5, H), (None, "y", 3), ("a", None, 4), ("b", "", 1), ("c", "z", 2)),
        every("out", ("a", "X", 5, H), (None, "Y", 3), ("a", None, 4), ("b", "", 1), ("c", "Z", 2)),
        put("in", ("a", "x")),
        every("out", ("a", "X")),
        put("in"),
        every("out"),
    ),
    Case(
        "a batch has a column for the value",
        lambda app: texts(app).map_batches(described, value=hr.STRING, size=2).to("out"),
        put("in", ("a", "x"), ("b", "y"), ("c", "z")),
        every(
            "out",
            ("a", "key string, value string, timestamp int64: 2"),
            ("b", "key string, value string, timestamp int64: 2"),
            ("c", "key string, value string, timestamp int64: 1"),
        ),
    ),
    Case(
        "a batch has a column for each field of records",
        lambda app: orders(app).map_batches(described, value=hr.STRING).to("out"),
        put("in", ("a", Order("pen", 2, ["x"])), ("b", None)),
        every(
            "out",
            ("a", "key string, item string, amount int64, tags list<item: string>, timestamp int64: 2"),
            ("b", "key string, item string, amount int64, tags list<item: string>, timestamp int64: 2"),
        ),
    ),
    Case(
        "the columns of a batch are records of the class that is said",
        typed,
        put("in", ("a", Order("pen", 2, [])), ("b", Order("ink", None, []))),
        every("out", ("a", "pen 6"), ("b", "ink None")),
    ),
    Case(
        "the columns of a batch are dicts without a class",
        lambda app: texts(app).map_batches(measured, value=hr.json()).to("out"),
        put("in", ("a", "xyz")),
        every("out", ("a", {"size": 3, "first": "x"})),
    ),
    Case(
        "a table behind batches settles in the same batch",
        counted,
        put("in", ("a", "x"), ("b", "x"), ("a", "yy")),
        every("n", ("X", 2), ("YY", 1)),
        put("in", ("a", "x")),
        settled("n", {"X": 3, "YY": 1}),
    ),
    Case(
        "records of a batch that fails are tried one by one where failures are read",
        failing(numbers),
        put("in", ("a", "5", 1), ("b", "0", 2, H), ("c", "4", 3), ("d", "x", 4)),
        every("out", ("a", "20", 1), ("c", "25", 3)),
        every("failed", ("b", "0 ZeroDivisionError", 2, H), ("d", "x ValueError", 4)),
    ),
    Case(
        "records whose rows are left out fail",
        failing(only_long),
        put("in", ("a", "x", 1), ("b", "yy", 2)),
        every("out", ("b", "yy", 2)),
        every("failed", ("a", "x WrongRows", 1)),
    ),
]
