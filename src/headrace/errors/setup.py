"""The machine: Java, jars, the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.base import HeadraceError


class SetupError(HeadraceError):
    """Something headrace needs on this machine is missing."""

    code = "setup"


class JavaMissing(SetupError):
    """No Java was found."""

    code = "java-missing"

    def __init__(self, where: str | None = None) -> None:
        super().__init__(
            "Java was not found",
            where=where,
            fix="install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless,"
            " macOS: brew install openjdk@17) and put it on the PATH or name it in JAVA_HOME",
        )


class JavaFails(SetupError):
    """The Java that was found does not start."""

    code = "java-fails"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"Java does not start: {reason}",
            where=path,
            fix="if it lacks memory, give it some (ulimit -v unlimited, a container with 2 GB); else install it anew,"
            " or name another one in JAVA_HOME",
        )


class JavaTooOld(SetupError):
    """The Java that was found is older than Spark can run on."""

    code = "java-too-old"

    def __init__(self, found: str, path: str) -> None:
        super().__init__(
            f"Java 17 or newer is needed, {path} is version {found}",
            fix="install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless,"
            " macOS: brew install openjdk@17) and put it on the PATH or name it in JAVA_HOME",
        )


class SparkMissing(SetupError):
    """pyspark is not installed, or without its jars."""

    code = "spark-missing"

    def __init__(self) -> None:
        super().__init__("pyspark was not found", fix="install headrace with its dependencies: pip install headrace")


class ArrowMissing(SetupError):
    """pyarrow is not installed."""

    code = "arrow-missing"

    def __init__(self, where: str) -> None:
        super().__init__(
            "map_batches needs pyarrow, which was not found", where=where, fix='pip install "headrace[arrow]"'
        )


class CacheUnwritable(SetupError):
    """The cache directory cannot be used."""

    code = "cache-unwritable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the cache directory cannot be used: {reason}",
            where=path,
            fix="make room or give the right to write there, or name another directory in HEADRACE_CACHE_DIR",
        )


class TemporaryUnusable(SetupError):
    """The temporary directory is full or cannot be written."""

    code = "temporary-unusable"
    may_pass = True

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the temporary directory cannot be used: {reason}",
            where=path,
            fix="make room or give the right to write there, or name another directory in TMPDIR; nothing is lost, the"
            " next start goes on from the last finished batch",
        )


class FilesTooFew(SetupError):
    """The process may have too few files open for a JVM."""

    code = "files-too-few"

    def __init__(self, allowed: int, needed: int) -> None:
        super().__init__(
            f"this process may have {allowed} files open, and an application needs {needed} or more",
            fix="raise the limit with ulimit -n 4096, in a container with --ulimit nofile=4096",
        )


class JarsMissing(SetupError):
    """Jars could not be fetched, or what came is not what was pinned."""

    code = "jars-missing"

    def __init__(self, missing: Sequence[str], reason: str, log: str) -> None:
        names = "".join(f"\n    {name}" for name in missing)
        super().__init__(
            f"{len(missing)} jar(s) could not be fetched: {reason}{names}",
            where=f"Ivy's own lines are in {log}",
            fix="connect to the network once, or name an Ivy settings file with your mirror in HEADRACE_IVY_SETTINGS",
        )


class KernelMissing(SetupError):
    """Neither a compiled kernel nor its sources are there."""

    code = "kernel-missing"

    def __init__(self, path: str) -> None:
        super().__init__(
            "the kernel is missing: there is neither a jar of it nor a Scala source",
            where=path,
            fix="install headrace again from its wheel",
        )


class KernelDamaged(SetupError):
    """The kernel of the wheel is not what its name says."""

    code = "kernel-damaged"

    def __init__(self, path: str) -> None:
        super().__init__(
            "the kernel is damaged or was replaced: its SHA-256 is not the one in its name",
            where=path,
            fix="install headrace again from its wheel: pip install --force-reinstall headrace",
        )


class KernelMismatch(SetupError):
    """The kernel's jar and headrace do not understand one another."""

    code = "kernel-mismatch"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the kernel's jar and headrace are of different releases: {reason}",
            fix="install headrace again, on every machine that runs a part of the application",
        )


class KernelBuildFailed(SetupError):
    """The Scala sources of the kernel do not compile."""

    code = "kernel-build-failed"

    def __init__(self, compiler_output: str) -> None:
        super().__init__(f"the kernel does not compile\n{compiler_output.rstrip()}", where="kernel/")
