"""What users test their applications with: no Spark, no broker, milliseconds."""

from headrace.testing.driver import InputTopic, OutputTopic, StoreView, TopologyTestDriver

__all__ = ["InputTopic", "OutputTopic", "StoreView", "TopologyTestDriver"]
