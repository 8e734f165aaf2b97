"""Python engine: the tasks of the test driver on Kafka's own transactions, in one process without a JVM."""
