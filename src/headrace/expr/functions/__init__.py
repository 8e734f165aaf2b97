"""The one table of functions: each row has its types, its Python form and its Catalyst form.

A new function is a row here, a function of the front door in `front` if Python has no syntax for it, and values to try
it on in `tests/conformance/test_expressions.py`, which walks this table.
"""

from headrace.expr.functions.convert import CONVERT
from headrace.expr.functions.logic import LOGIC
from headrace.expr.functions.numbers import NUMBERS
from headrace.expr.functions.row import ANY, Function, signature
from headrace.expr.functions.text import TEXT

TABLE: tuple[Function, ...] = (*NUMBERS, *TEXT, *LOGIC, *CONVERT)

__all__ = ["ANY", "TABLE", "Function", "signature"]
