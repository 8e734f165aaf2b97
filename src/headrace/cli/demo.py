"""`headrace demo`: applications to look at."""

from __future__ import annotations

from importlib import import_module

import click

_DEMOS = {
    "word-count": ("headrace.cli.demos.word_count:run", "Count the words of a text as it flows in, in a live table."),
}


@click.command()
@click.argument("name", required=False)
def demo(name: str | None) -> None:
    """Run a demo, or list them all."""
    if name is None:
        click.echo("Run one with: headrace demo NAME")
        for known, (_, purpose) in _DEMOS.items():
            click.echo(f"  {known:<12}{purpose}")
        return
    if name not in _DEMOS:
        raise click.BadParameter(f"there is no demo {name!r}; there is {', '.join(_DEMOS)}", param_hint="NAME")
    module, _, function = _DEMOS[name][0].partition(":")
    getattr(import_module(module), function)()
