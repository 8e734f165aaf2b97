"""The Python lane: parts of a topology that run in Python processes beside Spark's tasks."""
