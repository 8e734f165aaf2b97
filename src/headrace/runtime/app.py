"""The application: declared like a topology, run like a program."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, overload

from headrace.build.names import checked_name
from headrace.dsl.builder import Builder
from headrace.engine.place import Place
from headrace.engine.port import EngineSpec
from headrace.engine.registry import ENGINES, USUAL_ENGINE
from headrace.errors import AlreadyStarted, NotRunning, OptionInvalid
from headrace.log.properties import texts
from headrace.model.clock import Clock, MachineClock
from headrace.model.deadline import Deadline
from headrace.model.durations import Duration, duration_ms
from headrace.model.rows import Rows
from headrace.observe.metrics import Metrics
from headrace.passes.pipeline import LOGICAL, each, pass_named, rewrite
from headrace.passes.run_beside import id_beside
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.changes import passes_text
from headrace.plan.describe import describe
from headrace.plan.graph import Plan
from headrace.plan.growth import growing_stores
from headrace.plan.handlers import DEAD_LETTER, FAIL, Handler
from headrace.plan.origin import origin
from headrace.rest.server.settings import USUAL_ADDRESS, Serve
from headrace.runtime.life.console import LOGGER
from headrace.runtime.life.foreground import Foreground
from headrace.runtime.life.states import State
from headrace.runtime.life.takeover import take_over
from headrace.runtime.state_key import SHORTEST, pickles_of
from headrace.spark.session.master import EXAMPLES, Master
from headrace.state.pickles import PickledState

if TYPE_CHECKING:
    from headrace.plan.nodes import Node
    from headrace.query.store import Store
    from headrace.runtime.life.supervisor import Supervisor
    from headrace.spark.session.spark import Wanted

Listener = Callable[[State, State], None]

_GUARANTEES = ("exactly_once", "at_least_once")
_LEAST_MB = 64
_BATCHES, _IN_SPARK = "batch", ("batch", "live")
_COMMIT_EVERY, _LEAST_COMMIT_MS = "100ms", 20


class App(Builder):
    """A stream processing application.

    Declare streams and tables on it, then call `run()`. Without `broker` it uses the embedded one, which is started if
    need be; `kafka` holds further client properties (`security.protocol`, `sasl.*`, `ssl.*` ...), with `${env:NAME}` or
    `${file:/path}` for what is secret. What it has done, and its state, are kept in `checkpoint`, a directory or an
    address ("hdfs://..."): a later run goes on from there. Spark runs in this process unless `spark` is a master
    ("spark://host:7077") or a session; it may also hold settings.

    Each record counts once in output and state, through crashes; with `guarantee="at_least_once"` outputs of a batch
    that was broken off may be there twice, but are to be seen sooner. What may pass (the broker is away, the disk is
    full, Spark fails) is tried again with growing pauses, until no batch was finished for as long as `retry_for`. An
    application that is closed finishes its batch, and ends within `close_timeout`, whatever it waits for.

    A record that the user's code or a serde fails on, that has no time, or that a topic does not take, stops the
    application unless `on_error` says "skip" or "dead_letter"; or a function says, of each `hr.Failure`.

    The engine "batch" takes batches of records. With `engine="live"` threads in Spark take each record when it comes,
    and commit all that they did `commit_every` 100 ms, or as you say; a task waits for partitions that are at their end
    for as long as `max_task_idle` says. What that engine cannot run yet is refused.

    Tables whose stores you name can be asked while it runs, with `store()` and over HTTP at the address `serve`, or as
    `hr.Serve(...)` says; None for not over HTTP. Their rows are written to changelogs, topics of the application that
    it makes by itself. With `queryable=False` there are none.

    With `engine="python"` it runs in this process, without Spark and Java, and commits `commit_every` 100 ms, or as you
    say: for what a single process can do. Its state is kept in a topic, so that nothing needs a disk.

    What cannot be traced runs in Python processes: with `strict_native` it is refused instead. One that is silent for
    longer than `worker_timeout` is replaced, and none may take more than `worker_memory_mb`. What they can only keep
    pickled is signed with `state_key`, or with a key of this user's, unless `pickled_state` says otherwise.
    """

    def __init__(
        self,
        app_id: str,
        *,
        broker: str | None = None,
        kafka: Mapping[str, str] | None = None,
        checkpoint: str | Path | None = None,
        emit: str = "settled",
        on_error: Handler = FAIL,
        queryable: bool = True,
        serve: str | Serve | None = USUAL_ADDRESS,
        guarantee: str = "exactly_once",
        engine: str = USUAL_ENGINE,
        commit_every: Duration | None = None,
        max_task_idle: Duration = "0ms",
        retry_for: Duration = "5m",
        close_timeout: Duration = "30s",
        spark: str | Wanted | None = None,
        strict_native: bool = False,
        worker_timeout: Duration = "1m",
        worker_memory_mb: int = 2048,
        pickled_state: str = "sign",
        state_key: str | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(app_id, emit=emit, on_error=on_error)
        self.broker = broker
        self.kafka = texts(kafka, origin())
        self.checkpoint = Place.of(checkpoint, self.id)
        if guarantee not in _GUARANTEES:
            raise OptionInvalid("guarantee", guarantee, " or ".join(f'"{one}"' for one in _GUARANTEES), origin())
        self.guarantee = guarantee
        if engine not in ENGINES:
            raise OptionInvalid("engine", engine, " or ".join(f'"{one}"' for one in ENGINES), origin())
        self.engine = engine
        if engine == _BATCHES and commit_every is not None:
            raise OptionInvalid("commit_every", commit_every, "left out: this engine commits each batch", origin())
        self.commit_ms = duration_ms("commit_every", commit_every or _COMMIT_EVERY, origin(), least=_LEAST_COMMIT_MS)
        if engine not in _IN_SPARK and (spark is not None or strict_native):
            name, value = ("spark", spark) if spark is not None else ("strict_native", True)
            raise OptionInvalid(name, value, f"left out: engine={engine!r} runs without Spark", origin())
        self.max_task_idle_ms = duration_ms("max_task_idle", max_task_idle, origin())
        self.queryable = queryable
        self.serve = Serve(address=serve) if isinstance(serve, str) else serve
        self.retry_ms = duration_ms("retry_for", retry_for, origin())
        self.close_s = duration_ms("close_timeout", close_timeout, origin(), least=1) / 1000
        self.spark = _wanted(spark)
        self.strict_native = strict_native
        self.worker_timeout_ms = duration_ms("worker_timeout", worker_timeout, origin(), least=1)
        self.worker_memory_mb = worker_memory_mb
        if not isinstance(worker_memory_mb, int) or worker_memory_mb < _LEAST_MB:
            raise OptionInvalid("worker_memory_mb", worker_memory_mb, f"{_LEAST_MB} or more", origin())
        if pickled_state not in [one.value for one in PickledState]:
            ways = " or ".join(f'"{one.value}"' for one in PickledState)
            raise OptionInvalid("pickled_state", pickled_state, ways, origin())
        self.pickled_state = PickledState(pickled_state)
        if state_key is not None and (not isinstance(state_key, str) or len(state_key) < SHORTEST):
            raise OptionInvalid("state_key", "...", f'a text of {SHORTEST} letters or more, "${{env:NAME}}"', origin())
        self.state_key = state_key
        self.verbose = verbose
        self.clock: Clock = MachineClock()
        self._state = State.CREATED
        self._listeners: list[Listener] = []
        self._told: list[Callable[[Metrics], object]] = []
        self._run: Supervisor | None = None
        self._beside: str | None = None
        self._declared.viewer = self
        self._ending, self._turning = threading.RLock(), threading.Lock()

    @property
    def runs_beside(self) -> bool:
        """Whether it is a run beside the live application."""
        return self._beside is not None

    def run_beside(self, name: str) -> None:
        """Run beside the live application: with `-name` behind its id, its checkpoint and the topics that it writes."""
        checked_name("an application", name, origin())
        self.id, self.checkpoint, self._beside = id_beside(self.id, name), self.checkpoint.beside(name), name

    # -- looking at it

    @property
    def state(self) -> State:
        """State of the application: created, running, failed, closed."""
        if self._state.up and self._run is not None and self._run.wait(0):
            self._settle_end()
        return self._state

    def on_state(self, listener: Listener) -> None:
        """Call `listener(old, new)` at every change of state."""
        self._listeners.append(listener)

    def metrics(self) -> Metrics:
        """Metrics since the start: counts, and the last batch with its parts, state and lag."""
        return self._run.metrics() if self._run is not None else Metrics(app=self.id)

    def on_batch(self, listener: Callable[[Metrics], object]) -> None:
        """Call `listener(metrics)` after every batch, in a thread beside the application.

        It may call `close()`, which then only asks for it: the application closes when its listeners have returned.
        """
        self._told.append(listener)

    def store(self, name: str) -> Store:
        """A store that can be asked, while the application runs on: `app.store("counts").get("be")`."""
        instance = self._run.queries.settled() if self._run is not None and self._run.queries is not None else None
        if instance is None:
            raise NotRunning(self.id, self.state.value)
        from headrace.query.store import Store  # loads what asks

        return Store(instance, name)

    @property
    def url(self) -> str | None:
        """Address of the query server and its page; None while the application does not answer."""
        return self._run.queries.url if self._run is not None and self._run.queries is not None else None

    def __repr__(self) -> str:
        return f"<App {self.id!r}, {self.state.value}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the topology, drawn."""
        from headrace.runtime.viewing import image

        return image(self)

    def describe(self, *, after: str | None = None) -> str:
        """The topology as text: sub-topologies, their nodes, and what each reads from.

        With the name of a logical pass, such as `after="place_repartitions"`, as that pass leaves it.
        """
        last = LOGICAL[-1] if after is None else pass_named(after, LOGICAL, origin())
        plan = rewrite(self.plan(), last=last)
        return describe(self.id, split_subtopologies(plan), plan.unasked)

    def explain(self, *, passes: bool = False) -> str:
        """Explain how the topology runs on Spark: stages, lanes, stores, and the user's line of each node.

        Once a batch is done, also what each stage did in the last one. An engine without Spark has no stages. With
        `passes`, instead the nodes that each pass takes away and puts in, from the declared plan to the stages.
        """
        if passes:
            from headrace.spark.layout.stage_passes import FOR_STAGES

            return passes_text(self.id, each(self.plan(), (*LOGICAL, *FOR_STAGES)))
        if self.engine not in _IN_SPARK:
            return f"{self.describe()}\nall of it runs in this process: engine={self.engine!r}\n"
        from headrace.spark.layout.explain import explain
        from headrace.spark.layout.placement import Placement

        plan = self._rewritten()
        return explain(Placement(plan), self.metrics().last)

    # -- running it

    @overload
    def run(self, *, until: str | None = None) -> None: ...

    @overload
    def run(self, *, count: int, timeout: Duration | None = None) -> Rows: ...

    @overload
    def run(self, *, timeout: Duration) -> Rows: ...

    def run(
        self, *, until: str | None = None, count: int | None = None, timeout: Duration | None = None
    ) -> Rows | None:
        """Run until Ctrl-C or SIGTERM, then finish the batch and close.

        With `until="latest"` process what is in the topics now and return. With `count=10` or `timeout="30s"` run
        until so many records were written to the topics of its sinks, or for so long, and give these records back.
        """
        if count is None and timeout is None:
            Foreground([self]).run(until)
            return None
        if until is not None:
            raise OptionInvalid("until", until, "left out where count= or timeout= is given", origin())
        if count is not None and (type(count) is not int or count < 1):
            raise OptionInvalid("count", count, "a whole number from 1 on", origin())
        limit_ms = None if timeout is None else duration_ms("timeout", timeout, origin(), least=1)
        from headrace.runtime.commands.outputs import rows_of_run  # loads what reads topics

        return rows_of_run(self, self._rewritten(), count, limit_ms)

    def start(self, *, until: str | None = None) -> None:
        """Start in the background; returns when the application runs. One that has ended goes on where it was.

        In a notebook it takes over from the application of a cell that was run before.
        """
        if until not in (None, "latest"):
            raise OptionInvalid("until", until, '"latest", or leave it out to run on', origin())
        take_over(self)
        if self._state.up:
            raise AlreadyStarted(self.id, self._state.value)
        plan = self._rewritten()
        from headrace.runtime.life.supervisor import Supervisor  # loads what speaks to a broker

        with self._ending:  # whoever closes it meanwhile, as after a quick first batch, waits until it runs
            self._enter(State.STARTING)
            try:
                spec = self._spec()
                self._run = Supervisor(self, ENGINES[self.engine](spec), spec)
                self._run.start(plan, until_latest=until == "latest")
            except BaseException:
                if self._run is not None:
                    self._run.release()
                self._enter(State.FAILED)
                raise
            self._enter(State.RUNNING)
        growing = [store.store for store in growing_stores(plan.nodes)]
        if growing and (self.verbose or self._run.goes_on):  # of no use to whoever starts it for the first time
            self.say(f"stores without bound: {', '.join(growing)} (describe() says why)")
        if plan.unasked:
            unasked = ", ".join(one.store for one in plan.unasked)
            self.say(f"stores that cannot be asked: {unasked} (describe() says why)")

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the application has ended; raises what it failed of. False if the time ran out."""
        if self._run is None:
            return True
        if not self._run.wait(timeout):
            return False
        self._settle_end()
        if self._run.failure is not None:
            raise self._run.failure
        return True

    def close(self) -> None:
        """Finish the batch, close, and give back what was started. Safe to call twice, and in listeners.

        A batch that takes so long that this would not end within `close_timeout` is broken off.
        """
        deadline = Deadline(self.close_s)
        if self._run is not None and self._run.calls:
            threading.Thread(target=self.close).start()
            return
        with self._ending:
            if self._run is None or self._state is State.CLOSING or self._state.ended:
                return
            self._enter(State.CLOSING)
            try:
                self._run.finish(deadline)
            finally:
                self._settle_end(deadline)

    def kill(self) -> None:
        """End what it waits for in its engine, whatever that is: what is started fails then."""
        if self._run is not None:
            self._run.kill()

    def end_by(self, deadline: Deadline) -> None:
        """The process is told to end: what the engine has started has until then to end by itself."""
        if self._run is not None:
            self._run.end_by(deadline)

    def __enter__(self) -> App:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside

    def plan(self) -> Plan:
        plan = super().plan()
        return replace(plan, named=plan.named if self.queryable else frozenset(), side_run=self._beside)

    def first_rows(self, node: Node, count: int, here: str) -> Rows:
        from headrace.runtime.viewing import first_rows  # loads what runs in this process

        return first_rows(self, node, count, here)

    def rows_of_store(self, store: str) -> Rows | None:
        asked = self._run.queries if self._run is not None and self.state.up else None
        return self.store(store).first() if asked is not None and store in self.plan().named else None

    def say(self, text: str) -> None:
        """Say a calm line to whoever watches."""
        LOGGER.info("%s: %s", self.id, text)

    def turn(self, state: State) -> None:
        """Change the state between failing and running, unless the application is being closed."""
        self._enter(state, while_up=True)

    def tell(self, metrics: Metrics) -> None:
        """Tell all listeners that a batch is done."""
        for listener in self._told:
            try:
                listener(metrics)
            except Exception:
                LOGGER.exception("%s: a listener failed after batch %s", self.id, metrics.batches)

    def _spec(self) -> EngineSpec:
        """Spec for the engine."""
        return EngineSpec(
            app=self.id,
            place=self.checkpoint,
            kafka=self.kafka,
            embedded=self.broker is None,
            exactly_once=self.guarantee == "exactly_once",
            max_task_idle_ms=self.max_task_idle_ms,
            on_error=self.on_error,
            letters=self.dead_letters if callable(self.on_error) or self.on_error == DEAD_LETTER else None,
            clock=self.clock,
            beside=self.runs_beside,
            commit_ms=self.commit_ms,
            pickled=self.pickled_state,
            pickles=lambda: pickles_of(self),
            worker_timeout_ms=self.worker_timeout_ms,
            worker_memory_mb=self.worker_memory_mb,
            spark=self.spark,
            verbose=self.verbose,
            say=self.say,
        )

    def _rewritten(self) -> Plan:
        """Plan that is to run on Spark, if it may."""
        plan = rewrite(self.plan())
        if self.strict_native:
            from headrace.spark.layout.refuse_python import refuse_python

            refuse_python(plan)
        return plan

    def _settle_end(self, deadline: Deadline | None = None) -> None:
        """The query has ended: give everything back. Whoever comes second finds it done."""
        with self._ending:
            if self._state.ended or self._run is None:
                return
            failed = self._run.failure is not None
            if not failed:
                self.say(f"closed after {self._run.metrics()}")
            self._run.release(deadline)
            self._enter(State.FAILED if failed else State.CLOSED)

    def _enter(self, state: State, *, while_up: bool = False) -> None:
        with self._turning:
            old = self._state
            if old is state or (while_up and not old.up):
                return
            self._state = state
        for listener in self._listeners:
            try:
                listener(old, state)
            except Exception:
                LOGGER.exception("%s: a listener failed at %s", self.id, state.value)


def run(*apps: App, until: str | None = None) -> None:
    """Run several applications in one Spark, which takes the memory of one, until Ctrl-C or SIGTERM.

    Each has a checkpoint and a share of the cores of its own; those with the same `serve` are asked at one address. If
    one cannot start, none runs; if one fails later, that is told, the others go on, and its failure is raised when they
    have ended. With `until="latest"` all process what is in their topics now and end.

        hr.run(orders, payments)
    """
    strangers = [repr(app) for app in apps if not isinstance(app, App)]
    ids = [app.id for app in apps if isinstance(app, App)]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if strangers or twice or not apps:
        given = ", ".join(strangers or twice) or "nothing"
        raise OptionInvalid("apps", given, "applications, each with an id of its own", origin())
    Foreground(apps).run(until)


def _wanted(spark: str | Wanted | None) -> Wanted:
    """Spark that the user wants, as settings or as the session itself."""
    if not isinstance(spark, str | Mapping | None):
        if hasattr(spark, "sparkContext"):
            return spark
        raise OptionInvalid("spark", spark, "a session that has a JVM: Spark Connect has none", origin())
    settings = {"spark.master": spark} if isinstance(spark, str) else dict(spark or {})
    if "spark.master" in settings and not Master(settings["spark.master"]).known:
        raise OptionInvalid("spark", settings["spark.master"], f"a master like {EXAMPLES}", origin())
    return settings
