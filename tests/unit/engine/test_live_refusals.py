"""What stream threads cannot run yet is refused in words, before anything is started."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.engine.live.refusals import refuse_for_now
from headrace.errors import EngineCannot
from headrace.passes.pipeline import rewrite
from headrace.spark.session.master import Master


def spelled(text: str) -> str:
    return "".join(reversed(list(text)))


def python(app: Builder) -> None:
    app.stream("in", key=hr.STRING, value=hr.STRING).map_values(spelled).to("out")


def global_table(app: Builder) -> None:
    users = app.global_table("users", key=hr.STRING, value=hr.STRING)
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    stream.join(users, lambda order, user: order + user, on=lambda _, order: order).to("out")


def pattern(app: Builder) -> None:
    app.stream(re.compile("in-.*"), key=hr.STRING, value=hr.STRING).to("out")


def idle(app: Builder) -> None:
    counts = app.stream("in", key=hr.STRING).group_by_key().windowed_by(hr.tumbling("1m", idle_after="10s")).count()
    counts.suppress(hr.until_window_closes()).to_stream().to("out")


@pytest.mark.parametrize(
    ("topology", "words"),
    [
        (python, "which runs in Python"),
        (global_table, "the global table"),
        (pattern, r"topics by a pattern \(in-\.\*\)"),
        (idle, "idle_after of"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_is_refused(topology: Callable[[Builder], None], words: str) -> None:
    app = Builder("shop")
    topology(app)
    with pytest.raises(EngineCannot, match=words) as refused:
        refuse_for_now(rewrite(app.plan()), Master())
    assert 'engine="batch"' in str(refused.value)


def test_a_cluster_is_refused() -> None:
    app = Builder("shop")
    app.stream("in", key=hr.STRING, value=hr.STRING).to("out")
    refuse_for_now(rewrite(app.plan()), Master())
    with pytest.raises(EngineCannot, match="a cluster"):
        refuse_for_now(rewrite(app.plan()), Master("spark://host:7077"))
