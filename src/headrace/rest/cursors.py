"""Page cursors: where a page ended, as a text that is good for the next page of the same query only."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from headrace.errors import CursorInvalid, PositionUnreadable
from headrace.query.position import Position
from headrace.query.requests import Scan
from headrace.rest.key_value_text import base64url_of, bytes_of_base64url

_SUM = 8
_SIZE = 4


@dataclass(frozen=True)
class Cursor:
    """The last key of a page, and the position that all pages are of."""

    after: bytes
    as_of: Position

    def text(self, scan: Scan) -> str:
        """Text for the next page of a query. Its sum tells whether it came back unchanged, to the same query."""
        body = len(self.after).to_bytes(_SIZE) + self.after + str(self.as_of).encode()
        return base64url_of(_sum(body, scan) + body)

    @staticmethod
    def read(text: str, scan: Scan) -> Cursor:
        """Read a cursor from its text."""
        try:
            data = bytes_of_base64url(text)
            told, body = data[:_SUM], data[_SUM:]
            if told != _sum(body, scan) or base64url_of(data) != text:
                raise CursorInvalid
            size = int.from_bytes(body[:_SIZE])
            after, as_of = body[_SIZE : _SIZE + size], body[_SIZE + size :]
            return Cursor(after, Position.read(as_of.decode()))
        except (ValueError, PositionUnreadable):
            raise CursorInvalid from None


def _sum(body: bytes, scan: Scan) -> bytes:
    question = replace(scan, after=None, as_of=None, at_least=None, timeout_ms=0, stale=False, limit=1)
    return hashlib.blake2b(repr(question).encode() + body, digest_size=_SUM).digest()
