"""Resume token of a watch, carried in the ids of events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_PLACE = "[0-9]{1,9}=[0-9]{1,18}"
PATTERN = f"^({_PLACE}(,{_PLACE})*(~[A-Za-z0-9]{{1,22}})?)?$"
_READ = re.compile(PATTERN, re.ASCII)


@dataclass(frozen=True)
class Since:
    """Resume token: the next offset of each partition, in one life of the changelog: `0=42,1=17~AbCd1234`."""

    offsets: Mapping[int, int] = field(default_factory=dict)
    life: str = ""

    @staticmethod
    def read(text: str) -> Since:
        """Read a resume token from its text; ValueError if it is none."""
        if not _READ.fullmatch(text):
            raise ValueError(text)
        places, _, life = text.partition("~")
        pairs = (part.split("=") for part in filter(None, places.split(",")))
        return Since({int(partition): int(offset) for partition, offset in pairs}, life)

    @property
    def text(self) -> str:
        """Text that `read` takes; empty if there is nothing to resume from."""
        if not self.offsets:
            return ""
        places = ",".join(f"{partition}={offset}" for partition, offset in sorted(self.offsets.items()))
        return f"{places}~{self.life}" if self.life else places
