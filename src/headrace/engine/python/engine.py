"""Python engine: runs a plan in this process, with Kafka's transactions and changelogs and without Spark."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence

from headrace.engine.changelogs import ensure_changelogs, with_changelogs
from headrace.engine.layout import CheckpointLayout
from headrace.engine.lock import PlaceLock
from headrace.engine.port import EngineSpec, Prepared
from headrace.engine.python.changelog import StateLog
from headrace.engine.python.preparation import fitting_layout
from headrace.engine.python.state import LoggedState
from headrace.engine.python.stream_thread import StreamThread
from headrace.engine.resumption import Resumption
from headrace.errors import BrokerLost, EngineFailed, HeadraceError, OptionInvalid
from headrace.log.input import Input
from headrace.log.output import Output
from headrace.log.topics import Topics
from headrace.model.batches import Batch
from headrace.model.classes import Classes
from headrace.model.deadline import Deadline
from headrace.model.durations import duration_text
from headrace.plan.graph import Plan
from headrace.plan.nodes.to import changelog_topic
from headrace.state.codec import StateCodec

_LAST_WORDS_S = 5.0
_COMMIT_S = 20.0


class PythonEngine:
    """A stream thread, and the state that it works on; all tasks of the application are in it."""

    transactions = True
    state_in_kafka = True
    commits_positions = True
    log = "the lines above"
    resumption: Resumption | None = None

    def __init__(self, spec: EngineSpec) -> None:
        self._spec = spec
        self._lock = PlaceLock(spec.app, spec.place.directory)
        self._state_log: StateLog | None = None
        self._layout: CheckpointLayout | None = None
        self._topics: Topics | None = None
        self._running: StreamThread | None = None
        self._thread: threading.Thread | None = None
        self._news = threading.Condition()
        self._batches: deque[Batch] = deque()
        self._over = False
        self._failed: HeadraceError | None = None

    # -- preflight

    def refuse(self, plan: Plan) -> str | None:
        if self._spec.max_task_idle_ms:
            wanted = duration_text(self._spec.max_task_idle_ms)
            raise OptionInvalid("max_task_idle", wanted, "left out: this engine waits for records that are there alone")
        return f"{len(plan.nodes)} nodes run in this process, which commits every {self._spec.commit_ms} ms"

    def take(self) -> None:
        self._lock.take()

    def prepare(self, plan: Plan, topics: Topics) -> Prepared:
        spec, codec = self._spec, StateCodec(Classes.here(), self._spec.pickles())

        def make() -> LoggedState:
            return LoggedState(codec, lambda cells: f"what {cells} has")

        found = StateLog(spec.app, topics, spec.kafka, make)
        known = found.read()
        layout = fitting_layout(plan, topics, spec, known, f"topic {found.topic}")
        plan = ensure_changelogs(plan, topics, layout, known, spec.say)
        layout = with_changelogs(layout, plan, layout.changelogs, topics)
        if not found.found:
            found.create(layout.tasks, make)
        self._state_log, self._layout, self._topics = found, layout, topics
        return Prepared(plan, {changelog_topic(plan.app, store): id_ for store, id_ in layout.changelog_ids.items()})

    # -- one try

    def start(self, prepared: Prepared, *, until_latest: bool) -> None:
        assert self._state_log is not None and self._topics is not None and self._layout is not None
        spec, topics, state_log = self._spec, self._topics, self._state_log
        name, at_once = f"{spec.app}-sink-python", not spec.exactly_once
        output = Output(topics.address, spec.kafka, spec.app, name, commit_ms=spec.commit_ms, at_once=at_once)
        output.fence()
        state_log.read()
        states = state_log.close()
        rows = sum(state.rows() for state in states)
        self.resumption = Resumption(None, len(states), None) if rows else None
        input_ = Input(topics.address, spec.kafka, spec.app)
        self._over, self._failed = False, None
        self._running = StreamThread(spec, prepared.plan, self._layout, states, topics, input_, output, self._tell)
        self._running.begin(until_latest=until_latest)
        self._thread = threading.Thread(target=self._run, args=(self._running,), name="headrace stream", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        with self._news:
            self._news.wait_for(lambda: self._over or self._batches, seconds)
        self._give_up_a_commit_that_hangs()
        return self._over

    def progress(self) -> Sequence[Batch]:
        found: list[Batch] = []
        while self._batches:
            found.append(self._batches.popleft())
        return found

    def restored(self) -> tuple[int, int]:
        return 0, 0

    def finish(self) -> None:
        if self._running is not None:
            self._running.finish()

    def stop(self) -> None:
        if self._running is not None:
            self._running.stop()

    def kill(self) -> None:
        self.stop()

    def end_by(self, deadline: Deadline) -> None:
        """Nothing is left behind that would outlive the process."""

    def failure(self) -> HeadraceError | None:
        return self._failed

    def release(self) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join(_LAST_WORDS_S)
        self._lock.release()

    # -- inside

    def _tell(self, batch: Batch) -> None:
        with self._news:
            self._batches.append(batch)
            self._news.notify_all()

    def _give_up_a_commit_that_hangs(self) -> None:
        """Leave a thread to itself that waits in its client: after a broker was away, that may wait for ever.

        The next try fences it, so that it cannot commit any more.
        """
        running, topics = self._running, self._topics
        if running is None or topics is None or running.committing_since is None or self._over:
            return
        if time.monotonic() - running.committing_since > _COMMIT_S:
            running.stop()
            self._end(running, BrokerLost(topics.address, f"a commit had no answer within {_COMMIT_S:g} s"))

    def _end(self, running: StreamThread, failed: HeadraceError | None) -> None:
        """The try is over, unless another one has begun since."""
        with self._news:
            if running is self._running and not self._over:
                self._failed, self._over = failed, True
            self._news.notify_all()

    def _run(self, running: StreamThread) -> None:
        failed: HeadraceError | None = None
        try:
            running.run()
        except HeadraceError as error:
            failed = error
        except Exception as exc:
            failed = EngineFailed(self._spec.app, f"{type(exc).__name__}: {exc}")
            failed.__cause__ = exc
        self._end(running, failed)
