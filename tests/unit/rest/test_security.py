"""Who comes in, and who does not."""

from __future__ import annotations

import asyncio
import base64
import itertools
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
import trustme
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import headrace as hr
from headrace.errors import (
    CertificateUnreadable,
    ListenOpen,
    ListenRefused,
    PeerFailed,
    SecretTooShort,
    ServerNotReached,
    UsersUnreadable,
)
from headrace.query.position import Position
from headrace.query.requests import Count, Reply
from headrace.query.service.ports import Watched
from headrace.query.service.proof import Proof
from headrace.rest.client import peers as between
from headrace.rest.client.peers import HttpPeers, PeerWatches
from headrace.rest.server.authentication import Gate
from headrace.rest.server.running import Listener, QueryServer, ServedApp
from headrace.rest.server.settings import Limits, Serve
from headrace.rest.server.users import Role, User, Users, hashed_password, hashed_token, new_token, read_users
from headrace.rest.signatures import Signed, digest_of
from headrace.rest.wire import reply_text
from rest.conftest import Serving
from rest.memory import Memory

KEY = "/apps/music/stores/counts/keys/be"
WATCHERS = "/apps/music/watchers"
SECRET = "between the instances"
ASK, WATCH = (path.format(app="music") for path in (between.ASK, between.WATCH))


@pytest.fixture
def tokens(tmp_path: Path) -> dict[str, str]:
    """Tokens of those who are in `users.txt`."""
    tokens = {name: new_token(name) for name in ("page", "boss", "other")}
    users = [
        User("page", Role.READ, frozenset({"music"}), hashed_token(tokens["page"])),
        User("boss", Role.ADMIN, None, hashed_token(tokens["boss"])),
        User("other", Role.ADMIN, frozenset({"shop"}), hashed_token(tokens["other"])),
        User("ann", Role.READ, None, hashed_password("päss:word")),
    ]
    (tmp_path / "users.txt").write_text("# who may ask\n\n" + "\n".join(user.line for user in users) + "\n")
    return tokens


@pytest.fixture
def secured(memory: Memory, serving: Serving, tmp_path: Path, tokens: dict[str, str]) -> httpx.Client:
    assert tokens
    server = serving(memory, users=tmp_path / "users.txt", secret=SECRET, limits=Limits(tries=3))
    return httpx.Client(base_url=server.url)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def basic(name: str, password: str) -> dict[str, str]:
    return {"authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_token_opens_what_its_role_may(secured: httpx.Client, tokens: dict[str, str]) -> None:
    assert secured.get(KEY, headers=bearer(tokens["page"])).json()["value"] == 2
    assert secured.get("/metrics", headers=bearer(tokens["page"])).status_code == 200
    refused = secured.get(WATCHERS, headers=bearer(tokens["page"]))
    assert code(refused) == (403, "role-lacking")
    assert refused.json()["error"]["message"] == "page may not do that"
    assert refused.json()["error"]["to_do"] == "it is for those with the role admin"
    assert secured.get(WATCHERS, headers=bearer(tokens["boss"])).json() == {"watchers": []}
    elsewhere = secured.get(KEY, headers=bearer(tokens["other"]))
    assert elsewhere.json()["error"]["to_do"] == "it is for those with the application music"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer hr_page_",
        "Bearer hr_page_" + "0" * 64,
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJib3NzIn0.",
        "Bearer " + "x" * 50_000,
        "Basic",
        "Basic !!!",
        "Basic " + base64.b64encode(b"no colon").decode(),
        "Basic " + base64.b64encode(b"\xff\xfe:x").decode(),
        "Digest username=ann",
        "Negotiate abc",
    ],
)
def test_what_nobody_knows(secured: httpx.Client, header: str) -> None:
    for path in (KEY, WATCHERS, "/openapi.json", "/apps/music/stores/counts/watch"):
        answer = secured.get(path, headers={"authorization": header.strip()} if header else {})
        assert code(answer) == (401, "login-needed")
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_health_is_for_everybody_and_says_nothing(secured: httpx.Client) -> None:
    assert secured.get("/health").json() == {"status": "up"}
    assert secured.get("/ready").json() == {"ready": True, "progress": 1.0}


def test_a_name_and_a_password(secured: httpx.Client) -> None:
    for _ in range(2):  # the second time it is remembered
        assert secured.get(KEY, headers=basic("ann", "päss:word")).json()["value"] == 2
    decomposed = "pa\u0308ss:word"
    assert secured.get(KEY, headers=basic("ann", decomposed)).status_code == 200
    assert code(secured.get(KEY, headers=basic("ann", ""))) == (401, "login-needed")
    assert code(secured.get(KEY, headers=basic("page", ""))) == (401, "login-needed")


