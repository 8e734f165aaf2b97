"""The contracts of stores, asked through a processor: each record is a command, and its answer is sent on."""

from collections.abc import Iterable
from typing import Any

import headrace as hr
from cases.table import Case, every, put, texts
from headrace.dsl import Builder

TEXTS: dict[str, Any] = {"key": hr.STRING, "value": hr.STRING}


def commands(store: hr.stores.Store[Any]) -> Any:
    """A topology that does with the store what the values of records say: `put a 1`, `range a -`."""

    def answer(record: hr.Record, context: hr.ProcessorContext) -> hr.Record:
        verb, *words = record.value.split()
        return record.with_value(shown(getattr(context.store(store), verb)(*map(argument, words))))

    def topology(app: Builder) -> None:
        texts(app).process(answer, stores=(store,), key=hr.STRING, value=hr.STRING).to("out")

    return topology


def argument(word: str) -> Any:
    """`-` is None, digits are numbers, `a@3` a value with its time, `a@0/5` a session, all else is text."""
    inner, _, times = word.partition("@")
    if "/" in times:
        start, end = times.split("/")
        return hr.Windowed(inner, int(start), int(end))
    if times:
        return hr.stores.Timestamped(inner, int(times))
    return None if word == "-" else int(word) if word.isdigit() else word


def shown(answer: Any) -> str:
    if isinstance(answer, hr.stores.VersionPut):
        return "refused" if answer.refused else f"until {answer.valid_to}"
    if isinstance(answer, hr.stores.Version):
        return f"{answer.value} from {answer.ts} until {answer.valid_to}"
    if isinstance(answer, hr.stores.Timestamped):
        return f"{answer.value}@{answer.ts}"
    if isinstance(answer, Iterable) and not isinstance(answer, str):
        return " ".join(f"{key}={shown(value)}" for key, value in answer)
    return str(answer)


def case(title: str, store: hr.stores.Store[Any], *dialogue: tuple[str, str]) -> Case:
    asked = put("in", *(("k", command) for command, _ in dialogue))
    return Case(title, commands(store), asked, every("out", *(("k", answer) for _, answer in dialogue)))


WINDOWS = hr.stores.window("w", **TEXTS, size="10ms", retention="100ms")
PUT = ("a@0/5", "a@3/5", "b@1/5", "b@0/2", "a@10/20", "c@2/20")
SESSIONS = hr.stores.session("s", **TEXTS, retention="100ms")

