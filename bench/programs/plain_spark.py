"""A workload as one writes it in PySpark, with the same jars, state store and batch size as headrace."""

from __future__ import annotations

import os
import sys

from bench.job import Job, await_end_of_stdin, tell
from bench.workloads import WORKLOADS
from bench.workloads.base import PARTITIONS, Frames
from headrace.jvm.jars import fetch
from headrace.spark.session.spark import SETTINGS

OURS = {
    "spark.sql.shuffle.partitions": str(PARTITIONS),
    "spark.sql.streaming.noDataMicroBatches.enabled": "true",
    "spark.sql.chunkBase64String.enabled": "false",
}


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    job = Job.read(sys.argv[1])
    builder = SparkSession.builder.master("local[*]").config("spark.jars", ",".join(map(str, fetch("connector"))))
    for name, value in {**SETTINGS, **OURS}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    kafka = {"kafka.bootstrap.servers": job.address, "startingOffsets": "earliest"}
    records = spark.readStream.format("kafka").options(**kafka, subscribe=job.source, maxOffsetsPerTrigger="1000000")
    table = spark.read.format("kafka").options(**kafka, subscribe=job.table).load()
    made = WORKLOADS[job.workload].frame(Frames(records.load(), table))
    assert made is not None
    frame, mode = made
    writer = frame.writeStream.format("kafka").outputMode(mode)
    writer = writer.options(**kafka, topic=job.target, checkpointLocation=job.folder)
    query = (writer.trigger(processingTime="0 seconds") if job.live else writer.trigger(availableNow=True)).start()
    tell("polling")
    if job.live:
        await_end_of_stdin()
        query.stop()
    while not query.awaitTermination(1):
        tell("read", records=sum(batch.numInputRows for batch in query.recentProgress))


if __name__ == "__main__":
    main()
