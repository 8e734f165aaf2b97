"""Records as JSON."""

from headrace.serde.json.serde import JsonSerde, json

__all__ = ["JsonSerde", "json"]
