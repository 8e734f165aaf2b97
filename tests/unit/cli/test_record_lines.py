"""Lines to records and back."""

from __future__ import annotations

import json

import pytest

from headrace.cli.key_value_text import FORMS
from headrace.cli.record_lines import LineReader, LineWriter, timestamp_of
from headrace.errors import RecordRefused
from headrace.log.records import ConsumedRecord, NewRecord

STRING = FORMS["string"]


def reader(**settings: object) -> LineReader:
    known: dict[str, object] = {"topic": "t", "source": "standard input", "key": STRING, "value": STRING}
    return LineReader(**{**known, **settings})  # type: ignore[arg-type]


def read(line: str, **settings: object) -> NewRecord:
    (record,) = reader(**settings).records([line.encode()])
    return record


def record(
    key: bytes | None, value: bytes | None, headers: tuple[tuple[str, bytes | None], ...] = ()
) -> ConsumedRecord:
    return ConsumedRecord(topic="t", partition=1, offset=7, timestamp_ms=3_000, key=key, value=value, headers=headers)


@pytest.mark.parametrize(
    ("type_", "text", "data"),
    [
        ("string", "zoë", "zoë".encode()),
        ("string", "", b""),
        ("bytes", "00ff10", b"\x00\xff\x10"),
        ("int32", "-2", b"\xff\xff\xff\xfe"),
        ("int64", "258", b"\0\0\0\0\0\0\1\2"),
        ("double", "1.5", b"\x3f\xf8\0\0\0\0\0\0"),
        ("double", "NaN", b"\x7f\xf8\0\0\0\0\0\0"),
        ("double", "-Infinity", b"\xff\xf0\0\0\0\0\0\0"),
        ("bool", "true", b"\x01"),
        ("bool", "false", b"\x00"),
        ("json", '{"a":[1,null]}', b'{"a":[1,null]}'),
        ("json", "null", b"null"),
    ],
)
def test_each_type_as_text_and_back(type_: str, text: str, data: bytes) -> None:
    assert read(text + "\n", value=FORMS[type_]).value == data
    assert LineWriter(key=STRING, value=FORMS[type_]).line(record(None, data)) == f"null\t{text}"


@pytest.mark.parametrize(
    ("type_", "value", "data"),
    [
        ("string", "x", b"x"),
        ("bytes", "ff", b"\xff"),
        ("int32", 1, b"\0\0\0\1"),
        ("double", 2, b"\x40\0\0\0\0\0\0\0"),
        ("double", "NaN", b"\x7f\xf8\0\0\0\0\0\0"),
        ("bool", True, b"\x01"),
        ("json", {"ä": [1]}, '{"ä":[1]}'.encode()),
    ],
)
def test_each_type_in_a_json_line_and_back(type_: str, value: object, data: bytes) -> None:
    form = FORMS[type_]
    assert read(json.dumps({"value": value}), as_json=True, value=form).value == data
    shown = json.loads(LineWriter(key=STRING, value=form, as_json=True).line(record(None, data)))
    assert shown["value"] == value


@pytest.mark.parametrize(
    ("type_", "text", "reason"),
    [
        ("int32", "many", "'many' is not int32"),
        ("int32", "2147483648", "2147483648 does not fit 32 bits"),
        ("double", "x", "'x' is not double"),
        ("bool", "yes", "'yes' is not bool"),
        ("bytes", "0g", "'0g' is not hexadecimal"),
        ("json", "{", "'{' is not JSON: "),
    ],
)
def test_a_bad_line_is_named(type_: str, text: str, reason: str) -> None:
    lines = [b"k=1\n" if type_ != "json" else b"k={}\n", f"k={text}\n".encode()]
    form = FORMS[type_]
    good = {"bool": b"k=true\n", "bytes": b"k=00\n"}.get(type_, lines[0])
    with pytest.raises(RecordRefused) as refused:
        list(reader(value=form, key_separator="=").records([good, lines[1]]))
    assert f"a record for topic 't' was refused: {reason}" in str(refused.value)
    assert "at: line 2 of standard input" in str(refused.value)


@pytest.mark.parametrize(
    ("line", "settings", "reason"),
    [
        ("no separator", {"key_separator": ":"}, "the line has no ':' between key and value: 'no separator'"),
        ("{", {"as_json": True}, "the line is not JSON"),
        ("[1]", {"as_json": True}, "the line is not an object of headers, key, partition, timestamp, value"),
        ('{"valeu":1}', {"as_json": True}, "the line is not an object of"),
        ('{"value":1}', {"as_json": True}, "1 is a int, STRING is needed"),
        ('{"timestamp":"x"}', {"as_json": True}, 'timestamp "x" is not a whole number'),
        ('{"headers":[1]}', {"as_json": True}, "headers are {name: text} or [[name, text], ...], not [1]"),
        ('{"headers":{"a":1}}', {"as_json": True}, 'not {"a":1}'),
    ],
)
def test_a_line_without_form_is_named(line: str, settings: dict[str, object], reason: str) -> None:
    with pytest.raises(RecordRefused) as refused:
        read(line, **settings)
    assert reason.split(" STRING")[0] in str(refused.value)


