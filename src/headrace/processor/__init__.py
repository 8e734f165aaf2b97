"""Processors: the user's own code between streams, with stores, timers and records of its own making."""

from headrace.processor.base import FixedKeyProcessor, Processor, ValueTransformer
from headrace.processor.context import ProcessorContext, Scheduled
from headrace.processor.records import FixedKeyRecord, RecordMetadata

__all__ = [
    "FixedKeyProcessor",
    "FixedKeyRecord",
    "Processor",
    "ProcessorContext",
    "RecordMetadata",
    "Scheduled",
    "ValueTransformer",
]
