"""join and left_join of tables on a key inside the values of the left."""

import headrace as hr
from cases.table import Case, every, put, settled, texts
from cases.table_join import both
from cases.tables import rows
from headrace.dsl import Builder


def inner(app: Builder) -> None:
    orders, users = rows(app, "orders"), rows(app, "users")
    orders.join(users, lambda order, user: order + "+" + user, on=lambda order: order[:1]).to_stream().to("out")


def left(app: Builder) -> None:
    key = hr.when(hr.value == "none", None).otherwise(hr.value[:1])
    rows(app, "orders").left_join(rows(app, "users"), both, on=key).to_stream().to("out")


def by_key(app: Builder) -> None:
    joined = rows(app, "orders").join(
        rows(app, "users"), lambda key, order, user: key + order + user, on=lambda key, _: key[:1], store="joined"
    )
    joined.to_stream().to("out")


def counted(app: Builder) -> None:
    joined = rows(app, "orders").join(rows(app, "users"), lambda _, user: user, on=lambda order: order[:1])
    joined.group_by(lambda k, user: (user, k)).count(store="n", emit="every").to_stream().to("out")


def of_windows(app: Builder) -> None:
    windows = texts(app).group_by_key().windowed_by(hr.tumbling("10ms"))
    last = windows.reduce(lambda _, v: v, store="last", retention="1h")
    last.left_join(rows(app, "users"), both, on=lambda window, _: window.key).to_stream().to("out")


def by_window(app: Builder) -> None:
    left, right = (
        texts(app, topic).group_by_key().windowed_by(hr.tumbling("10ms")).reduce(lambda _, v: v, store=f"last-{topic}")
        for topic in ("in", "other")
    )
    left.join(right, both, on=lambda window, _: window).to_stream(lambda window, _: window.key).to("out")


def by_number(app: Builder) -> None:
    numbers = app.table("numbers", key=hr.STRING, value=hr.DOUBLE)
    users = app.table("users", key=hr.DOUBLE, value=hr.STRING)
    numbers.join(users, lambda _, user: user, on=lambda number: number).to_stream().to("out")


def itself(app: Builder) -> None:
    orders = rows(app, "orders")
    orders.join(orders, lambda order, other: order + "+" + other, on=lambda order: order[:1]).to_stream().to("out")


def joined_again(app: Builder) -> None:
    orders, users = rows(app, "orders"), rows(app, "users")
    joined = orders.join(users, lambda order, user: order + "+" + user, on=lambda order: order[:1])
    joined.join(orders, lambda pair, order: pair + "=" + order, store="again").to_stream().to("out")


CASES = [
    Case(
        "rows find others of their own table",
        itself,
        put("orders", ("a", "b1"), ("b", "a2"), ("c", "x3")),
        settled("out", {"a": "b1+a2", "b": "a2+b1"}),
        put("orders", ("b", "c4"), ("x", "a5")),
        settled("out", {"a": "b1+c4", "b": "c4+x3", "c": "x3+a5", "x": "a5+b1"}),
    ),
    Case(
        "a joined table meets its left side again",
        joined_again,
        put("users", ("a", "ann", 1)),
        put("orders", ("1", "ax", 10), ("2", "bx", 11)),
        settled("out", {"1": "ax+ann=ax"}),
        put("orders", ("1", "ay", 20)),
        put("users", ("b", "bob", 21)),
        settled("out", {"1": "ay+ann=ay", "2": "bx+bob=bx"}),
    ),
    Case(
        "the foreign key may be one with a window",
        by_window,
        put("other", ("a", "1", 1), ("b", "2", 2)),
        put("in", ("a", "x", 1), ("b", "y", 2), ("c", "z", 3)),
        settled("out", {"a": "x+1", "b": "y+2"}),
    ),
    Case(
        "foreign keys are told apart by their bytes",
        by_number,
        put("users", (float("nan"), "ann"), (0.0, "bob"), (-0.0, "cyd")),
        put("numbers", ("1", float("nan")), ("2", 0.0)),
        every("out", ("1", "ann"), ("2", "bob")),
        put("numbers", ("2", -0.0)),
        every("out", ("2", "cyd")),
    ),
    Case(
        "each order joins its user, whichever comes first",
        inner,
        put("orders", ("1", "ax", 10), ("2", "ay", 20), ("3", "bz", 30)),
        every("out"),
        put("users", ("a", "ann", 5)),
        every("out", ("1", "ax+ann", 5), ("2", "ay+ann", 5)),
        put("orders", ("4", "aw", 1), (None, "av")),
        every("out", ("4", "aw+ann", 5)),
        put("users", ("b", "bob", 40), ("c", "cyd")),
        every("out", ("3", "bz+bob", 40)),
    ),
    Case(
        "an order that moves to another user is joined anew",
        inner,
        put("users", ("a", "ann", 1), ("b", "bob", 2)),
        put("orders", ("1", "ax", 10)),
        every("out", ("1", "ax+ann", 10)),
        put("orders", ("1", "by", 20)),
        every("out", ("1", "by+bob", 20)),
        put("users", ("a", "amy", 30)),
        every("out"),
        put("orders", ("1", "cz", 40)),
        every("out", ("1", None, 40)),
        put("orders", ("1", None, 50), ("9", None)),
        every("out", ("1", None, 50)),
    ),
    Case(
        "a user who goes takes the joined orders along",
        inner,
        put("users", ("a", "ann")),
        put("orders", ("2", "ay"), ("1", "ax")),
        settled("out", {"1": "ax+ann", "2": "ay+ann"}),
        put("users", ("a", None, 2_000)),
        every("out", ("1", None, 2_000), ("2", None, 2_000)),
    ),
    Case(
        "an empty text is a row like any other",
        inner,
        put("users", ("a", "")),
        put("orders", ("1", "ax")),
        every("out", ("1", "ax+")),
    ),
    Case(
        "a left join keeps orders without a user or without a key of one",
        left,
        put("orders", ("1", "ax", 10), ("2", "none", 20)),
        every("out", ("1", "ax+-", 10), ("2", "none+-", 20)),
        put("users", ("a", "ann", 5)),
        every("out", ("1", "ax+ann", 5)),
        put("orders", ("2", "ay", 30)),
        every("out", ("2", "ay+ann", 30)),
        put("users", ("a", None, 40)),
        every("out", ("1", "ax+-", 40), ("2", "ay+-", 40)),
        put("orders", ("1", None, 50), ("1", None, 60)),
        every("out", ("1", None, 50)),
    ),
    Case(
        "a foreign key may be found in the key",
        by_key,
        put("users", ("a", "ann")),
        put("orders", ("a1", "x"), ("b1", "y"), ("a1", "z")),
        every("out", ("a1", "a1zann")),
    ),
    Case(
        "windows find their foreign keys",
        of_windows,
        put("in", ("a", "x", 3), ("b", "y", 4), ("a", "z", 15)),
        every("out", (("a", 0, 10), "x+-", 3), (("b", 0, 10), "y+-", 4), (("a", 10, 20), "z+-", 15)),
        put("users", ("a", "ann", 20)),
        every("out", (("a", 0, 10), "x+ann", 20), (("a", 10, 20), "z+ann", 20)),
    ),
    Case(
        "joined orders leave their groups",
        counted,
        put("users", ("a", "ann"), ("b", "bob")),
        put("orders", ("1", "ax"), ("2", "ay")),
        every("out", ("ann", 1), ("ann", 2)),
        put("orders", ("1", "bx")),
        every("out", ("ann", 1), ("bob", 1)),
    ),
]
