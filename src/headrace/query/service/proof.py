"""Shared secret of an application's instances: each signs with it, and sends it to nobody."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

from headrace.errors import ReplicasUnwritable, SecretTooShort
from headrace.jvm.paths import data_dir
from headrace.log.files import make_private, write_whole
from headrace.log.secrets import with_secrets

CLOCKS_MS = 5 * 60_000
"""So much the clocks of two instances may differ; what is signed holds no longer."""

_SHORTEST = 16


class Proof:
    """Signs, and knows what was signed, with one secret."""

    def __init__(self, secret: str) -> None:
        self._key = hmac.digest(b"headrace instances", secret.encode(), hashlib.sha256)

    @staticmethod
    def of(secret: str | None) -> Proof:
        """Proof with the secret of the settings; without one, with the secret of this user on this machine."""
        if secret is None:
            return Proof(_own_secret(data_dir() / "queries.secret"))
        given = with_secrets({"secret": secret})["secret"]
        if len(given) < _SHORTEST:
            raise SecretTooShort(_SHORTEST)
        return Proof(given)

    def sign(self, purpose: str, *parts: str) -> str:
        """The signature of some texts, which is good for this purpose alone."""
        return hmac.digest(self._key, json.dumps([purpose, *parts]).encode(), hashlib.sha256).hex()

    def is_signed(self, signature: str, purpose: str, *parts: str) -> bool:
        """Whether it is the signature of these texts."""
        return hmac.compare_digest(signature.encode(), self.sign(purpose, *parts).encode())


def _own_secret(path: Path) -> str:
    """The secret of the instances that one user has on this machine; made by whoever comes first."""
    try:
        if not path.exists():
            make_private(path.parent)
            fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
            write_whole(fresh, secrets.token_hex(32))
            with suppress(FileExistsError):  # another one was quicker: both read that one
                os.link(fresh, path)
            fresh.unlink()
        return path.read_text()
    except OSError as exc:
        raise ReplicasUnwritable(str(path), exc.strerror or str(exc)) from exc
