"""Three query servers of a running application: each answers for all, also when one of them is killed under load."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, cycle

import pytest

import headrace as hr
from headrace.log.topics import Topics
from headrace.query.position import Position
from headrace.query.store import Store
from system.chaos import Application, send
from system.visits import BEGIN_MS, KEYS, PARTITIONS, PROGRAM, Answer, Recount, Server, Visits, key

pytestmark = pytest.mark.spark

BACK_S = 60.0
"""Within this all keys have to be answered again. A machine that is not busy needs 10 s; how long it was is printed."""

REFUSALS = ((503, "nobody-answers"), (504, "position-not-reached"), (504, "position-ahead"))
OWN = 20
LAST_MS = 2 * BEGIN_MS
_SOME = {"reader 0": 100, "reader 1": 100, "reader 2": 100, "writer": 4}
PAUSE_S = 0.005
"""Of one who asks, between two questions: the application needs its time, too."""

LATEST = "20s"
"""How long an answer may take to reflect a record: batches take their time on a busy machine."""


@dataclass(frozen=True)
class Stage:
    """What every test here needs, and what takes long to start."""

    app: str
    visits: Visits
    servers: list[Server]

    def up(self) -> list[Server]:
        """The servers that have not been killed."""
        return [one for one in self.servers if one.program.process.poll() is None]


@pytest.fixture(scope="module")
def stage(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    place, seed = tmp_path_factory.mktemp("visits"), random.randrange(1_000_000)
    print("seed", seed)
    name = f"visits-{seed}"
    Topics(broker).create(name, PARTITIONS)
    visits = Visits(broker, name, random.Random(seed))
    visits.send_many(10 * KEYS)
    application = Application(broker, place, PROGRAM, name=name, source=name)
    with ExitStack() as started:
        program = application.run()
        started.callback(program.kill)
        program.await_words(": running")
        servers = [Server(application, name, place, f"server-{number}") for number in range(3)]
        for server in servers:
            started.callback(server.program.kill)
        for server in servers:
            server.await_ready()
        yield Stage(name, visits, servers)
        assert program.process.poll() is None, program.said


def test_each_server_answers_for_every_key(stage: Stage) -> None:
    end, counts = stage.visits.end(), stage.visits.recount().counts
    for server in stage.servers:
        client = server.client()
        assert {name: client.await_count(name, end) for name in counts} == counts
        assert {one["url"] for one in client.ask(f"/apps/{stage.app}/instances").body["instances"]} == {
            one.url for one in stage.servers
        }
        assert client.get("nobody").status == 404


def test_a_server_is_killed_under_load(stage: Stage, chance: random.Random) -> None:
    victim = max(stage.servers, key=lambda server: held(stage, server))
    others = [one for one in stage.servers if one is not victim]
    with stage.visits.coming(), asked(stage, chance) as asking:
        asking.await_answers()
        send(victim.program.process.pid, signal.SIGKILL)
        victim.program.process.wait()
        await_all_keys(others)
        asking.await_answers()
    asking.check()


def test_ranges_windows_and_sessions_are_those_of_a_recount(stage: Stage) -> None:
    end, recount = stage.visits.end(), stage.visits.recount()
    for server in stage.up():
        server.client().await_count(key(0), end)
        with hr.connect(server.url) as app:
            counts, windows, sessions = (app.store(name).at_least(end) for name in ("counts", "windows", "sessions"))
            check_ranges(counts, sorted(recount.counts.items()))
            check_windows(windows, recount)
            for name in (key(0), key(7)):
                wanted = {(one, *span): number for (one, *span), number in recount.sessions.items() if one == name}
                found = sessions.find(name, 0, LAST_MS)
                assert {(one.key, one.start, one.end): number for one, number in found.items()} == wanted


def check_ranges(counts: Store, wanted: list[tuple[str, int]]) -> None:
    """In order, from both ends, and in part."""
    assert list(counts.all().items()) == wanted
    assert list(counts.all(reverse=True).items()) == wanted[::-1]
    some = [one for one in wanted if key(100) <= one[0] <= key(199)]
    assert list(counts.range(key(100), key(199)).items()) == some
    assert list(counts.range(key(100), key(199), limit=5).items()) == some[:5]
    assert list(counts.prefix("k2").items()) == [one for one in wanted if one[0].startswith("k2")]
    assert counts.count() == len(wanted)


def check_windows(windows: Store, recount: Recount) -> None:
    """All, and those of a key, whichever times they begin at."""
    found = windows.fetch_all(0, LAST_MS)
    assert {(one.key, one.start): number for one, number in found.items()} == recount.windows
    wanted = sorted((start, number) for (name, start), number in recount.windows.items() if name == key(7))
    for first, last in ((0, LAST_MS), (wanted[1][0], wanted[1][0])):
        found = windows.fetch(key(7), first, last)
        assert [(one.start, number) for one, number in found.items()] == [
            one for one in wanted if first <= one[0] <= last
        ]


def held(stage: Stage, server: Server) -> int:
    """How many partitions a server answers for."""
    instances = server.client().ask(f"/apps/{stage.app}/instances").body["instances"]
    return next(len(one["shares"]) for one in instances if one["url"] == server.url)


def await_all_keys(servers: list[Server]) -> None:
    """Ask each server until it has an answer for each key."""
    killed = time.monotonic()
    for server in servers:
        client = server.client()
        for number in range(KEYS):
            while client.get(key(number)).status != 200:
                assert time.monotonic() < killed + BACK_S, f"{key(number)} is not answered {BACK_S:g} s after the kill"
                time.sleep(0.05)
    print(f"all keys were answered {time.monotonic() - killed:.1f} s after the kill")


class Asking:
    """Those who ask all the while, and what was wrong."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.answers: Counter[tuple[str, int]] = Counter()
        """By who asked, and by status."""
        self.wrong: list[str] = []

    def await_answers(self) -> None:
        """Wait until each of them has had some right answers more."""
        wanted = {(who, 200): self.answers[who, 200] + more for who, more in _SOME.items()}
        deadline = time.monotonic() + 120.0
        while any(self.answers[one] < number for one, number in wanted.items()) and not self.wrong:
            assert time.monotonic() < deadline, f"too few answers: {self.answers}"
            time.sleep(0.05)

    def check(self) -> None:
        """Nothing was wrong."""
        assert not self.wrong, self.wrong[:3]
        print("answers by who asked and status:", dict(self.answers))


