"""Types of records, from the classes users write, and the words for what a record cannot hold."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NotRequired, Optional, TypedDict

import pytest

import headrace.types as T
from headrace.errors import FieldsNotRead, FieldTypeUnknown, HeadraceError, NotARecord
from headrace.model.records import record_type
from headrace.model.types import STR, StructType


class Status(Enum):
    NEW = "new"
    PAID = "paid"


class Mixed(Enum):
    ONE = 1
    TWO = "two"


@dataclass
class Address:
    city: str
    code: int | None


@dataclass
class Order:
    customer: str
    amount: float
    number: int
    paid: bool
    raw: bytes
    at: datetime
    price: Decimal
    status: Status
    address: Address
    other: Optional[Address]  # noqa: UP045
    tags: list[str]
    scores: dict[str, list[int | None]]
    rest: Any
    note: str = ""


class Click(TypedDict):
    user: str
    page: int


class MoreClick(Click, total=False):
    referrer: str


@dataclass
class BadField:
    good: str
    bad: complex


@dataclass
class BadKey:
    scores: dict[Any, str]


@dataclass
class BadUnion:
    either: int | str


@dataclass
class BadEnum:
    which: Mixed


@dataclass
class Inside:
    again: list[Inside]


@dataclass
class Nowhere:
    missing: NotThere  # type: ignore[name-defined]  # noqa: F821


def test_every_field_has_its_type() -> None:
    struct = record_type(Order, "here")
    assert str(struct) == "Order"
    assert {field.name: str(field.type) for field in struct.fields} == {
        "customer": "str",
        "amount": "float",
        "number": "int",
        "paid": "bool",
        "raw": "bytes",
        "at": "datetime",
        "price": "Decimal",
        "status": "Status",
        "address": "Address",
        "other": "Address | None",
        "tags": "list[str]",
        "scores": "dict[str, list[int | None]]",
        "rest": "json",
        "note": "str",
    }
    assert [field.name for field in struct.fields if not field.needed] == ["note"]


def test_the_catalyst_twin() -> None:
    assert record_type(Address, "here").sql == "struct<`city`:string,`code`:bigint>"


def test_a_typed_dict() -> None:
    struct = record_type(MoreClick, "here")
    assert struct.keyed
    assert [(field.name, str(field.type), field.needed) for field in struct.fields] == [
        ("user", "str", True),
        ("page", "int", True),
        ("referrer", "str", False),
    ]


def test_keys_that_need_not_be_there() -> None:
    marks = pytest.importorskip("typing_extensions")
    loose = marks.TypedDict("loose", {"user": str, "page": marks.NotRequired[int]})
    loose.__module__ = __name__
    assert [(field.name, str(field.type), field.needed) for field in record_type(loose, "here").fields] == [
        ("user", "str", True),
        ("page", "int", False),
    ]


def test_a_pydantic_model(monkeypatch: pytest.MonkeyPatch) -> None:
    # pydantic is no dependency: what is asked of it is little enough to stand in for it here.
    class BaseModel:
        pass

    pydantic = types.ModuleType("pydantic")
    pydantic.BaseModel = BaseModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pydantic", pydantic)

    class Info:
        def __init__(self, required: bool) -> None:
            self.is_required = lambda: required

    class Model(BaseModel):
        name: str
        size: int
        model_fields = {"name": Info(True), "size": Info(False)}

    struct = record_type(Model, "here")
    assert [(field.name, str(field.type), field.needed) for field in struct.fields] == [
        ("name", "str", True),
        ("size", "int", False),
    ]
    assert not struct.keyed


def line_of(text: str) -> int:
    lines = Path(__file__).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if line.startswith(text))


@pytest.mark.parametrize(
    ("cls", "error", "words", "line"),
    [
        (BadField, FieldTypeUnknown, "BadField.bad is complex, which a record cannot hold", "    bad: complex"),
        (BadKey, FieldTypeUnknown, "BadKey.scores is dict[Any, str]", "    scores: dict[Any"),
        (BadUnion, FieldTypeUnknown, "BadUnion.either is int | str", "    either:"),
        (BadEnum, FieldTypeUnknown, "BadEnum.which is Mixed, whose members are not all str or all int", "    which:"),
        (Inside, FieldsNotRead, "the fields of Inside cannot be read: Inside contains Inside again", "class Inside"),
        (Nowhere, FieldsNotRead, "the fields of Nowhere cannot be read: name 'NotThere' is not", "class Nowhere"),
    ],
)
def test_what_a_record_cannot_hold_is_named(cls: type, error: type[HeadraceError], words: str, line: str) -> None:
    with pytest.raises(error) as caught:
        record_type(cls, "here")
    assert words in caught.value.what
    assert caught.value.where == f"test_records.py:{line_of(line)}"
    assert caught.value.fix is not None


def test_a_class_without_fields_is_no_record() -> None:
    with pytest.raises(NotARecord, match=r"int does not describe records\n  at: app.py:7\n  to do: give a dataclass"):
        record_type(int, "app.py:7")


def test_a_record_that_no_class_describes() -> None:
    line = T.record({"product": str, "unit price": float})
    fields = {"customer": str, "lines": list[line], "note": NotRequired[int | None]}  # type: ignore[valid-type]
    sale = T.record(fields, "Sale")
    assert (str(sale), str(line)) == ("Sale", "{'product': str, 'unit price': float}")
    assert [(one.name, str(one.type), one.needed) for one in sale.fields] == [
        ("customer", "str", True),
        ("lines", "list[{'product': str, 'unit price': float}]", True),
        ("note", "int | None", False),
    ]
    assert sale == T.record(fields, "Sale")
    assert line.sql == "struct<`product`:string,`unit price`:double>"
    assert sale.sql == f"struct<`customer`:string,`lines`:array<{line.sql}>,`note`:struct<value:bigint>>"


PRODUCT = T.record({"product": str})


@dataclass
class Basket:
    first: Annotated[dict[str, str], PRODUCT]


def test_an_annotation_names_a_type_for_headrace() -> None:
    (first,) = record_type(Basket, "app.py:7").fields
    assert first.type == PRODUCT
    assert isinstance(first.type, StructType)
    assert [one.type for one in first.type.fields] == [STR]


def test_a_record_that_no_class_describes_names_the_field_it_cannot_hold() -> None:
    with pytest.raises(FieldTypeUnknown, match=r"Sale\.amount.* complex.*\n.*test_records\.py:\d+"):
        T.record({"amount": complex}, "Sale")
