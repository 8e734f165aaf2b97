"""Serdes of the topics that an application reads and writes: chosen, checked, and bound to them."""

from __future__ import annotations

from typing import Any

from headrace.errors import SerdeNotBound, TypesDiffer
from headrace.plan.schema import Field, Schema
from headrace.serde import Serde, Side


def read_with(topics: tuple[str, ...], key: Serde[Any], value: Serde[Any], here: str) -> tuple[Serde[Any], Serde[Any]]:
    """The serdes of a source, bound to its topic; of several, or of a pattern, none is known."""
    topic = topics[0] if len(topics) == 1 else None
    return bound_serde(key, topic, Side.KEY, here), bound_serde(value, topic, Side.VALUE, here)


def written_with(
    topic: str | None, schema: Schema, key: Serde[Any] | None, value: Serde[Any] | None, here: str
) -> tuple[Serde[Any], Serde[Any]]:
    """The serdes of a sink: those the user chose, if they can write its records, or the records' own."""
    parts = ((Side.KEY, key, schema.key), (Side.VALUE, value, schema.value))
    keys, values = (_fitting(topic, side, chosen, field, here) for side, chosen, field in parts)
    return keys, values


def bound_serde(serde: Serde[Any], topic: str | None, side: Side, here: str) -> Serde[Any]:
    """The serde bound to one side of the records of a topic."""
    try:
        return serde.for_topic(topic, side)
    except ValueError as exc:
        raise SerdeNotBound(side.value, serde, topic, str(exc), here) from exc


def _fitting(topic: str | None, side: Side, chosen: Serde[Any] | None, field: Field, here: str) -> Serde[Any]:
    serde = bound_serde(chosen or field.default_serde(here), topic, side, here)
    fits = serde.for_type(field.type)
    if fits is None:
        part = side.value
        raise TypesDiffer(
            f"the {part} and its serde do not fit", field.type, serde, here, fix=f"give another serde with {part}="
        )
    return fits
