"""Have the stores that can be asked written to topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from headrace.errors import NoSerde
from headrace.model.types import is_object
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog
from headrace.plan.nodes.to import changelog_topic
from headrace.plan.schema import Field
from headrace.serde import JsonSerde, Serde, SessionWindowedSerde, TimeWindowedSerde, serde_of
from headrace.serde.json.writing import is_writable

LONGEST_TOPIC = 249


def write_changelogs(plan: Plan) -> Plan:
    """Put a changelog beside every table whose store the user has named.

    Not beside a table that every task has in full, nor where nobody knows the bytes of the values: such a store cannot
    be asked.
    """
    made = tuple(_changelogs(plan))
    return replace(plan, ends=(*plan.ends, *made), declared=(*(plan.declared or plan.nodes), *made))


def _changelogs(plan: Plan) -> Iterator[Changelog]:
    for node in plan.nodes:
        store = getattr(node, "store", None)
        if store not in plan.named or not node.facts.table or node.facts.everywhere:
            continue
        if any(getattr(reader, "store", None) == store for reader in plan.consumers[node]):
            continue  # one of those who keep it together: the last of them tells what becomes of it
        schema, topic = node.output(), changelog_topic(plan.app, store)
        key, value = changelog_serde(schema.key), changelog_serde(schema.value)
        if key is not None and value is not None and len(topic) <= LONGEST_TOPIC:
            yield Changelog(
                name=f"{node.name}.changelog",
                origin=node.origin,
                upstream=node,
                topic=topic,
                key=key,
                value=value,
                table=store,
                retention_ms=node.forgets_after_ms,
            )


def changelog_serde(field: Field) -> Serde[Any] | None:
    """The bytes of keys or values in a changelog: those of their type, as in stores; None if nobody knows them.

    They are those of a serde of the user's own only where its type tells nothing.
    """
    if isinstance(field.serde, TimeWindowedSerde | SessionWindowedSerde):
        inner = changelog_serde(Field.of(field.serde.inner))
        return None if inner is None else replace(field.serde, inner=inner)
    if not is_writable(field.type) or is_object(field.type):
        return field.serde
    try:
        return serde_of(field.type)
    except NoSerde:
        return JsonSerde(field.type)
