"""Notebooks: the shell that this process runs in, if it is one, and the cells of it."""

from __future__ import annotations

import sys
from typing import Any


def shell() -> Any | None:
    """The IPython shell of this process, of a notebook or a terminal; None in an ordinary program."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def cell_of(filename: str) -> str | None:
    """`cell 3`, if IPython has given this file name to the code of a cell; its number is the one beside the cell."""
    named = getattr(getattr(shell(), "compile", None), "format_code_name", None)
    name = named(filename) if named is not None else None
    return None if name is None else f"cell {name[1].removeprefix('In[').removesuffix(']')}"


def display(thing: object) -> None:
    """Show something below the cell that runs."""
    sys.modules["IPython"].display.display(thing)
