"""Where the browser is that pages are tested in. As a program: says so, or fails."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def browser_path() -> str | None:
    """The one that HEADRACE_BROWSER names, else the first that is found; None if there is none."""
    named = os.environ.get("HEADRACE_BROWSER")
    found = [shutil.which(name) for name in ((named,) if named else _NAMES)]
    if not named and Path(_MAC).exists():
        found.append(_MAC)
    return next(filter(None, found), None)


if __name__ == "__main__":
    sys.exit(browser_path() is None)
