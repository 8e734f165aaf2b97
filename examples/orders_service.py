"""An orders service: three checks of every order, each in a topology of its own, and their verdicts collected."""

from dataclasses import dataclass, replace
from enum import Enum

import headrace as hr

CHECKS = 3


class State(Enum):
    CREATED = "created"
    VALIDATED = "validated"
    FAILED = "failed"


@dataclass(frozen=True)
class Order:
    id: str
    customer: int
    product: str
    quantity: int
    price: float
    state: State = State.CREATED


@dataclass(frozen=True)
class Verdict:
    order: str
    check: str
    passed: bool


@dataclass(frozen=True)
class Customer:
    name: str
    email: str
    level: str


@dataclass(frozen=True)
class Email:
    to: str
    text: str


@dataclass
class Spent:
    """What a customer has spent in a session, and the order that came last."""

    total: float = 0.0
    order: str = ""


RESERVED = hr.stores.key_value("reserved", key=hr.STRING, value=hr.INT64)

app = hr.App("orders-service")
orders = app.stream("orders", key=hr.STRING, value=hr.json(Order))
warehouse = app.table("warehouse", key=hr.STRING, value=hr.INT64, store="stock")
customers = app.table("customers", key=hr.INT64, value=hr.json(Customer), store="customers")
verdicts = app.stream("verdicts", key=hr.STRING, value=hr.json(Verdict))
created = orders.filter(lambda _, order: order.state == State.CREATED)


def check_details(orders: hr.KStream[str, Order]) -> None:
    """An order has a product, and a quantity and a price that can be."""

    def verdict(order: Order) -> Verdict:
        complete = order.quantity > 0 and order.price >= 0 and order.product != ""
        return Verdict(order.id, "details", complete)

    orders.map_values(verdict).to("verdicts")


def check_fraud(orders: hr.KStream[str, Order]) -> None:
    """A customer may spend 2,000 in one go: sessions end after an hour without an order."""

    def add(_: int, order: Order, spent: Spent) -> Spent:
        return Spent(spent.total + order.quantity * order.price, order.id)

    def merge(_: int, left: Spent, right: Spent) -> Spent:
        return Spent(left.total + right.total, right.order)

    spending = (
        orders.group_by(lambda _, order: order.customer)
        .windowed_by(hr.session("1h"))
        .aggregate(Spent, add, merger=merge, store="spending", emit="every")
    )
    changes = spending.to_stream().filter(lambda _, spent: spent is not None)
    changes.map(lambda _, spent: (spent.order, Verdict(spent.order, "fraud", spent.total < 2_000))).to(
        "verdicts", key=hr.STRING, value=hr.json(Verdict)
    )


class Reserve(hr.Processor[str, Verdict]):
    """Reserves what an order wants, if that much is in stock and not reserved yet."""

    def process(self, record: hr.Record) -> None:
        order: Order = record.value
        stock = self.context.store("stock").get(order.product)
        reserved = self.context.store(RESERVED).get(order.product) or 0
        there = stock is not None and stock.value - reserved >= order.quantity
        if there:
            self.context.store(RESERVED).put(order.product, reserved + order.quantity)
        verdict = Verdict(order.id, "inventory", there)
        self.context.forward(record.with_key(order.id).with_value(verdict))


def check_inventory(orders: hr.KStream[str, Order]) -> None:
    by_product = orders.select_key(lambda _, order: order.product).repartition()
    by_product.process(Reserve, stores=[RESERVED, "stock"], name="reserve").to("verdicts")


def collect(verdicts: hr.KStream[str, Verdict], orders: hr.KStream[str, Order]) -> None:
    """An order that passed all checks is validated; one that failed a check has failed."""
    passed = (
        verdicts.filter(lambda _, verdict: verdict.passed)
        .group_by_key()
        .windowed_by(hr.session("5m"))
        .count(store="passed", emit="every")
        .to_stream(lambda window, _: window.key)
        .filter(lambda _, passed: passed is not None and passed == CHECKS)
    )
    failed = verdicts.filter(lambda _, verdict: not verdict.passed).drop_duplicates(within="5m", store="failed")

    def validate(_: int, order: Order) -> Order:
        return replace(order, state=State.VALIDATED)

    def fail(_: Verdict, order: Order) -> Order:
        return replace(order, state=State.FAILED)

    passed.join(orders, validate, hr.join_windows("5m"), store="validating").to("orders")
    failed.join(orders, fail, hr.join_windows("5m"), store="failing").to("orders")


def send_emails(orders: hr.KStream[str, Order]) -> None:
    def email(order: Order, customer: Customer) -> Email:
        return Email(customer.email, f"{customer.name}, your order {order.id} was {order.state.value}")

    done = orders.filter(lambda _, order: order.state != State.CREATED).select_key(lambda _, order: order.customer)
    emails = done.join(customers, email)
    emails.to("emails", value=hr.json(Email))


check_details(created)
check_fraud(created)
check_inventory(created)
collect(verdicts, created)
send_emails(orders)

if __name__ == "__main__":
    app.run()
