"""Topics of a source, and the check that no other source reads them with other types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from headrace.build.names import checked_name
from headrace.build.patterns import checked_pattern
from headrace.errors import OptionInvalid, TopicReadTwoWays, TopicsOverlap
from headrace.plan.nodes import Node, Source
from headrace.serde import Serde

Topics = str | Sequence[str] | re.Pattern[str]


def topics_of(topic: Topics, here: str) -> tuple[tuple[str, ...], str | None]:
    """The topics, or the pattern of their names, that a source is told."""
    if isinstance(topic, re.Pattern):
        return (), checked_pattern(topic, here)
    topics = (topic,) if isinstance(topic, str) else tuple(topic)
    if not topics:
        raise OptionInvalid("topic", topic, "at least one topic", here)
    for one in topics:
        checked_name("a topic", one, here)
    return tuple(dict.fromkeys(topics)), None


def same_source(
    nodes: Iterable[Node],
    topics: tuple[str, ...],
    pattern: str | None,
    key: Serde[Any],
    value: Serde[Any],
    here: str,
    kind: type[Source] = Source,
) -> Source | None:
    """The source of the same topics, if they are read already; raises if they are read in another way."""
    for known in nodes:
        if not isinstance(known, Source):
            continue
        shared = _shared(topics, pattern, known)
        if not shared and (pattern is None or pattern != known.pattern):
            continue
        if (set(topics), pattern) != (set(known.topics), known.pattern):
            raise TopicsOverlap(sorted(shared), known.origin, here)
        if kind is not type(known):
            subject = pattern or ", ".join(topics)
            raise TopicReadTwoWays(subject, f"a {known.op}", known.origin, f"a {kind.op}", here)
        if (key, value) != (known.key, known.value):
            subject = pattern or ", ".join(topics)
            raise TopicReadTwoWays(subject, known.output(), known.origin, f"({key}, {value})", here)
        return known
    return None


def _shared(topics: tuple[str, ...], pattern: str | None, known: Source) -> set[str]:
    """The topics that two sources would both read; of two patterns that cannot be known in advance."""
    named = set(topics) & set(known.topics)
    matched = {topic for topic in topics if known.pattern and re.fullmatch(known.pattern, topic)}
    return named | matched | {topic for topic in known.topics if pattern and re.fullmatch(pattern, topic)}
