"""The topology, as far as it is wrong while it is declared."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.base import HeadraceError


class PlanError(HeadraceError):
    """The declared topology makes no sense."""

    code = "plan"


class TopicReadTwoWays(PlanError):
    """One topic is read with two different types."""

    code = "topic-read-two-ways"

    def __init__(self, topic: str, first: object, first_origin: str, second: object, second_origin: str) -> None:
        super().__init__(
            f"topic {topic!r} is read as {first} and as {second}",
            where=f"{first_origin} and {second_origin}",
            fix="read it once and share the stream, or give both the same types",
        )


class TopicWrittenAnotherWay(PlanError):
    """An application reads a topic in another way than it writes it."""

    code = "topic-written-another-way"

    def __init__(self, topic: str, written: object, sink_origin: str, read: object, source_origin: str) -> None:
        super().__init__(
            f"topic {topic!r} is written as {written} and read as {read}",
            where=f"{sink_origin} and {source_origin}",
            fix="give .to(...) the serdes that the topic is read with, or read it with those it is written with",
        )


class EndlessLoop(PlanError):
    """Every record of a topic is written to it again."""

    code = "endless-loop"

    def __init__(self, topics: Sequence[str], origin: str) -> None:
        names = " and ".join(repr(topic) for topic in topics)
        super().__init__(
            f"every record written to {names} is read and written there again, for ever",
            where=origin,
            fix="put a filter or a branch on the way, so that a record can end, or write to another topic",
        )


class TopicsOverlap(PlanError):
    """Two sources share some, not all, of their topics."""

    code = "topics-overlap"

    def __init__(self, shared: Sequence[str], first_origin: str, second_origin: str) -> None:
        names = ", ".join(repr(topic) for topic in shared)
        super().__init__(
            f"topic(s) {names} are read by two different streams",
            where=f"{first_origin} and {second_origin}",
            fix="read each topic once, and merge the streams",
        )


class ChangelogNameTaken(PlanError):
    """The changelog of a store has the name of a topic that the application reads or writes."""

    code = "changelog-name-taken"

    def __init__(self, topic: str, store: str, store_origin: str, used: str, user_origin: str) -> None:
        super().__init__(
            f"topic {topic!r} is the changelog of store {store!r}, and is {used} as well",
            where=f"{store_origin} and {user_origin}",
            fix="give the store or the topic another name, or have no changelogs with App(..., queryable=False)",
        )


class NameTaken(PlanError):
    """Two stores or operators carry the same name."""

    code = "name-taken"

    def __init__(self, name: str, first_origin: str, second_origin: str) -> None:
        super().__init__(
            f"the name {name!r} is used twice",
            where=f"{first_origin} and {second_origin}",
            fix="give one of them another name (store=... or name=...)",
        )


class StoreNeedsName(PlanError):
    """A store would get a name that does not last: one that hangs on the order of lines, or is too long."""

    code = "store-needs-name"

    def __init__(self, op: str, origin: str, reason: str, twins: tuple[str, str] | None = None) -> None:
        super().__init__(
            f"the {op} at {origin} needs a name for its store: {reason}",
            where=f"{twins[0]} and {twins[1]}" if twins else origin,
            fix="give it one with store=...: state is found again by it after a restart",
        )


class NameInvalid(PlanError):
    """A name that cannot be used for a topic, a store or an application."""

    code = "name-invalid"

    def __init__(self, kind: str, name: object, origin: str) -> None:
        super().__init__(
            f"{name!r} cannot be the name of {kind}",
            where=origin,
            fix="use 1 to 249 characters of A-Z a-z 0-9 . _ - (not only dots)",
        )


class OptionInvalid(PlanError):
    """An option has a value that it cannot have."""

    code = "option-invalid"

    def __init__(self, option: str, value: object, allowed: str, origin: str | None = None) -> None:
        super().__init__(f"{option}={value!r} is not possible", where=origin, fix=f"give {allowed}")


class ColumnTaken(PlanError):
    """A field of a record has the name of a column that every batch has."""

    code = "column-taken"

    def __init__(self, type_: object, field: str, origin: str) -> None:
        super().__init__(
            f"{type_} has a field {field!r}, and every batch has a column of that name",
            where=origin,
            fix="give it another name with map_values first",
        )


class TypesDiffer(PlanError):
    """Two things that must have the same type do not."""

    code = "types-differ"

    def __init__(self, what: str, first: object, second: object, origin: str, fix: str) -> None:
        super().__init__(f"{what}: {first} and {second}", where=origin, fix=fix)


class SerdeNotBound(PlanError):
    """A serde cannot write or read one side of the records of a topic."""

    code = "serde-not-bound"

    def __init__(self, part: str, serde: object, topic: str | None, reason: str, origin: str) -> None:
        there = f"topic {topic!r}" if topic is not None else "topics that are not known yet"
        fix = "tell the serde what it asks for, or give another one"
        super().__init__(f"{serde} is no serde for the {part}s of {there}: {reason}", where=origin, fix=fix)


class NothingToRun(PlanError):
    """The application reads nothing, or what it reads goes nowhere."""

    code = "nothing-to-run"

    def __init__(self, app: str) -> None:
        super().__init__(
            f"application {app!r} has no stream that ends in a topic or a table",
            fix="declare at least one app.stream(...) that ends in .to(...) or .count(...)",
        )


class NothingToCount(PlanError):
    """Rows are wanted of an application that writes to no topic that it names."""

    code = "nothing-to-count"

    def __init__(self, app: str) -> None:
        super().__init__(
            f"application {app!r} writes to no topic that it names, so a run of it gives no rows",
            fix='end a stream in .to("topic"), or run it without count= and timeout= and look at its tables',
        )


class PythonNeeded(PlanError):
    """A node has no form in Spark, and the application does not want Python."""

    code = "python-needed"

    def __init__(self, node: str, operator: str, reason: str, origin: str) -> None:
        super().__init__(
            f"{operator} ({node}) can only run in Python: {reason}",
            where=origin,
            fix="do it with operators and expressions, or leave strict_native away",
        )


class NotShippable(PlanError):
    """A node cannot be sent to the Python processes that are to run it."""

    code = "not-shippable"

    def __init__(self, node: str, reason: str, origin: str) -> None:
        super().__init__(
            f"{node} cannot be sent to a Python process: {reason}",
            where=origin,
            fix="make what it uses, such as connections, files and locks, inside the function or in init()",
        )


class NoWindowsToClose(PlanError):
    """A table without windows is asked for its results when they close."""

    code = "no-windows-to-close"

    def __init__(self, node: str, origin: str) -> None:
        super().__init__(
            f"{node} has no windows that could close",
            where=origin,
            fix="use hr.until_window_closes() behind windowed_by(...), or hr.until_time_limit(...)",
        )


class VersionsHeldBack(PlanError):
    """The changes of a versioned table are to be held back."""

    code = "versions-held-back"

    def __init__(self, node: str, origin: str) -> None:
        super().__init__(
            f"{node} is versioned: the last change of a key that comes in need not be its newest, so it cannot wait",
            where=origin,
            fix="read the topic with app.table(...), or use suppress behind a join or an aggregation",
        )


class NothingBeside(PlanError):
    """An operator is asked for late records, failures or windows that it never has."""

    code = "nothing-beside"

    def __init__(self, method: str, node: str, reason: str, fix: str, origin: str) -> None:
        super().__init__(f"{node} has no .{method}(): it {reason}", where=origin, fix=fix)


class NotInTopology(PlanError):
    """A test asks an application for something it does not have."""

    code = "not-in-topology"

    def __init__(self, app: str, what: str, there: str) -> None:
        super().__init__(f"application {app!r} does not {what}", fix=there)
