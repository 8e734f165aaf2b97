"""The ledger itself: it passes what is right, and finds one record that was dropped, doubled, swapped or changed."""

from __future__ import annotations

import random

import pytest

from system.ledger import Fold, Pair, Wrong, check_echo, check_folds

CHANCE = random.Random(7)
READ: dict[int, list[Pair]] = {
    partition: [(f"{partition}-{CHANCE.randrange(4)}", CHANCE.randrange(10_000)) for _ in range(200)]
    for partition in range(3)
}


def folds(pairs: list[Pair]) -> list[tuple[str, Fold]]:
    known: dict[str, Fold] = {}
    written = []
    for key, value in pairs:
        known[key] = known.get(key, Fold.before(value)).plus(value)
        written.append((key, known[key]))
    return written


WRITTEN = [fold for pairs in READ.values() for fold in folds(pairs)]


def test_a_good_run_passes_settled_or_not() -> None:
    check_echo(READ, READ)
    check_folds(READ, WRITTEN)
    last = {key: number for number, (key, _) in enumerate(WRITTEN)}
    some = [one for number, one in enumerate(WRITTEN) if number % 3 == 0 or number in last.values()]
    check_folds(READ, some)


@pytest.mark.parametrize("how", ["drop", "double", "swap", "change", "append"])
def test_one_wrong_record_is_found(how: str) -> None:
    for number in range(0, 200, 7):
        pairs = list(READ[1])
        match how:
            case "drop":
                del pairs[number]
            case "double":
                pairs.insert(number, pairs[number])
            case "swap":
                if pairs[number] == pairs[number + 1]:
                    continue
                pairs[number], pairs[number + 1] = pairs[number + 1], pairs[number]
            case "change":
                pairs[number] = pairs[number][0], pairs[number][1] + 1
            case "append":
                pairs.append(("1-0", 5))
        with pytest.raises(Wrong):
            check_echo(READ, {**READ, 1: pairs})
        if how != "swap" or pairs[number][0] == pairs[number + 1][0]:
            written = [fold for each in {**READ, 1: pairs}.values() for fold in folds(each)]
            with pytest.raises(Wrong):
                check_folds(READ, written)


def test_a_partition_or_key_that_is_missing_or_invented_is_found() -> None:
    with pytest.raises(Wrong, match="partition 1 has 0 records"):
        check_echo(READ, {0: READ[0], 2: READ[2]})
    with pytest.raises(Wrong, match="counted to 0"):
        check_folds(READ, [one for one in WRITTEN if one[0] != "1-0"])
    with pytest.raises(Wrong, match="nobody wrote the key 'x'"):
        check_folds(READ, [*WRITTEN, ("x", Fold(1, 1, 1, 1))])
    with pytest.raises(Wrong, match="and then to"):
        check_folds(READ, [*WRITTEN, WRITTEN[-1]])
    with pytest.raises(Wrong):
        check_folds(READ, [])
