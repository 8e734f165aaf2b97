"""Every function means the same in Python and in Catalyst, on edges and drawn values, down to the words of refusals."""

from __future__ import annotations

import random
from itertools import product

import pytest
from pyspark.sql import SparkSession

from conformance import samples
from conformance.both_forms import differences, names
from conformance.drawn_functions import COLUMNS as PARAMETERS
from conformance.drawn_functions import ROWS
from conformance.drawn_functions import drawn as drawn_functions
from conformance.samples import FRACTION, LINE, PAIR, PRICE, SAMPLES, SIZE, rows
from headrace.errors import WrongType
from headrace.expr import Bound, bind
from headrace.expr.bound import Applied
from headrace.expr.functions import ANY, KEY, TABLE, Function
from headrace.expr.functions.formats import FORMATS
from headrace.expr.functions.formats import refusal as format_refusal
from headrace.expr.functions.patterns import PATTERNS, refusal
from headrace.expr.syntax import Expr, as_expr, tree_of
from headrace.expr.tree import Attribute, Call, Symbol, Tree
from headrace.model.types import BOOL, DATE, DECIMAL, FLOAT, INT, INT32, JSON, STR, TIME, Type, dict_of, list_of

pytestmark = pytest.mark.spark

SEED = 20240607
LIMITED = (INT32, PRICE, FRACTION)


def instances(function: Function) -> list[tuple[Type, ...]]:
    """The types to try a row with: itself, or for rows of any type some of each kind."""
    inner: tuple[Type, ...] = (STR,)
    if list_of(ANY) in function.takes:
        inner = (STR, INT, FLOAT, DECIMAL, JSON, LINE)
    elif dict_of(ANY, KEY) in function.takes:
        inner = (INT, JSON, LINE)
    elif ANY in function.takes:
        inner = (STR, INT, FLOAT, list_of(STR), DECIMAL, JSON, LINE, SIZE, PAIR, dict_of(INT), *LIMITED, DATE, TIME)
    found = [with_inner(function.takes, one) for one in inner]
    if dict_of(ANY, KEY) in function.takes:
        found += [with_inner(function.takes, STR, INT), with_inner(function.takes, FLOAT, DATE)]
    return list(dict.fromkeys(types for types in found if called(function, types).function is function))


def with_inner(types: tuple[Type, ...], inner: Type, key: Type = STR) -> tuple[Type, ...]:
    """The types of a row with one in the place of any."""
    return tuple(
        {ANY: inner, KEY: key, list_of(ANY): list_of(inner), dict_of(ANY, KEY): dict_of(inner, key)}.get(one, one)
        for one in types
    )


def called(function: Function, types: tuple[Type, ...]) -> Applied:
    """What a call of that name is on symbols of these types."""
    symbols = names(len(types))
    args = tuple(Symbol(name) for name in symbols)
    attribute = function.name.startswith("@")
    expr = Expr(Attribute(args[0], function.name[1:]) if attribute else Call(function.name, args))
    if function in FORMATS:
        expr = Expr(Call("format", (args[0], tree_of(as_expr(">9")))))
    bound = bind(expr, dict(zip(symbols, types, strict=True)), "here")
    assert isinstance(bound, Applied)
    return bound


def test_no_function_is_hidden_by_another() -> None:
    assert [function for function in TABLE if not instances(function)] == []


def calls() -> dict[tuple[Type, ...], list[Bound]]:
    """All rows of the table on all their types, by these types: one Spark job each."""
    found: dict[tuple[Type, ...], list[Bound]] = {}
    for function in TABLE:
        for types in instances(function):
            found.setdefault(types, []).append(called(function, types))
    return found


@pytest.mark.parametrize("types", calls(), ids=lambda types: "-".join(map(str, types)))
def test_a_function_means_the_same_in_both_forms(types: tuple[Type, ...], spark: SparkSession) -> None:
    missing = [type_ for type_ in types if type_ not in SAMPLES]
    assert not missing, f"no values to try {missing} on: add some to samples.py"
    found = [bound for bound in calls()[types] if bound.function not in (*PATTERNS, *FORMATS)]  # type: ignore[attr-defined]
    assert differences(spark, found, types, rows(types, SEED)) == []


MIXED = [
    *product((INT32,), (INT32, INT, FLOAT)),
    *product((PRICE,), (PRICE, FRACTION, DECIMAL, INT)),
]


@pytest.mark.parametrize("types", MIXED, ids=lambda types: "-".join(map(str, types)))
def test_numbers_with_limits_are_computed_with_as_those_without(types: tuple[Type, ...], spark: SparkSession) -> None:
    bounds = [called_or_none(name, types) for name in ("+", "-", "*", "/", "//", "%", "==", "<", ">=", "coalesce")]
    found = [bound for bound in bounds if bound is not None]
    assert len(found) >= 5
    assert {bound.type for bound in found} <= {INT, FLOAT, DECIMAL, BOOL, types[0]}
    assert differences(spark, found, types, rows(types, SEED, count=100)) == []


def called_or_none(name: str, types: tuple[Type, ...]) -> Bound | None:
    try:
        expr = Expr(Call(name, tuple(Symbol(one) for one in names(len(types)))))
        return bind(expr, dict(zip(names(len(types)), types, strict=True)), "here")
    except WrongType:
        return None


