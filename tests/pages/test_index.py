"""The page of an application in a real browser: its stores, what is in them, keys looked up."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import headrace as hr
from headrace.cli.demos.music_charts import Chart, Counted
from headrace.model.batches import Batch, StageWork
from pages.conftest import Open
from pages.served import Served
from pages.test_demos import HOSTILE, is_live

pytestmark = pytest.mark.spark


def shows(page: Page, *keys: object) -> None:
    expect(page.locator("#entries .key")).to_have_text([str(key) for key in keys])


def look_up(page: Page, key: str) -> None:
    page.fill("#key", key)
    page.press("#key", "Enter")


def test_stores_are_listed_and_opened_by_keyboard(served: Served, open_page: Open) -> None:
    served.put("counts", {"be": 2, "to": 2})
    page = open_page("/")
    is_live(page)
    expect(page.locator(".stores .name")).to_have_text(["charts", "clicks", "counts", "numbers", "song-plays"])
    expect(page.locator("#store-name")).to_have_text("charts")
    expect(page.locator("#empty")).to_be_visible()
    page.locator(".stores a", has_text="counts").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#store-name")).to_have_text("counts")
    shows(page, "be", "to")
    assert page.url.endswith("/#counts")
    page.go_back()
    expect(page.locator("#store-name")).to_have_text("charts")


def test_other_applications_at_the_address_are_linked(served: Served, open_page: Open) -> None:
    served.join("shop")
    page = open_page("/")
    expect(page.locator("#app")).not_to_have_text("shop")
    page.click("#links a:has-text('Application shop')")
    expect(page.locator("#app")).to_have_text("shop")
    is_live(page)
    expect(page.locator("#links a", has_text="Application shop")).to_have_count(0)
    expect(page.locator("#links a", has_text="Application ")).to_have_count(1)


def test_entries_come_change_and_go(served: Served, open_page: Open) -> None:
    served.put("counts", {"be": 1, "to": 1})
    page = open_page("/#counts")
    shows(page, "be", "to")
    is_live(page)
    served.put("counts", {"not": 3, HOSTILE: 1, "be": 2, "to": None})
    shows(page, HOSTILE, "be", "not")
    assert page.locator("#entries .value").all_inner_texts() == ["1", "2", "3"]
    assert page.locator("#entries img").count() == 0


def test_many_entries_are_on_several_pages(served: Served, open_page: Open) -> None:
    served.put("numbers", {number: f"number {number}" for number in range(60)})
    page = open_page("/#numbers")
    shows(page, *range(25))
    is_live(page)
    served.put("numbers", {7: "seven", 37: "thirty-seven", -1: "before all"})
    shows(page, *range(-1, 24))
    served.put("numbers", {-1: None})
    expect(page.locator("#entries .value").nth(7)).to_have_text("seven")
    page.click("#next")
    shows(page, *range(23, 48))
    is_live(page)
    served.put("numbers", {40: None})
    expect(page.locator("#entries .key", has_text="40")).to_have_count(0)
    page.click("#back")
    expect(page.locator("#entries .key").first).to_have_text("0")
    expect(page.locator("#back")).to_be_hidden()


def test_records_are_columns_and_open_as_a_whole(served: Served, open_page: Open) -> None:
    songs = {number: Counted(number, f"Song {number}", "Ann", "Album", "Jazz", 9 - number) for number in range(3)}
    served.put("song-plays", songs)
    page = open_page("/#song-plays")
    heads = page.locator("#columns th")
    expect(heads).to_have_text(["key", "song", "title", "artist", "album", "genre", "plays", "changed"])
    first = page.locator("#entries .entry").first.locator("td")
    expect(first).to_have_text(["0", "0", "Song 0", "Ann", "Album", "Jazz", "9", re.compile("ago|now")])
    page.locator("#entries .opener").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#entries .whole code")).to_contain_text('"title": "Song 0"')
    served.put("song-plays", {0: Counted(0, HOSTILE, "Ann", "Album", "Jazz", 10)})
    expect(page.locator("#entries .whole code")).to_contain_text('"plays": 10')
    assert page.locator("#entries img").count() == 0
    page.keyboard.press("Enter")
    expect(page.locator("#entries .whole")).to_have_count(0)


def test_a_long_value_is_seen_whole_by_whoever_opens_it(served: Served, open_page: Open) -> None:
    songs = [Counted(number, f"Song {number}", "Somebody", "Album", "Jazz", 9 - number) for number in range(5)]
    served.put("charts", {"all": Chart(songs)})
    page = open_page("/#charts")
    shows(page, "all")
    cell = page.locator("#entries .field")
    assert cell.evaluate("(cell) => cell.scrollWidth > cell.clientWidth && cell.clientHeight < 40")
    cell.click()
    expect(page.locator("#entries .whole code")).to_contain_text('"title": "Song 4"')


def test_entries_are_sorted_by_what_is_in_them_and_stay_so(served: Served, open_page: Open) -> None:
    plays = {number: number * 7 % 31 for number in range(30)}
    served.put("song-plays", {n: Counted(n, f"Song {n}", "Ann", "Album", "Jazz", many) for n, many in plays.items()})
    page = open_page("/#song-plays")
    shows(page, *range(25))

    def sort(column: str) -> None:
        page.locator("#columns button", has_text=column).click()

    falling = sorted(plays, key=lambda number: -plays[number])
    sort("plays")
    shows(page, *falling[:25])
    expect(page.locator("#columns [aria-sort=descending]")).to_have_text("plays")
    page.click("#next")
    shows(page, *falling[25:])
    page.click("#back")
    served.put("song-plays", {5: Counted(5, "Song 5", "Ann", "Album", "Jazz", 100), falling[1]: None})
    rest = [number for number in falling if number not in (5, falling[1])]
    shows(page, 5, *rest[:24])
    sort("plays")
    shows(page, *rest[::-1][:25])
    sort("plays")
    shows(page, *sorted([5, *rest])[:25])
    expect(page.locator("#columns [aria-sort]")).to_have_count(0)


def test_keys_are_found_by_how_they_begin(served: Served, open_page: Open) -> None:
    served.put("counts", {"tea": 1, "teapot": 5, "to": 2, "ten": 3})
    served.put("clicks", {hr.Windowed("ann", 0, 10_000): 1, hr.Windowed("bob", 0, 10_000): 2})
    page = open_page("/#counts")
    shows(page, "tea", "teapot", "ten", "to")
    page.fill("#key", "te")
    shows(page, "tea", "teapot", "ten")
    served.put("counts", {"tee": 9, "no": 1})
    shows(page, "tea", "teapot", "tee", "ten")
    page.locator("#columns button", has_text="value").click()
    shows(page, "tee", "teapot", "ten", "tea")
    page.fill("#key", "x")
    expect(page.locator("#empty")).to_have_text("No key begins with x.")
    page.locator(".stores a", has_text="clicks").click()
    shows(page, "ann", "bob")
    page.fill("#key", "b")
    shows(page, "bob")


def test_a_key_is_looked_up(served: Served, open_page: Open) -> None:
    large = 2**53 + 1
    served.put("numbers", {large: "large", 7: HOSTILE})
    page = open_page("/#numbers")
    shows(page, 7, large)
    found = page.locator("#found")
    look_up(page, str(large))
    expect(found.locator("code")).to_have_text("large")
    look_up(page, "7")
    expect(found.locator("code")).to_have_text(HOSTILE)
    look_up(page, "8")
    expect(found).to_have_text("There is no entry for 8.")
    look_up(page, "eight")
    expect(found).to_contain_text("a whole number")


def test_who_had_to_begin_anew_does_not_go_on_from_before(open_page: Open) -> None:
    page = open_page("/")
    is_live(page)
    told = [
        'event: change\nid: 0=5~Life1\ndata: {"key":1,"value":1}\n\n',
        "event: current\ndata: {}\n\n",
        "event: anew\nid:\ndata: {}\n\n",
        "event: current\nid: 0=7~Life2\ndata: {}\n\n",
    ]
    asked: list[str | None] = []

    def answer(route: Route) -> None:
        asked.append(route.request.header_value("last-event-id"))
        route.fulfill(content_type="text/event-stream", body=told[min(len(asked), len(told)) - 1])

    page.route("**/scripted", answer)
    page.evaluate("import('/headrace/watch.js').then(({ watch }) => void watch('/scripted', { change() {} }))")
    while len(asked) < 5:
        page.wait_for_timeout(50)
    assert asked[:5] == [None, "0=5~Life1", "0=5~Life1", None, "0=7~Life2"]


def test_windows_are_told_apart(served: Served, open_page: Open) -> None:
    served.put("clicks", {hr.Windowed("ann", 0, 10_000): 1, hr.Windowed("ann", 10_000, 20_000): 2})
    page = open_page("/#clicks")
    shows(page, "ann", "ann")
    is_live(page)
    served.put("clicks", {hr.Windowed("ann", 10_000, 20_000): 5, hr.Windowed("bob", 0, 10_000): 3})
    expect(page.locator("#entries .value")).to_have_text(["1", "5", "3"])
    look_up(page, "ann")
    expect(page.locator("#found .one code")).to_have_text(["5", "1"])
    look_up(page, "nobody")
    expect(page.locator("#found")).to_have_text("There are no windows of nobody.")


def test_what_it_did_lately_is_charted(served: Served, open_page: Open) -> None:
    stage = StageWork(number=1, records_in=1, records_out=1, state_rows=9, state_bytes=2_500_000, commit_ms=1)
    served.history.add(
        Batch(
            number=1,
            records_in=50,
            records_out=20,
            duration_ms=1_250,
            dead_letters=2,
            stages=(stage,),
            drops={("n", "failed"): 2, ("n", "late"): 7},
            lag={("plays", 0): 1_234},
        )
    )
    served.history.restarted()
    page = open_page("/")
    charts = page.locator(".chart-card")
    titles = ["Records a second", "Lag", "Batch time", "Errors", "Dead letters", "State"]
    expect(charts.locator("h3")).to_have_text(titles)
    expect(charts.nth(1).locator("dd")).to_have_text("1,234")
    expect(charts.nth(2).locator("dd")).to_have_text(["1.3 s", "1.3 s"])
    expect(charts.nth(3).locator("dd")).to_have_text(["2", "1", "7"])
    expect(charts.nth(4).locator("dd")).to_have_text("2")
    expect(charts.nth(5).locator("dd")).to_have_text("2.5 MB")
    in_path = charts.first.locator("path.series-0")
    assert in_path.evaluate("(path) => path.getBBox().height > 0 || path.getTotalLength() > 0")
    plot = charts.first.locator(".plot")
    for share in range(100, 90, -1):
        plot.hover(position={"x": plot.evaluate("(one) => one.clientWidth") * share / 100 - 1, "y": 20})
        if charts.first.locator("dd").first.inner_text() == "10":
            break
    expect(charts.first.locator("dd")).to_have_text(["10", "4"])
    page.click("[data-span='24h']")
    expect(charts.first.locator(".axis")).to_contain_text("3 h ago")


@pytest.mark.parametrize("phone", [False, True])
def test_the_topology_fits_the_page_and_opens_large(phone: bool, open_page: Open) -> None:
    page = open_page("/", phone=phone)
    picture, large = page.locator("#picture"), page.locator("#large-picture")
    expect(picture).to_be_visible()
    page.wait_for_function("document.getElementById('picture').naturalWidth > 2000")
    assert picture.evaluate("(one) => one.getBoundingClientRect().right <= innerWidth")
    picture.click()
    expect(large).to_be_visible()
    opened = width(large)
    assert opened > width(picture)
    page.click("#larger")
    assert width(large) > opened
    page.click("#fit")
    assert large.evaluate("(one) => one.getBoundingClientRect().right <= innerWidth")
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()


def width(picture: Locator) -> float:
    found: float = picture.evaluate("(one) => one.getBoundingClientRect().width")
    return found