def test_a_line_that_is_not_utf8_is_named() -> None:
    with pytest.raises(RecordRefused, match="the line is not UTF-8"):
        list(reader().records([b"\xff\n"]))


def test_keys_nulls_and_line_ends() -> None:
    settings = {"key_separator": "=", "null_marker": "null"}
    assert read("a=b=c\r\n", **settings) == NewRecord(key=b"a", value=b"b=c")
    assert read("a=null", **settings) == NewRecord(key=b"a", value=None)
    assert read("null=x", **settings) == NewRecord(key=None, value=b"x")
    assert read("null") == NewRecord(key=None, value=b"null")


def test_a_json_line_has_everything() -> None:
    line = '{"key":"k","value":null,"headers":{"a":"b","n":null},"timestamp":5,"partition":2}'
    common = (("all", b"1"),)
    assert read(line, as_json=True, headers=common, timestamp_ms=9) == NewRecord(
        key=b"k", value=None, headers=(("all", b"1"), ("a", b"b"), ("n", None)), timestamp_ms=5, partition=2
    )
    assert read('{"headers":[["a","1"],["a","2"]]}', as_json=True).headers == (("a", b"1"), ("a", b"2"))
    assert read("{}", as_json=True, timestamp_ms=9, partition=3) == NewRecord(timestamp_ms=9, partition=3)


@pytest.mark.parametrize(
    ("type_", "value"),
    [("string", b"zo\xc3\xab\n"), ("bytes", b"\xff\0"), ("double", b"\x7f\xf8\0\0\0\0\0\0"), ("json", b'{"a":[1]}')],
)
def test_what_is_printed_as_json_can_be_read(type_: str, value: bytes) -> None:
    headers = (("a", b"1"), ("a", b"2"), ("n", None), ("odd", b"\xfe"), ("backslash", b"\\xfe"))
    form = FORMS[type_]
    for data in (value, None):
        line = LineWriter(key=STRING, value=form, as_json=True).line(record(b"k", data, headers))
        assert read(line, as_json=True, value=form) == NewRecord(
            key=b"k", value=data, headers=headers, timestamp_ms=3_000, partition=1
        )


def test_what_was_printed_escaped_is_not_taken_for_the_data() -> None:
    line = LineWriter(key=STRING, value=FORMS["int32"], as_json=True).line(record(b"k", b"abc"))
    with pytest.raises(RecordRefused) as refused:
        read(line, as_json=True, value=FORMS["int32"])
    assert (
        "its value was printed escaped, for its bytes did not fit (not int32: 3 bytes, 4 are needed);"
        " consume and produce it with --value bytes" in str(refused.value)
    )


def test_what_does_not_fit_is_shown_escaped_with_a_note() -> None:
    odd = record(b"\xffk", b"abc", (("h", b"\xfe"),))
    shown = LineWriter(key=STRING, value=FORMS["int32"], headers=True).line(odd)
    assert shown.startswith("h=\\xfe\t\\xffk (not string: ")
    assert shown.endswith("\tabc (not int32: 3 bytes, 4 are needed)")
    as_json = json.loads(LineWriter(key=STRING, value=FORMS["json"], as_json=True).line(odd))
    assert as_json["key"] == "\\xffk"
    assert as_json["key_error"].startswith("not string: ")
    assert (as_json["value"], as_json["headers"]) == ("abc", [["h", {"hex": "fe"}]])
    assert as_json["value_error"].startswith("not json: ")


def test_times_are_shown_and_read() -> None:
    shown = LineWriter(key=STRING, value=STRING, timestamps=True).line(record(b"k", None))
    assert shown == "1970-01-01T00:00:03.000Z\tk\tnull"
    assert timestamp_of("3000") == timestamp_of("1970-01-01T00:00:03Z") == timestamp_of("1970-01-01T00:00:03") == 3_000
    assert timestamp_of("1970-01-01T01:00:00.250+01:00") == 250
    with pytest.raises(ValueError, match="tomorrow"):
        timestamp_of("tomorrow")


def test_nothing_reaches_a_terminal_that_it_would_obey() -> None:
    found = record(b"k\x1b[2J", "red \x1b[31m\nnext \u202e\x9b".encode(), headers=(("h\x07", b"\x1b]0;x\x07"),))
    line = LineWriter(key=STRING, value=STRING, headers=True).line(found)
    assert line == "h\\x07=\\x1b]0;x\\x07\tk\\x1b[2J\tred \\x1b[31m\\nnext \\u202e\\x9b"
    as_json = LineWriter(key=STRING, value=STRING, as_json=True).line(found)
    assert as_json.isprintable()
    assert json.loads(as_json)["value"] == "red \x1b[31m\nnext \u202e\x9b"
    raw = LineWriter(key=STRING, value=STRING, raw=True).line(found)
    assert raw == "k\x1b[2J\tred \x1b[31m\nnext \u202e\x9b"
