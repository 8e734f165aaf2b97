"""Partitions of records that are written, chosen by functions of users."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.expr import Bound
from headrace.model.types import INT, ListType, list_of
from headrace.plan.nodes import Repartition, To
from headrace.serde import INT32
from headrace.spark.compile.flow import Flow
from headrace.spark.compile.sql import decode, guarded, label, text


def spread(flow: Flow, edge: int, node: To | Repartition, columns: Mapping[str, str]) -> tuple[Flow, str]:
    """Rows for each partition that a record goes to, with the column of its number; to none, and it is dropped."""
    flow, said = flow.compute(edge, chosen(node, columns, flow.where))
    flow = flow.keep(edge, f"hr_unless_dropped(size({said}) > 0, {text(node.name)}, 'no partition')")
    return flow.explode(edge, said, "int")


def chosen_partition() -> str:
    """SQL for the partition that a partitioner in Python said; null is the usual one."""
    return f"CAST({decode(INT32, 'old')} AS INT)"


def chosen(node: To | Repartition, columns: Mapping[str, str], where: str) -> str:
    """SQL for the partitions that a node's partitioner says, each once; null in the list is the usual one.

    `columns` are its key, value, topic and the number of partitions there are.
    """
    assert isinstance(node.partitioner, Bound)
    type_ = list_of(INT) if isinstance(node.partitioner.type, ListType) else INT
    said = f"CAST({node.partitioner.sql(columns)} AS {type_.sql})"
    checked = f"hr_partitions({said}, CAST({columns['partitions']} AS BIGINT), {columns['topic']})"
    told = guarded(checked, "failed", label(node), where)
    return f"coalesce({told}, array(CAST(NULL AS INT)))"
