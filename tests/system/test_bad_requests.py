"""Bad requests to an application that runs: a clean refusal each time, nothing told that is nobody's business, and it
answers as before."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import headrace as hr
from headrace.log.topics import Topics
from headrace.query.catalogue import Queryable
from headrace.query.service.instance import Instance
from headrace.query.service.proof import Proof
from headrace.rest.client.peers import ASK
from headrace.rest.server.running import Listener, QueryServer, ServedApp
from headrace.rest.server.users import Role, User, hashed_password, hashed_token, new_token
from headrace.rest.signatures import Signed
from system.served import Wire, application, code_of, say, status_of, wait_until
from waiting import until, while_up

pytestmark = pytest.mark.spark

APP = "/apps/served"
COUNTS = f"{APP}/stores/counts"
SECRET = "only among instances"
NASTY = "<img src=x onerror=alert(1)>\r\nSet-Cookie: a=b\x1b[31m"


@dataclass
class Served:
    """The running application, and who may ask it."""

    url: str
    app: hr.App
    broker: str
    source: str
    tokens: dict[str, str]
    directory: Path

    def client(self, name: str | None = "page", **more: Any) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.tokens[name]}"} if name else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, **more)

    def head(self, line: str, *headers: str) -> bytes:
        """The head of a request, of somebody who may ask."""
        said = [line, f"Host: {self.url.partition('//')[2]}", f"Authorization: Bearer {self.tokens['page']}", *headers]
        return "\r\n".join([*said, "", ""]).encode("latin-1")

    def raw(self, data: bytes) -> bytes:
        return Wire(self.url).send(data).answer()


@pytest.fixture(scope="module")
def served(spark: Any, broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    assert spark
    directory = tmp_path_factory.mktemp("served")
    Topics(broker).create("served-words", 2)
    tokens = {name: new_token(name) for name in ("page", "boss", "other")}
    users = [
        User("page", Role.READ, frozenset({"served"}), hashed_token(tokens["page"])),
        User("boss", Role.ADMIN, None, hashed_token(tokens["boss"])),
        User("other", Role.ADMIN, frozenset({"shop"}), hashed_token(tokens["other"])),
        User("ann", Role.READ, None, hashed_password("nobody says it")),
        User("cyd", Role.READ, None, hashed_password("correct: hörse")),
    ]
    (directory / "users.txt").write_text("\n".join(user.line for user in users))
    limits = hr.Limits(header_s=3.0, connections=400, watchers=150, requests=16, waiting=200, tries=5)
    serve = hr.Serve(address="127.0.0.1:0", users=directory / "users.txt", secret=SECRET, limits=limits)
    app = application("served", "served-words", broker, directory / "checkpoint", serve)
    words = [("ann", word, 1_000 * at) for at, word in enumerate(["be", "to", "be", NASTY, "or", "a/b", "..", ""], 1)]
    say(broker, "served-words", words)
    with app:
        wait_until(app, "counts", "be", 2)
        assert app.url
        yield Served(app.url, app, broker, "served-words", tokens, directory)


@pytest.fixture(autouse=True)
def answers_as_before(served: Served) -> Iterator[None]:
    """Whatever was said to it."""
    yield
    with served.client() as client:
        assert client.get(f"{COUNTS}/keys/be").json()["value"] == 2
        assert client.get("/health").json() == {"status": "up"}
    assert served.app.state is hr.State.RUNNING


def tells_nothing(served: Served, answer: bytes | str) -> None:
    """No path, no stack trace, no secret."""
    text = answer if isinstance(answer, str) else answer.decode("latin-1")
    private = [str(served.directory), "Traceback", ".py", SECRET, "hörse", "scrypt", "sha256$", *served.tokens.values()]
    assert not [one for one in private if one in text]


# -- names and keys


@pytest.mark.parametrize(
    "name",
    [
        "сounts",  # noqa: RUF001
        "counts\u200b",
        "\u202ecounts",
        "COUNTS",
        "counts\x00",
        "..",
        "../counts",
        "..%2fcounts",
        "'; DROP TABLE counts; --",
        "counts\r\nX: y",
        "<img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        "x" * 20_000,
        "",
    ],
)
def test_names_that_only_look_like_it(served: Served, name: str) -> None:
    quoted = "".join(f"%{byte:02X}" for byte in name.encode())
    with served.client() as client:
        paths = [f"{APP}/stores/{quoted}/keys/be", f"/apps/{quoted}/stores/counts/keys/be"]
        for path in [*paths, f"/{quoted}"] if quoted else paths:  # at the top there is a page
            answer = client.get(path)
            assert answer.status_code == 404
            assert code_of(answer) in {"store-not-asked", "app-not-served", "path-unknown"}
            assert answer.headers["content-type"] == "application/json"
            tells_nothing(served, answer.text)


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/apps/served/../../etc/passwd",
        "//etc/passwd",
        "/apps/served/stores/counts/keys/../../../../../etc/passwd",
        "/apps/served/stores/counts/keys/%00/holders/%00",
        "/\\..\\..\\windows",
    ],
)
def test_paths_that_lead_elsewhere(served: Served, path: str) -> None:
    answer = served.raw(served.head(f"GET {path} HTTP/1.1", "Connection: close"))
    assert status_of(answer) in {400, 404}
    assert b"root:" not in answer
    tells_nothing(served, answer)


def test_what_is_in_keys_stays_in_keys(served: Served) -> None:
    quoted = "".join(f"%{byte:02X}" for byte in NASTY.encode())
    with served.client() as client:
        answer = client.get(f"{COUNTS}/keys/{quoted}")
        assert (answer.json()["key"], answer.json()["value"]) == (NASTY, 1)
        assert "set-cookie" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        for wrong in (f"{COUNTS}/entries?limit={quoted}", f"{COUNTS}/entries?{quoted}=1", f"{APP}/stores/{quoted}"):
            refused = client.get(wrong)
            assert "set-cookie" not in refused.headers
            assert "\x1b" not in refused.text
            assert "\r" not in refused.text
        svg = client.get(f"{APP}/topology.svg")
        assert "script" not in svg.text
        assert "frame-ancestors 'none'" in svg.headers["content-security-policy"]


# -- questions


@pytest.mark.parametrize("limit", ["-1", "0", "1001", "9223372036854775808", "1e3", "٣", "NaN", "", "1;2"])
def test_limits_that_are_none(served: Served, limit: str) -> None:
    with served.client() as client:
        for path in (f"{COUNTS}/entries", f"{APP}/stores/by-window/windows"):
            answer = client.get(path, params={"limit": limit})
            assert (answer.status_code, code_of(answer)) == (400, "parameter-invalid")


@pytest.mark.parametrize(
    ("path", "params"),
    [
        (f"{COUNTS}/entries", {"at_least": "served-words-0@" + "9" * 40}),
        (f"{COUNTS}/entries", {"at_least": "'; --"}),
        (f"{COUNTS}/entries", {"timeout": "9999d"}),
        (f"{COUNTS}/entries", {"as_of": "~../../x"}),
        (f"{APP}/stores/by-window/windows", {"from": "99999999999999999999"}),
        (f"{APP}/stores/by-window/windows", {"from": "2026-13-45T99:99:99Z"}),
        (f"{APP}/stores/lengths/keys/1_0", {}),
        (f"{APP}/stores/lengths/entries", {"from": "1.5"}),
        (f"{APP}/stores/lengths/entries", {"prefix": "1"}),
        (f"{APP}/stores/visits/keys/ann", {}),
        (f"{COUNTS}/windows", {}),
        (f"{COUNTS}/watch", {"since": "0=x"}),
        (f"{COUNTS}/watch", {"since": "99=-1"}),
    ],
)
def test_questions_that_make_no_sense(served: Served, path: str, params: dict[str, str]) -> None:
    with served.client() as client:
        answer = client.get(path, params=params)
        assert answer.status_code == 400
        assert code_of(answer) in {"parameter-invalid", "store-asked-wrongly"}
        tells_nothing(served, answer.text)


def test_cursors_that_were_tampered_with(served: Served) -> None:
    with served.client() as client:
        cursor = client.get(f"{COUNTS}/entries?limit=2").json()["next"]
        data = bytearray(base64.urlsafe_b64decode(cursor + "==="))
        changed = []
        for place in range(len(data)):
            data[place] ^= 1
            changed.append(base64.urlsafe_b64encode(bytes(data)).rstrip(b"=").decode())
            data[place] ^= 1
        for wrong in (*changed, cursor[:10], cursor * 50, "..", "AAAA", "\x00", "🎵"):
            assert code_of(client.get(f"{COUNTS}/entries", params={"limit": 2, "cursor": wrong})) == "cursor-invalid"
        other = client.get(f"{APP}/stores/lengths/entries", params={"limit": 2, "cursor": cursor})
        assert code_of(other) == "cursor-invalid"
        assert len(client.get(f"{COUNTS}/entries", params={"limit": 2, "cursor": cursor}).json()["entries"]) == 2


# -- who asks


@pytest.mark.parametrize(
    "login",
    [
        "",
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJib3NzIn0.",
        "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib3NzIiwiZXhwIjoxfQ.AAAA",
        "Bearer " + "A" * 60_000,
        "Bearer hr_boss_" + "0" * 64,
        "Bearer \u00ff\u00fe",
        "Basic " + base64.b64encode(b"ann:").decode(),
        "Basic " + base64.b64encode(b":").decode(),
        "Basic " + base64.b64encode(b"ann").decode(),
        "Basic " + base64.b64encode(b"\xff:\xff").decode(),
        "Basic %%%",
    ],
)
def test_logins_that_nobody_knows(served: Served, login: str) -> None:
    with served.client(None) as client:
        headers = {b"authorization": login.encode("latin-1")} if login else {}
        for path in (f"{COUNTS}/keys/be", f"{COUNTS}/watch", "/metrics", f"{APP}/watchers"):
            answer = client.get(path, headers=headers)
            assert (answer.status_code, code_of(answer)) == (401, "login-needed")
            tells_nothing(served, answer.text)


def test_a_password_may_have_a_colon_and_any_letters(served: Served) -> None:
    with served.client(None) as client:
        login = base64.b64encode("cyd:correct: hörse".encode()).decode()
        assert client.get(f"{COUNTS}/keys/be", headers={"authorization": f"Basic {login}"}).json()["value"] == 2


def test_a_thousand_wrong_tries(served: Served) -> None:
    with served.client(None) as client:

        def guess(number: int) -> int:
            login = base64.b64encode(f"boss{number % 7}:guess {number}".encode()).decode()
            return client.get(f"{COUNTS}/keys/be", headers={"authorization": f"Basic {login}"}).status_code

        with ThreadPoolExecutor(8) as many:
            answers = list(many.map(guess, range(1_000)))
    assert set(answers) <= {401, 429}
    assert answers.count(429) > 900


def test_roles_and_applications(served: Served) -> None:
    with served.client("page") as page, served.client("other") as other, served.client("boss") as boss:
        assert code_of(page.get(f"{APP}/watchers")) == "role-lacking"
        assert code_of(page.delete(f"{APP}/watchers/1")) == "role-lacking"
        assert code_of(other.get(f"{COUNTS}/keys/be")) == "role-lacking"
        assert code_of(other.get(f"{COUNTS}/watch")) == "role-lacking"
        assert code_of(page.post(PEERS, json={"kind": "count", "store": "counts", "partitions": [0]})) == (
            "login-needed"
        )
        assert boss.get(f"{APP}/watchers").json() == {"watchers": []}
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert code_of(page.request(method, f"{COUNTS}/keys/be")) == "method-refused"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "file://", "http://127.0.0.1"])
def test_pages_of_other_sites(served: Served, origin: str) -> None:
    with served.client() as client:
        for method, path in (("GET", f"{COUNTS}/keys/be"), ("GET", f"{COUNTS}/watch"), ("DELETE", f"{APP}/watchers/1")):
            answer = client.request(method, path, headers={"origin": origin})
            assert (answer.status_code, code_of(answer)) == (403, "origin-refused")
            assert not [name for name in answer.headers if name.startswith("access-control")]
        preflight = client.options(
            f"{APP}/watchers/1", headers={"origin": origin, "access-control-request-method": "DELETE"}
        )
        assert preflight.status_code == 403
    url = served.url.replace("http", "ws")
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"{url}{COUNTS}/watch", additional_headers={"origin": origin}),
    ):
        pass
    assert refused.value.response.status_code == 403


# -- what is on the wire

PEERS = ASK.format(app="served")
CHUNKED = "Transfer-Encoding: chunked"
AS_JSON = "Content-Type: application/json"


def _asking(*headers: str, body: bytes = b"") -> Callable[[Served], bytes]:
    """A question of another instance, signed with what it is to have for a body, which is behind it."""

    def head(served: Served) -> bytes:
        signed = f"Authorization: {Signed.make(Proof(SECRET), served.url, PEERS, body).header}"
        said = [f"POST {PEERS} HTTP/1.1", f"Host: {served.url.partition('//')[2]}", signed, *headers]
        return "\r\n".join([*said, "", ""]).encode() + body

    return head


WIRE: dict[str, tuple[Callable[[Served], bytes], set[int]]] = {
    "two lengths": (lambda s: _asking(AS_JSON, "Content-Length: 2", "Content-Length: 3")(s) + b"{} ", {400}),
    "a length and chunks": (lambda s: _asking(AS_JSON, "Content-Length: 4", CHUNKED)(s) + b"0\r\n\r\nGET", {400}),
    "chunks twice": (lambda s: _asking(AS_JSON, CHUNKED, "Transfer-Encoding: identity")(s) + b"0\r\n\r\n", {400}),
    "a chunk of no size": (lambda s: _asking(AS_JSON, CHUNKED)(s) + b"zz\r\nabc\r\n0\r\n\r\n", {400}),
    "a gigabyte": (lambda s: _asking(AS_JSON, "Content-Length: 1073741824")(s) + b"{" * 1_000, {413}),
    "a negative length": (lambda s: _asking(AS_JSON, "Content-Length: -1")(s), {400}),
    "a length of many digits": (lambda s: _asking(AS_JSON, "Content-Length: " + "9" * 100)(s), {400}),
    "another kind": (
        lambda s: _asking("Content-Type: text/xml", "Content-Length: 2", "Connection: close")(s) + b"{}",
        {415},
    ),
    "no kind": (lambda s: _asking("Content-Length: 2", "Connection: close")(s) + b"{}", {415}),
    "no JSON": (_asking(AS_JSON, "Content-Length: 2", "Connection: close", body=b"{]"), {400}),
    "no question": (_asking(AS_JSON, "Content-Length: 2", "Connection: close", body=b"{}"), {400}),
    "another body": (lambda s: _asking(AS_JSON, "Content-Length: 2", "Connection: close")(s) + b"{}", {400}),
    "nested JSON": (
        _asking(AS_JSON, "Content-Length: 100000", "Connection: close", body=b"[" * 100_000),
        {400},
    ),
    "a long head": (lambda s: s.head("GET /health HTTP/1.1", "X: " + "x" * 100_000), {431}),
    "many headers": (lambda s: s.head("GET /health HTTP/1.1", *(f"X-{n}: {'x' * 20}" for n in range(5_000))), {431}),
    "a long path": (lambda s: s.head(f"GET /{'x' * 100_000} HTTP/1.1"), {431}),
    "a NUL in the head": (lambda s: s.head("GET /health HTTP/1.1", "X: a\x00b"), {400}),
    "two hosts": (lambda s: s.head("GET /apps HTTP/1.1", "Host: evil.example", "Connection: close"), {400, 403}),
    "two logins": (lambda s: s.head("GET /apps HTTP/1.1", "Authorization: Bearer x", "Connection: close"), {403}),
    "a space before the colon": (lambda s: s.head("GET /health HTTP/1.1", "X : y"), {400}),
    "an old protocol": (lambda _: b"GET /health\r\n\r\n", {0, 200, 400}),
    "no protocol": (lambda _: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), {0, 400}),
    "another protocol": (lambda _: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {0, 400}),
    "an unknown method": (lambda s: s.head("BREW /apps HTTP/1.1"), {400}),
    "a method of our own": (lambda s: s.head("PROPFIND /apps HTTP/1.1", "Connection: close"), {405}),
    "the server itself": (lambda s: s.head("OPTIONS * HTTP/1.1", "Connection: close"), {400, 404}),
    "elsewhere": (lambda s: s.head("GET http://evil.example/apps HTTP/1.1", "Connection: close"), {200}),
    "a tunnel": (lambda s: s.head("CONNECT evil.example:443 HTTP/1.1", "Connection: close"), {400, 404, 405}),
}


@pytest.mark.parametrize("name", WIRE)
def test_on_the_wire(served: Served, name: str) -> None:
    said, expected = WIRE[name]
    answer = served.raw(said(served))
    assert status_of(answer) in expected, answer[:300]
    assert answer.count(b"HTTP/1.1 ") <= 1
    tells_nothing(served, answer)


def test_a_body_without_end(served: Served) -> None:
    wire = Wire(served.url).send(_asking(AS_JSON, CHUNKED)(served))
    for _ in range(200):
        wire.send(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
    answer = wire.answer()
    assert status_of(answer) in {0, 413}  # it may be hung up on before the answer is read
    slow = Wire(served.url).send(_asking(AS_JSON, "Content-Length: 1000")(served) + b"{")
    assert status_of(slow.answer()) == 408


def test_those_who_send_a_letter_now_and_then(served: Served) -> None:
    heads = [Wire(served.url).send(b"GET /health HTTP/1.1\r\nX: ") for _ in range(100)]
    silent = [Wire(served.url) for _ in range(100)]
    with served.client() as client:
        assert client.get(f"{COUNTS}/keys/be").json()["value"] == 2
    assert {wire.answer() for wire in (*heads, *silent)} == {b""}


def test_very_many_at_once(served: Served) -> None:
    answers: list[int] = []

    def ask(number: int) -> None:
        path = f"{COUNTS}/keys/be" if number % 2 else f"{COUNTS}/entries"
        for _ in range(5):
            try:
                answers.append(status_of(served.raw(served.head(f"GET {path} HTTP/1.1", "Connection: close"))))
            except OSError:
                answers.append(0)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {200, 429, 0}
    assert answers.count(200) > 500


@contextmanager
def another(broker: str, directory: Path, limits: hr.Limits) -> Iterator[str]:
    """A server of an application that does not run, with limits of its own."""
    settings = hr.Serve(address="127.0.0.1:0", limits=limits)
    Topics(broker).create("another-counts-changelog", 1)
    stores = {"counts": Queryable("counts", "another-counts-changelog", hr.STRING, hr.INT64, None)}
    listener = Listener(settings)
    with ExitStack() as started:
        instance = Instance("another", stores, broker, None, directory, url=listener.url)
        started.callback(instance.close)
        server = QueryServer([ServedApp(instance)], settings, listener)
        started.callback(server.close)
        instance.start()
        server.start()
        yield listener.url


def test_more_connections_than_there_may_be(served: Served, tmp_path: Path) -> None:
    with another(served.broker, tmp_path, hr.Limits(connections=20, header_s=600.0)) as url:
        wires = [Wire(url) for _ in range(60)]
        until(lambda: sum(wire.was_hung_up_on() for wire in wires) == 40, "40 of 60 are hung up on, some after a while")
        kept = [wire for wire in wires if not wire.was_hung_up_on()]
        head = f"GET /health HTTP/1.1\r\nHost: {url.partition('//')[2]}\r\nConnection: close\r\n\r\n"
        assert {status_of(wire.send(head.encode()).answer()) for wire in kept} == {200}
        until(lambda: httpx.get(f"{url}/health").status_code == 200, "there is room again")


def test_watchers_that_never_read(served: Served) -> None:
    """As many as there may be, and more; the words that are said meanwhile are of no interest to them."""
    wires, refused = [], 0
    for _ in range(200):
        wire = Wire(served.url).send(served.head(f"GET {COUNTS}/watch HTTP/1.1"))
        wires.append(wire)
    with served.client("boss") as boss:

        def watchers() -> list[Any]:
            return list(boss.get(f"{APP}/watchers").json()["watchers"])

        while_up(served.app, lambda: len(watchers()) >= 150, "150 watchers")
        refused = boss.get(f"{COUNTS}/watch").status_code
        assert refused == 429
        say(served.broker, served.source, [("bob", f"w{number}-{'x' * 500}", 60_000) for number in range(2_000)])
        wait_until(served.app, "counts", f"w1999-{'x' * 500}", 1)
        assert boss.get(f"{COUNTS}/keys/be").json()["value"] == 2
        for one in watchers():
            assert boss.delete(f"{APP}/watchers/{one['number']}").status_code in {204, 404}
        for wire in wires:
            wire.close()
        while_up(served.app, lambda: not watchers(), "no watchers")


def test_a_web_socket_that_talks(served: Served) -> None:
    url = served.url.replace("http", "ws")
    login = {"authorization": f"Bearer {served.tokens['page']}"}
    with connect(f"{url}{COUNTS}/watch?key=be", additional_headers=login) as watching:
        assert json.loads(watching.recv(30)) == {"event": "anew", "id": ""}
        for _ in range(100):
            watching.send("x" * 1_000)
        assert json.loads(watching.recv(30))["value"] == 2
        assert json.loads(watching.recv(30))["event"] == "current"
    with connect(f"{url}{COUNTS}/watch?key=be", additional_headers=login) as watching:
        watching.send("x" * 100_000)  # more than anybody has to say
        with pytest.raises(Exception, match="1009"):
            while True:
                watching.recv(30)


# -- what the document promises

ONLY_A_SERVER_KNOWS = ("at_least", "as_of", "cursor")
"""Parameters that nobody can make up."""


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
def test_the_document_says_what_is_answered(served: Served, mode: GenerationMode) -> None:
    """Requests made by Schemathesis from the OpenAPI document, good and bad ones; every answer is as it says."""
    login = {"authorization": f"Bearer {served.tokens['page']}"}
    document = schemathesis.openapi.from_url(f"{served.url}/openapi.json", headers=login)
    tried = 0
    for found in document.get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]
        if operation.path.endswith("/watch"):  # has no end
            continue

        @settings(
            max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            nonlocal tried
            tried += 1
            for name in ONLY_A_SERVER_KNOWS:
                case.query.pop(name, None)
            case.call_and_validate(headers=login, excluded_checks=[ignored_auth])  # it is always sent here

        with suppress(Unsatisfiable):  # nothing can be wrong where nothing can be said
            ask()
    assert tried > 50
