"""ACLs that an application needs on its broker: as few as its plan allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from headrace.engine.changelogs import state_topic
from headrace.log.acls import ALL, Acl
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, Source, To
from headrace.query.catalogue import servers_topic

_OWN = ("Create", "DescribeConfigs")
"""What is needed beside, for topics that the application makes by itself."""

_LETTERS = re.compile(r"(?:[\w-]|\\[.-])(?![*+?{])", re.ASCII)
_GROUPED = re.compile(r"\\.|\[[^\]]*\]|\([^()]*\)")


def acls_of(
    plan: Plan,
    *,
    transactions: bool,
    state: bool = False,
    asked: bool = False,
    served: bool = False,
    made_anew: bool = False,
) -> list[Acl]:
    """The rights, each of which is needed; Describe is in all of them.

    Positions are written for a group of the application's name. With transactions, each task of the sink has a name,
    which is that of its group too, and writes there for a topic that is read anyway. With `asked` its stores are read
    again to be answered for; with `served` instances tell one another what they hold. With `made_anew` its changelogs
    may be, as `reset` and `rescale` do it: an application that runs deletes nothing.
    """
    queries = _queries(plan, served=served) if asked else ()
    deleted = [Acl("Delete", "topic", str(one.topic)) for one in plan.of(Changelog)] if made_anew else ()
    kept = list(_state(plan.app, made_anew=made_anew)) if state else ()
    return list(dict.fromkeys([*_all(plan, transactions=transactions), *kept, *queries, *deleted]))


def topics_by_records(plan: Plan) -> list[str]:
    """The operators that write to topics which only their records name: nobody knows these in advance."""
    return [f"{to.name} ({to.origin})" for to in plan.of(To) if not isinstance(to.topic, str)]


def _all(plan: Plan, *, transactions: bool) -> Iterator[Acl]:
    for source in plan.of(Source):
        yield from (Acl("Read", "topic", topic) for topic in source.topics)
        if source.pattern:
            begin = beginning(source.pattern)
            yield Acl("Read", "topic", begin, prefixed=True) if begin else Acl("Read", "topic", ALL)
    written = [to.topic for to in plan.of(To)]
    yield from (Acl("Write", "topic", topic) for topic in written if isinstance(topic, str))
    for changelog in plan.of(Changelog):
        yield from (Acl(operation, "topic", str(changelog.topic)) for operation in _OWN)
    yield Acl("Read", "group", plan.app)
    if transactions and written:
        tasks = f"{plan.app}-sink-"
        yield Acl("Read", "group", tasks, prefixed=True)
        yield Acl("Write", "transactional-id", tasks, prefixed=True)


def _state(app: str, *, made_anew: bool) -> Iterator[Acl]:
    """For the topic that holds the state of an application, where its engine keeps it there."""
    operations = ("Read", "Write", *_OWN, *(("Delete",) if made_anew else ()))
    yield from (Acl(operation, "topic", state_topic(app)) for operation in operations)


def _queries(plan: Plan, *, served: bool) -> Iterator[Acl]:
    changelogs = plan.of(Changelog)
    yield from (Acl("Read", "topic", str(changelog.topic)) for changelog in changelogs)
    if changelogs and served:
        yield from (Acl(operation, "topic", servers_topic(plan.app)) for operation in ("Read", "Write", "Create"))


def beginning(pattern: str) -> str:
    """The letters that every text begins with which matches a regular expression.

    >>> beginning("orders-[a-z]+"), beginning(r"shop\\.eu.*"), beginning("a|b")
    ('orders-', 'shop.eu', '')
    """
    flat, inner = pattern, ""
    while flat != inner:  # groups inside groups
        flat, inner = _GROUPED.sub("", flat), flat
    if "|" in flat:
        return ""
    letters = ""
    while found := _LETTERS.match(pattern):
        letters += found[0].removeprefix("\\")
        pattern = pattern[found.end() :]
    return letters
