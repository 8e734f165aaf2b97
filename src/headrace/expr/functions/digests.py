"""Digests and encodings of bytes; of a str, those of its UTF-8."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from typing import Any

from headrace.expr.functions.row import Function
from headrace.model.texts import base64_bytes
from headrace.model.types import BYTES, INT, STR


def _digest(name: str) -> Callable[[bytes], str]:
    # Not for secrets: the same key always gets the same digest.
    return lambda data: hashlib.new(name, data, usedforsecurity=False).hexdigest()


def _of_text(function: Callable[[bytes], Any]) -> Callable[[str], Any]:
    return lambda text: function(text.encode())


def _from_base64(text: str) -> bytes:
    try:
        return base64_bytes(text)
    except ValueError:
        raise ValueError("the text is not base64") from None


def _both(name: str, gives: Any, function: Callable[[bytes], Any], sql: str) -> list[Function]:
    return [
        Function(name, (BYTES,), gives, function, sql.format("{0}")),
        Function(name, (STR,), gives, _of_text(function), sql.format("CAST({0} AS BINARY)")),
    ]


DIGESTS = (
    *_both("md5", STR, _digest("md5"), "md5({})"),
    *_both("sha1", STR, _digest("sha1"), "sha1({})"),
    *_both("sha256", STR, _digest("sha256"), "sha2({}, 256)"),
    *_both("sha512", STR, _digest("sha512"), "sha2({}, 512)"),
    *_both("crc32", INT, zlib.crc32, "crc32({})"),
    *_both("base64", STR, lambda data: base64.b64encode(data).decode("ascii"), "hr_base64({})"),
    Function("from_base64", (STR,), BYTES, _from_base64, "hr_from_base64({0})"),
)
