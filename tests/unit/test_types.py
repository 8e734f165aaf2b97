"""What a type checker knows of a topology: checked by mypy with the rest, and run, so that the types are the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_type

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import GlobalKTable, KGroupedStream, KGroupedTable, KStream, KTable
from headrace.dsl.windowed import WindowedKStream


@dataclass
class Order:
    customer: str
    amount: float


@dataclass
class Customer:
    name: str
    region: str


async def rated(order: Order) -> float:
    return order.amount


async def rated_by_key(_: str, order: Order) -> float:
    return order.amount


app = hr.App("types")
orders = app.stream("orders", key=hr.STRING, value=hr.json(Order))
customers = app.table("customers", key=hr.STRING, value=hr.json(Customer))


def test_sources() -> None:
    assert_type(app.stream("raw"), KStream[bytes, bytes])
    assert_type(app.stream("words", value=hr.STRING), KStream[bytes, str])
    assert_type(app.stream("keys", key=hr.INT64, start="latest"), KStream[int, bytes])
    assert_type(orders, KStream[str, Order])
    assert_type(customers, KTable[str, Customer])
    assert_type(app.stream("events", value=hr.json()), KStream[bytes, Any])
    products = app.global_table("products", key=hr.INT64, value=hr.STRING, timestamp="skip")
    assert_type(products, GlobalKTable[int, str])
    joined = orders.join(products, lambda _, product: product, on=lambda _, order: int(order.amount))
    assert_type(joined, KStream[str, str])


def test_stateless() -> None:
    assert_type(orders.filter(lambda _, order: order.amount > 1), KStream[str, Order])
    assert_type(orders.map_values(lambda order: order.amount), KStream[str, float])
    assert_type(orders.map_values(lambda key, order: key + order.customer), KStream[str, str])
    assert_type(orders.map_values(rated, concurrency=8, timeout="1s", retries=2, backoff="1s"), KStream[str, float])
    assert_type(orders.map_values(rated_by_key), KStream[str, float])
    assert_type(orders.map_batches(lambda table: table, value=hr.json(Order), size=10), KStream[str, Order])
    assert_type(orders.map_batches(lambda table: table), KStream[str, Any])
    assert_type(orders.map(lambda _, order: (order.customer, order.amount)), KStream[str, float])
    assert_type(orders.select_key(lambda _, order: order.amount), KStream[float, Order])
    assert_type(orders.flat_map_values(lambda order: [order.customer]), KStream[str, str])
    assert_type(orders.flat_map(lambda key, order: [(order.amount, key)]), KStream[float, str])
    assert_type(orders.peek(lambda key, order: print(key, order.customer)), KStream[str, Order])
    ways = orders.split("by-").branch(lambda _, order: order.amount > 9, name="size").default_branch()
    assert_type(ways, dict[str, KStream[str, Order]])


def test_groups_and_tables() -> None:
    grouped = orders.group_by(lambda _, order: order.customer)
    assert_type(grouped, KGroupedStream[str, Order])
    assert_type(grouped.count(store="n"), KTable[str, int])
    assert_type(grouped.aggregate(0.0, lambda _, order, total: total + order.amount, store="total"), KTable[str, float])
    assert_type(grouped.reduce(lambda first, _: first, store="first"), KTable[str, Order])
    regions = customers.map_values(lambda customer: customer.region)
    assert_type(regions, KTable[str, str])
    assert_type(customers.map_values(lambda key, customer: key + customer.region), KTable[str, str])
    by_region = customers.group_by(lambda key, customer: (customer.region, key))
    assert_type(by_region, KGroupedTable[str, str])
    assert_type(by_region.count(store="by-region"), KTable[str, int])
    assert_type(customers.to_stream(), KStream[str, Customer])
    assert_type(customers.to_stream(lambda _, customer: len(customer.name)), KStream[int, Customer])


def test_windows() -> None:
    windowed = orders.group_by_key().windowed_by(hr.tumbling("1m"))
    assert_type(windowed, WindowedKStream[str, Order])
    counts = windowed.count(store="per-minute")
    assert_type(counts, KTable[hr.Windowed[str], int])
    assert_type(counts.to_stream(lambda key, _: key.key), KStream[str, int])
    assert_type(counts.to_stream().map(lambda key, n: (key.key, n * 1.0)), KStream[str, float])


@dataclass
class Line:
    customer: str
    letters: int


def named(order: Order, customer: Customer | None) -> str:
    return "nobody" if customer is None else customer.name + order.customer


def test_functions_by_name_have_the_types_of_what_they_compute() -> None:
    assert_type(orders.map_values(lambda order: F.length(order.customer)), KStream[str, int])
    lines = orders.map_values(lambda order: Line(F.text(order.amount), letters=F.length(order.customer)))
    assert_type(lines, KStream[str, Line])
    assert_type(orders.filter(lambda _, order: order.customer and F.length(order.customer) > 3), KStream[str, Order])
    assert_type(orders.filter(lambda _, order: ~F.is_null(order.customer)), KStream[str, Order])
    assert_type(orders.map_values(lambda order: F.greatest(order.amount, 1.5)), KStream[str, float])
    assert_type(orders.map_values(lambda order: F.first_match(order.customer, "a+")), KStream[str, str | None])
    assert_type(orders.map_values(lambda order: F.parse_datetime(order.customer).year), KStream[str, int])
    sized = orders.map_values(
        lambda order: hr.when(order.amount > 9, "large").when(order.amount > 1, "some").otherwise("small")
    )
    assert_type(sized, KStream[str, str])
    assert_type(orders.select_key(lambda _, order: F.sha256(order.customer)), KStream[str, Order])
    with pytest.raises(hr.HeadraceError, match=r"Line\.letters is str, int is needed"):
        orders.map_values(lambda order: Line("a", F.text(order.customer)))  # type: ignore[arg-type,return-value]


def test_functions_by_name_of_expressions_are_expressions() -> None:
    assert_type(F.length(hr.value.customer), hr.Expr)
    assert_type(F.contains("abc", hr.value), hr.Expr)
    assert_type(hr.when(hr.value > 9, "large").otherwise("small"), hr.Expr)
    assert_type(F.coalesce(hr.value, "-"), hr.Expr)
    assert_type(F.absolute(hr.value), hr.Expr)
    assert_type(orders.map_values(F.length(hr.value.customer)), KStream[str, Any])


def test_functions_have_their_types_in_the_front_door_still() -> None:
    assert_type(orders.map_values(lambda order: hr.length(order.customer)), KStream[str, int])
    assert_type(hr.coalesce(hr.value, "-"), hr.Expr)
    with pytest.raises(AttributeError, match="lenght"):
        hr.lenght("a")  # type: ignore[attr-defined]


def test_the_side_of_a_left_join_that_may_be_missing() -> None:
    assert_type(orders.left_join(customers, named), KStream[str, str])
    assert_type(orders.left_join(customers, lambda _, other: "-" if other is None else other.name), KStream[str, str])
    assert_type(orders.left_join(customers, lambda _, other: other.name if other else None), KStream[str, str | None])


def region(order: Order, customer: Customer) -> str:
    return customer.region + order.customer


def region_or_none(_: str, order: Order, customer: Customer | None) -> str | None:
    return None if customer is None else customer.region + order.customer


def test_records() -> None:
    record = hr.Record(key="k", value=Order("ann", 1.5), ts=3)
    assert_type(record, hr.Record[str, Order])
    assert_type(record.with_value(7), hr.Record[str, int])
    assert_type(record.with_key(7).with_ts(4), hr.Record[int, Order])

    class Amounts(hr.Processor[str, float]):
        def process(self, record: hr.Record[str, Order]) -> None:
            assert_type(record.value.amount, float)
            self.context.forward(record.with_value(record.value.amount))

    class Rounded(hr.FixedKeyProcessor[int]):
        def process(self, record: hr.FixedKeyRecord[str, Order]) -> None:
            assert_type(record.with_value(1), hr.FixedKeyRecord[str, int])

    class Any_(hr.Processor[Any, Any]):
        def process(self, record: hr.Record) -> None:
            assert_type(record, hr.Record[Any, Any])

    assert_type(orders.process(Amounts), KStream[str, float])
    assert_type(orders.process_values(Rounded), KStream[str, int])
    orders.process(Any_)


def test_joins() -> None:
    assert_type(orders.join(customers, region), KStream[str, str])
    assert_type(orders.left_join(customers, region_or_none), KStream[str, str | None])
    assert_type(orders.join(customers, lambda _, customer: customer.region), KStream[str, str])
    assert_type(orders.join(customers, lambda key, order, _: (key, order.amount)), KStream[str, tuple[str, float]])
    assert_type(orders.left_join(customers, lambda _, customer: customer), KStream[str, Customer | None])
    assert_type(orders.join(customers, lambda order, _: F.coalesce(order.customer, "-")), KStream[str, str])
    assert_type(orders.join(customers, lambda order, _: order.amount, on="customer"), KStream[Any, float])


def test_joins_of_streams() -> None:
    payments = app.stream("payments", key=hr.STRING, value=hr.DOUBLE)
    within = hr.join_windows("1m")
    paid = orders.join(payments, lambda order, paid: order.amount - paid, within, store="a")
    assert_type(paid, KStream[str, float])
    named = orders.join(payments, lambda key, order, _: key + order.customer, within, store="b")
    assert_type(named, KStream[str, str])
    either = orders.outer_join(payments, lambda _, paid: paid, within, store="c")
    assert_type(either, KStream[str, float | None])


def test_joins_by_other_keys() -> None:
    within, returns = hr.join_windows("1m"), app.stream("returns", key=hr.INT64, value=hr.json(Order))
    assert_type(orders.join(returns, lambda _, back: back.amount, within, on="customer"), KStream[Any, float])
    assert_type(orders.left_join(returns, lambda _, back: back, within, on="customer"), KStream[Any, Order | None])
    either = orders.outer_join(returns, lambda order, back: (order, back), within, on="customer")
    assert_type(either, KStream[Any, tuple[Order | None, Order | None]])
    names = app.global_table("names", key=hr.INT64, value=hr.STRING)
    assert_type(orders.left_join(names, lambda _, name: name, on=lambda o: int(o.amount)), KStream[str, str | None])
    with pytest.raises(hr.HeadraceError, match="on=None"):
        orders.join(names, lambda _, name: name)  # type: ignore[call-overload]


def test_joins_of_several() -> None:
    sums = app.table("sums", key=hr.STRING, value=hr.INT64)
    joined = orders.join([customers, sums], lambda order, _, n: (order.customer, n))
    assert_type(joined, KStream[Any, tuple[Any, Any]])
    assert_type(customers.outer_join([sums], lambda _, n: str(n)), KTable[str, str])


def test_joins_by_expressions_may_give_anything() -> None:
    assert_type(orders.join(customers, hr.key), KStream[str, Any])
    assert_type(orders.left_join(customers, lambda _, __: hr.key), KStream[str, Any])
    assert_type(customers.join(customers, lambda _, __: hr.key), KTable[str, Any])


def test_joins_of_tables() -> None:
    sums = orders.group_by_key().count(store="counted")
    assert_type(customers.join(sums, lambda _, n: n + 1), KTable[str, int])
    assert_type(customers.left_join(sums, lambda key, _, n: (key, n)), KTable[str, tuple[str, int | None]])
    assert_type(customers.outer_join(sums, lambda customer, n: customer or n), KTable[str, Customer | int | None])
    assert_type(customers.join(sums, lambda _, n: n, on=lambda customer: customer.name), KTable[str, int])
    assert_type(
        customers.join([sums, sums], lambda customer, n, m: (customer, n, m)), KTable[str, tuple[Any, Any, Any]]
    )
