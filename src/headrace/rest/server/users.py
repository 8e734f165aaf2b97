"""Users file: names, roles, applications and hashed secrets.

One line for each secret, so that a token can be exchanged for another while both are good:

    ann   admin  *      scrypt$16384$8$1$c2FsdA$aGFzaA
    page  read   music  sha256$2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae

A password is hashed with scrypt, for people choose it; a token is 32 random bytes, for which a plain hash is enough.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from headrace.errors import UsersUnreadable
from headrace.rest.key_value_text import base64url_of, bytes_of_base64url

SHORTEST_PASSWORD = 8
_NAME = re.compile(r"[A-Za-z0-9.-]{1,64}", re.ASCII)
_APP = re.compile(r"[A-Za-z0-9._-]{1,249}", re.ASCII)
_HASH = re.compile(r"sha256\$[0-9a-f]{64}|scrypt(?:\$[0-9]{1,9}){3}\$[\w-]{22}\$[\w-]{43}", re.ASCII)
_COST, _BLOCK, _LANES = 1 << 14, 8, 1
_MEMORY = 64 << 20
_TOKEN = "hr_"


class Role(Enum):
    """Role of a user: what its requests may do."""

    READ = "read"
    """Ask stores and watch them; see metrics, topology and instances."""

    ADMIN = "admin"
    """That, and see who watches, and end it."""


@dataclass(frozen=True)
class User:
    """User with a secret. Without `apps`, of all applications."""

    name: str
    role: Role
    apps: frozenset[str] | None
    secret: str

    def may(self, role: Role, app: str) -> bool:
        """Whether this is allowed."""
        return (self.role is Role.ADMIN or role is Role.READ) and (self.apps is None or app in self.apps)

    @property
    def line(self) -> str:
        """Line of the users file."""
        apps = "*" if self.apps is None else ",".join(sorted(self.apps))
        return f"{self.name} {self.role.value} {apps} {self.secret}"


class Users:
    """The users of a file, by name."""

    def __init__(self, users: Iterable[User] = ()) -> None:
        self._by_name: dict[str, list[User]] = {}
        for user in users:
            self._by_name.setdefault(user.name, []).append(user)
        salt, known = (base64url_of(secrets.token_bytes(size)) for size in (16, 32))
        self._nobody = f"scrypt${_COST}${_BLOCK}${_LANES}${salt}${known}"

    def with_token(self, token: str) -> User | None:
        """User with this token."""
        name, _, _ = token.removeprefix(_TOKEN).rpartition("_")
        digest = hashed_token(token)
        known = self._by_name.get(name, ()) if token.startswith(_TOKEN) else ()
        return next((user for user in known if hmac.compare_digest(user.secret, digest)), None)

    def now(self, user: User) -> User | None:
        """User as the file says now, with the same name and secret as before."""
        return next((one for one in self._by_name.get(user.name, ()) if one.secret == user.secret), None)

    def with_password(self, name: str, password: str) -> User | None:
        """User with this password. Takes a twentieth of a second, also for names that nobody has."""
        known = [user for user in self._by_name.get(name, ()) if user.secret.startswith("scrypt$")]
        if not known:
            is_password(password, self._nobody)
        return next((user for user in known if is_password(password, user.secret)), None)

    def __iter__(self) -> Iterator[User]:
        return (user for users in self._by_name.values() for user in users)


def read_users(path: Path) -> Users:
    """The users of a file, of whom there is one at least."""
    users = users_in(path)
    if not users:
        raise UsersUnreadable(str(path), "nobody is in it")
    return Users(users)


def users_in(path: Path) -> list[User]:
    """The users of a file, line by line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as exc:
        raise UsersUnreadable(str(path), exc.strerror or str(exc)) from None
    except ValueError:
        raise UsersUnreadable(str(path), "it is not text in UTF-8") from None
    return [_user(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if not _is_empty(line)]


def new_token(name: str) -> str:
    """A token that nobody guesses."""
    return f"{_TOKEN}{name}_{secrets.token_hex(32)}"


def hashed_token(token: str) -> str:
    """Hash of a token, as the file holds it."""
    return f"sha256${hashlib.sha256(token.encode()).hexdigest()}"


def hashed_password(password: str) -> str:
    """Hash of a password, as the file holds it."""
    salt = secrets.token_bytes(16)
    return f"scrypt${_COST}${_BLOCK}${_LANES}${base64url_of(salt)}${base64url_of(_scrypt(password, salt))}"


def is_password(password: str, hashed: str) -> bool:
    """Whether a password is the hashed one."""
    _, cost, block, lanes, salt, known = hashed.split("$")
    found = _scrypt(password, bytes_of_base64url(salt), int(cost), int(block), int(lanes))
    return hmac.compare_digest(found, bytes_of_base64url(known))


def checked_user(name: str) -> str:
    """A name that can stand in the file and in a token; ValueError for others."""
    if not _NAME.fullmatch(name):
        raise ValueError("a name has letters, digits, dots and dashes, 64 at the most")
    return name


def checked_app(name: str) -> str:
    """The name of an application that can stand in the file; ValueError for others."""
    if name == "*":
        raise ValueError("who may ask every application needs no --app: leave it out")
    if not _APP.fullmatch(name):
        raise ValueError("an application's name has letters, digits, dots, dashes and underscores, 249 at the most")
    return name


def _scrypt(password: str, salt: bytes, cost: int = _COST, block: int = _BLOCK, lanes: int = _LANES) -> bytes:
    same = unicodedata.normalize("NFC", password).encode()  # keyboards write one letter in several ways
    return hashlib.scrypt(same, salt=salt, n=cost, r=block, p=lanes, maxmem=_MEMORY, dklen=32)


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _user(line: str, where: str) -> User:
    try:
        name, role, apps, secret = line.split()
        if not _HASH.fullmatch(secret):
            raise ValueError(secret)
        named = None if apps == "*" else frozenset(map(checked_app, apps.split(",")))
        return User(checked_user(name), Role(role), named, secret)
    except ValueError:
        raise UsersUnreadable(where, "a line is NAME ROLE APPS HASH, with read or admin for a role") from None
