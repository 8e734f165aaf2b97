"""Options that name a broker, and the connection they make."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

import click
from click.core import ParameterSource

from headrace.errors import TopicMissing
from headrace.log.broker import EmbeddedBroker
from headrace.log.properties import ADDRESS, parse

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Target:
    """The broker a command was asked to speak to; without an address the embedded one."""

    address: str | None
    kafka: Mapping[str, str]
    from_environment: bool = False
    """The address is the user's habit, not a wish for this one command."""


@dataclass(frozen=True)
class BrokerConnection:
    """A broker that is there for the time of a command."""

    address: str
    kafka: Mapping[str, str]
    embedded: bool


def broker_options(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options that name a broker; it gets a `Target` as its first argument."""

    @click.option(
        "--broker",
        "address",
        envvar="HEADRACE_BROKER",
        metavar="HOST:PORT",
        help="Broker to speak to. Default: $HEADRACE_BROKER, else the embedded broker, started when it does not run.",
    )
    @click.option(
        "-X",
        "properties",
        multiple=True,
        metavar="NAME=VALUE",
        callback=lambda _context, _option, given: pairs(given),
        help="Kafka client property, such as security.protocol=SASL_SSL. May be repeated.",
    )
    @click.option(
        "--config",
        "config_file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="File of Kafka client properties, name=value lines; -X wins over it. --broker wins over its broker.",
    )
    @functools.wraps(command)
    def with_target(
        *args: object, address: str | None, properties: Mapping[str, str], config_file: Path | None, **options: object
    ) -> R:
        from_file = parse(config_file.read_text()) if config_file else {}
        from_environment = click.get_current_context().get_parameter_source("address") is ParameterSource.ENVIRONMENT
        kafka = {**from_file, **properties}
        named = [kafka.pop(name) for name in ADDRESS if name in kafka]
        if named and (address is None or from_environment):
            address, from_environment = named[0], False
        return command(Target(address, kafka, from_environment), *args, **options)  # type: ignore[arg-type]

    return with_target


def pairs(given: tuple[str, ...]) -> dict[str, str]:
    """The NAME=VALUE arguments of a repeatable option; of the same name the last one counts."""
    return dict(all_pairs(given))


def all_pairs(given: tuple[str, ...]) -> list[tuple[str, str]]:
    """The NAME=VALUE arguments of an option that may be given twice for one name."""
    split = [text.partition("=") for text in given]
    for name, equals, _ in split:
        if not equals or not name:
            raise click.BadParameter(f"{name!r} has no value, NAME=VALUE is needed")
    return [(name, value) for name, _, value in split]


@contextmanager
def connected(target: Target) -> Iterator[BrokerConnection]:
    """The named broker, or the embedded one, which runs at least until the end of the block."""
    if target.address is not None:
        yield BrokerConnection(target.address, target.kafka, embedded=False)
        return
    with EmbeddedBroker().join(say=lambda text: click.echo(text, err=True)) as lease:
        try:
            yield BrokerConnection(lease.address, target.kafka, embedded=True)
        except TopicMissing as missing:
            raise TopicMissing(missing.topics, missing.address, missing.partitions, embedded=True) from None
