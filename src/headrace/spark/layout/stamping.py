"""Sources whose timestamps need a stage: those that look back, and those that functions in Python find."""

from __future__ import annotations

from headrace.expr import Bound
from headrace.expr.bound import Input
from headrace.plan.nodes import Source, Times
from headrace.spark.layout.placement import Placement
from headrace.spark.layout.reasons import stamps_in_python

_PARTITION_TIME = "partition_time"


def remembering(placement: Placement) -> list[Source]:
    """The sources whose times depend on those of the records before, so that a stage has to remember them.

    And those whose times are found by functions, where it is read what these fail on: a stage goes on with the next.
    """
    failing = placement.reading_failures.keys() - placement.python.keys()
    return [
        one
        for one in placement.plan.of(Source)
        if not stamps_in_python(one)
        and (looks_back(one.timestamp) or (isinstance(one.timestamp, Bound) and one in failing))
    ]


def stamped_in_python(placement: Placement) -> list[Source]:
    """The sources whose times are found by functions in Python, or in values that only Python can read."""
    computed = (one for one in placement.plan.of(Source) if isinstance(one.timestamp, Bound))
    return [
        one
        for one in computed
        if stamps_in_python(one) or (one in placement.python and one not in remembering(placement))
    ]


def looks_back(time: Times | Bound) -> bool:
    """Whether a timestamp depends on those of records before."""
    if isinstance(time, Bound):
        return (isinstance(time, Input) and time.name == _PARTITION_TIME) or any(map(looks_back, time.parts))
    return time is Times.PARTITION_TIME
