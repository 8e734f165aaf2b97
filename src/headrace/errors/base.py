"""The root of all errors: what happened, where, what to do.

`code` is a stable word for programs; the message is for people.
"""

from __future__ import annotations

from typing import ClassVar

from headrace.errors.printable import safe_lines


class HeadraceError(Exception):
    """Root of all errors raised on purpose."""

    code: ClassVar[str] = "headrace"
    may_pass: ClassVar[bool] = False
    """Whether the same may go well when it is tried again."""

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        what = safe_lines(what)  # some quote records, or what the user's code says of them
        self.what, self.where, self.fix = what, where, fix
        lines = [what]
        if where:
            lines.append(f"  at: {where}")
        if fix:
            lines.append(f"  to do: {fix}")
        super().__init__("\n".join(lines))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows below a cell: the words, for the traceback says nothing more; %debug has it still."""
        return [f"error: {self}"]
