"""What Spark says when a query fails, in words a user can act on."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from headrace.engine.batch.failures import failure_of
from headrace.errors import (
    BatchTooLong,
    BrokerLost,
    BrokerNotTrusted,
    CheckpointUnwritable,
    HeadraceError,
    LoginRefused,
    NotAllowed,
    PartitionsChanged,
    QueryFailed,
    SparkLost,
    TakenOver,
    TemporaryUnusable,
    TopicMissing,
)
from headrace.spark.query import plain_errors

FAULT = 'headrace-fault:{"kind":"%s","subject":"in","reason":"4","where":"more than 4"}'
TOO_LONG = 'headrace-fault:{"kind":"batch-too-long","subject":"912345","reason":"900000","where":""}'


class _Usage(NamedTuple):
    total: int
    used: int
    free: int


def failure(*causes: str) -> HeadraceError:
    return failure_of(causes, "shop", "ck", "host:9092", Path("ck/spark.log"))


@pytest.mark.parametrize(
    ("causes", "kind", "words"),
    [
        (["a", "java.io.IOException: No space left on device"], CheckpointUnwritable, "No space left on device"),
        (
            ["a", "org.apache.kafka.common.errors.TimeoutException: Call timed out\n  more"],
            BrokerLost,
            "the Kafka broker at host:9092 stopped answering: Call timed out",
        ),
        (
            ["a", "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer"],
            TakenOver,
            "application 'shop' was taken over by another process that runs it",
        ),
        (
            [
                "a",
                "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [a, b]",
            ],
            NotAllowed,
            "the broker does not allow Read on topic 'a', Read on topic 'b'",
        ),
        (
            ["org.apache.kafka.common.errors.GroupAuthorizationException: Not authorized to access group: g"],
            NotAllowed,
            "the broker does not allow Read on group 'g'",
        ),
        (
            ["a", "org.apache.kafka.common.errors.ClusterAuthorizationException: Cluster authorization failed."],
            NotAllowed,
            "the broker does not allow it: Cluster authorization failed.",
        ),
        (["x" + FAULT % "not-allowed"], NotAllowed, "the broker does not allow 4 on in"),
        (
            ["a", "org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed"],
            LoginRefused,
            "the broker at host:9092 refused the login: Authentication failed",
        ),
        (
            ["a", "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed"],
            BrokerNotTrusted,
            "the broker at host:9092 could not prove who it is: SSL handshake failed",
        ),
        (
            [TOO_LONG, "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer"],
            BatchTooLong,
            "a batch was not done after 912 s",
        ),
        (["[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update to the log"], TakenOver, "at: ck"),
        (["x", "y\nz"], QueryFailed, "application 'shop' failed: y"),
        (["x" + FAULT % "partitions-changed"], PartitionsChanged, "topic 'in' has more than 4 partitions"),
        (["x" + FAULT % "topic-missing"], TopicMissing, "no topic 'in' on 4"),
    ],
)
def test_words(causes: list[str], kind: type[HeadraceError], words: str) -> None:
    error = failure(*causes)
    assert type(error) is kind
    assert words in str(error)


def test_an_unknown_failure_names_the_log() -> None:
    assert str(failure("boom")) == "application 'shop' failed: boom\n  at: Spark's log: ck/spark.log"


def test_a_jvm_that_is_gone_names_the_log() -> None:
    with pytest.raises(SparkLost) as caught, plain_errors("shop", Path("ck/spark.log")):
        raise ConnectionRefusedError(111, "Connection refused")
    assert str(caught.value) == (
        "Spark's process has ended or does not answer\n  at: Spark's log: ck/spark.log\n"
        "  to do: look into the log (out of memory?), then start again: it goes on from the last finished batch"
    )


def test_a_full_temporary_directory_is_not_taken_for_the_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = _Usage(1 << 30, 1 << 30, 4096)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    error = failure("a", "java.io.IOException: No space left on device")
    assert isinstance(error, TemporaryUnusable)
    assert error.where == tempfile.gettempdir()
    assert "No space left on device" in error.what
