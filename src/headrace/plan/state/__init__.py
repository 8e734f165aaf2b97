"""State of operators as data: each node says what it keeps, and everybody who moves or shows state reads it there."""

from headrace.plan.state.descriptors import (
    TASK_TIME,
    FilesBegun,
    FinalResults,
    HeldBack,
    PartitionTimes,
    StateDescriptor,
    StreamTime,
    Subscriptions,
    TableRows,
    Unmatched,
    Waiting,
)
from headrace.plan.state.layout import Family, KeyForm, Keys, LaneState, Prefetched, Remembered, TimeAt
from headrace.plan.state.windows import Versions, WindowLists, WindowRows, WindowState

__all__ = [
    "TASK_TIME",
    "Family",
    "FilesBegun",
    "FinalResults",
    "HeldBack",
    "KeyForm",
    "Keys",
    "LaneState",
    "PartitionTimes",
    "Prefetched",
    "Remembered",
    "StateDescriptor",
    "StreamTime",
    "Subscriptions",
    "TableRows",
    "TimeAt",
    "Unmatched",
    "Versions",
    "Waiting",
    "WindowLists",
    "WindowRows",
    "WindowState",
]