def test_guessing_is_slowed_down_for_those_who_guess(secured: httpx.Client) -> None:
    assert secured.get(KEY, headers=basic("ann", "päss:word")).status_code == 200
    answers = [secured.get(KEY, headers=basic("ann", f"guess {number}")) for number in range(5)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429, 429]
    assert int(answers[-1].headers["retry-after"]) > 1
    assert secured.get(KEY, headers=basic("ann", "päss:word")).status_code == 200  # she is known already


def test_users_come_and_go_while_it_runs(
    secured: httpx.Client, tokens: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headrace.rest.server.authentication._LOOK_S", 0.0)
    path = tmp_path / "users.txt"
    lines = path.read_text()
    path.write_text("".join(line for line in lines.splitlines(True) if not line.startswith("page")))
    assert secured.get(KEY, headers=bearer(tokens["page"])).status_code == 401
    path.write_text("half a line")
    assert secured.get(KEY, headers=bearer(tokens["boss"])).status_code == 200


@pytest.mark.parametrize(
    ("line", "still"),
    [
        ("", False),
        ("page read shop {same}", False),
        ("page read music {other}", False),
        ("page admin * {same}", True),
    ],
)
def test_who_may_not_read_any_more_is_told_no_more(
    memory: Memory,
    serving: Serving,
    tokens: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    still: bool,
) -> None:
    monkeypatch.setattr("headrace.rest.server.authentication._LOOK_S", 0.0)
    monkeypatch.setattr("headrace.rest.watch.watcher._HEARTBEAT_S", 0.2)
    path = tmp_path / "users.txt"
    others = "".join(one for one in path.read_text().splitlines(True) if not one.startswith("page"))
    url = f"{serving(memory, users=path).url}/apps/music/stores/counts/watch"
    line = line.format(same=hashed_token(tokens["page"]), other=hashed_token(new_token("page")))
    with httpx.stream("GET", url, headers=bearer(tokens["page"]), timeout=5) as answer:
        lines = answer.iter_lines()
        assert "event: current" in lines
        assert ":" in lines  # a heartbeat: it may still
        path.write_text(f"{others}{line}\n")
        time.sleep(0.5)
        memory.put("counts", "be", 7)
        told = 'data: {"key":"be","value":7,"ts":1000}' in itertools.islice(lines, 20)
        assert told == still


def test_other_instances_sign_what_they_ask(secured: httpx.Client, tokens: dict[str, str]) -> None:
    body = b'{"kind":"count","partitions":[0],"store":"counts"}'
    url = str(secured.base_url).rstrip("/")

    def ask(authorization: str, asked: bytes = body, path: str = ASK) -> httpx.Response:
        head = {"authorization": authorization, "content-type": "application/json"}
        return secured.post(path, content=asked, headers=head)

    signed = Signed.make(Proof(SECRET), url, ASK, body)
    good = ask(signed.header)
    assert good.json()["count"] == 4
    assert signed.is_answer(Proof(SECRET), good.headers["headrace-signature"], 200, digest_of(good.content))
    assert not signed.is_answer(Proof(SECRET), good.headers["headrace-signature"], 200, digest_of(b"{}"))
    another = ask(signed.header, b'{"kind":"count","partitions":[0],"store":"last"}')
    assert code(another) == (400, "body-refused")
    assert another.json()["error"]["message"] == "the body of the request is not the one that was signed"
    old = Signed(signed.at_ms - 400_000, signed.nonce, signed.digest, "")
    refused = [
        f"Bearer {SECRET}",
        f"Bearer {tokens['boss']}",
        "Headrace",
        "Headrace 1 2 3 4",
        f"Headrace {'9' * 5_000} 2 3 4",
        Signed.make(Proof("another secret of theirs"), url, ASK, body).header,
        Signed.make(Proof(SECRET), "http://127.0.0.1:1", ASK, body).header,
        Signed.make(Proof(SECRET), url, WATCH, body).header,
        replace(
            old,
            signature=Proof(SECRET).sign("request", url, ASK, str(old.at_ms), old.nonce, old.digest),
        ).header,
    ]
    for wrong in refused:
        answer = ask(wrong)
        assert code(answer) == (401, "login-needed")
        assert "headrace-signature" not in answer.headers  # nobody gets a signature who has not shown one


def test_who_only_has_the_address_of_an_instance_learns_no_secret_and_is_not_believed() -> None:
    heard: list[str] = []

    class Fake(BaseHTTPRequestHandler):
        """Says what an instance would, as far as one can who does not know the secret."""

        def do_POST(self) -> None:
            heard.append(str(self.headers))
            self.rfile.read(int(self.headers["content-length"]))
            said = reply_text(Reply(position=Position(), count=999)).encode()
            if self.path == WATCH:
                said = b'{"since":{"0":1},"life":"x","whole":[0]}\n'
            self.send_response(200)
            self.send_header("headrace-signature", "0" * 64)
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    async def watch(url: str) -> None:
        watches = PeerWatches(Serve(secret=SECRET), "music")
        async for _ in watches.watch(url, Watched("counts"), [0]):
            raise AssertionError

    with ThreadingHTTPServer(("127.0.0.1", 0), Fake) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url, peers = f"http://127.0.0.1:{server.server_port}", HttpPeers(Serve(secret=SECRET), "music")
        with pytest.raises(PeerFailed, match="has not proved to know the secret of this instance: all need the same"):
            peers.ask(url, Count(store="counts"), [0])
        with pytest.raises(PeerFailed, match="has not proved to know the secret"):
            asyncio.run(watch(url))
        peers.close()
        server.shutdown()
    assert len(heard) == 2
    assert SECRET not in "".join(heard)
    assert Proof.of(None).sign("x") not in "".join(heard)


def test_a_secret_that_could_be_found_by_trying_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SecretTooShort, match=r"fewer than 16 letters(.|\n)*openssl rand -hex 32"):
        Gate(Serve(secret="between us"))
    monkeypatch.setenv("HEADRACE_DATA_DIR", str(tmp_path))
    with ThreadPoolExecutor(8) as several:
        signatures = set(several.map(lambda _: Proof.of(None).sign("x"), range(50)))
    assert len(signatures) == 1  # whoever comes first makes it
    (made,) = tmp_path.iterdir()
    assert (made.name, made.stat().st_mode & 0o777, len(made.read_text())) == ("queries.secret", 0o600, 64)


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example"]
)
def test_pages_of_other_sites_get_nothing(client: httpx.Client, origin: str) -> None:
    for path in (KEY, "/apps/music/stores/counts/watch", "/health"):
        answer = client.get(path, headers={"origin": origin})
        assert code(answer) == (403, "origin-refused")
        assert "access-control-allow-origin" not in answer.headers
    preflight = client.options(KEY, headers={"origin": origin, "access-control-request-method": "DELETE"})
    assert preflight.status_code == 403
    url = str(client.base_url).replace("http", "ws").rstrip("/")
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"{url}/apps/music/stores/counts/watch", additional_headers={"origin": origin}),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_a_page_of_its_own_may_ask(client: httpx.Client) -> None:
    own = str(client.base_url).rstrip("/")
    assert client.get(KEY, headers={"origin": own}).status_code == 200