@pytest.mark.parametrize("function", PATTERNS, ids=lambda function: function.name)
def test_a_pattern_means_the_same_in_both_forms(function: Function, spark: SparkSession) -> None:
    texts = rows((STR, STR), SEED)
    for pattern in samples.PATTERNS:
        args = (Symbol("a0"), tree_of(as_expr(pattern)), Symbol("a1"))
        bound = bind(Expr(Call(function.name, args[: len(function.takes)])), {"a0": STR, "a1": STR}, "here")
        assert differences(spark, [bound], (STR, STR), texts) == []


def test_a_format_means_the_same_in_both_forms(spark: SparkSession) -> None:
    parts = (["", "*<", ">", "é^", "="], ["", "+", " ", "-"], ["", "0"], ["", "9", "24"], ["", ",", "_"])
    specs = ["".join(some) for some in product(*parts, ["", ".0", ".2", ".17"], ["", "s", "d", "f", "%"])]
    for type_ in (INT, FLOAT, STR):
        known = [spec for spec in specs if format_refusal(type_, spec) is None]
        trees = [tree_of(as_expr(spec)) for spec in random.Random(SEED).sample(known, 30)]
        bounds = [bind(Expr(Call("format", (Symbol("a0"), tree))), {"a0": type_}, "here") for tree in trees]
        assert differences(spark, bounds, (type_,), rows((type_,), SEED, count=60)) == []


def drawn_pattern(rng: random.Random, depth: int = 2) -> str:
    """A random regular expression."""
    atoms = ["a", "b", ",", ".", "é", "😀", "[ab]", "[^a]", "[a-c,]", "\\.", "\\d", "[\\w,]", "\\S", "\\n", "^", "[-a]"]
    atom = rng.choice(atoms)
    if depth and rng.random() < 0.5:
        inner = "|".join(drawn_pattern(rng, depth - 1) for _ in range(rng.randint(1, 2)))
        atom = rng.choice(["(", "(?:"]) + inner + ")"
    repeated = atom + rng.choice(["", "", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?", "{1,}?"])
    return repeated + drawn_pattern(rng, depth - 1) if depth and rng.random() < 0.7 else repeated


def test_drawn_patterns_mean_the_same_in_both_forms(spark: SparkSession) -> None:
    rng = random.Random(SEED)
    bounds: list[Bound] = []
    while len(bounds) < 60:
        pattern, function = "(?a)" + drawn_pattern(rng), rng.choice(PATTERNS)
        if refusal(pattern, many=function.name in ("all_matches", "replace_matches")) is None:
            args = (Symbol("a0"), tree_of(as_expr(pattern)), Symbol("a1"))
            bounds.append(bind(Expr(Call(function.name, args[: len(function.takes)])), {"a0": STR, "a1": STR}, "here"))
    # Short ones: what repeats within what repeats takes its time, in both forms.
    short = [row for row in rows((STR, STR), SEED, count=100) if all(text is None or len(text) < 12 for text in row)]
    assert differences(spark, bounds, (STR, STR), short) == []


def test_the_forms_agree_without_generated_code(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    try:
        for types in [(BOOL, BOOL), (FLOAT, FLOAT), (FLOAT, INT)]:
            assert differences(spark, calls()[types], types, rows(types, SEED + 1, count=50)) == []
    finally:
        spark.conf.unset("spark.sql.codegen.wholeStage")
        spark.conf.unset("spark.sql.codegen.factoryMode")


UNTYPED = (JSON, DECIMAL, dict_of(ANY, KEY))
NESTED = [
    one for one in TABLE if one not in (*PATTERNS, *FORMATS) and not {one.gives, *one.takes}.intersection(UNTYPED)
]
COLUMNS = (STR, INT, FLOAT, BOOL, STR)


def drawn(rng: random.Random, type_: Type, depth: int) -> Tree:
    """A random expression of a type, of columns and constants, made with functions of the table."""
    leaves = [Symbol(f"a{place}") for place, column in enumerate(COLUMNS) if column == type_]
    if type_ in SAMPLES and (not leaves or rng.random() < 0.3):
        leaves = [tree_of(as_expr(rng.choice([one for one in SAMPLES[type_][0] if one != [] and len(repr(one)) < 99])))]  # type: ignore[list-item]
    fitting = [one for one in NESTED if one.gives in (type_, ANY)]
    if depth == 0 or not fitting or rng.random() < 0.1:
        return rng.choice(leaves)
    function = rng.choice([one for one in fitting if list_of(type_) in SAMPLES or list_of(ANY) not in one.takes])
    any_ = type_ if function.gives == ANY else rng.choice([STR, INT, FLOAT])
    takes = {ANY: any_, list_of(ANY): list_of(any_)}
    if function.name.startswith("@"):
        return Attribute(drawn(rng, function.takes[0], depth - 1), function.name[1:])
    return Call(function.name, tuple(drawn(rng, takes.get(one, one), depth - 1) for one in function.takes))


def test_nested_expressions_mean_the_same_in_both_forms(spark: SparkSession) -> None:
    rng = random.Random(SEED)
    types = dict(zip(names(len(COLUMNS)), COLUMNS, strict=True))
    kinds = [STR, INT, FLOAT, BOOL, list_of(STR)] * 5
    bounds = [bind(Expr(drawn(rng, kind, depth=4)), types, "here") for kind in kinds]
    assert differences(spark, bounds, COLUMNS, rows(COLUMNS, SEED, count=30)) == []


def test_drawn_functions_mean_the_same_in_both_forms(spark: SparkSession) -> None:
    bounds = [bound for *_, bound in drawn_functions(seed=SEED, count=400) if bound is not None]
    assert differences(spark, bounds, PARAMETERS, ROWS) == []
