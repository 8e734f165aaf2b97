"""The topology of an application as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from headrace.plan.nodes import To
from headrace.plan.nodes.base import Node
from headrace.plan.subtopology import SubTopology

_WIDTH, _HEIGHT = 190, 46
_ACROSS, _DOWN = 44, 22
_EDGE, _INSIDE, _TITLE = 16, 20, 28
_LEAVE, _ARRIVE, _BEND = 10, 12, 5
_LETTERS, _SMALL_LETTERS = 22, 27
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
svg{background:#1c1e22}
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
    panel: int
    """Where the panel that it is in begins, from above."""

    @property
    def left(self) -> tuple[int, int]:
        return self.x, self.y + _HEIGHT // 2

    @property
    def right(self) -> tuple[int, int]:
        return self.x + _WIDTH, self.y + _HEIGHT // 2


def picture(app: str, parts: Sequence[SubTopology]) -> str:
    """An SVG in which records flow from left to right: each sub-topology a panel, its operators in layers.

    Panels lie below one another, so that the picture of a long topology is no wider than its longest part. What reads
    topics is green, what writes them blue, what keeps a store amber.
    """
    boxes: dict[Node, _Box] = {}
    bottoms: list[int] = []
    for part in parts:
        bottoms.append(_place(part, boxes, bottoms[-1] + _DOWN if bottoms else _EDGE))
    width = max((box.x for box in boxes.values()), default=0) + _WIDTH + _INSIDE + _EDGE
    height = (bottoms or [0])[-1] + _EDGE
    panels = [
        _panel(part, boxes[part.nodes[0]].panel, bottom, width) for part, bottom in zip(parts, bottoms, strict=True)
    ]
    drawn = [*panels, *_edges(boxes), *(_drawn(node, box) for node, box in boxes.items())]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<title>{escape(app)}</title><style>{_STYLE}</style>"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8"/></marker></defs>{"".join(drawn)}</svg>'
    )


def _panel(part: SubTopology, top: int, bottom: int, width: int) -> str:
    return (
        f'<rect class="part" x="{_EDGE}" y="{top}" width="{width - 2 * _EDGE}" height="{bottom - top}" rx="10"/>'
        f'<text class="part-name" x="{_EDGE + _INSIDE}" y="{top + 17}">sub-topology {part.number}</text>'
    )


def _layers(part: SubTopology) -> dict[Node, int]:
    """How far to the right an operator is: behind all that it reads from; what reads topics close to its readers."""
    readers: dict[Node, list[Node]] = {node: [] for node in part.nodes}
    for node in part.nodes:
        for upstream in _inside(part, node):
            readers[upstream].append(node)
    first = _behind(part, {})
    starts: dict[Node, int] = {}
    for node in part.nodes:
        if not _inside(part, node):
            main = [first[reader] for reader in readers[node] if not isinstance(reader, To)]
            starts[node] = min(main, default=1) - 1
    return _behind(part, starts)


def _inside(part: SubTopology, node: Node) -> list[Node]:
    """Nodes of the same part that an operator reads from."""
    return [upstream for upstream in node.inputs if upstream in part.nodes]


def _behind(part: SubTopology, starts: Mapping[Node, int]) -> dict[Node, int]:
    layers = dict(starts)

    def layer(node: Node) -> int:
        if node not in layers:
            layers[node] = max((layer(upstream) + 1 for upstream in _inside(part, node)), default=0)
        return layers[node]

    for node in part.nodes:
        layer(node)
    return layers


def _place(part: SubTopology, boxes: dict[Node, _Box], panel: int) -> int:
    """Give each operator of a part its place, beside what it reads from where that is free; where the part ends."""
    layers, top, taken = _layers(part), panel + _TITLE, dict[int, int]()
    for node in sorted(part.nodes, key=lambda node: (layers[node], isinstance(node, To))):
        layer = layers[node]
        beside = [boxes[upstream].y for upstream in _inside(part, node)]
        y = max(taken.get(layer, top), min(beside, default=top))
        boxes[node] = _Box(_EDGE + _INSIDE + layer * (_WIDTH + _ACROSS), y, panel)
        taken[layer] = y + _HEIGHT + _DOWN
    return max(taken.values()) - _DOWN + _INSIDE


def _edges(boxes: dict[Node, _Box]) -> Iterator[str]:
    for node, box in boxes.items():
        for upstream in dict.fromkeys(node.inputs):
            if upstream in boxes:
                line = _curve if boxes[upstream].panel == box.panel else _way_round
                yield f'<path d="{line(boxes[upstream], box)}" marker-end="url(#tip)"/>'


def _curve(start: _Box, end: _Box) -> str:
    (x1, y1), (x2, y2) = start.right, end.left
    middle = (x2 - x1) // 2
    return f"M{x1},{y1} C{x1 + middle},{y1} {x2 - middle},{y2} {x2},{y2}"


def _way_round(start: _Box, end: _Box) -> str:
    """A line to another panel: between columns, and between panels, so that it crosses no box."""
    (x1, y1), (x2, y2) = start.right, end.left
    across, before, bend = x1 + _LEAVE, x2 - _ARRIVE, _BEND
    between = end.panel - _DOWN // 2
    down, left = (bend if between > y1 else -bend), (bend if before < across else -bend)
    return (
        f"M{x1},{y1} H{across - bend} q{bend},0 {bend},{down} V{between - down} q0,{down} {-left},{down}"
        f" H{before + left} q{-left},0 {-left},{bend} V{y2 - bend} q0,{bend} {bend},{bend} H{x2}"
    )


def _drawn(node: Node, box: _Box) -> str:
    kind = "in" if not node.inputs else "out" if isinstance(node, To) else "keeps" if node.facts.stateful else ""
    told = f"{node.name}: {node.op} {node.detail()}".strip()
    name, words = _short(node.op, _LETTERS), _short(node.detail() or node.name, _SMALL_LETTERS)
    return (
        f'<g class="node {kind}"><title>{escape(told)}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{_HEIGHT}" rx="7"/>'
        f'<text x="{box.x + 10}" y="{box.y + 19}">{escape(name)}</text>'
        f'<text class="detail" x="{box.x + 10}" y="{box.y + 36}">{escape(words)}</text></g>'
    )


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"
