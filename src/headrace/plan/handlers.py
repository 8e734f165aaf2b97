"""Handlers of failed records, of an application and of single operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from headrace.model.failure import Failure

Question = Callable[[Failure[Any]], str]
"""A function that says what to do with a record that fails."""

Handler = str | Question
"""What to do with a record that fails: "fail", "skip", "dead_letter", or a function that says so of each failure."""

FAIL, SKIP, DEAD_LETTER = ANSWERS = ("fail", "skip", "dead_letter")


def dead_letters_of(app: str) -> str:
    """The topic of an application's dead letters."""
    return f"{app}-dead-letters"


@dataclass(frozen=True)
class Handlers:
    """Handlers of one application: the usual one, and those of operators, by the names of their nodes."""

    usual: Handler = FAIL
    own: Mapping[str, Handler] = field(default_factory=dict)


NO_HANDLERS = Handlers()


@dataclass(frozen=True)
class Asked:
    """The answer of a user's function to a failure, checked."""

    handler: Question

    def __call__(self, failure: Failure[Any]) -> str:
        answer = self.handler(failure)
        if answer not in ANSWERS:
            raise TypeError(f"on_error gave {answer!r}, it has to give one of {', '.join(map(repr, ANSWERS))}")
        return answer
