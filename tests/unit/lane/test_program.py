"""Programs that are shipped to Python processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cloudpickle

from headrace.model.programs import load

FAR = """
import pickle, sys
from headrace.lane.program import shipped
make = shipped(sys.stdin.buffer.read())
made = make(3)
assert pickle.loads(pickle.dumps(made)) == made
print(made)
"""


def test_classes_of_a_program_whose_file_is_elsewhere_are_found_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "far_away.py"
    file.write_text(
        "from dataclasses import dataclass\n\n@dataclass\nclass Total:\n    amount: int\n\n"
        "def make(amount):\n    return Total(amount)\n"
    )
    program = load(file)
    cloudpickle.register_pickle_by_value(program)
    try:
        code = cloudpickle.dumps(program.make)
    finally:
        cloudpickle.unregister_pickle_by_value(program)
    far = subprocess.run([sys.executable, "-c", FAR], input=code, capture_output=True, check=True)
    assert far.stdout == b"Total(amount=3)\n"
