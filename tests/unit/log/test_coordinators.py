"""Groups are asked again while a broker has yet to become their coordinator, as on a cluster without any group."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from headrace.log.groups import patiently


@pytest.mark.parametrize(
    "code", [KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE, KafkaError.COORDINATOR_LOAD_IN_PROGRESS]
)
def test_a_coordinator_that_is_yet_to_be_is_waited_for(code: int) -> None:
    answers = iter([KafkaException(KafkaError(code)), KafkaException(KafkaError(code)), "positions"])

    def ask() -> object:
        answer = next(answers)
        if isinstance(answer, KafkaException):
            raise answer
        return answer

    assert patiently(ask) == "positions"


def test_what_a_coordinator_refuses_is_not_asked_again() -> None:
    asked = []

    def ask() -> None:
        asked.append(1)
        raise KafkaException(KafkaError(KafkaError.GROUP_ID_NOT_FOUND))

    with pytest.raises(KafkaException):
        patiently(ask)
    assert asked == [1]
