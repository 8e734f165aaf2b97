"""Checks of what headrace needs on this machine, without starting or fetching anything."""

from __future__ import annotations

import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from headrace.errors import HeadraceError
from headrace.jvm.archive import spark_archive
from headrace.jvm.jars import absent, at_hand
from headrace.jvm.java import find_java
from headrace.jvm.kernel import found_kernel
from headrace.jvm.paths import cache_dir, data_dir, pyspark_jars
from headrace.log.broker import EmbeddedBroker
from headrace.log.topics import Topics
from headrace.rest.server.settings import USUAL_HOST, USUAL_PORT
from headrace.runtime.life import machine

_LEAST_MEMORY, _GOOD_MEMORY = 1 << 30, 3 << 30
_LEAST_DISK, _GOOD_DISK = 1 << 28, 2 << 30
_BROKER_S = 8.0
_PYSPARK = "4.3.0"


class Verdict(Enum):
    """Verdict on a finding; a note is something to know, a missing one keeps applications from running."""

    OK = "ok"
    NOTE = "note"
    MISSING = "missing"


@dataclass(frozen=True)
class Finding:
    """Finding about one thing, and what to do about it."""

    name: str
    verdict: Verdict
    what: str
    fix: str | None = None


def examine(address: str | None, kafka: Mapping[str, str]) -> Iterator[Finding]:
    """Look at one thing after the other; without an address at the embedded broker."""
    checks: Mapping[str, Callable[[], Finding]] = {
        "python": _python,
        "java": _java,
        "spark": _spark,
        "connector jars": lambda: _jars("connector", "headrace jars"),
        "kernel": _kernel,
        "quick start": _archive,
        "memory": _memory,
        "cores": _cores,
        "descriptors": _descriptors,
        "user": _user,
        "data": lambda: _folder("data", data_dir(), "HEADRACE_DATA_DIR"),
        "cache": lambda: _folder("cache", cache_dir(), "HEADRACE_CACHE_DIR"),
        "temporary": lambda: _folder("temporary", Path(tempfile.gettempdir()), "TMPDIR", loads=True),
        "broker": lambda: _broker(address, kafka),
        "broker jars": lambda: _jars("broker", "headrace broker start", needed=address is None),
        "port": _port,
        "arrow": _arrow,
    }
    for name, check in checks.items():
        try:
            yield check()
        except HeadraceError as error:
            where = f" ({error.where})" if error.where else ""
            yield Finding(name, Verdict.MISSING, error.what + where, error.fix)
        except OSError as error:
            yield Finding(name, Verdict.MISSING, str(error))


def _python() -> Finding:
    return Finding("python", Verdict.OK, f"{sys.version.split()[0]}, {sys.executable}")


def _java() -> Finding:
    java = find_java()
    return Finding("java", Verdict.OK, f"{java.version}, {java.path}")


def _spark() -> Finding:
    folder = pyspark_jars()
    try:
        found = version("pyspark")
    except PackageNotFoundError:
        found = "of unknown version"
    if found != _PYSPARK:
        return Finding(
            "spark", Verdict.MISSING, f"pyspark is {found}, not {_PYSPARK}", f"pip install pyspark=={_PYSPARK}"
        )
    return Finding(
        "spark", Verdict.OK, f"{found}, {_mb(sum(jar.stat().st_size for jar in folder.iterdir()))} of jars in {folder}"
    )


def _jars(group: str, by: str, *, needed: bool = True) -> Finding:
    name, missing, all_of_them = f"{group} jars", absent(group), len(at_hand(group))
    if not missing:
        return Finding(name, Verdict.OK, f"all {all_of_them} are there, as they were pinned")
    if not needed:
        return Finding(name, Verdict.OK, "not there, and not needed with a broker of your own")
    what = f"{len(missing)} of {all_of_them} are not there; who needs them first fetches them, over the network"
    return Finding(name, Verdict.NOTE, what, f"fetch them now: {by}")


def _kernel() -> Finding:
    jar = found_kernel()
    if jar is None:
        return Finding("kernel", Verdict.NOTE, "not compiled yet, which the first start does (half a minute)")
    return Finding("kernel", Verdict.OK, str(jar))


