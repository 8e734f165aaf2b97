"""Keys and values as text and as JSON, there and back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest

import headrace as hr
from headrace.rest.key_value_text import form_of


@dataclass
class Point:
    x: int
    y: float


@pytest.mark.parametrize(
    ("serde", "value", "text", "shown"),
    [
        (hr.STRING, "a b", "a b", '"a b"'),
        (hr.STRING, "<img onerror=x>\r\n\x1b[31m", "<img onerror=x>\r\n\x1b[31m", '"<img onerror=x>\\r\\n\\u001b[31m"'),
        (hr.INT64, 2**53 + 1, "9007199254740993", "9007199254740993"),
        (hr.INT64, -(2**63), "-9223372036854775808", "-9223372036854775808"),
        (hr.INT32, 7, "7", "7"),
        (hr.DOUBLE, 0.1, "0.1", "0.1"),
        (hr.DOUBLE, math.inf, "Infinity", '"Infinity"'),
        (hr.DOUBLE, -math.inf, "-Infinity", '"-Infinity"'),
        (hr.BOOL, True, "true", "true"),
        (hr.BYTES, b"\xfb\xff", "-_8", '"-_8"'),
        (hr.json(Point), Point(1, 0.5), '{"x":1,"y":0.5}', '{"x":1,"y":0.5}'),
        (hr.json(tuple[str, int]), ("a", 1), '["a", 1]', '["a",1]'),
    ],
    ids=str,
)
def test_keys(serde: hr.Serde[Any], value: Any, text: str, shown: str) -> None:
    form = form_of(serde, key=True)
    data = serde.write(value)
    assert form.of_text(text) == data
    assert form.json(data) == shown
    assert form.of_json(json.loads(shown)) == data


def test_no_number_is_a_string() -> None:
    form = form_of(hr.DOUBLE)
    data = hr.DOUBLE.write(math.nan)
    assert form.json(data) == '"NaN"'
    assert form.of_json("NaN") == form.of_text("NaN") == data


def test_bytes_of_values_are_base64() -> None:
    form = form_of(hr.BYTES)
    assert form.json(b"\xfb\xff\x00") == '"+/8A"'
    assert form.of_json("+/8A") == b"\xfb\xff\x00"


def test_json_is_shown_as_it_was_written_on_one_line() -> None:
    form = form_of(hr.json())
    assert form.json(b'{"n":12345678901234567890.10,"n":1}') == '{"n":12345678901234567890.10,"n":1}'
    assert form.json(b'{\n"a": 1\r\n}') == '{"a":1}'
    for wrong in (b"NaN", b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(ValueError, match=r"\w"):
            form.json(wrong)


@pytest.mark.parametrize(
    ("serde", "text"),
    [
        (hr.INT64, "1_000"),
        (hr.INT64, "\u0661"),
        (hr.INT64, " 1"),
        (hr.INT32, "2147483648"),
        (hr.DOUBLE, "1e999"),
        (hr.DOUBLE, "inf"),
        (hr.BOOL, "True"),
        (hr.BYTES, "a"),
        (hr.BYTES, "a+b="),
        (hr.STRING, "\ud800"),
        (hr.json(Point), "{}"),
    ],
    ids=str,
)
def test_texts_that_are_no_keys(serde: hr.Serde[Any], text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        form_of(serde, key=True).of_text(text)


def test_a_serde_of_ones_own_is_shown_as_bytes() -> None:
    class Own(hr.Serde[object]):
        name = "own"
        type = hr.Expr  # type: ignore[assignment]

        def write(self, value: object) -> bytes:
            return str(value).encode()

        def read(self, data: bytes) -> object:
            return data

    form = form_of(Own())
    assert form.json(b"abc") == '"YWJj"'
    with pytest.raises(ValueError, match="has no text"):
        form.of_text("abc")
