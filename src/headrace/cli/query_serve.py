"""`headrace query serve`: one more instance for the stores of an application."""

from __future__ import annotations

import threading
from pathlib import Path

import click

from headrace.cli.connection import Target, broker_options, connected
from headrace.cli.load import app_target, load_app, target_of
from headrace.errors import StoreNotAsked
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Changelog
from headrace.rest.server.settings import USUAL_ADDRESS, Serve
from headrace.runtime.life.console import lines_on_console, on_stop_signal
from headrace.runtime.life.queries import Queries, usual_directory

_LOOK_S = 0.2
_FILE = click.Path(exists=True, dir_okay=False)


@click.command()
@app_target
@click.option("--listen", metavar="HOST:PORT", default=USUAL_ADDRESS, show_default=True, help="Address to answer at.")
@click.option("--url", metavar="URL", help="Address for other instances. Default: that of --listen.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory of its copies of the stores. Default: one for each application and port.",
)
@click.option(
    "--standbys", type=click.IntRange(min=0), default=0, help="Number of further instances that hold each partition."
)
@click.option("--certificate", type=_FILE, help="Certificate for TLS, PEM.")
@click.option("--key", type=_FILE, help="Its key, PEM.")
@click.option("--trusted", type=_FILE, help="PEM file of certificates that other instances' are signed by.")
@click.option("--users", type=_FILE, help="File of users who may query, see: headrace query users.")
@click.option("--secret", metavar="TEXT", help="Secret that all instances sign with: ${env:NAME} or ${file:/path}.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="Site whose pages may ask. May be repeated.")
@broker_options
def serve(
    broker: Target,
    target: str,
    listen: str,
    url: str | None,
    directory: Path | None,
    standbys: int,
    certificate: str | None,
    key: str | None,
    trusted: str | None,
    users: str | None,
    secret: str | None,
    origins: tuple[str, ...],
) -> None:
    """Answer queries for the stores of APP until Ctrl-C.

    APP is file.py, file.py:name or package.module:name. It is not run: this is one more instance beside the one that
    the application itself has, on this machine or another. They share the stores out among them; if one goes, the
    others take over. The first time it builds its copies from the changelogs, later it goes on from them.
    """
    app = load_app(target)
    plan = rewrite(app.plan())
    if not plan.of(Changelog):
        raise StoreNotAsked("*", app.id, ())
    settings = Serve(
        address=listen,
        url=url,
        certificate=certificate,
        key=key,
        trusted=trusted,
        users=users,
        secret=secret,
        origins=origins,
        standbys=standbys,
        directory=directory,
    )
    stop = threading.Event()
    with lines_on_console(), on_stop_signal(stop.set), connected(target_of(app, broker)) as to:
        queries = Queries(app.id, settings, app.say)
        try:
            instance = queries.start(plan, to.address, to.kafka, usual_directory(app.id, queries.port))
            while not instance.ready and not stop.wait(_LOOK_S):
                pass
            if instance.ready:
                app.say("ready")
            stop.wait()
        finally:
            queries.close()
        app.say("closed")
