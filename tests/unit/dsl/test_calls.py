"""Functions that wait: how they are declared, and what is refused, by its words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import headrace as hr
from dsl.refusals import refused, refused_app
from headrace.dsl import Builder, KStream
from headrace.errors import NoSerde, NothingBeside, OptionInvalid, WrongParameters
from headrace.plan.nodes import AsyncMapValues, MapValues
from headrace.spark.layout.refuse_python import refuse_python


def texts(app: Builder) -> KStream[str, str]:
    return app.stream("in", key=hr.STRING, value=hr.STRING)


async def fetched(value: str) -> int:
    return len(value)


async def unsaid(value):  # type: ignore[no-untyped-def]
    return value


async def two(first: str, second: int) -> str:
    return first * second


async def none() -> None: ...


ONE: Any = fetched
PAIR: Any = two


class Client:
    async def __call__(self, key: str, value: str) -> bytes:
        return (key + value).encode()

    async def fetch(self, value: str) -> bool:
        return bool(value)


def mapped(function: Any, **options: Any) -> AsyncMapValues:
    app = Builder("app")
    texts(app).map_values(function, **options).to("out")
    (node,) = app.plan().of(AsyncMapValues)
    return node


@pytest.mark.parametrize(
    ("function", "type_", "parameters", "shown"),
    [
        (fetched, "int", ("value",), "fetched()"),
        (partial(two, second=2), "str", ("value",), "two()"),
        (partial(two, "x"), "str", ("value",), "two()"),
        (Client(), "bytes", ("key", "value"), "Client()"),
        (partial(Client(), "k"), "bytes", ("value",), "Client()"),
        (Client().fetch, "bool", ("value",), "fetch()"),
    ],
)
def test_what_is_written_with_async_def_waits(
    function: Any, type_: str, parameters: tuple[str, ...], shown: str
) -> None:
    value = mapped(function).value
    assert (str(value.type), value.parameters, str(value)) == (type_, parameters, shown)


def test_what_is_not_does_not() -> None:
    app = Builder("app")
    texts(app).map_values(lambda v: v + "!").map_values(str).map_values(partial(max, "a")).to("out", value=hr.STRING)
    assert len(app.plan().of(MapValues)) == 3
    assert app.plan().of(AsyncMapValues) == ()


def test_a_function_that_does_not_say_its_type_needs_a_serde() -> None:
    refused_app(NoSerde, lambda app: texts(app).map_values(unsaid).to("out"), "say what it returns: -> str")


def test_the_name_is_that_of_an_ordinary_function() -> None:
    assert mapped(fetched).name == "in.map_values"


def test_describe() -> None:
    assert mapped(fetched).detail() == "fetched(), 64 at once"
    assert mapped(fetched, concurrency=8, timeout="10s", retries=1).detail() == (
        "fetched(), 8 at once, 10s each, 1 retry after 100ms"
    )
    assert mapped(fetched, retries=2, backoff="1s").detail() == "fetched(), 64 at once, 2 retries after 1s"


def test_no_record_moves_in_front_of_what_looks_at_the_key() -> None:
    app = hr.App("app")
    texts(app).map_values(fetched).group_by_key().count(store="n")
    assert "repartition" not in app.describe()
    assert "fetched(), 64 at once" in app.describe()


def test_where_only_spark_is_wanted_it_is_refused_by_its_name() -> None:
    app = Builder("app")
    texts(app).map_values(fetched).to("out")
    with pytest.raises(hr.HeadraceError, match="the function of map_values can only run in Python"):
        refuse_python(app.plan())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"concurrency": 0}, "concurrency=0 is not possible ... give a whole number from 1 on"),
        ({"concurrency": 1.5}, "concurrency=1.5 is not possible"),
        ({"concurrency": True}, "concurrency=True is not possible"),
        ({"retries": -1}, "retries=-1 is not possible ... give a whole number from 0 on"),
        ({"timeout": "0s"}, "timeout='0s' is not possible ... give a duration of 1 ms or more"),
        ({"timeout": 10}, "timeout=10 is not possible ... give a duration such as"),
        ({"backoff": "soon"}, "backoff='soon' is not possible ... give a duration such as"),
    ],
)
def test_an_option_that_makes_no_sense(options: dict[str, Any], words: str) -> None:
    refused(OptionInvalid, lambda: mapped(fetched, **options), *words.split(" ... "))


@pytest.mark.parametrize("option", [{"concurrency": 8}, {"timeout": "1s"}, {"retries": 0}, {"backoff": "1s"}])
def test_options_of_functions_that_wait_are_refused_for_others(option: dict[str, Any]) -> None:
    ((name, value),) = option.items()
    words = f"{name}={value!r} is not possible", "give it with a function written with async def: others do not wait"
    refused(OptionInvalid, lambda: mapped(lambda v: v, **option), *words)
    refused(OptionInvalid, lambda: mapped(hr.value, **option), *words)


@pytest.mark.parametrize("function", [none, partial(two, "x", 2)])
def test_a_function_of_another_number_of_arguments(function: Any) -> None:
    refused(
        WrongParameters, lambda: mapped(function), "the function of map_values takes", "it is called with 1 argument"
    )


@pytest.mark.parametrize(
    "declare",
    [
        lambda app: texts(app).filter(PAIR),
        lambda app: texts(app).flat_map_values(ONE),
        lambda app: texts(app).foreach(PAIR),
        lambda app: texts(app).peek(PAIR),
        lambda app: texts(app).group_by_key().reduce(PAIR),
        lambda app: app.table("in").map_values(ONE),
    ],
)
def test_other_operators_do_not_wait(declare: Callable[[Builder], object]) -> None:
    words = "an ordinary function; map_values of a stream takes one written with async def"
    refused_app(OptionInvalid, declare, "is not possible", words)


def test_nothing_is_late_beside_it() -> None:
    refused_app(NothingBeside, lambda app: texts(app).map_values(fetched).late(), "drops no records because they are")
