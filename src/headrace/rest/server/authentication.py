"""Authentication of requests: the site that they come from, and the user who sends them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from starlette.responses import Response

from headrace.errors import HeadraceError, LoginNeeded, OriginRefused, RoleLacking, TooManyRequests
from headrace.query.service.proof import Proof
from headrace.rest.server.responses import LOGGER
from headrace.rest.server.settings import Serve, is_loopback
from headrace.rest.server.users import Role, User, Users, read_users
from headrace.rest.signatures import ANSWER_HEADER, STREAM, Signed, digest_of

_LOOK_S = 1.0
_REMEMBER_S = 300.0
_REMEMBERED = 1_000
_TRIES_S = 60.0
_TRIERS = 10_000
_QUEUED = 32
_ANYBODY = User("anybody", Role.ADMIN, None, "")
_PEER = User("another instance", Role.READ, None, "")

_ONCE = frozenset({b"host", b"authorization", b"origin"})

Headers = Mapping[bytes, bytes]
Stamp = tuple[int, ...]
"""By which a file is known to be another one than before."""


def has_doubled(pairs: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request says twice who asks or from where: others on its way may have looked at the other one."""
    names = [name for name, _ in pairs if name in _ONCE]
    return len(names) > len(set(names))


class Gate:
    """Looks at the head of each request, before anything else does.

    Without users everybody on this machine may ask; then only requests are taken that name this machine as their host:
    a page of another site that has its own name lead to 127.0.0.1 is not let in.
    """

    def __init__(self, settings: Serve, url: str = "") -> None:
        self._url = url
        self._limits, self._origins = settings.limits, frozenset(settings.origins)
        self._scheme = b"https://" if settings.tls else b"http://"
        self._file = Path(settings.users) if settings.users is not None else None
        self._read, self._looked = self._stamp(), time.monotonic()
        self._users = read_users(self._file) if self._file is not None else Users()
        self._unread: Stamp | None = ()
        """Of the file that could not be read, of which something has been said."""

        self._proof = Proof.of(settings.secret)
        self._own_hosts: dict[bytes, bool] = {}
        self._mark = secrets.token_bytes(32)
        self._remembered: OrderedDict[bytes, tuple[User, float]] = OrderedDict()
        self._tries: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._hashing = ThreadPoolExecutor(1, thread_name_prefix="headrace-passwords")
        self._queued = 0
        self._checking: dict[bytes, asyncio.Future[User | None]] = {}
        """Logins at work."""

    @property
    def open(self) -> bool:
        """Whether nobody is asked who they are."""
        return self._file is None

    def close(self) -> None:
        """Give back the thread."""
        self._hashing.shutdown(wait=False, cancel_futures=True)

    # -- sites

    def check_site(self, headers: Headers) -> None:
        """Refuse pages of other sites, and other names for this machine."""
        host = headers.get(b"host", b"")
        if self.open and host and not self._is_own(host):
            raise OriginRefused("Host")
        origin = headers.get(b"origin")
        if origin is not None and origin != self._scheme + host and not self.is_named(origin):
            raise OriginRefused("Origin")

    def is_named(self, origin: bytes) -> bool:
        """Whether a site was named: its pages may read answers."""
        return origin.decode("latin-1") in self._origins

    def _is_own(self, host: bytes) -> bool:
        known = self._own_hosts.get(host)
        if known is None:
            name = host.decode("latin-1")
            name = name if name.endswith("]") else name.rpartition(":")[0] or name
            known = is_loopback(name.removeprefix("[").removesuffix("]").lower())
            if len(self._own_hosts) < _REMEMBERED:
                self._own_hosts[host] = known
        return known

    # -- names

    def known(self, headers: Headers) -> User | None:
        """User of a request, if that takes no time to find out."""
        if self.open:
            return _ANYBODY
        self._look()
        kind, _, secret = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() == b"bearer":
            return self._users.with_token(secret.strip().decode("latin-1"))
        found = self._remembered.get(self._marked(secret)) if kind.lower() == b"basic" else None
        return found[0] if found is not None and found[1] > time.monotonic() else None

    async def user(self, headers: Headers, address: str) -> User:
        """User of a request; LoginNeeded if nobody is known by its login."""
        found = self.known(headers)
        if found is not None:
            return found
        kind, _, secret = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"basic":
            raise LoginNeeded
        try:
            name, colon, password = base64.b64decode(secret, validate=True).decode().partition(":")
        except ValueError:
            raise LoginNeeded from None
        if not colon:
            raise LoginNeeded
        marked = self._marked(secret)
        checking = self._checking.get(marked)
        if checking is None:  # else the same name and password are being checked for another request
            places = (f"{address} {name[:64]}", address)
            self._refuse_guessing(*places)
            self._count(places, 1)  # as a wrong one until it is known, for others are checked meanwhile
            checking = self._checking[marked] = asyncio.ensure_future(self._check(marked, name, password, places))
        user = await asyncio.shield(checking)
        if user is None:
            raise LoginNeeded
        return user

    def allow(self, user: User, role: Role, apps: Collection[str]) -> None:
        """Refuse what somebody may not do in any of these applications."""
        if not any(user.may(role, app) for app in apps):
            elsewhere = user.apps is not None and user.apps.isdisjoint(apps)
            needed = f"the application {' or '.join(apps)}" if elsewhere else f"the role {role.value}"
            raise RoleLacking(user.name, needed)

    def may_still_read(self, user: User, app: str) -> bool:
        """Whether somebody who was let in to read an application would be let in now."""
        if self.open or user is _PEER:
            return True
        self._look()
        now = self._users.now(user)
        return now is not None and now.may(Role.READ, app)

    def peer(self, headers: Headers, path: str) -> User:
        """Another instance, which has signed its request to this one; LoginNeeded for anybody else."""
        signed = Signed.read(headers)
        if signed is None or not signed.is_good(self._proof, self._url, path):
            raise LoginNeeded
        return _PEER

    def sign_answer(self, headers: Headers, response: Response, *, endless: bool) -> None:
        """Show another instance, whose request was signed, that the answer is of one that knows the secret."""
        signed = Signed.read(headers)
        assert signed is not None
        digest = STREAM if endless else digest_of(bytes(response.body))
        response.headers[ANSWER_HEADER] = signed.answer(self._proof, response.status_code, digest)

    # -- inside

    async def _check(self, marked: bytes, name: str, password: str, places: Sequence[str]) -> User | None:
        """User with this password; only a wrong one goes on to count."""
        users, user, wrong = self._users, None, False
        try:
            user = await self._with_password(users, name, password)
            wrong = user is None
        finally:
            if not wrong:
                self._count(places, -1)
            if users is self._users:  # else the file may have lost this one meanwhile
                del self._checking[marked]
                if user is not None:
                    self._remember(marked, user)
        return user

    async def _with_password(self, users: Users, name: str, password: str) -> User | None:
        """Check a password in a thread, one at a time: guessing slows down only others with passwords."""
        if self._queued >= _QUEUED:
            raise TooManyRequests("logins")
        self._queued += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._hashing, users.with_password, name, password)
        finally:
            self._queued -= 1

    def _refuse_guessing(self, *places: str) -> None:
        now = time.monotonic()
        for place, most in zip(places, (self._limits.tries, 10 * self._limits.tries), strict=True):
            count, since = self._tries.get(place, (0, now))
            if count >= most and now - since < _TRIES_S:
                raise TooManyRequests("wrong passwords", retry_s=_TRIES_S - (now - since))

    def _count(self, places: Sequence[str], tries: int) -> None:
        now = time.monotonic()
        for place in places:
            count, since = self._tries.pop(place, (0, now))
            if now - since >= _TRIES_S:
                count, since = 0, now
            self._tries[place] = (max(0, count + tries), since)
        while len(self._tries) > _TRIERS:
            self._tries.popitem(last=False)

    def _marked(self, secret: bytes) -> bytes:
        return hmac.digest(self._mark, secret, hashlib.sha256)

    def _remember(self, marked: bytes, user: User) -> None:
        self._remembered[marked] = (user, time.monotonic() + _REMEMBER_S)
        while len(self._remembered) > _REMEMBERED:
            self._remembered.popitem(last=False)

    def _look(self) -> None:
        """Read the file again if it is another one; while it cannot be read, which is said, those before are known."""
        now = time.monotonic()
        if self._file is None or now - self._looked < _LOOK_S:
            return
        self._looked = now
        stamp = self._stamp()
        if stamp == self._read:
            return
        try:
            self._users = read_users(self._file)
        except HeadraceError as error:
            if stamp != self._unread:
                LOGGER.warning("%s; those who were in the file before may still ask", error.what)
                self._unread = stamp
            return
        self._read, self._unread = stamp, ()
        self._remembered.clear()
        self._checking.clear()

    def _stamp(self) -> Stamp | None:
        try:
            found = self._file.stat() if self._file is not None else None
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size, found.st_ino) if found is not None else None
