"""Which broker `headrace run` takes."""

from __future__ import annotations

from pathlib import Path

import pytest

import headrace as hr
from headrace.cli.main import main


@pytest.mark.parametrize(
    ("declared", "environment", "option", "taken"),
    [
        (None, None, None, None),
        (None, "env:1", None, "env:1"),
        ("app:1", None, None, "app:1"),
        ("app:1", "env:1", None, "app:1"),
        ("app:1", "env:1", "option:1", "option:1"),
        (None, "env:1", "option:1", "option:1"),
        ("app:1", "same:1", "same:1", "same:1"),
    ],
)
def test_the_option_wins_then_the_application_then_the_environment(
    declared: str | None,
    environment: str | None,
    option: str | None,
    taken: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "shop.py"
    file.write_text(f'import headrace as hr\napp = hr.App("shop", broker={declared!r})\napp.stream("a").to("b")\n')
    monkeypatch.delenv("HEADRACE_BROKER", raising=False)
    if environment:
        monkeypatch.setenv("HEADRACE_BROKER", environment)
    brokers: list[str | None] = []
    monkeypatch.setattr(hr.App, "run", lambda app, **_: brokers.append(app.broker))
    assert main(["run", str(file), *(["--broker", option] if option else [])]) == 0
    assert brokers == [taken]
