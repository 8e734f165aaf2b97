"""One real browser for all tests of pages, and a server for each."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect, sync_playwright

from pages.browser import browser_path
from pages.served import Served

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
LOADING = "Failed to load resource"
LOOKED_UP = re.compile("/stores/[^/]+/(keys|windows)/")
WATCH_POLICY = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""

PATIENCE_MS = 60_000

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. As long as it is there, the process has an event loop that runs: tests of others need their own."""
    path = browser_path()
    if path is None:
        pytest.fail("there is no Chromium or Chrome: install one, or name it with HEADRACE_BROWSER=/path")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture
def served(broker: str, tmp_path: Path) -> Iterator[Served]:
    """A server with empty stores."""
    served = Served(f"pages-{uuid.uuid4().hex[:8]}", broker, tmp_path / "replicas")
    yield served
    served.close()


@pytest.fixture
def open_page(chromium: Browser, served: Served) -> Iterator[Open]:
    """Open a page: `open_page("/music", phone=True)`. At the end nothing may have gone wrong in it.

    It is nothing wrong when a server is away, or has no such key.
    """
    wrong: list[str] = []
    pages: list[Page] = []

    def noticed(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(LOADING):
            wrong.append(message.text)

    def answered(response: Response) -> None:
        if response.status >= 400 and response.status != 503 and not LOOKED_UP.search(response.url):
            wrong.append(f"{response.status} of {response.url}")

    def open_(path: str, *, phone: bool = False, **options: Any) -> Page:
        page = chromium.new_context(**((PHONE if phone else {}) | options)).new_page()
        pages.append(page)
        page.set_default_timeout(PATIENCE_MS)
        page.add_init_script(WATCH_POLICY)
        page.on("console", noticed)
        page.on("response", answered)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(served.url + path)
        return page

    yield open_
    for page in pages:
        wrong.extend(page.evaluate("window.violations"))
        page.context.close()
    assert wrong == []