CASES = [
    case(
        "key-value store: get put delete",
        hr.stores.key_value("kv", **TEXTS),
        ("get a", "None"),
        ("put a x", "None"),
        ("get a", "x"),
        ("put_if_absent a y", "x"),
        ("put_if_absent b y", "None"),
        ("put_if_absent c -", "None"),
        ("get b", "y"),
        ("delete b", "y"),
        ("delete b", "None"),
        ("put a -", "None"),
        ("get a", "None"),
        ("approximate_num_entries", "0"),
    ),
    case(
        "key-value store: ranges go by the bytes of keys",
        hr.stores.key_value("kv", **TEXTS),
        *((f"put {key} {key}1", "None") for key in ("b", "a", "ab", "c", "é", "B")),
        ("all", "B=B1 a=a1 ab=ab1 b=b1 c=c1 é=é1"),
        ("reverse_all", "é=é1 c=c1 b=b1 ab=ab1 a=a1 B=B1"),
        ("range a b", "a=a1 ab=ab1 b=b1"),
        ("reverse_range a b", "b=b1 ab=ab1 a=a1"),
        ("range b a", ""),
        ("range - b", "B=B1 a=a1 ab=ab1 b=b1"),
        ("range b -", "b=b1 c=c1 é=é1"),
        ("reverse_range - b", "b=b1 ab=ab1 a=a1 B=B1"),
        ("prefix_scan a", "a=a1 ab=ab1"),
        ("prefix_scan x", ""),
        ("approximate_num_entries", "6"),
        ("delete ab", "ab1"),
        ("put aa aa1", "None"),
        ("range a b", "a=a1 aa=aa1 b=b1"),
    ),
    case(
        "timestamped key-value store: values have times",
        hr.stores.timestamped_key_value("kv", **TEXTS),
        ("put a x@5", "None"),
        ("put_if_absent a y@6", "x@5"),
        ("put b y@2", "None"),
        ("all", "a=x@5 b=y@2"),
        ("delete a", "x@5"),
        ("get a", "None"),
    ),
    case(
        "versioned store: what a key was and until when",
        hr.stores.versioned("v", **TEXTS, history="100ms"),
        ("put a 10v 10", "until None"),
        ("put a 30v 30", "until None"),
        ("put a 20v 20", "until 30"),
        ("put a 20w 20", "until 30"),
        ("get a", "30v from 30 until None"),
        ("get a 25", "20w from 20 until 30"),
        ("get a 9", "None"),
        ("delete a 25", "20w from 20 until 30"),
        ("get a 27", "None"),
        ("get a 22", "20w from 20 until 25"),
        ("delete a 40", "30v from 30 until None"),
        ("get a", "None"),
        ("get a 35", "30v from 30 until 40"),
        ("delete q 40", "None"),
        ("put b - 50", "until None"),
        ("put b 45v 45", "until 50"),
        ("get b", "None"),
        ("get b 47", "45v from 45 until 50"),
    ),
    case(
        "versioned store: what is older than the history is refused and forgotten",
        hr.stores.versioned("v", **TEXTS, history="100ms"),
        ("put c x 150", "until None"),
        ("put z x 200", "until None"),
        ("put a x 99", "refused"),
        ("put a x 100", "until None"),
        ("delete a 50", "None"),
        ("get a 99", "None"),
        ("get a 100", "x from 100 until None"),
        ("put z x 900", "until None"),
        ("get c", "x from 150 until None"),
        ("get c 160", "x from 150 until None"),
        ("put n x 799", "refused"),
    ),
    case(
        "window store: by key and by range of keys and times",
        WINDOWS,
        *((f"put {k} {k}{t} {t}", "None") for k, t in (("b", 5), ("a", 5), ("a", 20), ("ab", 7), ("c", 90), ("a", 0))),
        ("all", "a@0/10=a0 a@5/15=a5 b@5/15=b5 ab@7/17=ab7 a@20/30=a20 c@90/100=c90"),
        ("backward_all", "c@90/100=c90 a@20/30=a20 ab@7/17=ab7 b@5/15=b5 a@5/15=a5 a@0/10=a0"),
        ("fetch_all 5 20", "a@5/15=a5 b@5/15=b5 ab@7/17=ab7 a@20/30=a20"),
        ("backward_fetch_all 5 20", "a@20/30=a20 ab@7/17=ab7 b@5/15=b5 a@5/15=a5"),
        ("fetch a 0 20", "0=a0 5=a5 20=a20"),
        ("backward_fetch a 0 20", "20=a20 5=a5 0=a0"),
        ("fetch a 20 0", ""),
        ("fetch_range a b 0 20", "a@0/10=a0 a@5/15=a5 b@5/15=b5 ab@7/17=ab7 a@20/30=a20"),
        ("backward_fetch_range a b 0 20", "a@20/30=a20 ab@7/17=ab7 b@5/15=b5 a@5/15=a5 a@0/10=a0"),
        ("fetch_range - ab 0 100", "a@0/10=a0 a@5/15=a5 ab@7/17=ab7 a@20/30=a20"),
        ("fetch_range ab - 0 100", "b@5/15=b5 ab@7/17=ab7 c@90/100=c90"),
        ("fetch_range b a 0 100", ""),
        ("fetch a 20", "a20"),
        ("fetch a 21", "None"),
        ("put a - 20", "None"),
        ("fetch a 20", "None"),
    ),
    case(
        "window store: what is too old is gone and cannot be put",
        WINDOWS,
        ("put b x 5", "None"),
        ("put ab y 7", "None"),
        ("put z z 105", "None"),
        ("all", "ab@7/17=y z@105/115=z"),
        ("fetch b 5", "None"),
        ("put late x 5", "None"),
        ("put late y 6", "None"),
        ("all", "late@6/16=y ab@7/17=y z@105/115=z"),
        ("put zz - 300", "None"),
        ("all", ""),
    ),
    case(
        "window store: duplicates are kept in order",
        hr.stores.window("w", **TEXTS, size="10ms", retention="100ms", duplicates=True),
        ("put a x 5", "None"),
        ("put b q 5", "None"),
        ("put a y 5", "None"),
        ("put a - 5", "None"),
        ("put a z 7", "None"),
        ("put a x 5", "None"),
        ("fetch a 0 10", "5=x 5=y 5=x 7=z"),
        ("fetch a 5", "x"),
        ("all", "a@5/15=x a@5/15=y a@5/15=x b@5/15=q a@7/17=z"),
    ),
    case(
        "timestamped window store: values have times",
        hr.stores.timestamped_window("w", **TEXTS, size="10ms", retention="100ms"),
        ("put a x@7 5", "None"),
        ("fetch a 5", "x@7"),
        ("all", "a@5/15=x@7"),
    ),
    case(
        "session store: by key by range of keys and by end",
        SESSIONS,
        *(
            (f"put {s} {s[0]}{n}", "None")
            for n, s in enumerate(("a@0/5", "a@3/5", "b@1/5", "b@0/2", "a@10/20", "c@2/20"))
        ),
        ("fetch a", "a@0/5=a0 a@3/5=a1 a@10/20=a4"),
        ("backward_fetch a", "a@10/20=a4 a@3/5=a1 a@0/5=a0"),
        ("fetch_range a b", "b@0/2=b3 a@0/5=a0 b@1/5=b2 a@3/5=a1 a@10/20=a4"),
        ("backward_fetch_range a b", "a@10/20=a4 a@3/5=a1 b@1/5=b2 a@0/5=a0 b@0/2=b3"),
        ("fetch_range - a", "a@0/5=a0 a@3/5=a1 a@10/20=a4"),
        ("fetch_range b -", "b@0/2=b3 b@1/5=b2 c@2/20=c5"),
        ("fetch_range b a", ""),
        ("find_sessions a 5 3", "a@0/5=a0 a@3/5=a1"),
        ("backward_find_sessions a 5 3", "a@3/5=a1 a@0/5=a0"),
        ("find_sessions a 6 100", "a@10/20=a4"),
        ("find_sessions_range a b 5 2", "a@0/5=a0 b@1/5=b2"),
        ("backward_find_sessions_range a b 5 2", "b@1/5=b2 a@0/5=a0"),
        ("find_sessions_ended 5 9", "a@0/5=a0 b@1/5=b2 a@3/5=a1"),
        ("fetch_session a 3 5", "a1"),
        ("fetch_session a 3 6", "None"),
        ("remove a@3/5", "None"),
        ("put b@1/5 -", "None"),
        ("fetch_range a b", "b@0/2=b3 a@0/5=a0 a@10/20=a4"),
    ),
    case(
        "session store: what is too old is gone and cannot be put",
        SESSIONS,
        ("put a@0/5 x", "None"),
        ("put z@104/104 z", "None"),
        ("fetch a", "a@0/5=x"),
        ("put z@105/105 z", "None"),
        ("fetch a", ""),
        ("fetch_session a 0 5", "None"),
        ("put q@1/5 q", "None"),
        ("fetch q", ""),
        ("put q@1/6 q", "None"),
        ("fetch q", "q@1/6=q"),
    ),
]
