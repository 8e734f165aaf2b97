"""drop_duplicates: the first record of each key, or of each key and id, within some time."""

import headrace as hr
from cases.table import Case, every, put, texts
from headrace.dsl import Builder


def by_key(app: Builder) -> None:
    once = texts(app).drop_duplicates(within="10ms")
    once.to("out")
    once.late().to("late")


def by_id(app: Builder) -> None:
    texts(app).drop_duplicates(lambda _, v: v[:1], within="10ms").to("out")


def by_new_key(app: Builder) -> None:
    texts(app).select_key(lambda _, v: v).drop_duplicates(within="10ms").to("out")


def with_missing_id(app: Builder) -> None:
    texts(app).drop_duplicates(lambda _, v: hr.when(v == "", None).otherwise(v), within="10ms").to("out")


CASES = [
    Case(
        "the first record of a key passes and those of the next 10 ms do not",
        by_key,
        put("in", ("a", "1", 100), ("a", "2", 109), ("b", "3", 109), ("a", "4", 110), ("a", "5", 111)),
        every("out", ("a", "1", 100), ("b", "3", 109), ("a", "4", 110)),
        put("in", ("a", "6", 119), ("a", "7", 120)),
        every("out", ("a", "7", 120)),
    ),
    Case(
        "a record shortly before one that has passed is a duplicate of it",
        by_key,
        put("in", ("a", "1", 100), ("a", "2", 95), ("b", "3", 109), ("b", "4", 100), ("a", "5", 109)),
        every("out", ("a", "1", 100), ("b", "3", 109)),
    ),
    Case(
        "an earlier record of which nothing near has passed passes",
        by_key,
        put("in", ("a", "1", 100), ("b", "2", 95), ("b", "3", 100), ("b", "4", 105)),
        every("out", ("a", "1", 100), ("b", "2", 95), ("b", "4", 105)),
    ),
    Case(
        "a record as far behind as duplicates are remembered is late",
        by_key,
        put("in", ("a", "1", 100), ("b", "2", 91), ("c", "3", 90, (("h", b"1"),)), (None, "4", 500), ("d", "5", 99)),
        every("out", ("a", "1", 100), ("b", "2", 91), ("d", "5", 99)),
        every("late", ("c", "3", 90, (("h", b"1"),))),
    ),
    Case(
        "records with another id are no duplicates",
        by_id,
        put("in", ("a", "x1", 1), ("a", "y1", 2), ("a", "x2", 3), ("b", "x3", 4)),
        every("out", ("a", "x1", 1), ("a", "y1", 2), ("b", "x3", 4)),
    ),
    Case(
        "records without an id are no duplicates",
        with_missing_id,
        put("in", ("a", "", 1), ("a", "", 2), ("a", "x", 3), ("a", "x", 4)),
        every("out", ("a", "", 1), ("a", "", 2), ("a", "x", 3)),
    ),
    Case(
        "records meet by their new key and a record without a value is one like any other",
        by_new_key,
        put("in", ("a", "x", 1), ("b", "x", 2), ("c", "y", 3), ("d", None, 4)),
        every("out", ("x", "x", 1), ("y", "y", 3)),
    ),
]
