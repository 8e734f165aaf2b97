"""What is added to a topology beside the rest renames no store and no repartition of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Repartition

WITHIN = hr.join_windows("1s")


def texts(app: Builder, topic: str) -> Any:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def rows(app: Builder, topic: str) -> Any:
    return app.table(topic, key=hr.STRING, value=hr.STRING)


def three(a: Any, b: Any, c: Any) -> Any:
    return a + b + c


def shop(app: Builder) -> None:
    by_word = texts(app, "orders").select_key(lambda _, v: v)
    by_word.group_by_key().count()
    by_word.filter(hr.value > "m").left_join([rows(app, "users"), rows(app, "notes")], three).to("out")
    texts(app, "orders").join([texts(app, "payments"), texts(app, "orders")], three, WITHIN).to("out")
    rows(app, "users").join(rows(app, "notes"), lambda a, b: a + b, on=lambda user: user[:1]).to_stream().to("out")


def filtered(app: Builder) -> None:
    texts(app, "orders").filter(hr.value > "a").to("elsewhere")


def counted(app: Builder) -> None:
    texts(app, "orders").map_values(lambda v: v + "!").group_by(lambda _, v: v).count(store="other")


def another_topic(app: Builder) -> None:
    first = texts(app, "other").select_key(lambda _, v: v)
    first.filter(hr.value > "a").group_by_key().count()
    first.join([texts(app, "other"), rows(app, "users")], three, WITHIN).to("elsewhere")


def names(*declare: Callable[[Builder], None]) -> set[str]:
    app = Builder("app")
    for one in declare:
        one(app)
    plan = rewrite(app.plan())
    stores = {store for node in plan.nodes if (store := getattr(node, "store", None))}
    return stores | {node.name for node in plan.of(Repartition)}


@pytest.mark.parametrize("added", [filtered, counted, another_topic])
def test_what_is_added_renames_nothing(added: Callable[[Builder], None]) -> None:
    alone = names(shop)
    assert alone == {
        "orders.select_key.count",
        "orders.select_key.repartition",
        "orders.join-payments",
        "orders.join.join-orders",
        "users.join-notes.subscribers",
        "users.join.subscribe.repartition",
        "users.join.match.repartition",
    }
    assert alone <= names(shop, added)
    assert alone <= names(added, shop)
