"""Joins of a stream, as users call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.joins import Joiner
from headrace.build.stream_joins import StreamJoins
from headrace.dsl import stream as streams
from headrace.dsl import table as tables
from headrace.dsl.global_table import GlobalKTable
from headrace.dsl.other_sides import sides
from headrace.dsl.stream_join_types import inner, left, outer
from headrace.model.durations import Duration
from headrace.model.windows import JoinWindows
from headrace.plan.nodes import JoinSide, Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared
    from headrace.dsl.stream import KStream

K = TypeVar("K")
V = TypeVar("V")


class JoinableStream(Generic[K, V]):
    """The part of a stream that joins it with others.

    A function takes both values, or the key and both; what it computes with expressions may be anything, as in
    `map_values`. With `on`, the key is the one that `on` finds.
    """

    _declared: Declared
    _node: Node

    @inner
    def join(
        self,
        other: Any,
        joiner: Joiner,
        windows: JoinWindows | None = None,
        *,
        on: Any = None,
        grace: Duration | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """Each record with the row of its key in a table, or of the key that `on` names in a global table.

        With another stream and `windows`, each pair of records with the same key that lie close enough in time, as
        soon as both are there; its time is the later of both. Both sides keep their records for that long.

        The row is the one that is there when the record comes; a change of the table sends nothing. Records without
        a row are left out, those without a key or a value dropped. The function takes both values, or the key and both.
        With a versioned table it is the row of the record's own time, and with `grace` the record waits for that row
        until the stream is so much further.

        `on` is a function of the value, or of the key and the value, or names of fields. It finds the key to look up in
        a global table; with a table or a stream, the records get it for their key, those of both streams, and the
        result keeps it. A record of which one column is None has no key.

        Several others in a list are joined one after the other, and the function takes all values; `on` is then a list
        with one for each, and finds its keys in the values of this stream.

            orders.join(payments, lambda order, payment: order + payment, hr.join_windows("1h"))
            clicks.join(users, lambda click, user: user + " clicked " + click)
            orders.join(products, lambda order, product: product, on=lambda key, order: order[:3])
            orders.join(prices, lambda order, price: order.pieces * price, on=["sku", "region"])
            a.join([b, c], lambda a, b, c: a + b + c, hr.join_windows("1h"))
        """
        return self._join(other, joiner, JoinSide.INNER, windows, on, grace, store, name)

    @left
    def left_join(
        self,
        other: Any,
        joiner: Joiner,
        windows: JoinWindows | None = None,
        *,
        on: Any = None,
        grace: Duration | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """As `join`, and a record without a row is sent on with None in its place, one without a key too.

        With another stream, that happens when no partner can come any more: `after` and grace have passed in stream
        time.
        """
        return self._join(other, joiner, JoinSide.LEFT, windows, on, grace, store, name)

    @outer
    def outer_join(
        self,
        other: Any,
        joiner: Joiner,
        windows: JoinWindows,
        *,
        on: Any = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """As `left_join` of streams, for the records of all: None stands for a partner that did not come."""
        return self._join(other, joiner, JoinSide.OUTER, windows, on, None, store, name)

    def _join(
        self,
        other: Any,
        joiner: Joiner,
        side: JoinSide,
        windows: JoinWindows | None,
        on: Any,
        grace: Duration | None,
        store: str | None,
        name: str | None,
    ) -> KStream[Any, Any]:
        here = origin()
        kinds = (streams.KStream, tables.KTable, GlobalKTable)
        others = sides(self._declared, other, kinds, "a stream or a table, or several in a list", here)
        joins = StreamJoins(self._declared, side, windows, grace, here)
        if isinstance(other, list | tuple):
            node = joins.all(self._node, others, joiner, on, store, name)
        else:
            node = joins.one(self._node, others[0], joiner, on, store, name)
        return streams.KStream(self._declared, node)
