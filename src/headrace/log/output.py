"""Output of a stream thread: records, changes of state and positions, committed together or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from headrace.errors import BrokerLost, HeadraceError, NotAllowed, RecordRefused, TakenOver
from headrace.log.client import make_client, reason_of
from headrace.log.records import Header, possible_time

_ANY_PARTITION = -1
_ANSWER_S, _FENCED_S = 10.0, 30.0
_POLL_S = 0.05
_LONGEST_MS = 60_000
_FENCED = (
    KafkaError._FENCED,
    KafkaError.INVALID_PRODUCER_EPOCH,
    KafkaError.PRODUCER_FENCED,
    KafkaError.INVALID_PRODUCER_ID_MAPPING,
)
_SETTINGS: Mapping[str, object] = {"partitioner": "murmur2_random", "enable.idempotence": True, "linger.ms": 1}


class Output:
    """A producer with a transactional id; what is written `at_once` goes by another, which waits for no commit."""

    def __init__(
        self, address: str, kafka: Mapping[str, str] | None, app: str, name: str, *, commit_ms: int, at_once: bool
    ) -> None:
        self._address, self._app, self._name = address, app, name
        settings = {**_SETTINGS, "transactional.id": name, "transaction.timeout.ms": _LONGEST_MS + commit_ms}
        self._producer, self._troubles = make_client(Producer, address, kafka, settings)
        self._plain = make_client(Producer, address, kafka, _SETTINGS)[0] if at_once else None
        self._open = False
        self._refused: HeadraceError | None = None

    def fence(self) -> None:
        """Take over from whoever writes under this name, once what was left open is decided."""
        self._asking(self._producer.init_transactions, _FENCED_S)

    def write(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        ts: int,
        headers: Sequence[Header],
        partition: int | None,
    ) -> None:
        """Write an output: to that partition, or to that of its key."""
        if self._plain is None:
            self._begin()
        self._produce(self._plain or self._producer, topic, key, value, ts, headers, partition)

    def log(self, topic: str, key: bytes, value: bytes | None, partition: int) -> None:
        """Write a change of state, which counts once it is committed."""
        self._begin()
        self._produce(self._producer, topic, key, value, int(time.time() * 1000), (), partition)

    def commit(self, positions: Mapping[tuple[str, int], int], group: object) -> None:
        """Commit all that was written, and that the records before these positions are done."""
        if self._plain is not None:
            self._plain.flush(_ANSWER_S)
            self._check()
        self._begin()
        places = [TopicPartition(topic, number, offset) for (topic, number), offset in positions.items()]
        self._asking(lambda left: self._producer.send_offsets_to_transaction(places, group, left))
        self._asking(self._producer.commit_transaction)
        self._open = False
        self._check()

    def check(self) -> None:
        """Hear what has become of records that are on their way; raises if one was refused."""
        (self._plain or self._producer).poll(0)
        self._check()

    def abort(self) -> None:
        """What was not committed never was."""
        if self._open:
            self._open = False
            try:
                self._producer.abort_transaction(_ANSWER_S)
            except KafkaException:  # the next one of this name does it
                return

    def _begin(self) -> None:
        if not self._open:
            self._asking(lambda _: self._producer.begin_transaction())
            self._open = True

    def _produce(
        self,
        producer: Producer,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        ts: int,
        headers: Sequence[Header],
        partition: int | None,
    ) -> None:
        number = _ANY_PARTITION if partition is None else partition
        while True:
            try:
                producer.produce(
                    topic,
                    value,
                    key,
                    number,
                    on_delivery=self._delivered,
                    timestamp=possible_time(ts),
                    headers=list(headers),
                )
            except BufferError:
                producer.poll(_POLL_S)
                self._check()
            except KafkaException as exc:
                raise self._said(exc.args[0], topic) from exc
            else:
                return

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None and self._refused is None and error.code() != KafkaError._PURGE_QUEUE:
            self._refused = self._said(error, str(message.topic()))

    def _check(self) -> None:
        if self._refused is not None:
            raise self._refused

    def _asking(self, ask: Callable[[float], Any], patience_s: float = _ANSWER_S) -> None:
        """Ask the coordinator of transactions, again if it could not answer.

        Not for long: after a broker was away the client may wait for ever, where a new one goes on at once.
        """
        deadline = time.monotonic() + patience_s
        while True:
            try:
                ask(max(deadline - time.monotonic(), _POLL_S))
                return
            except KafkaException as exc:
                error: KafkaError = exc.args[0]
                self._check()
                if not error.retriable() or time.monotonic() > deadline:
                    raise self._said(error) from exc
                time.sleep(_POLL_S)

    def _said(self, error: KafkaError, topic: str | None = None) -> HeadraceError:
        code = error.code()
        if code in _FENCED:
            return TakenOver(self._app, self._address)
        if code == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            return NotAllowed([f"Write on transactional-id {self._name!r}"])
        if code == KafkaError.TOPIC_AUTHORIZATION_FAILED and topic is not None:
            return NotAllowed([f"Write on topic {topic!r}"])
        if topic is not None and code not in (KafkaError._MSG_TIMED_OUT, KafkaError._TIMED_OUT):
            return RecordRefused(topic, reason_of(error))
        return BrokerLost(self._address, reason_of(error))
