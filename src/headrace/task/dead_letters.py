"""Dead letters: records that failed, with the bytes that they had in their own topics."""

from __future__ import annotations

from headrace.model.clock import Clock
from headrace.model.failure import ATTEMPT, HEADERS
from headrace.model.record import Header, RawRecord
from headrace.plan.nodes import DeadLetters


class Originals:
    """The records of a batch as they were read."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._read: dict[str, RawRecord] = {}

    def keep(self, raw: RawRecord) -> None:
        """Keep a record that was read."""
        if raw.origin is not None:
            self._read[raw.origin] = raw

    def clear(self) -> None:
        """Forget the records of the batch, which is over."""
        self._read.clear()

    def letter(self, told: RawRecord, node: DeadLetters) -> RawRecord:
        """Dead letter of a failed record: its own bytes, and in headers why it failed.

        One that failed because it has no time gets the time of day, so that its topic keeps it for a while.
        """
        assert told.value is not None
        failed = node.value.read(told.value)
        original = self._read.get(failed.origin or "", RawRecord(told.topic, told.ts))
        texts = (failed.node, failed.error, failed.message, failed.origin)
        why = [(name, text.encode()) for name, text in zip(HEADERS, texts, strict=True) if text is not None]
        attempt = (ATTEMPT, str(attempts(original.headers) + 1).encode())
        kept = [header for header in original.headers if header[0] not in (ATTEMPT, *HEADERS)]
        headers = (*kept, *why, attempt)
        ts = self._clock.now_ms() if original.ts < 0 else told.ts
        return RawRecord(told.topic, ts, original.key, original.value, headers, failed.origin)


def attempts(headers: tuple[Header, ...]) -> int:
    """How often a record has failed before."""
    found = [value for name, value in headers if name == ATTEMPT and value is not None and value.isdigit()]
    return int(found[-1]) if found else 0
