"""Clients of librdkafka: quiet, with their errors kept for messages of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException

from headrace.errors import BrokerError, BrokerNotTrusted, BrokerUnreachable, ClientPropertyRefused, LoginRefused
from headrace.log.properties import for_librdkafka
from headrace.log.secrets import hide

Client = TypeVar("Client")


class Troubles:
    """Connection errors of a client."""

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

    def error(self, address: str, seconds: float) -> BrokerError:
        """Reason why no broker has answered for so long."""
        if self.last is not None and self.last.code() == KafkaError._AUTHENTICATION:
            return LoginRefused(address, self.reason)
        if self.last is not None and self.last.code() == KafkaError._SSL and "certificate" in self.reason:
            return BrokerNotTrusted(address, self.reason)
        return BrokerUnreachable(address, seconds, self.reason)


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
        raise ClientPropertyRefused(name, hide(error.str(), kafka or {})) from None


def reason_of(error: KafkaError) -> str:
    """librdkafka's words without the name of its thread, and without how often it said them."""
    text = re.sub(r"^\[thrd:[^\]]*\]: ", "", error.str())
    return re.sub(r" \(after \d+ms in state [^)]*\)$", "", text)
