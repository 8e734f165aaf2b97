"""Functions made anew from their syntax trees, with what symbols cannot overload written as calls that see them.

`x is None`, `x in (...)`, f-strings and calls stand in the new function as calls of `headrace.expr.meant`. All else is
the user's own code, compiled with the user's lines, with the same globals, closures and defaults.
"""

from __future__ import annotations

import ast
import functools
from functools import lru_cache
from types import CodeType, FunctionType, MethodType
from typing import Any, NoReturn

from headrace.expr.source import Definition, compiled, definition_of
from headrace.expr.syntax import IN_PLACE
from headrace.expr.where import place

SEEING = "headrace_"
"""The name by which the new functions know `headrace.expr.meant`; users cannot have it, for theirs are tried first."""

_ABOUT_ITSELF = frozenset({"__class__", "super", "locals", "vars", "globals", "eval", "exec", "dir"})
"""What a function that is called from elsewhere would not give the same."""
_NEW = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MEANT = {ast.Is: "same", ast.IsNot: "other", ast.In: "within", ast.NotIn: "without"}


class Acts(Exception):
    """A function does something beside computing its result, or something that sees no symbols."""

    def __init__(self, reason: str, line: str) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def reading(function: Any, seeing: object) -> Any:
    """A function that computes the same and sees symbols; None if its source is not there, or is no help.

    Raises `Acts` for one that does more than compute.
    """
    match function:
        case functools.partial():
            inner = reading(function.func, seeing)
            return inner and functools.partial(inner, *function.args, **function.keywords)
        case MethodType():
            inner = reading(function.__func__, seeing)
            return inner and MethodType(inner, function.__self__)
        case FunctionType():
            return _anew(function, seeing)
    called = None if isinstance(function, type) else getattr(type(function), "__call__", None)  # noqa: B004
    return reading(MethodType(called, function), seeing) if isinstance(called, FunctionType) else None


def _anew(function: FunctionType, seeing: object) -> FunctionType | None:
    code = _code_of(_Key(function))
    if code is None:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    made = FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(_cell(seeing) if name == SEEING else cells[name] for name in code.co_freevars),
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _cell(content: object) -> Any:
    return (lambda: content).__closure__[0]  # type: ignore[index]


class _Key:
    """A function by its code: the same function is often made several times, with other closures."""

    def __init__(self, function: FunctionType) -> None:
        self.function, self._code = function, function.__code__

    def __hash__(self) -> int:
        return hash(self._code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._code is other._code


@lru_cache(1024)
def _code_of(key: _Key) -> CodeType | None:
    code = key.function.__code__
    node = definition_of(key.function)
    if node is None or _ABOUT_ITSELF.intersection((*code.co_names, *code.co_freevars)):
        return None
    new = _Rewriting(code.co_filename).function(node)
    return compiled(new, (*code.co_freevars, SEEING), code)


class _Rewriting(ast.NodeTransformer):
    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._own: list[set[str]] = []
        self._given: list[set[str]] = []
        self._stored: list[set[str]] = []

    def function(self, node: Definition) -> Definition:
        """The function with all that symbols cannot overload written as calls."""
        found = self.visit(node)
        assert isinstance(found, Definition)
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._scope(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._scope(node)

    def _scope(self, node: Definition) -> ast.AST:
        given = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        self._given.append(given)
        self._own.append(_made_by(node) - given)
        self._stored.append(set(_stored_by(node)))
        try:
            return self.generic_visit(node)
        finally:
            self._stored.pop()
            self._own.pop()
            self._given.pop()

    # -- what symbols cannot overload

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _MEANT:
            return self._meant(_MEANT[type(node.ops[0])], node, [node.left, *node.comparators])
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts = [self.visit(part) for part in node.values]
        return self._meant("text", node, parts)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        spec = self.visit(node.format_spec) if node.format_spec is not None else ast.Constant("")
        return self._meant("formatted", node, [self.visit(node.value), ast.Constant(node.conversion), spec])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return self._meant("called", node, [node.func, *node.args], node.keywords)

    def _meant(self, name: str, node: ast.expr, args: list[Any], named: list[ast.keyword] | None = None) -> ast.AST:
        helper = ast.Attribute(ast.Name(SEEING, ast.Load()), name, ast.Load())
        made = ast.Call(helper, args, named or [])
        return ast.copy_location(made, node)

    # -- what does more than compute

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        match node.value:
            case ast.Constant():
                pass
            case ast.Call(ast.Attribute(ast.Name(name), method)) if method in IN_PLACE and name in self._own[-1]:
                pass  # of a list or dict that the function has made itself
            case ast.Call(ast.Attribute(ast.Name(name), method)) if method in IN_PLACE and self._is_outside(name):
                self._acts(f"{name} would change once, while the topology is declared, not for each record", node)
            case ast.Call(ast.Attribute(_, method)) if method in IN_PLACE:
                self._acts(f"{method}() changes the value in place: make a new one of it instead", node)
            case _:
                self._acts(f"`{ast.unparse(node.value)}` is not part of the result: what it does is not seen", node)
        return self.generic_visit(node)

    def _is_outside(self, name: str) -> bool:
        return not any(name in names for names in (*self._given, *self._stored))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self._check_kept(node, f".{node.attr}")
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self._check_kept(node, "[...]")
        return self.generic_visit(node)

    def _check_kept(self, node: ast.Attribute | ast.Subscript, what: str) -> None:
        changed = node.value.id if isinstance(node.value, ast.Name) and not isinstance(node.ctx, ast.Load) else None
        if any(changed in given for given in self._given):
            changes = f"`{what} = ...`" if isinstance(node.ctx, ast.Store) else f"`del` of {_deleted(what)}"
            self._acts(f"{changes} changes the value in place: make a new one of it instead", node)

    def _acts(self, reason: str, node: ast.AST) -> NoReturn:
        raise Acts(reason, place(self._filename, node.lineno))  # type: ignore[attr-defined]


def _made_by(node: Definition) -> set[str]:
    """The names of lists and dicts that a function makes itself, and puts nothing else in the place of."""
    assigned = [one for one in ast.walk(node) if isinstance(one, ast.Assign | ast.AnnAssign)]
    made = [one for one in assigned if isinstance(one.value, _NEW)]
    targets = [target for one in made for target in (one.targets if isinstance(one, ast.Assign) else [one.target])]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    stored = _stored_by(node)
    return {name for name in names if stored.count(name) == names.count(name)}


def _stored_by(node: Definition) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _deleted(what: str) -> str:
    return "an item" if what == "[...]" else what