@contextmanager
def asked(stage: Stage, chance: random.Random) -> Iterator[Asking]:
    """A reader of each server, and one who reads its own writes from all of them in turn."""
    asking = Asking()

    def kept(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as exc:  # a thread's own assertions would be lost
            asking.wrong.append(repr(exc))

    readers = [
        Reader(f"reader {number}", stage, server, asking, careful=number == 0)
        for number, server in enumerate(stage.servers)
    ]
    draws = [random.Random(chance.random()) for _ in readers]
    threads = [
        threading.Thread(target=kept, args=[lambda reader=reader, draw=draw: reader.read(draw)])
        for reader, draw in zip(readers, draws, strict=True)
    ]
    threads.append(threading.Thread(target=kept, args=[lambda: read_own_writes(stage, asking)]))
    for thread in threads:
        thread.start()
    try:
        yield asking
    finally:
        asking.over.set()
        for thread in threads:
            thread.join()


class Reader:
    """Asks one server for any keys. For no key it is told less than before, whichever server has the key by then.

    One that is `careful` says how far it has been told of anything, and is never told less of anything else: as a
    program does that goes from one server to another, and what this one does when its server has gone.
    """

    def __init__(self, name: str, stage: Stage, server: Server, asking: Asking, *, careful: bool) -> None:
        self._name, self._stage, self._server, self._asking = name, stage, server, asking
        self._careful = careful
        self._seen: dict[str, tuple[int, Position]] = {}
        self._position = Position()

    def read(self, chance: random.Random) -> None:
        client = self._server.client()
        while not self._asking.over.wait(PAUSE_S):
            name = key(chance.randrange(KEYS))
            terms = {"at_least": str(self._position), "timeout": LATEST} if self._careful else {}
            try:
                answer = client.get(name, **terms)
            except OSError:
                assert self._server.program.process.wait(5.0), f"{self._server.name} answers no more"
                self._server, self._careful = self._stage.up()[0], True
                client = self._server.client()
                continue
            self._asking.answers[self._name, answer.status] += 1
            if answer.status == 200:
                self._check(name, answer)
            else:
                check_refusal(answer)

    def _check(self, name: str, answer: Answer) -> None:
        counted, sent, position = answer.body["value"], self._stage.visits.sent[name], answer.position
        before, then = self._seen.get(name, (0, Position()))
        assert before <= counted <= sent, f"{name} is {counted}, was {before}, of {sent}"
        least = self._position if self._careful else then
        assert position.covers(least), f"{name} is told as of {position}, behind {least}"
        self._seen[name], self._position = (counted, position), self._position.joined(position)


def read_own_writes(stage: Stage, asking: Asking) -> None:
    """Write a record, and ask for its count at the position that the broker told, whoever answers."""
    clients = cycle([(server, server.client()) for server in stage.servers])
    for number in count():
        name = f"own-{number % OWN}"
        written = stage.visits.send_one(name)
        while not asking.over.is_set():
            server, client = next(clients)
            try:
                answer = client.get(name, at_least=str(written), timeout=LATEST)
            except OSError:
                assert server.program.process.wait(5.0), f"{server.name} answers no more"
                continue
            asking.answers["writer", answer.status] += 1
            if answer.status == 200:
                wanted = number // OWN + 1
                assert answer.body["value"] == wanted, f"{name} was written {wanted} times: {answer}"
                break
            check_refusal(answer)
        if asking.over.is_set():
            return


def check_refusal(answer: Answer) -> None:
    """Who gets no answer is told so, and when to ask again."""
    assert (answer.status, answer.body["error"]["code"]) in REFUSALS, answer
    assert answer.retry_after is not None, answer
    assert int(answer.retry_after) >= 1
    time.sleep(0.1)
