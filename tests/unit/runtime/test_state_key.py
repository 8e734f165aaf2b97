"""The key that signs pickles in state: where it lies, and who may see it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import OptionInvalid, SecretMissing
from headrace.runtime.state_key import pickles_of
from headrace.state.pickles import PickledState, Pickles


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of this test."""
    monkeypatch.setenv("HEADRACE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_a_key_is_made_once_for_its_user_alone(data: Path) -> None:
    first = pickles_of(hr.App("a"))
    assert first == pickles_of(hr.App("b"))
    assert first.key is not None
    assert len(first.key) == 64
    assert stat.S_IMODE((data / "state.key").stat().st_mode) == 0o600


def test_one_that_is_named_wins(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = hr.App("a", state_key="${env:STATE_KEY}", pickled_state="trust")
    with pytest.raises(SecretMissing, match="STATE_KEY"):
        pickles_of(app)
    monkeypatch.setenv("STATE_KEY", "k" * 32)
    assert pickles_of(app) == Pickles(PickledState.TRUST, b"k" * 32)
    assert not data.exists()


def test_where_pickles_are_refused_there_is_none(data: Path) -> None:
    assert pickles_of(hr.App("a", pickled_state="refuse")) == Pickles(PickledState.REFUSE, None)
    assert not data.exists()


def test_where_none_can_be_kept_there_is_none(data: Path) -> None:
    data.touch()
    assert pickles_of(hr.App("a")) == Pickles(PickledState.SIGN, None)


def test_words() -> None:
    with pytest.raises(OptionInvalid, match='"sign" or "refuse" or "trust"'):
        hr.App("a", pickled_state="no")
    with pytest.raises(OptionInvalid, match="a text of 16 letters or more") as short:
        hr.App("a", state_key="hunter2")
    assert "hunter2" not in str(short.value)
