"""The functions that the oracle's cases name, as its page says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.model.windows import Windowed

Text = str | None


def shown(key: Any) -> Text:
    """A key as functions see it: one with a window is `key@start/end`."""
    return f"{key.key}@{key.window.start}/{key.window.end}" if isinstance(key, Windowed) else key


def value_fn(spec: str) -> Callable[[Text], Text]:
    name, _, x = spec.partition(":")
    present: dict[str, Callable[[str], str]] = {
        "upper": lambda v: v.upper(),
        "append": lambda v: v + x,
        "prefix": lambda v: x + v,
        "first": lambda v: v[:1],
        "last": lambda v: v[-1:],
        "len": lambda v: str(len(v)),
        "reverse": lambda v: v[::-1],
    }
    any_: dict[str, Callable[[Text], Text]] = {
        "identity": lambda v: v,
        "const": lambda _: x,
        "null_if": lambda v: None if v == x else v,
        "null_to": lambda v: x if v is None else v,
    }

    def value(v: str | None) -> str | None:
        if name in any_:
            return any_[name](v)
        return None if v is None else present[name](v)

    return value


def flat_fn(spec: str) -> Callable[[Text], list[Text]]:
    name, _, x = spec.partition(":")

    def values(v: str | None) -> list[str | None]:
        if name == "twice":
            return [v, v]
        if v is None:
            return []
        return list(v) if name == "chars" else list(v.split(x))

    return values


def predicate_fn(spec: str) -> Callable[[Any, Text], bool]:
    name, _, x = spec.partition(":")
    of_key = name.startswith("key_")
    tests: dict[str, Callable[[str], bool]] = {
        "lt": lambda v: v < x,
        "gt": lambda v: v > x,
        "eq": lambda v: v == x,
        "len_gt": lambda v: len(v) > int(x),
    }
    name = name.removeprefix("key_")

    def predicate(k: Any, v: str | None) -> bool:
        tested = shown(k) if of_key else v
        if name == "is_null":
            return tested is None
        return tested is not None and tests[name](tested)

    return predicate


def key_fn(spec: str) -> Callable[[Any, Text], Text]:
    name, _, x = spec.partition(":")

    def key(k: Any, v: str | None) -> str | None:
        if name == "const":
            return x
        source = shown(k) if name.startswith("key") else v
        if source is None or name in ("key", "value"):
            return source
        if name == "value_after":
            return source.partition(x)[2] if x in source else None
        return source[-1:] if name == "value_last" else source[:1]

    return key


def pair_fn(key_spec: str, value_spec: str) -> Callable[[Any, Text], tuple[Text, Text]]:
    key, value = key_fn(key_spec), value_fn(value_spec)

    def pair(k: Any, v: str | None) -> tuple[str | None, str | None]:
        return (key(k, v), value(v))

    return pair


def joiner_fn(spec: str) -> Callable[[Text, Text], Text]:
    name, _, x = spec.partition(":")

    def joiner(left: str | None, right: str | None) -> str | None:
        if name == "concat":
            return ("-" if left is None else left) + (x or "+") + ("-" if right is None else right)
        return left if name == "left" else right

    return joiner


def fold_fn(spec: str) -> Callable[[Text, Text], Text]:
    """`fold(aggregate, value)`"""
    name, _, x = spec.partition(":")
    folds: dict[str, Callable[[str, str], Text]] = {
        "append": lambda agg, v: agg + x + v,
        "concat": lambda agg, v: agg + x + v,
        "max": max,
        "min": min,
        "first": lambda agg, _: agg,
        "last": lambda _, v: v,
        "clear": lambda agg, v: None if v == x else agg + v,
        "remove_first": lambda agg, v: agg.replace(v, "", 1),
    }

    def fold(agg: str | None, v: str | None) -> str | None:
        if agg is None or v is None:
            return v if agg is None else agg
        return folds[name](agg, v)

    return fold


def aggregator_fn(spec: str) -> Callable[[Any, Text, Text], Text]:
    fold = fold_fn(spec)

    def aggregator(_: Any, v: str | None, agg: str | None) -> str | None:
        return fold(agg, v)

    return aggregator


def merger_fn(spec: str) -> Callable[[Any, Text, Text], Text]:
    fold = fold_fn(spec)

    def merger(_: Any, left: str | None, right: str | None) -> str | None:
        return fold(left, right)

    return merger
