"""Table of the formats that a name stands for: at the command line, and between servers and their clients.

A new format is registered here, with a serde that needs no class, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from headrace.serde.base import Serde
from headrace.serde.json import json
from headrace.serde.primitives import PRIMITIVES

FORMATS: Mapping[str, Serde[Any]] = MappingProxyType({serde.name: serde for serde in (*PRIMITIVES, json())})
