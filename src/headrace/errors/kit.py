"""The test kit."""

from __future__ import annotations

from headrace.errors.base import HeadraceError


class KitError(HeadraceError):
    """A test does something that cannot work."""

    code = "kit"


class CannotPipe(KitError):
    """A test pipes something that the topic cannot hold."""

    code = "cannot-pipe"

    def __init__(self, topic: str, part: str, serde: str, reason: str, origin: str) -> None:
        super().__init__(
            f"the {part} cannot be piped into topic {topic!r}: {reason}",
            where=origin,
            fix=f"give what {serde} can write, or write it in another way: driver.input({topic!r}, {part}=...)",
        )


class OutputUnreadable(KitError):
    """A test reads what was written with a serde that cannot read it."""

    code = "output-unreadable"

    def __init__(self, topic: str, part: str, serde: str, reason: str, written: str) -> None:
        super().__init__(
            f"the {part} of a record of topic {topic!r} cannot be read as {serde}: {reason}",
            fix=f"read it as {written}, with which the application wrote it",
        )


class NothingToRead(KitError):
    """A test reads the next record of a topic, and there is none."""

    code = "nothing-to-read"

    def __init__(self, topic: str, written: int) -> None:
        had = f"all {written} of its records were read before" if written else "nothing was written to it"
        super().__init__(f"topic {topic!r} has no record to read: {had}", fix="ask for output.is_empty first")


class NoRow(KitError):
    """A test reads as a table what is none."""

    code = "no-row"

    def __init__(self, topic: str, value: str) -> None:
        super().__init__(
            f"a record without a key is no row of a table, its value is {value}",
            where=f"topic {topic!r}",
            fix="read_all() reads records of any kind",
        )


class WrongKey(KitError):
    """A test looks for a key that a store cannot have."""

    code = "wrong-key"

    def __init__(self, store: str, reason: str, origin: str) -> None:
        super().__init__(
            f"store {store!r} cannot have that key: {reason}", where=origin, fix="ask for a key of its own type"
        )


class WrongStore(KitError):
    """A test asks a store for what only another kind of store can tell."""

    code = "wrong-store"

    def __init__(self, store: str, kind: str, asked: str, origin: str, has: str) -> None:
        super().__init__(f"store {store!r} is {kind} and has no {asked}", where=origin, fix=f"it has {has}")


class DriverClosed(KitError):
    """A test goes on with a driver that it has closed."""

    code = "driver-closed"

    def __init__(self, app: str, what: str) -> None:
        super().__init__(
            f"the driver of application {app!r} is closed: {what} is not possible any more",
            fix="do it before close(), or inside the `with`",
        )


class DriverFailed(KitError):
    """A test goes on with a driver whose application has failed."""

    code = "driver-failed"

    def __init__(self, app: str, what: str, failure: str) -> None:
        super().__init__(
            f"application {app!r} has stopped at a failure: {what} is not possible any more; it was {failure}",
            fix="go on with a new driver, or send the records that fail to .errors() beside the operator",
        )


class CannotRestart(KitError):
    """The state of an application holds something that no other process could read."""

    code = "cannot-restart"

    def __init__(self, app: str, reason: str, fix: str) -> None:
        super().__init__(f"application {app!r} cannot be restarted with its state: {reason}", fix=fix)


class TableTextInvalid(KitError):
    """The text of a table does not say what it should."""

    code = "table-text-invalid"

    def __init__(self, line: int, column: int, what: str, fix: str) -> None:
        super().__init__(what, where=f"line {line}, column {column} of the table", fix=fix)
