"""The syntax tree of a function, from its source, if that is there and is what the function was made of."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from warnings import catch_warnings

Definition = ast.FunctionDef | ast.Lambda


def definition_of(function: FunctionType) -> Definition | None:
    """A syntax tree of its own that gives the code of a function; None if there is none."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    # A file may have changed since it was imported.
    known = (node for made, node in _definitions(text).get(code.co_firstlineno, ()) if _alike(made, code))
    node = next(known, None)
    return None if node is None else bare(node)


def bare(node: Definition) -> Definition:
    """A copy without what is computed where a function is defined: its defaults, decorators and annotations."""
    copy = deepcopy(node)
    copy.args.defaults = [ast.Constant(None) for _ in copy.args.defaults]
    copy.args.kw_defaults = [one and ast.Constant(None) for one in copy.args.kw_defaults]
    if isinstance(copy, ast.FunctionDef):
        copy.decorator_list, copy.returns = [], None
    named = [*copy.args.posonlyargs, *copy.args.args, *copy.args.kwonlyargs, copy.args.vararg, copy.args.kwarg]
    for one in named:
        if one is not None:
            one.annotation = None
    return copy


def compiled(node: Definition, outside: tuple[str, ...], like: CodeType) -> CodeType | None:
    """The code of a tree that takes these names from around it; None if it cannot stand alone."""
    module = ast.parse(f"def around({', '.join(outside)}): pass")
    around = module.body[0]
    assert isinstance(around, ast.FunctionDef)
    around.body = [node if isinstance(node, ast.stmt) else ast.Expr(node)]
    try:
        with catch_warnings(action="ignore"):
            whole = compile(ast.fix_missing_locations(module), like.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return next((one for one in _inner(next(_inner(whole))) if one.co_name == like.co_name), None)


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (one for one in code.co_consts if isinstance(one, CodeType))


@lru_cache(64)
def _definitions(text: str) -> dict[int, list[tuple[CodeType, Definition]]]:
    """The functions in the text of a file with their codes, by their first lines."""
    found: dict[int, list[tuple[CodeType, Definition]]] = {}
    try:
        with catch_warnings(action="ignore"):  # they were said when the module was compiled
            whole = ast.parse(text)
            codes = list(_all_inner(compile(text, "<source>", "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):  # IPython's own commands, for one
        return found
    nodes: dict[tuple[int, str], list[Definition]] = {}
    for node in ast.walk(whole):
        if isinstance(node, Definition):
            nodes.setdefault(_beginning(node), []).append(node)
    for code in codes:
        inside = [node for node in nodes.get((code.co_firstlineno, code.co_name), ()) if _covers(node, code)]
        if inside:  # the last one to begin: a lambda may stand in another
            found.setdefault(code.co_firstlineno, []).append((code, max(inside, key=lambda node: node.col_offset)))
    return found


def _beginning(node: Definition) -> tuple[int, str]:
    """The first line of a function, and its name."""
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    return min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.name


def _covers(node: Definition, code: CodeType) -> bool:
    """Whether a code can be that of a lambda, of which one line may have several; others have names."""
    if not isinstance(node, ast.Lambda):
        return True
    body = node.body
    assert body.end_lineno is not None
    assert body.end_col_offset is not None
    places = [
        (one, two, three, four) for one, two, three, four in code.co_positions() if one and two and three and four
    ]
    first, last = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    # Without places, as with -X no_debug_ranges, lambdas of one line cannot be told apart.
    return bool(places) and all(first <= (one, three) and (two, four) <= last for one, two, three, four in places)


def _all_inner(code: CodeType) -> Iterator[CodeType]:
    for one in _inner(code):
        yield one
        yield from _all_inner(one)


def _alike(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same with the same names."""
    return (
        (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames)
        and (one.co_freevars, one.co_cellvars) == (other.co_freevars, other.co_cellvars)
        and len(one.co_consts) == len(other.co_consts)
        and all(map(_alike_constants, one.co_consts, other.co_consts))
    )


def _alike_constants(one: object, other: object) -> bool:
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return _alike(one, other)
    return repr(one) == repr(other)
