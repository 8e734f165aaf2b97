"""Processors behind a stream, as users call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from headrace.build.processors import Function, Stores, process_records, process_values
from headrace.dsl import stream as streams
from headrace.plan.nodes import Node
from headrace.plan.origin import origin
from headrace.processor import FixedKeyProcessor, Processor
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.build.declared import Declared
    from headrace.dsl.stream import KStream

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class ProcessableStream(Generic[K, V]):
    """The part of a stream that hands it to processors."""

    _declared: Declared
    _node: Node

    @overload
    def process(
        self,
        processor: Function,
        *,
        key: Serde[K2],
        value: Serde[V2],
        stores: Stores = (),
        name: str | None = None,
    ) -> KStream[K2, V2]: ...

    @overload
    def process(
        self,
        processor: Callable[[], Processor[K2, V2]],
        *,
        stores: Stores = (),
        key: Serde[K2] | None = None,
        value: Serde[V2] | None = None,
        name: str | None = None,
    ) -> KStream[K2, V2]: ...

    @overload
    def process(
        self,
        processor: Function,
        *,
        stores: Stores = (),
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]: ...

    def process(
        self,
        processor: Any,
        *,
        stores: Stores = (),
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """Hand every record to a processor, with stores and timers; it sends on what it likes, with keys of its own.

        Give a subclass of `hr.Processor`, a function that makes one, or a function of the record, or of the record and
        the context, that yields records. `key` and `value` are the serdes of what it sends on. Nothing is dropped, and
        nothing moves to another task before it: put `repartition()` in front if keys were changed and stores are used.

            def twice(record):
                yield record
                yield record.with_value(record.value.upper())

            words.process(twice, key=hr.STRING, value=hr.STRING).to("both")
        """
        options: Any = {"stores": stores, "key": key, "value": value, "name": name, "here": origin()}
        return streams.KStream(self._declared, process_records(self._declared, self._node, processor, **options))

    @overload
    def process_values(
        self, processor: Function, *, value: Serde[V2], stores: Stores = (), name: str | None = None
    ) -> KStream[K, V2]: ...

    @overload
    def process_values(
        self,
        processor: Callable[[], FixedKeyProcessor[V2]],
        *,
        stores: Stores = (),
        value: Serde[V2] | None = None,
        name: str | None = None,
    ) -> KStream[K, V2]: ...

    @overload
    def process_values(
        self, processor: Function, *, stores: Stores = (), value: Serde[Any] | None = None, name: str | None = None
    ) -> KStream[K, Any]: ...

    def process_values(
        self, processor: Any, *, stores: Stores = (), value: Serde[Any] | None = None, name: str | None = None
    ) -> KStream[K, Any]:
        """As `process`, with a `hr.FixedKeyProcessor` or a function that leaves the keys alone: no record has to move.

        What is sent on is made of a record that came in; another key is refused.
        """
        options: Any = {"stores": stores, "value": value, "name": name, "here": origin()}
        return streams.KStream(self._declared, process_values(self._declared, self._node, processor, **options))
