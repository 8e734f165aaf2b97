"""What runs in Python, and what stays in Spark beside it."""

from __future__ import annotations

from collections.abc import Callable

import headrace as hr
from headrace.dsl import Builder
from headrace.passes.pipeline import rewrite
from headrace.spark.layout.lanes import told_of_python
from headrace.spark.layout.placement import Lane, Placement


def lanes(declare: Callable[[Builder], None]) -> dict[str, str]:
    """The lanes of all nodes by their names."""
    app = Builder("app")
    declare(app)
    placement = Placement(rewrite(app.plan()))
    return {node.name: placement.lane(node).value for node in placement.plan.nodes}


def texts(app: Builder, topic: str = "in") -> hr.KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def own(value: str) -> str:
    return "".join([*value])


def both(left: str, right: str) -> str:
    return own(left) + own(right)


def unsaid(value):  # type: ignore[no-untyped-def]
    return "".join([*value])


def test_what_is_traced_stays_in_spark() -> None:
    found = lanes(
        lambda app: texts(app).filter(lambda _, v: v != "").group_by_key().count(store="n").to_stream().to("out")
    )
    assert Lane.PYTHON.value not in found.values()


def test_a_source_that_only_python_reads_is_read_there_and_so_is_the_sink() -> None:
    found = lanes(lambda app: texts(app).map_values(own).to("out"))
    assert set(found.values()) == {"python"}


def test_where_types_are_said_what_follows_is_in_spark_again() -> None:
    found = lanes(lambda app: texts(app).map_values(own).group_by_key().count(store="n").to_stream().to("out"))
    assert found == {
        "in": "python",
        "in.map_values": "python",
        "n": "kernel",
        "n.to_stream": "native",
        "n.to_stream.to-out": "native",
        "n.changelog": "native",
    }


def test_where_they_are_not_said_those_who_look_at_values_follow() -> None:
    def declare(app: Builder) -> None:
        grouped = texts(app).map_values(unsaid).group_by_key()
        grouped.reduce(lambda a, b: a + b, store="r").to_stream().to("out", value=hr.STRING)

    assert set(lanes(declare).values()) == {"python"}


def test_how_much_runs_in_python_is_told_in_a_line() -> None:
    def declare(function: Callable[[str], str]) -> str | None:
        app = Builder("app")
        texts(app).map_values(function, name="own").filter(lambda _, v: v != "").to("out")
        return told_of_python(rewrite(app.plan()))

    assert declare(lambda v: v or "nothing") is None
    told = declare(own)
    assert told is not None
    reason = "going through it with `for`, `*` or list() needs the value now"
    assert told.startswith(f"2 of 4 nodes run in Python: own ({reason} (test_lanes.py:")
    assert told.endswith(")); headrace explain says why, node by node")


def test_what_is_before_stays_in_spark_if_others_read_it() -> None:
    def declare(app: Builder) -> None:
        source = texts(app)
        source.map_values(own, name="own").to("out")
        source.to("copy")

    found = lanes(declare)
    assert (found["in"], found["own"], found["in.to-copy"]) == ("native", "python", "native")


def test_tables_that_share_rows_share_a_lane() -> None:
    def declare(app: Builder) -> None:
        left = app.table("left", key=hr.STRING, value=hr.STRING)
        right = app.table("right", key=hr.STRING, value=hr.STRING)
        left.join(right, both).to_stream().to("out")

    found = lanes(declare)
    assert (found["left"], found["right"], found["left.join"]) == ("python", "python", "python")


def test_a_processor_has_its_whole_task_with_it() -> None:
    class Passing(hr.Processor[str, str]):
        def process(self, record: hr.Record) -> None:
            self.context.forward(record)

    found = lanes(lambda app: texts(app).filter(lambda _, v: v != "").process(Passing).to("out"))
    assert set(found.values()) == {"python"}
