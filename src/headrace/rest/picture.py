"""The topology of an application as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from headrace.plan.nodes import To
from headrace.plan.nodes.base import Node
from headrace.plan.subtopology import SubTopology

_WIDTH, _HEIGHT = 190, 46
_ACROSS, _DOWN = 64, 22
_EDGE, _TITLE = 24, 26
_LETTERS = 24
_STYLE = """
text{font:13px system-ui,sans-serif;fill:#1f2933}
.detail{font-size:11px;fill:#5f6c7b}
.part{fill:#f4f6f8;stroke:#d5dbe1}
.part-name{font-size:11px;fill:#5f6c7b}
.node rect{fill:#fff;stroke:#9aa5b1}
.in rect{fill:#e3f2ec;stroke:#2f8f6b}
.out rect{fill:#e5eefb;stroke:#3b6fb6}
.keeps rect{fill:#fdf3df;stroke:#b7791f}
path{fill:none;stroke:#7b8794;stroke-width:1.3}
svg{background:#fff}
@media (prefers-color-scheme: dark){
svg{background:#12161b}
text{fill:#e4e9ee}
.detail,.part-name{fill:#93a1af}
.part{fill:#181e25;stroke:#2d3742}
.node rect{fill:#1f262e;stroke:#52606d}
.in rect{fill:#17332a;stroke:#3fae84}
.out rect{fill:#1a2a42;stroke:#5b8fd6}
.keeps rect{fill:#3a2d12;stroke:#d69e2e}
path{stroke:#7b8794}
}
"""


@dataclass(frozen=True)
class _Box:
    x: int
    y: int

    @property
    def left(self) -> tuple[int, int]:
        return self.x, self.y + _HEIGHT // 2

    @property
    def right(self) -> tuple[int, int]:
        return self.x + _WIDTH, self.y + _HEIGHT // 2


def picture(app: str, parts: Sequence[SubTopology]) -> str:
    """An SVG in which records flow from left to right: each sub-topology a panel, its operators in layers.

    What reads topics is green, what writes them blue, what keeps a store amber.
    """
    boxes: dict[Node, _Box] = {}
    layers = _layers(parts)
    panels: list[str] = []
    top = _EDGE + _TITLE
    for part in parts:
        bottom = _place(part, layers, boxes, top + _TITLE)
        xs = [boxes[node].x for node in part.nodes]
        left, right = min(xs) - 12, max(xs) + _WIDTH + 12
        panels.append(
            f'<rect class="part" x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" rx="10"/>'
            f'<text class="part-name" x="{left + 12}" y="{top + 17}">sub-topology {part.number}</text>'
        )
        top = bottom + _DOWN
    width = max((box.x for box in boxes.values()), default=0) + _WIDTH + _EDGE + 12
    drawn = [*panels, *_edges(boxes), *(_drawn(node, box) for node, box in boxes.items())]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}">'
        f"<title>{escape(app)}</title><style>{_STYLE}</style>"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8"/></marker></defs>'
        f'<text x="{_EDGE}" y="{_EDGE + 4}">{escape(app)}</text>{"".join(drawn)}</svg>'
    )


def _layers(parts: Sequence[SubTopology]) -> dict[Node, int]:
    """How far to the right an operator is: behind all that it reads from; what reads topics close to its readers."""
    nodes = [node for part in parts for node in part.nodes]
    readers: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for upstream in node.inputs:
            readers.setdefault(upstream, []).append(node)
    first = _behind(nodes, {})
    starts: dict[Node, int] = {}
    for node in nodes:
        if not node.inputs:
            main = [first[reader] for reader in readers[node] if not isinstance(reader, To)]
            starts[node] = min(main, default=1) - 1
    return _behind(nodes, starts)


def _behind(nodes: Sequence[Node], starts: Mapping[Node, int]) -> dict[Node, int]:
    layers = dict(starts)

    def layer(node: Node) -> int:
        if node not in layers:
            layers[node] = max((layer(upstream) + 1 for upstream in node.inputs), default=0)
        return layers[node]

    for node in nodes:
        layer(node)
    return layers


def _place(part: SubTopology, layers: dict[Node, int], boxes: dict[Node, _Box], top: int) -> int:
    """Give each operator of a part its place, beside what it reads from where that is free; where the part ends."""
    taken: dict[int, int] = {}
    for node in sorted(part.nodes, key=lambda node: (layers[node], isinstance(node, To))):
        layer = layers[node]
        beside = [boxes[upstream].y for upstream in node.inputs if upstream in boxes and upstream in part.nodes]
        y = max(taken.get(layer, top), min(beside, default=top))
        boxes[node] = _Box(_EDGE + 12 + layer * (_WIDTH + _ACROSS), y)
        taken[layer] = y + _HEIGHT + _DOWN
    return max(taken.values()) - _DOWN + 12


def _edges(boxes: dict[Node, _Box]) -> Iterator[str]:
    for node, box in boxes.items():
        for upstream in dict.fromkeys(node.inputs):
            if upstream in boxes:
                (x1, y1), (x2, y2) = boxes[upstream].right, box.left
                middle = (x2 - x1) // 2
                yield (
                    f'<path d="M{x1},{y1} C{x1 + middle},{y1} {x2 - middle},{y2} {x2},{y2}" marker-end="url(#tip)"/>'
                )


def _drawn(node: Node, box: _Box) -> str:
    kind = "in" if not node.inputs else "out" if isinstance(node, To) else "keeps" if node.facts.stateful else ""
    told = f"{node.name}: {node.op} {node.detail()}".strip()
    return (
        f'<g class="node {kind}"><title>{escape(told)}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{_HEIGHT}" rx="7"/>'
        f'<text x="{box.x + 10}" y="{box.y + 19}">{escape(_short(node.op))}</text>'
        f'<text class="detail" x="{box.x + 10}" y="{box.y + 36}">{escape(_short(_words(node)))}</text></g>'
    )


def _words(node: Node) -> str:
    return node.detail() or node.name


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
