"""Previews of commands: what they would do is shown first, and confirmed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def preview_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options `--dry-run` and `--yes`, for `wanted`."""
    for option in (
        click.option("-y", "--yes", is_flag=True, help="Do not ask first."),
        click.option("--dry-run", is_flag=True, help="Only say what would be done."),
    ):
        command = option(command)
    return command


def wanted(question: str, *, dry_run: bool, yes: bool) -> bool:
    """Whether what was shown is to be done: not with `--dry-run`; who says no to the question ends the command."""
    if dry_run:
        click.echo("nothing was done (--dry-run)")
        return False
    if not yes:
        click.confirm(question, abort=True, err=True)
    return True
