"""Connections to applications that run elsewhere; what speaks HTTP is loaded with the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.rest.server.settings import USUAL_ADDRESS

if TYPE_CHECKING:
    from headrace.rest.client.client import Connection

USUAL_URL = f"http://{USUAL_ADDRESS}"


def connect(
    url: str | Sequence[str] = USUAL_URL,
    *,
    app: str | None = None,
    token: str | None = None,
    user: tuple[str, str] | None = None,
    trusted: str | Path | None = None,
) -> Connection:
    """Ask an application that runs elsewhere: `hr.connect("http://127.0.0.1:7900").store("counts").get("be")`.

    With several addresses the next one is asked when one cannot be reached. Of a server that answers for several
    applications `app` says which. Where it is asked who you are, give a `token`, or a name and a password; `trusted` is
    a PEM file of certificates to trust instead of this machine's.
    """
    from headrace.rest.client.client import connection

    return connection([url] if isinstance(url, str) else url, app, token, user, trusted)
