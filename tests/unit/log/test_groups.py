"""Positions of groups on a real broker."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import closing

import pytest

from headrace.log.groups import Group, Standing

pytestmark = pytest.mark.spark


def test_what_is_published_is_found(broker: str, topic: Callable[..., str]) -> None:
    name, (one, other) = f"group-{uuid.uuid4().hex[:8]}", (topic(), topic())
    group = Group(name, broker)
    with closing(Standing(name, broker)) as standing:
        assert standing.positions() == {}
        group.publish({(one, 0): 5, (one, 3): 0})
        assert group.positions() == {(one, 0): 5, (one, 3): 0}
    with closing(Standing(name, broker)) as standing:
        assert standing.positions() == {(one, 0): 5, (one, 3): 0}
        group.publish({(one, 0): 6, (other, 1): 7})
        assert standing.positions() == {(one, 0): 6, (one, 3): 0}  # of the other it hears a little later
    assert group.positions() == {(one, 0): 6, (one, 3): 0, (other, 1): 7}
