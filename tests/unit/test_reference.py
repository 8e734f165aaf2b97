"""The page that maps Kafka Streams to headrace names nothing that is not there."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path
from typing import Any

import headrace as hr
from headrace import dsl
from headrace.dsl.topology import Topology
from headrace.dsl.windowed import WindowedKStream
from headrace.dsl.windowed_cogrouped import WindowedCogroupedKStream
from headrace.model.record import Record
from headrace.query.store import Store
from headrace.rest.client.client import Connection

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "kafka-streams.md"


def roots() -> dict[str, Any]:
    """What the first words of names stand for; classes that users never name are found where they live."""
    found: dict[str, Any] = {"hr": hr, "Record": Record} | {name: getattr(dsl, name) for name in dsl.__all__}
    found |= {"WindowedKStream": WindowedKStream, "WindowedCogroupedKStream": WindowedCogroupedKStream}
    found |= {"Topology": Topology, "Store": Store, "Connection": Connection, "Serve": hr.Serve}
    found |= {name: getattr(hr.testing, name) for name in hr.testing.__all__}
    return found | {name: getattr(hr, name, None) for name in ("App", "Processor", "ProcessorContext")}


def named() -> set[str]:
    """Every name of ours on the page: those behind the first column that begin as ours do."""
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    found = {name for row in rows for name in re.findall(r"`(\w+(?:\.\w+)+)`", " | ".join(row[1:]))}
    return {name for name in found if name.partition(".")[0] in roots()}


def is_there(name: str) -> bool:
    first, *rest = name.split(".")
    try:
        reduce(getattr, rest, roots()[first])
    except (AttributeError, KeyError):
        return False
    return True


def test_every_name_on_the_page_is_there() -> None:
    assert sorted(name for name in named() if not is_there(name)) == []


def test_the_page_is_read() -> None:
    assert len(named()) > 90


def test_every_public_method_of_the_dsl_is_on_the_page() -> None:
    classes = ["KStream", "KTable", "KGroupedStream", "KGroupedTable", "CogroupedKStream", "BranchedKStream"]
    methods = {f"{one}.{method}" for one in classes for method in public(roots()[one])}
    assert sorted(methods - named()) == []


def test_an_application_shows_what_is_declared_on_it_and_nothing_else() -> None:
    assert sorted({f"App.{method}" for method in public(dsl.Builder)} - named()) == []


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]
