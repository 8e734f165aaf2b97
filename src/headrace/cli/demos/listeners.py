"""Listeners who do not exist, hearing songs that do not either: what the music demo lives on."""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path

from headrace.cli.demos.music_charts import Chart, Counted, Play, Song

ON_THE_RISE = 5
SHARE_ON_THE_RISE = 0.75
"""Of all plays."""

SHARE_IN_GENRE = 0.5
"""Of those on the rise: how many only want to get to the top of their genre."""

SKIPPED = 0.08
"""How many leave a song before it counts."""

HEARD_S = 30
SHOWN = 5


def all_songs() -> dict[int, Song]:
    """The songs by their numbers, from 1 on."""
    with Path(__file__).with_name("songs.csv").open(encoding="utf-8", newline="") as file:
        return {number: Song(**row) for number, row in enumerate(csv.DictReader(file), 1)}


class Listeners:
    """Plays of listeners, and the counts that they have to give.

    Every song is heard now and then. A few are on the rise at any time: those are heard until they have overtaken a
    song in front of them, and then others rise, so that the charts never stand still.
    """

    def __init__(self, songs: dict[int, Song], seed: int = 1) -> None:
        self._songs, self._numbers = songs, list(songs)
        self._chance = random.Random(seed)
        self._liking = [self._chance.uniform(0.2, 1.0) for _ in songs]
        self._rising: dict[int, int] = {}
        self.heard: Counter[int] = Counter()
        """How often each song was played for long enough."""

    def plays(self, count: int) -> list[Play]:
        """The next ones."""
        return [self._play() for _ in range(count)]

    def charts(self) -> dict[str, Chart]:
        """Charts as they have to be, by a recount."""
        ranked = [
            Counted(number, song.title, song.artist, song.album, song.genre, self.heard[number])
            for number, song in self._songs.items()
            if self.heard[number]
        ]
        ranked.sort(key=lambda one: (-one.plays, one.song))
        groups = {"all": ranked} | {genre: [] for genre in sorted({one.genre for one in ranked})}
        for one in ranked:
            groups[one.genre].append(one)
        return {name: Chart(songs[:SHOWN]) for name, songs in groups.items()}

    def _play(self) -> Play:
        song = self._chosen()
        if self._chance.random() < SKIPPED:
            return Play(song, self._chance.randrange(1, HEARD_S))
        self.heard[song] += 1
        if self.heard[song] >= self._rising.get(song, self.heard[song] + 1):
            del self._rising[song]
        return Play(song, self._chance.randrange(HEARD_S, 300))

    def _chosen(self) -> int:
        while len(self._rising) < ON_THE_RISE:
            self._let_one_rise()
        if self._chance.random() < SHARE_ON_THE_RISE:
            return self._chance.choice(list(self._rising))
        return self._chance.choices(self._numbers, self._liking)[0]

    def _let_one_rise(self) -> None:
        """Let a song of a genre, or of all, rise a little past one in front of it."""
        song = self._chance.choice([number for number in self._numbers if number not in self._rising])
        genre = self._songs[song].genre if self._chance.random() < SHARE_IN_GENRE else None
        in_front = sorted(
            self.heard[other]
            for other in self._numbers
            if other != song and self.heard[other] >= self.heard[song] and genre in (None, self._songs[other].genre)
        )
        to_pass = self._chance.choice(in_front) if in_front else self.heard[song]
        self._rising[song] = to_pass + self._chance.randrange(5, 40)
