"""Settings of the embedded broker."""

from __future__ import annotations

import base64
import uuid
from xml.sax.saxutils import quoteattr

from headrace.jvm.java import NO_PROVIDERS
from headrace.log.broker_dir import BrokerDir

_HEAP = ("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC")


def server_properties(directory: BrokerDir, port: int, controller_port: int) -> str:
    """server.properties of a single KRaft node that listens to this machine alone."""
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(directory.data),
        "num.partitions": "4",
        "auto.create.topics.enable": "false",
        # One node: nothing can be replicated. Few partitions: each costs time at the start.
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "5",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "5",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "5",
        "group.initial.rebalance.delay.ms": "0",
        # Kafka measures age by the records' own timestamps: with a limit on age, replayed or made-up event times
        # from long ago would be deleted minutes after they were written. So the limit is on size.
        "log.retention.ms": "-1",
        "log.retention.bytes": str(4 * 1024**3),
        # Event times are the users' own: Kafka would refuse those that are more than an hour ahead of the clock.
        "log.message.timestamp.after.max.ms": str(2**63 - 1),
        "message.max.bytes": str(32 * 1024**2),
        # Exactly-once keeps its place in committed offsets; an application may rest for longer than Kafka's week.
        "offsets.retention.minutes": str(365 * 24 * 60),
        # After a crash the node waits for its own old session to end: 9 s with Kafka's setting.
        "broker.session.timeout.ms": "4000",
        "broker.heartbeat.interval.ms": "1000",
        "num.network.threads": "2",
        "num.io.threads": "4",
        # 128 MB of heap with Kafka's setting.
        "log.cleaner.dedupe.buffer.size": str(16 * 1024**2),
    }
    return "".join(f"{name}={_escaped(value)}\n" for name, value in settings.items())


def logging_config(directory: BrokerDir) -> str:
    """log4j2.xml: one file, rolled at 10 MB, three kept."""
    log = directory.log
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="ERROR">
  <Appenders>
    <RollingFile name="file" fileName={quoteattr(str(log))} filePattern={quoteattr(str(log.with_suffix(".%i.log")))}>
      <PatternLayout pattern="%d %p %c: %m%n"/>
      <Policies><SizeBasedTriggeringPolicy size="10MB"/></Policies>
      <DefaultRolloverStrategy max="3"/>
    </RollingFile>
  </Appenders>
  <Loggers>
    <Root level="INFO"><AppenderRef ref="file"/></Root>
    <!-- Each prints every setting at every start, or every client's. -->
    <Logger name="kafka.server.KafkaConfig" level="WARN"/>
    <Logger name="org.apache.kafka.common.config.AbstractConfig" level="WARN"/>
  </Loggers>
</Configuration>
"""


def java_options(directory: BrokerDir) -> list[str]:
    """Options of every JVM started for this directory; the first one marks the process as ours."""
    return [
        ownership_mark(directory),
        *_HEAP,
        "-Djava.awt.headless=true",
        NO_PROVIDERS,
        f"-Dlog4j2.configurationFile={directory.logging_config}",
    ]


def ownership_mark(directory: BrokerDir) -> str:
    """Mark in the command line of this directory's broker, and of no other process."""
    return f"-Dheadrace.broker={directory.path}"


def new_cluster_id() -> str:
    """A random id in the form Kafka's own tool makes: 22 characters that do not look like an option."""
    while True:
        made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not made.startswith("-"):
            return made


def _escaped(value: str) -> str:
    # A properties file is read as Latin-1, and a backslash escapes in it: a path may hold anything.
    units = value.replace("\\", "\\\\").encode("utf-16-be")
    codes = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)
