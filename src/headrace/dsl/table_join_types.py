"""Types of the joins of a table, for type checkers; in the same words as `stream_join_types`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Never, Protocol, TypedDict, TypeVar, Unpack, cast, overload

from headrace.build.join_keys import LookUp, On
from headrace.dsl.stream_join_types import Keyed, Pair
from headrace.expr import Expr

if TYPE_CHECKING:
    from headrace.dsl.joinable_table import JoinableTable
    from headrace.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V", covariant=True)
W = TypeVar("W")
T = TypeVar("T")
N = TypeVar("N", covariant=True)


class Rows(TypedDict, total=False):
    """Options of a join of tables: where its rows are kept, and which of their changes are sent on."""

    store: str | None
    emit: str | None
    name: str | None


class TableJoin(Protocol[K, V, N]):
    """A join of a table with another, by key or by what `on` finds in its rows, or with several in a list."""

    @overload
    def __call__(
        self,
        other: KTable[Any, W],
        joiner: Pair[V, W | N, Expr],
        *,
        on: LookUp[K, V, Any] | None = None,
        **named: Unpack[Rows],
    ) -> KTable[K, Any]: ...
    @overload
    def __call__(
        self,
        other: KTable[Any, W],
        joiner: Pair[V, W | N, T],
        *,
        on: LookUp[K, V, Any] | None = None,
        **named: Unpack[Rows],
    ) -> KTable[K, T]: ...
    @overload
    def __call__(
        self,
        other: KTable[Any, W],
        joiner: Keyed[K, V, W | N, Expr] | Expr,
        *,
        on: LookUp[K, V, Any] | None = None,
        **named: Unpack[Rows],
    ) -> KTable[K, Any]: ...
    @overload
    def __call__(
        self,
        other: KTable[Any, W],
        joiner: Keyed[K, V, W | N, T],
        *,
        on: LookUp[K, V, Any] | None = None,
        **named: Unpack[Rows],
    ) -> KTable[K, T]: ...
    @overload
    def __call__(
        self,
        other: Sequence[KTable[Any, Any]],
        joiner: Callable[..., T] | Expr,
        *,
        on: Sequence[On | None] | None = None,
        **named: Unpack[Rows],
    ) -> KTable[K, T]: ...


class OuterTableJoin(Protocol[K, V]):
    """A join of tables by key, of which either row may be missing."""

    @overload
    def __call__(
        self, other: KTable[K, W], joiner: Pair[V, W | None, Expr], **named: Unpack[Rows]
    ) -> KTable[K, Any]: ...
    @overload
    def __call__(self, other: KTable[K, W], joiner: Pair[V, W | None, T], **named: Unpack[Rows]) -> KTable[K, T]: ...
    @overload
    def __call__(
        self, other: KTable[K, W], joiner: Keyed[K, V, W | None, Expr] | Expr, **named: Unpack[Rows]
    ) -> KTable[K, Any]: ...
    @overload
    def __call__(
        self, other: KTable[K, W], joiner: Keyed[K, V, W | None, T], **named: Unpack[Rows]
    ) -> KTable[K, T]: ...
    @overload
    def __call__(
        self, other: Sequence[KTable[K, Any]], joiner: Callable[..., T] | Expr, **named: Unpack[Rows]
    ) -> KTable[K, T]: ...


class InnerOfTable(Protocol):
    def __get__(self, table: JoinableTable[K, V], owner: object) -> TableJoin[K, V, Never]: ...


class LeftOfTable(Protocol):
    def __get__(self, table: JoinableTable[K, V], owner: object) -> TableJoin[K, V, None]: ...


class OuterOfTable(Protocol):
    def __get__(self, table: JoinableTable[K, V], owner: object) -> OuterTableJoin[K, V | None]: ...


def inner(method: Callable[..., Any]) -> InnerOfTable:
    """A method with the types of an inner join, for a type checker."""
    return cast(InnerOfTable, method)


def left(method: Callable[..., Any]) -> LeftOfTable:
    """The same of a left join."""
    return cast(LeftOfTable, method)


def outer(method: Callable[..., Any]) -> OuterOfTable:
    """The same of an outer join."""
    return cast(OuterOfTable, method)
