"""An application whose start is measured: a word count in Spark, or with a function that runs in Python processes."""

from __future__ import annotations

import json
import os
import time

import headrace as hr
from headrace.observe.metrics import Metrics
from headrace.runtime.life.states import State

_SOURCE, _TARGET = os.environ["START_SOURCE"], os.environ["START_TARGET"]


def _words(line: str) -> list[str]:
    words = []
    while line:
        word, _, line = line.partition(" ")
        words.append(word)
    return words


app = hr.App(
    os.environ["START_APP"],
    broker=os.environ["START_BROKER"],
    checkpoint=os.environ["START_FOLDER"],
    serve="127.0.0.1:0",
)
lines = app.stream(_SOURCE, value=hr.STRING)
if os.environ["START_LANE"] == "python":
    words = lines.flat_map_values(_words)
else:
    words = lines.flat_map_values(lambda line: line.lower().split())
counts = words.group_by(lambda _, word: word).count(store="counts")
counts.to_stream().to(_TARGET, value=hr.INT64)


def _tell(mark: str) -> None:
    print(json.dumps({"mark": mark, "at": time.time()}), flush=True)


def _turned(_: State, state: State) -> None:
    if state is State.RUNNING:
        _tell("running")


def _done(_: Metrics) -> None:
    _tell("batch")


app.on_state(_turned)
app.on_batch(_done)
