"""Class-data archives: a program's classes as the JVM wants them in memory, made once, for quick starts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from headrace.jvm.java import Java
from headrace.jvm.paths import cache_folder, pyspark_jars

_QUIET = ("-Xlog:disable", "-Xlog:all=error:stderr")


@dataclass(frozen=True)
class Archive:
    """The archive of one program for one Java and one class path.

    A JVM that finds none writes one as it ends, and a later one maps it into memory instead of loading thousands of
    classes. An archive that does not fit is ignored by the JVM: nothing depends on it but time.
    """

    path: Path

    @staticmethod
    def of(program: str, java: Java, classpath: Sequence[Path]) -> Archive:
        """The archive that fits these; it may not exist yet."""
        identity = [str(java.path), java.version, *map(str, classpath)]
        digest = hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]
        with cache_folder("class-archives") as folder:
            return Archive(folder / f"{program}-{digest}.jsa")

    @property
    def exists(self) -> bool:
        """Whether it has been made."""
        return self.path.is_file()

    def java_options(self) -> list[str]:
        """What the JVM must be told to use the archive, or to write it."""
        if self.exists:
            return [*_QUIET, f"-XX:SharedArchiveFile={self.path}"]
        return [*_QUIET, f"-XX:ArchiveClassesAtExit={self._draft}"]

    def settle(self, *, whole: bool) -> None:
        """The JVM has ended: put what it wrote in its place if it is whole, and remove what nobody needs any more."""
        if whole and self._draft.is_file():
            self._draft.replace(self.path)
        self._draft.unlink(missing_ok=True)
        program = self.path.name.rpartition("-")[0]
        for other in self.path.parent.glob(f"{program}-*"):
            if other != self.path and not _is_being_written(other):
                other.unlink(missing_ok=True)

    @property
    def _draft(self) -> Path:
        return self.path.with_suffix(f".{os.getpid()}")


def spark_archive(java: Java, connector: Sequence[Path]) -> Archive:
    """The archive of Spark and its Kafka connector."""
    return Archive.of(f"spark-{version('pyspark')}", java, [pyspark_jars(), *connector])


def _is_being_written(path: Path) -> bool:
    """Whether this is the draft of a process that still runs."""
    with suppress(ValueError, ProcessLookupError):
        os.kill(int(path.suffix[1:]), 0)
        return True
    return False
