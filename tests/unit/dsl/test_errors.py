"""Every error of a declaration, by its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from dsl.refusals import refused_app
from headrace.dsl import Builder, KStream
from headrace.errors import (
    NameInvalid,
    NameTaken,
    NoSerde,
    NothingToRun,
    NotTraceable,
    OptionInvalid,
    PythonNeeded,
    StoreNeedsName,
    TopicReadTwoWays,
    TopicsOverlap,
    TypesDiffer,
    WrongParameters,
    WrongType,
)
from headrace.plan.nodes import Source

HERE = r"test_errors\.py:\d+"


def texts(app: Builder, topic: str = "in") -> KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


# -- sources


def test_one_topic_with_two_types() -> None:
    def declare(app: Builder) -> None:
        texts(app)
        app.stream("in", key=hr.STRING, value=hr.INT64)

    refused_app(
        TopicReadTwoWays,
        declare,
        "topic 'in' is read as (STRING, STRING) and as (STRING, INT64)",
        "to do: read it once and share the stream, or give both the same types",
    )


def test_both_lines_of_one_topic_with_two_types_are_named() -> None:
    app = Builder("app")
    texts(app)
    with pytest.raises(TopicReadTwoWays, match=rf"at: {HERE} and {HERE}"):
        app.stream("in")


def test_one_pattern_with_two_types() -> None:
    def declare(app: Builder) -> None:
        app.stream(re.compile("a.*"), value=hr.STRING)
        app.stream(re.compile("a.*"), value=hr.INT64)

    refused_app(TopicReadTwoWays, declare, "topic 'a.*' is read as (BYTES, STRING) and as (BYTES, INT64)")


@pytest.mark.parametrize(
    "second", [["in", "other"], re.compile("i."), ["in2", "in", "in3"]], ids=["list", "pattern", "longer list"]
)
def test_streams_that_share_some_topics(second: str | list[str] | re.Pattern[str]) -> None:
    def declare(app: Builder) -> None:
        app.stream("in")
        app.stream(second)

    refused_app(
        TopicsOverlap, declare, "topic(s) 'in' are read by two different streams", "read each topic once, and merge"
    )


def test_a_topic_that_an_earlier_pattern_reads() -> None:
    def declare(app: Builder) -> None:
        app.stream(re.compile("log-.*"))
        app.stream(["log-a", "other"])

    refused_app(TopicsOverlap, declare, "topic(s) 'log-a' are read by two different streams")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?P<kind>a|b)-(?P=kind)", "groups by number, (...) and \\1, instead of (?P<name>...) and (?P=name)"),
        (r"(a)?(?(1)b|c)", "alternatives, (...|...), instead of a condition (?(1)...)"),
        (r"logs-.*\Z", r"without \Z: it must match the whole name anyway"),
        (r"a(?#why)b", "without a comment (?#...)"),
        (r"(?a:\w)+", "without the flags a, L and u"),
        (r"a{,3}", "{0,n} for at most n times"),
        (r"[a[]+", r"\[ and \& for these characters inside of a set"),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_pattern_that_java_reads_in_another_way(pattern: str, words: str) -> None:
    refused_app(OptionInvalid, lambda app: app.stream(re.compile(pattern)), words, "; Kafka's Java client reads it too")


@pytest.mark.parametrize(
    "pattern", [r"logs-.*", r"(?i)a{2}b{1,}c{1,3}", r"\\Z", r"[(?P<]+", r"[]\[a]\(?\(", r"(?:a|(b))\1?(?=c)", r"a}"]
)
def test_a_pattern_that_both_understand(pattern: str) -> None:
    app = Builder("app")
    app.stream(re.compile(pattern)).to("out")
    assert app.plan().of(Source)[0].pattern == pattern


def test_no_topic() -> None:
    refused_app(OptionInvalid, lambda app: app.stream([]), "topic=[] is not possible", "to do: give at least one topic")


@pytest.mark.parametrize("name", ["", "a b", "..", "ü", "x" * 250, "a/b", 7])
def test_names_of_topics(name: str) -> None:
    words = (f"{name!r} cannot be the name of a topic", "use 1 to 249 characters of A-Z a-z 0-9 . _ - (not only dots)")
    refused_app(NameInvalid, lambda app: app.stream([name]), *words)
    if isinstance(name, str):
        refused_app(NameInvalid, lambda app: texts(app).to(name), *words)


# -- names


def test_names_of_applications() -> None:
    refused_app(NameInvalid, lambda _: Builder("my app"), "'my app' cannot be the name of an application")


def test_names_of_operators_stores_splits_and_branches() -> None:
    refused_app(
        NameInvalid, lambda app: texts(app).peek(hr.value, name="a b"), "'a b' cannot be the name of an operator"
    )
    refused_app(
        NameInvalid, lambda app: texts(app).group_by_key().count(store="*"), "'*' cannot be the name of a store"
    )
    refused_app(NameInvalid, lambda app: texts(app).split("ä"), "'ä' cannot be the name of a split")
    refused_app(
        NameInvalid, lambda app: texts(app).split("x-").branch(hr.value == "", name=" "), "'x- ' cannot be the name of"
    )


def test_an_operator_name_twice() -> None:
    def declare(app: Builder) -> None:
        texts(app).filter(hr.value == "a", name="mine").filter(hr.value == "b", name="mine")

    refused_app(
        NameTaken, declare, "the name 'mine' is used twice", "give one of them another name (store=... or name=...)"
    )


def test_sources_whose_names_come_out_alike() -> None:
    def declare(app: Builder) -> None:
        app.stream(["a", "b"])
        app.stream("a-b")

    refused_app(NameTaken, declare, "the name 'a-b' is used twice", "(store=... or name=...)")


def test_a_store_name_twice() -> None:
    def declare(app: Builder) -> None:
        texts(app).group_by_key().count(store="n")
        texts(app, "other").group_by_key().count(store="n")

    refused_app(NameTaken, declare, "the name 'n' is used twice")


def test_two_stores_without_names_on_one_stream() -> None:
    def declare(app: Builder) -> None:
        texts(app).group_by_key().count()
        texts(app).group_by_key().count()

    refused_app(StoreNeedsName, declare, "needs a name for its store: there is a store at its path 'in.count' already")


def test_a_store_whose_path_is_too_long() -> None:
    def declare(app: Builder) -> None:
        stream = texts(app)
        for _ in range(40):
            stream = stream.filter(hr.value != "")
        stream.group_by_key().count()

    refused_app(StoreNeedsName, declare, "its path has 288 characters, a name has at most 249", "store=...")


def test_a_branch_name_twice() -> None:
    def declare(app: Builder) -> None:
        texts(app).split("x-").branch(hr.value == "a", name="one").branch(hr.value == "b", name="one")

    refused_app(NameTaken, declare, "the name 'x-one' is used twice")


def test_a_default_branch_named_like_another() -> None:
    def declare(app: Builder) -> None:
        texts(app).split().branch(hr.value == "a", name="rest").default_branch("rest")

    refused_app(NameTaken, declare, "the name 'rest' is used twice")


# -- options


def test_emission() -> None:
    words = ("emit='never' is not possible", 'give "settled" or "every"')
    refused_app(OptionInvalid, lambda _: Builder("app", emit="never"), *words)
    refused_app(OptionInvalid, lambda app: texts(app).group_by_key().count(emit="never"), *words)


@pytest.mark.parametrize("partitions", [0, -1, 1.5, "3"])
def test_partitions(partitions: int) -> None:
    refused_app(
        OptionInvalid,
        lambda app: texts(app).repartition(partitions),
        f"partitions={partitions!r} is not possible",
        "give a whole number from 1 on",
    )


@pytest.mark.parametrize("end", ["default_branch", "no_default_branch"])
def test_a_split_without_a_branch(end: str) -> None:
    refused_app(
        OptionInvalid,
        lambda app: getattr(texts(app).split(), end)(),
        "branches=0 is not possible",
        "give at least one .branch(...) before the split ends",
    )


# -- types


def test_a_merge_of_two_types() -> None:
    def values(app: Builder) -> None:
        texts(app).merge(app.stream("numbers", key=hr.STRING, value=hr.INT64))  # type: ignore[arg-type]

    def keys(app: Builder) -> None:
        texts(app).merge(texts(app, "other").select_key(F.length(hr.value)))

    fix = "bring them to one type with map or map_values first"
    refused_app(TypesDiffer, values, "the merged streams have values of two types: STRING and INT64", fix)
    refused_app(TypesDiffer, keys, "the merged streams have keys of two types: STRING and int", fix)


@pytest.mark.parametrize(
    "declare",
    [
        lambda stream: stream.filter(lambda _, v: v),
        lambda stream: stream.filter_not(hr.value),
        lambda stream: stream.split().branch(hr.value + "x"),
    ],
)
def test_a_predicate_that_is_not_a_bool(declare: Callable[[KStream[str, str]], object]) -> None:
    refused_app(WrongType, lambda app: declare(texts(app)), "the predicate is str, bool is needed")


def test_results_of_another_shape() -> None:
    pair = "the result is str, a tuple (key, value) is needed"
    refused_app(WrongType, lambda app: texts(app).map(lambda _, v: v), pair)  # type: ignore[arg-type,return-value]
    refused_app(WrongType, lambda app: texts(app).flat_map(lambda _, v: v.split()), pair)  # type: ignore[arg-type,return-value]
    refused_app(WrongType, lambda app: texts(app).flat_map(hr.value), "the result is str, a list is needed")
    refused_app(WrongType, lambda app: texts(app).flat_map_values(lambda v: v), "the result is str, a list is needed")


def test_a_topic_that_is_not_text() -> None:
    refused_app(WrongType, lambda app: texts(app).to(F.length(hr.value)), "the topic is int, str is needed")


def test_a_serde_of_another_type() -> None:
    def declare(part: str) -> Callable[[Builder], object]:
        return lambda app: texts(app).to("out", **{part: hr.INT64})  # type: ignore[arg-type]

    for part in ("key", "value"):
        words = (f"the {part} and its serde do not fit: str and INT64", f"give another serde with {part}=")
        refused_app(TypesDiffer, declare(part), *words)


def test_a_value_that_no_serde_writes() -> None:
    words = "no serde writes values of type list[Windowed[str]]"
    seen = lambda v: [hr.Windowed(v, 0, 1)]  # noqa: E731
    refused_app(NoSerde, lambda app: texts(app).map_values(seen).to("out"), words, "map them to one of")


def test_a_key_that_no_serde_writes() -> None:
    words = "no serde writes values of type list[Windowed[str]]"
    keys = lambda _, v: [hr.Windowed(v, 0, 1)]  # noqa: E731
    refused_app(NoSerde, lambda app: texts(app).group_by(keys).count(), words)
    refused_app(NoSerde, lambda app: texts(app).select_key(keys).repartition(), words)


# -- functions


def test_a_function_with_other_parameters() -> None:
    words = ("the function of filter takes 1 argument (v)", "2 arguments: key, value", "lambda key, value: ...")
    refused_app(WrongParameters, lambda app: texts(app).filter(lambda v: v == ""), *words)  # type: ignore[arg-type,misc]


def test_a_function_that_cannot_be_traced() -> None:
    app = hr.App("app", strict_native=True)
    texts(app).map_values(lambda v: next(iter(v))).to("out", value=hr.STRING)
    for run in (app.explain, app.start):
        with pytest.raises(NotTraceable) as caught:
            run()
        assert "the function of map_values can only run in Python" in str(caught.value)
        assert "at: test_errors.py:" in str(caught.value)
        assert "passed on as a whole" in str(caught.value)


class Passing(hr.Processor[str, str]):
    def process(self, record: hr.Record) -> None:
        self.context.forward(record)


def test_an_operator_that_spark_does_not_have() -> None:
    app = hr.App("app", strict_native=True)
    app.stream("in", key=hr.STRING, value=hr.STRING).process(Passing, name="own")
    for run in (app.explain, app.start):
        with pytest.raises(PythonNeeded) as caught:
            run()
        assert "process (own) can only run in Python: process is the user's own code" in str(caught.value)
        assert "at: test_errors.py:" in str(caught.value)
        assert "strict_native" in str(caught.value)


@dataclass
class Checked:
    name: str

    def __post_init__(self) -> None:
        assert self.name


@dataclass
class Alike:
    name: str

    def __eq__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "alike"


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (
            lambda app: app.stream("in", value=hr.json(Checked)).to("out"),
            "stream (in) can only run in Python: Checked has a __post_init__()",
        ),
        (
            lambda app: app.stream("in", value=hr.json(Alike)).filter(lambda _, v: v == Alike("a")).to("out"),
            "filter (in.filter) can only run in Python: `value == Alike(name='a')`: Alike has an == of its own",
        ),
        (
            lambda app: app.stream("in", value=hr.json(Alike)).peek(lambda _, v: v).to("out"),
            "peek (in.peek) can only run in Python: Alike prints itself in its own way",
        ),
        (
            lambda app: app.stream("in", value=hr.json(Alike)).map_values(lambda v: F.text(v)).to("out"),
            "(in.map_values) can only run in Python: `F.text(value)`: Alike prints itself in its own way",
        ),
    ],
)
def test_classes_with_code_that_spark_does_not_run(declare: Any, words: str) -> None:
    app = hr.App("app", strict_native=True)
    declare(app)
    with pytest.raises(PythonNeeded) as caught:
        app.explain()
    assert words in str(caught.value)
    assert "at: test_errors.py:" in str(caught.value)


# -- the whole


@pytest.mark.parametrize("declare", [lambda _: None, texts, lambda app: texts(app).filter(hr.value == "")])
def test_nothing_to_run(declare: Callable[[Builder], object]) -> None:
    app = Builder("app")
    declare(app)
    with pytest.raises(NothingToRun) as caught:
        app.plan()
    assert str(caught.value) == (
        "application 'app' has no stream that ends in a topic or a table\n"
        "  to do: declare at least one app.stream(...) that ends in .to(...) or .count(...)"
    )


def test_what_is_no_function() -> None:
    app = Builder("app")
    stream = texts(app)
    wrong: list[tuple[str, Callable[[], object]]] = [
        ("function=True is not possible\n", lambda: stream.filter(True)),  # type: ignore[arg-type]
        ("function='x' is not possible\n", lambda: stream.map_values("x")),  # type: ignore[call-overload]
        ("function=None is not possible\n", lambda: stream.select_key(None)),  # type: ignore[arg-type]
        ("function=5 is not possible\n", lambda: stream.to(5)),  # type: ignore[arg-type]
        ("function=None is not possible\n", lambda: stream.group_by_key().reduce(None)),  # type: ignore[arg-type]
    ]
    for words, declare in wrong:
        with pytest.raises(OptionInvalid, match=words) as caught:
            declare()
        assert re.search(rf"at: {HERE}\n  to do: give \w+ a function, or an expression of hr.key", str(caught.value))
