"""Engine port: what an engine is told of an application, and what it tells of its run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from headrace.engine.place import Place
from headrace.engine.resumption import Resumption
from headrace.errors import HeadraceError
from headrace.model.batches import Batch
from headrace.model.clock import Clock
from headrace.model.deadline import Deadline
from headrace.plan.graph import Plan
from headrace.plan.handlers import Handler
from headrace.state.pickles import PickledState, Pickles

if TYPE_CHECKING:
    from headrace.log.topics import Topics


@dataclass(frozen=True, kw_only=True)
class EngineSpec:
    """Spec of the application that an engine runs; each takes what means something to it."""

    app: str
    place: Place
    """Where it may keep files that a later run goes on from."""

    kafka: Mapping[str, str]
    """Properties of clients, but for the address of the broker."""

    embedded: bool
    """Whether the broker is the embedded one, where topics that nobody has made are made."""

    exactly_once: bool
    max_task_idle_ms: int
    """For how long it waits for records of partitions that are at their end before it takes those of others."""

    on_error: Handler
    letters: str | None
    """The topic of dead letters, if there may be any."""

    clock: Clock
    beside: bool
    """Whether it is a run beside the live application."""

    pickled: PickledState
    pickles: Callable[[], Pickles]
    """How values are pickled in state, asked for only where some may be: a key may have to be made."""

    commit_ms: int
    """How often is committed, where that is not once a batch."""

    worker_timeout_ms: int
    worker_memory_mb: int
    spark: Any
    """The session of Spark, or its settings, that the user wants."""

    verbose: bool
    say: Callable[[str], None]
    """Tells one line to whoever watches."""


@dataclass(frozen=True)
class Prepared:
    """Result of an engine's preflight: the plan that runs, and the topics that hold its state."""

    plan: Plan
    """With the changelogs that are complete, which can be asked."""

    changelogs: Mapping[str, str] = field(default_factory=dict)
    """The ids of the topics, by name, that nobody may empty or replace while it runs."""


class Engine(Protocol):
    """Runs the plan of one application, as often as it has to be begun again after a failure.

    The order of calls: `refuse`, `take`, then for each try `prepare`, `start`, `wait` and `progress` until `wait` is
    true, `failure`; in the end `release`. No call but `refuse`, `take`, `prepare` and `start` raises: what ends a try
    is told by `failure`.
    """

    @property
    def transactions(self) -> bool:
        """Whether it writes in transactions, under names that begin with `<app>-sink-`."""

    @property
    def state_in_kafka(self) -> bool:
        """Whether it keeps state in a topic of the application, which it makes, reads and writes."""

    @property
    def commits_positions(self) -> bool:
        """Whether it commits positions to the consumer group; they are published for it from its progress, if not."""

    @property
    def log(self) -> str:
        """Path of the log that says more of a failure."""

    @property
    def resumption(self) -> Resumption | None:
        """Resumption of the try that was started last; None if it began with nothing."""

    def refuse(self, plan: Plan) -> str | None:
        """Refuse what this engine cannot run here, before anything is taken; a line to say of what it runs how."""

    def take(self) -> None:
        """Hold the files of the application: nobody else may work on them."""

    def prepare(self, plan: Plan, topics: Topics) -> Prepared:
        """Find where the application goes on, and refuse a plan that cannot go on there; nothing runs yet."""

    def start(self, prepared: Prepared, *, until_latest: bool) -> None:
        """Begin: up to what is in the topics now, or for good."""

    def wait(self, seconds: float) -> bool:
        """Wait for the end, or for progress that nobody was told of; whether it is the end."""

    def progress(self) -> Sequence[Batch]:
        """The batches, or commits, that were done since the last call."""

    def restored(self) -> tuple[int, int]:
        """How many parts of the state are there again, and of how many; 0 of 0 while nothing is restored."""

    def finish(self) -> None:
        """Ask for the end: what is on its way is finished and committed."""

    def stop(self) -> None:
        """End now: what was not committed is done again by the next run."""

    def kill(self) -> None:
        """End at once whatever is waited for."""

    def end_by(self, deadline: Deadline) -> None:
        """The process is told to end: what the engine has started ends by then."""

    def failure(self) -> HeadraceError | None:
        """Failure of the try that was started last; None if it did not fail."""

    def release(self) -> None:
        """Give back all that is held."""
