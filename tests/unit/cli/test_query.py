"""`headrace query`, against a server in front of an instance in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import headrace as hr
from headrace.cli.main import main
from headrace.model.entries import Entries
from headrace.rest.server.running import QueryServer, ServedApp
from headrace.rest.server.settings import Serve
from headrace.rest.server.users import Role, read_users
from rest.conftest import ANYWHERE
from rest.memory import Memory

Said = Callable[..., str]


@pytest.fixture
def memory() -> Memory:
    memory = Memory(app="music").add("counts", hr.STRING, hr.INT64, {"be": 2, "or": 1})
    memory.add("numbers", hr.INT64, hr.json(), {-1: {"a": [1]}, 2: "x"})
    memory.add("raw", hr.BYTES, hr.BYTES, {b"\xff": b"\x00"})
    shop = Entries([({"city": "Oslo", "no": 1}, 3)])
    memory.add("shops", hr.json(), hr.INT64, shop)
    memory.add("shop-windows", hr.session_windowed(hr.json()), hr.INT64, Entries([(hr.Windowed(["Oslo"], 1, 2), 4)]))
    in_window = hr.time_windowed(hr.STRING, "10s")
    return memory.add("by-window", in_window, hr.INT64, {hr.Windowed("ann", 0, 10_000): 1})


@pytest.fixture
def said(memory: Memory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Said]:
    """What a command prints."""
    server = QueryServer([ServedApp(memory)], Serve(address=ANYWHERE))
    server.start()
    monkeypatch.setenv("HEADRACE_QUERY_URL", server.url)

    def say(*arguments: str, code: int = 0) -> str:
        assert main(["query", *arguments]) == code
        printed = capsys.readouterr()
        return printed.out if code == 0 else printed.err

    yield say
    server.close()


def test_stores_and_instances(said: Said) -> None:
    assert "counts\ttable\tstring\tint64\tmusic-counts-changelog\n" in said("stores")
    assert said("instances") == "here\thttp://127.0.0.1:1\t0\tall\t0\n"


def test_one_key(said: Said) -> None:
    assert said("counts", "get", "be") == "2\n"
    assert said("numbers", "get", "--", "-1") == '{"a":[1]}\n'
    assert said("raw", "get", "_w") == "AA\n"
    assert json.loads(said("counts", "get", "be", "--json")) == {"key": "be", "value": 2, "position": "plays-0@8"}
    assert said("counts", "get", "be", "--at-least", "plays-0@1", "--stale") == "2\n"


def test_a_key_that_is_not_there_or_is_none(said: Said) -> None:
    with pytest.raises(SystemExit, match="1"):
        said("counts", "get", "nothing")
    assert "parameter KEY is 'seven'" in said("numbers", "get", "seven", code=1)
    assert "music has no store 'none'" in said("none", "get", "x", code=1)
    assert "parameter timeout is '90000ms'" in said("counts", "get", "be", "--timeout", "90s", code=1)
    ahead = said("counts", "get", "be", "--at-least", "plays-0@99", "--timeout", "1ms", code=1)
    assert "the application has not come to plays-0@99" in ahead


def test_lists(said: Said) -> None:
    assert said("counts", "all") == "be\t2\nor\t1\n"
    assert said("counts", "all", "--reverse", "--limit", "1") == "or\t1\n"
    assert said("counts", "range", "c", "--json") == '{"key":"or","value":1}\n'
    assert said("counts", "prefix", "b") == "be\t2\n"
    assert said("counts", "count") == "2\n"
    assert said("counts", "holders", "be") == "here\thttp://127.0.0.1:1\n"
    assert said("shops", "all") == '{"city":"Oslo","no":1}\t3\n'
    assert said("shops", "all", "--json") == '{"key":{"city":"Oslo","no":1},"value":3}\n'
    assert said("shop-windows", "fetch") == '["Oslo"]@1/2\t4\n'
    assert said("by-window", "fetch", "ann") == "ann@0/10000\t1\n"
    assert said("by-window", "fetch", "--from", "1970-01-01T00:00:01Z") == ""
    assert "error: store 'counts' cannot answer that" in said("counts", "find", "be", code=1)


def test_watching(said: Said, memory: Memory) -> None:
    memory.put("counts", "x\x1b[31m\n", 1)
    assert said("counts", "watch", "--max", "3") == "be\t2\nor\t1\nx\\x1b[31m\\n\t1\n"
    assert said("counts", "watch", "be", "--max", "1", "--json") == '{"key":"be","value":2,"ts":1000}\n'


def test_help_names_the_commands_of_stores(said: Said) -> None:
    assert "STORE get" in said("--help")
    assert "Print the value of KEY" in said("counts", "get", "--help")


def test_users(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "users.txt"
    token = said("users", "add", str(path), "page", "--app", "music").strip()
    said("users", "add", str(path), "boss", "--role", "admin")
    assert path.stat().st_mode & 0o777 == 0o600
    assert token not in path.read_text()
    user = read_users(path).with_token(token)
    assert user is not None
    assert (user.name, user.role, user.apps) == ("page", Role.READ, frozenset({"music"}))
    assert said("users", "list", str(path)) == "page\tread\tmusic\tsha256\nboss\tadmin\tall\tsha256\n"
    before = path.read_text()
    assert "a name has letters" in said("users", "add", str(path), "a:b", code=2)
    for app in ("", "a b", "a\nboss admin * x", "a,b", "\x1b[31m", "ä"):
        assert "an application's name has letters" in said("users", "add", str(path), "eve", "--app", app, code=2)
    assert "needs no --app: leave it out" in said("users", "add", str(path), "eve", "--app", "*", code=2)
    assert path.read_text() == before


def test_users_are_added_to_a_file_of_which_nobody_else_reads_a_letter(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, modes = tmp_path / "users.txt", list[int]()
    path.write_text("# who may ask\n")
    replace = Path.replace

    def seen(fresh: Path, target: Path) -> Path:
        modes.append(fresh.stat().st_mode & 0o777)
        return replace(fresh, target)

    monkeypatch.setattr(Path, "replace", seen)
    said("users", "add", str(path), "page")
    assert modes == [0o600]
    assert path.read_text().startswith("# who may ask\npage read * sha256$")


def test_what_is_no_server(said: Said) -> None:
    statuses = [302, 200]

    class Page(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(statuses.pop())
            self.send_header("location", "/")
            self.end_headers()
            self.wfile.write(b"<!doctype html>")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        for _ in list(statuses):
            assert f"no query server answers at {url}: it is no query server" in said("stores", "--url", url, code=1)
        server.shutdown()


def test_serving_what_has_no_stores(said: Said, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text('import headrace as hr\napp = hr.App("plain")\napp.stream("a").to("b")\n')
    assert "plain has no store" in said("serve", str(tmp_path / "app.py"), code=1)
