"""Layout of a plan on Spark: stages, lanes, and the native stretches between them."""
