"""Sending each record of a stream one of several ways."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.plan.nodes.base import Unary


@dataclass(frozen=True, kw_only=True, eq=False)
class Split(Unary):
    """The predicates of all branches, tried in order; the first that is true takes the record.

    A record that no predicate takes goes to the default branch, or nowhere if there is none.
    """

    predicates: tuple[Bound, ...]

    op = "split"

    def detail(self) -> str:
        return " | ".join(str(predicate) for predicate in self.predicates)


@dataclass(frozen=True, kw_only=True, eq=False)
class Branch(Unary):
    """The records of one branch of a `Split`: those of its n-th predicate, or of none for the default."""

    upstream: Split
    position: int

    op = "branch"

    @property
    def default(self) -> bool:
        """Whether this is the branch of what no predicate took."""
        return self.position == len(self.upstream.predicates)

    def detail(self) -> str:
        return "all others" if self.default else str(self.upstream.predicates[self.position])
