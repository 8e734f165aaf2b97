"""Things of state as bytes: each comes back as it was, none runs code, and what has changed is told."""

from __future__ import annotations

import enum
import pickle
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import pydantic
import pytest

from headrace.model.classes import Classes
from headrace.model.windows import Window, Windowed
from headrace.state.codec import StateCodec
from headrace.state.faults import StateFault
from headrace.state.pickles import PickledState, Pickles

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    y: float


@dataclass
class Total:
    count: int = 0
    parts: list[Point] = field(default_factory=list)
    colour: Colour | None = None

    @cached_property
    def shown(self) -> str:
        return str(self.count)


@dataclass(frozen=True, slots=True)
class Slots:
    a: int
    b: dict[str, Total]


@dataclass
class Checked:
    a: int

    def __post_init__(self) -> None:
        raise AssertionError("state is not what begins")


@dataclass
class Box(Generic[T]):
    of: T


class Model(pydantic.BaseModel):
    name: str
    number: int = 3
    _own: int = pydantic.PrivateAttr(default=5)


class Open(pydantic.BaseModel, extra="allow"):
    name: str


class Plain:
    """Nobody knows what is in it."""

    def __init__(self, a: int) -> None:
        self.a = a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.a == other.a

    __hash__ = None  # type: ignore[assignment]


class Text(str):
    __slots__ = ()


def checked() -> Checked:
    made = object.__new__(Checked)
    made.a = 3
    return made


def with_more() -> Total:
    made = Total(3)
    made.more = 4  # type: ignore[attr-defined]
    return made


def codec(
    rule: PickledState = PickledState.REFUSE, key: bytes | None = b"key", moved: dict[str, type] | None = None
) -> StateCodec:
    return StateCodec(Classes("program", moved or {}), Pickles(rule, key))


BERLIN = ZoneInfo("Europe/Berlin")
KNOWN: list[Any] = [
    None,
    True,
    0,
    -(2**80),
    1.5,
    float("inf"),
    "text \ud800 \0 ü",
    b"",
    b"\x80\x05",
    (),
    (3, 1700000000000),
    (-(2**80), 2**70),
    (b"", -1),
    (b"\x80", 1700000000000),
    (b"a", 2**70),
    (b"a", True),
    ((1, (2,)), [3, (4, [5])]),
    [],
    {},
    {"a": 1, "b": [None]},
    {"": 1},
    {1: "a", (2, 3): {"x": (1,)}},
    {1, 2},
    frozenset({"a"}),
    deque([1, 2], 5),
    Counter("abca"),
    OrderedDict([("b", 1), ("a", 2)]),
    defaultdict(list, {"a": [1]}),
    defaultdict(None, {1: 2}),
    bytearray(b"abc"),
    complex(1, -2.5),
    Decimal("1.50"),
    Fraction(1, 3),
    UUID(int=5),
    date(2024, 2, 29),
    datetime(2024, 2, 29, 1, 2, 3, 4),
    datetime(2024, 2, 29, tzinfo=UTC),
    datetime(2024, 2, 29, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
    datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1),
    timedelta(days=-1, microseconds=3),
    Colour.RED,
    Level.LOW,
    Rights.READ,
    Point(1, 2.0),
    Total(3, [Point(1, 2.0)], Colour.BLUE),
    Slots(1, {"a": Total()}),
    Box(3),
    Box[int](3),
    Model(name="a"),
    Model(name="a", number=3),
    Open(name="a", other=3),  # type: ignore[call-arg]
    checked(),
    Windowed("k", 1, 2),
    Window(1, 2),
]


@pytest.mark.parametrize("thing", KNOWN, ids=repr)
@pytest.mark.parametrize("inside", [False, True])
def test_what_is_known_comes_back_as_it_was(thing: Any, *, inside: bool) -> None:
    written = (thing, [thing], 5) if inside else thing
    read = codec().read(codec().write(written))
    assert (read, type(read)) == (written, type(written))
    assert repr(read) == repr(written)


def test_what_models_know_beside_their_fields() -> None:
    model = Model(name="a")
    model._own = 7
    read = codec().read(codec().write(model))
    assert (read, read._own, read.model_fields_set) == (model, 7, {"name"})


def test_numbers_that_are_none() -> None:
    read = codec().read(codec().write((float("nan"), -0.0)))
    assert str(read) == "(nan, -0.0)"


def test_what_was_only_computed_is_computed_again() -> None:
    total = Total(3)
    assert total.shown == "3"
    assert "shown" not in vars(codec().read(codec().write(total)))


UNKNOWN: list[Any] = [Plain(3), Text("a"), with_more(), Rights.READ | Rights.WRITE, defaultdict(Total), Plain]


