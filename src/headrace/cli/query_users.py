"""`headrace query users`: the file of users who may query."""

from __future__ import annotations

from pathlib import Path

import click

from headrace.cli.query_options import shown_table
from headrace.log.files import write_whole
from headrace.rest.server.users import (
    SHORTEST_PASSWORD,
    Role,
    User,
    checked_app,
    checked_user,
    hashed_password,
    hashed_token,
    new_token,
    read_users,
    users_in,
)

_PATH = click.Path(dir_okay=False, path_type=Path)


def _name(_context: click.Context, _argument: click.Parameter, given: str) -> str:
    try:
        return checked_user(given)
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from None


def _apps(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> frozenset[str] | None:
    try:
        return frozenset(map(checked_app, given)) or None
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from None


@click.group()
def users() -> None:
    """Add and list those who may ask, in a file for hr.Serve(users=...) or --users.

    To remove somebody, remove the line. A server reads the file again when it has changed.
    """


@users.command()
@click.argument("file", type=_PATH)
@click.argument("name", callback=_name)
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.READ.value,
    show_default=True,
    help="read: ask and watch. admin: also see and end watchers.",
)
@click.option(
    "--app",
    "apps",
    multiple=True,
    metavar="APP",
    callback=_apps,
    help="Only for this application. May be repeated. Default: for every application.",
)
@click.option("--password", is_flag=True, help="Ask for a password instead of making a token.")
def add(file: Path, name: str, role: str, apps: frozenset[str] | None, password: bool) -> None:
    """Add NAME to FILE, with a new token, which is printed once and kept nowhere, or a password."""
    if password:
        said = click.prompt(f"password of {name}", hide_input=True, confirmation_prompt=True, err=True)
        if len(said) < SHORTEST_PASSWORD:
            raise click.UsageError(f"a password has {SHORTEST_PASSWORD} letters or more")
        secret, token = hashed_password(said), None
    else:
        token = new_token(name)
        secret = hashed_token(token)
    user = User(name, Role(role), apps, secret)
    before = ""
    if file.exists():
        users_in(file)
        before = file.read_text("utf-8")
    write_whole(file, before + ("" if before.endswith("\n") or not before else "\n") + user.line + "\n")
    if token is not None:
        click.echo(token)
    for_apps = ", ".join(sorted(apps)) if apps else "every application"
    click.echo(f"added {name} to {file}, for {for_apps}", err=True)


@users.command("list")
@click.argument("file", type=_PATH)
def list_(file: Path) -> None:
    """List who is in FILE."""
    rows = [
        (user.name, user.role.value, ",".join(sorted(user.apps or ())) or "all", user.secret.partition("$")[0])
        for user in read_users(file)
    ]
    shown_table(("name", "role", "applications", "secret"), rows)