def test_a_name_that_leads_here_is_not_enough(client: httpx.Client) -> None:
    for host in ("evil.example", "evil.example:7900", "127.0.0.1.evil.example", "[::2]:80", "0x7f.1"):
        assert code(client.get(KEY, headers={"host": host})) == (403, "origin-refused")
    for host in ("localhost", "localhost:7900", "127.0.0.1", "[::1]:7900", "LOCALHOST"):
        assert client.get(KEY, headers={"host": host}).status_code == 200


def test_sites_that_are_named_may_ask(memory: Memory, serving: Serving) -> None:
    charts = {"origin": "https://charts.example"}
    with httpx.Client(base_url=serving(memory, origins=("https://charts.example",)).url) as client:
        answer = client.get(KEY, headers=charts)
        assert (answer.json()["value"], answer.headers["access-control-allow-origin"]) == (2, "https://charts.example")
        preflight = client.options(KEY, headers={**charts, "access-control-request-method": "GET"})
        assert preflight.status_code == 204
        assert "authorization" in preflight.headers["access-control-allow-headers"]
        assert client.get(KEY, headers={"origin": "https://other.example"}).status_code == 403


def test_every_answer_is_guarded(client: httpx.Client) -> None:
    for path in (KEY, "/nothing", "/apps/music/topology.svg", f"{KEY}?stale=true", "/apps/music/stores/counts/entries"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_other_machines_need_tls_and_users(tmp_path: Path) -> None:
    with pytest.raises(ListenOpen) as refused:
        Listener(Serve(address="0.0.0.0:0"))
    assert str(refused.value).startswith(
        "0.0.0.0:0 can be reached from other machines, and there is no certificate for TLS and no file of users\n"
        "  to do: give hr.Serve(...) certificate=, key= and users= (made by headrace query users add), or listen on"
        " 127.0.0.1 and let a proxy on this machine"
    )
    with pytest.raises(ListenOpen, match="there is no certificate for TLS"):
        Listener(Serve(address="[::]:0", users=tmp_path / "users.txt"))


def test_addresses_that_are_none() -> None:
    for address in ("7900", "localhost", "127.0.0.1:x", "127.0.0.1:99999", ":7900"):
        with pytest.raises(ListenRefused, match="it is not HOST:PORT"):
            Serve(address=address)
    taken = Listener(Serve(address="127.0.0.1:0"))
    with pytest.raises(ListenRefused, match="Address already in use"):
        Listener(Serve(address=f"127.0.0.1:{taken.port}"))
    taken.close()


def test_files_that_cannot_be_used(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(CertificateUnreadable, match="there is no such file"):
        QueryServer([ServedApp(memory)], Serve(address="127.0.0.1:0", certificate=tmp_path / "none.pem"))
    (tmp_path / "some.pem").write_text("nothing")
    with pytest.raises(CertificateUnreadable, match="cannot be used for TLS"):
        QueryServer([ServedApp(memory)], Serve(address="127.0.0.1:0", certificate=tmp_path / "some.pem"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file or directory"),
        ("", "nobody is in it"),
        ("ann read *", "a line is NAME ROLE APPS HASH"),
        ("ann king * sha256$" + "0" * 64, "a line is NAME ROLE APPS HASH"),
        ("ann read * plaintext", "a line is NAME ROLE APPS HASH"),
        ("a_b read * sha256$" + "0" * 64, "a line is NAME ROLE APPS HASH"),
    ],
)
def test_users_that_cannot_be_read(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "users.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsersUnreadable, match=words):
        read_users(path)


def test_tls_from_end_to_end(memory: Memory, serving: Serving, tmp_path: Path, tokens: dict[str, str]) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    mine = authority.issue_cert("127.0.0.1")
    mine.private_key_pem.write_to_path(tmp_path / "key.pem")
    for part in mine.cert_chain_pems:
        part.write_to_path(tmp_path / "cert.pem", append=True)
    settings = {
        "certificate": tmp_path / "cert.pem",
        "key": tmp_path / "key.pem",
        "trusted": tmp_path / "ca.pem",
        "users": tmp_path / "users.txt",
        "secret": SECRET,
    }
    server = serving(memory, **settings)
    assert server.url.startswith("https://127.0.0.1:")
    with hr.connect(server.url, token=tokens["page"], trusted=tmp_path / "ca.pem") as connection:
        assert connection.store("counts").get("be") == 2
    with pytest.raises(ServerNotReached, match=r"(?i)certificate"):
        hr.connect(server.url, token=tokens["page"])
    peers = HttpPeers(Serve(address="127.0.0.1:0", **settings), "music")  # type: ignore[arg-type]
    assert peers.ask(server.url, Count(store="counts"), [0]).count == 4
    with pytest.raises(PeerFailed, match="it has not proved to know the secret of this instance"):
        HttpPeers(Serve(address="127.0.0.1:0", trusted=tmp_path / "ca.pem"), "music").ask(
            server.url, Count(store="counts"), [0]
        )
    peers.close()


@pytest.mark.parametrize("header", ["host", "authorization", "origin"])
def test_what_says_twice_who_asks_is_refused(client: httpx.Client, header: str) -> None:
    own = str(client.base_url).rstrip("/")
    text = {"host": own.removeprefix("http://"), "authorization": "Bearer x", "origin": own}[header]
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as raw:
        first = "" if header == "host" else f"Host: {client.base_url.netloc.decode()}\r\n"
        twice = f"{header}: {text}\r\n" * 2
        raw.sendall(f"GET {KEY} HTTP/1.1\r\n{first}{twice}\r\n".encode())
        answer = raw.recv(65_536).decode()
    assert answer.startswith("HTTP/1.1 403")


def test_a_file_of_users_that_cannot_be_read_is_said_once(
    secured: httpx.Client,
    tokens: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("headrace.rest.server.authentication._LOOK_S", 0.0)
    path = tmp_path / "users.txt"
    text = path.read_text()

    def told() -> list[str]:
        assert secured.get(KEY, headers=bearer(tokens["boss"])).status_code == 200
        words = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return words

    path.write_text("half a line")
    assert told() == [
        f"users cannot be read from {path}:1: a line is NAME ROLE APPS HASH, with read or admin for a role;"
        " those who were in the file before may still ask"
    ]
    assert told() == []
    path.unlink()
    assert "No such file or directory" in told()[0]
    assert told() == []
    path.write_text(text)
    assert told() == []
    path.unlink()
    assert len(told()) == 1


def test_a_password_is_not_remembered_once_the_file_is_another_one(
    tmp_path: Path, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tokens
    monkeypatch.setattr("headrace.rest.server.authentication._LOOK_S", 0.0)
    path = tmp_path / "users.txt"
    gate = Gate(Serve(users=path))
    headers = {b"authorization": basic("ann", "päss:word")["authorization"].encode()}
    check = Users.with_password

    def meanwhile(users: Users, name: str, password: str) -> User | None:
        found = check(users, name, password)
        lines = path.read_text().splitlines(True)
        path.write_text("".join(line for line in lines if not line.startswith("ann")))
        assert gate.known({b"authorization": b"Bearer x"}) is None  # somebody else asks, and the file is read again
        return found

    monkeypatch.setattr(Users, "with_password", meanwhile)
    asyncio.run(gate.user(headers, "127.0.0.1"))
    assert gate.known(headers) is None
    gate.close()


def test_the_secret_goes_to_no_address_without_tls(memory: Memory, serving: Serving, tmp_path: Path) -> None:
    server = serving(memory)
    peers = HttpPeers(Serve(certificate=tmp_path / "cert.pem", secret=SECRET), "music")
    with pytest.raises(PeerFailed, match=r"the instance at http://.* has no answer: its address is not https"):
        peers.ask(server.url, Count(store="counts"), [0])
    assert memory.asked == []
    peers.close()


def test_no_more_passwords_are_tried_at_once_than_one_after_the_other(
    tmp_path: Path, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tokens
    tried: list[str] = []

    def with_password(users: Users, _name: str, password: str) -> User | None:
        tried.append(password)
        return next(iter(users)) if password == "right" else None

    monkeypatch.setattr(Users, "with_password", with_password)
    gate = Gate(Serve(users=tmp_path / "users.txt"))

    async def ask(passwords: Iterable[str]) -> Counter[str]:
        heads = [{b"authorization": basic("ann", one)["authorization"].encode()} for one in passwords]
        outcomes = await asyncio.gather(*(gate.user(one, "10.0.0.1") for one in heads), return_exceptions=True)
        return Counter(type(one).__name__ for one in outcomes)

    assert asyncio.run(ask(f"guess {number}" for number in range(60))) == {"LoginNeeded": 10, "TooManyRequests": 50}
    assert len(tried) == 10
    gate.close()
    gate, tried[:] = Gate(Serve(users=tmp_path / "users.txt")), []
    assert asyncio.run(ask(["right"] * 60)) == {"User": 60}
    assert tried == ["right"]
    gate.close()


def test_blank_lines_keep_no_connection_open(memory: Memory, serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.rest.server.running._KEEP_ALIVE_S", 1)
    where = httpx.URL(serving(memory, limits=Limits(header_s=1.0)).url)
    head = f"GET /health HTTP/1.1\r\nHost: {where.netloc.decode()}\r\n\r\n".encode()
    for asked in (b"", head):
        with socket.create_connection((where.host, where.port or 0), timeout=10) as raw:
            raw.sendall(b"\r\n" + asked)
            if asked:
                assert raw.recv(65_536).startswith(b"HTTP/1.1 200")
            hung_up = False
            for _ in range(40):
                with suppress(ConnectionError):
                    raw.sendall(b"\r\n\r\n")
                if select.select([raw], [], [], 0.1)[0]:
                    hung_up = True
                    break
            assert hung_up


def test_an_application_of_a_user_has_a_name_that_can_stand_in_the_file(tmp_path: Path) -> None:
    path, hashed = tmp_path / "users.txt", hashed_token("x")
    for apps in ("music,", "music,*", "mu/sic", ","):
        path.write_text(f"page read {apps} {hashed}\n")
        with pytest.raises(UsersUnreadable, match=r"users.txt:1: a line is NAME ROLE APPS HASH"):
            read_users(path)
    assert User("page", Role.READ, frozenset(), hashed).line == f"page read  {hashed}"
