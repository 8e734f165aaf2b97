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


def test_every_example_is_here() -> None:
    names = {file.stem for file in EXAMPLES.glob("*.py")} | DEMOS
    assert names == {name.removeprefix("test_") for name in globals() if name.startswith("test_")} - {
        "every_example_is_here"
    }
