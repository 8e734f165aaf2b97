"""Questions, replies and watches as instances send them to one another: JSON, with bytes in base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection
from dataclasses import fields
from typing import Any

from headrace.query.position import Position
from headrace.query.requests import Count, Entry, Get, Question, Reply, Scan
from headrace.query.service.ports import Changed, Watched
from headrace.rest.key_value_text import dumps

_QUESTIONS: dict[str, type[Question]] = {"get": Get, "scan": Scan, "count": Count}
_KEYS = {"key", "first", "last", "prefix", "after"}
_POSITIONS = {"at_least", "as_of"}


def question_text(question: Question, partitions: Collection[int]) -> str:
    """A question to another instance."""
    kind = next(name for name, one in _QUESTIONS.items() if type(question) is one)
    said = {one.name: _sent(one.name, getattr(question, one.name)) for one in fields(question)}
    return dumps({"kind": kind, "partitions": sorted(partitions), **said})


def question_of(text: bytes) -> tuple[Question, list[int]]:
    """Read a query of another instance; ValueError if nobody can understand it."""
    said = _object(text)
    kind = _QUESTIONS.get(str(said.pop("kind", "")))
    partitions = _numbers(said.pop("partitions", None))
    if kind is None:
        raise ValueError("it is no question")
    known = {one.name for one in fields(kind)}
    if not said.keys() <= known:
        raise ValueError("it has fields that nobody knows")
    try:
        return kind(**{name: _received(name, value) for name, value in said.items()}), partitions
    except TypeError:
        raise ValueError("it lacks a field") from None


def reply_text(reply: Reply) -> str:
    """Reply to another instance, as text."""
    return dumps(
        {
            "position": reply.position.text,
            "entries": [[_text(one.key), _text(one.value), one.ts] for one in reply.entries],
            "count": reply.count,
            "more": reply.more,
            "stale": reply.stale,
            "instances": reply.instances,
        }
    )


def reply_of(text: bytes) -> Reply:
    """Read a reply of another instance."""
    said = _object(text)
    return Reply(
        position=Position.read(said["position"]),
        entries=[Entry(_bytes(key), _bytes(value), int(ts)) for key, value, ts in said["entries"]],
        count=int(said["count"]),
        more=bool(said["more"]),
        stale=bool(said["stale"]),
        instances=tuple(map(str, said["instances"])),
    )


def watched_text(watched: Watched, partitions: Collection[int]) -> str:
    """A watch at another instance."""
    said = {name: _sent(name, getattr(watched, name)) for name in ("store", "key", "first", "last", "prefix")}
    since = list(watched.since.items())
    return dumps({**said, "life": watched.life, "since": since, "partitions": sorted(partitions)})


def watched_of(text: bytes) -> tuple[Watched, list[int]]:
    """Read the watched keys of another instance's watch; ValueError if nobody can understand them."""
    said = _object(text)
    try:
        partitions = _numbers(said.pop("partitions"))
        since = {int(partition): int(offset) for partition, offset in said.pop("since")}
        return Watched(**{name: _received(name, value) for name, value in said.items()}, since=since), partitions
    except (TypeError, KeyError):
        raise ValueError("it is no watch") from None


def changes_text(changes: Collection[Changed]) -> str:
    """Changes that somebody watches."""
    return dumps(
        [
            [
                one.partition,
                one.offset,
                _text(one.key),
                None if one.entry is None else [_text(one.entry.value), one.entry.ts],
            ]
            for one in changes
        ]
    )


def changes_of(said: list[Any]) -> list[Changed]:
    """Changes at another instance."""
    found = []
    for partition, offset, key, entry in said:
        data = _bytes(key)
        found.append(
            Changed(partition, offset, data, None if entry is None else Entry(data, _bytes(entry[0]), int(entry[1])))
        )
    return found


def _object(text: bytes) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(said, dict):
        raise ValueError("it is no object")
    return said


def _numbers(said: Any) -> list[int]:
    if not isinstance(said, list) or not all(type(one) is int for one in said):
        raise ValueError("it has no partitions")
    return said


def _sent(name: str, value: Any) -> Any:
    if value is None:
        return None
    return _text(value) if name in _KEYS else value.text if name in _POSITIONS else value


def _received(name: str, value: Any) -> Any:
    if value is None:
        return None
    return _bytes(value) if name in _KEYS else Position.read(value) if name in _POSITIONS else value


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: Any) -> bytes:
    return base64.b64decode(str(text), validate=True)
