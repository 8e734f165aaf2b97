"""Every error of processors and their stores, by its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from dsl.refusals import refused_app
from headrace.dsl import Builder, KStream
from headrace.errors import (
    HeadraceError,
    NameInvalid,
    NameTaken,
    NodeUnknown,
    NotAProcessor,
    OptionInvalid,
    ParentMissing,
    ParentNotStream,
    ProcessorFailed,
    RecordFailed,
    SameProcessorTwice,
    StoreNotForProcessors,
    StoreUnknown,
    StoreUnused,
    TopicReadTwoWays,
    TopicsOverlap,
)
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Process
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.stores import Window
from headrace.testing import TopologyTestDriver

HERE = r"test_processors\.py:\d+"
OTHER = hr.stores.key_value("other", key=hr.STRING, value=hr.STRING)
WRONG: Any = str
SEEN = hr.stores.key_value("seen", key=hr.STRING, value=hr.STRING)


class Passing(hr.Processor[str, str]):
    def process(self, record: hr.Record) -> None:
        self.context.forward(record)


class Unfinished(hr.Processor[str, str]):
    pass


class Demanding(Passing):
    def __init__(self, much: int) -> None:
        self.much = much


class PassingValues(hr.FixedKeyProcessor[str]):
    def process(self, record: hr.FixedKeyRecord) -> None:
        self.context.forward(record)


def texts(app: Builder, topic: str = "in") -> KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Passing(), "process cannot use one Passing: every task needs its own"),
        (5, "process cannot use 5"),
        (Unfinished, "process cannot use Unfinished(), which has no process"),
        (Demanding, "process cannot use Demanding(), whose __init__ needs arguments"),
        (PassingValues, "process cannot use PassingValues()"),
        (dict, "process cannot use dict()"),
        (lambda: 5, "process cannot use a lambda, which makes a int"),
        (lambda _a, _b, _c: None, "process cannot use a lambda, which takes 3 arguments"),
    ],
)
def test_what_is_no_processor(given: Any, words: str) -> None:
    fix = "to do: give a subclass of hr.Processor, a function without parameters that makes one,"
    refused_app(NotAProcessor, lambda app: texts(app).process(given), words, fix)


def test_process_values_takes_processors_of_values() -> None:
    given: Any = Passing
    words = "process_values cannot use Passing()", "a subclass of hr.FixedKeyProcessor"
    refused_app(NotAProcessor, lambda app: texts(app).process_values(given), *words)


def test_transform_values_takes_functions_of_values() -> None:
    given: Any = Passing
    words = "transform_values cannot use Passing()", "or a function of the value, of key and value, or of both and the"
    refused_app(NotAProcessor, lambda app: app.table("in", key=hr.STRING).transform_values(given), *words)


def test_a_factory_that_gives_one_processor_again() -> None:
    only = Passing()
    words = "a lambda gave process the same processor twice", "to do: make a new one in every call"
    refused_app(SameProcessorTwice, lambda app: texts(app).process(lambda: only), *words)


def test_a_class_with_its_arguments_is_a_factory() -> None:
    app = Builder("app")
    texts(app).process(partial(Demanding, 5)).to("out")
    assert "Demanding()" in app.plan().nodes[1].detail()


# -- stores


def test_a_store_that_is_not_there() -> None:
    words = "processor 'in.process' is connected to store 'gone', which is not there", "there are seen"

    def declare(app: Builder) -> None:
        app.add_state_store(SEEN)
        texts(app).process(Passing, stores=("seen", "gone"))

    refused_app(StoreUnknown, declare, *words)


def test_a_store_that_nobody_uses() -> None:
    def declare(app: Builder) -> None:
        app.add_state_store(SEEN)
        texts(app).process(Passing)

    refused_app(
        StoreUnused, declare, "no processor is connected to store 'seen'", "to do: connect one with stores=('seen',)"
    )


def test_two_stores_of_one_name() -> None:
    def declare(app: Builder) -> None:
        app.add_state_store(SEEN)
        app.add_state_store(hr.stores.key_value("seen", key=hr.STRING, value=hr.INT64))

    def table_first(app: Builder) -> None:
        texts(app).group_by_key().count(store="seen")
        app.add_state_store(SEEN)

    def table_last(app: Builder) -> None:
        app.add_state_store(SEEN)
        texts(app).group_by_key().count(store="seen")

    for one in (declare, table_first, table_last):
        refused_app(NameTaken, one, "the name 'seen' is used twice")


def test_the_same_store_may_be_added_by_several() -> None:
    app = Builder("app")
    texts(app).process(Passing, stores=(SEEN,))
    texts(app, "other").process(Passing, stores=(SEEN, "seen"))
    assert [node.shared_stores for node in rewrite(app.plan()).of(Process)] == [("seen",), ("seen",)]


def test_the_store_of_a_join_is_its_own() -> None:
    def declare(app: Builder) -> None:
        joined = texts(app).join(texts(app, "b"), lambda x, y: x + y, hr.join_windows("1s"), store="j")
        joined.process(Passing, stores=("j",))

    refused_app(StoreNotForProcessors, declare, "store 'j' belongs to a stream_join and is its own")


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (
            lambda: hr.stores.key_value("a b", key=hr.STRING, value=hr.STRING),
            NameInvalid,
            "'a b' cannot be the name of",
        ),
        (lambda: hr.stores.key_value("a", key=WRONG, value=hr.STRING), OptionInvalid, "to do: give a serde such as"),
        (lambda: "seen", OptionInvalid, "to do: give one of hr.stores"),
        (
            lambda: hr.stores.key_value("a", key=hr.STRING, value=hr.STRING, ttl="0s"),
            OptionInvalid,
            "ttl='0s' is not possible",
        ),
        (
            lambda: hr.stores.window("w", key=hr.STRING, value=hr.STRING, size="10s", retention="9s"),
            OptionInvalid,
            "retention='9s' is not possible",
        ),
        (
            lambda: hr.stores.session("w", key=hr.STRING, value=hr.STRING, retention="-9s"),
            OptionInvalid,
            "retention='-9s' is not possible",
        ),
    ],
)
def test_stores_that_cannot_be(make: Callable[[], Any], kind: type[HeadraceError], words: str) -> None:
    refused_app(kind, lambda app: app.add_state_store(make()), words)


def test_stores_are_given_in_a_tuple() -> None:
    words = "stores='seen' is not possible", "a tuple of stores or of their names"
    refused_app(OptionInvalid, lambda app: texts(app).process(Passing, stores="seen"), *words)


# -- by hand


def source(app: Builder) -> Any:
    return app.topology.add_source("src", "in", key=hr.STRING, value=hr.STRING)


@pytest.mark.parametrize(
    ("declare", "kind", "words"),
    [
        (lambda app: source(app).add_processor("p", Passing), ParentMissing, "processor 'p' has no parent"),
        (lambda app: source(app).add_sink("s", "out"), ParentMissing, "sink 's' has no parent"),
        (
            lambda app: source(app).add_processor("p", Passing, "nobody"),
            NodeUnknown,
            "'p' reads from 'nobody', which is not there",
        ),
        (
            lambda app: source(app).add_processor("p", Passing, "p"),
            NodeUnknown,
            "'p' reads from 'p', which is not there",
        ),
        (lambda app: source(app).add_processor("src", Passing, "src"), NameTaken, "the name 'src' is used twice"),
        (lambda app: source(app).add_source("src", "b"), NameTaken, "the name 'src' is used twice"),
        (
            lambda app: source(app).add_source("again", "in", key=hr.STRING, value=hr.STRING),
            TopicsOverlap,
            "topic(s) 'in' are read by two different streams",
        ),
        (
            lambda app: source(app).add_sink("s", "out", "src").add_processor("p", Passing, "s"),
            ParentNotStream,
            "'s' is a sink and cannot be the parent of 'p'",
        ),
        (
            lambda app: (app.table("t", name="rows"), app.topology.add_processor("p", Passing, "rows")),
            ParentNotStream,
            "'rows' is a table and cannot be the parent of 'p'",
        ),
        (
            lambda app: source(app).connect_processor_and_state_stores("src", "seen"),
            NodeUnknown,
            "stores are connected to processor 'src', which is not there",
        ),
        (
            lambda app: source(app).add_global_store(SEEN, "in", Passing, key=hr.STRING, value=hr.STRING),
            TopicReadTwoWays,
            "topic 'in' is read as a stream and as a global_store",
        ),
        (
            lambda app: (app.add_global_store(SEEN, "in", Passing), app.add_global_store(OTHER, "in", Passing)),
            TopicsOverlap,
            "topic(s) 'in' are read by two different streams",
        ),
        (
            lambda app: app.topology.add_global_store(SEEN, "g", Passing, name="all").add_sink("s", "out", "all"),
            ParentNotStream,
            "'all' is a global_store and cannot be the parent of 's'",
        ),
    ],
)
def test_topologies_that_cannot_be(declare: Callable[[Builder], object], kind: type[HeadraceError], words: str) -> None:
    refused_app(kind, declare, words)


# -- while it runs


class Doing(hr.Processor[str, str]):
    """Does what a test says."""

    def __init__(self, act: Callable[[hr.ProcessorContext, hr.Record], object]) -> None:
        self._act = act

    def process(self, record: hr.Record) -> None:
        self._act(self.context, record)


def failing(topology: Callable[[Builder], object], words: str) -> HeadraceError:
    app = Builder("app")
    topology(app)
    driver = TopologyTestDriver(app)
    with pytest.raises(RecordFailed) as caught:
        driver.input("in").pipe("x", key="a")
    assert re.search(rf"^in\.process(_values)? \({HERE}\) failed on a record: {re.escape(words)}", str(caught.value))
    assert caught.value.where == "in-0@0"
    return caught.value


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda *_: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (lambda c, _: c.store("gone"), "store 'gone' is not connected to processor 'in.process'"),
        (lambda c, r: c.forward(r, to="gone"), "nobody called 'gone' reads from 'in.process'"),
        (lambda c, _: c.forward("text"), "'text' is a str, only records can be sent on"),
        (lambda _, r: r.with_ts(-1), "the timestamp of a record cannot be -1"),
        (lambda c, _: c.forward(hr.Record(ts=-5)), "the timestamp of a record cannot be -5"),
        (lambda c, _: c.schedule("0s", print), "interval='0s' is not possible"),
        (lambda c, _: c.schedule("1s", print, by="sun"), "by='sun' is not possible"),
        (lambda c, _: c.store("seen").put(None, "x"), "store 'seen': None is no key"),
        (
            lambda c, _: c.store("seen").put(5, "x"),
            "store 'seen': the key cannot be written: 5 is a int, str is needed",
        ),
        (lambda c, _: c.store("seen").put("a", 5), "store 'seen': the value cannot be written: 5 is a int"),
        (lambda c, _: c.store("seen").prefix_scan(5), "store 'seen': the prefix cannot be written: 5 is a int"),
    ],
)
def test_what_a_processor_cannot_do(act: Callable[[Any, hr.Record], object], words: str) -> None:
    failing(lambda app: texts(app).process(lambda: Doing(act), stores=(SEEN,)), words)


def test_another_key_is_refused_in_process_values() -> None:
    words = "the key of a record stays as it is in process_values"
    failing(lambda app: texts(app).process_values(lambda record: record.with_key("b")), words)
    failing(lambda app: texts(app).process_values(lambda record: record.with_pair("b", 1)), words)
    words = "a record made anew cannot be sent on in process_values"
    failing(lambda app: texts(app).process_values(lambda record: hr.Record(key="b", ts=record.ts)), words)


def test_the_failure_of_a_node_behind_names_that_node() -> None:
    app = Builder("app")
    texts(app).process(Passing).map_values(lambda v: 1 // (F.length(v) - 1)).to("out")
    with pytest.raises(RecordFailed, match=r"in\.process\.map_values"):
        TopologyTestDriver(app).input("in").pipe("x", key="a")


def test_nothing_is_sent_on_from_a_transformer_or_a_global_store() -> None:
    app = Builder("app")
    table = app.table("in", key=hr.STRING, value=hr.STRING)
    table.transform_values(lambda k, v, c: c.forward(hr.Record(key=k, value=v, ts=0)))
    app.add_global_store(SEEN, "g", lambda record: record)
    with pytest.raises(RecordFailed, match="nothing can be sent on from transform_values"):
        TopologyTestDriver(app).input("in").pipe("x", key="a")
    with pytest.raises(RecordFailed, match="nothing can be sent on from a global store"):
        TopologyTestDriver(app).input("g").pipe(b"x")


def test_the_processor_of_a_global_store_reaches_no_other() -> None:
    class Filling(Passing):
        stores = ("seen", OTHER)

    class Own(Passing):
        stores = (SEEN,)

    words = "the processor of a global store reaches that one alone"
    refused_app(OptionInvalid, lambda app: app.add_global_store(SEEN, "g", Filling), "stores=[", words)
    Builder("app").add_global_store(SEEN, "g", Own)


def test_the_store_of_windows_is_seen_for_as_long_as_its_operator_keeps_them() -> None:
    app = Builder("app")
    counts = texts(app).group_by_key().windowed_by(hr.sliding("1s")).count(store="n")
    counts.to_stream().process(Passing, stores=("n",))
    plan = rewrite(app.plan())
    (process,), (windows,) = plan.of(Process), plan.of(WindowedAggregation)
    store = process.connections[0].store
    assert isinstance(store, Window) and store.retention_ms == windows.kept_ms > windows.retention_ms


def test_a_global_store_can_only_be_read() -> None:
    def topology(app: Builder) -> None:
        app.add_global_store(SEEN, "g", lambda _: None)
        texts(app).process(lambda: Doing(lambda c, _: c.store("seen").put("a", "b")))

    failing(topology, "store 'seen': it is a copy of its topic, and can only be read here")


def test_only_its_own_processor_writes_a_read_only_store() -> None:
    def topology(app: Builder) -> None:
        app.topology.add_read_only_state_store(SEEN, "g", lambda _: None)
        texts(app).process(lambda: Doing(lambda c, _: c.store("seen").delete("a")), stores=("seen",))

    failing(topology, "store 'seen': it is a copy of its topic, and can only be read here")


class Falling(hr.Processor[str, str]):
    """Fails where no record is at hand."""

    def __init__(self, where: str) -> None:
        self.where = where

    def init(self, context: hr.ProcessorContext) -> None:
        self.fall("init")
        context.schedule("10s", lambda _: self.fall("stream"), by="stream")
        context.schedule("10s", lambda _: self.fall("wall"), by="wall")

    def fall(self, where: str) -> None:
        if where == self.where:
            raise KeyError(where)

    def process(self, record: hr.Record) -> None:
        pass


@pytest.mark.parametrize(
    ("where", "words"),
    [("init", "init"), ("stream", "its stream punctuator"), ("wall", "its wall punctuator")],
)
def test_a_failure_without_a_record_names_the_step(where: str, words: str) -> None:
    app = Builder("app")
    texts(app).process(lambda: Falling(where))
    with pytest.raises(ProcessorFailed, match=rf"^in\.process \({HERE}\) failed in {words}: KeyError: '{where}'"):
        driver = TopologyTestDriver(app)
        driver.input("in").pipe("x")
        driver.advance_wall_clock("10s")


def test_processors_run_in_python() -> None:
    app = hr.App("app")
    texts(app).process(Passing)
    assert "process is the user's own code" in app.explain()
