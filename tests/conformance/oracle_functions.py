"""The functions that the oracle's cases name, as its page says: expressions but for lists, so that Spark runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import headrace as hr
import headrace.functions as F

Text = Any
"""A text or None, or the expression of one."""


def shown(key: Any, *, windowed: bool) -> Text:
    """A key as functions see it: one with a window is `key@start/end`."""
    return key.key + "@" + F.text(key.start) + "/" + F.text(key.end) if windowed else key


def value_fn(spec: str) -> Callable[[Text], Text]:
    name, _, x = spec.partition(":")
    present: dict[str, Callable[[Text], Text]] = {
        "upper": lambda v: v.upper(),
        "append": lambda v: v + x,
        "prefix": lambda v: x + v,
        "first": lambda v: v[:1],
        "last": lambda v: v[-1:],
        "len": lambda v: F.text(F.length(v)),
        "reverse": lambda v: v[::-1],
    }
    any_: dict[str, Callable[[Text], Text]] = {
        "identity": lambda v: v,
        "const": lambda _: hr.lit(x),
        "null_if": lambda v: hr.when(v == x, None).otherwise(v),
        "null_to": lambda v: F.if_null(v, x),
    }
    return any_[name] if name in any_ else lambda v: _if_there(v, present[name](v))


def flat_fn(spec: str) -> Callable[[Text], list[Text]]:
    name, _, x = spec.partition(":")
    if name == "twice":
        return lambda v: [v, v]

    def values(v: str | None) -> list[str | None]:
        if v is None:
            return []
        return list(v) if name == "chars" else list(v.split(x))

    return values


def predicate_fn(spec: str, *, windowed: bool) -> Callable[[Any, Text], Any]:
    name, _, x = spec.partition(":")
    of_key = name.startswith("key_")
    tests: dict[str, Callable[[Text], Any]] = {
        "lt": lambda v: v < x,
        "gt": lambda v: v > x,
        "eq": lambda v: v == x,
        "len_gt": lambda v: F.length(v) > int(x),
        "is_null": F.is_null,
    }
    test = tests[name.removeprefix("key_")]

    def predicate(k: Any, v: Text) -> Any:
        tested = shown(k, windowed=windowed) if of_key else v
        return test(tested) if name.endswith("is_null") else ~F.is_null(tested) & test(tested)

    return predicate


def key_fn(spec: str, *, windowed: bool = False) -> Callable[[Any, Text], Text]:
    name, _, x = spec.partition(":")

    def key(k: Any, v: Text) -> Text:
        if name == "const":
            return hr.lit(x)
        source = shown(k, windowed=windowed) if name.startswith("key") else v
        if name in ("key", "value"):
            return source
        if name == "value_after":
            after = hr.when(F.contains(source, x), source[source.find(x) + len(x) :]).otherwise(None)
            return _if_there(source, after)
        return _if_there(source, source[-1:] if name == "value_last" else source[:1])

    return key


def pair_fn(key_spec: str, value_spec: str, *, windowed: bool) -> Callable[[Any, Text], tuple[Text, Text]]:
    key, value = key_fn(key_spec, windowed=windowed), value_fn(value_spec)
    return lambda k, v: (key(k, v), value(v))


def joiner_fn(spec: str) -> Callable[[Text, Text], Text]:
    name, _, x = spec.partition(":")

    def joiner(left: Text, right: Text) -> Text:
        if name == "concat":
            return F.if_null(left, "-") + (x or "+") + F.if_null(right, "-")
        return left if name == "left" else right

    return joiner


def fold_fn(spec: str) -> Callable[[Text, Text], Text]:
    """`fold(aggregate, value)`"""
    name, _, x = spec.partition(":")
    folds: dict[str, Callable[[Text, Text], Text]] = {
        "append": lambda agg, v: agg + x + v,
        "concat": lambda agg, v: agg + x + v,
        "max": lambda agg, v: hr.when(v > agg, v).otherwise(agg),
        "min": lambda agg, v: hr.when(v < agg, v).otherwise(agg),
        "first": lambda agg, _: agg,
        "last": lambda _, v: v,
        "clear": lambda agg, v: hr.when(v == x, None).otherwise(agg + v),
        "remove_first": _without_first,
    }

    def fold(agg: Text, v: Text) -> Text:
        return hr.when(F.is_null(agg), v).when(F.is_null(v), agg).otherwise(folds[name](agg, v))

    return fold


def _without_first(agg: Text, v: Text) -> Text:
    place = agg.find(v)
    return hr.when(place < 0, agg).otherwise(agg[:place] + agg[place + F.length(v) :])


def aggregator_fn(spec: str) -> Callable[[Any, Text, Text], Text]:
    fold = fold_fn(spec)
    return lambda _, v, agg: fold(agg, v)


def merger_fn(spec: str) -> Callable[[Any, Text, Text], Text]:
    fold = fold_fn(spec)
    return lambda _, left, right: fold(left, right)


def _if_there(v: Text, result: Text) -> Text:
    return hr.when(F.is_null(v), None).otherwise(result)
