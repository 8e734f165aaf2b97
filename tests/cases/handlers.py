"""on_error: what becomes of records that fail."""

from typing import Any

import headrace as hr
import headrace.functions as F
from cases.side_outputs import inverse
from cases.table import Case, Topology, every, put, texts
from headrace.dsl import Builder
from headrace.plan.handlers import Handler

H = (("h", b"1"),)


def inverting(handler: Handler) -> Topology:
    def topology(app: Builder) -> None:
        inverse(texts(app)).on_error(handler).to("out")

    return topology


def behind_a_repartition(app: Builder) -> None:
    """The operator that fails has a task of its own; its record comes from the one that was read."""
    turned = texts(app).select_key(lambda _, v: v).repartition(name="turned")
    turned.map_values(lambda v: 100 // F.integer(v)).on_error("dead_letter").to("out")


def in_an_aggregate(app: Builder) -> None:
    sums = texts(app).group_by_key().aggregate(0, lambda _, v, total: total + F.integer(v), store="sums", emit="every")
    sums.on_error("dead_letter").to_stream().to("out")


def choosing(failure: Any) -> str:
    return "dead_letter" if "0" in failure.value else "skip"


def reading_comes_first(app: Builder) -> None:
    """Who reads the failures has them."""
    numbers = inverse(texts(app)).on_error("dead_letter")
    numbers.to("out")
    numbers.errors().map_values(lambda f: f.error).to("failed")


class Waking(hr.Processor[str, str]):
    """Sends on what it gets, and behind it the time of a timer."""

    def process(self, record: hr.Record) -> None:
        self.context.forward(record)
        self.context.schedule("100ms", lambda now: self.context.forward(hr.Record(key="tick", value=str(now), ts=now)))


def behind_a_timer(app: Builder) -> None:
    woken = texts(app).process(Waking, key=hr.STRING, value=hr.STRING)
    woken.map_values(lambda v: 100 // F.integer(v)).on_error("dead_letter").to("out")


def letter(node: str, error: str, message: str, origin: str, attempt: int = 1) -> tuple[Any, ...]:
    """The headers that a dead letter has behind those of its record."""
    texts = {"node": node, "error": error, "message": message, "origin": origin, "attempt": str(attempt)}
    return tuple((f"headrace.{name}", text.encode()) for name, text in texts.items())


def letters(title: str) -> str:
    """The topic of the dead letters of a case."""
    return f"{Case(title, texts, every('x')).id}-dead-letters"


ZERO = ("ZeroDivisionError", "division by zero")
KEPT = "a record that fails is kept with its bytes and headers"
CHOSEN = "a function says what becomes of each failure"
MOVED = "a record that fails behind a repartition is kept as it was read"
WOKEN = "a record that a timer has made and that fails comes from no topic"
FOLDED = "a record that an aggregate fails on is kept"
AGAIN = "a record that was sent again and fails again says how often"

MADE = letter("in.process.map_values", *ZERO, "")

CASES = [
    Case(
        "records that fail are skipped",
        inverting("skip"),
        put("in", ("a", "5"), ("b", "0"), ("c", "4")),
        every("out", ("a", 20), ("c", 25)),
    ),
    Case(
        KEPT,
        inverting("dead_letter"),
        put("in", ("a", "5"), ("b", "0", 7, H), (None, "0", 8), ("c", "4")),
        every("out", ("a", 20), ("c", 25)),
        every(
            letters(KEPT),
            (b"b", b"0", 7, H + letter("in.map_values", *ZERO, "in-0@1")),
            (None, b"0", 8, letter("in.map_values", *ZERO, "in-0@2")),
        ),
    ),
    Case(
        AGAIN,
        inverting("dead_letter"),
        put("in", ("b", "0", 7, (*H, ("headrace.error", b"old"), ("headrace.attempt", b"2")))),
        every(letters(AGAIN), (b"b", b"0", 7, H + letter("in.map_values", *ZERO, "in-0@0", 3))),
    ),
    Case(
        CHOSEN,
        inverting(choosing),
        put("in", ("a", "5"), ("b", "0"), ("c", "x")),
        every("out", ("a", 20)),
        every(letters(CHOSEN), (b"b", b"0")),
    ),
    Case(
        MOVED,
        behind_a_repartition,
        put("in", ("a", "0", 7)),
        every(letters(MOVED), (b"a", b"0", 7, letter("turned.map_values", *ZERO, "in-0@0"))),
    ),
    Case(
        WOKEN,
        behind_a_timer,
        put("in", ("a", "5", 0)),
        every("out", ("a", 20, 0)),
        every(letters(WOKEN), (None, None, 0, tuple(one for one in MADE if one[0] != "headrace.origin"))),
    ),
    Case(
        FOLDED,
        in_an_aggregate,
        put("in", ("a", "5"), ("a", "x"), ("a", "4")),
        every("out", ("a", 5), ("a", 9)),
        every(letters(FOLDED), (b"a", b"x")),
    ),
    Case(
        "failures that are read go nowhere else",
        reading_comes_first,
        put("in", ("a", "0")),
        every("failed", ("a", "ZeroDivisionError")),
    ),
]
