"""Choices between two expressions, in the shortest words that mean the same."""

from __future__ import annotations

from headrace.expr.functions import TABLE
from headrace.expr.tree import Call, Literal, Tree
from headrace.model.types import BOOL

_OTHERS = {row.name for row in TABLE if row.gives != BOOL or row.gives_none(*(False for _ in row.takes))}
_SAYING = {row.name for row in TABLE} - _OTHERS


def says(tree: Tree) -> bool:
    """Whether an expression gives True or False, whatever its arguments are."""
    return isinstance(tree, Call) and tree.function in _SAYING


def truth(tree: Tree) -> Tree:
    """`bool(tree)`."""
    return tree if says(tree) else Call("bool", (tree,), line=tree.line)


def choice(condition: Tree, then: Tree, otherwise: Tree) -> Tree:
    """`then if condition else otherwise`; the condition gives True or False."""
    then = _literal(True, then) if _same(then, condition) else then
    otherwise = _literal(False, otherwise) if _same(otherwise, condition) else otherwise
    match _truth_of(then), _truth_of(otherwise):
        case True, False:
            return condition
        case False, True:
            return _not(condition)
        case None, False if says(then):
            return _and(condition, then)
        case True, None if says(otherwise):
            return _or(condition, otherwise)
        case None, True if says(then):
            return _or(_not(condition), then)
        case False, None if says(otherwise):
            return _and(_not(condition), otherwise)
    match then, otherwise:
        case Call("if", (one, first, second)), Call("if", (two, third, fourth)) if _same(
            (first, second), (third, fourth)
        ):
            return choice(choice(condition, one, two), first, second)
        case Call("if", (inner, first, second)), _ if _same(second, otherwise):
            return choice(_and(condition, inner), first, second)
        case _, Call("if", (inner, first, second)) if _same(first, then):
            return choice(_or(condition, inner), first, second)
        case Call("|", (first, second)), _ if _same(second, otherwise):
            return _or(_and(condition, first), second)
        case _, Call("&", (first, second)) if _same(second, then):
            return _and(_or(condition, first), second)
    return Call("if", (condition, then, otherwise), line=condition.line)


def of_numbers(tree: Tree) -> Tree:
    """A choice between ints and floats as one of floats, for a function that says that it gives those."""
    match tree:
        case Call("if", (condition, then, otherwise)):
            return Call("when", (condition, of_numbers(then), of_numbers(otherwise)), line=tree.line)
    return tree


def _and(one: Tree, other: Tree) -> Tree:
    return Call("&", (one, other), line=one.line)


def _or(one: Tree, other: Tree) -> Tree:
    return Call("|", (one, other), line=one.line)


def _not(one: Tree) -> Tree:
    return one.args[0] if isinstance(one, Call) and one.function == "~" else Call("~", (one,), line=one.line)


def _literal(value: bool, tree: Tree) -> Tree:
    return Literal(value, BOOL, line=tree.line)


def _truth_of(tree: Tree) -> bool | None:
    return tree.value if isinstance(tree, Literal) and isinstance(tree.value, bool) else None


def _same(one: object, other: object) -> bool:
    # Their texts, for == takes 0.0 for -0.0, and no NaN for itself.
    return one == other and repr(one) == repr(other)
