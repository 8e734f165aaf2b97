"""Faults of a Python process, as lines that the application reads at the other end."""

from __future__ import annotations

import json
import traceback

from headrace.errors import HeadraceError, RecordFailed
from headrace.model.fault_kinds import FaultKind

_LONGEST = 4000


def fault_text(exc: BaseException) -> str:
    """An error as text; with where in the user's code it comes from."""
    told = exc if isinstance(exc, HeadraceError) else RecordFailed("a task", f"{type(exc).__name__}: {exc}", None)
    cause = exc.__cause__ if isinstance(exc, HeadraceError) else exc
    trace = "" if cause is None else "".join(traceback.format_exception(cause)).rstrip()[-_LONGEST:]
    return json.dumps(
        {
            "kind": FaultKind.PYTHON,
            "subject": told.code,
            "reason": told.what[:_LONGEST],
            "where": told.where or "",
            "trace": json.dumps({"fix": told.fix or "", "lines": trace}),
        }
    )
