"""group_by of a table: count, reduce, aggregate."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled
from cases.tables import rows
from headrace.dsl import Builder


def counted(app: Builder) -> None:
    rows(app).group_by(lambda k, v: (v, k)).count(store="n", emit="every").to_stream().to("out")


def counted_settling(app: Builder) -> None:
    rows(app).group_by(lambda k, v: (v, k)).count(store="n").to_stream().to("out")


def reduced(app: Builder) -> None:
    by_first = rows(app).group_by(lambda k, v: (k[:1], v))
    by_first.reduce(lambda text, v: text + v, lambda text, v: text + "-" + v, emit="every").to_stream().to("out")


def aggregated(app: Builder) -> None:
    by_first = rows(app).group_by(lambda k, v: (k[:1], v))
    sums = by_first.aggregate("0", lambda _, v, text: text + "+" + v, lambda _, v, text: text + "-" + v, emit="every")
    sums.to_stream().to("out")


def nowhere(app: Builder) -> None:
    def group(key: str, value: str) -> tuple[str | None, str | None]:
        return (None if value == "no key" else key[:1], None if value == "no value" else value)

    rows(app).group_by(group).count(store="n", emit="every").to_stream().to("out")


def by_number(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.DOUBLE)
    counts = table.group_by(lambda k, v: (v, k)).count(store="n", emit="every").to_stream()
    counts.select_key(lambda number, _: F.text(number)).to("out")


CASES = [
    Case(
        "groups are told apart by their bytes",
        by_number,
        put("in", ("a", 0.0), ("a", -0.0), ("b", float("nan")), ("b", float("nan"))),
        every("out", ("0.0", 1), ("0.0", 0), ("-0.0", 1), ("nan", 1), ("nan", 1)),
    ),
    Case(
        "a row leaves its group before it enters another",
        counted,
        put("in", ("a", "x", 10), ("b", "x", 20), ("a", "y", 15), ("b", None, 5)),
        every("out", ("x", 1, 10), ("x", 2, 20), ("x", 1, 20), ("y", 1, 15), ("x", 0, 20)),
    ),
    Case(
        "a row that stays in its group is one change",
        counted,
        put("in", ("a", "x"), ("a", "x")),
        every("out", ("x", 1), ("x", 1)),
    ),
    Case(
        "a deletion of a row that was never there changes no group",
        counted,
        put("in", ("a", None), (None, "x")),
        every("out"),
    ),
    Case(
        "groups settle",
        counted_settling,
        put("in", ("a", "x"), ("b", "x"), ("a", "y")),
        settled("out", {"x": 1, "y": 1}),
        put("in", ("a", "x"), ("a", "z")),
        settled("out", {"x": 1, "y": 0, "z": 1}),
    ),
    Case(
        "reduce takes old values out",
        reduced,
        put("in", ("a1", "x", 10), ("a2", "y", 20), ("a1", "z", 5), ("a2", None, 30)),
        every("out", ("a", "x", 10), ("a", "xy", 20), ("a", "xy-xz", 20), ("a", "xy-xz-y", 30)),
    ),
    Case(
        "aggregate takes old values out",
        aggregated,
        put("in", ("a1", "x"), ("b1", "y"), ("a1", "z"), ("a2", "w"), ("b1", None)),
        every("out", ("a", "0+x"), ("b", "0+y"), ("a", "0+x-x+z"), ("a", "0+x-x+z+w"), ("b", "0+y-y")),
    ),
    Case(
        "a row without a group or a value is in no group",
        nowhere,
        put("in", ("a1", "x"), ("a1", "no key"), ("a2", "no value"), ("a2", "y")),
        every("out", ("a", 1), ("a", 0), ("a", 1)),
    ),
]
