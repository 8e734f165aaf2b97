"""Stores of an application that does not run."""

from __future__ import annotations

from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import ListenOpen, NotRunning, UsersUnreadable
from headrace.runtime.life.queries import Queries


def test_it_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(NotRunning) as refused:
        hr.App("shop", checkpoint=tmp_path).store("orders")
    assert str(refused.value) == (
        "shop is created: its stores can be asked while it runs\n"
        "  to do: call start() first; from another program: hr.connect(url)"
    )
    assert hr.App("shop", checkpoint=tmp_path).url is None


def test_where_it_is_to_answer() -> None:
    assert hr.App("shop").serve == hr.Serve(address="127.0.0.1:7900")
    assert hr.App("shop", serve="127.0.0.1:0").serve == hr.Serve(address="127.0.0.1:0")
    assert hr.App("shop", serve=None).serve is None


def test_what_is_wrong_is_told_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(ListenOpen, match=r"^0\.0\.0\.0:7900 can be reached from other machines"):
        Queries("shop", hr.Serve(address="0.0.0.0:7900"), print)
    with pytest.raises(UsersUnreadable, match="No such file"):
        Queries("shop", hr.Serve(address="127.0.0.1:0", users=tmp_path / "none"), print)
