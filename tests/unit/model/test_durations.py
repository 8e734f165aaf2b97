"""Durations as users write them."""

from datetime import timedelta

import pytest

from headrace.errors import OptionInvalid
from headrace.model.durations import duration_ms, duration_text


@pytest.mark.parametrize(
    ("written", "ms"),
    [
        ("100ms", 100),
        ("10s", 10_000),
        ("5m", 300_000),
        ("1h", 3_600_000),
        ("1d", 86_400_000),
        (" 2 h ", 7_200_000),
        ("0s", 0),
        (timedelta(seconds=1.5), 1_500),
        (timedelta(), 0),
    ],
)
def test_milliseconds(written: str | timedelta, ms: int) -> None:
    assert duration_ms("size", written, "shop.py:7") == ms


@pytest.mark.parametrize(
    "written", ["", "10", "s", "-5s", "1.5s", "1h30m", "10 S", "५s", 10, 1.5, None, timedelta(microseconds=1)], ids=repr
)
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(OptionInvalid) as caught:
        duration_ms("size", written, "shop.py:7")
    found = str(caught.value)
    assert f"size={written!r} is not possible" in found
    assert "at: shop.py:7" in found
    assert 'give a duration such as "100ms", "10s", "5m", "1h" or "1d", or a timedelta' in found


@pytest.mark.parametrize("written", ["0s", timedelta(seconds=-1), f"{2**63}ms"], ids=repr)
def test_too_short_or_too_long(written: str | timedelta) -> None:
    with pytest.raises(OptionInvalid, match="give a duration of 1 ms or more"):
        duration_ms("size", written, "shop.py:7", least=1)


@pytest.mark.parametrize("text", ["0s", "1ms", "90s", "5m", "2h", "1d"])
def test_a_duration_is_shown_as_it_is_written(text: str) -> None:
    assert duration_text(duration_ms("size", text, "shop.py:7")) == text


def test_a_negative_duration_is_shown() -> None:
    assert duration_text(-5_000) == "-5s"
