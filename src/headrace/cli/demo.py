"""`headrace demo`: applications to look at."""

from __future__ import annotations

from importlib import import_module

import click

_DEMOS = {
    "word-count": (
        "headrace.cli.demos.word_count:run",
        "Count the words of a text as it flows in, in a live table and on a page.",
        10.0,
    ),
    "music": (
        "headrace.cli.demos.music:run",
        "Join plays with songs, and rank the songs overall and by genre, on a page that moves.",
        60.0,
    ),
}


@click.command()
@click.argument("name", required=False)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True, max=24 * 60 * 60),
    metavar="N",
    help="Time for which records come; the demo ends when all of them are counted.",
)
@click.option("--stay", is_flag=True, help="Go on until Ctrl-C.")
def demo(name: str | None, seconds: float | None, stay: bool) -> None:
    """Run a demo, or list them all.

    headrace demo music --stay
    """
    if name is None:
        click.echo("Run one with: headrace demo NAME")
        for known, (_, purpose, _) in _DEMOS.items():
            click.echo(f"  {known:<12}{purpose}")
        return
    if name not in _DEMOS:
        raise click.BadParameter(f"there is no demo {name!r}; there is {', '.join(_DEMOS)}", param_hint="NAME")
    if stay and seconds is not None:
        raise click.UsageError("--seconds and --stay exclude one another")
    where, _, usual_s = _DEMOS[name]
    module, _, function = where.partition(":")
    getattr(import_module(module), function)(None if stay else seconds or usual_s)
