"""`python -m headrace.lane.worker`: process beside Spark's tasks, which `kernel/python/PythonWorker.scala` starts."""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import os
import resource
import signal
import sys
from contextlib import suppress
from types import ModuleType
from typing import BinaryIO

from headrace.errors import RecordFailed
from headrace.lane.faults import fault_text
from headrace.lane.frames import Channel, Reader
from headrace.lane.program import Program, shipped
from headrace.lane.shown import Shown
from headrace.lane.task import LaneTask
from headrace.model.failure import Failure

_PIPE = 1 << 20
_YOUNG = 200_000
"""Most of what a record makes is gone before the next: looking for circles in it as often as usual costs a fifth."""


class Worker:
    """Answers one message after another, until there are no more."""

    def __init__(self, channel: Channel, shown: Shown) -> None:
        self._channel, self._shown = channel, shown
        self._programs: dict[str, Program] = {}
        self._tasks: dict[str, LaneTask] = {}
        self._at_hand = ""

    def run(self) -> None:
        while (message := self._channel.receive()) is not None:
            kind, asked = message
            try:
                answer = self._answer(kind, asked)
            except Exception as exc:
                self._tasks.pop(self._at_hand, None)
                self._channel.send("F", _sized(fault_text(exc)))
            else:
                if answer is not None:
                    self._channel.send("A", answer)
        for task in self._tasks.values():
            task.close()

    def _answer(self, kind: str, asked: Reader) -> bytes | None:
        match kind:
            case "P":
                name = asked.text()
                self._programs[name] = Program.read(asked.data())
                return None
            case "B":
                return self._begin(asked)
            case "C":
                return self._tasks[self._at_hand].take(asked)
            case "H":
                return _sized(_handled(asked))
        assert kind == "E"
        return self._tasks[self._at_hand].end()

    def _begin(self, asked: Reader) -> bytes:
        program, self._at_hand = self._programs[asked.text()], asked.text()
        number, batch, now_ms, steady_ms = asked.int32(), asked.int64(), asked.int64(), asked.int64()
        goes_on = asked.flag()
        remembered = {asked.data(): asked.data() for _ in range(asked.int32())}
        if not goes_on or self._at_hand not in self._tasks:
            self._tasks[self._at_hand] = LaneTask(program, self._channel, number, remembered, self._shown)
            gc.collect()
            gc.freeze()
        return self._tasks[self._at_hand].begin(batch, now_ms, steady_ms)


def _handled(asked: Reader) -> str:
    """Answer of the user's handler for a record that a topic does not take."""
    ask, value = shipped(asked.data()), asked.part()
    failure = Failure(value, asked.text(), asked.text(), asked.text(), None)
    try:
        answer: str = ask(failure)
    except Exception as exc:
        node = f"the function of on_error (topic {failure.node!r})"
        raise RecordFailed(node, f"{type(exc).__name__}: {exc}", None) from exc
    return answer


def _sized(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(4, "little") + data


def _widened(pipe: int) -> int:
    """A pipe that takes a chunk at once, where the system has such: else both ends wait for one another many times."""
    with suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
    return pipe


def main() -> None:
    memory = int(sys.argv[1]) << 20
    if "HEADRACE_UMASK" in os.environ:  # files of the user's functions have the rights that they would have elsewhere
        os.umask(int(os.environ["HEADRACE_UMASK"], 8))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the application, which lets the batch end
    faulthandler.register(signal.SIGUSR1)
    incoming: BinaryIO = os.fdopen(_widened(os.dup(0)), "rb", _PIPE)
    outgoing: BinaryIO = os.fdopen(_widened(os.dup(1)), "wb", _PIPE)
    os.dup2(2, 1)  # whoever writes there past Python must not disturb the conversation
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = shown = Shown()
    sys.modules["__main__"] = ModuleType("__main__")  # that of the user: classes of their main file are found there
    gc.set_threshold(_YOUNG, 20, 20)
    Worker(Channel(incoming, outgoing), shown).run()


if __name__ == "__main__":
    main()
