"""The dead letters of an application: look at them, and send them again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from headrace.errors import LetterNotWhole, TopicMissing
from headrace.log.groups import Group
from headrace.log.records import ConsumedRecord, NewRecord, consume, possible_time, produce
from headrace.log.topics import Topics
from headrace.model.failure import HEADERS

_ORIGIN = re.compile(r"(?P<topic>.+)-(?P<partition>\d+)@(?P<offset>\d+)")


@dataclass(frozen=True)
class DeadLetter:
    """A record that failed, as it lies in the topic of dead letters."""

    record: ConsumedRecord

    @property
    def place(self) -> str:
        """Position by which a user names it: partition@offset."""
        return f"{self.record.partition}@{self.record.offset}"

    def told(self, name: str) -> str:
        """Header of the failure: node, error, message, origin or attempt."""
        values = [value for header, value in self.record.headers if header == f"headrace.{name}" and value is not None]
        return values[-1].decode(errors="backslashreplace") if values else ""

    @property
    def whole(self) -> bool:
        """Whether it has all of a record that was read from a topic, and can be sent there again.

        One that could not be written was not read, and one that was too large for the letters is not whole.
        """
        return _ORIGIN.fullmatch(self.told("origin")) is not None and not self.told("cut")

    @property
    def topic(self) -> str:
        """The topic that it was read from."""
        return self._origin["topic"]

    def again(self) -> NewRecord:
        """The record as it was, for the partition that it was read from; it says how often it has failed."""
        kept = tuple(header for header in self.record.headers if header[0] not in HEADERS)
        return NewRecord(
            key=self.record.key,
            value=self.record.value,
            headers=kept,
            timestamp_ms=possible_time(self.record.timestamp_ms),
            partition=int(self._origin["partition"]),
        )

    @property
    def _origin(self) -> re.Match[str]:
        found = _ORIGIN.fullmatch(self.told("origin"))
        if found is None:
            raise LetterNotWhole(self.place, self.record.topic, "does not say where its record came from")
        if self.told("cut"):
            raise LetterNotWhole(self.place, self.record.topic, f"has not all of its record: {self.told('cut')}")
        return found


class DeadLetterTopic:
    """Dead letters of one application. How far they were resent is kept as the offset of a consumer group."""

    def __init__(self, topic: str, address: str, kafka: Mapping[str, str] | None = None) -> None:
        self.topic, self._address, self._kafka = topic, address, kafka
        self._group = Group(topic, address, kafka)

    def all(self) -> Iterator[DeadLetter]:
        """Dead letters that are there."""
        return map(DeadLetter, consume(self._address, self._kafka, self.topic))

    def waiting(self) -> Iterator[DeadLetter]:
        """Dead letters behind the ones that were resent all at once."""
        positions = self._group.positions()
        for letter in self.all():
            if letter.record.offset >= positions.get((self.topic, letter.record.partition), 0):
                yield letter

    def send_again(self, letters: Iterable[DeadLetter]) -> int:
        """Write the records to the topics that they were read from: none if one of these is not there any more."""
        ordered, count = sorted(letters, key=lambda letter: letter.topic), 0
        there = Topics(self._address, self._kafka).partitions({letter.topic: None for letter in ordered})
        if missing := [topic for topic, partitions in there.items() if partitions is None]:
            raise TopicMissing(missing, self._address)
        for topic, some in groupby(ordered, key=lambda letter: letter.topic):
            count += produce(self._address, self._kafka, topic, (letter.again() for letter in some))
        return count

    def done_with(self, letters: Iterable[DeadLetter]) -> None:
        """None of these, nor those before them, wait any more."""
        ends: dict[tuple[str, int], int] = {}
        for letter in letters:
            place = (self.topic, letter.record.partition)
            ends[place] = max(ends.get(place, 0), letter.record.offset + 1)
        if ends:
            self._group.publish(ends)
