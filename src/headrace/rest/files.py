"""Files for browsers: the page of the application, what pages are made of, and pages of the user's own."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from headrace.errors import PathUnknown

OWN = "headrace"
"""Below this path are our files; everything else is looked for among the user's."""

_SITE = Path(__file__).with_name("site")


class Files:
    """The user's files at /, if there are any, and ours at /headrace; `/name` is also looked for as `name.html`."""

    def __init__(self, directory: str | Path | None) -> None:
        self._own = StaticFiles(directory=_SITE)
        self._users = StaticFiles(directory=directory, html=True) if directory is not None else None

    async def answer(self, path: str, scope: Scope) -> Response:
        """The file of a path; PathUnknown if there is none."""
        name = path.removeprefix("/")
        if name.startswith(f"{OWN}/"):
            return await _found(self._own, scope, name.removeprefix(f"{OWN}/"))
        if self._users is not None:
            try:
                return await _found(self._users, scope, name or ".", f"{name}.html")
            except PathUnknown:
                if name:
                    raise
        return await _found(self._own, scope, *([] if name else ["index.html"]))


async def _found(files: StaticFiles, scope: Scope, *paths: str) -> Response:
    for path in paths:
        try:
            return await files.get_response(path, scope)
        except (HTTPException, OSError, ValueError):
            continue  # no file, none that may be read, or a path that cannot be one
    raise PathUnknown
