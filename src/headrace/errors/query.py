"""Errors of those who ask stores."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.errors.base import HeadraceError


class QueryError(HeadraceError):
    """A store was asked and cannot answer."""


class PositionUnreadable(QueryError):
    """A position is not written as one."""

    code = "position-unreadable"

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:80]!r} is no position",
            fix="write topic-partition@offset, with commas between several: plays-0@42,plays-1@17",
        )


class StoreNotAsked(QueryError):
    """There is no store of this name that can be asked."""

    code = "store-not-asked"

    def __init__(self, store: str, app: str, known: Iterable[str]) -> None:
        super().__init__(
            f"{app} has no store {store!r} that can be asked",
            fix=f"it has {', '.join(sorted(known)) or 'none: give a table a name with store='}",
        )


class StoreAskedWrongly(QueryError):
    """A store of one kind was asked what only another kind can tell, or with a key or a bound that is none."""

    code = "store-asked-wrongly"

    def __init__(self, store: str, reason: str, fix: str) -> None:
        super().__init__(f"store {store!r} cannot answer that: {reason}", fix=fix)


class NobodyAnswers(QueryError):
    """No instance that is up holds what was asked for, yet."""

    code = "nobody-answers"
    may_pass = True

    def __init__(self, store: str, partitions: Iterable[int], reason: str, retry_s: float = 1.0) -> None:
        self.reason, self.retry_s = reason, retry_s
        numbers = [str(one) for one in sorted(partitions)]
        which = f"partition{'' if len(numbers) == 1 else 's'} {', '.join(numbers)} of " if numbers else ""
        super().__init__(
            f"nobody answers for {which}store {store!r}: {reason}",
            fix=f"ask again in {retry_s:g} s, or accept a stale answer where there is one",
        )


class PositionNotReached(QueryError):
    """No replica has come as far in time as the answer has to reflect."""

    code = "position-not-reached"
    may_pass = True

    def __init__(self, wanted: str, reached: str, timeout_ms: int) -> None:
        self.retry_s = 1.0
        super().__init__(
            f"{wanted} was not reached within {timeout_ms / 1000:g} s, {reached or 'nothing'} was",
            fix="ask again, or give it more time",
        )


class PositionAhead(PositionNotReached):
    """The application itself has not come so far, in time or, if it has begun anew, in this life."""

    code = "position-ahead"

    def __init__(self, wanted: str, reached: str, timeout_ms: int) -> None:
        self.retry_s = 1.0
        QueryError.__init__(
            self,
            f"the application has not come to {wanted} within {timeout_ms / 1000:g} s, but to {reached or 'nothing'}",
            fix="ask again, or give it more time; one that has begun anew may never come there",
        )


class PositionGone(QueryError):
    """A later page was asked for as of a position that is not kept any more."""

    code = "position-gone"

    def __init__(self, wanted: str) -> None:
        super().__init__(f"what stores held at {wanted} is not kept any more", fix="begin with the first page again")


class PeerUnreachable(QueryError):
    """Another instance does not answer."""

    code = "peer-unreachable"
    may_pass = True

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"the instance at {url} does not answer: {reason}",
            fix="nothing, if it was stopped: another one takes over; else see that all instances reach one another",
        )


class PeerFailed(QueryError):
    """Another instance is there, but does not answer what it is asked."""

    code = "peer-failed"
    may_pass = True

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"the instance at {url} has no answer: {reason}",
            fix="see its log, and that all instances have the same settings",
        )


class AnswerTookTooLong(QueryError):
    """There was more to go through for an answer than its time allows."""

    code = "answer-took-too-long"

    def __init__(self, store: str, timeout_ms: int) -> None:
        super().__init__(
            f"store {store!r} could not be gone through within {timeout_ms / 1000:g} s",
            fix="ask for less, or give it more time: timeout=60s; in Python at_least(Position(), '60s')",
        )


class ReplicasInUse(QueryError):
    """Another process has its replicas in the same directory."""

    code = "replicas-in-use"

    def __init__(self, directory: str) -> None:
        super().__init__(
            "the directory for replicas is used by another process",
            where=directory,
            fix="stop that one, or name another directory: each instance needs its own",
        )


class ReplicasUnwritable(QueryError):
    """Replicas cannot be kept where they are to be."""

    code = "replicas-unwritable"

    def __init__(self, directory: str, reason: str) -> None:
        super().__init__(
            f"replicas cannot be kept: {reason}", where=directory, fix="make room, or name a directory that is writable"
        )


class NotRunning(QueryError):
    """Stores of an application that does not run cannot be asked through it."""

    code = "not-running"

    def __init__(self, app: str, state: str) -> None:
        super().__init__(
            f"{app} is {state}: its stores can be asked while it runs",
            fix="call start() first; from another program: hr.connect(url)",
        )


class EntryUnreadable(QueryError):
    """The bytes of an entry are none of its serde."""

    code = "entry-unreadable"

    def __init__(self, store: str, what: str, reason: str) -> None:
        super().__init__(
            f"an entry of store {store!r} cannot be read: its {what} is not {reason}",
            fix="see who else writes to its changelog; it can be read again once the entry is overwritten",
        )
