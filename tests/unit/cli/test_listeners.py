"""The listeners of the music demo, and its program."""

from __future__ import annotations

from collections import Counter

import headrace as hr
from headrace.cli.demos import music_charts
from headrace.cli.demos.listeners import Listeners, all_songs


def test_there_are_some_songs_of_each_genre() -> None:
    songs = all_songs().values()
    assert len({(song.title, song.artist) for song in songs}) == len(songs) == 42
    assert set(Counter(song.genre for song in songs).values()) == {7}


def test_the_charts_are_those_of_a_recount() -> None:
    listeners = Listeners(all_songs())
    driver = hr.testing.TopologyTestDriver(music_charts.app)
    for number, song in all_songs().items():
        driver.input("songs").pipe(song, key=number)
    for _ in range(5):
        with driver.batch():
            for play in listeners.plays(100):
                driver.input("plays").pipe(play)
        assert driver.store("charts").all() == listeners.charts()
    assert 400 < listeners.heard.total() < 500


def test_the_charts_move_for_as_long_as_somebody_listens() -> None:
    listeners = Listeners(all_songs())
    orders = []
    for _ in range(200):
        listeners.plays(500)
        orders.append(tuple(song.song for song in listeners.charts()["all"].songs))
    assert len(set(orders[:100])) > 50
    assert len(set(orders[100:])) > 50
