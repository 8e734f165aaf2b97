"""The hook puts the kernel into a standard wheel and leaves an editable one alone."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from headrace.jvm import kernel

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("version", ["standard", "editable"])
def test_what_is_included(version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tmp_path / "made.jar"
    made.write_bytes(b"classes")
    inside = f"headrace/jvm/kernel.{hashlib.sha256(b'classes').hexdigest()}.jar"
    included = {str(made): inside} if version == "standard" else {}
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    asked: list[Path] = []

    def compiled(folder: Path) -> Path:
        asked.append(folder)
        return made

    monkeypatch.setattr(kernel, "compiled", compiled)
    monkeypatch.setattr(sys, "path", list(sys.path))
    data: dict[str, Any] = {"force_include": {}}
    module.KernelHook(str(ROOT), {}, None, None, "", "wheel").initialize(version, data)
    assert data == {"force_include": included}
    assert asked == ([ROOT / "kernel"] if included else [])
