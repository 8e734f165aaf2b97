"""Tables as text: piped in, and compared with what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.errors import OptionInvalid, TableTextInvalid
from headrace.model.types import INT
from headrace.model.windows import Windowed
from headrace.serde import SessionWindowedSerde, TimeWindowedSerde
from headrace.testing import TopologyTestDriver, table
from headrace.testing.cells import canonical, cell, headers_cell, headers_of, parsed, time_cell, time_of


@dataclass
class Order:
    item: str
    amount: float


WINDOWED = TimeWindowedSerde(hr.STRING, 10_000)
SESSION = SessionWindowedSerde(hr.STRING)
NOON = 1_769_860_800_000


def copying(key: hr.Serde[Any], value: hr.Serde[Any]) -> TopologyTestDriver:
    app = Builder("app")
    app.stream("in", key=key, value=value).to("out")
    return TopologyTestDriver(app)


# -- in and out


def test_a_table_goes_in_and_comes_out() -> None:
    driver = copying(hr.STRING, hr.INT64)
    rows = table("""
        key   | value | ts
        ann   | 3     | 1s
        null  | 1_000 | 1500
        "a|b" | null  | 2026-01-31T12:00:00Z
    """)
    driver.input("in").pipe_records(rows)
    found = driver.output("out").read_records()
    assert [(one.key, one.value, one.ts) for one in found] == [
        ("ann", 3, 1_000),
        (None, 1_000, 1_500),
        ("a|b", None, NOON),
    ]
    driver.input("in").pipe_records(rows)
    assert driver.output("out").read_text() == table("""
        key | value | ts
        ann | 3 | 1s
        null | 1000 | 1500ms
        "a|b" | null | 2026-01-31T12:00:00Z
    """)


def test_without_times_the_topic_has_them() -> None:
    driver = copying(hr.STRING, hr.STRING)
    rows = table("""
        value | key
        x     | a
        y     | b
    """)
    driver.input("in", start=5, advance="1s").pipe_records(rows)
    assert [(one.key, one.value, one.ts) for one in driver.output("out").read_records()] == [
        ("a", "x", 5),
        ("b", "y", 1_005),
    ]


def test_the_text_that_comes_out_can_be_read_by_people() -> None:
    app = Builder("app")
    grouped = app.stream("clicks", key=hr.STRING, value=hr.STRING).group_by_key()
    grouped.windowed_by(hr.tumbling("10s")).count(store="n").to_stream().to("counts")
    driver = TopologyTestDriver(app)
    driver.input("clicks", advance="4s").pipe_records([("ann", "x"), ("bob", "x"), ("ann", "x"), ("ann", "x")])
    text = driver.output("counts").read_text()
    assert (
        text
        == """
key            | value | ts
ann@[0s, 10s)  | 1     | 0s
bob@[0s, 10s)  | 1     | 4s
ann@[0s, 10s)  | 2     | 8s
ann@[10s, 20s) | 1     | 12s
""".strip()
    )
    assert text == table(text)


def test_only_the_columns_that_are_wanted() -> None:
    driver = copying(hr.STRING, hr.STRING)
    driver.input("in").pipe("x", key="a")
    assert driver.output("out").read_text("value", "key") == "value | key\nx     | a"
    driver.input("in").pipe("y", key="b")
    with pytest.raises(OptionInvalid, match="column='when' is not possible"):
        driver.output("out").read_text("when")
    assert driver.output("out").read() == ("b", "y")


def test_headers_are_a_column_where_there_are_any() -> None:
    driver = copying(hr.STRING, hr.STRING)
    rows = table("""
        key | value | ts | headers
        a   | x     | 0  | trace=7, retry=null
        b   | y     | 0  |
    """)
    driver.input("in").pipe_records(rows)
    found = driver.output("out").read_records()
    assert [one.headers for one in found] == [(("trace", b"7"), ("retry", None)), ()]
    driver.input("in").pipe_records(rows)
    assert driver.output("out").read_text() == rows


def test_json_may_be_written_with_spaces() -> None:
    driver = copying(hr.STRING, hr.json(Order))
    rows = table("""
        key | value
        ann | {"item": "a | b", "amount": 2}
    """)
    driver.input("in").pipe_records(rows)
    assert driver.output("out").read() == ("ann", Order("a | b", 2.0))
    assert str(rows).endswith('ann | {"item":"a | b","amount":2}')


def test_a_text_is_piped_as_it_was_written() -> None:
    driver = copying(hr.STRING, hr.STRING)
    driver.input("in").pipe_records(table("key | value\n[a b] | k@[0, 1000)"))
    assert driver.output("out").read() == ("[a b]", "k@[0, 1000)")


# -- cells


@pytest.mark.parametrize(
    ("serde", "value", "text"),
    [
        (hr.STRING, None, "null"),
        (hr.STRING, "null", '"null"'),
        (hr.STRING, "two words", "two words"),
        (hr.STRING, "", '""'),
        (hr.STRING, " padded", '" padded"'),
        (hr.STRING, 'say "hi"', r'"say \"hi\""'),
        (hr.STRING, "a\nb", r'"a\nb"'),
        (hr.STRING, "3", "3"),
        (hr.STRING, "été", "été"),
        (hr.STRING, "a@[1, 2]", '"a@[1, 2]"'),
        (hr.INT64, -3, "-3"),
        (hr.DOUBLE, 1.5, "1.5"),
        (hr.DOUBLE, float("inf"), "inf"),
        (hr.BOOL, True, "true"),
        (hr.BYTES, b"ann", "ann"),
        (hr.BYTES, b"\x00\xff", "0x00ff"),
        (hr.BYTES, b"0x00", '"0x00"'),
        (hr.json(), {"a": [1, None]}, '{"a":[1,null]}'),
        (hr.json(), "ann", '"ann"'),
        (hr.json(Order), Order("x", 1.0), '{"item":"x","amount":1.0}'),
        (WINDOWED, Windowed("ann", 0, 10_000), "ann@[0s, 10s)"),
        (WINDOWED, Windowed("a|b", 500, 10_500), '"a|b"@[500ms, 10500ms)'),
        (WINDOWED, Windowed("ann", NOON, NOON + 500), "ann@[2026-01-31T12:00:00Z, 2026-01-31T12:00:00.500Z)"),
        (SESSION, Windowed("ann", 0, 10_000), "ann@[0s, 10s]"),
    ],
)
def test_a_cell_is_read_as_it_is_shown(serde: hr.Serde[Any], value: Any, text: str) -> None:
    assert cell(serde, value) == text
    assert parsed(serde, text) == value
    assert canonical(text) == text


@given(st.text())
def test_every_text_has_a_form(text: str) -> None:
    shown = cell(hr.STRING, text)
    assert parsed(hr.STRING, shown) == text
    assert table(f"key | value\n{shown} | {shown}") == f"{'key':{len(shown)}} | value\n{shown:3} | {shown}".rstrip()


@given(st.binary())
def test_all_bytes_have_a_form(data: bytes) -> None:
    assert parsed(hr.BYTES, cell(hr.BYTES, data)) == data


@given(st.lists(st.tuples(st.from_regex(r"[a-z][a-z-]*", fullmatch=True), st.none() | st.binary())))
def test_all_headers_have_a_form(headers: list[tuple[str, bytes | None]]) -> None:
    assert headers_of(headers_cell(tuple(headers))) == tuple(headers)


@given(st.integers(0, 2**40))
def test_all_times_have_a_form(ms: int) -> None:
    assert time_of(time_cell(ms)) == ms


# -- what is wrong with a text


class Upper(hr.Serde[int]):
    """One of a user's own."""

    name, type = "upper", INT

    def write(self, value: int) -> bytes:
        return str(value).encode()

    def read(self, data: bytes) -> int:
        return int(data)


