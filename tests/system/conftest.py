"""What only these tests need of the machine."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest


@pytest.fixture
def chance() -> random.Random:
    """Random moments; the seed is in the output."""
    seed = random.randrange(1_000_000)
    print("seed", seed)
    return random.Random(seed)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Make a file system of a size, such as "64m", and return where it is."""
    with ExitStack() as made:

        def make(size: str) -> Path:
            place = tmp_path / f"disk-{size}"
            place.mkdir()
            mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
            if subprocess.run(mount, check=False, capture_output=True).returncode:
                pytest.skip("needs the right to mount a file system")
            made.callback(subprocess.run, ["umount", "--lazy", str(place)], check=True)
            return place

        yield make
