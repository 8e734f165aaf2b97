"""The table of Python's functions: each row has its types, its Python form and its Catalyst form.

A new function is a row here, a function in `headrace.functions` if Python has no syntax for it, and values to try it on
in `tests/conformance/test_expressions.py`, which walks this table.
"""

from headrace.expr.functions.char_classes import CHAR_CLASSES
from headrace.expr.functions.convert import CONVERT
from headrace.expr.functions.datetimes import MOMENTS
from headrace.expr.functions.digests import DIGESTS
from headrace.expr.functions.formats import FORMATS
from headrace.expr.functions.items import ITEMS
from headrace.expr.functions.logic import LOGIC
from headrace.expr.functions.numbers import NUMBERS
from headrace.expr.functions.patterns import PATTERNS
from headrace.expr.functions.rounding import ROUNDING
from headrace.expr.functions.row import ANY, KEY, Fails, Function, Null, Overflow, signature
from headrace.expr.functions.substrings import PARTS
from headrace.expr.functions.table import FunctionTable
from headrace.expr.functions.text import TEXT
from headrace.expr.functions.untyped_json import OBJECTS
from headrace.expr.functions.urls import URLS

_TEXTS = (*FORMATS, *TEXT, *CHAR_CLASSES, *PARTS, *PATTERNS, *URLS, *DIGESTS)
# Rows that take anything come last: those for given types mean the same and are faster.
PYTHON = FunctionTable((*NUMBERS, *ROUNDING, *_TEXTS, *ITEMS, *LOGIC, *CONVERT, *MOMENTS, *OBJECTS))
TABLE = PYTHON.rows

__all__ = ["ANY", "KEY", "PYTHON", "TABLE", "Fails", "Function", "FunctionTable", "Null", "Overflow", "signature"]
