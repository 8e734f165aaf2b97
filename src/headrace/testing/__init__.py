"""Test kit for applications: no Spark, no broker, milliseconds."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.testing.driver import TopologyTestDriver as TopologyTestDriver
    from headrace.testing.mock_context import Forwarded as Forwarded
    from headrace.testing.mock_context import MockProcessorContext as MockProcessorContext
    from headrace.testing.mock_context import ScheduledCall as ScheduledCall
    from headrace.testing.text import Table as Table
    from headrace.testing.text import table as table
    from headrace.testing.topics import InputTopic as InputTopic
    from headrace.testing.topics import OutputTopic as OutputTopic
    from headrace.testing.views import KeyValueView as KeyValueView
    from headrace.testing.views import StoreView as StoreView
    from headrace.testing.views import VersionedView as VersionedView
    from headrace.testing.views import WindowView as WindowView

__all__ = [
    "Forwarded",
    "InputTopic",
    "KeyValueView",
    "MockProcessorContext",
    "OutputTopic",
    "ScheduledCall",
    "StoreView",
    "Table",
    "TopologyTestDriver",
    "VersionedView",
    "WindowView",
    "table",
]
_MODULES = {
    "Forwarded": "mock_context",
    "InputTopic": "topics",
    "KeyValueView": "views",
    "MockProcessorContext": "mock_context",
    "OutputTopic": "topics",
    "ScheduledCall": "mock_context",
    "StoreView": "views",
    "Table": "text",
    "TopologyTestDriver": "driver",
    "VersionedView": "views",
    "WindowView": "views",
    "table": "text",
}


def __getattr__(name: str) -> object:
    """Load what is asked for: the plugin lives here as well, and pytest loads it at every start."""
    if name not in _MODULES:
        raise AttributeError(f"module 'headrace.testing' has no attribute {name!r}")
    return getattr(importlib.import_module(f"headrace.testing.{_MODULES[name]}"), name)
