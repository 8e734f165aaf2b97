"""How a librdkafka client is made here: quiet, and with its troubles kept for our own error messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException

from headrace.errors import ClientPropertyRefused
from headrace.log.properties import for_librdkafka

Client = TypeVar("Client")


class Troubles:
    """What went wrong on a client's connections."""

    def __init__(self) -> None:
        self.last: KafkaError | None = None

    def add(self, error: KafkaError) -> None:
        """Remember an error. "All brokers are down" is no news after the reason why one is."""
        if self.last is None or error.code() != KafkaError._ALL_BROKERS_DOWN:
            self.last = error

    @property
    def hopeless(self) -> bool:
        """Whether trying again cannot help."""
        return self.last is not None and self.last.code() in (KafkaError._AUTHENTICATION, KafkaError._SSL)

    @property
    def reason(self) -> str:
        return reason_of(self.last) if self.last else ""


def make_client(
    factory: Callable[[dict[str, Any]], Client],
    address: str,
    kafka: Mapping[str, str] | None,
    settings: Mapping[str, object] | None = None,
) -> tuple[Client, Troubles]:
    """Make a client of the user's properties and ours; ours win."""
    troubles = Troubles()
    config: dict[str, Any] = {**for_librdkafka(kafka or {}), **(settings or {})}
    # Level 0: librdkafka writes to stderr by itself otherwise.
    config |= {"bootstrap.servers": address, "log_level": 0, "error_cb": troubles.add}
    try:
        return factory(config), troubles
    except KafkaException as exc:
        error: KafkaError = exc.args[0]
        # librdkafka's words: 'No such configuration property: "x"', 'Invalid value "1" for configuration property "x"'.
        quoted = error.str().split('"')
        name = quoted[-2] if len(quoted) > 1 else "kafka"
        raise ClientPropertyRefused(name, error.str()) from exc


def reason_of(error: KafkaError) -> str:
    """librdkafka's words without the name of its thread: "sasl_ssl://host:9092/bootstrap: Connect failed"."""
    text = error.str()
    return text.split("]: ", 1)[1] if text.startswith("[thrd:") and "]: " in text else text
