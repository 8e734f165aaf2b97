"""The `headrace` command: its groups, and what happens to errors."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import click

from headrace import __version__
from headrace.errors import HeadraceError

_INTERRUPTED = 130

# name -> where it is, and what it is for. Imported when called: `headrace --help` must not load a Kafka client.
_COMMANDS = {
    "run": ("headrace.cli.app:run", "Run an application until Ctrl-C."),
    "describe": ("headrace.cli.app:describe", "Print an application's topology."),
    "explain": ("headrace.cli.app:explain", "Print how an application runs on Spark."),
    "diff": ("headrace.cli.diff:diff", "Compare an application with the state that it has."),
    "reset": ("headrace.cli.reset:reset", "Have an application begin anew, from another place in its topics."),
    "adopt": ("headrace.cli.adopt:adopt", "Begin with the state and positions of a Kafka Streams application."),
    "rescale": ("headrace.cli.rescale:rescale", "Change the number of an application's tasks, and keep its state."),
    "acls": ("headrace.cli.acls:acls", "Print what an application must be allowed on its broker."),
    "errors": ("headrace.cli.errors:errors", "List, show and re-send records that an application could not handle."),
    "query": ("headrace.cli.query:query", "Ask the stores of an application while it runs, and serve them."),
    "demo": ("headrace.cli.demo:demo", "Run a demo, or list them all."),
    "broker": ("headrace.cli.broker:broker", "Start, stop and look at the embedded Kafka broker."),
    "topics": ("headrace.cli.topics:topics", "List, create, describe, delete, fill and read topics."),
    "doctor": ("headrace.cli.doctor:doctor", "Say what is there and what is missing on this machine."),
    "jars": ("headrace.cli.jars:jars", "Fetch the jars that pyspark lacks, and print where they are."),
}


@dataclass
class Options:
    """Options of every command."""

    verbose: bool = False


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, purpose) in _COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="headrace", message="%(prog)s %(version)s")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Show Spark's log on the console, and with an error where in the code it came from.",
)
@click.pass_obj
def cli(options: Options, verbose: bool) -> None:
    """Kafka Streams for Python, on Spark.

    An application is an ordinary Python program that reads and writes Kafka topics. Without a broker of your own,
    headrace starts one on this machine when it is first needed, and ends it when nobody uses it any more.
    """
    options.verbose = verbose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error of ours is told in words, not as a traceback."""
    options = Options()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start jobs in the background with it ignored
    try:
        code = cli.main(arguments, prog_name="headrace", standalone_mode=False, obj=options)
    except HeadraceError as error:
        if options.verbose:
            traceback.print_exc()
        _tell(error)
        return 1
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as abort:
        # Click makes an Abort of Ctrl-C, and of a "no" to a question.
        stopped = isinstance(abort.__cause__, KeyboardInterrupt)
        click.echo("stopped" if stopped else "nothing was done", err=True)
        return _INTERRUPTED if stopped else 1
    return code if isinstance(code, int) else 0


def _tell(error: HeadraceError) -> None:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {error.what}", err=True)
    for label, text in (("at", error.where), ("to do", error.fix)):
        if text:
            click.echo(f"  {click.style(f'{label}:', bold=True)} {text}", err=True)


if __name__ == "__main__":
    sys.exit(main())
