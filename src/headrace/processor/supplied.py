"""Processor suppliers: from what a user gives to a function that makes one processor for each task."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.errors import NotAProcessor, SameProcessorTwice
from headrace.plan.stores import Store
from headrace.processor.base import (
    FixedKeyProcessor,
    FunctionProcessor,
    FunctionTransformer,
    Processor,
    ValueTransformer,
    required_parameters,
)


@dataclass(frozen=True)
class Supplied:
    """Supplier of the processors of a node, and what is known about them."""

    make: Callable[[], Any]
    shown: str
    stores: tuple[Store[Any] | str, ...]
    """Those that the processor itself names."""

    sends: tuple[Any, ...]
    """The types that the class says it sends on, as written in its brackets; () if it says nothing."""


def supplied(op: str, given: Any, needed: type, here: str) -> Supplied:
    """Supplier of a processor of the class `needed`, from its subclass, a factory, or a plain function."""
    if isinstance(given, Processor | FixedKeyProcessor | ValueTransformer):
        raise _refusal(op, f"one {type(given).__name__}: every task needs its own", needed, here)
    if not callable(given) or inspect.iscoroutinefunction(given) or inspect.isasyncgenfunction(given):
        raise _refusal(op, repr(given), needed, here)
    takes = required_parameters(given)
    if isinstance(given, type) or takes == 0:
        return _factory(op, given, needed, here)
    wrapper = FunctionTransformer if needed is ValueTransformer else FunctionProcessor
    most = 3 if needed is ValueTransformer else 2
    if takes is not None and takes > most:
        raise _refusal(op, f"{_name(given)}, which takes {takes} arguments", needed, here)
    return Supplied(lambda: wrapper(given), _name(given), _listed(getattr(given, "stores", ())), ())


def _factory(op: str, factory: Callable[[], Any], needed: type, here: str) -> Supplied:
    name = _name(factory)
    if isinstance(factory, type):
        missing = sorted(getattr(factory, "__abstractmethods__", ()))
        if not issubclass(factory, needed):
            raise _refusal(op, name, needed, here)
        if missing:
            raise _refusal(op, f"{name}, which has no {' or '.join(missing)}", needed, here)
        if required_parameters(factory):
            raise _refusal(op, f"{name}, whose __init__ needs arguments", needed, here)
    first, second = factory(), factory()
    if not isinstance(first, needed):
        raise _refusal(op, f"{name}, which makes a {type(first).__name__}", needed, here)
    if first is second:
        raise SameProcessorTwice(op, name, here)
    stores = _listed(getattr(factory, "stores", ())) or _listed(getattr(first, "stores", ()))
    return Supplied(factory, name, stores, _sends(type(first), needed))


def _listed(stores: Any) -> tuple[Store[Any] | str, ...]:
    return (stores,) if isinstance(stores, Store | str) else tuple(stores)


def _sends(cls: type, needed: type) -> tuple[Any, ...]:
    """The types in the brackets of `class Mine(hr.Processor[str, int])`, also if a base class wrote them."""
    for one in cls.__mro__:
        for base in one.__dict__.get("__orig_bases__", ()):
            if typing.get_origin(base) is needed:
                return typing.get_args(base)
    return ()


def _name(given: Any) -> str:
    inner = getattr(given, "func", given)  # of functools.partial
    name = getattr(inner, "__name__", type(inner).__name__)
    return "a lambda" if name == "<lambda>" else f"{name}()"


def _refusal(op: str, found: str, needed: type, here: str) -> NotAProcessor:
    of_rows = "of the value, of key and value, or of both and the context"
    functions = of_rows if needed is ValueTransformer else "of the record, or of the record and the context"
    return NotAProcessor(op, found, f"hr.{needed.__name__}", functions, here)
