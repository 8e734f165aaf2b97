"""An application as one long job of Spark's: stream threads that run many of its tasks, see decision 36."""
