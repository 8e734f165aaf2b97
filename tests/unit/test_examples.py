"""The examples, run in the test driver."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import headrace as hr

EXAMPLES = Path(__file__).parents[2] / "examples"
DEMOS = {"music_charts"}
"""Examples that are programs of `headrace demo`."""


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)  # dataclasses look for the module they are written in
    spec.loader.exec_module(module)
    return module


def driver_of(module: Any) -> hr.testing.TopologyTestDriver:
    return hr.testing.TopologyTestDriver(module.app)


def test_word_count(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = driver_of(loaded("word_count", monkeypatch))
    driver.input("lines").pipe("To be or not to be")
    assert driver.output("counts").read_table() == {"to": 2, "be": 2, "or": 1, "not": 1}


def test_page_views(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("page_views", monkeypatch)
    driver = driver_of(example)
    driver.input("users").pipe(example.User("Ann", "north"), key="ann")
    for second, user in enumerate(["ann", "bob", "ann", "cleo"]):
        driver.input("views").pipe(example.View(user, "/"), ts=second * 1_000)
    driver.input("users").pipe(example.User("Bob", "south"), key="bob")
    driver.input("views").pipe(example.View("bob", "/"), ts=61_000)
    assert driver.output("views-by-region").read_all() == []
    driver.input("views").pipe(example.View("ann", "/"), ts=131_000)
    assert driver.output("views-by-region").read_all() == [("north", 2), ("unknown", 2), ("south", 1)]


def test_card_alerts(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("card_alerts", monkeypatch)
    driver = driver_of(example)
    for minute, card, amount in [(0, "a", 400.0), (1, "b", 900.0), (2, "a", 50.0), (3, "a", 51.0), (20, "a", 9.0)]:
        driver.input("payments").pipe(example.Payment(card, amount), ts=minute * 60_000)
    assert driver.output("alerts").read_all() == [("a", example.Burst(3, 501.0))]


def test_enriched_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("enriched_orders", monkeypatch)
    driver = driver_of(example)
    driver.input("orders").pipe(example.Order(7, "tea"), key="o1")
    driver.input("customers").pipe("Ann", key=7)
    driver.input("orders").pipe(example.Order(7, "milk"), key="o2")
    driver.input("customers").pipe("Anna", key=7)
    driver.input("orders").pipe(None, key="o1")
    assert driver.output("enriched-orders").read_table() == {"o2": example.Enriched("milk", "Anna")}


def test_music_charts() -> None:
    from headrace.cli.demos import music_charts as example

    driver = driver_of(example)
    songs, plays = driver.input("songs"), driver.input("plays")

    def play(*numbers: int, seconds: int = 30) -> None:
        for number in numbers:
            plays.pipe(example.Play(number, seconds))

    def charts() -> dict[str, list[tuple[int, int]]]:
        rows = driver.store("charts").all()
        return {name: [(song.song, song.plays) for song in chart.songs] for name, chart in rows.items()}

    for number in range(1, 8):
        songs.pipe(example.Song(f"song {number}", "somebody", "album", "jazz" if number < 7 else "folk"), key=number)
    play(9, seconds=300)  # of a song that nobody knows
    play(1, 2, 3, seconds=29)
    assert charts() == {}

    play(*range(1, 8), 3, 3, 2)
    jazz = [(3, 3), (2, 2), (1, 1), (4, 1), (5, 1)]
    assert charts() == {"all": jazz, "jazz": jazz, "folk": [(7, 1)]}

    # A song that goes to another genre makes room for the sixth.
    songs.pipe(example.Song("song 3", "somebody", "album", "folk"), key=3)
    play(3)
    assert charts() == {
        "all": [(3, 4), *jazz[1:]],
        "jazz": [(2, 2), (1, 1), (4, 1), (5, 1), (6, 1)],
        "folk": [(3, 4), (7, 1)],
    }
    assert driver.store("song-plays").get(3) == example.Counted(3, "song 3", "somebody", "album", "folk", 4)
    assert driver.output("charts").read_table() == driver.store("charts").all()


def test_orders_service(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("orders_service", monkeypatch)
    driver = driver_of(example)
    driver.input("warehouse").pipe_records([("tea", 10), ("gold", 9)])
    driver.input("customers").pipe(example.Customer("Ann", "ann@example.org", "gold"), key=1)

    def order(name: str, product: str, quantity: int, price: float) -> None:
        driver.input("orders").pipe(example.Order(name, 1, product, quantity, price), key=name)

    order("a", "tea", 8, 2.0)
    order("b", "tea", 8, 2.0)  # two are left
    order("c", "gold", 1, 1_999.0)  # too much in one session
    order("d", "", 0, 1.0)
    states = {name: order.state for name, order in driver.output("orders").read_all()}
    failed = example.State.FAILED
    assert states == {"a": example.State.VALIDATED, "b": failed, "c": failed, "d": failed}
    texts = [email.text for _, email in driver.output("emails").read_all()]
    assert texts[0] == "Ann, your order a was validated"
    assert sorted(texts[1:]) == [f"Ann, your order {name} was failed" for name in "bcd"]


def test_top_articles(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("top_articles", monkeypatch)
    driver = driver_of(example)
    for article, views in [("a", 3), ("b", 1), ("c", 2), ("d", 4), ("e", 5), ("f", 2), ("/draft", 9)]:
        for user in range(views):
            driver.input("article-views").pipe(example.View(f"user {user}", article, "tea"), ts=1_000)
    driver.input("article-views").pipe(example.View("ann", "b", "tea"), ts=3_600_000)
    driver.input("article-views").pipe(example.View("ann", "x", "coffee"), ts=3_600_000)
    told = driver.output("top-articles").read_all()
    assert told[-3:] == [("tea", "e (5), d (4), a (3), c (2), f (2)"), ("tea", "b (1)"), ("coffee", "x (1)")]
    first = hr.Windowed("tea", 0, 3_600_000)
    assert [one.title for one in driver.store("ranked").get(first)] == ["e", "d", "a", "c", "f", "b"]


def test_approximate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("approximate_counts", monkeypatch)
    driver = driver_of(example)
    driver.input("texts").pipe(" ".join(f"word{number}" for number in range(300)))
    driver.input("texts").pipe("Tea tea TEA")
    told = driver.output("word-estimates").read_all()
    assert len(told) == 303
    assert told[-1] == ("tea", 3)
    assert all(estimate <= 2 for _, estimate in told[:300])


def test_distinct_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("distinct_visitors", monkeypatch)
    driver = driver_of(example)
    for number in range(6_000):
        driver.input("visits").pipe(example.Visit("/", f"visitor {number % 3_000}"))
    driver.input("visits").pipe(example.Visit("/about", "ann"))
    found = driver.output("visitors-per-day").read_table()
    assert found["/about"] == 1
    assert abs(found["/"] - 3_000) < 300  # the standard error is 3 %


def test_user_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("user_sessions", monkeypatch)
    driver = driver_of(example)
    for minute, user, page in [(0, "ann", "/"), (10, "ann", "/tea"), (35, "ann", "/thanks"), (36, "bob", "/")]:
        driver.input("clicks").pipe(example.Click(user, page), ts=minute * 60_000)
    assert driver.output("user-visits").is_empty
    driver.input("clicks").pipe(example.Click("cleo", "/"), ts=120 * 60_000)
    assert driver.output("user-visits").read_all() == [
        ("ann", "3 pages in 35 min, bought"),
        ("bob", "1 pages in 0 min, left at /"),
    ]


def test_distinct_events(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("distinct_events", monkeypatch)
    driver = driver_of(example)
    sent = [("1", "web", 0), ("1", "web", 5), ("2", "batch", 6), ("3", "app", 8), ("1", "web", 12), ("4", "web", 1)]
    for name, source, minute in sent:
        driver.input("events").pipe(example.Event(name, source, "..."), key="k", ts=minute * 60_000)
    assert [key for key, _ in driver.output("distinct-events").read_all()] == ["1", "3", "1"]
    assert [key for key, _ in driver.output("too-late-events").read_all()] == ["4"]


def test_anomalies(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("anomalies", monkeypatch)
    driver = driver_of(example)
    for second, user in [(1, "ann"), (2, "bob"), (3, "ann"), (59, "ann"), (60, "bob"), (61, "bob"), (62, "ann")]:
        driver.input("user-clicks").pipe(example.Click(user, "10.0.0.1"), ts=second * 1_000)
    assert driver.output("anomalous-users").read_all() == [("ann", "3 clicks in a minute")]


def test_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("temperature", monkeypatch)
    driver = driver_of(example)
    readings = [(0, "oven", 20.0), (1, "oven", 41.5), (2, "oven", 30.0), (2, "hall", 19.0), (3, "hall", 9_999.0)]
    for minute, sensor, celsius in readings:
        driver.input("readings").pipe(example.Reading(sensor, celsius), ts=minute * 60_000)
    driver.input("readings").pipe(example.Reading("hall", 19.0), ts=11 * 60_000)
    assert driver.output("alarms").read_all() == [("oven", 41.5)]


def test_order_enrichment(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("order_enrichment", monkeypatch)
    driver = driver_of(example)
    driver.input("buyers").pipe_records([(1, example.Customer("Ann", "DE")), (2, example.Customer("Bob", "FR"))])
    driver.input("products").pipe(example.Product("tea", 2.5), key=7)
    driver.input("sold").pipe_records([(100, example.Order(1, 7, 4)), (101, example.Order(2, 7, 1))])
    driver.input("sold").pipe(example.Order(3, 7, 1), key=102)  # nobody knows this customer
    assert driver.output("order-lines").read_all() == [
        (100, example.Line("Ann", "tea", 10.0, abroad=False)),
        (101, example.Line("Bob", "tea", 2.5, abroad=True)),
    ]


def test_log_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("log_levels", monkeypatch)
    driver = driver_of(example)
    lines = ["shop [error] no tea", "shop [info] ready", "  at shop.py:7", "gate [ERROR] shut", "shop [info] open"]
    driver.input("log-lines").pipe_values(lines)
    assert driver.output("errors-of-shop").read_values() == [example.Entry("shop", "ERROR", "no tea")]
    assert driver.output("errors-of-others").read_values() == [example.Entry("gate", "ERROR", "shut")]
    assert driver.output("levels-per-minute").read_table() == {"ERROR at 0": 2, "INFO at 0": 2}


def test_stock_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    example = loaded("stock_levels", monkeypatch)
    driver = driver_of(example)
    for second, product, pieces in [(0, "tea", 10), (1, "tea", -7), (2, "milk", 6), (61, "milk", -8), (121, "tea", 9)]:
        driver.input("movements").pipe(example.Movement(product, pieces), ts=second * 1_000)
    assert driver.output("reminders").read_all() == [
        ("milk", "2 pieces too many were sold"),
        ("milk", "only 0 left"),
        ("tea", "only 3 left"),
        ("milk", "only 0 left"),
    ]


def test_every_example_is_here() -> None:
    names = {file.stem for file in EXAMPLES.glob("*.py")} | DEMOS
    assert names == {name.removeprefix("test_") for name in globals() if name.startswith("test_")} - {
        "every_example_is_here"
    }
