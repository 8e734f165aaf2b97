from __future__ import annotations

from headrace.spark.compile.steps import ALL, Step, StepKind, Steps

NONE: frozenset[str] = frozenset()


def put(tag: int | None, reads: str = "", **computed: str) -> Step:
    return Step(StepKind.PUT, {name: {tag: sql} for name, sql in computed.items()}, frozenset(reads.split()))


def keep(tag: int | None, condition: str, reads: str = "") -> Step:
    return Step(StepKind.KEEP, {"kept": {tag: condition}}, frozenset(reads.split()))


def texts(steps: Steps, *wanted: str) -> list[str]:
    return list(steps.texts(wanted))


def test_what_is_done_to_two_edges_is_one_step() -> None:
    steps, first = Steps(("value",), ("tag", "ts")).then(put(1, "value", v0="up(value)", ts="1L"), after=-1)
    steps, second = steps.then(put(2, "value", v1="down(value)", ts="2L"), after=-1)
    assert first == second == 0
    assert texts(steps, "v0", "v1") == [
        "|> SELECT `tag`, CASE tag WHEN 1 THEN 1L WHEN 2 THEN 2L ELSE `ts` END AS `ts`, "
        "if(tag = 1, up(value), null) AS `v0`, if(tag = 2, down(value), null) AS `v1`"
    ]


def test_what_is_done_to_one_edge_keeps_its_order() -> None:
    steps, number = Steps((), ("tag",)).then(keep(1, "a"), after=-1)
    steps, number = steps.then(put(1, v0="1"), after=number)
    steps, number = steps.then(keep(1, "b", "v0"), after=number)
    steps, other = steps.then(put(2, v1="2"), after=-1)
    steps, other = steps.then(keep(2, "c", "v1"), after=other)
    assert (number, other) == (2, 2)
    assert texts(steps) == [
        "|> WHERE if(tag = 1, a, true)",
        "|> SELECT `tag`, if(tag = 1, 1, null) AS `v0`, if(tag = 2, 2, null) AS `v1`",
        "|> WHERE CASE tag WHEN 1 THEN b WHEN 2 THEN c ELSE true END",
    ]


def test_what_is_done_to_all_is_a_step_of_its_own() -> None:
    steps, _ = Steps((), ("tag", "ts")).then(put(1, v0="1"), after=-1)
    steps, number = steps.then(put(ALL, ts="ts + 1"), after=steps.last)
    assert number == 1
    assert texts(steps, "v0")[1] == "|> SELECT `tag`, ts + 1 AS `ts`, `v0`"


def test_a_column_is_there_until_it_was_read_by_whoever_reads_it() -> None:
    steps, number = Steps(("key", "value"), ("tag",)).then(put(1, "key value", v0="f(value)"), after=-1)
    steps, number = steps.then(put(1, "key v0", v1="g(v0)"), after=number)
    steps, other = steps.then(put(2, "key value", k2="h(key)"), after=0)
    assert number == other == 1
    assert texts(steps, "v1", "k2") == [
        "|> SELECT `tag`, `key`, `value`, if(tag = 1, f(value), null) AS `v0`",
        "|> SELECT `tag`, if(tag = 1, g(v0), null) AS `v1`, if(tag = 2, h(key), null) AS `k2`",
    ]


def test_lists_of_two_edges_are_exploded_one_after_the_other() -> None:
    explode = [Step(StepKind.EXPLODE, {item: {ALL: f"list_{item}"}}, NONE) for item in ("i0", "i1")]
    steps, _ = Steps((), ("tag",)).then(explode[0], after=-1)
    steps, number = steps.then(explode[1], after=-1)
    assert number == 1
    assert texts(steps) == ["|> SELECT *, explode(list_i0) AS `i0`", "|> SELECT *, explode(list_i1) AS `i1`"]


def test_copies_for_two_edges_are_one_step() -> None:
    steps, _ = Steps((), ("tag",)).then(Step(StepKind.COPY, {"tag": {1: "array(3, 4)"}}, NONE), after=-1)
    steps, number = steps.then(Step(StepKind.COPY, {"tag": {2: "array(5, 6)"}}, NONE), after=-1)
    assert number == 0
    assert texts(steps) == [
        "|> SELECT * EXCEPT (tag), "
        "explode(CASE tag WHEN 1 THEN array(3, 4) WHEN 2 THEN array(5, 6) ELSE array(tag) END) AS tag"
    ]
