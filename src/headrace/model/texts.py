"""Texts of values: timestamps, dates, times of day and bytes."""

from __future__ import annotations

import binascii
import re
from datetime import UTC, date, datetime, time, timedelta

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.([0-9]{1,6}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,6})?", re.ASCII)
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def moment_of(text: str) -> datetime:
    """The moment of a text such as 2024-05-31T12:30:00Z, in UTC; any other raises `ValueError`.

    >>> moment_of("2024-05-31T12:30:00.5+02:00").isoformat()
    '2024-05-31T10:30:00.500000+00:00'
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError(text)
    plain, fraction, sign, hours, minutes = found.groups()
    micros = int((fraction or "0").ljust(6, "0"))
    at = datetime.fromisoformat(plain).replace(tzinfo=UTC, microsecond=micros)
    if sign is None:
        return at
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError(text)
    away = timedelta(hours=int(hours), minutes=int(minutes))
    try:
        return at - away if sign == "+" else at + away
    except OverflowError:
        raise ValueError(text) from None


def date_of(text: str) -> date:
    """The date of a text such as 2024-05-31; any other raises `ValueError`."""
    if not _DATE.fullmatch(text):
        raise ValueError(text)
    return date.fromisoformat(text)


def time_of(text: str) -> time:
    """The time of day of a text such as 12:30:00 or 12:30:00.5; any other raises `ValueError`.

    >>> time_of("12:30:00.5")
    datetime.time(12, 30, 0, 500000)
    """
    if not _TIME.fullmatch(text):
        raise ValueError(text)
    whole, _, fraction = text.partition(".")
    return time.fromisoformat(f"{whole}.{fraction:0<6}")


def base64_bytes(text: str) -> bytes:
    """The bytes of a text in base64; any other raises `ValueError`."""
    if not _BASE64.fullmatch(text):
        raise ValueError(text)
    return binascii.a2b_base64(text)
