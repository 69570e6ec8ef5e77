"""Where Graphviz puts the boxes and the edges of each state of a picture.

A state has a scope open, with the scopes around it, and all others closed. Graphviz sees
numbers instead of names, and sizes that are computed here, so that a layout does not
depend on the fonts of a machine.

Compare: tensorboard/plugins/graph/tf_graph_common/layout.ts. Read next: ``graph.py``.
"""

import json
import math
import os
import subprocess
import unicodedata
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from minitf.contrib.viz.graph_model import CONTROL, Node
from minitf.contrib.viz.scopes import Scope
from minitf.platform.graphviz import run_dot

HEIGHT = 34  # of a box, in pixels; Graphviz has 72 points to the inch
LETTER = 6.3  # the width of a letter
MAX_LABEL = 26  # letters on a box
MAX_CURVED = 150  # More edges are straight lines without labels.
PLAIN = "splines=line nslimit=1 nslimit1=1 mclimit=0.2"  # Graphviz takes less time
HEAD, DIRECTIONS = 6, 16  # the size of an arrowhead, and how many there are

Box = Scope | int


@dataclass
class StateEdge:
    """All edges of the graph from one box to another.

    Attributes:
        members: The edges of the graph that it stands for: node, output, using node.
    """

    source: Box
    target: Box
    members: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def is_control(self) -> bool:
        """Whether it stands for control inputs alone."""
        return all(output == CONTROL for _, output, _ in self.members)

    def label(self, nodes: Sequence[Node]) -> str:
        """The shape of the only tensor, or how many there are; nothing for a scalar."""
        tensors = {member[:2] for member in self.members if member[1] != CONTROL}
        if len(tensors) != 1:
            return f"{len(tensors)} tensors" if tensors else ""
        [(node, output)] = tensors
        return nodes[node].shape(output).replace("[]", "")


@dataclass
class State:
    """One state of the picture.

    Attributes:
        scope: The innermost scope that is open; the root if all are closed.
        box_of: By index of a node, the box that shows it.
        edges: Between boxes that are not the same.
    """

    scope: Scope
    box_of: list[Box]
    edges: list[StateEdge]

    def boxes(self) -> list[Box]:
        """All boxes, in the order of the graph."""
        return list(dict.fromkeys(self.box_of))


@dataclass
class Layout:
    """Places in pixels, from the upper left corner.

    Attributes:
        centers: By box.
        frames: Of each open scope the upper left corner, width and height.
        paths: For each edge of the state its line, as an SVG path, and a number of HEADS.
        labels: For each edge of the state where its text stands, if it has one.
    """

    size: tuple[int, int]
    centers: dict[Box, tuple[int, int]]
    frames: dict[Scope, list[int]]
    paths: list[tuple[str, int]]
    labels: list[tuple[int, int] | None]


def shortened(text: str, size: int = MAX_LABEL) -> str:
    """The text with its middle left out if it is longer than ``size``.

    >>> shortened("a_very_long_name_indeed", 10)
    'a_ver…deed'
    """
    rest = size // 2 - 1
    return text if len(text) <= size else text[: size - rest - 1] + "…" + text[-rest:]


