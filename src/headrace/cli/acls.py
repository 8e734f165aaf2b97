"""`headrace acls`: the rights that an application needs on its broker."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from headrace.cli.connection import Target, broker_options
from headrace.cli.load import app_target, beside_option, load_app, target_of
from headrace.engine.registry import STATE_IN_KAFKA
from headrace.log.secrets import with_secrets
from headrace.passes.pipeline import rewrite
from headrace.runtime.preflight.acls import acls_of, topics_by_records

_ANY_BROKER = "localhost:9092"
_USER = "sasl.username"


@click.command()
@app_target
@click.option(
    "--principal",
    metavar="User:NAME",
    help="User to give the rights to. Default: the user of sasl.username, else one of the application's name.",
)
@click.option("--command-config", "config", metavar="FILE", help="For Kafka's tool: an administrator's properties.")
@beside_option
@click.option("--reset", "made_anew", is_flag=True, help="With what `headrace reset` and `rescale` need beside.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, for programs.")
@broker_options
def acls(
    broker: Target,
    target: str,
    principal: str | None,
    config: str | None,
    beside: str | None,
    made_anew: bool,
    as_json: bool,
) -> None:
    """Print what an application must be allowed on its broker, and no more: ACLs, as commands of Kafka's own tool.

    APP is file.py, file.py:name or package.module:name. Nobody is asked: it is all in the topology. Topics have to be
    there already, or whoever makes them needs more.

        headrace acls word_count.py --principal User:ann --command-config admin.properties | sh
    """
    app = load_app(target, beside=beside)
    chosen, plan = target_of(app, broker), rewrite(app.plan())
    state, served = app.engine in STATE_IN_KAFKA, app.serve is not None
    transactions = state or app.guarantee == "exactly_once"
    needed = acls_of(plan, transactions=transactions, state=state, asked=True, served=served, made_anew=made_anew)
    user = {_USER: chosen.kafka.get(_USER, app.id)}
    whom = principal or f"User:{with_secrets(user)[_USER]}"
    if as_json:
        click.echo(json.dumps([{"principal": whom, **asdict(acl)} for acl in needed], indent=2))
    else:
        for acl in needed:
            click.echo(acl.command(chosen.address or _ANY_BROKER, whom, config))
    for node in topics_by_records(plan):
        click.echo(f"and Write on each topic that records name at {node}", err=True)
