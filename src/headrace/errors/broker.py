"""The broker and its topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.errors.base import HeadraceError


class BrokerError(HeadraceError):
    """Kafka said no, or nothing."""

    code = "broker"


class BrokerUnreachable(BrokerError):
    """Nobody answers at the broker's address."""

    code = "broker-unreachable"
    may_pass = True

    def __init__(self, address: str, seconds: float, reason: str = "") -> None:
        super().__init__(
            f"no Kafka broker answered at {address} within {seconds:g} s" + (f": {reason}" if reason else ""),
            fix="check the address, that the broker runs, and the security settings in kafka={...};"
            " without broker= headrace starts one of its own",
        )


class BrokerStartFailed(BrokerError):
    """The embedded broker's process ended, or never became ready."""

    code = "broker-start-failed"

    def __init__(self, reason: str, log: str, last_lines: Iterable[str] = ()) -> None:
        tail = "".join(f"\n    {line}" for line in last_lines)
        super().__init__(f"the embedded broker did not start: {reason}{tail}", where=log)


class PortInUse(BrokerError):
    """The port asked for belongs to somebody else."""

    code = "port-in-use"

    def __init__(self, port: int) -> None:
        super().__init__(
            f"port {port} is in use by another program",
            fix="name another with --port, or leave it out: a free one is taken",
        )


class BrokerRunning(BrokerError):
    """The embedded broker runs already, elsewhere than asked."""

    code = "broker-running"

    def __init__(self, address: str) -> None:
        super().__init__(
            f"the embedded broker runs already, at {address}",
            fix="use it there, or stop it first with: headrace broker stop",
        )


class BrokerBusy(BrokerError):
    """Somebody else has been starting or stopping the embedded broker for too long."""

    code = "broker-busy"

    def __init__(self, directory: str, reason: str) -> None:
        super().__init__(
            f"the embedded broker cannot be used now: {reason}",
            where=directory,
            fix="try again in a minute; look at the state with: headrace broker status",
        )


class BrokerDirUnusable(BrokerError):
    """The embedded broker's directory cannot be made or written."""

    code = "broker-dir-unusable"

    def __init__(self, directory: str, reason: str) -> None:
        super().__init__(
            f"the embedded broker's directory cannot be used: {reason}",
            where=directory,
            fix="make room or give the right to write there, or name another directory in HEADRACE_BROKER_DIR",
        )


class ClientPropertyRefused(BrokerError):
    """A property for the Kafka client cannot be used."""

    code = "client-property-refused"

    def __init__(self, name: str, reason: str, fix: str | None = None, where: str | None = None) -> None:
        super().__init__(f"Kafka client property {name!r} cannot be used: {reason}", where=where, fix=fix)


class TopicMissing(BrokerError):
    """Topics that the application reads or writes do not exist."""

    code = "topic-missing"

    def __init__(self, topics: Sequence[str], address: str, partitions: int = 4, *, embedded: bool = False) -> None:
        self.topics, self.address, self.partitions = topics, address, partitions
        names = ", ".join(repr(topic) for topic in topics)
        # The commands find the embedded broker by themselves, and it may listen elsewhere by then.
        broker = "" if embedded else f" --broker {address}"
        commands = " && ".join(f"headrace topics create {topic} --partitions {partitions}{broker}" for topic in topics)
        super().__init__(f"no topic {names} on {'the embedded broker' if embedded else address}", fix=commands)


class TopicReplaced(BrokerError):
    """A topic was deleted and made again while an application reads it."""

    code = "topic-replaced"

    def __init__(self, topic: str) -> None:
        super().__init__(
            f"topic {topic!r} was deleted and made again: it has the old name and other records",
            fix="read it from its beginning, and make the state anew, with: headrace reset app.py --to earliest",
        )


