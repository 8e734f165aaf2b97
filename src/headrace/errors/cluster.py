"""Spark on other machines, and sessions of somebody else."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.run import RunError


class ClusterUnreachable(RunError):
    """Nobody listens where the Spark master should be."""

    code = "cluster-unreachable"

    def __init__(self, master: str, reason: str) -> None:
        super().__init__(
            f"no Spark master answered at {master}: {reason}",
            fix="start it, or name the address that it shows on its own page",
        )


class SparkNotStarted(RunError):
    """Spark, or its connection to a cluster, did not come up."""

    code = "spark-not-started"
    may_pass = True  # it has been up before, if it is tried again

    def __init__(self, master: str, reason: str, log: str) -> None:
        super().__init__(
            f"Spark did not start on {master}: {reason}",
            where=f"Spark's log: {log}",
            fix="mend that, or look into the log; headrace doctor says what is missing on this machine",
        )


class SparkInUse(RunError):
    """This process has a Spark already, and it is not the one that the application wants."""

    code = "spark-in-use"

    def __init__(self, there: str, wanted: str, fix: str) -> None:
        super().__init__(f"this process runs Spark on {there} already, the application wants {wanted}", fix=fix)


class SessionUnfit(RunError):
    """A session that was given lacks what headrace needs in it."""

    code = "session-unfit"

    def __init__(self, lacks: Sequence[str], options: str) -> None:
        super().__init__(f"this SparkSession cannot run an application: {', '.join(lacks)}", fix=options)


class CheckpointNotShared(RunError):
    """A cluster is to work on a checkpoint that only this machine has."""

    code = "checkpoint-not-shared"

    def __init__(self, path: str, master: str) -> None:
        super().__init__(
            f"the checkpoint is a directory of this machine, and the machines of {master} must all reach it",
            where=path,
            fix="name storage that they share: checkpoint='hdfs://...' or 's3a://...';"
            f" if it is a directory that all of them have mounted, say so: checkpoint='file://{path}'",
        )


class BrokerNotShared(RunError):
    """A cluster is to read from the embedded broker, which listens to this machine alone."""

    code = "broker-not-shared"

    def __init__(self, master: str) -> None:
        super().__init__(
            f"the embedded broker listens to this machine alone, and the machines of {master} must all reach it",
            fix="name a Kafka cluster: hr.App(..., broker='host:9092')",
        )
