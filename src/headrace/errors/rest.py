"""Errors of those who ask over HTTP, and of the server that answers them."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.errors.query import QueryError


class ParameterInvalid(QueryError):
    """A parameter of a request is not what it has to be."""

    code = "parameter-invalid"

    def __init__(self, name: str, given: str, needed: str) -> None:
        shown = given if len(given) <= 40 else given[:40] + "..."
        super().__init__(f"parameter {name} is {shown!r}", fix=f"give {needed}")


class ParameterUnknown(QueryError):
    """A request has a parameter that means nothing there, or twice the same one."""

    code = "parameter-unknown"

    def __init__(self, name: str, known: Iterable[str], *, twice: bool = False) -> None:
        shown = name if len(name) <= 40 else name[:40] + "..."
        super().__init__(
            f"parameter {shown!r} is given twice" if twice else f"there is no parameter {shown!r}",
            fix="give it once" if twice else f"there are {', '.join(known) or 'none'}",
        )


class PathUnknown(QueryError):
    """There is nothing at the path of a request."""

    code = "path-unknown"

    def __init__(self) -> None:
        super().__init__("there is nothing at this path", fix="all paths are in /openapi.json")


class MethodRefused(QueryError):
    """A path is there, but not for this method."""

    code = "method-refused"

    def __init__(self, method: str, allowed: Iterable[str]) -> None:
        self.allowed = tuple(allowed)
        super().__init__(f"this path does not take {method[:20]}", fix=f"use {' or '.join(self.allowed)}")


class AppNotServed(QueryError):
    """A server was asked for an application that is not its own."""

    code = "app-not-served"

    def __init__(self, served: str) -> None:
        super().__init__("this server does not answer for that application", fix=f"it answers for {served}")


class AppNotNamed(QueryError):
    """A server answers for several applications, and nobody has said which one is asked."""

    code = "app-not-named"

    def __init__(self, url: str, names: Iterable[str]) -> None:
        names = list(names)
        super().__init__(
            f"the server at {url} answers for {', '.join(names)}",
            fix=f"say which: hr.connect(..., app={names[0]!r}), or --app {names[0]}",
        )


class KeyAbsent(QueryError):
    """A store has no entry for a key."""

    code = "key-absent"

    def __init__(self, store: str, position: str) -> None:
        self.position = position
        super().__init__(f"store {store!r} has no such key")


class CursorInvalid(QueryError):
    """A page cursor was made by no page, or by a page of another query."""

    code = "cursor-invalid"

    def __init__(self) -> None:
        super().__init__(
            "this cursor is of no page of this question",
            fix="give the cursor as the page before has it, with the same other parameters",
        )


class LoginNeeded(QueryError):
    """A server wants to know who asks."""

    code = "login-needed"

    def __init__(self) -> None:
        super().__init__(
            "nobody known by this name, password or token",
            fix="send a token (Authorization: Bearer ...) or a name and password (Basic)",
        )


class RoleLacking(QueryError):
    """The user is known, and has not the role for this request."""

    code = "role-lacking"

    def __init__(self, user: str, needed: str) -> None:
        super().__init__(f"{user} may not do that", fix=f"it is for those with {needed}")


class OriginRefused(QueryError):
    """A web page of another site asks, or a name leads here that is not this server's."""

    code = "origin-refused"

    def __init__(self, header: str) -> None:
        super().__init__(
            f"requests with this {header} are not answered",
            fix="name the site of a page in origins=, and the server by its own name",
        )


class BodyRefused(QueryError):
    """A request has a body that is too large, of another kind than it has to be, or comes too slowly."""

    code = "body-refused"

    def __init__(self, reason: str, needed: str, *, status: int = 413) -> None:
        self.status = status
        super().__init__(f"the body of the request {reason}", fix=needed)


class TooManyRequests(QueryError):
    """A limit of the server is reached."""

    code = "too-many-requests"
    may_pass = True

    def __init__(self, what: str, retry_s: float = 1.0) -> None:
        self.retry_s = retry_s
        super().__init__(f"there are too many {what}", fix=f"ask again in {retry_s:g} s")


class WatcherUnknown(QueryError):
    """There is no watcher of this number."""

    code = "watcher-unknown"

    def __init__(self) -> None:
        super().__init__("there is no such watcher", fix="list those that there are")


class SecretTooShort(QueryError):
    """The secret of the instances could be found out by trying."""

    code = "secret-too-short"

    def __init__(self, shortest: int) -> None:
        super().__init__(
            f"the secret of the instances has fewer than {shortest} letters",
            fix="make one with: openssl rand -hex 32; whoever reads what is signed with it could try out a shorter one",
        )


class ListenOpen(QueryError):
    """A server would be open to other machines without knowing who asks."""

    code = "listen-open"

    def __init__(self, address: str, missing: Iterable[str]) -> None:
        super().__init__(
            f"{address} can be reached from other machines, and there is no {' and no '.join(missing)}",
            fix="give hr.Serve(...) certificate=, key= and users= (made by headrace query users add), or listen on"
            " 127.0.0.1 and let a proxy on this machine, or in the same pod, decide who asks: docs/guide/containers.md",
        )


class ListenRefused(QueryError):
    """A server cannot listen at an address."""

    code = "listen-refused"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"cannot listen on {address}: {reason}", fix="give a free HOST:PORT of this machine")


class UsersUnreadable(QueryError):
    """The file of users is not there or not written as one."""

    code = "users-unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"users cannot be read from {path}: {reason}",
            fix="make the file with: headrace query users add FILE NAME --role read",
        )


class CertificateUnreadable(QueryError):
    """The certificate of a server, its key, or what it trusts cannot be used."""

    code = "certificate-unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be used for TLS: {reason}", fix="give PEM files that belong together")


class ServerNotReached(QueryError):
    """No query server answers at an address."""

    code = "server-not-reached"
    may_pass = True

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"no query server answers at {url}: {reason}",
            fix="start the application, or: headrace query serve app.py",
        )


class ServerRefused(QueryError):
    """A query server has answered with an error; `answered` is its code, which is stable."""

    code = "server-refused"

    def __init__(
        self,
        answered: str,
        what: str,
        fix: str | None,
        status: int,
        retry_s: float | None = None,
        position: str | None = None,
    ) -> None:
        self.answered, self.status, self.retry_s, self.position = answered, status, retry_s, position
        super().__init__(what, fix=fix)
