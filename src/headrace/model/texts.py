"""Texts of values: timestamps and bytes."""

from __future__ import annotations

import binascii
import re
from datetime import UTC, datetime, timedelta

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.([0-9]{1,6}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
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


def base64_bytes(text: str) -> bytes:
    """The bytes of a text in base64; any other raises `ValueError`."""
    if not _BASE64.fullmatch(text):
        raise ValueError(text)
    return binascii.a2b_base64(text)
