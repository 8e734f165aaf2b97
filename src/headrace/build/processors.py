"""Nodes of processors, from what users give for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from headrace.build.functions import hinted
from headrace.errors import OptionInvalid
from headrace.model.record import Record
from headrace.model.types import OBJECT
from headrace.plan.nodes import Node, Process, ProcessValues
from headrace.plan.schema import Field
from headrace.plan.stores import Store
from headrace.processor import FixedKeyProcessor, Processor
from headrace.processor.supplied import Supplied, supplied
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.build.declared import Declared

P = TypeVar("P", bound=Process)

Stores = Sequence[Store[Any] | str]
"""What a processor is connected to: stores as they are declared, or their names."""

Function = Callable[..., Iterable[Record] | Record | None]
"""A plain function of a record, or of a record and the context, as a processor: what it yields is sent on."""

Given = Callable[..., Processor[Any, Any] | Iterable[Record] | Record | None]
"""A processor: its class, a function that makes one, or a plain function of records."""


def process(
    declared: Declared,
    parents: tuple[Node, ...],
    processor: Any,
    name: str,
    here: str,
    *,
    stores: Stores = (),
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
) -> Process:
    """A processor that may send on any keys."""
    made = supplied("process", processor, Processor, here)
    sent_key, sent_value = made.sends or (None, None)
    node = Process(
        name=name,
        origin=here,
        parents=parents,
        make=made.make,
        shown=made.shown,
        key=sent_field(key, sent_key),
        value=sent_field(value, sent_value),
    )
    return connected(declared, node, made, stores)


def process_records(
    declared: Declared,
    parent: Node,
    processor: Any,
    *,
    stores: Stores,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    name: str | None = None,
    here: str,
) -> Process:
    """Processor of the records of a stream."""
    path = declared.unique(name, f"{parent.name}.process", here)
    return process(declared, (parent,), processor, path, here, stores=stores, key=key, value=value)


def process_values(
    declared: Declared,
    parent: Node,
    processor: Any,
    *,
    stores: Stores,
    value: Serde[Any] | None = None,
    name: str | None = None,
    here: str,
) -> ProcessValues:
    """Processor of the values of a stream, which leaves the keys alone."""
    path = declared.unique(name, f"{parent.name}.process_values", here)
    made = supplied("process_values", processor, FixedKeyProcessor, here)
    node = ProcessValues(
        name=path,
        origin=here,
        parents=(parent,),
        make=made.make,
        shown=made.shown,
        key=parent.output().key,
        value=sent_field(value, made.sends[0] if made.sends else None),
    )
    return connected(declared, node, made, stores)


def sent_field(serde: Serde[Any] | None, hint: Any) -> Field:
    """Type of the records that a processor sends on: from a serde, from its class in brackets, or any."""
    return Field.of(serde) if serde is not None else Field(hinted(hint) or OBJECT)


def connected(declared: Declared, node: P, made: Supplied, stores: Stores) -> P:
    """The node, taken in, with its own stores and those it is given."""
    if isinstance(stores, str | Store):
        raise OptionInvalid("stores", stores, "a tuple of stores or of their names", node.origin)
    declared.connections.connect(node.name, (*made.stores, *stores), node.origin)
    return declared.add(node)
