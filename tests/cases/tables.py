"""table, to_table, filter, map_values, to_stream of tables."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, settled, texts
from headrace.dsl import Builder, KTable


def rows(app: Builder, topic: str = "in", **options: str) -> KTable[str, str]:
    return app.table(topic, key=hr.STRING, value=hr.STRING, **options)


def read(app: Builder) -> None:
    rows(app).to_stream().to("out")


def stored(app: Builder) -> None:
    rows(app, store="rows").to_stream().to("out")


def from_stream(app: Builder) -> None:
    texts(app).select_key(lambda _, v: v[:1]).to_table(store="rows", emit="every").to_stream().to("out")


def filtered(app: Builder) -> None:
    rows(app).filter(lambda _, v: v > "m").to_stream().to("out")
    rows(app).filter_not(lambda _, v: v > "m").to_stream().to("rest")


def filtered_store(app: Builder) -> None:
    rows(app, store="rows", emit="every").filter(hr.value > "m").to_stream().to("out")


def filtered_into_store(app: Builder) -> None:
    rows(app).filter(hr.value > "m", store="high", emit="every").to_stream().to("out")


def filtered_and_grouped(app: Builder) -> None:
    high = rows(app).filter(hr.value > "m")
    high.to_stream().to("out")
    high.group_by(lambda k, v: (v, k)).count(store="n", emit="every").to_stream().to("n")


def mapped(app: Builder) -> None:
    rows(app).map_values(lambda v: v + "!").to_stream().to("out")


def mapped_with_keys(app: Builder) -> None:
    rows(app).map_values(lambda k, v: k + v, store="mapped").to_stream().to("out")


def rekeyed(app: Builder) -> None:
    rows(app).to_stream(lambda k, v: F.coalesce(v, k)).to("out")


def untraced(app: Builder) -> None:
    def shown(value: str) -> str:
        return "long" if len([*value]) > 3 else "short"

    rows(app).map_values(shown).to_stream().to("out")


def named_alike(app: Builder) -> None:
    table = rows(app, "names")
    counts = texts(app).group_by_key().count(store="names", emit="every")
    users = texts(app).group_by_key().count(store="names.join", emit="every")
    joined = table.join(rows(app, "users"), lambda left, right: left + right, on=lambda value: value[:1], name="labels")
    joined.join(counts, lambda name, n: name + F.text(n)).to_stream().to("out")
    users.to_stream().to("counts")


CASES = [
    Case(
        "a table without a store of its own never meets one of the same name",
        named_alike,
        put("users", ("a", "!")),
        put("names", ("k", "ann")),
        every("out"),
        put("in", ("k", "x"), ("k", "y")),
        every("out", ("k", "ann!1"), ("k", "ann!2")),
        every("counts", ("k", 1), ("k", 2)),
    ),
    Case(
        "a table sends on every record with a key, deletions too",
        read,
        put("in", ("a", "1", 10), ("a", None, 20), (None, "x", 30), ("b", None, 40), ("a", "2", 5)),
        every("out", ("a", "1", 10), ("a", None, 20), ("b", None, 40), ("a", "2", 5)),
    ),
    Case(
        "a table with a store settles",
        stored,
        put("in", ("a", "1"), ("b", "1"), ("a", "2"), ("c", "1"), ("c", None)),
        every("out", ("b", "1"), ("a", "2")),
        put("in", ("a", "3"), ("a", None)),
        every("out", ("a", None)),
        put("in", ("d", None)),
        every("out"),
    ),
    Case(
        "a stream becomes a table by its new key",
        from_stream,
        put("in", ("x", "a1"), ("y", "b1"), ("z", "a2")),
        every("out", ("a", "a1"), ("b", "b1"), ("a", "a2")),
    ),
    Case(
        "a filtered table deletes what does not fit, even what never did",
        filtered,
        put("in", ("a", "z"), ("b", "c"), ("a", "b"), ("a", None)),
        every("out", ("a", "z"), ("b", None), ("a", None), ("a", None)),
        every("rest", ("a", None), ("b", "c"), ("a", "b"), ("a", None)),
    ),
    Case(
        "a filter knows what never fitted where the table has a store",
        filtered_store,
        put("in", ("a", "z"), ("b", "c"), ("a", "b"), ("a", None), ("a", "n"), ("a", None)),
        every("out", ("a", "z"), ("a", None), ("a", "n"), ("a", None)),
    ),
    Case(
        "a filter with a store of its own still deletes what it never had",
        filtered_into_store,
        put("in", ("b", "c"), ("a", "z"), ("a", "b")),
        every("out", ("b", None), ("a", "z"), ("a", None)),
    ),
    Case(
        "a filter is silent about what never fitted where somebody needs old values",
        filtered_and_grouped,
        put("in", ("a", "z"), ("b", "c"), ("c", "z"), ("a", "b"), ("b", None)),
        every("out", ("a", "z"), ("c", "z"), ("a", None)),
        every("n", ("z", 1), ("z", 2), ("z", 1)),
    ),
    Case(
        "map_values of a table leaves deletions alone",
        mapped,
        put("in", ("a", "1"), ("a", None), ("b", None)),
        every("out", ("a", "1!"), ("a", None), ("b", None)),
    ),
    Case(
        "map_values of a table with keys and a store",
        mapped_with_keys,
        put("in", ("a", "1"), ("b", "1"), ("a", "2")),
        every("out", ("b", "b1"), ("a", "a2")),
        settled("out", {"a": "a2", "b": "b1"}),
    ),
    Case(
        "to_stream with new keys",
        rekeyed,
        put("in", ("a", "x"), ("b", None)),
        every("out", ("x", "x"), ("b", None)),
    ),
    Case(
        "a function that cannot be traced runs as it is",
        untraced,
        put("in", ("a", "x"), ("b", "xxxx"), ("a", None)),
        every("out", ("a", "short"), ("b", "long"), ("a", None)),
    ),
]
