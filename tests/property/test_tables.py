"""A table is the fold of its changes, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.testing import TopologyTestDriver


def both(left: str | None, right: str | None) -> str:
    return f"{left}+{right}"


TEXT: dict[str, Any] = {"key": hr.STRING, "value": hr.STRING}
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["in", "other"]), st.sampled_from("abc"), st.sampled_from(["a", "b", None]), st.integers(0, 50)
    ),
    max_size=30,
)
"""Topic, key, value and time."""


def rows(app: Builder) -> Any:
    return app.table("in", **TEXT)


def others(app: Builder) -> Any:
    return app.table("other", **TEXT)


TABLES: dict[str, Callable[[Builder], Any]] = {
    "a topic": lambda app: app.table("in", **TEXT, store="rows"),
    "a stream": lambda app: app.stream("in", **TEXT).to_table(store="rows"),
    "a filter": lambda app: rows(app).filter(lambda _, v: v == "a", store="rows"),
    "new values": lambda app: rows(app).map_values(lambda v: v + "!", store="rows"),
    "a count": lambda app: app.stream("in", **TEXT).group_by_key().count(store="rows"),
    "a reduce": lambda app: app.stream("in", **TEXT).group_by_key().reduce(lambda a, v: a + v, store="rows"),
    "a count of rows": lambda app: rows(app).group_by(lambda _, v: (v, v)).count(store="rows"),
    "a join": lambda app: rows(app).outer_join(others(app), both, store="rows"),
    "a foreign key join": lambda app: rows(app).left_join(others(app), both, on=lambda v: v, store="rows"),
    "windows": lambda app: (
        app.stream("in", **TEXT).group_by_key().windowed_by(hr.tumbling("10ms", grace="1s")).count(store="rows")
    ),
    "sessions": lambda app: (
        app.stream("in", **TEXT).group_by_key().windowed_by(hr.session("5ms", grace="1s")).count(store="rows")
    ),
}


@pytest.mark.parametrize("emit", ["every", "settled"])
@pytest.mark.parametrize("made_of", TABLES)
@settings(deadline=None, max_examples=25)
@given(changes=CHANGES)
def test_a_table_equals_the_fold_of_its_changes(
    made_of: str, emit: str, changes: list[tuple[str, str, str | None, int]]
) -> None:
    app = Builder("app", emit=emit)
    others_read = "join" in made_of
    TABLES[made_of](app).to_stream().to("out")
    driver = TopologyTestDriver(app)
    for topic, key, value, ts in changes:
        if topic == "in" or others_read:
            driver.input(topic).pipe(value, key=key, ts=ts)
    assert driver.output("out").read_table() == driver.store("rows").all()
