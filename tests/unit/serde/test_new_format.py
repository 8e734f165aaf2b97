"""A new format has what it needs in its own folder, from declaration to the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import headrace as hr
from formats.cities import PAIRS, READ, WRITTEN, declare
from formats.pairs import CODEC, PairsSerde
from headrace.cli.key_value_text import form_of
from headrace.dsl import Builder
from headrace.errors import OutputUnreadable, RecordUndecodable, SerdeNotBound
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Source, To
from headrace.rest import key_value_text as rest
from headrace.serde import Side
from headrace.spark.layout.reasons import why_python
from headrace.testing import TopologyTestDriver, table

ANN = {"name": "Ann", "city": "Rome"}
BOB = {"name": "Bob", "city": "Oslo"}


def topology() -> Builder:
    app = Builder("cities")
    declare(app)
    return app


def test_a_serde_is_bound_to_each_topic_and_side() -> None:
    plan = topology().plan()
    read = {node.topics[0]: node for node in plan.of(Source)}
    written = {node.topic: node for node in plan.of(To)}
    assert set(read) == set(READ)
    assert set(written) == set(WRITTEN)
    assert (read["orders"].key.facts.headers, read["orders"].value.facts.headers) == (("pairs-key",), ("pairs-value",))
    separators = {topic: node.value.separator for topic, node in written.items() if isinstance(node.value, PairsSerde)}
    assert separators == {"rome": "|", "called": "&"}
    assert isinstance(read["orders"].value, PairsSerde)
    assert read["orders"].value.separator == ";"


def test_the_same_topic_may_be_read_twice() -> None:
    app = Builder("twice")
    app.stream("orders", value=PAIRS).to("rome")
    app.stream("orders", value=PairsSerde({"orders": ";", "rome": "|"})).to("rome")
    assert len(app.plan().of(Source)) == 1


def test_every_node_has_a_form_in_spark() -> None:
    assert [why_python(node) for node in rewrite(topology().plan()).nodes if why_python(node)] == []


def test_headers_of_a_writer_go_before_those_of_the_topic() -> None:
    with TopologyTestDriver(topology()) as driver:
        driver.input("orders").pipe(ANN, key={"id": "1"}, ts=5, headers=[("trace", b"7"), ("pairs-value", b"old")])
        driver.input("orders", key=PAIRS, value=PairsSerde({"orders": "~"})).pipe(ANN, key={"id": "1"}, ts=6)
        driver.input("orders", value=hr.BYTES).pipe(b"city=Rome", key={"id": "2"}, ts=7)
        driver.input("orders").pipe(BOB, key={"id": "1"}, ts=8)
        first, second, third = driver.output("rome", key=hr.BYTES, value=hr.BYTES).read_records()
        assert (first.key, first.value) == (b"id=1", b"city=Rome|name=Ann")
        assert first.headers == (("trace", b"7"), ("pairs-key", b"|"), ("pairs-value", b"|"))
        assert second.value == first.value
        assert third.value == b"city=Rome"
        counts = [(key["id"], count) for key, count in driver.output("counts").read_all()]
        assert counts == [("1", 1), ("1", 2), ("2", 1), ("1", 3)]


def test_a_record_without_a_value_keeps_none_of_its_headers() -> None:
    app = Builder("gone")
    app.stream("orders", key=hr.STRING, value=PAIRS).to("rome")
    with TopologyTestDriver(app) as driver:
        driver.input("orders").pipe(None, key="k", headers=[("pairs-value", b";"), ("trace", b"7")])
        assert [one.headers for one in driver.output("rome").read_records()] == [(("trace", b"7"),)]


def test_what_cannot_be_read_is_told() -> None:
    with TopologyTestDriver(topology()) as driver:
        driver.input("calls", value=hr.STRING).pipe("name", key="k")
        assert driver.output("failed").read() == (b"k", "the value of a record is not PAIRS: the text name is no pair")
        driver.input("calls").pipe(ANN, key="k")
        with pytest.raises(OutputUnreadable) as caught:
            driver.output("called", value=hr.INT64).read()
        assert "7 bytes, 8 are needed\n  to do: read it as PAIRS" in str(caught.value)
    with TopologyTestDriver(topology()) as driver, pytest.raises(RecordUndecodable, match="is not PAIRS") as stopped:
        driver.input("orders", value=hr.STRING).pipe("city", key={"id": "1"})
    assert "the text city is no pair" in str(stopped.value)


def test_a_serde_that_goes_by_the_topic_needs_one() -> None:
    app = Builder("cities")
    with pytest.raises(SerdeNotBound) as caught:
        app.stream(re.compile("orders-.*"), value=PAIRS)
    told = (
        "PAIRS is no serde for the values of topics that are not known yet: what separates the pairs goes by the topic"
    )
    assert told in str(caught.value)
    with pytest.raises(SerdeNotBound, match="for the keys of topics that are not known yet"):
        app.stream("orders", key=PAIRS, value=PAIRS).to(lambda _, order: order["city"])


def test_what_another_format_has_written_is_not_read() -> None:
    assert PAIRS.for_topic("orders", Side.KEY).reads(PairsSerde())
    assert not PAIRS.reads(hr.STRING)
    assert not hr.STRING.reads(PAIRS)
    assert not hr.json().reads(PAIRS)
    assert PAIRS.for_type(hr.json().type) is None


def test_values_are_shown_as_json_in_tests_servers_and_commands() -> None:
    app = Builder("shown")
    app.stream("orders", key=hr.STRING, value=PAIRS).to("rome")
    shown = """
        key | value
        k   | {"city":"Rome","name":"Ann"}
    """
    with TopologyTestDriver(app) as driver:
        driver.input("orders").pipe_records(table(shown))
        assert driver.output("rome").read_text("key", "value") == table(shown)
    form = form_of(PAIRS)
    assert (form.from_text('{"b":"2","a":"1"}'), form.to_json(b"a=1&b=2")) == (b"a=1&b=2", {"a": "1", "b": "2"})
    assert form.to_text(b"a=1") == '{"a":"1"}'
    place = rest.form_of(PAIRS)
    assert (place.of_text('{"a": "1"}'), place.json(b"a=1"), place.text(b"a=1")) == (b"a=1", '{"a":"1"}', '{"a":"1"}')


def test_its_files_are_its_own() -> None:
    folder = Path(__file__).parents[2] / "formats" / "pairs"
    assert sorted(one.name for one in folder.iterdir() if one.is_file()) == ["PairsCodec.scala", "__init__.py"]
    assert f"class {CODEC.rpartition('.')[2]}(" in (folder / "PairsCodec.scala").read_text()
