"""What waits for a partner in a join."""

from headrace.state.state import MemoryState
from headrace.state.unmatched import Unmatched

LEFT, RIGHT = 0, 1
AFTER = (10, 10)


def filled(*places: tuple[int, int, bytes, str]) -> Unmatched:
    unmatched = Unmatched(MemoryState(), "join")
    for place in places:
        unmatched.add(*place)
    return unmatched


def test_what_is_due_leaves_by_time_and_right_first_and_key_and_arrival() -> None:
    unmatched = filled(
        (5, LEFT, b"a", "1"), (5, RIGHT, b"b", "2"), (5, RIGHT, b"a", "3"), (5, LEFT, b"a", "4"), (4, LEFT, b"z", "5")
    )
    assert [value for *_, value in unmatched.expired(AFTER, 0, 16)] == ["5", "3", "2", "1", "4"]
    assert unmatched.expired(AFTER, 0, 99) == []


def test_what_may_still_find_a_partner_stays() -> None:
    unmatched = filled((5, LEFT, b"a", "1"), (6, LEFT, b"a", "2"))
    assert unmatched.expired(AFTER, 3, 18) == []
    assert unmatched.expired(AFTER, 3, 19) == [(5, LEFT, b"a", "1")]
    assert unmatched.expired(AFTER, 3, 20) == [(6, LEFT, b"a", "2")]


def test_each_side_waits_for_its_own_time() -> None:
    unmatched = filled((5, LEFT, b"a", "1"), (6, RIGHT, b"a", "2"), (7, LEFT, b"b", "3"))
    assert unmatched.expired((20, 1), 0, 8) == [(6, RIGHT, b"a", "2")]


def test_a_partner_takes_all_values_of_a_place() -> None:
    unmatched = filled((5, LEFT, b"a", "1"), (5, LEFT, b"a", "2"), (5, LEFT, b"b", "3"))
    unmatched.remove(5, LEFT, b"a")
    unmatched.remove(5, RIGHT, b"b")
    assert [value for *_, value in unmatched.expired(AFTER, 0, 99)] == ["3"]


def test_the_search_remembers_how_far_it_came() -> None:
    unmatched = filled((5, LEFT, b"a", "1"), (6, RIGHT, b"a", "2"), (7, LEFT, b"b", "3"), (8, LEFT, b"b", "4"))
    assert unmatched.earliest == 5
    assert unmatched.expired(AFTER, 0, 9) == []
    assert unmatched.earliest == 7
    unmatched.add(6, LEFT, b"c", "5")
    assert unmatched.earliest == 6
