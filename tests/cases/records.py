"""Records of dataclasses, TypedDicts and untyped JSON on their way through a topology."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import TypedDict

import headrace as hr
import headrace.functions as F
from cases.table import Case, every, in_any_order, put, settled
from headrace.dsl import Builder, KStream


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Fast(int, Enum):
    NO = 1
    YES = 2


@dataclass(frozen=True)
class Line:
    product: str
    price: Decimal


@dataclass(frozen=True)
class Order:
    customer: str
    amount: int
    size: Size = Size.SMALL
    note: str | None = None


class Click(TypedDict):
    user: str
    page: int


def orders(app: Builder) -> KStream[str, Order]:
    return app.stream("in", key=hr.STRING, value=hr.json(Order))


def counted_by_customer(app: Builder) -> None:
    by_customer = orders(app).group_by(lambda _, order: order.customer)
    by_customer.count(store="n").to_stream().to("out")


def counted_by_record(app: Builder) -> None:
    orders(app).select_key(lambda _, order: order).group_by_key().count(store="n").to_stream().to("out")


def built(app: Builder) -> None:
    def bigger(order: Order) -> Order:
        return Order(customer=order.customer.upper(), amount=order.amount * 2, size=order.size)

    orders(app).map_values(bigger).to("out")


def lines(order: Order) -> list[Line]:
    return [Line(order.customer, F.decimal(order.amount))]


def told(order: Order) -> str:
    urgent = F.if_null(hr.when(order.amount > 0, Fast.YES).otherwise(Fast.NO), Fast.NO)
    listed = [order.size.value, order.size.name, F.text(order.size), F.text(urgent.value), F.text(urgent)]
    return F.join(" ", listed)


CASES = [
    Case(
        "a record is written as it was read",
        lambda app: orders(app).to("out"),
        put("in", ("k", Order("ann", 1)), ("l", Order("bob", 2, Size.LARGE, "né")), ("m", None)),
        every("out", ("k", Order("ann", 1)), ("l", Order("bob", 2, Size.LARGE, "né")), ("m", None)),
    ),
    Case(
        "records are chosen by their fields",
        lambda app: (
            orders(app)
            .filter(lambda _, order: (order.amount > 5) | (order.size == Size.LARGE))
            .to("out", key=hr.STRING)
        ),
        put("in", ("a", Order("x", 1)), ("b", Order("x", 6)), ("c", Order("x", 1, Size.LARGE))),
        every("out", ("b", Order("x", 6)), ("c", Order("x", 1, Size.LARGE))),
    ),
    Case(
        "a field that is None is a value like others",
        lambda app: orders(app).map_values(lambda order: F.if_null(order.note, "-")).to("out"),
        put("in", ("a", Order("x", 1)), ("b", Order("x", 1, note="n"))),
        every("out", ("a", "-"), ("b", "n")),
    ),
    Case(
        "a record is built from another",
        built,
        put("in", ("a", Order("ann", 1, Size.LARGE, "gone"))),
        every("out", ("a", Order("ANN", 2, Size.LARGE))),
    ),
    Case(
        "records are counted by a field",
        counted_by_customer,
        put("in", ("a", Order("ann", 1)), ("b", Order("bob", 1)), ("c", Order("ann", 3))),
        settled("out", {"ann": 2, "bob": 1}),
        put("in", ("a", Order("ann", 1))),
        settled("out", {"ann": 3, "bob": 1}),
    ),
    Case(
        "whole records are keys",
        counted_by_record,
        put("in", ("a", Order("ann", 1)), ("b", Order("ann", 1)), ("c", Order("ann", 2))),
        in_any_order("out", (Order("ann", 1), 2), (Order("ann", 2), 1)),
    ),
    Case(
        "the keys of a typed dict",
        lambda app: (
            app.stream("in", value=hr.json(Click)).map(lambda _, click: (click["user"], click["page"])).to("out")
        ),
        put("in", (None, {"user": "a", "page": 3})),
        every("out", ("a", 3)),
    ),
    Case(
        "a dict is built and written as a typed one",
        lambda app: (
            app.stream("in", key=hr.STRING, value=hr.INT64)
            .map(lambda key, page: (key, {"user": key, "page": page}))
            .to("out", value=hr.json(Click))  # type: ignore[arg-type]
        ),
        put("in", ("ann", 7)),
        every("out", ("ann", {"user": "ann", "page": 7})),
    ),
    Case(
        "parts of untyped json",
        lambda app: (
            app.stream("in", key=hr.STRING, value=hr.json())
            .filter(lambda _, event: event["kind"] == "click")
            .map_values(lambda event: F.as_int(event["pages"][-1]) + 1)
            .to("out")
        ),
        put("in", ("a", {"kind": "click", "pages": [1, 2]}), ("b", {"kind": "view"})),
        every("out", ("a", 3)),
    ),
    Case(
        "members of enums as values, as names and as texts",
        lambda app: orders(app).map_values(told).to("out"),
        put("in", ("a", Order("ann", 1, Size.LARGE)), ("b", Order("bob", 2, Size.SMALL, "n"))),
        every("out", ("a", "large LARGE Size.LARGE 2 Fast.YES"), ("b", "small SMALL Size.SMALL 2 Fast.YES")),
    ),
    Case(
        "a record as a text",
        lambda app: orders(app).map_values(lambda order: F.text(order) + F.text([order.amount])).to("out"),
        put("in", ("a", Order("ann", 1))),
        every("out", ("a", f"{Order('ann', 1)}[1]")),
    ),
    Case(
        "what is flat mapped are fields of records",
        lambda app: orders(app).flat_map_values(lines).to("out"),
        put("in", ("a", Order("ann", 3))),
        every("out", ("a", Line("ann", Decimal(3)))),
    ),
]
