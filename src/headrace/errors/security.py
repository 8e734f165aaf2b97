"""Rights on the broker, and how both sides prove who they are."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.broker import BrokerError


class NotAllowed(BrokerError):
    """The broker knows who asks, and that they may not."""

    code = "not-allowed"

    def __init__(self, denied: Sequence[str]) -> None:
        super().__init__(
            f"the broker does not allow {', '.join(denied)}",
            fix="have it granted; what an application needs, no more, is printed by: headrace acls app.py",
        )


class LoginRefused(BrokerError):
    """The broker does not know who asks, or the password is wrong."""

    code = "login-refused"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"the broker at {address} refused the login: {reason}",
            fix="check security.protocol, sasl.mechanism, sasl.username and sasl.password in kafka={...}",
        )


class BrokerNotTrusted(BrokerError):
    """The broker's certificate is not one that the client trusts for this address."""

    code = "broker-not-trusted"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"the broker at {address} could not prove who it is: {reason}",
            fix="name the file with the certificate that signed the broker's in ssl.ca.location, and the broker by a"
            " name or address that its certificate has",
        )


class SecretMissing(BrokerError):
    """A client property refers to a secret that is not there."""

    code = "secret-missing"

    def __init__(self, name: str, reference: str, reason: str) -> None:
        super().__init__(
            f"Kafka client property {name!r} refers to {reference}: {reason}",
            fix="set the environment variable, or make the file, where the application is started",
        )
