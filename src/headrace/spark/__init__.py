"""The executor on Spark. The only folder that imports pyspark."""
