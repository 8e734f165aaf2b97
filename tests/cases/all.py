"""Every table of cases."""

from cases import branch, count, merge, repartition, source, stateless, to
from cases.table import Case

TABLES = (source, stateless, branch, merge, repartition, count, to)


def all_cases() -> list[Case]:
    """The cases of all tables."""
    cases = [case for table in TABLES for case in table.CASES]
    assert len({case.id for case in cases}) == len(cases), "two cases have the same title"
    return cases
