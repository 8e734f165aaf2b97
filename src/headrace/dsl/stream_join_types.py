"""Types of the joins of a stream, for type checkers: which sides, functions and options go together.

A function takes both values, or the key and both. `N` is what may stand in place of a value of the other side: None in
a left join, `Never` where there is always a value; so one protocol has the types of both. Functions of expressions come
first, for what those compute may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Never, Protocol, TypedDict, TypeVar, Unpack, cast, overload

from headrace.build.join_keys import LookUp, On
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.model.windows import JoinWindows

if TYPE_CHECKING:
    from headrace.dsl.global_table import GlobalKTable
    from headrace.dsl.joinable_stream import JoinableStream
    from headrace.dsl.stream import KStream
    from headrace.dsl.table import KTable

J = TypeVar("J")
K = TypeVar("K")
V = TypeVar("V", covariant=True)
W = TypeVar("W")
T = TypeVar("T")
N = TypeVar("N", covariant=True)
L = TypeVar("L")
R = TypeVar("R")

Pair = Callable[[L, R], T]
"""A function of both values."""
Keyed = Callable[[K, L, R], T]
"""A function of the key and both values."""


class Named(TypedDict, total=False):
    """Options of every join."""

    name: str | None


class Kept(Named, total=False):
    """Options of a join of streams: the name of the store that holds their records."""

    store: str | None


class KeptOn(Kept):
    """Options of a join of streams by another key than that of the records."""

    on: On


class Waiting(Named, total=False):
    """Options of a join with a versioned table: how long records wait for their row."""

    grace: Duration | None


class WaitingOn(Waiting):
    """Options of a join with a versioned table by another key than that of the records."""

    on: On


class StreamJoin(Protocol[K, V, N]):
    """A join of a stream with a stream, a table, a global table, or several in a list."""

    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Pair[V, W | N, Expr], windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Pair[V, W | N, T], windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Keyed[K, V, W | N, Expr] | Expr, windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Keyed[K, V, W | N, T], windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self, other: KTable[K, W], joiner: Pair[V, W | N, Expr], **named: Unpack[Waiting]
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(self, other: KTable[K, W], joiner: Pair[V, W | N, T], **named: Unpack[Waiting]) -> KStream[K, T]: ...
    @overload
    def __call__(
        self, other: KTable[K, W], joiner: Keyed[K, V, W | N, Expr] | Expr, **named: Unpack[Waiting]
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: KTable[K, W], joiner: Keyed[K, V, W | N, T], **named: Unpack[Waiting]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self, other: GlobalKTable[J, W], joiner: Pair[V, W | N, Expr], *, on: LookUp[K, V, J], **named: Unpack[Named]
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: GlobalKTable[J, W], joiner: Pair[V, W | N, T], *, on: LookUp[K, V, J], **named: Unpack[Named]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self,
        other: GlobalKTable[J, W],
        joiner: Keyed[K, V, W | N, Expr] | Expr,
        *,
        on: LookUp[K, V, J],
        **named: Unpack[Named],
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: GlobalKTable[J, W], joiner: Keyed[K, V, W | N, T], *, on: LookUp[K, V, J], **named: Unpack[Named]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self, other: KStream[Any, W], joiner: Pair[V, W | N, Expr], windows: JoinWindows, **named: Unpack[KeptOn]
    ) -> KStream[Any, Any]: ...
    @overload
    def __call__(
        self, other: KStream[Any, W], joiner: Pair[V, W | N, T], windows: JoinWindows, **named: Unpack[KeptOn]
    ) -> KStream[Any, T]: ...
    @overload
    def __call__(
        self,
        other: KStream[Any, W],
        joiner: Keyed[Any, V, W | N, Any] | Expr,
        windows: JoinWindows,
        **named: Unpack[KeptOn],
    ) -> KStream[Any, Any]: ...
    @overload
    def __call__(
        self, other: KTable[Any, W], joiner: Pair[V, W | N, Expr], **named: Unpack[WaitingOn]
    ) -> KStream[Any, Any]: ...
    @overload
    def __call__(
        self, other: KTable[Any, W], joiner: Pair[V, W | N, T], **named: Unpack[WaitingOn]
    ) -> KStream[Any, T]: ...
    @overload
    def __call__(
        self, other: KTable[Any, W], joiner: Keyed[Any, V, W | N, Any] | Expr, **named: Unpack[WaitingOn]
    ) -> KStream[Any, Any]: ...
    @overload
    def __call__(
        self,
        other: Sequence[KStream[Any, Any] | KTable[Any, Any] | GlobalKTable[Any, Any]],
        joiner: Callable[..., T] | Expr,
        windows: JoinWindows | None = None,
        *,
        on: Sequence[On | None] | None = None,
        **named: Unpack[Kept],
    ) -> KStream[Any, T]: ...


class OuterStreamJoin(Protocol[K, V]):
    """A join of streams of which either side may be missing."""

    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Pair[V, W | None, Expr], windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Pair[V, W | None, T], windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self,
        other: KStream[K, W],
        joiner: Keyed[K, V, W | None, Expr] | Expr,
        windows: JoinWindows,
        **named: Unpack[Kept],
    ) -> KStream[K, Any]: ...
    @overload
    def __call__(
        self, other: KStream[K, W], joiner: Keyed[K, V, W | None, T], windows: JoinWindows, **named: Unpack[Kept]
    ) -> KStream[K, T]: ...
    @overload
    def __call__(
        self, other: KStream[Any, W], joiner: Pair[V, W | None, Expr], windows: JoinWindows, **named: Unpack[KeptOn]
    ) -> KStream[Any, Any]: ...
    @overload
    def __call__(
        self, other: KStream[Any, W], joiner: Pair[V, W | None, T], windows: JoinWindows, **named: Unpack[KeptOn]
    ) -> KStream[Any, T]: ...
    @overload
    def __call__(
        self,
        other: KStream[Any, W],
        joiner: Keyed[Any, V, W | None, Any] | Expr,
        windows: JoinWindows,
        **named: Unpack[KeptOn],
    ) -> KStream[Any, Any]: ...
    @overload
    def __call__(
        self,
        other: Sequence[KStream[Any, Any]],
        joiner: Callable[..., T] | Expr,
        windows: JoinWindows,
        *,
        on: Sequence[On | None] | None = None,
        **named: Unpack[Kept],
    ) -> KStream[Any, T]: ...


class InnerOfStream(Protocol):
    def __get__(self, stream: JoinableStream[K, V], owner: object) -> StreamJoin[K, V, Never]: ...


class LeftOfStream(Protocol):
    def __get__(self, stream: JoinableStream[K, V], owner: object) -> StreamJoin[K, V, None]: ...


class OuterOfStream(Protocol):
    def __get__(self, stream: JoinableStream[K, V], owner: object) -> OuterStreamJoin[K, V | None]: ...


def inner(method: Callable[..., Any]) -> InnerOfStream:
    """A method with the types of an inner join, for a type checker."""
    return cast(InnerOfStream, method)


def left(method: Callable[..., Any]) -> LeftOfStream:
    """The same of a left join."""
    return cast(LeftOfStream, method)


def outer(method: Callable[..., Any]) -> OuterOfStream:
    """The same of an outer join."""
    return cast(OuterOfStream, method)
