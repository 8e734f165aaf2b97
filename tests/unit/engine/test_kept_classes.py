"""Classes whose values Python processes keep: what is told when one has moved, or has changed."""

from __future__ import annotations

import json
import sys
from dataclasses import make_dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import headrace as hr
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.kept import kept
from headrace.engine.inventory import Evolution, StateInventory
from headrace.engine.layout import CheckpointLayout
from headrace.errors import OptionInvalid, StateChanged
from headrace.model import classes
from headrace.passes.pipeline import rewrite

HINT = "; if it is new_place:Total now, say so: hr.moved('old_place:Total', Total)"


@pytest.fixture(autouse=True)
def nothing_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "_moved", {})


def placed(monkeypatch: pytest.MonkeyPatch, module: str, **made: Any) -> ModuleType:
    """A module with classes."""
    place = ModuleType(module)
    monkeypatch.setitem(sys.modules, module, place)
    for name, cls in made.items():
        cls.__module__, cls.__qualname__ = module, name
        setattr(place, name, cls)
    return place


def total(**fields: type) -> Any:
    return make_dataclass("Total", fields.items())


def kept_with(cls: Any) -> StateInventory:
    """What an application keeps whose aggregates are of a class, in Python."""

    def add(_: str, value: str, total: Any) -> Any:
        for letter in value:
            print(letter)
        return total

    app = hr.App("a")
    words = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key()
    words.aggregate(lambda: cls(0), add, store="t")
    return kept(rewrite(app.plan()))


def test_names_and_fields_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    place = placed(monkeypatch, "old_place", Total=total(n=int))
    assert kept_with(place.Total).classes == {"old_place:Total": "n: int"}


def test_a_class_that_has_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = kept_with(placed(monkeypatch, "old_place", Total=total(n=int)).Total)
    new = placed(monkeypatch, "new_place", Total=total(n=int)).Total
    assert Evolution.of(there, kept_with(new)).misfits == []  # it is in its old place, too
    monkeypatch.delitem(sys.modules, "old_place")
    lost = f"class old_place:Total (n: int) is not there any more{HINT}"
    assert Evolution.of(there, kept_with(new)).misfits == [lost]
    layout = CheckpointLayout("a", "c", 1, {}, there.stages, {}, lanes=there.lanes, classes=there.classes)
    with pytest.raises(StateChanged, match="class old_place:Total "):
        Checkpoint("a", tmp_path).refuse_other_state(layout, kept_with(new))
    hr.moved("old_place:Total", new)
    assert Evolution.of(there, kept_with(new)).misfits == []


def test_one_that_has_moved_and_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = kept_with(placed(monkeypatch, "old_place", Total=total(n=int)).Total)
    monkeypatch.delitem(sys.modules, "old_place")
    new = placed(monkeypatch, "new_place", Total=total(n=int, m=str)).Total
    monkeypatch.setattr(new, "__init__", lambda self, n, m="": self.__dict__.update(n=n, m=m))
    here = kept_with(new)
    told = "class old_place:Total (n: int) is not there any more"
    stores = "the value type of store 't' is Total struct<`n`:bigint,`m`:string>, it was Total struct<`n`:bigint>"
    assert sorted(Evolution.of(there, here).misfits) == [told, stores]
    hr.moved("old_place:Total", new)
    assert sorted(Evolution.of(there, here).misfits) == [
        "class old_place:Total has n: int, m: str, it had n: int",
        stores,
    ]


def test_members_of_an_enum(monkeypatch: pytest.MonkeyPatch) -> None:
    def total_of(**members: str) -> Any:
        colour = Enum("Colour", members)  # type: ignore[misc]
        placed(monkeypatch, "program", Colour=colour)
        return placed(monkeypatch, "place", Total=make_dataclass("Total", [("n", int), ("c", colour, None)])).Total

    there = kept_with(total_of(RED="r", BLUE="b"))
    assert there.classes == {"place:Total": "n: int, c: Colour", "program:Colour": "RED | BLUE"}
    assert Evolution.of(there, kept_with(total_of(RED="r", BLUE="b", GREEN="g"))).misfits == []
    assert Evolution.of(there, kept_with(total_of(RED="r"))).misfits == [
        "class program:Colour has RED, it had RED | BLUE"
    ]


def test_state_that_an_earlier_version_has_pickled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = kept_with(placed(monkeypatch, "place", Total=total(n=int)).Total)
    there = StateInventory(here.stages, here.lanes, pickled=True)
    found = Evolution.of(there, here)
    assert found.misfits == ["an earlier version of headrace has pickled the state of Python processes, unsigned"]
    assert found.hint == 'App(pickled_state="trust") reads it, if nobody else could write the checkpoint; or '
    assert Evolution.of(there, StateInventory(here.stages, here.lanes, pickled=True)).misfits == []
    (tmp_path / "headrace.json").write_text(
        json.dumps(
            {
                "app": "a",
                "cluster": "c",
                "tasks": 1,
                "sources": {},
                "stages": there.stages,
                "starts": {},
                "lanes": there.lanes,
            }
        )
    )
    layout = Checkpoint("a", tmp_path).known_layout()
    assert layout is not None
    assert layout.pickled
    kernel = {stage: ["kernel"] for stage in here.lanes}
    assert (
        Evolution.of(StateInventory(here.stages, kernel, pickled=True), StateInventory(here.stages, kernel)).misfits
        == []
    )


@pytest.mark.parametrize(("name", "cls"), [("Total", dict), ("module:", dict), (":Total", dict), ("module:Total", "x")])
def test_what_cannot_have_moved(name: str, cls: Any) -> None:
    with pytest.raises(OptionInvalid, match=r"is not possible\n  at: test_kept_classes\.py:\d+"):
        hr.moved(name, cls)
