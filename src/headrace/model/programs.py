"""Programs of users: modules under names that every process finds them by."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

MAIN = "__main__"
"""What the module is called that Python was started with, whatever others call it."""


class Loaded(NamedTuple):
    """A program that was loaded, and the text of its file then."""

    module: ModuleType
    text: bytes


_loaded: dict[str, Loaded] = {}
_begun: list[str] = []


class NameUnusable(Exception):
    """A file cannot be a module: why, and what to do."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason)
        self.reason, self.fix = reason, fix


def module_name(file: Path) -> tuple[str, Path]:
    """The name of a file as a module, and the folder from which that name finds it: the one around its packages.

    >>> module_name(Path("/srv/shop.py"))
    ('shop', PosixPath('/srv'))
    """
    names, folder = [file.stem], file.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names), folder


def load(file: Path) -> ModuleType:
    """The module of a program, run anew, as `python file.py` would have it: what stands beside it can be imported.

    It is in `sys.modules`, and its folder in `sys.path`: a process that gets both finds its functions and classes.
    """
    file = file.resolve()
    if file.suffix != ".py" or "." in file.stem:
        raise NameUnusable("Python cannot import a file of this name", f"rename it, such as {_plain(file.stem)}.py")
    name, root = module_name(file)
    first, before = dict.fromkeys((str(file.parent), str(root))), list(sys.path)
    sys.path[:] = [*first, *(folder for folder in before if folder not in first)]
    importlib.invalidate_caches()
    if _loaded.pop(name, None) is not None:
        sys.modules.pop(name, None)
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != file:
        sys.path[:] = before
        other = getattr(spec, "origin", None) or "a part of Python"
        raise NameUnusable(f"another module is called {name}: {other}", "give the file another name")
    module = importlib.util.module_from_spec(spec)
    text = file.read_bytes()
    sys.modules[name], _loaded[name] = module, Loaded(module, text)
    try:
        exec(compile(text, str(file), "exec"), vars(module))
    except BaseException:
        del sys.modules[name], _loaded[name]
        raise
    return module


def loaded() -> list[ModuleType]:
    """The programs that were loaded from their files."""
    return [one.module for one in _loaded.values()]


def digest() -> str:
    """The digest of the programs that were loaded: a process that has imported other texts of them does not know these.

    A process that loads a program again, as a test or a shell does, may find another text in its file.
    """
    found = hashlib.sha256()
    for name, one in sorted(_loaded.items()):
        found.update(name.encode() + b"\0" + hashlib.sha256(one.text).digest())
    return found.hexdigest()[:16]


def begin(module: str) -> None:
    """Make this module the program of the process, instead of the one that Python was started with."""
    _begun[:] = [module]


def name_of_program() -> str:
    """The name by which others import the program of this process; `__main__` if nobody can."""
    if _begun:
        return _begun[0]
    main = sys.modules[MAIN]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if spec is not None:
        return str(spec.name)
    return module_name(Path(file).resolve())[0] if file and file.endswith(".py") else MAIN


def _plain(stem: str) -> str:
    return stem.replace(".", "_")
