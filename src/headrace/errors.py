"""Every error headrace raises: what happened, where, what to do.

The whole tree is on this page. `code` is a stable word for programs; the message is for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar


class HeadraceError(Exception):
    """Root of all errors raised on purpose."""

    code: ClassVar[str] = "headrace"

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what, self.where, self.fix = what, where, fix
        lines = [what]
        if where:
            lines.append(f"  at: {where}")
        if fix:
            lines.append(f"  to do: {fix}")
        super().__init__("\n".join(lines))


# -- the machine: Java, jars, the kernel


class SetupError(HeadraceError):
    """Something headrace needs on this machine is missing."""

    code = "setup"


class JavaMissing(SetupError):
    """No Java was found."""

    code = "java-missing"

    def __init__(self, where: str | None = None) -> None:
        super().__init__(
            "Java was not found",
            where=where,
            fix="install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless,"
            " macOS: brew install openjdk@17) and put it on the PATH or name it in JAVA_HOME",
        )


class JavaTooOld(SetupError):
    """The Java that was found is older than Spark can run on."""

    code = "java-too-old"

    def __init__(self, found: str, path: str) -> None:
        super().__init__(
            f"Java 17 or newer is needed, {path} is version {found}",
            fix="install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless,"
            " macOS: brew install openjdk@17) and put it on the PATH or name it in JAVA_HOME",
        )


class SparkMissing(SetupError):
    """pyspark is not installed, or without its jars."""

    code = "spark-missing"

    def __init__(self) -> None:
        super().__init__("pyspark was not found", fix="install headrace with its dependencies: pip install headrace")


class CacheUnwritable(SetupError):
    """The cache directory cannot be used."""

    code = "cache-unwritable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the cache directory cannot be used: {reason}",
            where=path,
            fix="make room or give the right to write there, or name another directory in HEADRACE_CACHE_DIR",
        )


class JarsMissing(SetupError):
    """Jars could not be fetched, or what came is not what was pinned."""

    code = "jars-missing"

    def __init__(self, missing: Sequence[str], reason: str, log: str) -> None:
        names = "".join(f"\n    {name}" for name in missing)
        super().__init__(
            f"{len(missing)} jar(s) could not be fetched: {reason}{names}",
            where=f"Ivy's own lines are in {log}",
            fix="connect to the network once, or name an Ivy settings file with your mirror in HEADRACE_IVY_SETTINGS",
        )


class KernelMissing(SetupError):
    """Neither a compiled kernel nor its sources are there."""

    code = "kernel-missing"

    def __init__(self, path: str) -> None:
        super().__init__(
            "the kernel is missing: there is neither kernel.jar nor a Scala source",
            where=path,
            fix="install headrace again from its wheel",
        )


class KernelBuildFailed(SetupError):
    """The Scala sources of the kernel do not compile."""

    code = "kernel-build-failed"

    def __init__(self, compiler_output: str) -> None:
        super().__init__(f"the kernel does not compile\n{compiler_output.rstrip()}", where="kernel/")


# -- the broker and its topics


class BrokerError(HeadraceError):
    """Kafka said no, or nothing."""

    code = "broker"


class BrokerUnreachable(BrokerError):
    """Nobody answers at the broker's address."""

    code = "broker-unreachable"

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


class RecordRefused(BrokerError):
    """A record could not be produced."""

    code = "record-refused"

    def __init__(self, topic: str, reason: str, where: str | None = None) -> None:
        super().__init__(f"a record for topic {topic!r} was refused: {reason}", where=where)


# -- the topology, found while it is declared


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


class TypesDiffer(PlanError):
    """Two things that must have the same type do not."""

    code = "types-differ"

    def __init__(self, what: str, first: object, second: object, origin: str, fix: str) -> None:
        super().__init__(f"{what}: {first} and {second}", where=origin, fix=fix)


class NothingToRun(PlanError):
    """The application reads nothing, or what it reads goes nowhere."""

    code = "nothing-to-run"

    def __init__(self, app: str) -> None:
        super().__init__(
            f"application {app!r} has no stream that ends in a topic or a table",
            fix="declare at least one app.stream(...) that ends in .to(...) or .count(...)",
        )


class NotOnSparkYet(PlanError):
    """A node has a meaning in Python, and no form on Spark yet."""

    code = "not-on-spark-yet"

    def __init__(self, node: str, operator: str, origin: str) -> None:
        super().__init__(
            f"{operator} ({node}) does not run on Spark yet",
            where=origin,
            fix="run the topology in this process with hr.testing.TopologyTestDriver, or do without the operator",
        )


