"""Spark sessions: the JVM, the session of an application, and what its executors need."""
