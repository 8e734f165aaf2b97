"""`headrace doctor`: what is there and what is missing."""

from __future__ import annotations

import json

import click

from headrace.cli.connection import Target, broker_options
from headrace.runtime.commands.doctor import Verdict, examine

_COLORS = {Verdict.OK: "green", Verdict.NOTE: "yellow", Verdict.MISSING: "red"}
_WIDTH = max(len(verdict.value) for verdict in Verdict)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, for programs.")
@broker_options
@click.pass_context
def doctor(context: click.Context, broker: Target, as_json: bool) -> None:
    """Say what an application needs on this machine, and what of it is missing.

    Looks at Java, Spark, jars, the kernel, memory, disk, the broker, and more, and changes nothing. The exit code is 1
    when something is missing without which no application runs.

        headrace doctor
        headrace doctor --broker kafka-1:9092 -X security.protocol=SSL
    """
    found = []
    for finding in examine(broker.address, broker.kafka):
        found.append(finding)
        if not as_json:
            shown = click.style(f"{finding.verdict.value:<{_WIDTH}}", fg=_COLORS[finding.verdict])
            click.echo(f"{shown}  {finding.name:<15} {finding.what}")
            if finding.fix:
                click.echo(f"{'':<{_WIDTH + 18}}to do: {finding.fix}")
    missing = [finding.name for finding in found if finding.verdict is Verdict.MISSING]
    if as_json:
        checks = [{"name": one.name, "verdict": one.verdict.value, "what": one.what, "fix": one.fix} for one in found]
        click.echo(json.dumps({"ok": not missing, "checks": checks}, indent=2))
    elif missing:
        click.echo(f"\nmissing: {', '.join(missing)}")
    else:
        click.echo("\nall that an application needs is there")
    context.exit(1 if missing else 0)
