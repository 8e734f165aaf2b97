"""The origin of a node is the user's own line, wherever the user's file lies."""

from __future__ import annotations

from pathlib import Path

import headrace as hr

_PACKAGE = Path(hr.__file__).parent


def test_a_file_whose_path_begins_as_headraces_own_is_the_users() -> None:
    program = "import headrace as hr\napp = hr.App('shop')\napp.stream('orders').to('seen')\n"
    names: dict[str, hr.App] = {}
    exec(compile(program, f"{_PACKAGE}_apps/shop.py", "exec"), names)
    assert {node.origin for node in names["app"].plan().nodes} == {"shop.py:3"}
