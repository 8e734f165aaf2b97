"""One scenario, and the words its topologies are built with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder, KStream, KTable
from headrace.plan.nodes import Node
from headrace.serde import Serde

OUT = "out"


@dataclass(frozen=True)
class Scenario:
    """A scenario as the file has it."""

    raw: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def operator(self) -> str:
        return str(self.raw["operator"])

    @property
    def config(self) -> dict[str, Any]:
        return dict(self.raw["config"])

    @property
    def topics(self) -> list[str]:
        """The topics it reads, in the order of their first records."""
        return list(dict.fromkeys(one["topic"] for one in self.raw["inputs"]))

    @property
    def topic(self) -> str:
        """The topic it reads, if that is one."""
        (topic,) = self.topics
        return topic

    def serde(self, topic: str, part: str) -> Serde[Any]:
        """The serde for the keys or values of a topic, by the first that is not None."""
        found = [one[part] for one in self.raw["inputs"] if one["topic"] == topic and one[part] is not None]
        first = found[0] if found else ""
        return hr.INT64 if isinstance(first, int) else hr.DOUBLE if isinstance(first, float) else hr.STRING

    def stream(self, app: Builder, topic: str | None = None) -> KStream[Any, Any]:
        """A topic of the scenario as a stream."""
        topic = topic or self.topic
        return app.stream(topic, key=self.serde(topic, "key"), value=self.serde(topic, "value"))

    def table(self, app: Builder, topic: str | None = None, **options: Any) -> KTable[Any, Any]:
        """A topic of the scenario as a table."""
        topic = topic or self.topic
        versioned = self.config.get("versioned")
        if versioned and versioned.get("side", topic) in (topic, "both"):
            return app.versioned_table(
                topic,
                key=self.serde(topic, "key"),
                value=self.serde(topic, "value"),
                history=timedelta(milliseconds=versioned["history_ms"]),
            )
        return app.table(topic, key=self.serde(topic, "key"), value=self.serde(topic, "value"), **options)

    def function(self, option: str, parameters: str) -> Callable[..., Any]:
        """An option that is written as Python, as a function."""
        return written(self.config[option], parameters)


def written(text: str, parameters: str) -> Callable[..., Any]:
    """A function of these parameters from the text of its result, as an expression if it can be one."""
    names = {"hr": hr, "int": F.integer, "len": F.length}
    made: Callable[..., Any] = eval(f"lambda {parameters}: {text}", names)
    return made


def arrow(text: str) -> Callable[..., Any]:
    """A function from `(k,v)->(v,k)`."""
    parameters, _, result = text.partition("->")
    return written(result, parameters.strip().strip("()"))


def joined(pattern: str) -> Callable[[Any, Any], Any]:
    """A joiner that writes everything as Java does: None is `null`."""
    join = written(pattern, "l, r")
    return lambda left, right: join(shown(left), shown(right))


def shown(side: Any) -> Any:
    """A value that may be None, as text."""
    return hr.when(F.is_null(side), "null").otherwise(F.text(side))


Build = Callable[[Builder, Scenario], Node | None]
"""Declares the topology of a scenario. Where the scenario tells changes with old values, gives the node they are of."""
