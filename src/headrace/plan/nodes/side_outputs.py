"""Side outputs of operators: late, failed, expired and stored records as streams of their own."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.model.failure import Failure
from headrace.model.types import JSON, OBJECT, STR, StructField, Type, optional_of, struct_of
from headrace.plan.nodes.base import Node, NodeFacts, SideOutput
from headrace.plan.nodes.source import Source
from headrace.plan.schema import Field, Schema
from headrace.serde import BYTES
from headrace.serde.json.writing import is_writable


@dataclass(frozen=True, kw_only=True, eq=False)
class SideOutputNode(Node):
    """Side output of operators; a plan holds one of the kinds below. It gets no results of the operators."""

    of: tuple[Node, ...]
    """Operators that the side output is of: one, or the parts of one."""

    def left_out(self) -> Schema:
        """The types of what comes to the operators, as far as all of it has the same."""
        given = [schema for operator in self.of for schema in operator.given()]
        return Schema(_common([one.key for one in given]), _common([one.value for one in given]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Late(SideOutputNode):
    """The records that an operator dropped because they came too late, as they were."""

    op = "late"
    facts = NodeFacts(side_output=SideOutput.LATE)

    def output(self) -> Schema:
        return self.left_out()


@dataclass(frozen=True, kw_only=True, eq=False)
class Errors(SideOutputNode):
    """The records that an operator failed on, with what failed: they do not stop the application.

    Of a source, these are the records whose bytes do not fit its serdes, in bytes.
    """

    op = "errors"
    facts = NodeFacts(side_output=SideOutput.FAILED)

    def failing(self) -> Schema:
        """The types of the records that fail."""
        return UNDECODED if isinstance(self.of[0], Source) else self.left_out()

    def output(self) -> Schema:
        given = self.failing()
        return Schema(given.key, Field(failure_of(given.value.type)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Skipped(Errors):
    """The records that an operator failed on, where nobody wants to see them: they are counted."""

    op = "skipped"
    facts = NodeFacts(side_output=SideOutput.FAILED, ends=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Expired(SideOutputNode):
    """The windows that an aggregation has forgotten, each with its last value, when they fall out of the store."""

    op = "expired"
    facts = NodeFacts(side_output=SideOutput.EXPIRED)

    def output(self) -> Schema:
        return self.of[0].output()


UNDECODED = Schema(Field.of(BYTES), Field.of(BYTES))
"""What lies in a topic."""


def failure_of(value: Type) -> Type:
    """The type of a `Failure` on values of a type; where JSON cannot say them, it tries what they are."""
    kept = value if is_writable(value) else JSON
    types = {"value": optional_of(kept), "node": STR, "error": STR, "message": STR, "origin": optional_of(STR)}
    fields = tuple(StructField(name, type_, True) for name, type_ in types.items())
    return struct_of(f"Failure[{value}]", fields, Failure, keyed=False)


def _common(found: list[Field]) -> Field:
    first = found[0]
    if all(one == first for one in found):
        return first
    return Field(first.type if all(one.type == first.type for one in found) else OBJECT)
