"""Options of commands that query a server: address, login, and the form of answers."""

from __future__ import annotations

import base64
import functools
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

import click

from headrace.cli.key_value_text import dumps
from headrace.errors.printable import safe
from headrace.model.windows import Windowed
from headrace.rest.client.connect import USUAL_URL, connect

P = ParamSpec("P")
R = TypeVar("R")

_WIDEST = 100


def server_options(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options that name a server; it gets a `Connection` as its first argument."""

    @click.option(
        "--url",
        "urls",
        multiple=True,
        envvar="HEADRACE_QUERY_URL",
        metavar="URL",
        help=f"Server to ask; of several, the first that is there. Default: $HEADRACE_QUERY_URL, else {USUAL_URL}.",
    )
    @click.option("--app", metavar="APP", help="Application, of a server that answers for several.")
    @click.option("--token", envvar="HEADRACE_QUERY_TOKEN", metavar="TOKEN", help="Default: $HEADRACE_QUERY_TOKEN.")
    @click.option("--user", metavar="NAME", help="Ask for the password of this user instead.")
    @click.option("--trusted", type=click.Path(exists=True, dir_okay=False), help="PEM file of certificates to trust.")
    @functools.wraps(command)
    def with_connection(
        *args: object,
        urls: tuple[str, ...],
        app: str | None,
        token: str | None,
        user: str | None,
        trusted: str | None,
        **options: object,
    ) -> R:
        login = (user, click.prompt(f"password of {user}", hide_input=True, err=True)) if user else None
        with connect(urls or USUAL_URL, app=app, token=token, user=login, trusted=trusted) as connection:
            return command(connection, *args, **options)  # type: ignore[arg-type]

    return with_connection


def shown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows: on a terminal as a table, in a pipe as lines with tabs."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(map(safe, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns)
    for row in rows:
        table.add_row(*(Text(_short(safe(cell))) for cell in row))
    Console().print(table)


def shown(value: Any) -> str:
    """A key or a value as text on one line."""
    match value:
        case str():
            return value
        case bytes():
            return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
        case Windowed(key=key, start=start, end=end):
            return f"{shown(key)}@{start}/{end}"
    return dumps(as_json(value))


def as_json(value: Any) -> Any:
    """A key or a value as JSON can say it."""
    match value:
        case bytes():
            return shown(value)
        case Windowed(key=key, start=start, end=end):
            return {"key": as_json(key), "start": start, "end": end}
        case float() if not math.isfinite(value):
            return json.dumps(value)
    return value


def entry_lines(entries: Mapping[Any, Any], *, json_lines: bool) -> None:
    """Print entries."""
    if json_lines:
        for key, value in entries.items():
            click.echo(dumps({"key": as_json(key), "value": as_json(value)}))
    else:
        shown_table(("key", "value"), [(shown(key), shown(value)) for key, value in entries.items()])


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
