"""Stores for processors: `hr.stores`. Each is declared as a value, and found again by its name after a restart.

>>> import headrace as hr
>>> str(hr.stores.key_value("seen", key=hr.STRING, value=hr.BOOL))
'key-value store seen (STRING, BOOL)'
"""

from __future__ import annotations

from typing import Any, TypeVar

from headrace.errors import OptionInvalid
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.plan.origin import origin
from headrace.plan.stores import KeyValue, Session, Store, Versioned, Window
from headrace.processor.keyvalue import KeyValueStore
from headrace.processor.session import SessionStore
from headrace.processor.values import Timestamped
from headrace.processor.versioned import Version, VersionedStore, VersionPut
from headrace.processor.window import WindowStore
from headrace.serde import Serde

K = TypeVar("K")
V = TypeVar("V")

__all__ = [
    "KeyValueStore",
    "SessionStore",
    "Store",
    "Timestamped",
    "Version",
    "VersionPut",
    "VersionedStore",
    "WindowStore",
    "key_value",
    "session",
    "timestamped_key_value",
    "timestamped_window",
    "versioned",
    "window",
]


def key_value(name: str, *, key: Serde[K], value: Serde[V], ttl: Duration | None = None) -> Store[KeyValueStore[K, V]]:
    """The last value of every key; with `ttl`, a key that was not put for so long, by stream time, is gone."""
    here = origin()
    ttl_ms = None if ttl is None else duration_ms("ttl", ttl, here, least=1)
    return KeyValue(**_checked(name, key, value, here), ttl_ms=ttl_ms)


def timestamped_key_value(name: str, *, key: Serde[K], value: Serde[V]) -> Store[KeyValueStore[K, Timestamped[V]]]:
    """The last value of every key with a time beside it: `hr.stores.Timestamped(value, ts)`."""
    return KeyValue(**_checked(name, key, value, origin()), timestamped=True)


def versioned(name: str, *, key: Serde[K], value: Serde[V], history: Duration) -> Store[VersionedStore[K, V]]:
    """Versioned store: every version of a key, as far back as `history`; a put that is older is refused."""
    here = origin()
    return Versioned(**_checked(name, key, value, here), history_ms=duration_ms("history", history, here))


def window(
    name: str, *, key: Serde[K], value: Serde[V], size: Duration, retention: Duration, duplicates: bool = False
) -> Store[WindowStore[K, V]]:
    """The last value of every key and window, or with `duplicates` every value put there, in order.

    Windows of this `size` are kept until the newest begins `retention` later.
    """
    return Window(**_windows(name, key, value, size, retention, origin()), duplicates=duplicates)


def timestamped_window(
    name: str, *, key: Serde[K], value: Serde[V], size: Duration, retention: Duration, duplicates: bool = False
) -> Store[WindowStore[K, Timestamped[V]]]:
    """As `window`, with a time beside each value: `hr.stores.Timestamped(value, ts)`."""
    return Window(**_windows(name, key, value, size, retention, origin()), duplicates=duplicates, timestamped=True)


def session(name: str, *, key: Serde[K], value: Serde[V], retention: Duration) -> Store[SessionStore[K, V]]:
    """The last value of every key and session, kept until the newest ends `retention` later."""
    here = origin()
    return Session(**_checked(name, key, value, here), retention_ms=duration_ms("retention", retention, here))


def _windows(
    name: str, key: Serde[Any], value: Serde[Any], size: Duration, retention: Duration, here: str
) -> dict[str, Any]:
    size_ms, retention_ms = duration_ms("size", size, here), duration_ms("retention", retention, here)
    if retention_ms < size_ms:
        raise OptionInvalid("retention", retention, f"the size of the windows, {duration_text(size_ms)}, or more", here)
    return {**_checked(name, key, value, here), "size_ms": size_ms, "retention_ms": retention_ms}


def _checked(name: str, key: Serde[Any], value: Serde[Any], here: str) -> dict[str, Any]:
    for option, serde in (("key", key), ("value", value)):
        if not isinstance(serde, Serde):
            raise OptionInvalid(option, serde, "a serde such as hr.STRING or hr.json(...)", here)
    return {"name": name, "key": key, "value": value}
