"""`headrace query`: ask the stores of an application that runs, and serve them."""

from __future__ import annotations

import click

from headrace.cli.query_options import server_options, shown_table
from headrace.cli.query_serve import serve
from headrace.cli.query_store import store_group
from headrace.cli.query_users import users
from headrace.rest.client.client import Connection


class QueryGroup(click.Group):
    """A group in which any other word is the name of a store."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or (None if cmd_name.startswith("-") else store_group(cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_commands(ctx, formatter)
        of_a_store = store_group("STORE")
        with formatter.section("Commands of a store"):
            named = ((name, of_a_store.commands[name]) for name in of_a_store.list_commands(ctx))
            formatter.write_dl([(f"STORE {name}", one.get_short_help_str(80)) for name, one in named])


@click.group(cls=QueryGroup)
def query() -> None:
    """Ask the stores of an application while it runs.

    \b
    headrace query stores
    headrace query counts get be
    headrace query counts range a f --limit 10
    headrace query counts watch --prefix b

    A running application answers by itself. More instances are started with `headrace query serve app.py`: they share
    the stores out among them, and each answers for all.
    """


query.add_command(serve)
query.add_command(users)


@query.command()
@server_options
def stores(connection: Connection) -> None:
    """List the stores that can be asked."""
    found = connection.about()
    rows = [(one["name"], one["kind"], one["key"], one["value"], one["changelog"]) for one in found]
    shown_table(("store", "kind", "keys", "values", "changelog"), rows)


@query.command()
@server_options
def instances(connection: Connection) -> None:
    """List the instances that are up, what they hold, and how far they are behind."""
    rows = []
    for member in connection.instances():
        ready = sum(share.ready for share in member.shares)
        partitions = sorted({share.partition for share in member.shares})
        lag = sum(share.lag for share in member.shares)
        told = "all" if ready == len(member.shares) else f"{ready} of {len(member.shares)}"
        rows.append((member.name, member.url, ",".join(map(str, partitions)) or "none", told, f"{lag:,}"))
    shown_table(("instance", "address", "partitions", "ready", "lag"), rows)