@pytest.mark.parametrize("thing", UNKNOWN, ids=lambda one: type(one).__name__)
def test_all_others_are_pickled_and_signed(thing: Any) -> None:
    signing = codec(PickledState.SIGN)
    data = signing.write((thing, [1]))
    assert signing.read(data) == (thing, [1])
    with pytest.raises(StateFault, match="it has a pickled value with a signature of another key"):
        codec(PickledState.SIGN, b"other").read(data)
    with pytest.raises(StateFault, match="it has a pickled value with a signature of another key"):
        codec(PickledState.SIGN, None).read(data)
    with pytest.raises(StateFault, match="it has a pickled value, and pickled_state is 'refuse'"):
        codec().read(data)
    assert codec(PickledState.TRUST, None).read(data) == (thing, [1])
    with pytest.raises(StateFault, match="could only be pickled, and pickled_state is 'refuse'"):
        codec().write(thing)
    with pytest.raises(StateFault, match="can only be pickled, and there is no key to sign it"):
        codec(PickledState.SIGN, None).write(thing)


RUN: list[int] = []


def run(number: int) -> None:
    RUN.append(number)


class Bomb:
    def __reduce__(self) -> Any:
        return run, (1,)


@pytest.mark.parametrize("rule", [PickledState.SIGN, PickledState.REFUSE])
def test_nothing_that_somebody_else_wrote_runs_code(rule: PickledState) -> None:
    RUN.clear()
    bomb = codec(PickledState.SIGN, b"theirs").write(Bomb())
    for data in (bomb, bomb.replace(b'"signed":"', b'"signed":"0'), pickle.dumps(Bomb()), b'{"":"os:putenv","a":1}'):
        with pytest.raises(StateFault):
            codec(rule).read(data)
    assert not RUN
    codec(PickledState.TRUST).read(bomb)
    assert RUN


def test_a_module_is_not_loaded_to_read_what_is_no_pickle() -> None:
    assert "this" not in sys.modules
    with pytest.raises(StateFault, match=r"the class this:Zen \(a\), which is not there"):
        codec().read(b'{"":"this:Zen","a":1}')
    assert "this" not in sys.modules


def module(name: str, monkeypatch: pytest.MonkeyPatch, **classes: type) -> ModuleType:
    """A module of a program, as `python name.py` would have it under another name."""
    made = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, made)
    for cls in classes.values():
        cls.__module__ = name
    vars(made).update(classes)
    return made


def total(**fields: type) -> type:
    return dataclass(type("Total", (), {"__annotations__": fields, "__qualname__": "Total"}))


@pytest.mark.parametrize("pickled", [False, True])
def test_names_of_a_program_do_not_tell_how_it_was_started(monkeypatch: pytest.MonkeyPatch, *, pickled: bool) -> None:
    kind: Any = type("Total", (), {"__init__": Plain.__init__}) if pickled else total(a=int)
    kind.__qualname__ = "Total"
    thing, signing = kind(3), codec(PickledState.SIGN)
    module("__main__", monkeypatch, Total=kind)
    data = signing.write((thing, 1))
    assert b"__main__" not in data
    module("program", monkeypatch, Total=kind)
    module("__main__", monkeypatch)
    assert vars(codec(PickledState.SIGN).read(data)[0]) == {"a": 3}
    again = codec(PickledState.SIGN).write((thing, 1))
    assert again == data or pickled
    module("__main__", monkeypatch, Total=kind)
    assert vars(codec(PickledState.SIGN).read(again)[0]) == {"a": 3}


def test_a_class_that_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    module("old_place", monkeypatch, Total=total(a=int))
    data = codec().write(sys.modules["old_place"].Total(3))
    monkeypatch.delitem(sys.modules, "old_place")
    with pytest.raises(StateFault) as lost:
        codec().read(data)
    assert lost.value.reason == "it has a value of the class old_place:Total (a), which is not there"
    assert "hr.moved('old_place:Total', TheClass)" in lost.value.fix
    module("new_place", monkeypatch, Sum=(kind := total(a=int)))
    found = codec(moved={"old_place:Total": kind}).read(data)
    assert (type(found), vars(found)) == (kind, {"a": 3})


def test_a_class_that_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    module("program", monkeypatch, Total=total(a=int, b=str))
    data = codec().write((sys.modules["program"].Total(3, "x"), 5))
    module("program", monkeypatch, Total=total(a=int, c=str))
    with pytest.raises(StateFault) as changed:
        codec().read(data)
    assert changed.value.reason == "it has a value of the class program:Total with a, b; now it has a, c"


@pytest.mark.parametrize(
    "data", [b"", b"(", b"([1", b"v1234567", b"{", b'{"":"tuple"}', b"\xff", b'{"":"datetime","of":"x"}']
)
def test_bytes_that_are_damaged(data: bytes) -> None:
    with pytest.raises(StateFault, match="its bytes are damaged"):
        codec().read(data)


@pytest.mark.parametrize("thing", [10**5000, (10**5000, 3), [10**5000]], ids=["alone", "row", "list"])
def test_numbers_that_are_too_long(thing: Any) -> None:
    with pytest.raises(StateFault, match="JSON cannot say it: Exceeds the limit"):
        codec().write(thing)


def test_what_contains_itself() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(StateFault, match="it is nested too deeply, or contains itself"):
        codec().write(endless)
