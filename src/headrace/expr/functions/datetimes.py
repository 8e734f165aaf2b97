"""Moments: datetimes in UTC, dates and times of day, and what is asked about them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from headrace.expr.functions.row import Function
from headrace.model.texts import moment_of
from headrace.model.types import DATE, DATETIME, FLOAT, INT, STR, TIME, Type

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_OUTSIDE = "the datetime is outside the years 1 to 9999"


def _from_ms(ms: int) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        raise OverflowError(_OUTSIDE) from None


def _plus_ms(moment: datetime, ms: int) -> datetime:
    try:
        return moment + timedelta(milliseconds=ms)
    except OverflowError:
        raise OverflowError(_OUTSIDE) from None


def _to_ms(moment: datetime) -> int:
    return (moment - _EPOCH) // _MS


def _parsed(text: str) -> datetime:
    try:
        return moment_of(text)
    except ValueError:
        raise ValueError("the text is not a datetime such as 2024-05-31T12:30:00Z") from None


_UNITS = {
    "second": lambda at: at.replace(microsecond=0),
    "minute": lambda at: at.replace(second=0, microsecond=0),
    "hour": lambda at: at.replace(minute=0, second=0, microsecond=0),
    "day": lambda at: at.replace(hour=0, minute=0, second=0, microsecond=0),
    "month": lambda at: at.replace(day=1, hour=0, minute=0, second=0, microsecond=0),
    "year": lambda at: at.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0),
}
_PARTS = ("year", "month", "day", "hour", "minute", "second", "microsecond")


def _part(name: str, type_: Type = DATETIME, of: str = "moment") -> Function:
    return Function(f"@{name}", (type_,), INT, lambda at: getattr(at, name), f"hr_{of}_{name}({{0}})")


def _of_dates(name: str, gives: Type, sql: str) -> Function:
    return Function(f".{name}", (DATE,), gives, getattr(date, name), sql)


_D = (DATETIME,)
MOMENTS = (
    Function("from_ms", (INT,), DATETIME, _from_ms, "hr_from_ms({0})"),
    Function("to_ms", _D, INT, _to_ms, "hr_to_ms({0})"),
    Function("plus_ms", (DATETIME, INT), DATETIME, _plus_ms, "hr_plus_ms({0}, {1})"),
    Function("parse_datetime", (STR,), DATETIME, _parsed, "hr_parse_datetime({0})"),
    Function(".isoformat", _D, STR, datetime.isoformat, "hr_isoformat({0})"),
    Function(".timestamp", _D, FLOAT, datetime.timestamp, "hr_moment_timestamp({0})"),
    Function(".weekday", _D, INT, datetime.weekday, "hr_moment_weekday({0})"),
    Function(".isoweekday", _D, INT, datetime.isoweekday, "(hr_moment_weekday({0}) + 1L)"),
    Function(".date", _D, DATE, datetime.date, "hr_moment_date({0})"),
    Function(".time", _D, TIME, datetime.time, "hr_moment_time({0})"),
    *map(_part, _PARTS),
    *(
        Function(f"start_of_{unit}", _D, DATETIME, python, f"hr_start_of_{unit}({{0}})")
        for unit, python in _UNITS.items()
    ),
    *(_part(name, DATE, "date") for name in ("year", "month", "day")),
    _of_dates("isoformat", STR, "hr_date_iso({0})"),
    _of_dates("weekday", INT, "hr_date_weekday({0})"),
    _of_dates("isoweekday", INT, "(hr_date_weekday({0}) + 1L)"),
    *(_part(name, TIME, "time") for name in ("hour", "minute", "second", "microsecond")),
    Function(".isoformat", (TIME,), STR, time.isoformat, "hr_time_iso({0})"),
)
