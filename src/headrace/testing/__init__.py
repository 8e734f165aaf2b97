"""What users test their applications with: no Spark, no broker, milliseconds."""

from headrace.testing.driver import InputTopic, OutputTopic, StoreView, TopologyTestDriver
from headrace.testing.mock_context import Forwarded, MockProcessorContext, ScheduledCall

__all__ = [
    "Forwarded",
    "InputTopic",
    "MockProcessorContext",
    "OutputTopic",
    "ScheduledCall",
    "StoreView",
    "TopologyTestDriver",
]
