"""Micro-batch engine: a plan as one query of Spark's Structured Streaming, with Spark's checkpoint."""
