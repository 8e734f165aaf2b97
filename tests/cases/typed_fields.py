"""Records that no class describes, with dates, times of day, ints of 32 bits and Decimals of so many digits."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from typing import Any

import headrace as hr
import headrace.functions as F
import headrace.types as T
from cases.table import Case, every, in_any_order, put
from headrace.dsl import Builder, KStream

SALE = T.record({"day": date, "at": time, "pieces": T.Int32, "unit price": T.decimal(10, 2)}, "Sale")
BOOKED = T.record({"pieces": T.Int32, "sum": T.decimal(12, 2), "late": bool}, "Booked")


def sale(day: int, hour: int, pieces: int, price: str) -> dict[str, Any]:
    return {"day": date(2024, 5, day), "at": time(hour, 30), "pieces": pieces, "unit price": Decimal(price)}


def sales(app: Builder) -> KStream[str, dict[str, Any]]:
    return app.stream("in", key=hr.STRING, value=hr.json(SALE))


def booked(one: dict[str, Any]) -> dict[str, Any]:
    return {"pieces": one["pieces"], "sum": one["unit price"] * one["pieces"], "late": one["at"] >= time(12)}


CASES = [
    Case(
        "rows of a schema are counted by their date",
        lambda app: sales(app).group_by(lambda _, one: one["day"]).count(store="n").to_stream().to("out"),
        put("in", ("a", sale(1, 9, 1, "1.00")), ("b", sale(2, 9, 1, "1.00")), ("c", sale(1, 9, 2, "2.50"))),
        in_any_order("out", (date(2024, 5, 1), 2), (date(2024, 5, 2), 1)),
    ),
    Case(
        "rows of a schema are counted by an int of 32 bits",
        lambda app: sales(app).group_by(lambda _, one: one["pieces"]).count(store="n").to_stream().to("out"),
        put("in", ("a", sale(1, 9, -7, "1.00")), ("b", sale(2, 9, 2, "1.00")), ("c", sale(1, 9, -7, "2.50"))),
        in_any_order("out", (-7, 2), (2, 1)),
    ),
    Case(
        "what is computed with limited numbers is written as such",
        lambda app: sales(app).map_values(booked).to("out", value=hr.json(BOOKED)),
        put("in", ("a", sale(1, 9, 3, "1.25")), ("b", sale(1, 12, 2, "99999999.99"))),
        every(
            "out",
            ("a", {"pieces": 3, "sum": Decimal("3.75"), "late": False}),
            ("b", {"pieces": 2, "sum": Decimal("199999999.98"), "late": True}),
        ),
    ),
    Case(
        "rows of a schema are chosen by a date, a time and a Decimal",
        lambda app: (
            sales(app)
            .filter(lambda _, one: (one["day"] > date(2024, 5, 1)) & (one["at"] < time(12)))
            .filter(lambda _, one: one["unit price"] == Decimal("2.5"))
            .map_values(lambda one: F.text(one["unit price"]) + one["day"].isoformat())
            .to("out")
        ),
        put("in", ("a", sale(1, 9, 1, "2.50")), ("b", sale(2, 13, 1, "2.50")), ("c", sale(2, 9, 1, "2.50"))),
        every("out", ("c", "2.502024-05-02")),
    ),
]
