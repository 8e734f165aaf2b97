"""Answers of a foreign key join that come too late."""

import headrace as hr
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
