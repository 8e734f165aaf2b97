"""Settings of a query server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from headrace.errors import ListenOpen, ListenRefused

USUAL_HOST, USUAL_PORT = "127.0.0.1", 7900
USUAL_ADDRESS = f"{USUAL_HOST}:{USUAL_PORT}"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a server."""

    body_bytes: int = 1 << 20
    """Of a request."""

    header_bytes: int = 64 << 10
    """Of a request, with its path."""

    header_s: float = 10.0
    """How long the head of a request may take to come, and a body to go on."""

    connections: int = 4_000
    requests: int = 64
    """How many are worked on at once, besides those that are answered at once and the watchers."""

    waiting: int = 1_000
    """How many more may wait for their turn."""

    watchers: int = 2_000
    watch_bytes: int = 16 << 20
    """How much may wait for a watcher that reads slowly, conflated by key, before it is cut off."""

    all_watch_bytes: int = 512 << 20
    """How much may wait for all watchers together."""

    tries: int = 10
    """How often a name may come with a wrong password from one address within a minute."""


@dataclass(frozen=True, kw_only=True)
class Serve:
    """Serving settings of an application: address, access and limits of its query server.

    Without anything said it is on 127.0.0.1, open to whoever is on this machine. Another address needs TLS and users.

        hr.App("music", serve=hr.Serve(address="0.0.0.0:7900", url="https://music-1:7900", certificate="music.pem",
                                       key="music.key", users="users.txt", secret="${file:/run/secrets/peers}"))
    """

    address: str = USUAL_ADDRESS
    """HOST:PORT. Applications of one program that say the same of all but `directory` and `standbys` share it.

    If the port of the usual address is taken, the next free one is used.
    """

    url: str | None = None
    """How other instances reach this one. Default: by its address."""

    certificate: str | Path | None = None
    """Of TLS, a PEM file with the whole chain; with `key`."""

    key: str | Path | None = None
    trusted: str | Path | None = None
    """PEM file of the certificates that the other instances' are signed by. Default: those of this machine."""

    users: str | Path | None = None
    """File of those who may ask, made by `headrace query users add`. Read again when it has changed."""

    secret: str | None = None
    """What instances sign with that speak to one another; `${env:NAME}` and `${file:/path}` stand for it.

    Default: one that headrace makes for your user on this machine. Instances elsewhere need a common one.
    """

    origins: tuple[str, ...] = ()
    """Sites whose pages may ask from a browser, such as https://charts.example."""

    standbys: int = 0
    """How many further instances hold each partition, ready to answer when the first one goes."""

    directory: str | Path | None = None
    """Of the replicas. Default: beside the checkpoint."""

    pages: str | Path | None = None
    """A directory of files to serve at /, such as a page of your own; `/name` is also looked for as `name.html`."""

    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        host_port(self.address)

    @property
    def host(self) -> str:
        """Host to listen at."""
        return host_port(self.address)[0]

    @property
    def port(self) -> int:
        """Port to listen at; 0 for any that is free."""
        return host_port(self.address)[1]

    @property
    def tls(self) -> bool:
        """Whether it speaks HTTPS."""
        return self.certificate is not None

    def refuse_open(self) -> None:
        """Refuse an address for other machines without users, or without TLS."""
        needed = {"certificate for TLS": self.certificate, "file of users": self.users}
        lacking = [what for what, given in needed.items() if not given]
        if lacking and not is_loopback(self.host):
            raise ListenOpen(self.address, lacking)


def host_port(address: str) -> tuple[str, int]:
    """The two parts of an address; an IPv6 one is in brackets.

    >>> host_port("127.0.0.1:7900"), host_port("[::1]:0")
    (('127.0.0.1', 7900), ('::1', 0))
    """
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise ListenRefused(address, "it is not HOST:PORT")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
