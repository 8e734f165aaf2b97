"""Pairs of texts in one text, `city=Rome&name=Ann`: a format with a schema, so to speak.

What separates the pairs goes by the topic, as schemas do, and is told in a header, as their ids are: a partition may
have records of several writers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from headrace.model.type_compatibility import holds
from headrace.model.types import STR, Type, dict_of
from headrace.serde import STRING, Serde, Side
from headrace.serde.base import Headers
from headrace.serde.facts import Facts, KernelCodec, TextForm

CODEC = "headrace_formats.PairsCodec"


@dataclass(frozen=True, eq=False)
class PairsSerde(Serde[dict[str, str]]):
    """A dict of texts, its keys in their order: equal ones have equal bytes."""

    separators: Mapping[str, str] = field(default_factory=dict)
    """By topics, what separates the pairs; `&` elsewhere."""

    separator: str = "&"
    header: str = "pairs"

    name = "pairs"
    type: Type = field(default=dict_of(STR), init=False)

    @property
    def facts(self) -> Facts:
        codec = KernelCodec(CODEC, lambda: f"{self.header} {self.separator}")
        return Facts(format=self.name, kernel=codec, text=TextForm.JSON, headers=(self.header,))

    def for_topic(self, topic: str | None, side: Side) -> PairsSerde:
        if topic is None and self.separators:
            raise ValueError("what separates the pairs goes by the topic")
        return replace(self, separator=self.separators.get(topic or "", "&"), header=f"pairs-{side.value}")

    def for_type(self, type_: Type) -> Serde[Any] | None:
        return super().for_type(type_) or (self if holds(self.type, type_) else None)

    def write(self, value: dict[str, str]) -> bytes:
        for text in chain.from_iterable(value.items()):
            if "=" in text or self.separator in text:
                raise ValueError(f"the text {text} has a sign of its own in it")
        return self.separator.join(f"{key}={value[key]}" for key in sorted(value)).encode()

    def headers_of(self, value: dict[str, str]) -> Headers:  # noqa: ARG002
        return ((self.header, self.separator.encode()),)

    def read(self, data: bytes) -> dict[str, str]:
        return self._read(data, self.separator)

    def read_with(self, data: bytes, headers: Headers) -> dict[str, str]:
        told = dict(headers).get(self.header)
        return self._read(data, self.separator if told is None else STRING.read(told))

    def _read(self, data: bytes, separator: str) -> dict[str, str]:
        read: dict[str, str] = {}
        for pair in STRING.read(data).split(separator) if data else ():
            key, found, value = pair.partition("=")
            if not found:
                raise ValueError(f"the text {pair} is no pair")
            read[key] = value
        return read
