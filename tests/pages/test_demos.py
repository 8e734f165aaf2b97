"""The pages of the demos in a real browser: they load, move, survive a server that ends, and fit a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from headrace.cli.demos.listeners import Listeners, all_songs
from headrace.cli.demos.music_charts import Chart, Counted
from pages.conftest import Open
from pages.served import Served

pytestmark = pytest.mark.spark

HOSTILE = "<img src=x onerror=alert(1)>"


def counted(number: int, title: str, plays: int, genre: str = "Jazz") -> Counted:
    return Counted(number, title, "Somebody", "Some Album", genre, plays)


def is_live(page: Page) -> None:
    expect(page.locator("#sign")).to_have_text("Live")


def fits(page: Page) -> None:
    """Nothing is wider than the page, and no text runs out of what it is in, but for what scrolls sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    beyond = """() => [...document.querySelectorAll("body *:not(.hidden-visually)")].filter((one) => {
        const box = one.getBoundingClientRect();
        const speaks = [...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
        const runsOut = getComputedStyle(one).overflowX === "visible" && one.scrollWidth > one.clientWidth + 1;
        const outside = box.right > innerWidth + 0.5 || box.left < -0.5;
        const scrolls = one.parentElement.closest(".stores ul, .entries thead tr");
        return box.width && one.clientWidth && !scrolls && (outside || (speaks && runsOut));
    }).map((one) => one.className || one.tagName)"""
    assert page.evaluate(beyond) == []


def test_the_charts_show_what_is_there_and_move_by_themselves(served: Served, open_page: Open) -> None:
    first = [counted(1, "Low Water", 30), counted(2, "Nine Geese", 20), counted(3, "Overflow", 10)]
    served.put("charts", {"all": Chart(first), "Jazz": Chart(first), "Folk": Chart([])})
    served.put("song-plays", {song.song: song for song in first})
    page = open_page("/music")
    is_live(page)
    expect(page.locator("#overall .title")).to_have_text(["Low Water", "Nine Geese", "Overflow"])
    assert page.locator("#overall .plays").all_inner_texts() == ["30", "20", "10"]
    expect(page.locator(".genre:visible h2")).to_have_text(["Jazz"])
    expect(page.locator("#plays")).to_have_text("60")
    expect(page.locator("#first-title")).to_have_text("Low Water")

    rows = page.locator("#overall .row").element_handles()
    served.put("charts", {"all": Chart([counted(3, "Overflow", 31), *first[:2], counted(4, HOSTILE, 5, "Folk")])})
    expect(page.locator("#overall .title")).to_have_text(["Overflow", "Low Water", "Nine Geese", HOSTILE])
    assert page.locator("#overall .trend").all_inner_texts() == ["▲2", "▼1", "▼1", "new"]
    expect(page.locator("#first-title")).to_have_text("Overflow")
    # Rows are kept and moved: the one that was third is the same element, and is first now.
    assert page.locator("#overall .row").first.evaluate("(row, old) => row === old", rows[2])
    assert page.locator("img").count() == 0


def test_after_a_reset_nothing_of_before_is_shown(served: Served, open_page: Open) -> None:
    first = [counted(1, "Low Water", 30), counted(2, "Nine Geese", 20, "Folk")]
    served.put("charts", {"all": Chart(first), "Jazz": Chart(first[:1]), "Folk": Chart(first[1:])})
    served.put("song-plays", {song.song: song for song in first})
    page = open_page("/music")
    is_live(page)
    expect(page.locator(".genre:visible h2")).to_have_text(["Folk", "Jazz"])
    expect(page.locator("#plays")).to_have_text("50")
    served.put("song-plays", {2: None})
    expect(page.locator("#plays")).to_have_text("30")
    expect(page.locator("#songs")).to_have_text("1")
    served.begin_anew()
    expect(page.locator("#nothing")).to_be_visible(timeout=20_000)
    expect(page.locator("#overall .row, .genre:visible")).to_have_count(0)
    expect(page.locator("#first")).to_be_hidden()
    expect(page.locator("#plays")).to_have_text("0")
    again = [counted(3, "Overflow", 7)]
    served.put("charts", {"all": Chart(again), "Jazz": Chart(again)})
    served.put("song-plays", {3: again[0]})
    expect(page.locator("#overall .title")).to_have_text(["Overflow"])
    expect(page.locator(".genre:visible h2")).to_have_text(["Jazz"])
    expect(page.locator("#plays")).to_have_text("7")


def test_a_real_evening_of_listening(served: Served, open_page: Open) -> None:
    songs = all_songs()
    listeners = Listeners(songs)
    page = open_page("/music")
    expect(page.locator("#nothing")).to_be_visible()
    for _ in range(3):
        listeners.plays(400)
        served.put("charts", listeners.charts())
    is_live(page)
    expected = [song.title for song in listeners.charts()["all"].songs]
    expect(page.locator("#overall .title")).to_have_text(expected)
    expect(page.locator("#nothing")).to_be_hidden()
    expect(page.locator(".genre")).to_have_count(6)


