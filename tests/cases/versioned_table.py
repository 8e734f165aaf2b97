"""versioned_table: rows as of earlier times."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, texts
from cases.table_join import both
from cases.tables import rows
from headrace.dsl import Builder, KTable


def versions(app: Builder, topic: str = "table") -> KTable[str, str]:
    return app.versioned_table(topic, key=hr.STRING, value=hr.STRING, history="100ms")


def looked_up(app: Builder) -> None:
    texts(app).join(versions(app), lambda left, right: left + "+" + right).to("out")


def looked_up_filtered(app: Builder) -> None:
    texts(app).join(versions(app).filter(hr.value > "m"), lambda left, right: left + "+" + right).to("out")


def looked_up_again(app: Builder) -> None:
    table = versions(app)
    once = texts(app).join(table, lambda left, right: left + "+" + right)
    once.select_key(lambda _, v: v[:1]).join(table, lambda left, right: left + "+" + right).to("out")


def joined_twice(app: Builder) -> None:
    table, right = versions(app), rows(app, "right")
    table.join(right, lambda left, right: left + right).to_stream().to("near")
    counts = right.group_by(lambda k, v: (k, v)).count(store="n", emit="every")
    counts.join(table, lambda n, left: F.text(n) + left).to_stream().to("out")


def waiting(app: Builder) -> None:
    texts(app).left_join(versions(app), both, grace="10ms").to("out")


def told(app: Builder) -> None:
    versions(app).to_stream().to("out")


def joined(app: Builder) -> None:
    versions(app).join(rows(app, "right"), lambda left, right: left + "+" + right).to_stream().to("out")


def counted(app: Builder) -> None:
    by_value = versions(app).map_values(lambda v: v[:1]).group_by(lambda k, v: (v, k))
    by_value.count(store="n", emit="every").to_stream().to("out")


CASES = [
    Case(
        "a record joins the row of its own time",
        looked_up,
        put("table", ("a", "x", 10), ("a", "y", 20), ("a", None, 30), ("a", "z", 40)),
        put("in", ("a", "0", 50)),
        every("out", ("a", "0+z", 50)),
        put("in", ("a", "1", 9), ("a", "2", 10), ("a", "3", 25), ("a", "4", 30), ("a", "5", 40)),
        every("out", ("a", "2+x", 10), ("a", "3+y", 25), ("a", "5+z", 40)),
    ),
    Case(
        "a record joins the row of its own time again when it comes back",
        looked_up_again,
        put("table", ("a", "x", 10), ("a", "z", 40), ("a", "y", 20)),
        every("out"),
        put("in", ("a", "a1", 15), ("a", "a2", 25), ("a", "a3", 41)),
        every("out", ("a", "a1+x+x", 15), ("a", "a2+y+y", 25), ("a", "a3+z+z", 41)),
        put("in", ("a", "a4", 21)),
        every("out", ("a", "a4+y+y", 21)),
    ),
    Case(
        "a row of an earlier time changes no join, be it behind a repartition",
        joined_twice,
        put("right", ("a", "r", 5)),
        put("table", ("a", "x", 10), ("a", "z", 40)),
        every("near", ("a", "xr"), ("a", "zr")),
        every("out", ("a", "1x"), ("a", "1z")),
        put("table", ("a", "y", 20)),
        every("near"),
        every("out"),
    ),
    Case(
        "a record waits for the row of its own time",
        waiting,
        put("in", ("a", "1", 10), ("b", "2", 5)),
        every("out"),
        put("table", ("a", "x", 9), ("a", "y", 11)),
        put("in", ("a", "3", 19)),
        every("out", ("b", "2+-", 5)),
        put("in", ("a", "4", 20), ("a", None, 100), (None, "5", 21)),
        every("out", ("a", "1+x", 10), (None, "5+-", 21)),
        put("in", ("a", "6", 15), ("a", "7", 110)),
        every("out", ("a", "6+y", 15), ("a", "3+y", 19), ("a", "4+y", 20)),
    ),
    Case(
        "a computed table has the rows of earlier times, too",
        looked_up_filtered,
        put("table", ("a", "x", 10), ("a", "b", 20), ("a", "z", 30)),
        put("in", ("a", "0", 40)),
        every("out", ("a", "0+z", 40)),
        put("in", ("a", "1", 15), ("a", "2", 25)),
        every("out", ("a", "1+x", 15)),
    ),
    Case(
        "history is as long as it says, but the newest row stays",
        looked_up,
        put("table", ("a", "x", 10), ("a", "y", 20), ("b", "w", 10), ("c", "v", 121)),
        put("in", ("a", "0", 121)),
        every("out", ("a", "0+y", 121)),
        put("in", ("a", "1", 19), ("a", "2", 20), ("b", "3", 10)),
        every("out", ("a", "2+y", 20), ("b", "3+w", 10)),
    ),
    Case(
        "a versioned table tells what it takes, and drops what is older than its history",
        told,
        put("table", ("a", "x", 200), ("a", "y", 150), ("a", "z", 99), ("a", "w", 100), (None, "v", 300)),
        every("out", ("a", "x", 200), ("a", "y", 150), ("a", "w", 100)),
    ),
    Case(
        "an older record changes no joined row",
        joined,
        put("right", ("a", "r", 1)),
        put("table", ("a", "x", 20)),
        every("out", ("a", "x+r", 20)),
        put("table", ("a", "y", 10), ("a", "z", 20), ("a", None, 15)),
        every("out", ("a", "z+r", 20)),
    ),
    Case(
        "an older record changes no group",
        counted,
        put("table", ("a", "x1", 20), ("a", "y1", 10), ("b", "x2", 5), ("a", "y2", 30)),
        every("out", ("x", 1), ("x", 2), ("x", 1), ("y", 1)),
    ),
]
