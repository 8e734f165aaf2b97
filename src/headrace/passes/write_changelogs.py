"""Write the stores that can be queried to changelogs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from headrace.errors import ChangelogNameTaken, NoSerde
from headrace.model.types import is_object
from headrace.model.windows import WindowedType
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, Node, Source, To
from headrace.plan.nodes.to import changelog_topic
from headrace.plan.schema import Field
from headrace.plan.unasked import UnaskedStore
from headrace.serde import JsonSerde, Serde, SessionWindowedSerde, WindowedSerde, serde_of
from headrace.serde.json.writing import is_writable

LONGEST_TOPIC = 249
_ANNOTATE = "say it: list[str] instead of list, or a function with an annotation, -> list[str]"


def write_changelogs(plan: Plan) -> Plan:
    """Put a changelog beside every table whose store the user has named.

    Not beside a table that every task has in full, nor where nobody knows the bytes of the values: such a store cannot
    be asked, which the plan says.
    """
    found = [(node, _changelog(plan, node)) for node in _named_tables(plan)]
    made = tuple(one for _, one in found if isinstance(one, Changelog))
    unasked = tuple(one for _, one in found if isinstance(one, UnaskedStore))
    for changelog in made:
        _refuse_shared_name(changelog, plan)
    declared = (*(plan.declared or plan.nodes), *made)
    return replace(plan, ends=(*plan.ends, *made), declared=declared, unasked=unasked)


def _named_tables(plan: Plan) -> Iterator[Node]:
    for node in plan.nodes:
        store = getattr(node, "store", None)
        # Of those who keep a store together the last one tells what becomes of it.
        if store in plan.named and node.facts.table and store not in map(_store, plan.consumers[node]):
            yield node


def _changelog(plan: Plan, node: Node) -> Changelog | UnaskedStore:
    store, schema = _store(node), node.output()
    topic, key, value = changelog_topic(plan.app, store), changelog_serde(schema.key), changelog_serde(schema.value)
    if node.facts.everywhere:
        return UnaskedStore(store, node.origin, "every task has all of it", "read its topic")
    if key is None or value is None:
        what, field = ("keys", schema.key) if key is None else ("values", schema.value)
        return UnaskedStore(store, node.origin, f"the type of its {what} is {field.type}", _ANNOTATE)
    if len(topic) > LONGEST_TOPIC:
        return UnaskedStore(store, node.origin, f"its topic would have {len(topic)} characters", "give a shorter name")
    return Changelog(
        name=f"{node.name}.changelog",
        origin=node.origin,
        upstream=node,
        topic=topic,
        key=key,
        value=value,
        table=store,
        retention_ms=node.forgets_after_ms,
    )


def _store(node: Node) -> str:
    return getattr(node, "store", None) or ""


def _refuse_shared_name(changelog: Changelog, plan: Plan) -> None:
    """Refuse a changelog whose topic the application reads or writes by another of its nodes, too."""
    topic = str(changelog.topic)
    for node in plan.nodes:
        if isinstance(node, Source) and node.reads(topic):
            raise ChangelogNameTaken(topic, changelog.table, changelog.origin, "read", node.origin)
        if isinstance(node, To) and node.topic == topic:
            raise ChangelogNameTaken(topic, changelog.table, changelog.origin, "written", node.origin)


def changelog_serde(field: Field) -> Serde[Any] | None:
    """The bytes of keys or values in a changelog: those of their type, as in stores; None if nobody knows them.

    They are those of a serde of the user's own only where its type tells nothing.
    """
    if isinstance(field.serde, WindowedSerde):
        inner = changelog_serde(Field.of(field.serde.inner))
        return None if inner is None else replace(field.serde, inner=inner)
    if isinstance(field.type, WindowedType) and field.serde is None:  # a function has made it, of windows of any size
        inner = changelog_serde(Field(field.type.key))
        return None if inner is None else SessionWindowedSerde(inner)
    if not is_writable(field.type) or is_object(field.type):
        return field.serde
    try:
        return serde_of(field.type)
    except NoSerde:
        return JsonSerde(field.type)