def test_words_grow(served: Served, open_page: Open) -> None:
    page = open_page("/word-count")
    is_live(page)
    expect(page.locator("#nothing")).to_be_visible()
    served.put("counts", {"to": 2, "be": 2, "or": 1, "not": 1, HOSTILE: 5})
    expect(page.locator(".name")).to_have_text([HOSTILE, "be", "to", "not", "or"])
    served.put("counts", {"or": 9, HOSTILE: None})
    expect(page.locator(".name")).to_have_text(["or", "be", "to", "not"])
    assert page.locator(".count").all_inner_texts() == ["9", "2", "2", "1"]
    expect(page.locator("#total")).to_have_text("14")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("path", ["/music", "/word-count", "/"])
def test_a_page_survives_a_restart_of_the_server(path: str, served: Served, open_page: Open) -> None:
    served.put("charts", {"all": Chart([counted(1, "Low Water", 1)])})
    served.put("counts", {"gone": 1, "kept": 1})
    page = open_page(f"{path}#counts" if path == "/" else path)
    is_live(page)
    served.close()
    expect(page.locator("#sign")).to_have_text("Reconnecting")
    served.put("charts", {"all": Chart([counted(1, "Low Water", 7), counted(2, "Nine Geese", 5)])})
    served.put("counts", {"gone": None, "kept": 7, "new": 5})
    served.start()
    is_live(page)
    shown = {"/music": "#overall .plays", "/word-count": ".count", "/": "#entries .value"}[path]
    expect(page.locator(shown)).to_have_text(["7", "5"])


@pytest.mark.parametrize("path", ["/music", "/word-count", "/"])
def test_a_page_fits_a_phone(path: str, served: Served, open_page: Open) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 2
    songs = [counted(number, long if number % 2 else "Two Words", 10**9 - number) for number in range(1, 6)]
    served.put("charts", {name: Chart(songs) for name in ("all", "Jazz", long)})
    served.put("song-plays", {song.song: song for song in songs})
    served.put("counts", {long: 10**12, "be": 2})
    page = open_page("/#counts" if path == "/" else path, phone=True)
    is_live(page)
    expect(page.get_by_text(long, exact=True).locator("visible=true").first).to_be_visible()
    fits(page)


LIE_ON_ONE_ANOTHER = """async () => {
    const seen = [];
    const look = () => {
        const boxes = [...document.querySelectorAll(".word")]
            .filter((row) => Number(getComputedStyle(row).opacity) > 0)
            .map((row) => [row.innerText, row.getBoundingClientRect()]);
        for (const [one, upper] of boxes)
            for (const [other, lower] of boxes)
                if (upper.top < lower.top && lower.top < upper.bottom - 1) seen.push(`${one} / ${other}`);
    };
    const until = performance.now() + 1_200;
    while (performance.now() < until) {
        look();
        await new Promise(requestAnimationFrame);
    }
    return seen;
}"""


def test_rows_never_lie_on_one_another_while_they_move(served: Served, open_page: Open) -> None:
    words = [f"word {number}" for number in range(12)]
    served.put("counts", {word: 100 - place for place, word in enumerate(words)})
    page = open_page("/word-count")
    expect(page.locator(".name")).to_have_text(words)
    page.evaluate(COUNT_MOVES)
    for shuffled in (words[::-1], words[6:] + words[:6], ["new", *words[1::2], *words[::2]]):
        served.put("counts", {word: 100 - place for place, word in enumerate(shuffled)})
        assert page.evaluate(LIE_ON_ONE_ANOTHER) == []
        expect(page.locator(".name")).to_have_text(shuffled)
    assert page.evaluate("window.moves") > 0


COUNT_MOVES = """() => {
    window.moves = 0;
    const moved = () => { window.moves += 1; };
    for (const name of ["animationstart", "transitionrun"]) document.addEventListener(name, moved);
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) { moved(); return animate.apply(this, given); };
}"""


@pytest.mark.parametrize(("wish", "moves"), [("reduce", False), ("no-preference", True)])
def test_who_wants_no_motion_gets_none(wish: str, moves: bool, served: Served, open_page: Open) -> None:
    page = open_page("/music", reduced_motion=wish)
    page.evaluate(COUNT_MOVES)
    for order in ("AB", "BA"):
        songs = [counted(ord(title), title, 3 - place) for place, title in enumerate(order)]
        served.put("charts", {"all": Chart(songs)})
        expect(page.locator("#overall .title")).to_have_text(list(order))
    assert (page.evaluate("window.moves") > 0) is moves
    if not moves:
        assert page.evaluate("document.getAnimations().length") == 0
