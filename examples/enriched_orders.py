"""Orders with the names of their customers, kept up to date on both sides: a join by a key inside the orders."""

from dataclasses import dataclass

import headrace as hr


@dataclass
class Order:
    customer: int
    item: str


@dataclass
class Enriched:
    item: str
    customer: str


def enriched(order: Order, name: str | None) -> Enriched:
    return Enriched(order.item, "?" if name is None else name)


app = hr.App("enriched-orders")
orders = app.table("orders", key=hr.STRING, value=hr.json(Order), store="orders")
customers = app.table("customers", key=hr.INT64, value=hr.STRING, store="customers")
joined = orders.left_join(customers, enriched, on=lambda order: order.customer, store="enriched")
joined.to_stream().to("enriched-orders", value=hr.json(Enriched))

if __name__ == "__main__":
    app.run()
