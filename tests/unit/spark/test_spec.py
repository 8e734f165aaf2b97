"""The kernel reads a spec by the names of its keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from headrace.errors import KernelMismatch
from headrace.spark.query import plain_errors
from headrace.spark.session.spark import kernel
from headrace.spark.spec.json import to_json
from headrace.spark.spec.stage import Into, StageSpec

pytestmark = pytest.mark.spark

WHOLE = StageSpec(number=1, entries={3: (Into(0, 0),)}, times={})


def without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda spec: spec.pop(key)


def unlike(**parts: Any) -> Callable[[dict[str, Any]], object]:
    return lambda spec: spec.update(parts)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without("times"), "the stage has no 'times'"),
        (unlike(colour="red"), "the stage has 'colour', which this kernel does not know"),
        (unlike(number="first"), "'number' of the stage is \"first\", which is no number"),
        (unlike(entries={"3": [{"operator": 0}]}), "the entries of 3 has no 'position'"),
    ],
)
def test_a_spec_that_does_not_fit_is_refused_by_the_key(spark: Any, change: Any, told: str) -> None:
    spec = json.loads(to_json(WHOLE))
    change(spec)
    with pytest.raises(KernelMismatch, match="different releases") as refused, plain_errors("app", "spark.log"):
        kernel(spark, "spec").StageSpec.parse(json.dumps(spec))
    assert refused.value.what.endswith(told)


def test_a_spec_that_fits_is_read(spark: Any) -> None:
    assert kernel(spark, "spec").StageSpec.parse(to_json(WHOLE)).number() == 1
