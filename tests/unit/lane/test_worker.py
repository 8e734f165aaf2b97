"""What a Python process answers when the sink asks it."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import cloudpickle

from headrace.lane.frames import Channel, Writer
from headrace.lane.shown import Shown
from headrace.lane.worker import Worker


def answer_of(function: Any) -> tuple[str, str]:
    """The kind of the answer, and its text."""
    sent, got = BytesIO(), BytesIO()
    refused = Writer().part(cloudpickle.dumps(function)).part(b"v").text("out").text("RecordRefused").text("too large")
    Channel(BytesIO(), sent).send("H", refused.take())
    Worker(Channel(BytesIO(sent.getvalue()), got), Shown()).run()
    received = Channel(BytesIO(got.getvalue()), BytesIO()).receive()
    assert received is not None
    kind, text = received
    return kind, text.text()


def test_a_function_says_what_becomes_of_a_record_that_is_refused() -> None:
    assert answer_of(lambda failure: f"{failure.node} {failure.error} {failure.message}") == (
        "A",
        "out RecordRefused too large",
    )


def test_one_that_fails_is_named() -> None:
    kind, told = answer_of(lambda failure: failure.value + 1)
    assert kind == "F"
    assert json.loads(told)["reason"] == (
        "the function of on_error (topic 'out') failed on a record: TypeError: can't concat int to bytes"
    )
