"""Errors of requests, in words."""

from __future__ import annotations

import pytest

from headrace.errors import (
    AppNotServed,
    BodyRefused,
    CursorInvalid,
    HeadraceError,
    KeyAbsent,
    LoginNeeded,
    MethodRefused,
    OriginRefused,
    ParameterInvalid,
    ParameterUnknown,
    PathUnknown,
    RoleLacking,
    TooManyRequests,
    WatcherUnknown,
)
from headrace.rest.server.responses import STATUS, error_answer, error_object

WORDS: list[tuple[type[HeadraceError], HeadraceError, int, str]] = [
    (
        ParameterInvalid,
        ParameterInvalid("limit", "9" * 60, "less"),
        400,
        f"parameter limit is '{'9' * 40}...'\n  to do: give less",
    ),
    (ParameterUnknown, ParameterUnknown("x", ["a", "b"]), 400, "there is no parameter 'x'\n  to do: there are a, b"),
    (
        ParameterUnknown,
        ParameterUnknown("x", [], twice=True),
        400,
        "parameter 'x' is given twice\n  to do: give it once",
    ),
    (PathUnknown, PathUnknown(), 404, "there is nothing at this path\n  to do: all paths are in /openapi.json"),
    (
        MethodRefused,
        MethodRefused("PUT", ["GET", "HEAD"]),
        405,
        "this path does not take PUT\n  to do: use GET or HEAD",
    ),
    (
        AppNotServed,
        AppNotServed("music"),
        404,
        "this server does not answer for that application\n  to do: it answers for music",
    ),
    (KeyAbsent, KeyAbsent("counts", "plays-0@1"), 404, "store 'counts' has no such key"),
    (
        CursorInvalid,
        CursorInvalid(),
        400,
        "this cursor is of no page of this question\n  to do: give the cursor as the",
    ),
    (LoginNeeded, LoginNeeded(), 401, "nobody known by this name, password or token\n  to do: send a token"),
    (
        RoleLacking,
        RoleLacking("ann", "the role admin"),
        403,
        "ann may not do that\n  to do: it is for those with the role",
    ),
    (OriginRefused, OriginRefused("Host"), 403, "requests with this Host are not answered\n  to do: name the site"),
    (
        BodyRefused,
        BodyRefused("is too large", "send less"),
        413,
        "the body of the request is too large\n  to do: send less",
    ),
    (TooManyRequests, TooManyRequests("watchers", 5), 429, "there are too many watchers\n  to do: ask again in 5 s"),
    (WatcherUnknown, WatcherUnknown(), 404, "there is no such watcher\n  to do: list those that there are"),
]


@pytest.mark.parametrize(("kind", "error", "status", "words"), WORDS, ids=lambda one: getattr(one, "__name__", None))
def test_words(kind: type[HeadraceError], error: HeadraceError, status: int, words: str) -> None:
    assert isinstance(error, kind)
    assert str(error).startswith(words)
    assert error_answer(error).status_code == status
    assert error_object(error)["error"]["code"] == kind.code
    assert kind.code in STATUS


def test_what_nobody_expected_is_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    answer = error_answer(RuntimeError("/secret/path"))
    assert (answer.status_code, b"secret" in bytes(answer.body)) == (500, False)
    assert "/secret/path" in caplog.text