class NotTraceable(PlanError):
    """A function of the user's could not be turned into an expression."""

    code = "not-traceable"

    def __init__(self, function: str, reason: str, origin: str) -> None:
        self.reason = reason
        super().__init__(
            f"{function} cannot run inside Spark yet: {reason}",
            where=origin,
            fix="write it as one expression of its arguments (operators, str methods, hr.when(...), hr functions);"
            " other Python code inside an operator is not supported yet",
        )


class NumberTooLarge(PlanError):
    """A whole number in an expression needs more than 64 bits."""

    code = "number-too-large"

    def __init__(self, number: int, origin: str) -> None:
        super().__init__(
            f"{number} does not fit 64 bits",
            where=origin,
            fix="use a number from -2**63 to 2**63 - 1, or a Decimal",
        )


class WrongType(PlanError):
    """An expression has a type that does not fit where it stands."""

    code = "wrong-type"

    def __init__(self, what: str, found: object, needed: object, origin: str) -> None:
        super().__init__(f"{what} is {found}, {needed} is needed", where=origin)


class UnknownName(PlanError):
    """An expression names a method, a function, a field or a symbol that is not there."""

    code = "unknown-name"

    def __init__(self, what: str, known: Sequence[str], near: Sequence[str], origin: str) -> None:
        listed = f"there are {', '.join(known)}" if known else None
        super().__init__(what, where=origin, fix=f"did you mean {' or '.join(near)}?" if near else listed)


class WrongParameters(PlanError):
    """A function of the user's takes another number of arguments than its operator gives it."""

    code = "wrong-parameters"

    def __init__(self, function: str, takes: str, gives: Sequence[str], origin: str) -> None:
        count = f"{len(gives)} argument{'' if len(gives) == 1 else 's'}"
        super().__init__(
            f"{function} takes {takes}, it is called with {count}: {', '.join(gives)}",
            where=origin,
            fix=f"write it as lambda {', '.join(gives)}: ...",
        )


class NotARecord(PlanError):
    """A class that describes no records is given as the type of some."""

    code = "not-a-record"

    def __init__(self, name: str, origin: str) -> None:
        super().__init__(
            f"{name} does not describe records",
            where=origin,
            fix="give a dataclass, a TypedDict or a pydantic model; hr.json() without one reads any JSON",
        )


class FieldTypeUnknown(PlanError):
    """A field of a record has a type that records cannot hold."""

    code = "field-type-unknown"

    def __init__(self, field: str, found: str, origin: str) -> None:
        super().__init__(
            f"{field} is {found}, which a record cannot hold",
            where=origin,
            fix="use str, int, float, bool, bytes, datetime, Decimal, an Enum of str or int, list[...], dict[str, ...],"
            " a dataclass, a TypedDict, a pydantic model, one of these | None, or Any",
        )


class FieldsNotRead(PlanError):
    """The fields of a class cannot be found out."""

    code = "fields-not-read"

    def __init__(self, name: str, reason: str, origin: str) -> None:
        super().__init__(
            f"the fields of {name} cannot be read: {reason}",
            where=origin,
            fix="declare the classes of its fields at the top of their module, and none inside itself",
        )


class NoSerde(PlanError):
    """No serde writes values of a type."""

    code = "no-serde"

    def __init__(self, type_: object, known: Sequence[str], origin: str | None = None) -> None:
        told = "write the function that they come from with def, and say what it returns: -> str, or give key=, value="
        super().__init__(
            f"no serde writes values of type {type_}",
            where=origin,
            fix=told if str(type_) == "object" else f"map them to one of {', '.join(known)} first",
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


class NotAProcessor(PlanError):
    """Something else stands where a processor is made."""

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


class NotInTopology(PlanError):
    """A test asks an application for something it does not have."""

    code = "not-in-topology"

    def __init__(self, app: str, what: str, there: str) -> None:
        super().__init__(f"application {app!r} does not {what}", fix=there)


# -- the test kit


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


class TableTextInvalid(KitError):
    """The text of a table does not say what it should."""

    code = "table-text-invalid"

    def __init__(self, line: int, column: int, what: str, fix: str) -> None:
        super().__init__(what, where=f"line {line}, column {column} of the table", fix=fix)


# -- the running application


class RunError(HeadraceError):
    """The application cannot start, or had to stop."""

    code = "run"


class AppNotFound(RunError):
    """A file or module holds no application."""

    code = "app-not-found"

    def __init__(self, target: str, reason: str, fix: str) -> None:
        super().__init__(f"no application in {target}: {reason}", fix=fix)


class AlreadyStarted(RunError):
    """An application can be started once."""

    code = "already-started"

    def __init__(self, app: str, state: str) -> None:
        super().__init__(
            f"application {app!r} is {state} and cannot be started again",
            fix="make a new App; a restart goes on from the checkpoint",
        )


class CheckpointInUse(RunError):
    """Another process runs on this checkpoint."""

    code = "checkpoint-in-use"

    def __init__(self, app: str, path: str, pid: str) -> None:
        super().__init__(
            f"application {app!r} is already running on this checkpoint (process {pid})",
            where=path,
            fix="stop that process, or give this application another id or checkpoint=",
        )


class CheckpointUnwritable(RunError):
    """The checkpoint directory cannot be written."""

    code = "checkpoint-unwritable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the checkpoint directory cannot be written: {reason}",
            where=path,
            fix="make room or give the right to write there, or name another directory with checkpoint=;"
            " nothing is lost, the next start goes on from the last finished batch",
        )


