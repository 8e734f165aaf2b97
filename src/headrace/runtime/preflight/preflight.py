"""Preflight of a start: everything that can refuse it, what is quickest to fail first."""

from __future__ import annotations

from headrace.engine.port import Engine, EngineSpec, Prepared
from headrace.errors import NotAllowed
from headrace.log.acls import Rights
from headrace.log.properties import refuse_ours
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.runtime.life.machine import refuse_few_descriptors
from headrace.runtime.preflight.acls import acls_of
from headrace.runtime.preflight.topics import ensure_topics, refuse_overlaps

_OPEN = "PLAINTEXT"


def preflight_here(plan: Plan, engine: Engine, spec: EngineSpec) -> str | None:
    """Refuse what shows on this machine alone; a line to say of what the engine runs how."""
    refuse_ours(spec.kafka)
    refuse_few_descriptors()
    return engine.refuse(plan)


def preflight(plan: Plan, engine: Engine, spec: EngineSpec, topics: Topics, *, asked: bool, served: bool) -> Prepared:
    """Refuse what shows on the broker, and what the engine cannot go on with; what it will run."""
    topics.check()
    _refuse_what_is_not_allowed(plan, engine, spec, topics.address, asked=asked, served=served)
    ensure_topics(plan, topics, spec.letters, create=spec.embedded, say=spec.say)
    refuse_overlaps(plan, topics)
    return engine.prepare(plan, topics)


def _refuse_what_is_not_allowed(
    plan: Plan, engine: Engine, spec: EngineSpec, address: str, *, asked: bool, served: bool
) -> None:
    """Say at once all that is missing, where a broker knows who asks: else it shows later, piece by piece."""
    if spec.kafka.get("security.protocol", _OPEN).upper() != _OPEN:
        facts = {"transactions": engine.transactions, "state": engine.state_in_kafka}
        needed = acls_of(plan, **facts, asked=asked, served=served)
        lacking = Rights(address, spec.kafka).lacking(needed)
        if lacking:
            raise NotAllowed([str(acl) for acl in lacking])
