"""Functions drawn at random, as users write them: what Python gives is what their expressions have to give."""

from __future__ import annotations

import linecache
import random
import re
from collections.abc import Callable
from typing import Any

from headrace.errors import NotTraceable, UnknownName, WrongType
from headrace.expr import Bound, bind, traced
from headrace.model.types import BOOL, FLOAT, INT, STR, Type

COLUMNS: tuple[Type, ...] = (STR, INT, FLOAT, BOOL, STR)
PARAMETERS = tuple(f"a{place}" for place in range(len(COLUMNS)))
ROWS: list[tuple[Any, ...]] = [
    ("a", 1, 0.5, True, "b"),
    ("", 0, 0.0, False, "a"),
    (None, None, None, None, None),
    ("ab", -3, -0.0, None, ""),
    ("0", 7, float("nan"), True, "a b"),
    (" a ", 2, float("inf"), False, None),
    ("B", None, 1e16, True, "é😀"),
    (None, 5, 2.25, False, "x"),
]

LIMIT, NAMES, WORDS, NOTHING, WORD, SIZES = (
    2,
    ("a", "b"),
    {"a", "", "x"},
    None,
    re.compile("[a-z]+ ?"),
    {"a": "s", "ab": "m"},
)


def shorter(text: str | None, most: int = 2) -> str:
    """A function of the user's that others call."""
    if text is None:
        return "-"
    return text if len(text) <= most else text[:most]


