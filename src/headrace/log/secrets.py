"""Secrets that stand elsewhere: in the environment, or in files that only some may read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from headrace.errors import SecretMissing

_REFERENCE = re.compile(r"\$\{(env|file):([^}]*)\}")
_LOGIN = "sasl.jaas.config"
_HIDDEN = "[hidden]"
_SHORTEST = 4


def with_secrets(kafka: Mapping[str, str]) -> dict[str, str]:
    """Client properties with what `${env:NAME}` and `${file:/path}` in their values stand for, as it is now.

    Of a file it is the text without the line break at its end.
    """
    return {name: _REFERENCE.sub(partial(_put, name), value) for name, value in kafka.items()}


def secrets_of(kafka: Mapping[str, str]) -> list[str]:
    """Secrets that properties refer to, the longest first; one of a few letters would be found everywhere."""
    found = {_read(name, one) for name, value in kafka.items() for one in _REFERENCE.finditer(value)}
    return sorted((secret for secret in found if len(secret) >= _SHORTEST), key=len, reverse=True)


def hide(text: str, kafka: Mapping[str, str]) -> str:
    """A text without the secrets that properties refer to."""
    for secret in secrets_of(kafka):
        text = text.replace(secret, _HIDDEN)
    return text


def _read(name: str, found: re.Match[str]) -> str:
    kind, place = found.groups()
    if kind == "env":
        if place not in os.environ:
            raise SecretMissing(name, found[0], "there is no such environment variable")
        return os.environ[place]
    try:
        return Path(place).read_text("utf-8").removesuffix("\n").removesuffix("\r")
    except OSError as exc:
        raise SecretMissing(name, found[0], exc.strerror or str(exc)) from exc
    except ValueError:
        raise SecretMissing(name, found[0], "it is not text in UTF-8") from None  # the error shows its bytes


def _put(name: str, found: re.Match[str]) -> str:
    """Put a secret in its place; in a Java login it stands between quotes, which it must not end."""
    secret = _read(name, found)
    return secret.replace("\\", "\\\\").replace('"', '\\"') if name == _LOGIN else secret