def _archive() -> Finding:
    if absent("connector"):
        return Finding("quick start", Verdict.NOTE, "the archive of Spark's classes comes after the jars")
    archive = spark_archive(find_java(), at_hand("connector")).find()
    if archive is not None:
        return Finding("quick start", Verdict.OK, f"Spark's classes are kept in {archive}")
    return Finding("quick start", Verdict.NOTE, "no archive of Spark's classes; the first run writes it as it ends")


def _memory() -> Finding:
    found = machine.memory()
    if found.total is None or found.free is None:
        return Finding("memory", Verdict.NOTE, "this system does not say how much there is")
    what = f"{_mb(found.free)} free of {_mb(found.total)}"
    if found.free < _LEAST_MEMORY:
        return Finding(
            "memory", Verdict.MISSING, what, f"an application needs {_mb(_LEAST_MEMORY)}, better {_mb(_GOOD_MEMORY)}"
        )
    if found.free < _GOOD_MEMORY:
        fix = 'fit for small states: hr.App(..., spark={"spark.driver.memory": "512m"}), see the guide: In a container'
        return Finding("memory", Verdict.NOTE, what, fix)
    return Finding("memory", Verdict.OK, what)


def _cores() -> Finding:
    found = machine.cores()
    if found < 2:
        return Finding("cores", Verdict.NOTE, "1, on which a start takes twice as long")
    return Finding("cores", Verdict.OK, str(found))


def _descriptors() -> Finding:
    found = machine.descriptors()
    what = f"{found:,} files and connections may be open"
    fix = f"ulimit -n {machine.GOOD_DESCRIPTORS}, in a container --ulimit nofile={machine.GOOD_DESCRIPTORS}"
    if found < machine.LEAST_DESCRIPTORS:
        return Finding("descriptors", Verdict.MISSING, what, fix)
    if found < machine.GOOD_DESCRIPTORS:
        return Finding("descriptors", Verdict.NOTE, what, fix)
    return Finding("descriptors", Verdict.OK, what)


def _user() -> Finding:
    name = machine.user_name()
    if name is None:
        fix = "run as a user that /etc/passwd names, in a container made with useradd; Spark asks for the name"
        return Finding("user", Verdict.MISSING, "the user's number has no name on this machine", fix)
    return Finding("user", Verdict.OK, name)


def _folder(name: str, path: Path, variable: str, *, loads: bool = False) -> Finding:
    found = machine.folder(path)
    what = f"{_mb(found.free)} free in {path}"
    elsewhere = f"or name another directory in {variable}"
    if not found.writable:
        return Finding(name, Verdict.MISSING, f"{path} cannot be written", f"give the right to, {elsewhere}")
    if loads and not found.runs_code:
        fix = f"mount it without noexec: RocksDB's library is loaded from there; {elsewhere}"
        return Finding(name, Verdict.MISSING, f"{path} is mounted noexec", fix)
    if found.free < _LEAST_DISK:
        return Finding(name, Verdict.MISSING, what, f"make room, {elsewhere}")
    if found.free < _GOOD_DISK:
        return Finding(name, Verdict.NOTE, what, f"make room, {elsewhere}")
    return Finding(name, Verdict.OK, what)


def _broker(address: str | None, kafka: Mapping[str, str]) -> Finding:
    if address is not None:
        topics = Topics(address, kafka)
        topics.check(_BROKER_S)
        return Finding("broker", Verdict.OK, f"{address} answers, and has {len(topics.names())} topics")
    embedded = EmbeddedBroker().status()
    if embedded.running:
        return Finding("broker", Verdict.OK, f"the embedded one runs at {embedded.address}")
    return Finding("broker", Verdict.OK, f"the embedded one starts when it is needed, in {embedded.directory}")


def _port() -> Finding:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((USUAL_HOST, USUAL_PORT))
        except OSError:
            what = f"{USUAL_PORT} is taken; the page of the next program is at the next free one"
            return Finding("port", Verdict.NOTE, what)
    return Finding("port", Verdict.OK, f"{USUAL_HOST}:{USUAL_PORT} is free for the application's page and queries")


def _arrow() -> Finding:
    if find_spec("pyarrow") is None:
        return Finding(
            "arrow", Verdict.NOTE, "pyarrow is not installed: map_batches needs it", 'pip install "headrace[arrow]"'
        )
    return Finding("arrow", Verdict.OK, version("pyarrow"))


def _mb(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
