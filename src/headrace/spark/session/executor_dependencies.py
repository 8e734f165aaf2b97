"""Executor dependencies: the jars that Spark lacks, and headrace itself for the executors' Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath

import cloudpickle
from pyspark.sql import SparkSession

from headrace.jvm.jars import fetch, names
from headrace.jvm.kernel import kernel_jar
from headrace.jvm.package import package_zip
from headrace.model.programs import digest, loaded
from headrace.spark.session.master import Master
from headrace.spark.spec.python import PythonWorkerSpec

FILES = "{files}"
"""Where Spark puts what it ships, in the paths of Python processes: the kernel knows the folder of its machine."""


def workers_of(session: SparkSession, master: Master, *, timeout_ms: int, memory_mb: int) -> PythonWorkerSpec:
    """Python workers of an application: started as this process was, or with what was shipped."""
    if master.inside:
        path = tuple(str(Path(place or ".").absolute()) for place in sys.path)
        return PythonWorkerSpec(sys.executable, path, timeout_ms, memory_mb, digest())
    shipped = [PurePath(address).name for address in session.sparkContext.listFiles]
    archives = [f"{FILES}/{name}" for name in shipped if name.endswith((".zip", ".egg", ".py"))]
    python = session.conf.get("spark.pyspark.python", None) or os.environ.get("PYSPARK_PYTHON") or "python3"
    return PythonWorkerSpec(sys.executable if master.here else python, (FILES, *archives), timeout_ms, memory_mb)


def ship(session: SparkSession, master: Master) -> None:
    """Have every executor fetch from the driver what it lacks; what was given with --jars is there already."""
    if master.inside:
        return
    spark = session.sparkContext._jsc.sc()
    there = set(spark.listJars().mkString("\n").split("\n"))
    known = {PurePath(address).name for address in there}
    wanted = [kernel_jar(), *(fetch("connector") if not names("connector") <= known else [])]
    for jar in wanted:
        if jar.name not in known:
            spark.addJar(str(jar))
    code = package_zip()
    for program in loaded():  # executors do not have its file
        cloudpickle.register_pickle_by_value(program)
    if code.name not in {PurePath(address).name for address in session.sparkContext.listFiles}:
        session.sparkContext.addPyFile(str(code))
