"""ttl: rows that were not updated for some time are deleted."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, Topology, every, put, settled, texts
from headrace.dsl import Builder


def read(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows", emit="every", ttl="10ms")
    table.to_stream().to("out")
    table.late().to("late")


def made(app: Builder) -> None:
    texts(app).to_table(ttl="10ms").to_stream().to("out")


def counted(emit: str) -> Topology:
    return lambda app: texts(app).group_by_key().count(store="n", emit=emit, ttl="10ms").to_stream().to("out")


def folded(app: Builder) -> None:
    grouped = texts(app).group_by_key()
    grouped.reduce(lambda a, b: a + b, store="reduced", emit="every", ttl="10ms").to_stream().to("out")
    grouped.aggregate("0", lambda _, v, text: text + v, store="folded", emit="every", ttl="20ms").to_stream().to("more")


def cogrouped(app: Builder) -> None:
    left, right = texts(app, "left").group_by_key(), texts(app, "right").group_by_key()
    both = left.cogroup(lambda _, v, text: text + v).cogroup(right, lambda _, v, text: text + v)
    both.aggregate("", store="both", emit="every", ttl="10ms").to_stream().to("out")


def regrouped(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows", emit="every", ttl="10ms")
    table.group_by(lambda _, v: (v, 1)).count(store="groups", emit="every").to_stream().to("out")


def groups_go(app: Builder) -> None:
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows", emit="every", ttl="5ms")
    table.group_by(lambda _, v: (v, 1)).count(store="groups", emit="every", ttl="10ms").to_stream().to("out")


def looked_up(app: Builder) -> None:
    users = app.table("users", key=hr.STRING, value=hr.STRING, store="users", ttl="10ms")
    texts(app).left_join(users, lambda v, user: v + F.coalesce(user, "-")).to("out")


def filtered(app: Builder) -> None:
    kept = texts(app).filter(lambda _, v: v != "no")
    kept.group_by_key().count(store="n", emit="every", ttl="10ms").to_stream().to("out")


SEEN = hr.stores.key_value("seen", key=hr.STRING, value=hr.STRING, ttl="10ms")


def kept(record: hr.Record, context: hr.ProcessorContext) -> None:
    context.store(SEEN).put(record.key, record.value)


def listed(record: hr.Record, context: hr.ProcessorContext) -> hr.Record:
    """What the store has of this key, and all of its keys."""
    seen = context.store(SEEN)
    own, everything = seen.get(record.key) or "-", "".join(key for key, _ in seen.all())
    return record.with_value(f"{own} {everything}")


def shared_store(app: Builder) -> None:
    both = texts(app)
    both.process(listed, stores=(SEEN,), key=hr.STRING, value=hr.STRING).to("out")
    both.process(kept, stores=(SEEN,))


CASES = [
    Case(
        "a record that is left out makes rows late as well",
        filtered,
        put("in", ("a", "x", 0), ("b", "no", 20), ("a", "x", 12)),
        every("out", ("a", 1, 0), ("a", None, 10), ("a", 1, 12)),
        put("in", ("b", "no", 22)),
        every("out", ("a", None, 22)),
    ),
    Case(
        "many rows go at once",
        counted("settled"),
        put("in", *((f"{number:05}", "x", 1) for number in range(10_000)), ("z", "x", 9)),
        settled("out", {f"{number:05}": 1 for number in range(10_000)} | {"z": 1}),
        put("in", ("z", "x", 15)),
        settled("out", {"z": 2}),
    ),
    Case(
        "a group goes some time after its last row, and counts from 0 when rows come again",
        groups_go,
        put("in", ("1", "a", 0), ("2", "a", 2), ("3", "b", 12)),
        every("out", ("a", 1, 0), ("a", 2, 2), ("a", 1, 5), ("a", 0, 7), ("b", 1, 12)),
        put("in", ("4", "b", 17), ("5", "a", 18)),
        every("out", ("a", None, 17), ("b", 0, 17), ("b", 1, 17), ("a", 1, 18)),
    ),
    Case(
        "a row without an update is deleted when its time is over before the next record counts",
        read,
        put("in", ("a", "1", 0), ("b", "2", 5), ("a", "3", 9), ("c", "4", 14)),
        every("out", ("a", "1", 0), ("b", "2", 5), ("a", "3", 9), ("c", "4", 14)),
        put("in", ("c", "5", 15)),
        every("out", ("b", None, 15), ("c", "5", 15)),
        put("in", ("d", "6", 99)),
        every("out", ("a", None, 19), ("c", None, 25), ("d", "6", 99)),
    ),
    Case(
        "rows that are due together go by their times and then their keys",
        made,
        put("in", ("b", "1", 1), ("c", "2", 0), ("a", "3", 1), ("z", "4", 50)),
        every(
            "out",
            ("b", "1", 1),
            ("c", "2", 0),
            ("a", "3", 1),
            ("c", None, 10),
            ("a", None, 11),
            ("b", None, 11),
            ("z", "4", 50),
        ),
    ),
    Case(
        "a record whose row would be gone already is late and leaves the row that is there",
        read,
        put("in", ("a", "1", 20), ("a", "2", 10), ("b", "3", 11), ("a", None, 3), ("c", "4", 21)),
        every("out", ("a", "1", 20), ("b", "3", 11), ("a", None, 3), ("b", None, 21), ("c", "4", 21)),
        every("late", ("a", "2", 10)),
    ),
    Case(
        "an earlier time of a row counts when it is the last",
        read,
        put("in", ("a", "1", 20), ("a", "2", 15), ("b", "3", 25)),
        every("out", ("a", "1", 20), ("a", "2", 15), ("a", None, 25), ("b", "3", 25)),
    ),
    Case(
        "a count begins anew after its row was deleted",
        counted("every"),
        put("in", ("a", "x", 0), ("a", "x", 9), ("a", "x", 3), ("a", "x", 19), ("a", "x", 20)),
        every("out", ("a", 1, 0), ("a", 2, 9), ("a", 3, 9), ("a", None, 19), ("a", 1, 19), ("a", 2, 20)),
    ),
    Case(
        "a row that goes and comes in one batch is one settled change",
        counted("settled"),
        put("in", ("a", "x", 0), ("b", "x", 1), ("b", "x", 2)),
        settled("out", {"a": 1, "b": 2}),
        put("in", ("a", "x", 30)),
        every("out", ("b", None, 12), ("a", 1, 30)),
        settled("out", {"a": 1}),
    ),
    Case(
        "reduce and aggregate have a ttl each",
        folded,
        put("in", ("a", "1", 0), ("a", "2", 15), ("b", "3", 40)),
        every("out", ("a", "1", 0), ("a", None, 10), ("a", "2", 15), ("a", None, 25), ("b", "3", 40)),
        every("more", ("a", "01", 0), ("a", "012", 15), ("a", None, 35), ("b", "03", 40)),
    ),
    Case(
        "the rows of a cogroup go by the records of all its streams",
        cogrouped,
        put("left", ("a", "1", 0)),
        put("right", ("a", "2", 9), ("b", "3", 19)),
        every("out", ("a", "1", 0), ("a", "12", 9), ("a", None, 19), ("b", "3", 19)),
    ),
    Case(
        "a row that goes leaves its group",
        regrouped,
        put("in", ("a", "x", 0), ("b", "x", 5), ("c", "y", 10)),
        every("out", ("x", 1, 0), ("x", 2, 5), ("x", 1, 10), ("y", 1, 10)),
    ),
    Case(
        "a join does not find a row that is over by its own time",
        looked_up,
        put("users", ("a", "ann", 0)),
        put("in", ("a", "1", 9), ("a", "2", 10)),
        every("out", ("a", "1ann", 9), ("a", "2-", 10)),
    ),
    Case(
        "a key of a store is gone when it was not put for so long",
        shared_store,
        put("in", ("a", "1", 0), ("b", "2", 5), ("a", "3", 9), ("b", "4", 14), ("b", "5", 15), ("a", "6", 25)),
        every(
            "out",
            ("a", "- ", 0),
            ("b", "- a", 5),
            ("a", "1 ab", 9),
            ("b", "2 ab", 14),
            ("b", "4 ab", 15),
            ("a", "- ", 25),
        ),
    ),
]