class Drawing:
    """Draws the source of functions; `depth` is how far they nest."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._locals: dict[str, list[str]] = {"str": [], "int": [], "float": []}

    def function(self) -> str:
        """A function named `drawn`: a lambda, or a `def` with statements."""
        kind = self._rng.choice(["str", "int", "float", "bool"])
        parameters = ", ".join([*PARAMETERS, "given='g'", "*", "most=3"])
        if self._rng.random() < 0.4:
            return f"drawn = lambda {parameters}: {self.of(kind, 4)}\n"
        body = self._statements(kind, 3, "    ")
        return f"def drawn({parameters}):\n{body}"

    def of(self, kind: str, depth: int) -> str:
        """An expression of a kind."""
        draw = {"str": self._str, "int": self._int, "float": self._float, "bool": self._bool}[kind]
        if depth > 0 and self._rng.random() < 0.35:
            some, other = self.of(kind, depth - 1), self.of(kind, depth - 1)
            either = [
                f"({some} or {other})",
                f"({some} and {other})",
                f"({some} if {self.condition(depth - 1)} else {other})",
            ]
            return self._rng.choice(either)
        return draw(depth)

    def condition(self, depth: int) -> str:
        """Something that is asked for its truth: it may be of any kind."""
        return self.of(self._rng.choice(["bool", "bool", "str", "int", "float"]), depth)

    def _str(self, depth: int) -> str:
        plain = ["a0", "a4", "'a'", "''", "given", "CLOSED", *self._locals["str"]]
        if depth <= 0:
            return self._rng.choice(plain)
        one, two = self._str(depth - 1), self.of(self._rng.choice(["str", "int", "float", "bool"]), depth - 1)
        named = self._rng.choice(["a1", "a2", "a3", "a1 + LIMIT", "len(a0)", "a2 if a1 else a4", *plain[:2]])
        shown = self._rng.choice([named, named, "a1:5d", "a2:,.2f", "a0:>4"])
        texts = [f"f'<{{{shown}}}>'", f"f'{{a0}}{{{named}!s}}'", f"str({two})", f"({one} + {one})", f"{one}.upper()"]
        calls = [f"shorter({one})", f"shorter({one}, most)", f"'-'.join([{one}, 'z'])", f"min({one}, 'b')"]
        calls += [f"'{{}}={{:>3}}'.format(a1, {one})", f"SIZES.get({one}, 'l')"]
        calls += [f"re.sub('a|b', 'c', {one})", f"(WORD.match({one}) or 'z') and 'y'"]
        return self._rng.choice([*plain, *texts, *calls])

    def _int(self, depth: int) -> str:
        plain = ["a1", "0", "3", "LIMIT", "most", *self._locals["int"]]
        if depth <= 0:
            return self._rng.choice(plain)
        one, two, text = self._int(depth - 1), self._int(depth - 1), self._str(depth - 1)
        more = [f"({one} + {two})", f"({one} - {two})", f"len({text})", f"max({one}, {two})", f"abs({one})"]
        return self._rng.choice([*plain, *more, f"int({self.of('float', depth - 1)})", f"({one} % {two})"])

    def _float(self, depth: int) -> str:
        plain = ["a2", "0.0", "1.5", *self._locals["float"]]
        if depth <= 0:
            return self._rng.choice(plain)
        one, two = self._float(depth - 1), self._float(depth - 1)
        return self._rng.choice([*plain, f"({one} + {two})", f"({one} / {two})", f"float({self._int(depth - 1)})"])

    def _bool(self, depth: int) -> str:
        if depth <= 0:
            return self._rng.choice(["a3", "True", "False", "(a1 == 1)"])
        kind = self._rng.choice(["str", "int", "float"])
        one, two, three = (self.of(kind, depth - 1) for _ in range(3))
        text, some = self.of("str", depth - 1), self.condition(depth - 1)
        sign = self._rng.choice(["<", "<=", ">", ">=", "==", "!="])
        name = self._rng.choice([*PARAMETERS, *self._locals[kind]])
        compared = [f"({one} {sign} {two})", f"({one} {sign} {two} <= {three})", f"(not {some})", f"bool({some})", "a3"]
        same = [f"({name} is None)", f"({name} is not None)", f"({name} is NOTHING)", f"({text} in NAMES)"]
        within = [
            f"({text} not in WORDS)",
            f"('a' in {text})",
            f"({text} not in {text})",
            f"({one} in ({two}, {three}))",
        ]
        matching = [
            f"bool(re.search('a+', {text}))",
            f"(WORD.match({text}) is not None)",
            f"{text}.startswith(('a', 'x'))",
        ]
        several = [f"any({text} == name for name in NAMES)", f"all([{some}, {some}])"]
        return self._rng.choice([*compared, *same, *within, *matching, *several])

    def _statements(self, kind: str, depth: int, indent: str) -> str:
        lines = []
        for _ in range(self._rng.randint(0, 2)):
            inner = self._rng.choice(["str", "int", "float"])
            name = f"{inner}{self._rng.randint(0, 1)}"
            lines.append(f"{indent}{name} = {self.of(inner, 2)}\n")
            self._locals[inner].append(name)
        if depth > 0 and self._rng.random() < 0.7:
            lines.append(f"{indent}if {self.condition(2)}:\n{self._block(kind, depth, indent)}")
            if self._rng.random() < 0.4:
                lines.append(f"{indent}elif {self.condition(2)}:\n{self._block(kind, depth, indent)}")
            if self._rng.random() < 0.4:
                lines.append(f"{indent}else:\n{self._block(kind, depth, indent)}")
                return "".join(lines)
        return "".join([*lines, f"{indent}return {self.of(kind, 3)}\n"])

    def _block(self, kind: str, depth: int, indent: str) -> str:
        known = {inner: list(names) for inner, names in self._locals.items()}
        try:
            return self._statements(kind, depth - 1, indent + "    ")
        finally:
            self._locals = known


def made(source: str, number: int) -> Callable[..., Any]:
    """The function of a source, with a closure, globals and defaults, and lines that can be read."""
    filename = f"<drawn-{number}>"
    text = "def around(CLOSED):\n" + "".join(f"    {line}\n" for line in source.splitlines()) + "    return drawn\n"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    home: dict[str, Any] = {
        one: globals()[one] for one in ("LIMIT", "NAMES", "WORDS", "NOTHING", "WORD", "SIZES", "re", "shorter")
    }
    exec(compile(text, filename, "exec", dont_inherit=True), home)
    found: Callable[..., Any] = home["around"]("closed")
    return found


def bound(function: Callable[..., Any]) -> Bound | None:
    """The function as an expression with its types; None if it stays Python code."""
    try:
        expr = traced(function, PARAMETERS, "drawn").expr
        return bind(expr, dict(zip(PARAMETERS, COLUMNS, strict=True)), "drawn")
    except (NotTraceable, WrongType, UnknownName):
        return None


def drawn(seed: int, count: int) -> list[tuple[str, Callable[..., Any], Bound | None]]:
    """Sources, their functions, and their expressions."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        source = Drawing(rng).function()
        function = made(source, number)
        found.append((source, function, bound(function)))
    return found
