"""What the machine gives: too few files for a JVM are told before one is started."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.errors import FilesTooFew
from headrace.runtime.life.machine import refuse_few_descriptors

_PROGRAM = """
import resource
import headrace as hr

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
app = hr.App("few", checkpoint="few", broker="127.0.0.1:1")
app.stream("in").to("out")
app.run()
"""


def test_a_limit_that_cannot_be_raised_is_told(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    words = (
        "error: this process may have 256 files open, and an application needs 512 or more\n  to do: raise the limit"
    )
    assert ran.stderr.startswith(words), ran.stderr
    assert ran.returncode == 1


def test_a_limit_that_can_be_raised_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
    refuse_few_descriptors()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))
    refuse_few_descriptors()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 511))
    with pytest.raises(FilesTooFew, match="may have 511 files open"):
        refuse_few_descriptors()
