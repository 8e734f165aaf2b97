"""Shared files: small texts at an address that a whole cluster reaches, through Spark's own access to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession


class SharedFiles:
    """Texts in a directory of HDFS, of an object store, or of whatever else Spark's Hadoop client knows.

    Spark is asked for when the first text is.
    """

    def __init__(self, session: Callable[[], SparkSession], address: str) -> None:
        self._session, self._address = session, address.rstrip("/")

    def read(self, name: str) -> str | None:
        """A text; None if there is none of this name."""
        with _as_os_errors():
            system, path, java = self._open(name)
            if not system.exists(path):
                return None
            stream = system.open(path)
            try:
                return str(java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    def write(self, name: str, text: str) -> None:
        """Write a text as Spark writes its own: at every moment the old one or the new one is there."""
        with _as_os_errors():
            system, path, java = self._open(name)
            streaming = java.org.apache.spark.sql.execution.streaming.checkpointing
            system.mkdirs(path.getParent())
            stream = streaming.CheckpointFileManager.create(path, system.getConf()).createAtomic(path, True)
            stream.write(bytearray(text.encode()))
            stream.close()

    def remove(self, name: str) -> None:
        """Remove a text, or a directory with all that is in it, if it is there."""
        with _as_os_errors():
            system, path, _ = self._open(name)
            system.delete(path, True)

    def names(self, name: str) -> list[str]:
        """Names of the files in a directory; none if it is not there."""
        with _as_os_errors():
            system, path, _ = self._open(name)
            return [str(one.getPath().getName()) for one in system.listStatus(path)] if system.exists(path) else []

    def _open(self, name: str) -> tuple[Any, Any, Any]:
        session = self._session()
        java: Any = session._jvm
        path = java.org.apache.hadoop.fs.Path(f"{self._address}/{name}")
        return path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf()), path, java


@contextmanager
def _as_os_errors() -> Iterator[None]:
    try:
        yield
    except Py4JJavaError as exc:
        raise OSError(str(exc.java_exception.toString()).splitlines()[0]) from exc
