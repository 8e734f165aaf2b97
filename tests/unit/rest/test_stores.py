"""Stores over HTTP: one key, pages, lines, windows, counts."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

import headrace as hr
from headrace.query.position import Position
from headrace.query.requests import Get, Scan
from rest.memory import Memory

COUNTS, LAST = "/apps/music/stores/counts", "/apps/music/stores/last"


def told(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert isinstance(found, dict)
    return found


def test_one_key(client: httpx.Client) -> None:
    answer = client.get(f"{COUNTS}/keys/be")
    assert told(answer) == {
        "key": "be",
        "value": 2,
        "ts": 1000,
        "position": "plays-0@9",
        "stale": False,
        "instances": ["here"],
    }
    assert answer.headers["headrace-position"] == "plays-0@9"
    assert answer.headers["content-type"] == "application/json"


def test_one_key_that_has_to_be_waited_for(client: httpx.Client, memory: Memory) -> None:
    memory.quick = False
    assert told(client.get(f"{COUNTS}/keys/be?at_least=plays-0@9&timeout=300ms&stale=true"))["value"] == 2
    assert memory.asked[-1] == Get(
        store="counts", key=b"be", at_least=Position({("plays", 0): 9}), timeout_ms=300, stale=True
    )


def test_what_fails_in_the_event_loop_is_a_failure_of_the_server(
    client: httpx.Client, memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_question: object) -> None:
        raise RuntimeError("no more files")

    monkeypatch.setattr(memory, "at_once", broken)
    answer = client.get("/apps/music/stores/counts/keys/be")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "no more files" in caplog.text


def test_a_key_that_is_not_there(client: httpx.Client) -> None:
    answer = client.get(f"{COUNTS}/keys/nothing")
    assert answer.status_code == 404
    assert answer.json() == {
        "error": {"code": "key-absent", "message": "store 'counts' has no such key", "to_do": None}
    }


@pytest.mark.parametrize("key", ["", "a/b", "..", "%2e%2e%2f", "Ünïcode 🎵", "a+b&c=d?#", "\x00", "\r\nX: y", "%"])
def test_keys_of_any_letters(client: httpx.Client, memory: Memory, key: str) -> None:
    memory.put("counts", key, 42)
    path = httpx.URL(f"{client.base_url}{COUNTS}").raw_path + b"/keys/" + quoted(key)
    answer = client.send(client.build_request("GET", client.base_url.copy_with(raw_path=path)))
    assert (told(answer)["key"], told(answer)["value"]) == (key, 42)
    entries = told(client.get(f"{COUNTS}/entries", params={"from": key, "to": key}))["entries"]
    assert entries == [{"key": key, "value": 42, "ts": 1000}]


def quoted(key: str) -> bytes:
    return "".join(f"%{byte:02x}" for byte in key.encode()).encode()


def test_an_entry_that_is_known_already_is_not_sent_again(client: httpx.Client, memory: Memory) -> None:
    for path in (f"{COUNTS}/keys/be", f"{COUNTS}/keys/be?stale=true"):  # at once, and the long way
        first = client.get(path)
        same = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")
        assert same.headers["headrace-position"]
    memory.put("counts", "or", 5)
    assert client.get(f"{COUNTS}/keys/be", headers={"if-none-match": first.headers["etag"]}).status_code == 304
    memory.put("counts", "be", 3)
    assert client.get(f"{COUNTS}/keys/be", headers={"if-none-match": first.headers["etag"]}).json()["value"] == 3


def test_values_with_fields_and_keys_that_are_numbers(client: httpx.Client) -> None:
    found = told(client.get(f"{LAST}/keys/-3"))
    assert (found["key"], found["value"]) == (-3, {"song": "Locomotive", "seconds": 285})
    assert [one["key"] for one in told(client.get(f"{LAST}/entries?from=-3&to=6"))["entries"]] == [-3]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{LAST}/keys/seven", "parameter-invalid"),
        (f"{LAST}/keys/9223372036854775808", "parameter-invalid"),
        (f"{LAST}/entries?prefix=7", "store-asked-wrongly"),
        (f"{COUNTS}/windows", "store-asked-wrongly"),
        ("/apps/music/stores/visits/keys/bob", "store-asked-wrongly"),
        (f"{COUNTS}/entries?limit=-1", "parameter-invalid"),
        (f"{COUNTS}/entries?limit=9223372036854775808", "parameter-invalid"),
        (f"{COUNTS}/entries?limit=0", "parameter-invalid"),
        (f"{COUNTS}/entries?cursor=AAAA", "cursor-invalid"),
        (f"{COUNTS}/entries?cursor=../etc", "cursor-invalid"),
        (f"{COUNTS}/entries?reverse=maybe", "parameter-invalid"),
        (f"{COUNTS}/entries?nonsense=1", "parameter-unknown"),
        (f"{COUNTS}/entries?limit=1&limit=2", "parameter-unknown"),
        (f"{COUNTS}/keys/be?at_least=x", "parameter-invalid"),
        (f"{COUNTS}/keys/be?timeout=1h", "parameter-invalid"),
        (f"{COUNTS}/keys/%ff", "parameter-invalid"),
        ("/apps/music/stores/by-window/windows?from=yesterday", "parameter-invalid"),
    ],
)
def test_what_cannot_be_asked(client: httpx.Client, path: str, code: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert answer.json()["error"]["to_do"]


@pytest.mark.parametrize("path", ["/apps/other", "/apps/music/stores/none/count", "/apps/", "/%2e%2e/etc/passwd"])
def test_what_is_not_there(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] in {"app-not-served", "store-not-asked", "path-unknown"}


def test_a_position_that_is_not_reached_says_when_to_ask_again(client: httpx.Client) -> None:
    answer = client.get(f"{COUNTS}/keys/be?at_least=plays-0@99&timeout=10ms")
    assert (answer.status_code, answer.headers["retry-after"]) == (504, "1")
    assert (
        answer.json()["error"]["message"]
        == "the application has not come to plays-0@99 within 0.01 s, but to plays-0@9"
    )


def test_pages(client: httpx.Client, memory: Memory) -> None:
    first = told(client.get(f"{COUNTS}/entries?limit=3&reverse=true"))
    assert [one["key"] for one in first["entries"]] == ["to", "or", "not"]
    last = told(client.get(f"{COUNTS}/entries", params={"limit": 3, "reverse": "true", "cursor": first["next"]}))
    assert ([one["key"] for one in last["entries"]], last["next"]) == (["be"], None)
    scan = memory.asked[-1]
    assert isinstance(scan, Scan)
    assert (scan.after, scan.as_of) == (b"not", Position({("plays", 0): 9}))


def test_a_cursor_is_of_one_question(client: httpx.Client) -> None:
    cursor = told(client.get(f"{COUNTS}/entries?limit=1"))["next"]
    for wrong in (cursor[:-1], cursor[:-1] + ("A" if cursor[-1] != "A" else "B"), cursor + "A", cursor.swapcase()):
        assert client.get(f"{COUNTS}/entries", params={"cursor": wrong}).json()["error"]["code"] == "cursor-invalid"
    other = client.get(f"{COUNTS}/entries", params={"cursor": cursor, "reverse": "true"})
    assert other.json()["error"]["message"] == "this cursor is of no page of this question"


def test_all_entries_as_lines(client: httpx.Client, memory: Memory) -> None:
    for number in range(2_500):
        memory.put("counts", f"word-{number:05}", number)
    answer = client.get(f"{COUNTS}/entries?prefix=word-", headers={"accept": "application/x-ndjson"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["content-encoding"] == "gzip"
    assert [json.loads(line)["value"] for line in answer.text.splitlines()] == list(range(2_500))
    few = client.get(f"{COUNTS}/entries?limit=2", headers={"accept": "application/x-ndjson"})
    assert len(few.text.splitlines()) == 2


def test_no_moment_is_kept_for_lines_that_end(client: httpx.Client, memory: Memory) -> None:
    path, lines = "/apps/music/stores/counts/entries?limit=1", {"accept": "application/x-ndjson"}
    client.get(path, headers=lines)
    client.get(path)
    assert [one.paged for one in memory.asked if isinstance(one, Scan)] == [False, True]


def test_windows_and_sessions(client: httpx.Client) -> None:
    found = told(client.get("/apps/music/stores/by-window/windows?from=5000&to=2026-01-01T00:00:00Z"))["entries"]
    assert found == [{"key": "ann", "window": {"start": 10_000, "end": 20_000}, "value": 2, "ts": 1000}]
    assert len(told(client.get("/apps/music/stores/by-window/windows/ann"))["entries"]) == 2
    (session,) = told(client.get("/apps/music/stores/visits/windows/bob"))["entries"]
    assert (session["window"], session["value"]) == ({"start": 5, "end": 9}, 0.5)


def test_how_many(client: httpx.Client) -> None:
    assert told(client.get(f"{COUNTS}/count"))["count"] == 4


def test_who_holds_a_key(client: httpx.Client) -> None:
    (holder,) = told(client.get(f"{COUNTS}/keys/be/holders"))["holders"]
    assert holder["name"] == "here"
    assert holder["shares"][0] == {
        "store": "counts",
        "partition": 0,
        "offset": 9,
        "end": 9,
        "lag": 0,
        "ready": True,
    }


def test_bytes_that_are_none_of_their_type_do_not_spoil_the_others(client: httpx.Client, memory: Memory) -> None:
    about = memory.stores["counts"]
    memory.stores["counts"] = type(about)(about.name, about.topic, about.key, hr.BYTES, None)
    memory.put("counts", "broken", b"123")
    found = told(client.get(f"{COUNTS}/entries"))["entries"]
    assert found[1] == {"key": None, "value": None, "ts": 1000, "unreadable": "3 bytes, 8 are needed"}
    assert [one["key"] for one in found] == ["be", None, "not", "or", "to"]


@pytest.mark.parametrize("known", ["", "*", "{etag}", 'W/"other", {etag}', 'W/"other"'])
def test_an_entry_is_answered_the_same_at_once_and_after_a_wait(
    client: httpx.Client, memory: Memory, known: str
) -> None:
    path = "/apps/music/stores/counts/keys/be"
    etag = client.get(path).headers["etag"]
    answers = []
    for quick in (True, False):
        memory.quick = quick
        answer = client.get(path, headers={"if-none-match": known.format(etag=etag)} if known else {})
        headers = {name: text for name, text in answer.headers.items() if name not in ("date", "vary")}
        answers.append((answer.status_code, headers, answer.content))
    assert answers[0] == answers[1]
    assert answers[0][0] == (200 if known in ("", 'W/"other"') else 304)
