"""One word, one meaning: a public class has a name of its own, but where one thing has a form in several rooms."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import headrace

PACKAGE = Path(headrace.__file__).parent

# Rooms with other forms of things: what the kernel is told of nodes, stores as processors see them, state as nodes
# declare it, what type checkers know of joins.
FORMS = ("spark/spec/", "processor/", "plan/state/", "dsl/stream_join_types.py", "dsl/table_join_types.py")

# What users know by one name, and what is made of a declaration: the second is never seen beside the first.
KNOWN = {
    "Answer": "a reply to a query; a message of a foreign-key join",
    "Change": "of a table; as a remote watch tells it",
    "Count": "a node; a query",
    "Form": "of values in paths and bodies; of values in state",
    "Fold": "declared; with its steps",
    "Input": "of an expression; from the log",
    "RowByRow": "a node; its operator",
    "State": "of an application, which users read; of a task",
    "Store": "declared; as programs query it",
    "Window": "of time; a declared window store",
}


def public_classes() -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(PACKAGE).as_posix())
    return found


def test_a_public_class_has_a_name_of_its_own() -> None:
    own = {name: [one for one in files if not one.startswith(FORMS)] for name, files in public_classes().items()}
    assert {name: files for name, files in own.items() if len(files) > 1 and name not in KNOWN} == {}
    assert [name for name in KNOWN if len(own.get(name, ())) < 2] == []
