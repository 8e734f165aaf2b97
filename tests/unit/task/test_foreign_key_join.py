"""Answers of a foreign key join that come too late."""

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder
from headrace.testing import TopologyTestDriver


def test_an_answer_is_dropped_when_the_row_has_changed_since_it_asked() -> None:
    app = Builder("app", emit="every")
    orders, users = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("orders", "users"))
    orders.join(users, lambda order, user: order + user, on=lambda order: order, name="joined").to_stream().to("out")
    driver = TopologyTestDriver(app)
    driver.input("users").pipe("1", key="x")
    driver.input("users").pipe("2", key="y")
    with driver.batch():  # both orders go out before the first answer is back
        driver.input("orders").pipe("x", key="a")
        driver.input("orders").pipe("y", key="a")
    assert driver.output("out").read_all() == [("a", "y2")]
    assert driver.dropped == {("joined", "the row has changed since it asked"): 1}


def test_a_table_joined_with_the_sizes_of_its_own_groups_goes_the_ways_that_kafka_streams_goes() -> None:
    app = Builder("app", emit="every")
    table = app.table("in", key=hr.STRING, value=hr.STRING)
    sizes = table.group_by(lambda _, v: (v[:1], v)).count(store="sizes")
    table.join(sizes, lambda v, n: v + F.text(n), on=lambda v: v[:1], store="joined").to_stream().to("out")
    driver = TopologyTestDriver(app)
    found = []
    for ts, (key, value) in enumerate([("1", "ax"), ("2", "ay"), ("1", "bx"), ("2", None)]):
        driver.input("in").pipe(value, key=key, ts=ts)
        found.append([(one.key, one.value, one.ts) for one in driver.output("out").read_records()])
    assert found == [
        [("1", "ax1", 0)],
        [("1", "ax2", 1), ("2", "ay2", 1)],
        [("2", "ay1", 2), ("1", None, 2), ("1", "bx1", 2)],
        [("2", None, 3)],
    ]
