"""What a running application tells about itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, produce
from headrace.observe.metrics import Metrics

pytestmark = pytest.mark.spark

PROGRAM = """
import headrace as hr

app = hr.App("watched", broker={broker!r}, checkpoint={checkpoint!r})
texts = app.stream({source!r}, value=hr.STRING, key=hr.STRING)
texts.group_by_key().count(store="n").to_stream().to({target!r})
"""


@pytest.mark.usefixtures("spark")
def test_metrics_of_a_batch(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("words", 1), topic("counts", 1)
    app = hr.App("watched", broker=broker, checkpoint=tmp_path)
    texts = app.stream(source, key=hr.STRING, value=hr.STRING)
    first = texts.group_by_key().count(store="by-key")
    by_value = first.to_stream().group_by(lambda key, n: hr.when(n > 1, key).otherwise(None), name="again")
    by_value.count(store="by-value").to_stream().to(target)
    assert app.metrics() == Metrics(app="watched")
    told: list[Metrics] = []
    app.on_batch(told.append)
    records = [("a", "1"), ("a", "2"), ("b", "3"), (None, "4"), ("b", None), (None, "5")]
    produce(broker, None, source, [NewRecord(key=_bytes(key), value=_bytes(value)) for key, value in records])
    app.run(until="latest")

    found = app.metrics()
    assert told == [found]
    assert (found.batches, found.records_in, found.records_out) == (1, 6, 1)
    assert found.drops == {("by-key", "no key"): 2, ("by-key", "no value"): 1, ("again.repartition", "no key"): 1}
    assert found.lag == {(source, 0): 0}
    assert found.last is not None and found.last.number == 0
    assert 0 < found.last.parts_ms["addBatch"] <= found.last.duration_ms == found.busy_ms
    assert [(stage.number, stage.records_in, stage.records_out) for stage in found.stages] == [(1, 6, 4), (2, 1, 2)]
    assert found.rows_logged == 3  # of both stores
    assert [stage.state_rows for stage in found.stages] == [2, 1]
    assert all(stage.state_bytes > 0 for stage in found.stages)

    text = app.explain()
    assert f"\nbatch 0: 6 records in, 1 out, {found.last.duration_ms / 1000:.1f} s, " in text
    assert "\n  last batch: 6 records in, 4 out, state of 2 rows in " in text
    assert "\n  by-key dropped 2 records: no key\n" in text


def test_metrics_in_a_file(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target, file = topic(), topic(), tmp_path / "metrics.prom"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(broker=broker, checkpoint=str(tmp_path / "kept"), source=source, target=target))
    produce(broker, None, source, [NewRecord(key=b"a", value=b"x")] * 3 + [NewRecord(value=b"x")])
    command = [sys.executable, "-m", "headrace.cli.main", "run", str(program), "--until", "latest"]
    subprocess.run([*command, "--metrics-file", str(file)], check=True, capture_output=True)
    lines = file.read_text().splitlines()
    assert 'headrace_records_in_total{app="watched"} 4' in lines
    assert 'headrace_records_dropped_total{app="watched",node="n",reason="no key"} 1' in lines


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
