"""Fetch the jars that pyspark does not bring: its Kafka connector, and the embedded broker."""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from headrace.errors import HeadraceError, JarsMissing
from headrace.jvm import ivy, lock
from headrace.jvm.exclusive import exclusive
from headrace.jvm.lock import Jar
from headrace.jvm.paths import cache_dir, cache_folder
from headrace.jvm.progress import Progress, console

GROUPS = ("connector", "broker")
HERE = Path(__file__).parent
LOCK = HERE / "jars.lock"


def fetch(group: str, *, progress: Progress | None = None, pinned: Path | None = None) -> list[Path]:
    """Return the jars of a group in the order of the lock, each checked against its SHA-256.

    What is missing or damaged is fetched first; when all is there, neither Java nor the network is touched. `pinned`
    is another lock than headrace's own.
    """
    wanted = [jar for jar in lock.read(pinned or LOCK) if jar.group == group]
    with cache_folder("jars") as folder:
        if _absent(wanted, folder):
            with exclusive(folder / ".lock", "fetching jars"):
                missing = _absent(wanted, folder)
                if missing:
                    _fetch(group, missing, folder, progress or console())
        return [folder / jar.file for jar in wanted]


def names(group: str) -> set[str]:
    """The file names of a group's jars, wherever they are."""
    return {jar.file for jar in _of(group)}


def absent(group: str) -> list[str]:
    """The file names of a group's jars that are not in the cache as they were pinned; nothing is fetched."""
    return [jar.file for jar in _absent(_of(group), cache_dir() / "jars")]


def at_hand(group: str) -> list[Path]:
    """Paths of a group's jars in the cache, fetched already or not."""
    return [cache_dir() / "jars" / jar.file for jar in _of(group)]


def _of(group: str) -> list[Jar]:
    return [jar for jar in lock.read(LOCK) if jar.group == group]


def _absent(jars: Sequence[Jar], folder: Path) -> list[Jar]:
    return [jar for jar in jars if not jar.is_at(folder / jar.file)]


def _fetch(group: str, jars: Sequence[Jar], folder: Path, progress: Progress) -> None:
    log = cache_dir() / "ivy.log"
    begun = time.monotonic()
    arrived: list[Jar] = []
    wrong: list[str] = []
    progress.begin(len(jars), f"fetching {_count(len(jars), group)} ({sum(jar.size for jar in jars) / 1e6:.1f} MB)")
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as temporary:
            work = Path(temporary)
            request = work / "request.xml"
            request.write_text(_request(group, jars), "utf-8")
            pattern = f"{work}/[artifact]-[revision].[ext]"
            settings, on_line = HERE / "ivysettings.xml", _steps(len(jars), progress)
            reason = ivy.retrieve(request, group, pattern, settings=settings, work=work, log=log, on_line=on_line)
            for jar in jars:
                # One jar that fails and Ivy hands over none, so those that came are also looked for in Ivy's cache.
                came = list(work.rglob(jar.file))
                for path in filter(jar.is_at, came):
                    path.replace(folder / jar.file)
                    arrived.append(jar)
                    break
                else:
                    wrong += [jar.file] if came else []
    finally:
        some = f"{len(arrived)} of " if len(arrived) < len(jars) else ""
        progress.end(f"fetched {some}{_count(len(jars), group)} in {time.monotonic() - begun:.0f} s")
    if wrong:
        reason = f"what came is not what is pinned (SHA-256 differs: {', '.join(wrong)})"
    if len(arrived) < len(jars):
        raise JarsMissing([jar.file for jar in jars if jar not in arrived], reason, str(log))


def _count(number: int, group: str) -> str:
    return f"{number} {group} jar" + ("s" if number != 1 else "")


def _request(group: str, jars: Sequence[Jar]) -> str:
    """An Ivy file that asks for just these jars and nothing they depend on: the lock has all of that."""
    asked = "".join(
        f"<dependency org={quoteattr(jar.organisation)} name={quoteattr(jar.name)} rev={quoteattr(jar.revision)}"
        f' conf="{group}->default" transitive="false"/>\n'
        for jar in jars
    )
    return (
        '<ivy-module version="2.0"><info organisation="headrace" module="jars"/>\n'
        f'<configurations><conf name="{group}"/></configurations>\n'
        f"<dependencies>\n{asked}</dependencies></ivy-module>\n"
    )


def _steps(total: int, progress: Progress) -> Callable[[str], None]:
    """Turn Ivy's lines into steps: a jar under way, a jar done."""
    done, name = 0, ""

    def on_line(line: str) -> None:
        nonlocal done, name
        if under_way := re.match(r"downloading \S*/(\S+\.jar)\b", line):
            name = under_way[1]
            progress.step(done, total, name)
        elif line.startswith("[SUCCESSFUL "):
            done += 1
            progress.step(done, total, name)

    return on_line


def relock(request: Path, groups: Sequence[str]) -> list[Jar]:
    """Resolve the groups of an Ivy file anew, poms and all, and return what they come to."""
    jars: list[Jar] = []
    with tempfile.TemporaryDirectory(prefix="headrace-lock-") as temporary:
        work = Path(temporary)
        for group in groups:
            came = work / group
            pattern = f"{came}/[organisation]/[module]/[revision]/[artifact]-[revision].[ext]"
            log = work / "ivy.log"
            reason = ivy.retrieve(request, group, pattern, settings=None, work=work, log=log, on_line=print)
            found = sorted(came.glob("*/*/*/*.jar"))
            if not found:
                raise JarsMissing([group], reason, "the lines above")
            for path in found:
                organisation, name, revision = path.relative_to(came).parts[:3]
                jars.append(Jar(group, lock.sha256(path), path.stat().st_size, organisation, name, revision))
    return jars


def main() -> None:
    """Keep the lock: for those who work on headrace."""
    parser = argparse.ArgumentParser(
        prog="python -m headrace.jvm.jars",
        description="Keep jars.lock, the list of every jar that headrace fetches and its SHA-256.",
    )
    parser.add_argument(
        "--lock",
        action="store_true",
        required=True,
        help="resolve ivy.xml over the network and write jars.lock anew; do this after changing a version in ivy.xml,"
        " and read the difference before you commit it",
    )
    parser.parse_args()
    try:
        lock.write(LOCK, relock(HERE / "ivy.xml", GROUPS), by="python -m headrace.jvm.jars --lock")
    except HeadraceError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
