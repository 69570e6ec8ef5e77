"""The drawn graph: a picture for each scope, so that every one is small enough to read.

The first picture shows the top of the graph: one box a layer, and one each for the
gradients and the optimizer. A box is a link to the picture of its own scope, which shows
the ops in it, or again boxes if these are many. What a scope takes from others, and what
it gives to them, stands around it with a dashed line, and is a link as well. The title
leads back up.

Graphviz lays the pictures out. Read next: ``python/minitf_lab/dev/demo/demo.py``.
"""

import os
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# A scope of more ops than this is drawn as boxes.
MAX_OPS = 12
# What a laptop shows at once, at 3/4 of a point to the pixel.
MAX_WIDTH_PT = 850
TOP = "the graph"
OPTIMIZER = "optimizer"
# What training by Adam adds: its ops, its powers, and its slots beside each variable.
OF_OPTIMIZER = re.compile(r"^(Adam|beta[12]_power)(/|$)|/Adam(_\d+)?(/|$)")
COLOURS = {"Placeholder": "#cfe8ff", "VarHandleOp": "#ffe3b8"}
BOX_COLOUR = "#e8efe4"


@dataclass
class _Box:
    """What is drawn as one box: an op, or a scope; in the picture's scope, or beside it.

    Attributes:
        name: Of the op or the scope, in full.
        type: Of the op; empty for a scope.
        count: How many ops the scope has.
    """

    name: str
    type: str = ""
    count: int = 1
    is_beside: bool = False


@dataclass
class _Edge:
    """What goes from one box to another.

    Attributes:
        shapes: Of each tensor, by its name.
        is_control: Whether there are only control dependencies.
    """

    shapes: dict[str, str] = field(default_factory=dict)
    is_control: bool = True

    @property
    def label(self) -> str:
        """The shape of the only tensor, or how many there are; nothing for a scalar."""
        if len(self.shapes) > 1:
            return f"{len(self.shapes)} tensors"
        return next(iter(self.shapes.values()), "").replace("()", "")


def _drawn_name(name: str) -> str:
    """The name under which an op is drawn: the optimizer's ops stand in one scope.

    >>> _drawn_name("conv1/kernel/Adam_1/Assign"), _drawn_name("conv1/kernel/Assign")
    ('optimizer/conv1/kernel/Adam_1/Assign', 'conv1/kernel/Assign')
    """
    return f"{OPTIMIZER}/{name}" if OF_OPTIMIZER.search(name) else name


def _is_in(name: str, scope: str) -> bool:
    """Whether an op stands in a scope; the one of the scope's own name does."""
    return not scope or name == scope or name.startswith(f"{scope}/")


def _child(name: str, scope: str) -> str:
    """The scope directly in ``scope`` that holds ``name``, or ``name`` if none does.

    >>> _child("a/b/c", ""), _child("a/b/c", "a"), _child("a/b", "a/b")
    ('a', 'a/b', 'a/b')
    """
    return "/".join(name.split("/")[: scope.count("/") + 2 if scope else 1])


