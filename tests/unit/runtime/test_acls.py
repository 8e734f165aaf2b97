"""What an application must be allowed, by its plan."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.acls import Acl
from headrace.passes.pipeline import rewrite
from headrace.runtime.preflight.acls import acls_of, beginning, topics_by_records

SINK = ["Read on group names that begin with 'shop-sink-'"]
SINK += ["Write on transactional id names that begin with 'shop-sink-'"]


def shop(tmp_path: Path, **options: str) -> hr.App:
    return hr.App("shop", checkpoint=tmp_path, **options)  # type: ignore[arg-type]


def needed(app: hr.App, *, transactions: bool = True) -> list[str]:
    return [str(acl) for acl in acls_of(rewrite(app.plan()), transactions=transactions)]


def test_topics_are_read_or_written_and_the_tasks_of_the_sink_have_names(tmp_path: Path) -> None:
    app = shop(tmp_path)
    app.stream(["a", "b"]).to("out")
    app.stream("c").to("out")
    read = ["Read on topic 'a'", "Read on topic 'b'", "Read on topic 'c'"]
    assert needed(app) == [*read, "Write on topic 'out'", "Read on group 'shop'", *SINK]
    assert needed(app, transactions=False) == [*read, "Write on topic 'out'", "Read on group 'shop'"]


def test_a_topic_that_is_read_and_written_is_there_twice(tmp_path: Path) -> None:
    app = shop(tmp_path)
    app.stream("a").filter(lambda _, value: value is None).to("a")
    assert needed(app)[:2] == ["Read on topic 'a'", "Write on topic 'a'"]


def test_inside_an_application_only_changelogs_go_through_topics(tmp_path: Path) -> None:
    app = shop(tmp_path)
    words = app.stream("lines", value=hr.STRING).flat_map_values(lambda line: line.split())
    words.group_by(lambda _, word: word).count(store="n").to_stream().to("counts")
    assert needed(app) == [
        "Read on topic 'lines'",
        "Write on topic 'counts'",
        *(f"{one} on topic 'shop-n-changelog'" for one in ("Write", "Create", "DescribeConfigs")),
        "Read on group 'shop'",
        *SINK,
    ]
    asked = [str(acl) for acl in acls_of(rewrite(app.plan()), transactions=False, asked=True, served=True)]
    assert asked[-4:] == [
        "Read on topic 'shop-n-changelog'",
        *(f"{one} on topic 'shop-query-servers'" for one in ("Read", "Write", "Create")),
    ]
    made_anew = acls_of(rewrite(app.plan()), transactions=True, made_anew=True)
    assert [str(acl) for acl in made_anew] == [*needed(app), "Delete on topic 'shop-n-changelog'"]
    kept = acls_of(rewrite(app.plan()), transactions=True, state=True, made_anew=True)
    state = [str(acl) for acl in kept if acl not in made_anew]
    assert state == [f"{one} on topic 'shop-state'" for one in ("Read", "Write", "Create", "DescribeConfigs", "Delete")]
    app.queryable = False
    assert needed(app) == ["Read on topic 'lines'", "Write on topic 'counts'", "Read on group 'shop'", *SINK]


def test_dead_letters_are_written(tmp_path: Path) -> None:
    app = shop(tmp_path, on_error="dead_letter")
    app.stream("a", value=hr.INT64).map_values(lambda value: 1 // value).to("out")
    assert "Write on topic 'shop-dead-letters'" in needed(app)


def test_patterns_are_as_narrow_as_can_be_said(tmp_path: Path) -> None:
    app = shop(tmp_path)
    app.stream(re.compile(r"orders-\d+")).to("out")
    assert needed(app)[0] == "Read on topic names that begin with 'orders-'"
    app = shop(tmp_path)
    app.stream(re.compile(".*")).foreach(lambda *_: None)
    assert needed(app)[0] == "Read on topic '*'"


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        ("orders", "orders"),
        ("orders.*", "orders"),
        (r"eu\.orders-.", "eu.orders-"),
        ("order(s|-eu)", "order"),
        ("orders?", "order"),
        ("a{2}b", ""),
        ("ab+", "a"),
        ("orders|clicks", ""),
        ("o(r(d|e)|x)|y", ""),
        ("o[|]x", "o"),
        (r"o\|x", "o"),
        ("(?i)orders", ""),
        ("^orders", ""),
        ("[ab]c", ""),
        (r"a\d", "a"),
    ],
)
def test_the_beginning_of_a_pattern(pattern: str, letters: str) -> None:
    assert beginning(pattern) == letters


def test_without_output_there_are_no_tasks_that_write(tmp_path: Path) -> None:
    app = shop(tmp_path)
    app.stream("a").foreach(lambda *_: None)
    assert needed(app) == ["Read on topic 'a'", "Read on group 'shop'"]


def test_topics_that_records_name_are_told_apart(tmp_path: Path) -> None:
    app = shop(tmp_path)
    app.stream("a", value=hr.STRING).to(lambda _, value: value, name="spread")
    plan = rewrite(app.plan())
    assert needed(app) == ["Read on topic 'a'", "Read on group 'shop'", *SINK]
    (told,) = topics_by_records(plan)
    assert told.startswith("spread (test_acls.py:")


def test_a_right_as_a_command() -> None:
    acl = Acl("Write", "transactional-id", "shop-sink-", prefixed=True)
    assert acl.command("host:9092", "User:CN=ann, O=x") == (
        "kafka-acls.sh --bootstrap-server host:9092 --add --allow-principal 'User:CN=ann, O=x' --operation Write"
        " --transactional-id shop-sink- --resource-pattern-type prefixed"
    )
