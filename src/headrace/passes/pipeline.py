"""Logical passes, in their order: the road from the declared plan to the one that executors run.

Passes that lay a plan out in stages of Spark follow in `spark/layout/stage_passes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from headrace.errors import OptionInvalid
from headrace.passes.connect_stores import connect_stores
from headrace.passes.handle_failures import handle_failures
from headrace.passes.merge_repartitions import merge_repartitions
from headrace.passes.place_repartitions import place_repartitions
from headrace.passes.run_beside import run_beside
from headrace.passes.self_joins import self_joins
from headrace.passes.write_changelogs import write_changelogs
from headrace.plan.graph import Plan

Pass = Callable[[Plan], Plan]

LOGICAL: tuple[Pass, ...] = (
    connect_stores,
    handle_failures,
    run_beside,
    place_repartitions,
    merge_repartitions,
    self_joins,
    write_changelogs,
)


def rewrite(plan: Plan, *, last: Pass = LOGICAL[-1]) -> Plan:
    """The plan after the logical passes, up to and with `last`: same answers, ready to be split and placed."""
    for rewrite_once in LOGICAL[: LOGICAL.index(last) + 1]:
        plan = rewrite_once(plan)
    return plan


def each(plan: Plan, passes: Sequence[Pass]) -> Iterator[tuple[str, Plan, Plan]]:
    """The name of each pass, with the plan before and after it."""
    for rewrite_once in passes:
        before, plan = plan, rewrite_once(plan)
        yield rewrite_once.__name__, before, plan


def pass_named(name: str, passes: Sequence[Pass], here: str) -> Pass:
    """The pass of a name."""
    for one in passes:
        if one.__name__ == name:
            return one
    raise OptionInvalid("after", name, "one of " + ", ".join(one.__name__ for one in passes), here)
