"""What an application says in the foreground."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import logging
from headrace.runtime.life.console import LOGGER, lines_on_console

with lines_on_console():
    logging.info("py4j says something like this when it loses the JVM")
    LOGGER.info("running again")
"""


def test_it_is_printed_once_when_a_library_sets_up_logging_meanwhile() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ran.stderr == "running again\n"
