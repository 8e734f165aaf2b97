"""The ways through a function that asks for conditions: it is called once for each, and they are one expression.

A condition of symbols has no answer while a topology is declared. So a call is told True for each that it asks, and
what it asked is noted; the next call has the last of them answered the other way, until all ways have been tried.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from headrace.expr.choices import choice
from headrace.expr.tree import Tree

MOST_WAYS = 64
"""How many ways through a function are tried."""

_MOST_QUESTIONS = 48


class ValueNeeded(BaseException):
    """Python asked an expression for its value while there is none.

    Not an `Exception`: a user's `except Exception` must not turn the question into an answer.
    """


class Way:
    """Way through a function: one call with symbols, what it computes, and how its conditions are answered."""

    def __init__(self, answers: tuple[tuple[str, bool], ...] = (), *, asking: bool = True) -> None:
        self.computed: list[Tree] = []
        """Everything that was computed with symbols."""
        self.used: list[Tree] = []
        """What of it decided something, or was called."""
        self.conditions: list[tuple[Tree, bool]] = []
        self.helped = False
        """Whether something was understood that Python alone would have computed now."""
        self.asking = asking
        """Whether conditions may be asked for; else Python needs the value."""
        self._answers = answers
        self._known: dict[str, bool] = {}

    def answer(self, condition: Tree) -> bool:
        """The answer to a condition on this way."""
        self.helped = True
        self.used.append(condition)
        text = repr(condition)
        if text in self._known:
            return self._known[text]
        at = len(self.conditions)
        if at >= _MOST_QUESTIONS:
            raise ValueNeeded("it asks for too many conditions, one behind the other")
        if at < len(self._answers) and self._answers[at][0] != text:
            raise ValueNeeded("it does not compute the same each time that it is called")
        found = self._answers[at][1] if at < len(self._answers) else True
        self._known[text] = found
        self.conditions.append((condition, found))
        return found

    def next(self) -> Way | None:
        """The way that turns off last from this one; None if all have been tried."""
        answers = [(repr(condition), found) for condition, found in self.conditions]
        while answers and not answers[-1][1]:
            answers.pop()
        if not answers:
            return None
        *before, (last, _) = answers
        return Way((*before, (last, False)))


def joined(ways: list[tuple[Way, Tree]], depth: int = 0) -> Tree:
    """The results of all ways as one expression."""
    first, result = ways[0]
    if depth == len(first.conditions):
        return result
    yes = [(way, tree) for way, tree in ways if way.conditions[depth][1]]
    no = [(way, tree) for way, tree in ways if not way.conditions[depth][1]]
    return choice(first.conditions[depth][0], joined(yes, depth + 1), joined(no, depth + 1))


def all_ways(take: Callable[[Way], Tree], *, asking: bool) -> tuple[Tree, bool]:
    """Call a function for each way through it: its expression, and whether Python alone would not have told."""
    way: Way | None = Way(asking=asking)
    taken: list[tuple[Way, Tree]] = []
    while way is not None:
        taken.append((way, take(way)))
        if len(taken) > MOST_WAYS:
            raise ValueNeeded(f"there are more than {MOST_WAYS} ways through it: make several operators of it")
        way = way.next()
    return joined(taken), any(way.helped for way, _ in taken)


walking: ContextVar[Way | None] = ContextVar("walking", default=None)
"""The way of a user's function that is being called with symbols."""