class GraphPictures:
    """The pictures of one graph, as text for Graphviz.

    Attributes:
        scopes: Every scope that has a picture; the empty one is the top.
    """

    def __init__(self, graph: Any) -> None:
        self._ops = {_drawn_name(op.name): op for op in graph.get_operations()}
        self._counts: dict[str, int] = defaultdict(int)
        for name in self._ops:
            parts = name.split("/")
            for length in range(1, len(parts) + 1):
                self._counts["/".join(parts[:length])] += 1
        self.scopes = [""]
        for scope in self.scopes:  # grows on the way: a scope leads to those in it
            boxes = [self._box(name, scope) for name in self._ops]
            inside = [box.name for box in boxes if not box.type and not box.is_beside]
            self.scopes += dict.fromkeys(inside)

    def _box(self, name: str, scope: str) -> _Box:
        """The box that an op is drawn in, in the picture of ``scope``."""
        is_inside = _is_in(name, scope)
        if is_inside and scope and self._counts[scope] <= MAX_OPS:
            return _Box(name, self._ops[name].type)
        while not _is_in(name, scope):  # beside: seen from the first scope that has both
            scope = scope.rpartition("/")[0]
        child = _child(name, scope)
        count = self._counts[child]
        # The op of the scope's own name is no scope in it.
        is_op = count == 1 or child == scope
        if is_op:
            return _Box(name, self._ops[name].type, is_beside=not is_inside)
        return _Box(child, count=count, is_beside=not is_inside)

    def _edges(self, scope: str) -> tuple[dict[str, _Box], dict[tuple[str, str], _Edge]]:
        """The boxes of a picture, and what goes between them."""
        boxes: dict[str, _Box] = {}
        edges: dict[tuple[str, str], _Edge] = defaultdict(_Edge)
        for name, op in self._ops.items():
            target = self._box(name, scope)
            if not target.is_beside:
                boxes[target.name] = target
            inputs = [(tensor.op, tensor) for tensor in op.inputs]
            for other, tensor in [*inputs, *((op, None) for op in op.control_inputs)]:
                source = self._box(_drawn_name(other.name), scope)
                if source.name == target.name or (source.is_beside and target.is_beside):
                    continue
                boxes[source.name], boxes[target.name] = source, target
                edge = edges[source.name, target.name]
                if tensor is not None:
                    edge.shapes[tensor.name] = str(tensor.shape)
                    edge.is_control = False
        return boxes, edges

    def _node(self, box: _Box, scope: str) -> str:
        """A box in Graphviz's language."""
        inside = f"{scope}/" if scope and not box.is_beside else ""
        label = box.name.removeprefix(inside)
        style = "filled,dashed" if box.is_beside else "filled"
        if box.type:
            colour = COLOURS.get(box.type, "white")
            label, more = f"{label}\\n{box.type}", ""
        else:
            colour = BOX_COLOUR
            label = f"{label}\\n{box.count} ops"
            more = f', shape=folder, URL="{link(scope, box.name)}"'
        return (
            f'"{box.name}" [label="{label}", style="{style}", fillcolor="{colour}", '
            f'tooltip="{box.name}"{more}];'
        )

    def dot_text(self, scope: str, direction: str) -> str:
        """The picture of a scope in Graphviz's language; it grows in ``direction``."""
        boxes, edges = self._edges(scope)
        lines = ["digraph minitf {", f"rankdir={direction}; nodesep=0.15; ranksep=0.35;"]
        lines.append('node [shape=box, fontname="sans-serif", fontsize=11, height=0.3];')
        lines.append('edge [fontname="sans-serif", fontsize=9, color="#666666"];')
        if scope:
            up = scope.rpartition("/")[0]
            lines.append(f'label="{scope}, in {up or TOP}"; labelloc=t; fontsize=13;')
            lines.append(f'fontname="sans-serif"; URL="{link(scope, up)}";')
        lines += [self._node(box, scope) for box in boxes.values()]
        for (source, target), edge in edges.items():
            style = "dashed" if edge.is_control else "solid"
            settings = f'label="{edge.label}", style={style}'
            lines.append(f'"{source}" -> "{target}" [{settings}];')
        return "\n".join([*lines, "}"])


def place(scope: str) -> Path:
    """Where the picture of a scope lies.

    >>> str(place("")), str(place("gradients/conv1"))
    ('graph.svg', 'graph/gradients/conv1.svg')
    """
    return Path("graph", f"{scope}.svg") if scope else Path("graph.svg")


def link(scope: str, other: str) -> str:
    """The way from the picture of one scope to that of another.

    >>> link("gradients/conv1", "conv1")
    '../conv1.svg'
    """
    return os.path.relpath(place(other), place(scope).parent)


def _lay_out(text: str) -> str:
    """The picture in SVG, by Graphviz's program ``dot``."""
    done = subprocess.run(
        ["dot", "-Tsvg"], input=text, text=True, check=True, stdout=subprocess.PIPE
    )
    return done.stdout


def width_pt(svg: str) -> float:
    """How wide a picture of Graphviz is.

    >>> width_pt('<svg width="120pt" height="8pt">')
    120.0
    """
    return float(re.search(r'<svg width="([\d.]+)pt"', svg)[1])


def draw_graph(graph: Any, folder: Path) -> list[Path]:
    """Draws ``graph`` as ``graph.svg`` and the pictures that its boxes lead to.

    Returns:
        The files, the first picture first.
    """
    pictures = GraphPictures(graph)
    files = []
    for scope in pictures.scopes:
        svg = _lay_out(pictures.dot_text(scope, "BT"))
        if width_pt(svg) > MAX_WIDTH_PT:  # an op of many inputs is better read sideways
            svg = min(svg, _lay_out(pictures.dot_text(scope, "LR")), key=width_pt)
        path = folder / place(scope)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg)
        files.append(path)
    return files
