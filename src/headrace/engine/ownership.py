"""Ownership of the topics with names of changelogs, by a mark in their settings, or an id that an engine has noted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from headrace.errors import ChangelogForeign
from headrace.log.topics import Topics
from headrace.plan.nodes.to import changelog_names

_POLICY = "cleanup.policy"
_MARKED = "message.timestamp.after.max.ms"
_NO_LIMIT = 2**63 - 1
_MARK_BYTES = 5
"""So few that a mark is less than the milliseconds since 1970, which the broker adds: no time is over the limit."""


def settings_of(app: str, store: str) -> dict[str, str]:
    """The settings of a changelog: the last record of a key stays, until that is deleted.

    Windows that are forgotten are deleted, too. Kafka cannot do that: it goes by the clock, so it would forget what was
    computed from old records at once, and what an application has at hand that nobody has sent records for long. A row
    may have any time, also one in the future; and only segments that are full are ever compacted.
    """
    return {_POLICY: "compact", _MARKED: _mark(app, store), "segment.bytes": str(64 * 1024 * 1024)}


def _mark(app: str, store: str) -> str:
    """A limit on times that is none, and another number for each application and store."""
    digest = hashlib.sha256(f"{app}\0{store}".encode()).digest()
    return str(_NO_LIMIT - 1 - int.from_bytes(digest[:_MARK_BYTES], "big"))


Ids = Mapping[str, str]
"""The ids of changelogs by store, as an engine has noted them; {} where it has not."""


@dataclass(frozen=True)
class FoundChangelog:
    """A topic that has the name of a store's changelog."""

    app: str
    store: str
    topic: str
    id: str
    partitions: int
    policy: str
    marked_for: tuple[str, str] | None
    """The application and the store whose mark it has; None if it has none."""

    def is_ours(self, known: Ids) -> bool:
        """Whether it is proved to be the changelog of this store of this application.

        By its mark; one without a mark, which somebody has made in advance, by the id that is known of it.
        """
        if self.marked_for is not None:
            return self.marked_for == (self.app, self.store)
        return known.get(self.store) == self.id


def found_changelogs(app: str, named: Mapping[str, str], topics: Topics) -> dict[str, FoundChangelog]:
    """Changelogs that are there, by store, among the topics with their names."""
    there = {name: one for name, one in topics.identities(named.values()).items() if one is not None}
    settings = topics.settings(list(there))
    return {
        store: FoundChangelog(
            app,
            store,
            topic,
            there[topic].id,
            there[topic].partitions,
            settings[topic][_POLICY],
            _marked_for((app, store), topic, settings[topic].get(_MARKED, "")),
        )
        for store, topic in named.items()
        if topic in there
    }


def _marked_for(ours: tuple[str, str], topic: str, mark: str) -> tuple[str, str] | None:
    """Ours, or the first of all applications and stores whose names make up this topic's, that has the mark."""
    return next((names for names in (ours, *changelog_names(topic)) if _mark(*names) == mark), None)


def has_records(topic: str, topics: Topics) -> bool:
    """Whether anything was ever written to a topic."""
    return any(topics.end_offsets(topic).values())


def refuse_foreign(found: FoundChangelog, known: Ids, topics: Topics) -> None:
    """Refuse a topic that is not proved ours, unless it is empty and nobody's."""
    if not found.is_ours(known) and (found.marked_for is not None or has_records(found.topic, topics)):
        raise ChangelogForeign(found.topic, found.store, found.marked_for)
