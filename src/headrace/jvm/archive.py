"""Class-data archives: a program's classes as the JVM wants them in memory, made once, for quick starts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from headrace.jvm.java import Java
from headrace.jvm.paths import cache_dir, pyspark_jars
from headrace.jvm.sealed import Sealed

_QUIET = ("-Xlog:disable", "-Xlog:all=error:stderr")


@dataclass(frozen=True)
class Archive:
    """The archive of one program for one Java and one class path: `path`, without the SHA-256 that its name ends in.

    A JVM that is given none writes one as it ends, and a later one maps it into memory instead of loading thousands of
    classes. An archive that was made for something else is ignored by the JVM; one that is damaged can crash it.
    """

    path: Path

    @staticmethod
    def of(program: str, java: Java, classpath: Sequence[Path]) -> Archive:
        """The archive that fits these; it may not exist yet."""
        identity = [str(java.path), java.version, *map(str, classpath)]
        digest = hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]
        return Archive(cache_dir() / "class-archives" / f"{program}-{digest}")

    def find(self) -> Path | None:
        """The file, if it was made and is whole."""
        return self._sealed.find()

    def take(self, say: Callable[[str], None]) -> Path | None:
        """The file for a JVM to map; one that is damaged is removed first."""
        found = self.find()
        if found is None and (damaged := self._sealed.damaged()):
            say("the archive of classes for quick starts is damaged: this start takes longer, and makes it anew")
            for file in damaged:
                file.unlink(missing_ok=True)
        return found

    def java_options(self, mapped: Path | None) -> list[str]:
        """JVM options that map this file, or without one write it where that is possible."""
        if mapped is not None:
            return [*_QUIET, f"-XX:SharedArchiveFile={mapped}"]
        with suppress(OSError):  # as in an image that cannot be written, where the jars are all that is needed
            self.path.parent.mkdir(parents=True, exist_ok=True)
        writable = os.access(self.path.parent, os.W_OK | os.X_OK)
        return [*_QUIET, f"-XX:ArchiveClassesAtExit={self._draft}"] if writable else [*_QUIET]

    def settle(self, *, whole: bool) -> None:
        """The JVM has ended: put what it wrote in its place if it is whole, and remove what nobody needs any more."""
        if not os.access(self.path.parent, os.W_OK | os.X_OK):
            return
        newest = self._sealed.put(self._draft) if whole and self._draft.is_file() else self.find()
        self._draft.unlink(missing_ok=True)
        program = self.path.name.rpartition("-")[0]
        for other in self.path.parent.glob(f"{program}-*"):
            if other != newest and not _is_being_written(other):
                other.unlink(missing_ok=True)

    @property
    def _sealed(self) -> Sealed:
        return Sealed(self.path.parent, self.path.name, "jsa")

    @property
    def _draft(self) -> Path:
        return self.path.with_name(f"{self.path.name}.{os.getpid()}")


def spark_archive(java: Java, connector: Sequence[Path]) -> Archive:
    """The archive of Spark and its Kafka connector."""
    return Archive.of(f"spark-{version('pyspark')}", java, [pyspark_jars(), *connector])


def _is_being_written(path: Path) -> bool:
    """Whether this is the draft of a process that still runs."""
    with suppress(ValueError, ProcessLookupError):
        os.kill(int(path.suffix[1:]), 0)
        return True
    return False
