"""The keyed count as one writes it in PySpark, with the same jars, state store and batch size."""

from __future__ import annotations

import json
import os
import sys
import time

begun = time.monotonic()
os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.sql import SparkSession  # noqa: E402

from headrace.jvm.jars import fetch  # noqa: E402
from headrace.spark.session import SETTINGS  # noqa: E402

address, source, target, checkpoint = sys.argv[1:]
builder = SparkSession.builder.master("local[*]").config("spark.jars", ",".join(map(str, fetch("connector"))))
for name, value in {**SETTINGS, "spark.sql.shuffle.partitions": "4"}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
records = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", address)
    .option("subscribe", source)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1_000_000)
    .load()
)
# Kafka's bytes of a long: Spark has no function for them but hexadecimal digits.
counts = records.groupBy("key").count().selectExpr("key", "unhex(lpad(hex(`count`), 16, '0')) AS value")
query = (
    counts.writeStream.format("kafka")
    .outputMode("update")
    .option("kafka.bootstrap.servers", address)
    .option("topic", target)
    .option("checkpointLocation", checkpoint)
    .trigger(availableNow=True)
    .start()
)
started = time.monotonic()
query.awaitTermination()
print(json.dumps({"start_s": started - begun, "drain_s": time.monotonic() - started}))
