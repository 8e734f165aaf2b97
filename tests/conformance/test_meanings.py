"""A second set of functions on the machinery of Python's: null, overflow and failure as its rows say, in both forms."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headrace.types as T
from conformance.both_forms import differences, names
from conformance.query_functions import QUERIES
from conformance.samples import SAMPLES, Draw
from headrace.expr import Bound, bind
from headrace.expr.syntax import Expr
from headrace.expr.tree import Call, Literal, Symbol, Tree
from headrace.model.types import BOOL, INT, INT32, STR, Type

pytestmark = pytest.mark.spark

SEED = 20251119


TYPES: tuple[Type, ...] = (INT32, INT32, INT, STR)
SYMBOLS = dict(zip(names(len(TYPES)), TYPES, strict=True))
MAKES: dict[Type, list[tuple[str, tuple[Type, ...]]]] = {
    INT32: [
        *((name, (INT32, INT32)) for name in "+-*"),
        ("cast_int32", (INT,)),
        ("exact_int32", (INT,)),
        ("case", (BOOL, INT32, INT32)),
    ],
    INT: [*((name, (INT, INT)) for name in "+-*/"), ("/", (INT32, INT)), ("cast_int", (STR,)), ("+", (INT32, INT))],
    BOOL: [("<", (INT32, INT32)), ("<", (INT, INT32)), ("<", (INT, INT)), ("<", (STR, STR))],
    STR: [("case", (BOOL, STR, STR))],
}
TEXTS = ["", "1", "-7", "x", "9" * 30, "2147483648", str(2**63 - 1), " 12 ", "1.5"]


def drawn(rng: random.Random, type_: Type, depth: int) -> Tree:
    """An expression of a type, of random functions."""
    symbols = [name for name, one in SYMBOLS.items() if one == type_]
    if depth == 0 or (symbols and rng.random() < 0.2):
        return Symbol(rng.choice(symbols)) if symbols else Literal(rng.random() < 0.5, BOOL)
    name, takes = rng.choice(MAKES[type_])
    return Call(name, tuple(drawn(rng, one, depth - 1) for one in takes))


def bound_of(tree: Tree) -> Bound:
    return bind(Expr(tree), SYMBOLS, "here", functions=QUERIES)


def rows(rng: random.Random, count: int) -> list[tuple[Any, ...]]:
    texts: tuple[list[Any], Draw] = (TEXTS, lambda rng: str(rng.randint(-(2**40), 2**40)))
    columns = [SAMPLES[INT32], SAMPLES[INT32], SAMPLES[INT], texts]
    return [
        tuple(rng.choice([None, rng.choice(edges), rng.choice(edges), draw(rng)]) for edges, draw in columns)
        for _ in range(count)
    ]


def test_drawn_expressions_mean_the_same_in_both_forms(spark: SparkSession) -> None:
    rng = random.Random(SEED)
    bounds = [bound_of(drawn(rng, rng.choice(list(MAKES)), 3)) for _ in range(60)]
    assert {bound.type for bound in bounds} == set(MAKES)
    assert differences(spark, bounds, TYPES, rows(rng, 250)) == []


def test_every_function_alone_means_the_same_in_both_forms(spark: SparkSession) -> None:
    calls = [(name, takes) for listed in MAKES.values() for name, takes in listed if name != "case"]
    bounds = [
        bound_of(Call(name, tuple(drawn(random.Random(at), one, 0) for at, one in enumerate(takes))))
        for name, takes in calls
    ]
    assert differences(spark, bounds, TYPES, rows(random.Random(SEED + 1), 400)) == []


def test_a_field_of_null_is_null_in_both_forms(spark: SparkSession) -> None:
    inner = T.record({"n": T.Int32}, "Inner")
    outer = T.record({"of": inner | None, "n": T.Int32}, "Outer")
    field = Call("[]", (Call("[]", (Symbol("a0"), Literal("of", STR))), Literal("n", STR)))
    bound = bind(Expr(Call("+", (field, field))), {"a0": outer}, "here", functions=QUERIES)
    assert bound.nullable
    values = [({"of": {"n": 2**30}, "n": 1},), ({"of": None, "n": 1},), (None,)]
    assert differences(spark, [bound], (outer,), values) == []
