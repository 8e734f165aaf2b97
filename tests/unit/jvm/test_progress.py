"""What a waiting person sees."""

from __future__ import annotations

import sys

import pytest

from headrace.jvm.progress import Bar, Lines, Progress, console


def fetch_two(progress: Progress) -> None:
    progress.begin(2, "fetching 2 connector jars (10.9 MB)")
    progress.step(0, 2, "ant-1.0.jar")
    progress.step(2, 2, "zebra-1.0.jar")
    progress.end("fetched 2 connector jars in 3 s")


def test_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    fetch_two(Lines())
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "fetching 2 connector jars (10.9 MB) ...\nfetched 2 connector jars in 3 s\n"


def test_a_bar_leaves_the_last_line(capsys: pytest.CaptureFixture[str]) -> None:
    fetch_two(Bar())
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("fetched 2 connector jars in 3 s\n")


@pytest.mark.parametrize(("terminal", "kind"), [(True, Bar), (False, Lines)])
def test_the_bar_is_for_terminals(terminal: bool, kind: type[Progress], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert type(console()) is kind
