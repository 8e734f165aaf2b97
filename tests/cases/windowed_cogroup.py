"""cogroup over windows."""

import headrace as hr
from cases.table import Case, Topology, every, put, settled, texts
from headrace.dsl import Builder
from headrace.model.windows import SessionWindows, Windows


def cogrouped(windows: Windows, emit: str = "every") -> Topology:
    def topology(app: Builder) -> None:
        left, right = texts(app, "left").group_by_key(), texts(app, "right").group_by(lambda k, _: k)
        both = left.cogroup(lambda _, v, text: text + "-" + v).cogroup(right, lambda _, v, text: text + "+" + v)
        merger = (lambda _, a, b: a + "|" + b) if isinstance(windows, SessionWindows) else None
        table = both.windowed_by(windows).aggregate("0", merger=merger, store="both", emit=emit)
        table.to_stream().to("out")

    return topology


def final(app: Builder) -> None:
    left, right = texts(app, "left").group_by_key(), texts(app, "right").group_by_key()
    both = left.cogroup(lambda _, v, text: text + v).cogroup(right, lambda _, v, text: text + v)
    table = both.windowed_by(hr.tumbling("10ms", grace="5ms")).aggregate("", emit="every")
    table.suppress(hr.until_window_closes()).to_stream().to("out")


def with_answers(app: Builder) -> None:
    people, towns = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("people", "towns"))
    answers = people.join(towns, lambda _, town: town, on=lambda town: town).to_stream().group_by_key()
    both = texts(app, "left").group_by_key().cogroup(lambda _, v, text: text + "-" + v)
    both = both.cogroup(answers, lambda _, v, text: text + "+" + v)
    both.windowed_by(hr.tumbling("10ms")).aggregate("0", store="both", emit="every").to_stream().to("out")


CASES = [
    Case(
        "two streams share their windows",
        cogrouped(hr.tumbling("10ms", grace="5ms")),
        put("left", ("a", "x", 1)),
        every("out", (("a", 0, 10), "0-x", 1)),
        put("right", ("a", "1", 5), ("a", "2", 11), (None, "3", 11)),
        every("out", (("a", 0, 10), "0-x+1", 5), (("a", 10, 20), "0+2", 11)),
    ),
    Case(
        "a stream that lags behind the other is not late by that",
        cogrouped(hr.tumbling("10ms", grace="50ms")),
        put("left", ("a", "x", 1), ("a", "y", 65)),
        every("out", (("a", 0, 10), "0-x", 1), (("a", 60, 70), "0-y", 65)),
        put("right", ("a", "1", 12), ("a", "2", 62)),
        every("out", (("a", 10, 20), "0+1", 12), (("a", 60, 70), "0-y+2", 65)),
    ),
    # Kafka Streams lets the windows of the three below begin anew: docs/reference/differences.md
    Case(
        "a record for a window that the store has forgotten is late",
        cogrouped(hr.tumbling("10ms", grace="50ms")),
        put("left", ("a", "x", 1), ("a", "y", 65)),
        every("out", (("a", 0, 10), "0-x", 1), (("a", 60, 70), "0-y", 65)),
        put("right", ("a", "1", 5), ("a", "2", 62)),
        every("out", (("a", 60, 70), "0-y+2", 65)),
    ),
    Case(
        "a record for a session that the store has forgotten is late",
        cogrouped(hr.session("10ms", grace="5ms")),
        put("left", ("a", "x", 20), ("b", "y", 60)),
        every("out", (("a", 20, 20), "0-x", 20), (("b", 60, 60), "0-y", 60)),
        put("right", ("a", "1", 21), ("a", "2", 45)),
        every("out", (("a", 45, 45), "0+2", 45)),
    ),
    Case(
        "a record that would look back at forgotten sliding windows is late",
        cogrouped(hr.sliding("10ms", grace="5ms")),
        put("left", ("a", "x", 30), ("b", "y", 90)),
        every("out", (("a", 20, 30), "0-x", 30), (("b", 80, 90), "0-y", 90)),
        put("right", ("a", "1", 35)),
        every("out"),
    ),
    Case(
        "two streams share their sliding windows",
        cogrouped(hr.sliding("10ms")),
        put("left", ("a", "x", 20)),
        every("out", (("a", 10, 20), "0-x", 20)),
        put("right", ("a", "1", 25)),
        every("out", (("a", 21, 31), "0+1", 25), (("a", 15, 25), "0-x+1", 25)),
    ),
    Case(
        "two streams share their sessions",
        cogrouped(hr.session("10ms")),
        put("left", ("a", "x", 20)),
        every("out", (("a", 20, 20), "0-x", 20)),
        put("right", ("a", "1", 25)),
        every("out", (("a", 20, 20), None, 20), (("a", 20, 25), "0|0-x+1", 25)),
    ),
    Case(
        "a settled windowed cogroup sends the last change of each window",
        cogrouped(hr.tumbling("10ms"), "settled"),
        put("left", ("a", "x", 1), ("a", "y", 3)),
        every("out", (("a", 0, 10), "0-x-y", 3)),
        put("right", ("a", "1", 5), ("a", "2", 6)),
        settled("out", {("a", 0, 10): "0-x-y+1+2"}),
    ),
    Case(
        "answers of a foreign-key join share windows with another stream",
        with_answers,
        put("left", ("ann", "x", 1)),
        put("towns", ("rome", "Rome", 2)),
        put("people", ("ann", "rome", 3)),
        every("out", (("ann", 0, 10), "0-x", 1), (("ann", 0, 10), "0-x+Rome", 3)),
        put("left", ("ann", "y", 4)),
        put("towns", ("rome", "Roma", 5)),
        every("out", (("ann", 0, 10), "0-x+Rome-y", 4), (("ann", 0, 10), "0-x+Rome-y+Roma", 5)),
    ),
    Case(
        "suppress knows when the windows of a cogroup close",
        final,
        put("left", ("a", "x", 1), ("a", "y", 14)),
        every("out"),
        put("right", ("a", "1", 2), ("a", "2", 15)),
        every("out", (("a", 0, 10), "x1", 2)),
    ),
]
