"""Wherever the application is restarted, it writes the same and drops the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.oracle_compare import run
from conformance.oracle_live import recorded

GENERATED = [case for case, _ in recorded()]
PART = 10


@pytest.mark.parametrize("first", range(0, len(GENERATED), PART))
@settings(deadline=None, max_examples=3)
@given(data=st.data())
def test_generated_topologies_write_the_same_with_restarts(first: int, data: Any) -> None:
    case = data.draw(st.sampled_from(GENERATED[first : first + PART]), label="case")
    behind = data.draw(st.sets(st.integers(0, len(case["inputs"]) - 1), min_size=1), label="restarts behind inputs")
    assert run(case, [], restarts=behind) == run(case, [])
