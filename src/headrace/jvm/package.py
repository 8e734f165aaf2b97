"""headrace itself as one file, for Python on other machines."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

from headrace.jvm.paths import cache_folder, keep_newest, mark_used

PACKAGE = Path(__file__).parents[1]


def _folder(module: str) -> Path:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def package_zip() -> Path:
    """Return a zip that Python can import headrace from, made anew when the package has changed.

    With it goes what the Python processes of executors need.
    """
    folders = [PACKAGE, *map(_folder, ("cloudpickle",))]
    sources = {
        path.relative_to(folder.parent).as_posix(): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
    }
    digest = hashlib.sha256(b"".join(b"\0%s\0%d\0%s" % (n.encode(), len(c), c) for n, c in sources.items()))
    with cache_folder("package") as cache:
        made = cache / f"headrace-{digest.hexdigest()[:16]}.zip"
        if not mark_used(made):
            with tempfile.TemporaryDirectory(dir=cache, prefix=".make-") as temporary:
                draft = Path(temporary) / made.name
                with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
                    for name, content in sources.items():
                        archive.writestr(name, content)
                draft.replace(made)
            keep_newest(cache, "*.zip")
        return made
