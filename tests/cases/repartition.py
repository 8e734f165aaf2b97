"""repartition, by hand and where it is placed."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, in_any_order, put, settled, texts
from headrace.dsl import Builder

H = (("trace", b"\x01"),)


def by_hand_and_counted(app: Builder) -> None:
    moved = texts(app).select_key(lambda _, v: v).repartition()
    moved.to("moved")
    moved.group_by_key().count(store="n").to_stream().to("out")


def shared(app: Builder) -> None:
    rekeyed = texts(app).select_key(lambda _, v: v)
    rekeyed.group_by_key().count(store="all").to_stream().to("all")
    rekeyed.group_by_key().count(store="every", emit="every").to_stream().to("every")


def list_beside_a_count(app: Builder) -> None:
    stream = texts(app)
    counts = stream.group_by(lambda _, v: v).count(store="n").to_stream()
    listed = counts.map_values(lambda n: [F.text(n)])
    both = stream.map_values(lambda v: v.split(",")).merge(listed)
    both.flat_map_values(lambda words: words).to("out")


CASES = [
    Case(
        "repartition keeps order, time and headers, and drops what has no key",
        lambda app: texts(app).repartition().to("out"),
        put("in", ("k", "1", 5, H), (None, "2"), ("k", "3", 4), ("", "4"), ("k", None)),
        every("out", ("k", "1", 5, H), ("k", "3", 4, ()), ("", "4"), ("k", None)),
    ),
    Case(
        "repartition by hand in front of a count",
        by_hand_and_counted,
        put("in", ("k", "a"), ("l", "a"), ("k", "b"), ("k", None)),
        every("moved", ("a", "a"), ("a", "a"), ("b", "b")),
        every("out", ("a", 2), ("b", 1)),
    ),
    Case(
        "repartition twice in a row",
        lambda app: (
            texts(app)
            .repartition(1, name="first")
            .map_values(lambda v: v + "!")
            .select_key(hr.when(hr.key == "k", None).otherwise(hr.key))
            .repartition()
            .to("out")
        ),
        put("in", ("a", "1"), ("k", "2"), (None, "3"), ("b", "4")),
        every("out", ("a", "1!"), ("b", "4!")),
    ),
    Case(
        "topics of one time go to a repartition one after the other",
        lambda app: (
            texts(app, "left")
            .merge(texts(app, "right"))
            .group_by(lambda k, _: k)
            .count(store="n", emit="every")
            .to_stream()
            .to("out")
        ),
        put("right", ("c", "4"), ("c", "5")),
        put("left", ("a", "1"), ("b", "2"), ("a", "3")),
        every("out", ("a", 1), ("b", 1), ("a", 2), ("c", 1), ("c", 2)),
    ),
    Case(
        "one changed key for two counts",
        shared,
        put("in", ("k", "a"), ("k", "b"), ("k", "a")),
        every("all", ("b", 1), ("a", 2)),
        every("every", ("a", 1), ("b", 1), ("a", 2)),
    ),
    Case(
        "stateless operators between the new key and its count",
        lambda app: (
            texts(app)
            .select_key(lambda _, v: v)
            .filter(lambda k, _: k != "x")
            .map_values(lambda v: v + v)
            .group_by_key()
            .count(store="n")
            .to_stream()
            .to("out")
        ),
        put("in", ("k", "a"), ("k", "x"), ("k", "a")),
        settled("out", {"a": 2}),
    ),
    Case(
        "values that no serde writes move with their key",
        lambda app: (
            texts(app)
            .map_values(lambda v: v.split(","))
            .select_key(F.length(hr.value))
            .repartition()
            .flat_map_values(lambda words: words)
            .to("out")
        ),
        put("in", ("k", "a,b", 5, H), ("k", "c"), ("k", "")),
        every("out", (2, "a", 5, H), (2, "b", 5, H), (1, "c"), (1, "")),
    ),
    Case(
        "values that no serde writes pass by a stage",
        list_beside_a_count,
        put("in", ("k", "a,b", 5), ("k", "c", 6), ("l", "c", 4)),
        in_any_order("out", ("k", "a", 5), ("k", "b", 5), ("k", "c", 6), ("l", "c", 4), ("a,b", "1", 5), ("c", "2", 6)),
    ),
    Case(
        "a partitioner of a repartition may leave it to the key",
        lambda app: (
            texts(app)
            .repartition(partitioner=lambda _, v, n: hr.when(v == "x", n - 1).otherwise(None))
            .group_by_key()
            .count(store="n", emit="every")
            .to_stream()
            .to("out")
        ),
        put("in", ("k", "a"), ("k", "b")),
        every("out", ("k", 1), ("k", 2)),
    ),
    Case(
        "a partitioner of a repartition may drop a record",
        lambda app: texts(app).repartition(partitioner=lambda _, v, _n: hr.when(v == "x", []).otherwise([0])).to("out"),
        put("in", ("k", "a"), ("k", "x"), (None, "b")),
        every("out", ("k", "a")),
    ),
]
