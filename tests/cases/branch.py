"""split, branch, default_branch, no_default_branch."""

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, in_any_order, put, settled, texts
from headrace.dsl import Builder


def three_ways(app: Builder) -> None:
    ways = texts(app).split("by-").branch(hr.value > "m", name="high").branch(hr.value > "f").default_branch()
    ways["by-high"].to("high")
    ways["by-2"].to("middle")
    ways["by-0"].to("rest")


def no_default(app: Builder) -> None:
    ways = texts(app).split().branch(hr.value == "a").branch(hr.value == "b").no_default_branch()
    ways["1"].to("a")
    ways["2"].to("b")


def second_only(app: Builder) -> None:
    ways = texts(app).split().branch(hr.value > "m").branch(hr.value > "f").default_branch()
    ways["2"].to("out")


def unsure(app: Builder) -> None:
    maybe = hr.when(F.is_null(hr.value), None).otherwise(hr.value > "m")
    ways = texts(app).split().branch(maybe).default_branch()
    ways["1"].to("high")
    ways["0"].to("rest")


def together_again(app: Builder) -> None:
    ways = texts(app).split().branch(hr.value > "m").default_branch()
    loud = ways["1"].map_values(lambda v: v.upper())
    loud.merge(ways["0"]).to("out")


def split_of_a_branch(app: Builder) -> None:
    first = texts(app).split("x-").branch(hr.value > "m", name="high").default_branch("low")
    second = first["x-low"].split("y-").branch(hr.key == "k", name="k").no_default_branch()
    second["y-k"].to("out")


def counted_branches(app: Builder) -> None:
    ways = texts(app).split().branch(hr.value > "m").default_branch()
    ways["1"].group_by_key().count(store="high").to_stream().to("high")
    ways["0"].group_by(lambda _, v: v).count(store="low").to_stream().to("low")


def continued(app: Builder) -> None:
    ways = texts(app).split("x-").branch(hr.value > "m", name="high", then=lambda high: high.to("high"))
    rest = ways.default_branch("low", then=lambda low: low.map_values(lambda v: v.upper()))
    assert list(rest) == ["x-low"]
    rest["x-low"].to("low")


CASES = [
    Case(
        "the first branch that is true takes the record",
        three_ways,
        put("in", ("k", "z", 5), ("k", "g", 4), ("k", "a", 3), (None, "n"), ("", "")),
        every("high", ("k", "z", 5), (None, "n")),
        every("middle", ("k", "g", 4)),
        every("rest", ("k", "a", 3), ("", "")),
    ),
    Case(
        "without a default branch the others are dropped",
        no_default,
        put("in", ("k", "b"), ("k", "c"), ("k", None), ("k", "a")),
        every("a", ("k", "a")),
        every("b", ("k", "b")),
    ),
    Case(
        "a branch that nobody reads still takes its records",
        second_only,
        put("in", ("k", "z"), ("k", "g"), ("k", "a")),
        every("out", ("k", "g")),
    ),
    Case(
        "a predicate of None does not take the record",
        unsure,
        put("in", ("k", None), ("k", "z"), ("k", "a")),
        every("high", ("k", "z")),
        every("rest", ("k", None), ("k", "a")),
    ),
    Case(
        "branches merged again",
        together_again,
        put("in", ("k", "a"), ("k", "z"), ("l", "b"), (None, "y")),
        in_any_order("out", ("k", "a"), ("k", "Z"), ("l", "b"), (None, "Y")),
    ),
    Case(
        "a branch is split again",
        split_of_a_branch,
        put("in", ("k", "a"), ("k", "z"), ("l", "b"), ("k", "c")),
        every("out", ("k", "a"), ("k", "c")),
    ),
    Case(
        "branches are counted by different keys",
        counted_branches,
        put("in", ("k", "a"), ("k", "z"), ("l", "a"), ("k", "y")),
        settled("high", {"k": 2}),
        settled("low", {"a": 2}),
        put("in", ("l", "z"), ("k", "b"), ("m", "a")),
        settled("high", {"k": 2, "l": 1}),
        settled("low", {"a": 3, "b": 1}),
    ),
    Case(
        "what is done with a branch is written where it begins",
        continued,
        put("in", ("k", "a"), ("k", "z"), ("l", "n")),
        every("high", ("k", "z"), ("l", "n")),
        every("low", ("k", "A")),
    ),
]
