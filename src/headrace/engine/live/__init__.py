"""Live engine: an application as one long job of Spark's, whose state and positions are in Kafka."""
