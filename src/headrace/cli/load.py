"""Application of a command: the program that it names, loaded."""

from __future__ import annotations

import importlib
import sys
import traceback
from functools import cache
from pathlib import Path

import click

from headrace.cli.connection import Target
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.place import Place
from headrace.engine.registry import STATE_IN_KAFKA
from headrace.errors import AppNotFound, CommandWithoutCheckpoint, HeadraceError
from headrace.model import programs
from headrace.runtime.app import App

_DEFAULT_NAME = "app"

app_target = click.argument("target", metavar="APP")
"""The argument that names an application."""


def target_of(app: App, given: Target) -> Target:
    """The broker to speak to: what was said for this command wins over what the application says."""
    address = app.broker if given.from_environment and app.broker else given.address or app.broker
    return Target(address, {**app.kafka, **given.kafka})


checkpoint_option = click.option(
    "--checkpoint",
    metavar="PLACE",
    help="Directory, or address of one that a cluster shares, to go on from. Default: as the application says.",
)


beside_option = click.option(
    "--as", "beside", metavar="NAME", help="For the run beside it, see: headrace run --as NAME."
)


def load_app(target: str, checkpoint: str | None = None, beside: str | None = None) -> App:
    """The application in `file.py`, `file.py:name` or `package.module:name`; the name is `app` if not given.

    With `checkpoint` it goes on from there, whatever it says; with `beside` it is the run of this name beside it.
    """
    app = _found(target)
    app.checkpoint = Place.of(checkpoint, app.id) if checkpoint else app.checkpoint
    if beside is not None:
        app.run_beside(beside)
    return app


def _found(target: str) -> App:
    place, _, name = target.partition(":")
    name = name or _DEFAULT_NAME
    names = _names_in(place, target)
    found = names.get(name)
    if isinstance(found, App):
        return found
    others = [known for known, value in names.items() if isinstance(value, App)]
    if found is not None:
        reason = f"{name} is {type(found).__name__}, not hr.App"
    else:
        reason = f"nothing in it is called {name}"
    fix = f"name it: {place}:{others[0]}" if others else f'declare one there: {name} = hr.App("my-app")'
    raise AppNotFound(target, reason, fix)


def refuse_without_checkpoint(app: App, command: str) -> None:
    """Refuse a command that works on a checkpoint of Spark for an application whose engine has none."""
    if app.engine in STATE_IN_KAFKA:
        raise CommandWithoutCheckpoint(command, app.id, app.engine)


def checkpoint_of(app: App) -> Checkpoint:
    """The checkpoint of an application that does not run."""
    place = app.checkpoint
    if place.address is None:
        return Checkpoint(app.id, place.directory)
    from headrace.spark.session.shared_files import SharedFiles  # loads pyspark
    from headrace.spark.session.spark import join

    files = SharedFiles(cache(lambda: join(app.spark, place.directory / "spark.log")), place.address)
    return Checkpoint(app.id, place.directory, place.address, files)


def _names_in(place: str, target: str) -> dict[str, object]:
    is_file = place.endswith(".py") or Path(place).is_file()
    if is_file and not Path(place).is_file():
        raise AppNotFound(target, "there is no such file", "check the path, or give a module as package.module:app")
    try:
        if is_file:
            program = programs.load(Path(place))
        else:
            sys.path.insert(0, str(Path.cwd()))
            program = importlib.import_module(place)
        programs.begin(program.__name__)
        return vars(program)
    except programs.NameUnusable as exc:
        raise AppNotFound(target, exc.reason, exc.fix) from None
    except HeadraceError:
        raise
    except ModuleNotFoundError as exc:
        if exc.name is not None and (place == exc.name or place.startswith(f"{exc.name}.")):
            fix = "check the name and the directory you are in, or give a file: headrace run path/to/app.py"
            raise AppNotFound(target, f"there is no module {exc.name}", fix) from None
        raise _broken(target, exc) from exc
    except Exception as exc:
        raise _broken(target, exc) from exc


def _broken(target: str, exc: Exception) -> AppNotFound:
    if isinstance(exc, SyntaxError):
        return AppNotFound(target, f"{exc.msg} (line {exc.lineno})", "mend the file; python itself cannot read it")
    last = traceback.extract_tb(exc.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return AppNotFound(
        target, f"{type(exc).__name__} at {where}: {exc}", "mend the file; --verbose shows the whole traceback"
    )
