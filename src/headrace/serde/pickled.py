"""Values of any type, between Python and Python."""

from __future__ import annotations

import pickle
from typing import Any

from headrace.model.types import OBJECT
from headrace.serde.base import Serde

_PROTOCOL = 5


class PickledSerde(Serde[Any]):
    """Writes whatever can be pickled: for what one Python process hands to another, never for a topic."""

    name = "pickled"
    type = OBJECT

    def write(self, value: Any) -> bytes:
        try:
            return pickle.dumps(value, _PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as exc:
            raise ValueError(f"{value!r} cannot be handed to another process: {exc}") from exc

    def read(self, data: bytes) -> Any:
        return pickle.loads(data)


PICKLED = PickledSerde()