def text_width(text: str) -> int:
    """About how wide a text is, in pixels."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return round((len(text) + wide) * LETTER)


def make_state(nodes: Sequence[Node], root: Scope, scope: Scope) -> State:
    """The state in which ``scope`` is open."""
    box_of: list[Box] = [0] * len(nodes)
    for opened in [root, *scope.path()]:
        for child in opened.children:
            for node in child.nodes if isinstance(child, Scope) else [child]:
                box_of[node] = child
    edges: dict[tuple[Box, Box], StateEdge] = {}
    for target, node in enumerate(nodes):
        for source, output in node.inputs:
            ends = box_of[source], box_of[target]
            # Within a closed scope nothing is drawn; a node may feed itself.
            if ends[0] is not ends[1] or source == target:
                edge = edges.setdefault(ends, StateEdge(*ends))
                edge.members.append((source, output, target))
    return State(scope, box_of, list(edges.values()))


def _dot_boxes(scope: Scope, numbers: dict[Box, int], widths: dict[Box, int]) -> str:
    """The closed boxes directly in a scope, in the language of Graphviz."""
    return "\n".join(
        f"{numbers[child]} [width={widths[child] / 72:.3f}]"
        for child in scope.children
        if child in numbers
    )


def dot_text(
    state: State, nodes: Sequence[Node], widths: dict[Box, int], is_plain: bool
) -> str:
    """The state in the language of Graphviz: boxes are numbers, names do not occur."""
    numbers = {box: number for number, box in enumerate(state.boxes())}
    path = state.scope.path()
    clusters = ""
    for depth, scope in reversed(list(enumerate(path))):
        label = "x" * (len(shortened(scope.label)) + 4)
        boxes = _dot_boxes(scope, numbers, widths)
        settings = f'margin=10 label="{label}"'
        clusters = f"subgraph cluster_{depth} {{ {settings}\n{boxes}\n{clusters} }}"
    lines = [
        "digraph { nodesep=0.16 ranksep=0.34 fontsize=11 labeljust=l margin=0",
        PLAIN if is_plain else "",
        f'node [shape=box fixedsize=true label="" height={HEIGHT / 72:.3f}]',
        'edge [fontname="Helvetica" fontsize=9 arrowhead=none]',
        _dot_boxes(path[0].parent if path else state.scope, numbers, widths),
        clusters,
    ]
    for number, edge in enumerate(state.edges):
        ends = f"{numbers[edge.source]} -> {numbers[edge.target]}"
        label = "" if is_plain else edge.label(nodes)
        lines.append(f'{ends} [id={number} label="{label}"]')
    return "\n".join([*lines, "}"])


def numbers_text(numbers: Iterable[int]) -> str:
    """Numbers in an SVG path: a minus sign needs no blank before it.

    >>> numbers_text([1, -2, 3])
    '1-2 3'
    """
    return " ".join(map(str, numbers)).replace(" -", "-")


def _heads() -> list[str]:
    """Arrowheads as SVG paths, by direction; 0 points right, the next ones downwards."""
    heads = []
    for direction in range(DIRECTIONS):
        angle = 2 * math.pi * direction / DIRECTIONS
        (x0, y0), (x1, y1) = (
            (round(-HEAD * math.cos(angle + side)), round(-HEAD * math.sin(angle + side)))
            for side in (-0.45, 0.45)
        )
        heads.append(f"m{numbers_text([x0, y0])}l{numbers_text([-x0, -y0, x1, y1])}")
    return heads


HEADS = _heads()


def _path(position: str, height: float) -> tuple[str, int]:
    """An SVG path along a spline of Graphviz, and the direction of its end.

    >>> _path("0,90 0,80 0,70 0,60", 100)
    ('M0 10c0 10 0 20 0 30', 4)
    """
    points = [
        (round(float(x)), round(height - float(y)))
        for x, y in (point.split(",") for point in position.split())
    ]
    steps = []
    for first in range(0, len(points) - 1, 3):
        x0, y0 = points[first]
        steps += [c for x, y in points[first + 1 : first + 4] for c in (x - x0, y - y0)]
    x, y = points[-1]
    before = next((point for point in reversed(points) if point != (x, y)), (x, y - 1))
    angle = math.atan2(y - before[1], x - before[0])
    direction = round(DIRECTIONS * angle / (2 * math.pi)) % DIRECTIONS
    return f"M{numbers_text(points[0])}c{numbers_text(steps)}", direction


def _layout(state: State, drawn: dict[str, Any]) -> Layout:
    """The places in the answer of ``dot -Tjson`` for a state."""
    _, _, width, height = (float(number) for number in drawn["bb"].split(","))

    def place(text: str) -> tuple[int, int]:
        x, y = text.split(",")
        return round(float(x)), round(height - float(y))

    boxes, path = state.boxes(), state.scope.path()
    layout = Layout((round(width), round(height)), {}, {}, [], [])
    for item in drawn.get("objects", []):
        if item["name"].startswith("cluster_"):
            left, low, right, high = (float(number) for number in item["bb"].split(","))
            frame = left, height - high, right - left, high - low
            scope = path[int(item["name"].removeprefix("cluster_"))]
            layout.frames[scope] = [round(number) for number in frame]
        else:
            layout.centers[boxes[int(item["name"])]] = place(item["pos"])
    for edge in sorted(drawn.get("edges", []), key=lambda edge: int(edge["id"])):
        layout.paths.append(_path(edge["pos"], height))
        layout.labels.append(place(edge["lp"]) if "lp" in edge else None)
    return layout


def lay_out(
    states: Sequence[State], nodes: Sequence[Node], widths: dict[Box, int]
) -> list[Layout]:
    """Lays out states, on all cores.

    Raises:
        errors.FailedPreconditionError: Graphviz is not installed.
    """

    def places(state: State) -> Layout:
        is_plain = len(state.edges) > MAX_CURVED
        try:
            drawn = run_dot(dot_text(state, nodes, widths, is_plain), "json")
        except subprocess.CalledProcessError:  # some dense graphs are too hard for it
            drawn = run_dot(dot_text(state, nodes, widths, is_plain=True), "json")
        return _layout(state, json.loads(drawn))

    # A process for each: Graphviz 2.43 aborts at the second graph in JSON.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(places, states))
