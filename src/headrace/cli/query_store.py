"""`headrace query STORE ...`: ask one store."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import click

from headrace.cli.key_value_text import dumps
from headrace.cli.query_options import as_json, entry_lines, server_options, shown
from headrace.cli.record_lines import time_given
from headrace.errors import ParameterInvalid
from headrace.errors.printable import safe
from headrace.query.position import Position
from headrace.query.store import Store
from headrace.rest.client.client import Connection, RemoteStore

P = ParamSpec("P")
R = TypeVar("R")


def store_group(name: str) -> click.Group:
    """The commands of the store of that name."""
    group = click.Group(name, help=f"Ask the store {name}.")
    for command in (get, range_, prefix, all_, count, fetch, find, holders, watch):
        group.add_command(_bound(command, name))
    return group


def _bound(command: click.Command, store: str) -> click.Command:
    """A command whose first argument is the name of the store."""
    assert command.callback is not None
    callback = functools.partial(command.callback, store)
    bound = click.Command(command.name, params=command.params, help=command.help, callback=callback)
    bound.short_help = command.short_help
    return bound


def asking(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options of every question; it gets the store on these terms as its first argument."""

    @click.option("--at-least", metavar="POSITION", help="Wait for an answer that reflects this position.")
    @click.option(
        "--timeout", metavar="TIME", default="5s", show_default=True, help="Longest time to wait for an answer."
    )
    @click.option("--stale", is_flag=True, help="Take an answer that may lag rather than none.")
    @click.option("--json", "json_lines", is_flag=True, help="Print JSON, one object a line.")
    @server_options
    @functools.wraps(command)
    def with_store(
        connection: Connection,
        name: str,
        *args: object,
        at_least: str | None,
        timeout: str,
        stale: bool,
        **options: object,
    ) -> R:
        store: Store = connection.store(name).at_least(Position.read(at_least or ""), timeout)
        return command(store.stale() if stale else store, *args, **options)  # type: ignore[arg-type]

    return with_store


def listing(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options of lists."""
    command = click.option("--limit", type=click.IntRange(min=1), help="Number of entries at the most.")(command)
    return click.option("--reverse", is_flag=True, help="The last key first.")(command)


def timed(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options that bound windows."""
    command = click.option("--to", "last", metavar="TIME", callback=time_given, help="Only windows up to this time.")(
        command
    )
    return click.option("--from", "first", metavar="TIME", callback=time_given, help="Only windows from this time on.")(
        command
    )


@click.command()
@click.argument("key")
@asking
def get(store: RemoteStore, key: str, json_lines: bool) -> None:
    """Print the value of KEY; exit code 1 if there is none.

    Keys are written as in a URL: text as it is, numbers in digits, true or false, bytes in base64url, others as JSON.
    """
    answer = store.answers.get(_key(store, key))
    if json_lines:
        told = {"key": key, "value": as_json(answer.value), "position": str(answer.position)}
        click.echo(dumps(told))
    elif answer.value is not None:
        click.echo(safe(shown(answer.value)))
    if answer.value is None:
        click.echo(f"store {store.name} has no key {safe(key)}", err=True)
        sys.exit(1)


@click.command("range")
@click.argument("first", metavar="[FROM]", required=False)
@click.argument("last", metavar="[TO]", required=False)
@listing
@asking
def range_(
    store: RemoteStore, first: str | None, last: str | None, reverse: bool, limit: int | None, json_lines: bool
) -> None:
    """Print the entries from one key to another; both are inside."""
    bounds = (None if one is None else _key(store, one) for one in (first, last))
    entry_lines(store.range(*bounds, reverse=reverse, limit=limit), json_lines=json_lines)


@click.command()
@click.argument("prefix")
@listing
@asking
def prefix(store: RemoteStore, prefix: str, reverse: bool, limit: int | None, json_lines: bool) -> None:
    """Print the entries whose keys begin with PREFIX."""
    entry_lines(store.prefix(_key(store, prefix), reverse=reverse, limit=limit), json_lines=json_lines)


@click.command("all")
@listing
@asking
def all_(store: RemoteStore, reverse: bool, limit: int | None, json_lines: bool) -> None:
    """Print every entry."""
    if limit is not None or not json_lines:
        entry_lines(store.all(reverse=reverse, limit=limit), json_lines=json_lines)
        return
    for page in store.pages(reverse=reverse):
        entry_lines(page, json_lines=True)


@click.command()
@asking
def count(store: RemoteStore, json_lines: bool) -> None:
    """Print how many entries there are."""
    answer = store.answers.count()
    click.echo(dumps({"count": answer.value, "position": str(answer.position)}) if json_lines else str(answer.value))


@click.command()
@click.argument("key", required=False)
@timed
@listing
@asking
def fetch(
    store: RemoteStore,
    key: str | None,
    first: int | None,
    last: int | None,
    reverse: bool,
    limit: int | None,
    json_lines: bool,
) -> None:
    """Print windows that begin within a time: of KEY, or of all keys."""
    between = {name: at for name, at in (("first", first), ("last", last)) if at is not None}
    if key is None:
        found = store.fetch_all(**between, reverse=reverse, limit=limit)
    else:
        found = store.fetch(_key(store, key), **between, reverse=reverse, limit=limit)
    entry_lines(found, json_lines=json_lines)


@click.command()
@click.argument("key")
@timed
@listing
@asking
def find(
    store: RemoteStore,
    key: str,
    first: int | None,
    last: int | None,
    reverse: bool,
    limit: int | None,
    json_lines: bool,
) -> None:
    """Print the sessions of KEY that have a moment within a time."""
    between = {name: at for name, at in (("first", first), ("last", last)) if at is not None}
    found = store.find(_key(store, key), **between, reverse=reverse, limit=limit)
    entry_lines(found, json_lines=json_lines)


@click.command()
@click.argument("key")
@asking
def holders(store: RemoteStore, key: str, json_lines: bool) -> None:
    """Print the instances that answer for KEY, the one that is asked first in front."""
    for member in store.holders_of_text(key):
        click.echo(dumps({"name": member.name, "url": member.url}) if json_lines else f"{member.name}\t{member.url}")


@click.command()
@click.argument("key", required=False)
@click.option("--from", "first", metavar="KEY", help="Only keys from this one on.")
@click.option("--to", "last", metavar="KEY", help="Only keys up to this one.")
@click.option("--prefix", metavar="TEXT", help="Only keys with this prefix.")
@click.option("--max", "most", type=click.IntRange(min=1), metavar="N", help="End after N lines.")
@asking
def watch(
    store: RemoteStore,
    key: str | None,
    first: str | None,
    last: str | None,
    prefix: str | None,
    most: int | None,
    json_lines: bool,
) -> None:
    """Print all entries and then each change, until Ctrl-C: of KEY, of some keys, or of all.

    A key that is gone has null for a value.
    """
    bounds = {"first": first, "last": last, "prefix": prefix}
    watched = {name: _key(store, text) for name, text in bounds.items() if text is not None}
    changes = store.watch(None if key is None else _key(store, key), **watched)
    for number, change in enumerate(changes, 1):
        if json_lines:
            click.echo(dumps({"key": as_json(change.key), "value": as_json(change.value), "ts": change.ts}))
        else:
            value = "null" if change.value is None else shown(change.value)
            click.echo(f"{safe(shown(change.key))}\t{safe(value)}")
        if number == most:
            break
    changes.close()


def _key(store: RemoteStore, text: str) -> Any:
    try:
        return store.key_of(text)
    except ValueError as exc:
        raise ParameterInvalid("KEY", text, f"a key of store {store.name}: {exc}") from None
