"""Joins of streams with streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import headrace as hr
from conformance.scenarios.scenario import OUT, Build, Scenario, joined
from conformance.scenarios.windows import ms
from headrace.dsl import Builder
from headrace.model.windows import JoinWindows


def windows_of(s: Scenario) -> JoinWindows:
    told = s.config["window"]
    return hr.join_windows(before=ms(told["before_ms"]), after=ms(told["after_ms"]), grace=ms(told["grace_ms"]))


def joiner_of(s: Scenario) -> Callable[[Any, Any], Any]:
    return joined(s.config["joiner"])


def inner(app: Builder, s: Scenario) -> None:
    left, right = s.stream(app, "left"), s.stream(app, "right")
    left.join(right, joiner_of(s), windows_of(s)).to(OUT, value=hr.STRING)


def left_join(app: Builder, s: Scenario) -> None:
    left, right = s.stream(app, "left"), s.stream(app, "right")
    left.left_join(right, joiner_of(s), windows_of(s)).to(OUT, value=hr.STRING)


def outer(app: Builder, s: Scenario) -> None:
    left, right = s.stream(app, "left"), s.stream(app, "right")
    left.outer_join(right, joiner_of(s), windows_of(s)).to(OUT, value=hr.STRING)


def itself(app: Builder, s: Scenario) -> None:
    stream = s.stream(app, "left")
    stream.join(stream, joiner_of(s), windows_of(s)).to(OUT, value=hr.STRING)


def several(app: Builder, s: Scenario) -> None:
    left, right, joiner = s.stream(app, "left"), s.stream(app, "right"), joiner_of(s)
    first = left.join(right, joiner, windows_of(s), name="first")
    first.join(right, joiner, windows_of(s), name="second").to(OUT, value=hr.STRING)


BUILDERS: dict[str, Build] = {
    "stream.join(stream)": inner,
    "stream.leftJoin(stream)": left_join,
    "stream.outerJoin(stream)": outer,
    "stream.join(self)": itself,
    "stream.join(stream).join(stream)": several,
}
