"""How far an application has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """What was done since the start: batches, records read, records written."""

    batches: int = 0
    records_in: int = 0
    records_out: int = 0

    def plus(self, records_in: int, records_out: int) -> Progress:
        """With one batch more."""
        return Progress(self.batches + 1, self.records_in + records_in, self.records_out + records_out)

    def __str__(self) -> str:
        records = "1 record" if self.records_in == 1 else f"{self.records_in:,} records"
        batches = "1 batch" if self.batches == 1 else f"{self.batches:,} batches"
        return f"{records} in, {self.records_out:,} out, {batches}"
