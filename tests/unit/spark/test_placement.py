"""Where nodes run on Spark."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder
from headrace.errors import SharedStoreInCircle
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Errors, Filter, ForeignKeyJoin, ForeignKeyMatch, Source, StreamGlobalJoin
from headrace.plan.placement_nodes import Copy, Everywhere
from headrace.spark.layout.placement import Lane, Placement
from plans.topologies import processors


def placed(declare: Callable[[Builder], None]) -> Placement:
    app = Builder("app")
    declare(app)
    return Placement(rewrite(app.plan()))


def test_an_answer_comes_back_to_a_copy_of_its_table_in_a_later_stage() -> None:
    def declare(app: Builder) -> None:
        users, orders = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("users", "orders"))
        orders.join(users, lambda order, user: order + user, on=lambda order: order[:1]).to_stream().to("out")

    placement = placed(declare)
    steps = {node.name: step for node, step in placement.step.items()}
    assert (steps["orders"], steps["users"]) == (1, 2)
    (match,), (join,) = placement.plan.of(ForeignKeyMatch), placement.plan.of(ForeignKeyJoin)
    (copy,) = placement.plan.of(Copy)
    assert [placement.step[node] for node in (match, join, copy)] == [2, 3, 3]
    assert (join.left, copy.name) == (copy, "copy of orders for orders.join")


def test_the_failures_of_a_foreign_key_join_come_from_two_stages() -> None:
    def declare(app: Builder) -> None:
        users, orders = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("users", "orders"))
        joined = orders.join(users, lambda order, user: order + user, on=lambda order: F.text(F.integer(order)))
        joined.errors().group_by_key().count(store="failures").to_stream().to("out")

    placement = placed(declare)
    (errors,) = placement.plan.of(Errors)
    assert (placement.lane(errors), placement.step[errors], placement.stages) == (Lane.NATIVE, 3, 4)


def test_tables_that_wait_for_one_another() -> None:
    def declare(app: Builder) -> None:
        tables = {topic: app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("left", "right")}
        for one, other in (("left", "right"), ("right", "left")):
            counts = tables[other].group_by(lambda k, v: (v, k)).count(store=f"of-{other}")
            tables[one].join(counts, lambda row, n: row + F.text(n)).to_stream().to(f"out-{one}")

    placement = placed(declare)
    assert (placement.stages, len(placement.plan.of(Copy))) == (3, 1)


def test_a_table_without_a_way_back_is_not_copied() -> None:
    def declare(app: Builder) -> None:
        table = app.table("table", key=hr.STRING, value=hr.STRING)
        counts = app.stream("in", key=hr.STRING, value=hr.STRING).group_by(lambda _, v: v).count(store="n")
        table.join(counts, lambda row, n: row + F.text(n)).to_stream().to("out")

    placement = placed(declare)
    assert (placement.stages, placement.plan.of(Copy)) == (1, ())


def test_each_stage_that_looks_up_a_global_table_has_it() -> None:
    def declare(app: Builder) -> None:
        names = app.global_table("names", key=hr.STRING, value=hr.STRING)
        stream = app.stream("in", key=hr.STRING, value=hr.STRING)
        for topic in ("first", "second"):
            stream.join(names, lambda v, name: v + name, on=lambda v: v).to(topic)
        counts = stream.group_by(lambda _, v: v).count(store="n").to_stream()
        moved = counts.select_key(lambda key, _: key[:1]).repartition().to_table().to_stream()
        moved.join(names, lambda n, name: F.text(n) + name, on=lambda key, _: key).to("third")

    placement = placed(declare)
    everywhere = placement.plan.of(Everywhere)
    assert sorted(placement.step[node] for node in everywhere) == [1, 2]
    assert all(placement.step[node] == placement.step[node.table] for node in placement.plan.of(StreamGlobalJoin))


def test_a_global_table_that_nobody_reads_is_kept() -> None:
    def declare(app: Builder) -> None:
        app.global_table("names", key=hr.STRING, value=hr.STRING, store="names")

    placement = placed(declare)
    assert [node.op for node in placement.stage(1)] == ["global_table"]


def test_every_record_that_moves_the_time_of_a_ttl_comes_into_the_stage() -> None:
    def declare(app: Builder) -> None:
        big = app.stream("in", key=hr.STRING, value=hr.STRING).filter(hr.value > "m")
        big.group_by_key().count(store="n", ttl="1h").to_stream().to("out")

    placement = placed(declare)
    inside = [node for kind in (Source, Filter) for node in placement.plan.of(kind)]
    assert [placement.lane(node) for node in inside] == [Lane.KERNEL, Lane.KERNEL]
    assert {placement.timed[node] for node in inside} == {"in"}


def test_failures_that_are_read_are_the_kernels() -> None:
    def declare(app: Builder) -> None:
        stream = app.stream("in", key=hr.STRING, value=hr.STRING)
        stream.errors().to("undecodable")
        stream.map_values(lambda v: F.integer(v)).to("out")

    placement = placed(declare)
    (errors,) = placement.plan.of(Errors)
    lanes = {node.name: placement.lane(node) for node in placement.plan.nodes}
    assert (lanes["in"], lanes["in.map_values"], lanes[errors.name]) == (Lane.KERNEL, Lane.NATIVE, Lane.NATIVE)
    (read,) = placement.read(placement.plan.of(Source)[0])
    assert str(read.schema) == "(BYTES, BYTES)"


def test_processors_that_share_stores_around_a_repartition_are_refused_in_words() -> None:
    with pytest.raises(SharedStoreInCircle) as refused:
        _ = placed(processors).plan
    said = str(refused.value)
    assert "'texts.process', 'counts', 'asked.process_values', 'beside' share stores" in said
    assert all(part in said for part in ("records of one come to another by a repartition", "topologies.py:", "topic"))