class TopicGone(BrokerError):
    """Topics were deleted while the application writes them."""

    code = "topic-gone"
    may_pass = True  # somebody may make them again

    def __init__(self, topics: Sequence[str], address: str) -> None:
        names = ", ".join(repr(topic) for topic in topics)
        commands = " && ".join(f"headrace topics create {topic} --broker {address}" for topic in topics)
        super().__init__(
            f"topic {names} was deleted while the application writes it",
            fix=f"make it again: {commands}; the application goes on from the last finished batch",
        )


class ChangelogDamaged(BrokerError):
    """The changelog of a store is not what the application has written any more."""

    code = "changelog-damaged"
    may_pass = True  # the application goes on without it

    def __init__(self, topic: str, how: str) -> None:
        super().__init__(
            f"topic {topic!r}, the changelog of a store, {how} by somebody else",
            fix="no state is lost, but the store cannot be asked any more; begin anew: headrace reset app.py",
        )


class ChangelogMisfit(BrokerError):
    """The topic of a store's changelog is there, but not as it has to be."""

    code = "changelog-misfit"

    def __init__(self, topic: str, reasons: Sequence[str]) -> None:
        super().__init__(
            f"topic {topic!r} cannot be the changelog of a store: {'; '.join(reasons)}",
            fix=f"headrace topics delete {topic}, then begin anew: headrace reset app.py --to earliest; or have no "
            "changelogs with App(..., queryable=False)",
        )


class ChangelogForeign(BrokerError):
    """The topic of a store's changelog is there, and is not proved to be this application's."""

    code = "changelog-foreign"

    def __init__(self, topic: str, store: str, marked_for: tuple[str, str] | None) -> None:
        whose = "has records that are not proved to be this application's, perhaps of Kafka Streams"
        if marked_for is not None:
            whose = f"is the changelog of store {marked_for[1]!r} of application {marked_for[0]!r}"
        super().__init__(
            f"topic {topic!r} cannot be the changelog of store {store!r}: it {whose}; it was left as it is",
            fix="give the application another id, or the store another name; or have no changelogs with"
            " App(..., queryable=False); to begin with what Kafka Streams has left: headrace adopt app.py; if nobody"
            f" needs the topic any more: headrace topics delete {topic}",
        )


class TopicExists(BrokerError):
    """A topic of that name is there already."""

    code = "topic-exists"

    def __init__(self, topic: str, address: str) -> None:
        super().__init__(
            f"topic {topic!r} exists already on {address}", fix=f"look at it with: headrace topics describe {topic}"
        )


class TopicRefused(BrokerError):
    """The broker refused to do something with a topic."""

    code = "topic-refused"

    def __init__(self, topic: str, doing: str, reason: str) -> None:
        super().__init__(f"the broker refused to {doing} topic {topic!r}: {reason}")


class PositionsRefused(BrokerError):
    """The positions of an application could not be published, or read."""

    code = "positions-refused"

    def __init__(self, group: str, reason: str, doing: str = "written") -> None:
        super().__init__(
            f"the positions of consumer group {group!r} could not be {doing}: {reason}",
            fix="let no consumer join a group of the application's name, and allow the application to read it",
        )


class LetterMissing(BrokerError):
    """There is no such dead letter."""

    code = "letter-missing"

    def __init__(self, topic: str, reason: str) -> None:
        super().__init__(
            f"no dead letter in {topic!r}: {reason}",
            fix='headrace errors list shows those there are; on_error="dead_letter" writes them',
        )


class LetterNotWhole(BrokerError):
    """A dead letter has not all that it would take to write its record again."""

    code = "letter-not-whole"

    def __init__(self, place: str, topic: str, why: str) -> None:
        super().__init__(
            f"the dead letter {place} {why}",
            where=topic,
            fix="leave it out: name the places of the others",
        )


class RecordRefused(BrokerError):
    """A record could not be produced."""

    code = "record-refused"

    def __init__(self, topic: str, reason: str, where: str | None = None) -> None:
        super().__init__(f"a record for topic {topic!r} was refused: {reason}", where=where)
