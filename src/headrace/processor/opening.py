"""Opening of stores: from a declared store to one that a processor uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.plan.stores import KeyValue, Session, StoreConnection, Versioned, Window
from headrace.processor.expiring import ExpiringStore
from headrace.processor.keyvalue import KeyValueStore
from headrace.processor.opened import OpenedStore
from headrace.processor.session import SessionStore
from headrace.processor.values import values_of
from headrace.processor.versioned import VersionedStore
from headrace.processor.window import WindowStore
from headrace.state.stores import Stores


def opened(connection: StoreConnection, stores: Stores, now: Callable[[], int]) -> OpenedStore[Any, Any]:
    """A store as a processor sees it, on top of what the task keeps under its name; `now` is the task's stream time."""
    match connection.store:
        case KeyValue(name=name, value=value, ttl_ms=int(ttl_ms)):
            expiry = stores.store_expiry(name, ttl_ms)
            return ExpiringStore(
                connection, values_of(value, timestamped=False), stores.key_value_store(name), expiry, now
            )
        case KeyValue(name=name, value=value, timestamped=timestamped):
            return KeyValueStore(connection, values_of(value, timestamped=timestamped), stores.key_value_store(name))
        case Versioned(name=name, value=value, history_ms=history_ms):
            kept = stores.versioned_store(name, history_ms)
            return VersionedStore(connection, values_of(value, timestamped=False), kept)
        case Window(name=name, value=value, timestamped=timestamped) as one:
            windows = stores.window_store(name, one.retention_ms, duplicates=one.duplicates)
            return WindowStore(connection, values_of(value, timestamped=timestamped), windows, one.size_ms)
        case Session(name=name, value=value) as one:
            sessions = stores.session_store(name, one.retention_ms)
            return SessionStore(connection, values_of(value, timestamped=False), sessions)
    raise TypeError(f"{connection.store} is of no known kind")
