"""Checks of what users write beside functions: names and options."""

from __future__ import annotations

import re

from headrace.errors import NameInvalid, OptionInvalid
from headrace.model.durations import Duration, duration_ms
from headrace.plan.nodes import Emit

LONGEST_NAME = 249
_NAME = re.compile(rf"[A-Za-z0-9._-]{{1,{LONGEST_NAME}}}")


def checked_name(kind: str, name: object, here: str) -> str:
    """The name, if Kafka and a file system can both take it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not name.strip("."):
        raise NameInvalid(kind, name, here)
    return name


def emit_of(value: str, here: str) -> Emit:
    """`"every"` or `"settled"` as an `Emit`."""
    try:
        return Emit(value)
    except ValueError:
        raise OptionInvalid("emit", value, '"settled" or "every"', here) from None


def ttl_of(ttl: Duration | None, here: str) -> int | None:
    """How long rows last without an update, in milliseconds; None for as long as they are."""
    return None if ttl is None else duration_ms("ttl", ttl, here, least=1)
