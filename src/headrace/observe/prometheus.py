"""Prometheus' text format of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

Labels = Mapping[str, str]
Samples = Sequence[tuple[Labels, float]]

_PREFIX = "headrace_"


@dataclass(frozen=True)
class MetricFamily:
    """Metric family: all numbers of one name."""

    name: str
    help: str
    kind: str
    samples: Samples
    suffixes: Sequence[str] = ()
    """Behind the name, one for each sample; none if all have the name alone."""

    def labelled(self, labels: Labels) -> MetricFamily:
        """Family with more labels, in front of its own."""
        return replace(self, samples=[({**labels, **own}, value) for own, value in self.samples])

    @staticmethod
    def counters(name: str, help: str, samples: Samples) -> MetricFamily:
        """Numbers that only grow."""
        return MetricFamily(name, help, "counter", samples)

    @staticmethod
    def counter(name: str, help: str, value: float) -> MetricFamily:
        """Counter: a number that only grows."""
        return MetricFamily.counters(name, help, [({}, value)])

    @staticmethod
    def gauges(name: str, help: str, samples: Samples) -> MetricFamily:
        """Numbers that go up and down."""
        return MetricFamily(name, help, "gauge", samples)

    @staticmethod
    def gauge(name: str, help: str, value: float) -> MetricFamily:
        """Gauge: a number that goes up and down."""
        return MetricFamily.gauges(name, help, [({}, value)])

    @staticmethod
    def histogram(name: str, help: str, buckets: Samples, total: float, count: int) -> MetricFamily:
        """How often a number was at most each bound, which is the label `le`; with the sum of all and their count."""
        samples = [*buckets, ({}, total), ({}, float(count))]
        return MetricFamily(name, help, "histogram", samples, ("_bucket",) * len(buckets) + ("_sum", "_count"))


def together(families: Iterable[MetricFamily]) -> list[MetricFamily]:
    """Families of one name as one: a scrape has each name once."""
    found: dict[str, MetricFamily] = {}
    for one in families:
        before = found.get(one.name)
        found[one.name] = (
            one
            if before is None
            else replace(before, samples=[*before.samples, *one.samples], suffixes=[*before.suffixes, *one.suffixes])
        )
    return list(found.values())


def prometheus(families: Sequence[MetricFamily], labels: Labels) -> str:
    """The text for a scrape: each family with its help and its kind, every number with these labels too."""
    lines = []
    for family in families:
        lines.append(f"# HELP {_PREFIX}{family.name} {_escaped(family.help, quoted=False)}")
        lines.append(f"# TYPE {_PREFIX}{family.name} {family.kind}")
        suffixes = family.suffixes or [""] * len(family.samples)
        for (own, value), suffix in zip(family.samples, suffixes, strict=True):
            lines.append(f"{_PREFIX}{family.name}{suffix}{{{_text({**labels, **own})}}} {value:.15g}")
    return "\n".join(lines) + "\n"


def _text(labels: Labels) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(text: str, *, quoted: bool = True) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quoted else text
