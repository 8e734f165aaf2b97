"""Peer calls: requests to other instances over HTTP."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncGenerator, Collection, Mapping
from dataclasses import dataclass

import httpx

from headrace.errors import (
    AnswerTookTooLong,
    CertificateUnreadable,
    NobodyAnswers,
    PeerFailed,
    PeerUnreachable,
    PositionAhead,
    PositionGone,
    PositionNotReached,
    PositionUnreadable,
    QueryError,
)
from headrace.query.requests import Question, Reply
from headrace.query.service.ports import Changed, Watched
from headrace.query.service.proof import CLOCKS_MS, Proof
from headrace.rest.server.settings import Serve
from headrace.rest.signatures import ANSWER_HEADER, STREAM, Signed, digest_of
from headrace.rest.wire import changes_of, question_text, reply_of, watched_text

_CONNECT_S = 1.0
_MORE_S = 2.0
"""Behind the time that an answer may take."""

_SILENT_S = 10.0
"""A watch at another instance is over when nothing was heard of it for so long; it has heartbeats in between."""

ASK, WATCH = "/apps/{app}/peers/ask", "/apps/{app}/peers/watch"

_GONE = (httpx.NetworkError, httpx.ConnectTimeout, httpx.RemoteProtocolError)
"""Nobody is there, or not any more. One that takes its time, or refuses to answer, is there."""

_FAILED = (httpx.HTTPError, httpx.InvalidURL, PositionUnreadable, ValueError, KeyError, TypeError)


class HttpPeers:
    """Asks other instances of one application; from any thread."""

    def __init__(self, settings: Serve, app: str) -> None:
        self._path = ASK.format(app=app)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        self._secured, self._proof = settings.tls, Proof.of(settings.secret)
        self._client = httpx.Client(verify=trusted(settings.trusted), limits=limits, trust_env=False)

    def ask(self, url: str, question: Question, partitions: Collection[int]) -> Reply:
        """See `Peers.ask`."""
        _refuse_plain(url, secured=self._secured)
        timeout = httpx.Timeout(question.timeout_ms / 1000 + _MORE_S, connect=_CONNECT_S)
        body = question_text(question, partitions).encode()
        signed = Signed.make(self._proof, url, self._path, body)
        try:
            answer = self._client.post(f"{url}{self._path}", content=body, headers=_head(signed), timeout=timeout)
            _check_proved(url, self._proof, signed, answer, digest_of(answer.content))
            if answer.status_code != 200:
                raise _error(url, question, partitions, answer)
            return reply_of(answer.content)
        except _GONE as exc:
            raise PeerUnreachable(url, _reason(exc)) from exc
        except _FAILED as exc:
            raise PeerFailed(url, _reason(exc)) from exc

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()


@dataclass(frozen=True)
class Began:
    """End of a snapshot: all that another instance had has been told; as `Watch`."""

    since: Mapping[int, int]
    life: str
    whole: frozenset[int]


class PeerWatches:
    """Watches at other instances of one application; in an event loop."""

    def __init__(self, settings: Serve, app: str) -> None:
        self._path = WATCH.format(app=app)
        limits = httpx.Limits(max_connections=settings.limits.watchers, max_keepalive_connections=20)
        self._secured, self._proof = settings.tls, Proof.of(settings.secret)
        self._client = httpx.AsyncClient(
            verify=trusted(settings.trusted),
            limits=limits,
            timeout=httpx.Timeout(_SILENT_S, connect=_CONNECT_S),
            trust_env=False,
        )

    async def watch(
        self, url: str, watched: Watched, partitions: Collection[int]
    ) -> AsyncGenerator[list[Changed] | Began]:
        """Changes there as they come; ends when it does."""
        _refuse_plain(url, secured=self._secured)
        body = watched_text(watched, partitions).encode()
        signed = Signed.make(self._proof, url, self._path, body)
        try:
            async with self._client.stream("POST", f"{url}{self._path}", content=body, headers=_head(signed)) as answer:
                if answer.status_code != 200:
                    raise PeerUnreachable(url, f"status {answer.status_code}")
                _check_proved(url, self._proof, signed, answer, STREAM)
                async for line in answer.aiter_lines():
                    said = json.loads(line)
                    if isinstance(said, list):
                        yield changes_of(said)
                    elif said:
                        since = {int(one): at for one, at in said["since"].items()}
                        yield Began(since, said["life"], frozenset(said["whole"]))
        except (httpx.HTTPError, ValueError, KeyError) as exc:
            raise PeerUnreachable(url, _reason(exc)) from exc

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.aclose()


def trusted(path: object) -> ssl.SSLContext | bool:
    """Trusted authorities for certificates of servers: those of a file, or of this machine."""
    if path is None:
        return True
    try:
        return ssl.create_default_context(cafile=str(path))
    except (OSError, ssl.SSLError) as exc:
        raise CertificateUnreadable(str(path), getattr(exc, "reason", None) or exc.strerror or str(exc)) from None


def _head(signed: Signed) -> dict[str, str]:
    return {"content-type": "application/json", "authorization": signed.header}


def _refuse_plain(url: str, *, secured: bool) -> None:
    """Refuse a peer without TLS: requests are for instances that speak it as this one does."""
    if secured and not url.startswith("https://"):
        raise PeerFailed(url, "its address is not https")


def _check_proved(url: str, proof: Proof, signed: Signed, answer: httpx.Response, digest: str) -> None:
    """Refuse a response without a signature: whoever is at an address need not be an instance."""
    if not signed.is_answer(proof, answer.headers.get(ANSWER_HEADER), answer.status_code, digest):
        raise PeerFailed(url, _UNPROVED)


_UNPROVED = (
    "it has not proved to know the secret of this instance: all need the same secret=, the url= that others reach"
    f" them by, and clocks that differ by less than {CLOCKS_MS // 60_000} minutes"
)


def _error(url: str, question: Question, partitions: Collection[int], answer: httpx.Response) -> QueryError:
    """The error of another instance, as it would be raised here."""
    try:
        said = answer.json()["error"]
        code, message = said["code"], said["message"]
    except (ValueError, KeyError, TypeError):
        return PeerFailed(url, f"status {answer.status_code}")
    for lacking in (PositionNotReached, PositionAhead):
        if code == lacking.code:
            return lacking(str(question.at_least), "less", question.timeout_ms)
    if code == PositionGone.code:
        return PositionGone(str(getattr(question, "as_of", None) or ""))
    if code == NobodyAnswers.code:
        return NobodyAnswers(question.store, partitions, message.partition(f"store {question.store!r}: ")[2] or message)
    if code == AnswerTookTooLong.code:
        return AnswerTookTooLong(question.store, question.timeout_ms)
    return PeerFailed(url, f"{code}: {message}")


def _reason(exc: Exception) -> str:
    return str(exc) or type(exc).__name__
