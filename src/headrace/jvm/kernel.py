"""The kernel: the Scala part of headrace as one jar."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from headrace.errors import KernelBuildFailed, KernelDamaged, KernelMissing
from headrace.jvm.exclusive import exclusive
from headrace.jvm.jars import LOCK, fetch
from headrace.jvm.java import find_java
from headrace.jvm.paths import cache_dir, cache_folder, keep_newest, mark_used, pyspark_jars
from headrace.jvm.sealed import Sealed

HERE = Path(__file__).parent
FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss8m", "-Xmx1g")


def kernel_jar() -> Path:
    """Return the compiled kernel: the one in the wheel, or in a checkout one that fits its sources.

    In a checkout it is compiled when the sources, the jars or pyspark have changed, which takes a few seconds.
    """
    sources = _checkout()
    if sources is not None:
        return compiled(sources)
    place = packaged(HERE)
    jar = place.find()
    if jar is None:
        damaged = place.damaged()
        raise KernelDamaged(str(damaged[0])) if damaged else KernelMissing(str(HERE))
    return jar


def packaged(folder: Path) -> Sealed:
    """The kernel in the `jvm` folder of a wheel."""
    return Sealed(folder, "kernel", "jar")


def found_kernel() -> Path | None:
    """Return the kernel as it is there now; None in a checkout where the next start compiles it."""
    sources = _checkout()
    return kernel_jar() if sources is None else _cached(sources).find()


def kernel_sources(folder: Path) -> list[Path]:
    """All Scala files of a folder, in a fixed order."""
    return sorted(folder.rglob("*.scala"))


def _checkout() -> Path | None:
    """The sources of the checkout that this runs in, if it is one."""
    folder = HERE.parents[2] / "kernel"
    return folder if HERE.parents[1].name == "src" and kernel_sources(folder) else None


def _cached(folder: Path) -> Sealed:
    return Sealed(cache_dir() / "kernel", _digest(folder, kernel_sources(folder)), "jar")


def compiled(folder: Path) -> Path:
    """Return the jar made of the sources in `folder`, from the cache or compiled now."""
    sources = kernel_sources(folder)
    if not sources:
        raise KernelMissing(str(folder))
    with cache_folder("kernel") as cache:
        place = _cached(folder)
        jar = place.find()
        if jar is None:
            connector = fetch("connector")
            with exclusive(cache / ".lock", "compiling the kernel"):
                jar = place.find() or _compiled_into(place, sources, connector)
                keep_newest(cache, "*.jar")
        mark_used(jar)
    return jar


def _compiled_into(place: Sealed, sources: Sequence[Path], connector: Sequence[Path]) -> Path:
    damaged = place.damaged()
    for jar in damaged:
        jar.unlink()
    why = "what was compiled is damaged" if damaged else "a few seconds, only after changes"
    print(f"compiling the kernel ({why}) ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=place.folder, prefix=".compile-") as temporary:
        draft = Path(temporary) / "kernel.jar"
        compile_kernel(sources, draft, jars=connector)
        return place.put(draft)


def compile_kernel(sources: Sequence[Path], out: Path, *, jars: Sequence[Path] = ()) -> None:
    """Compile Scala sources against pyspark's jars and `jars`."""
    classpath = os.pathsep.join([f"{pyspark_jars()}/*", *map(str, jars)])
    done = subprocess.run(
        [
            *(str(find_java().path), *FLAGS, "-cp", classpath, "scala.tools.nsc.Main"),
            *("-usejavacp", "-encoding", "UTF-8", "-deprecation", "-d", str(out), *map(str, sources)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        raise KernelBuildFailed(done.stdout.decode(errors="replace"))


def _digest(folder: Path, sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(version("pyspark").encode())
    for path in (LOCK, *sources):
        content = path.read_bytes()
        name = path.relative_to(folder) if path is not LOCK else LOCK.name
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
