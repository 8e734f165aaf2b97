"""Classes of users by names that every process resolves: `module:Class`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from headrace.errors import OptionInvalid
from headrace.model.programs import MAIN, name_of_program
from headrace.model.source_lines import calling_line

_moved: dict[str, type] = {}


def moved(name: str, cls: type) -> None:
    """Name under which state knows a class of another name now: `hr.moved("old.module:Total", Total)`.

    It has to have the same fields. Say it in the program, before the application starts.
    """
    here = calling_line() or "?"
    module, _, qualname = name.partition(":") if isinstance(name, str) else ("", "", "")
    if not module or not qualname:
        raise OptionInvalid("name", name, 'the old module and class, "old.module:Total"', here)
    if not isinstance(cls, type):
        raise OptionInvalid("cls", cls, "the class itself", here)
    _moved[name] = cls


def moved_classes() -> dict[str, type]:
    """The classes that have moved, by their old names."""
    return dict(_moved)


class Classes:
    """Finds classes by their names, and names by classes.

    `program` is what others call the module that is `__main__` here. Classes that came `by_value` are in no module.
    """

    def __init__(self, program: str, moved: Mapping[str, type], by_value: Iterable[type] = ()) -> None:
        self.program, self._moved = program, dict(moved)
        self._by_value = {self.name(cls): cls for cls in by_value}

    @staticmethod
    def here() -> Classes:
        """Classes of this process."""
        return Classes(name_of_program(), _moved)

    def name(self, thing: Any) -> str:
        """The name of a class, or of a function."""
        module = self.program if thing.__module__ == MAIN else thing.__module__
        return f"{module}:{thing.__qualname__}"

    def find(self, name: str, *, load: bool = False) -> Any:
        """Find a class by its name; `LookupError` without it. Modules load only if told so: that runs their code."""
        if name in self._moved:
            return self._moved[name]
        module, _, qualname = name.partition(":")
        if module == MAIN:
            return self.find(f"{self.program}:{qualname}", load=load)
        if name in self._by_value:
            return self._by_value[name]
        for place in self._modules(module, load=load):
            found: Any = place
            for part in qualname.split("."):
                found = getattr(found, part, None)
            if found is not None:
                return found
        raise LookupError(name)

    def _modules(self, name: str, *, load: bool) -> Iterable[Any]:
        if name == self.program:
            yield sys.modules[MAIN]
        try:
            there = sys.modules.get(name) or (import_module(name) if load or name == self.program else None)
        except ImportError:
            return
        if there is not None:
            yield there