def test_a_serde_of_your_own_has_the_form_of_its_type() -> None:
    driver = copying(Upper(), Upper())
    driver.input("in").pipe_records(table("key | value\n1 | 2"))
    assert driver.output("out").read() == (1, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "  ",
            "the table is empty\n  at: line 1, column 1 of the table\n"
            "  to do: begin with the names of its columns: key | value | ts",
        ),
        (
            "key | wert",
            "'wert' is no column\n  at: line 1, column 7 of the table\n"
            "  to do: name some of key, value, ts, headers, each once",
        ),
        ("key | key", "column key is there twice\n  at: line 1, column 7 of the table"),
        (
            "\n  key | value\n  ann\n",
            "1 cell for 2 columns\n  at: line 3, column 3 of the table\n  to do: give each of key, value",
        ),
        ("key\n  a | b", "2 cells for 1 columns\n  at: line 2, column 7 of the table"),
        (
            "key | value\nann | ",
            "the value is empty\n  at: line 2, column 7 of the table\n"
            '  to do: write null for none, or "" for no letters',
        ),
        ('key\n  "ann', "a quote is not closed\n  at: line 2, column 3 of the table"),
        (
            "key | ts\nann | soon",
            "ts: 'soon' is no time: write 1s, 1500 (ms) or 2026-01-31T12:00:00Z\n  at: line 2, column 7 of the table",
        ),
        ("headers\nx", "headers: 'x' is no header: write name=value, name=value\n  at: line 2, column 1"),
    ],
)
def test_a_text_that_is_no_table(text: str, words: str) -> None:
    with pytest.raises(TableTextInvalid) as caught:
        table(text)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("serde", "text", "words"),
    [
        (hr.INT64, "three", "key: three is no int"),
        (hr.DOUBLE, "x", "key: x is no float"),
        (hr.BOOL, "yes", "key: yes is neither true nor false"),
        (hr.BYTES, "0x1", "key: 0x1 is no hexadecimal: two digits of 0-9 and a-f make a byte"),
        (hr.STRING, '"a" b', 'key: "a" b is no quoted text: Extra data at 4'),
        (hr.json(), "{1}", "key: not JSON at 1: Expecting property name enclosed in double quotes"),
        (WINDOWED, "ann", "key: ann is no windowed key: write ann@[0s, 10s)"),
    ],
)
def test_a_cell_that_does_not_fit_its_topic(serde: hr.Serde[Any], text: str, words: str) -> None:
    driver = copying(serde, hr.STRING)
    with pytest.raises(TableTextInvalid) as caught:
        driver.input("in").pipe_records(table(f"value | key\n    y | null\n    x | {text}"))
    assert driver.output("out").is_empty
    assert str(caught.value) == f"{words}\n  at: line 3, column 9 of the table\n  to do: the topic takes {serde}"
