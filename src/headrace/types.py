"""Types for fields of records beyond Python's own: `import headrace.types as T`.

They stand wherever an annotation says a type: in a class, in `list[...]`, in `record({...})`, or beside the type that a
checker sees: `Annotated[dict[str, Any], order]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.model.records import schema_type
from headrace.model.source_lines import calling_line
from headrace.model.types import StructType

__all__ = ["record"]


def record(fields: Mapping[str, Any], name: str | None = None) -> StructType:
    """Records that no class describes: dicts with these keys, of the types that annotations say.

    A key that may be missing is `NotRequired[...]`. The name is what messages call the record.

        order = T.record({"customer": str, "unit price": float, "note": str | None})
        orders = app.stream("orders", value=hr.json(order))
    """
    return schema_type(fields, name, calling_line() or "?")
