"""The demos as `headrace demo` runs them, broker and Spark and all, with somebody who looks at their pages."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

pytestmark = pytest.mark.spark

START_S = 180


class Demo:
    """A demo in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "headrace.cli.main", "demo", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._said: list[str] = []
        self._serving = threading.Event()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def url(self) -> str:
        """Where it answers, once it does."""
        assert self._serving.wait(START_S), self._said
        found = re.search(r"queries at (http://\S+)", "".join(self._said))
        assert found, self._said
        return found[1]

    def end(self) -> str:
        """Wait for its end; what it printed."""
        assert self.process.stdout is not None
        printed = self.process.stdout.read()
        assert self.process.wait(START_S) == 0, self._said
        return printed

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.append(line)
            if "queries at " in line:
                self._serving.set()
        self._serving.set()


@contextmanager
def demo(*arguments: str) -> Iterator[Demo]:
    running = Demo(*arguments)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def moves(number: Locator) -> None:
    """A number is there, and then another one."""
    expect(number).not_to_have_text("\N{EN DASH}", timeout=START_S * 1_000)
    expect(number).not_to_have_text(number.inner_text(), timeout=START_S * 1_000)


def test_music_moves_on_its_page_and_ends_with_the_right_charts(broker_dir: Path, chromium: Browser) -> None:
    with demo("music", "--seconds", "15") as music:
        page = chromium.new_page()
        page.set_default_timeout(START_S * 1_000)
        page.goto(f"{music.url()}/music")
        page.wait_for_selector("#overall .row >> nth=4")
        moves(page.locator("#plays"))
        page.close()
        printed = music.end()
    assert re.search(r"[\d,]+ plays of \d+ songs in 6 genres: just what a recount says", printed)
    assert not broker_dir.exists()  # it has a broker of its own


def test_words_grow_on_their_page_and_end_with_the_right_table(broker_dir: Path, chromium: Browser) -> None:
    with demo("word-count") as words:
        page = chromium.new_page()
        page.set_default_timeout(START_S * 1_000)
        page.goto(f"{words.url()}/word-count")
        page.wait_for_selector(".word >> nth=11")
        moves(page.locator("#total"))
        page.close()
        printed = words.end()
    assert "│ the    │ 24,864 │" in printed
    assert "141,924 words in 10,000 lines, 150 different ones: just what Python's Counter says" in printed
    assert (broker_dir / "logs").is_dir()
