"""The page of an application in a real browser: its stores, what is in them, keys looked up."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import headrace as hr
from headrace.cli.demos.music_charts import Chart, Counted
from pages.conftest import Open
from pages.served import Served
from pages.test_demos import HOSTILE, is_live

pytestmark = pytest.mark.spark


def shows(page: Page, *keys: object) -> None:
    expect(page.locator("#entries td:first-child")).to_have_text([str(key) for key in keys])


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


def test_entries_come_change_and_go(served: Served, open_page: Open) -> None:
    served.put("counts", {"be": 1, "to": 1})
    page = open_page("/#counts")
    shows(page, "be", "to")
    is_live(page)
    served.put("counts", {"not": 3, HOSTILE: 1, "be": 2, "to": None})
    shows(page, HOSTILE, "be", "not")
    assert page.locator("#entries td:nth-child(2)").all_inner_texts() == ["1", "2", "3"]
    assert page.locator("#entries img").count() == 0


def test_many_entries_are_on_several_pages(served: Served, open_page: Open) -> None:
    served.put("numbers", {number: f"number {number}" for number in range(120)})
    page = open_page("/#numbers")
    shows(page, *range(50))
    is_live(page)
    served.put("numbers", {7: "seven", 75: "seventy-five", -1: "before all"})
    shows(page, *range(-1, 49))
    served.put("numbers", {-1: None})
    expect(page.locator("#entries td:nth-child(2)").nth(7)).to_have_text("seven")
    page.click("#next")
    shows(page, *range(48, 98))
    is_live(page)
    served.put("numbers", {80: None})
    expect(page.locator("#entries td:first-child", has_text="80")).to_have_count(0)
    page.click("#back")
    expect(page.locator("#entries td:first-child").first).to_have_text("0")
    expect(page.locator("#back")).to_be_hidden()


def test_a_long_value_is_seen_whole_by_whoever_presses_it(served: Served, open_page: Open) -> None:
    songs = [Counted(number, f"Song {number}", "Somebody", "Album", "Jazz", 9 - number) for number in range(5)]
    served.put("charts", {"all": Chart(songs)})
    page = open_page("/#charts")
    shows(page, "all")
    value = page.locator("#entries .value")
    assert value.evaluate("(cell) => cell.firstChild.scrollHeight > cell.firstChild.clientHeight")
    value.focus()
    page.keyboard.press("Enter")
    expect(value).to_have_attribute("aria-expanded", "true")
    assert value.evaluate("(cell) => cell.firstChild.scrollHeight <= cell.firstChild.clientHeight")
    expect(value).to_contain_text('"title": "Song 4"')


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
    expect(page.locator("#entries td:nth-child(3)")).to_have_text(["1", "5", "3"])
    look_up(page, "ann")
    expect(page.locator("#found .entry code")).to_have_text(["5", "1"])
    look_up(page, "nobody")
    expect(page.locator("#found")).to_have_text("There are no windows of nobody.")


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
