"""As many connections as there are file descriptors for."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import ExitStack

import httpx

from headrace.rest.server.descriptors import Descriptors
from headrace.rest.server.settings import Limits

USUAL = Limits()


def test_the_soft_limit_is_raised_to_what_is_needed_and_may_be() -> None:
    assert Descriptors(50, 1_024, 1 << 20).raised(USUAL).soft == 50 + 512 + 16 + 6_000
    assert Descriptors(50, 1_024, 4_096).raised(USUAL).soft == 4_096
    assert Descriptors(50, 20_000, 1 << 20).raised(USUAL).soft == 20_000


def test_connections_and_watchers_follow_the_descriptors_and_some_are_kept() -> None:
    assert Descriptors(50, 8_192, 8_192).fitted(USUAL) == USUAL
    for soft in (256, 1_024, 2_048, 4_096):
        got = Descriptors(50, soft, soft).fitted(USUAL)
        assert got.connections // got.watchers == 2
        assert 50 + got.connections + got.watchers + 16 + soft // 10 <= soft
    tiny = Descriptors(60, 64, 64).fitted(USUAL)
    assert (tiny.connections, tiny.watchers) == (8, 8)
    assert Descriptors(60, 64, 64).fitted(Limits(connections=2, watchers=1)).connections == 2


SERVER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
import headrace as hr
from headrace.rest.server.running import Listener, QueryServer, ServedApp
from rest.memory import Memory
settings = hr.Serve(address="127.0.0.1:0")
listener = Listener(settings)
server = QueryServer([ServedApp(Memory(app="music").add("counts", hr.STRING, hr.INT64, {"be": 2}))], settings, listener)
server.start()
print(server.url, listener.less, sep="\\n", flush=True)
for _ in sys.stdin:
    files = [open("/dev/null") for _ in range(40)]
    print(len(files), flush=True)
"""


def test_with_few_descriptors_it_answers_for_its_health_and_can_open_files() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert process.stdin
    assert process.stdout
    with process, ExitStack() as there:
        there.callback(process.kill)
        url, less = (process.stdout.readline().strip() for _ in range(2))
        assert less.startswith("queries: ")
        assert "watchers at the most, not 4000 and 2000: this process may have 256 files open; raise" in less
        where = httpx.URL(url)
        watch = b"GET /apps/music/stores/counts/watch HTTP/1.1\r\nHost: %b\r\n\r\n" % where.netloc
        for _ in range(300):
            one = there.enter_context(socket.create_connection((where.host, where.port or 0), timeout=10))
            one.sendall(watch)
        for _ in range(3):
            assert httpx.get(f"{url}/health", timeout=30).json() == {"status": "up"}
        refused = httpx.get(f"{url}/apps", timeout=30)
        assert (refused.status_code, refused.json()["error"]["message"]) == (429, "there are too many connections")
        process.stdin.write("open\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == "40"
