"""Static files: the page of an application, its parts, and pages of the user's own."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from headrace.errors import PathUnknown

OWN = "headrace"
"""Below this path are our files; everything else is looked for among the user's."""

_SITE = Path(__file__).parents[1] / "site"


class SiteFiles:
    """The user's files at /, if there are any, and ours at /headrace; `/name` is also looked for as `name.html`."""

    def __init__(self, directory: str | Path | None) -> None:
        self._own = StaticFiles(directory=_SITE)
        self._users = StaticFiles(directory=directory, html=True) if directory is not None else None

    async def answer(self, path: str, scope: Scope) -> Response:
        """The file of a path, or the user's page for what is not there; PathUnknown if there is none."""
        name = path.removeprefix("/")
        if name.startswith(f"{OWN}/"):
            candidates = [(self._own, name.removeprefix(f"{OWN}/"))]
        else:
            candidates = [] if self._users is None else [(self._users, name or "."), (self._users, f"{name}.html")]
            candidates += [] if name else [(self._own, "index.html")]
        missing: Response | None = None
        for files, file in candidates:
            try:
                found = await files.get_response(file, scope)
            except (HTTPException, OSError, ValueError):
                continue  # no file, none that may be read, or a path that cannot be one
            if found.status_code != 404:
                return found
            missing = found
        if missing is None:
            raise PathUnknown
        return missing
