"""Compile the kernel into the wheel. An editable install needs nothing: a checkout compiles it when it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface[Any]):
    """Puts the kernel into a standard wheel, named with its SHA-256; the source tree stays as it is."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "src"))
        from headrace.jvm.kernel import compiled, packaged
        from headrace.jvm.lock import sha256

        jar = compiled(root / "kernel")
        build_data["force_include"][str(jar)] = str(packaged(Path("headrace/jvm")).named(sha256(jar)))
