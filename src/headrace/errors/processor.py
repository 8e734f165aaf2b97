"""Processors: how they are declared, and what they ask for while they run."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.plan import PlanError
from headrace.errors.run import RunError


class StoreUnknown(PlanError):
    """A processor is connected to a store that is not there."""

    code = "store-unknown"

    def __init__(self, store: str, node: str, known: Sequence[str], origin: str) -> None:
        super().__init__(
            f"processor {node!r} is connected to store {store!r}, which is not there",
            where=origin,
            fix=f"add it with app.add_state_store(hr.stores.key_value({store!r}, ...)); "
            f"there {'are ' + ', '.join(known) if known else 'is none yet'}",
        )


class StoreUnused(PlanError):
    """A store was added, and no processor is connected to it."""

    code = "store-unused"

    def __init__(self, store: str, origin: str) -> None:
        super().__init__(
            f"no processor is connected to store {store!r}",
            where=origin,
            fix=f"connect one with stores=({store!r},), or leave the store out",
        )


class StoreNotForProcessors(PlanError):
    """A processor is connected to a store that an operator keeps for itself."""

    code = "store-not-for-processors"

    def __init__(self, store: str, op: str, node: str, origin: str) -> None:
        super().__init__(
            f"store {store!r} belongs to a {op} and is its own; processor {node!r} cannot be connected to it",
            where=origin,
            fix="connect it to the store of a table, or to one added with app.add_state_store(...)",
        )


class SharedStoreInCircle(PlanError):
    """Processors that share a store, so run in one stage, wait for what has gone through a repartition behind it."""

    code = "shared-store-in-circle"

    def __init__(self, nodes: Sequence[str], origins: Sequence[str]) -> None:
        super().__init__(
            f"{', '.join(map(repr, nodes))} share stores, and records of one come to another by a repartition: "
            "on Spark no stage can be in front of itself",
            where=" and ".join(dict.fromkeys(origins)),
            fix="give each its own store, or send the records by a topic: .to(...), and app.stream(...) of it",
        )


class NotAProcessor(PlanError):
    """A processor was expected, and something else was given."""

    code = "not-a-processor"

    def __init__(self, op: str, found: str, needed: str, functions: str, origin: str) -> None:
        super().__init__(
            f"{op} cannot use {found}",
            where=origin,
            fix=f"give a subclass of {needed}, a function without parameters that makes one, or a function {functions}",
        )


class SameProcessorTwice(PlanError):
    """A factory gives one and the same processor again and again."""

    code = "same-processor-twice"

    def __init__(self, op: str, factory: str, origin: str) -> None:
        super().__init__(
            f"{factory} gave {op} the same processor twice",
            where=origin,
            fix="make a new one in every call: each task needs its own",
        )


class NodeUnknown(PlanError):
    """A topology written by hand names a node that is not there."""

    code = "node-unknown"

    def __init__(self, what: str, known: Sequence[str], origin: str) -> None:
        super().__init__(
            f"{what}, which is not there",
            where=origin,
            fix=f"declare it first; there {'are ' + ', '.join(known) if known else 'is nothing yet'}",
        )


class ParentMissing(PlanError):
    """A processor or a sink has nothing to read from."""

    code = "parent-missing"

    def __init__(self, kind: str, name: str, origin: str) -> None:
        super().__init__(
            f"{kind} {name!r} has no parent",
            where=origin,
            fix="name the sources or processors that it reads from",
        )


class ParentNotStream(PlanError):
    """A node is the parent of another, and sends on no records."""

    code = "parent-not-stream"

    def __init__(self, parent: str, op: str, name: str, origin: str, fix: str) -> None:
        super().__init__(f"{parent!r} is a {op} and cannot be the parent of {name!r}", where=origin, fix=fix)


class ProcessorFailed(RunError):
    """A processor failed while no record was at hand: when it began, when it ended, or when its time had come."""

    code = "processor-failed"

    def __init__(self, node: str, step: str, reason: str) -> None:
        super().__init__(f"{node} failed in {step}: {reason}", fix="mend the processor; its own lines are named above")


class ProcessorError(RunError):
    """A processor asks for what it cannot have. It is told inside the error that names its node and its record."""

    code = "processor"


class StoreNotConnected(ProcessorError):
    """A processor asks for a store that it is not connected to."""

    code = "store-not-connected"

    def __init__(self, store: str, node: str, connected: Sequence[str]) -> None:
        super().__init__(
            f"store {store!r} is not connected to processor {node!r}",
            fix=f"name it in stores=...; it is connected to {', '.join(connected) or 'none'}",
        )


class StoreRefused(ProcessorError):
    """A store cannot do what it is asked for."""

    code = "store-refused"

    def __init__(self, store: str, reason: str) -> None:
        super().__init__(f"store {store!r}: {reason}")


class ForwardRefused(ProcessorError):
    """A processor sends on what cannot be sent on, or to somebody who is not there."""

    code = "forward-refused"

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason, fix=fix)


class KeyFixed(ProcessorError):
    """A processor of values gives a record another key."""

    code = "key-fixed"

    def __init__(self) -> None:
        super().__init__(
            "the key of a record stays as it is in process_values",
            fix="use process(...), behind which records move to the tasks of their new keys",
        )


class TimestampNegative(ProcessorError):
    """A record gets a time before 1970."""

    code = "timestamp-negative"

    def __init__(self, ts: int) -> None:
        super().__init__(f"the timestamp of a record cannot be {ts}", fix="give milliseconds since 1970, 0 or more")
