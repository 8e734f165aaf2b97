"""filter, filter_not, map, map_values, flat_map, flat_map_values, select_key, peek."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, put, texts
from headrace.dsl import Builder

UNSURE = hr.when(F.is_null(hr.value), None).otherwise(hr.value > "b")
H = (("trace", b"\x01"), ("trace", b"\x02"), ("none", None))


def looked_at(app: Builder) -> None:
    stream = texts(app)
    stream.foreach(lambda _key, _value: None)
    stream.print()
    stream.peek(lambda key, value: print(key, value)).to("out")


CASES = [
    Case(
        "filter keeps what is true",
        lambda app: texts(app).filter(lambda _, v: v > "b").to("out"),
        put("in", ("k", "a"), ("k", "c"), ("l", "b"), ("k", "bb")),
        every("out", ("k", "c"), ("k", "bb")),
    ),
    Case(
        "filter takes records without a key or a value like others",
        lambda app: texts(app).filter(F.is_null(hr.key) | F.is_null(hr.value)).to("out"),
        put("in", (None, "a"), ("k", None), (None, None), ("k", "v"), ("", "")),
        every("out", (None, "a"), ("k", None), (None, None)),
    ),
    Case(
        "a predicate of None is not true",
        lambda app: texts(app).filter(UNSURE).to("out"),
        put("in", ("k", None), ("k", "a"), ("k", "c")),
        every("out", ("k", "c")),
    ),
    Case(
        "filter_not keeps what is not true and so also None",
        lambda app: texts(app).filter_not(UNSURE).to("out"),
        put("in", ("k", None), ("k", "a"), ("k", "c"), (None, "")),
        every("out", ("k", None), ("k", "a"), (None, "")),
    ),
    Case(
        "filter by the time of the record",
        lambda app: texts(app).filter(hr.timestamp > 1_500).to("out"),
        put("in", ("k", "late", 2_000), ("k", "early", 1_000), ("k", "at", 1_500), ("k", "past", 1_501)),
        every("out", ("k", "late", 2_000), ("k", "past", 1_501)),
    ),
    Case(
        "no input gives no output",
        lambda app: texts(app).filter(lambda _, v: v == v).map_values(lambda v: v.upper()).to("out"),
        put("in"),
        every("out"),
    ),
    Case(
        "map makes a new key and value and keeps time and headers",
        lambda app: texts(app).map(lambda k, v: (v, k + v)).to("out"),
        put("in", ("k", "v", 5, H), ("k", "", 3), ("", "w", 4)),
        every("out", ("v", "kv", 5, H), ("", "k", 3, ()), ("w", "w", 4, ())),
    ),
    Case(
        "map to no value writes a tombstone",
        lambda app: texts(app).map(lambda _, v: (v, None)).to("out", value=hr.STRING),  # type: ignore[arg-type]
        put("in", ("k", "v"), (None, "w"), ("k", None)),
        every("out", ("v", None), ("w", None), (None, None)),
    ),
    Case(
        "map to other types",
        lambda app: texts(app).map(lambda k, v: (F.length(v), k == v)).to("out"),
        put("in", ("k", "k"), (None, "añ日本😀"), ("x", "")),
        every("out", (1, True), (5, False), (0, False)),
    ),
    Case(
        "map_values keeps the key",
        lambda app: texts(app).map_values(lambda v: v.strip().upper()).to("out"),
        put("in", ("k", " straße "), (None, "é"), ("日本", "\t\n"), ("", "x", 7, H)),
        every("out", ("k", "STRASSE"), (None, "É"), ("日本", ""), ("", "X", 7, H)),
    ),
    Case(
        "map_values with the key",
        lambda app: texts(app).map_values(lambda k, v: k + ":" + v).to("out"),
        put("in", ("k", "v"), ("k", "")),
        every("out", ("k", "k:v"), ("k", "k:")),
    ),
    Case(
        "map_values of no value and to no value",
        lambda app: (
            app.stream("in", key=hr.STRING, value=hr.INT64)
            .map_values(hr.when(hr.value == 0, None).otherwise(F.coalesce(hr.value, -1) * 2))
            .to("out")
        ),
        put("in", ("k", 4), ("k", None), ("k", 0), ("k", -(2**62))),
        every("out", ("k", 8), ("k", -2), ("k", None), ("k", -(2**63))),
    ),
    Case(
        "flat_map makes many records in order",
        lambda app: texts(app).flat_map(lambda k, v: [(v, k), (k, v), (v + v, "")]).to("out"),
        put("in", ("k", "v", 5, H), ("a", "b", 3)),
        every("out", ("v", "k", 5, H), ("k", "v", 5, H), ("vv", "", 5, H), ("b", "a", 3), ("a", "b", 3), ("bb", "", 3)),
    ),
    Case(
        "flat_map to nothing",
        lambda app: texts(app).flat_map(hr.when(hr.value == "", []).otherwise(hr.lit([(hr.value, hr.key)]))).to("out"),
        put("in", ("k", ""), ("k", "v"), ("l", "")),
        every("out", ("v", "k")),
    ),
    Case(
        "flat_map_values splits words",
        lambda app: texts(app).flat_map_values(lambda v: v.lower().split()).to("out"),
        put("in", ("k", "To be\tor  NOT", 5, H), ("k", ""), (None, "   "), (None, "Ünder\u2003wood")),
        every(
            "out",
            ("k", "to", 5, H),
            ("k", "be", 5, H),
            ("k", "or", 5),
            ("k", "not", 5),
            (None, "ünder"),
            (None, "wood"),
        ),
    ),
    Case(
        "flat_map_values with the key and none among the values",
        lambda app: texts(app).flat_map_values(hr.lit([hr.key, hr.value])).to("out"),
        put("in", ("k", "v"), ("k", None), (None, "w")),
        every("out", ("k", "k"), ("k", "v"), ("k", "k"), ("k", None), (None, None), (None, "w")),
    ),
    Case(
        "select_key to another type and to none",
        lambda app: texts(app).select_key(hr.when(hr.value == "", None).otherwise(F.length(hr.value))).to("out"),
        put("in", ("k", "abc", 5, H), ("k", ""), (None, "x")),
        every("out", (3, "abc", 5, H), (None, ""), (1, "x")),
    ),
    Case(
        "peek changes nothing",
        lambda app: texts(app).peek(F.text(hr.key) + "=" + F.text(hr.value)).to("out"),
        put("in", ("k", "v", 5, H), (None, None), ("", "")),
        every("out", ("k", "v", 5, H), (None, None), ("", "")),
    ),
    Case(
        "a chain of many",
        lambda app: (
            texts(app)
            .filter_not(lambda _, v: v == "")
            .flat_map_values(lambda v: v.split(","))
            .map(lambda k, v: (v, k))
            .filter(lambda k, v: k != v)
            .map_values(lambda v: v + "!")
            .select_key(lambda k, v: v + k)
            .to("out")
        ),
        put("in", ("a", "a,b,,c"), ("b", ""), ("b", "b"), ("c", "d")),
        every("out", ("a!b", "a!"), ("a!", "a!"), ("a!c", "a!"), ("c!d", "c!")),
    ),
    Case(
        "foreach and print take nothing away from other readers",
        looked_at,
        put("in", ("k", "a", 5), (None, None, 3)),
        every("out", ("k", "a", 5), (None, None, 3)),
    ),
]
