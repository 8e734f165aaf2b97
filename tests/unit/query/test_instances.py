"""Three instances that share the partitions of an application: in processes of their own, on a real broker."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from headrace.errors import NobodyAnswers, PeerUnreachable
from headrace.log.bulletin import Bulletin
from headrace.query.position import Position
from headrace.query.requests import Count, Get, Reply, Scan
from headrace.serde import INT64, STRING
from query.application import Application, until
from query.server import Peers, ask_any

pytestmark = pytest.mark.spark

NAMES = ["ann", "bob", "cyd"]
ROWS = {f"key-{number:03}": number for number in range(300)}


@pytest.fixture
def app(broker: str) -> Application:
    application = Application(broker, partitions=6)
    application.store("counts", STRING, INT64)
    application.batch({"counts": ROWS.items()})
    return application


@contextmanager
def server(app: Application, directory: Path, standbys: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    directory.mkdir()
    (directory / "name").write_text(directory.name)  # by chance one of three may be to hold nothing
    command = [sys.executable, "-m", "query.server", app.id, app.broker, str(directory), str(standbys)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()


def all_rows(url: str) -> dict[str, int]:
    """Every key, asked one by one."""
    return {key: _value(ask_any(url, Get(store="counts", key=STRING.write(key)))) for key in ROWS}


def _value(reply: Reply) -> int:
    return INT64.read(reply.entries[0].value)


def answers(url: str) -> bool:
    try:
        return ask_any(url, Count(store="counts")).count == len(ROWS)
    except NobodyAnswers:
        return False


@pytest.mark.parametrize("standbys", [0, 1])
def test_any_instance_answers_for_any_key_and_others_take_over(app: Application, tmp_path: Path, standbys: int) -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(server(app, tmp_path / name, standbys)) for name in NAMES]
        for url, _ in servers:
            until(lambda url=url: answers(url))  # type: ignore[misc]
        settle(app, standbys)
        for url, _ in servers:
            assert all_rows(url) == ROWS
            page = ask_any(url, Scan(store="counts", limit=70))
            rest = ask_any(url, Scan(store="counts", after=page.entries[-1].key, as_of=page.position))
            assert [entry.key.decode() for entry in page.entries + rest.entries] == sorted(ROWS)
        assert len({name for url, _ in servers for name in ask_any(url, Count(store="counts")).instances}) == 3
        victim = servers.pop()[1]
        victim.kill()
        left, positions = set(ROWS), [Position()]

        def all_are_back() -> bool:
            for key in sorted(left):
                try:
                    reply = ask_any(servers[0][0], Get(store="counts", key=STRING.write(key)))
                except NobodyAnswers as error:
                    assert "ask again in 1 s" in str(error)
                    continue
                assert _value(reply) == ROWS[key]
                assert reply.position.covers(positions[-1])
                positions.append(reply.position)
                left.discard(key)
            return not left

        until(all_are_back, seconds=60)
        position = app.batch({"counts": [("key-000", 1000)]})
        for url, _ in servers:
            reply = ask_any(url, Get(store="counts", key=b"key-000", at_least=position))
            assert _value(reply) == 1000


def settle(app: Application, standbys: int) -> None:
    """Until every partition is held as often as it is to be, as the instances say themselves."""
    bulletin, said = Bulletin(f"{app.id}-query-servers", app.broker), dict[str, list[int]]()

    def settled() -> bool:
        for _, name, text in bulletin.hear(0.1):
            said[name] = [share[1] for share in _shares(text) if share[4]]
        held = [partition for partitions in said.values() for partition in partitions]
        everyone = all(said.get(name) for name in NAMES)  # the first two may hold all of it before the third comes
        return everyone and all(held.count(partition) == standbys + 1 for partition in range(6))

    until(settled)
    bulletin.close()


def _shares(text: bytes | None) -> list[list[Any]]:
    """What an instance says that it holds, behind its signature."""
    shares: list[list[Any]] = json.loads((text or b"").partition(b" ")[2])["shares"]
    return shares


def test_who_writes_to_the_topic_of_the_members_is_none(app: Application, tmp_path: Path) -> None:
    """Made-up members that say they hold everything, and say goodbye for others, take no partition from anybody."""
    with ExitStack() as stack:
        servers = [stack.enter_context(server(app, tmp_path / name)) for name in NAMES[:2]]
        for url, _ in servers:
            until(lambda url=url: answers(url))  # type: ignore[misc]
        bulletin = Bulletin(f"{app.id}-query-servers", app.broker)
        shares = [["counts", partition, 999, 999, True] for partition in range(6)]
        for _ in range(30):
            for name in ("eve", "eva", "evi"):
                said = {"name": name, "url": "127.0.0.1:1", "shares": shares, "number": time.time_ns(), "at_ms": 0}
                bulletin.tell(name, json.dumps(said).encode())
                bulletin.tell(name, f"{'0' * 64} {json.dumps(said)}".encode())
            for name in NAMES[:2]:
                bulletin.tell(name, None)
            assert all(answers(url) for url, _ in servers)
            time.sleep(0.1)
        bulletin.close()
        for url, _ in servers:
            assert all_rows(url) == ROWS


def test_nobody_is_there() -> None:
    with pytest.raises(PeerUnreachable, match=r"the instance at 127\.0\.0\.1:1 does not answer: .*refused"):
        Peers().ask("127.0.0.1:1", Count(store="counts"), [0])
