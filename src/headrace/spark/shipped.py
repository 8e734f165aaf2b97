"""What executors need of us: the jars that Spark does not have, and headrace itself for their Python."""

from __future__ import annotations

from pathlib import PurePath

from pyspark.sql import SparkSession

from headrace.jvm.jars import fetch, names
from headrace.jvm.kernel import kernel_jar
from headrace.jvm.package import package_zip
from headrace.spark.master import Master


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
    if code.name not in {PurePath(address).name for address in session.sparkContext.listFiles}:
        session.sparkContext.addPyFile(str(code))
