"""Kafka as the log: topics, records, and the embedded broker. The only place that imports a Kafka client."""
