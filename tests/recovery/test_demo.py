"""The demo, as `make demo` runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark


def test_word_count_ends_by_itself_with_the_right_table(broker_dir: Path) -> None:
    command = [sys.executable, "-m", "headrace.cli.main", "demo", "word-count"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    assert "│ the    │ 24,864 │" in done.stdout
    assert "141,924 words in 10,000 lines, 150 different ones: just what Python's Counter says" in done.stdout
    assert (broker_dir / "logs").is_dir()
