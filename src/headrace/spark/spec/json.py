"""A spec as JSON, which the kernel reads by the names of its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def to_json(spec: Any, indent: int | None = None) -> str:
    """The JSON of a spec; fields that are None are left out."""
    return json.dumps(_plain(spec), indent=indent)


def _plain(part: Any) -> Any:
    if is_dataclass(part):
        named = {field.name: getattr(part, field.name) for field in fields(part)}
        return {name: _plain(value) for name, value in named.items() if value is not None}
    if isinstance(part, Enum):
        return part.value
    if isinstance(part, Mapping):
        return {str(_plain(key)): _plain(value) for key, value in part.items()}
    if isinstance(part, tuple):
        return [_plain(one) for one in part]
    return part