class CheckpointForeign(RunError):
    """The checkpoint belongs to another cluster or another shape of this application."""

    code = "checkpoint-foreign"

    def __init__(self, path: str, what: str, there: object, here: object) -> None:
        super().__init__(
            f"this checkpoint was made with {what} {there}, now it is {here}",
            where=path,
            fix="start with the old one, give the application a new id, or remove the directory to begin anew",
        )


class RecordUndecodable(RunError):
    """A record's bytes are not what its serde says."""

    code = "record-undecodable"

    def __init__(self, part: str, serde: str, reason: str, where: str) -> None:
        super().__init__(
            f"the {part} of a record is not {serde}: {reason}",
            where=where,
            fix="read the topic with the serde it was written with;"
            " the application goes on from here at its next start",
        )


class RecordFailed(RunError):
    """A user's function, or writing its result, failed on a record."""

    code = "record-failed"

    def __init__(self, node: str, reason: str, where: str | None) -> None:
        self.node, self.reason = node, reason
        super().__init__(
            f"{node} failed on a record: {reason}",
            where=where,
            fix="mend the function or filter such records out before it;"
            " the application goes on from here at its next start",
        )


class TimestampInvalid(RunError):
    """A record has no time that could be used."""

    code = "timestamp-invalid"

    def __init__(self, ts: int, reason: str, where: str | None) -> None:
        super().__init__(
            f"a record has the time {ts}, {reason}",
            where=where,
            fix='say with timestamp= of its stream or table what to do: "skip", "partition_time", "wall_clock", or a'
            " function that finds the time in the record",
        )


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


class BufferFull(RunError):
    """More results have to wait than their operator may hold back."""

    code = "buffer-full"

    def __init__(self, node: str, most: str, where: str | None) -> None:
        super().__init__(
            f"{node} would hold back more than {most}",
            where=where,
            fix="give a larger max_records or max_bytes, or none; the application goes on from here at its next start",
        )


class PartitionsChanged(RunError):
    """A topic has another number of partitions than when the state was made."""

    code = "partitions-changed"

    def __init__(self, topic: str, there: int, here: str) -> None:
        super().__init__(
            f"topic {topic!r} has {here} partitions, the state of this application was made when it had {there}",
            fix="keys may have moved to other partitions, so counts would go on in the wrong place: start with a new"
            " application id, or remove the checkpoint to begin anew",
        )


class CheckpointBroken(RunError):
    """What headrace keeps in a checkpoint cannot be read."""

    code = "checkpoint-broken"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the checkpoint cannot be read: {reason}",
            where=path,
            fix="put the file back from a copy, or remove the checkpoint directory to begin anew",
        )


class BrokerLost(RunError):
    """The broker stopped answering while the application ran."""

    code = "broker-lost"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"the Kafka broker at {address} stopped answering: {reason}",
            fix="start it again, then the application: it goes on from the last finished batch",
        )


class SparkLost(RunError):
    """The JVM that runs Spark is gone."""

    code = "spark-lost"

    def __init__(self, log: str) -> None:
        super().__init__(
            "Spark's process has ended or does not answer",
            where=f"Spark's log: {log}",
            fix="look into the log (out of memory?), then start again: it goes on from the last finished batch",
        )


class QueryFailed(RunError):
    """Spark stopped the query for a reason headrace has no better word for."""

    code = "query-failed"

    def __init__(self, app: str, reason: str, log: str) -> None:
        super().__init__(f"application {app!r} failed: {reason}", where=f"Spark's log: {log}")
