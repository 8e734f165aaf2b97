"""Orders with their customers and products: two global tables, of which every task has a whole copy."""

from dataclasses import dataclass

import headrace as hr


@dataclass
class Order:
    customer: int
    product: int
    quantity: int


@dataclass
class Customer:
    name: str
    country: str


@dataclass
class Product:
    title: str
    price: float


@dataclass
class Sold:
    order: Order
    customer: Customer


@dataclass
class Line:
    customer: str
    product: str
    total: float
    abroad: bool


def line(sold: Sold, product: Product) -> Line:
    total = sold.order.quantity * product.price
    return Line(sold.customer.name, product.title, total, sold.customer.country not in ("DE", "AT"))


app = hr.App("order-enrichment")
orders = app.stream("sold", key=hr.INT64, value=hr.json(Order))
customers = app.global_table("buyers", key=hr.INT64, value=hr.json(Customer), store="buyers")
products = app.global_table("products", key=hr.INT64, value=hr.json(Product), store="products")

with_customers = orders.join(customers, Sold, on=lambda _, order: order.customer)
lines = with_customers.join(products, line, on=lambda _, sold: sold.order.product)
lines.to("order-lines", value=hr.json(Line))

if __name__ == "__main__":
    app.run()
