"""The charts of a music service, live: plays are joined with their songs, counted, and ranked overall and by genre."""

from dataclasses import dataclass

import headrace as hr


@dataclass
class Play:
    song: int
    seconds: int
    """How long somebody listened."""


@dataclass
class Song:
    title: str
    artist: str
    album: str
    genre: str


@dataclass
class Counted:
    """A song with how often it was played."""

    song: int = 0
    title: str = ""
    artist: str = ""
    album: str = ""
    genre: str = ""
    plays: int = 0


@dataclass
class Chart:
    songs: list[Counted]


def played(number: int, song: Song, so_far: Counted) -> Counted:
    return Counted(number, song.title, song.artist, song.album, song.genre, so_far.plays + 1)


def enters(_: str, song: Counted, chart: Chart) -> Chart:
    return Chart(sorted([*chart.songs, song], key=lambda one: (-one.plays, one.song)))


def leaves(_: str, song: Counted, chart: Chart) -> Chart:
    return Chart([one for one in chart.songs if one.song != song.song])


def top_five(ranked: hr.KGroupedTable[str, Counted]) -> hr.KStream[str, Chart]:
    # All songs stay in the table behind it: when one of the five leaves, the sixth moves up.
    charts = ranked.aggregate(lambda: Chart([]), enters, leaves)
    return charts.to_stream().map_values(lambda chart: Chart(chart.songs[:5]))


app = hr.App("music-charts")
plays = app.stream("plays", value=hr.json(Play))
songs = app.table("songs", key=hr.INT64, value=hr.json(Song), store="songs")

# Who leaves within half a minute has not heard the song.
heard = plays.filter(lambda _, play: play.seconds >= 30).select_key(lambda _, play: play.song)
counts = heard.join(songs, lambda _, song: song).group_by_key().aggregate(Counted, played, store="song-plays")

by_genre = top_five(counts.group_by(lambda _, song: (song.genre, song), name="by-genre"))
overall = top_five(counts.group_by(lambda _, song: ("all", song), name="overall"))
charts = by_genre.merge(overall).to_table(store="charts")
charts.to_stream().to("charts", value=hr.json(Chart))

if __name__ == "__main__":
    app.run()
