"""``viz.graph``: a graph whose scopes open and close; ``viz.passes``: two side by side.

Python lays out each state of the picture. The browser only shows them (``viewer.js``).

Compare: TensorBoard's graph page, Netron. Read next: ``docs/pictures.md``.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minitf.contrib.viz import layout
from minitf.contrib.viz.graph_model import (
    CONTROL,
    Node,
    graph_def_of,
    hint,
    read_graph,
)
from minitf.contrib.viz.layout import HEADS, HEIGHT, Box, Layout, State
from minitf.contrib.viz.picture import (
    COLOURS,
    Picture,
    element,
    escaped,
    legend,
    svg_of,
    text_at,
)
from minitf.contrib.viz.scopes import Scope, drawn_name, scope_tree

SCRIPT = Path(__file__).with_name("viewer.js")
MAX_STATES = 100
MAX_LISTED = 8  # inputs or users of a node in its information
ROOT = -1
# The effects of passes on nodes, and their colours.
FATES = {"went": 3, "came": 2, "changed": 1, "stayed": 7}
BUTTONS = {"+": "zoom in", "-": "zoom out", "0": "show all", "Escape": "close scope"}
HINT = (
    "Click or Enter: open or close a scope. Escape: close the innermost.\n"
    "Drag or arrows: move. Wheel, pinch, + and -: zoom. 0: show all."
)


@dataclass
class Groups:
    """The meaning of the colours of nodes.

    Attributes:
        of_node: The name of each node's group.
        is_written: Whether the name stands on the boxes.
        colours: Of each name; names without one are plain.
    """

    of_node: list[str]
    is_written: bool
    colours: dict[str, int]

    def of(self, box: Box) -> str:
        """The name on a box; empty for none."""
        if not self.of_node:
            return ""
        if not isinstance(box, Scope):
            return self.of_node[box]
        counts = Counter(self.of_node[node] for node in box.nodes)
        return next(iter(counts)) if len(counts) == 1 else "mixed"


def _most_common(names: list[str], is_written: bool) -> Groups:
    """Gives the most frequent names colours; the last colour is for all others."""
    counts = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    common = [name for name, _ in counts]
    if len(common) > COLOURS:
        common = common[: COLOURS - 1]
        names = [name if name in common else "others" for name in names]
        common.append("others")
    colours = {name: number for number, name in enumerate(common)}
    return Groups(names, is_written and len(colours) > 1, colours)


def _groups(nodes: Sequence[Node], colours: str | None) -> Groups:
    if colours == "type":
        return _most_common([node.type for node in nodes], is_written=False)
    if colours == "device":
        return _most_common([device_name(node.device) for node in nodes], True)
    if colours is None:
        return Groups([], False, {})
    raise ValueError(f'colours must be "device", "type" or None, is {colours!r}')


def device_name(device: str) -> str:
    """A short name.

    >>> device_name("/job:worker/replica:0/task:1/device:GPU:0"), device_name("")
    ('worker/1/GPU:0', 'no device')
    >>> device_name("/job:localhost/replica:0/task:0/device:CPU:0"), device_name("/gpu:1")
    ('CPU:0', 'GPU:1')
    """
    if not device:
        return "no device"
    words = dict(
        part.split(":", 1) for part in device.strip("/").split("/") if ":" in part
    )
    kind = words.get("device") or next(
        (f"{k.upper()}:{words[k]}" for k in ("cpu", "gpu") if k in words), device
    )
    job = words.get("job", "localhost")
    return kind if job == "localhost" else f"{job}/{words.get('task', '*')}/{kind}"


class GraphView:
    """The states of a graph's picture, and their layouts.

    Attributes:
        scopes: All scopes; the number of scope i among boxes is ``len(nodes) + i``.
        states: By number of a scope, or ROOT, the state in which it is open.
        first: The number of the state that is seen first.
    """

    def __init__(self, nodes: Sequence[Node], groups: Groups, expanded: str | None):
        self.nodes, self.groups = nodes, groups
        self.root = scope_tree([node.name for node in nodes])
        self.scopes = list(self.root.scopes())
        self.numbers: dict[Box, int] = {number: number for number in range(len(nodes))}
        for number, scope in enumerate(self.scopes):
            self.numbers[scope] = len(nodes) + number
        self.numbers[self.root] = ROOT
        opened = self._scope_called(expanded)
        wanted = dict.fromkeys([self.root, *opened.path(), *self.scopes])
        chosen = list(wanted)[:MAX_STATES]
        # A scope may be open only if the scopes around it can be closed again.
        self.first = self.numbers[opened]
        self.users = self._users()
        self.parents = {
            child: scope
            for scope in [self.root, *self.scopes]
            for child in scope.children
        }
        self.boxes = [*range(len(nodes)), *self.scopes]
        self.openable = set(chosen)
        widths = {box: self._width(box) for box in self.boxes}
        made = [layout.make_state(nodes, self.root, scope) for scope in chosen]
        layouts = layout.lay_out(made, nodes, widths)
        self.states: dict[int, tuple[State, Layout]] = {
            self.numbers[state.scope]: (state, places)
            for state, places in zip(made, layouts, strict=True)
        }

    def _scope_called(self, name: str | None) -> Scope:
        if name is None:
            return self.root
        by_name = {scope.name: scope for scope in self.scopes}
        if name not in by_name:
            raise ValueError(
                f"expanded: {name!r} is no scope of the picture{hint(name, by_name)}"
            )
        return by_name[name]

    def _users(self) -> list[list[tuple[int, int]]]:
        users: list[list[tuple[int, int]]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            for source, output in node.inputs:
                users[source].append((number, output))
        return users

    def label(self, box: Box) -> str:
        """The first line on a box, without what leads to its scope."""
        if isinstance(box, Scope):
            return layout.shortened(box.label)
        name, scope = drawn_name(self.nodes[box].name), self.parents[box]
        while not name.startswith(f"{scope.name}/") and scope.parent:
            scope = scope.parent
        return layout.shortened(name.removeprefix(f"{scope.name}/"))

    def first_line(self, box: Box) -> str:
        """The label, with a mark if the box opens."""
        return "▸ " * (box in self.openable) + self.label(box)

    def second_line(self, box: Box) -> str:
        """The second line on a box: the type, or how many nodes are in it."""
        kind = (
            f"{len(box.nodes)} nodes" if isinstance(box, Scope) else self.nodes[box].type
        )
        if not self.groups.is_written:
            return layout.shortened(kind)
        return f"{layout.shortened(kind)} · {self.groups.of(box)}"

    def colour(self, box: Box) -> int:
        """The number of a colour; plain is beyond them."""
        return self.groups.colours.get(self.groups.of(box), COLOURS)

    def _width(self, box: Box) -> int:
        first = layout.text_width(self.first_line(box))
        second = 0.88 * layout.text_width(self.second_line(box))
        return round(max(first, second, 40)) + 16

    def _corner(self, box: Box, places: Layout) -> tuple[int, int]:
        x, y = places.centers[box]
        return x - self._width(box) // 2, y - HEIGHT // 2

    def _ends(
        self, title: str, ends: Sequence[tuple[int, int]], source: int
    ) -> list[str]:
        """A line about the inputs, or the users, of a node."""
        if not ends:
            return []
        texts = []
        for other, output in ends[:MAX_LISTED]:
            shape = self.nodes[other if source < 0 else source].shape(output)
            via = "control" if output == CONTROL else f":{output} {shape}".strip()
            texts.append(f"{self.nodes[other].name} ({via})")
        more = f" and {len(ends) - MAX_LISTED} more" if len(ends) > MAX_LISTED else ""
        return [f"{title}: {', '.join(texts)}{more}"]

    def information(self, box: Box) -> str:
        """Describes the box that the reader points at."""
        if isinstance(box, Scope):
            lines = [box.name, f"scope of {len(box.nodes)} nodes"]
            if box not in self.openable:
                lines.append("does not open here")
            counts = Counter(
                self.groups.of_node[node] for node in box.nodes if self.groups.of_node
            )
            lines += [f"{name}: {count} nodes" for name, count in counts.most_common(6)]
            return "\n".join(lines)
        node = self.nodes[box]
        lines = [node.name, f"type {node.type}"]
        lines += [f"device {node.device}"] if node.device else []
        lines += [f"shape {' '.join(node.shapes)}"] if node.shapes else []
        lines += [node.attrs] if node.attrs else []
        lines += self._ends("inputs", node.inputs, -1)
        lines += self._ends("used by", self.users[box], box)
        return "\n".join(lines)

    # ---- For the browser ------------------------------------------------------------

    def _box_data(self, box: Box) -> dict[str, Any]:
        data = {
            "label": self.first_line(box),
            "second": self.second_line(box),
            "colour": self.colour(box),
            "info": self.information(box),
        }
        if isinstance(box, Scope):
            data["around"] = self.numbers[box.parent]
        return data

    def _state_data(self, state: State, places: Layout) -> dict[str, Any]:
        frames = [[self.numbers[s], *places.frames[s]] for s in state.scope.path()]
        boxes = [
            [self.numbers[box], *self._corner(box, places), self._width(box), HEIGHT]
            for box in state.boxes()
        ]
        edges = []
        for edge, path, at in zip(state.edges, places.paths, places.labels, strict=True):
            ends = [self.numbers[edge.source], self.numbers[edge.target]]
            label = edge.label(self.nodes) if at else ""
            edges.append(
                [*ends, "control" * edge.is_control, label, *(at or (0, 0)), *path]
            )
        return {"size": places.size, "frames": frames, "edges": edges, "boxes": boxes}

    def data(self) -> dict[str, Any]:
        """All that ``viewer.js`` shows."""
        return {
            "first": self.first,
            "heads": HEADS,
            "boxes": [self._box_data(box) for box in self.boxes],
            "states": {n: self._state_data(*state) for n, state in self.states.items()},
        }

    # ---- Without a script -----------------------------------------------------------

    def drawing(self) -> str:
        """The first state as an element of SVG."""
        state, places = self.states[self.first]
        parts = [self._frame_svg(scope, places) for scope in state.scope.path()]
        lines = []
        for edge, (path, head), at in zip(
            state.edges, places.paths, places.labels, strict=True
        ):
            dashes = (
                {"class_": "control", "stroke_dasharray": "4 3"}
                if edge.is_control
                else {}
            )
            lines.append(element("path", d=path + HEADS[head], **dashes))
            if at:
                style = {"class_": "small", "text_anchor": "middle"}
                text = edge.label(self.nodes)
                lines.append(
                    text_at(at[0], at[1] + 3, text, fill="#222", stroke="none", **style)
                )
        parts.append(element("g", *lines, fill="none", stroke="#59636e", font_size=10))
        parts += [self._box_svg(box, places) for box in state.boxes()]
        return element("g", *parts, font_size=11, font_family="sans-serif")

    def svg(self, title: str) -> str:
        """The first state as an image."""
        text = f"{len(self.nodes)} nodes, in boxes. Dashed lines are control inputs."
        return svg_of(self.states[self.first][1].size, title, text, self.drawing())

    def _frame_svg(self, scope: Scope, places: Layout) -> str:
        x, y, width, height = places.frames[scope]
        place = {"x": x, "y": y, "width": width, "height": height}
        rect = element("rect", rx=3, fill="#f3f5f7", stroke="#59636e", **place)
        title = text_at(x + 8, y + 15, f"▾ {self.label(scope)}")
        return element("g", rect, title, class_="frame scope")

    def _box_svg(self, box: Box, places: Layout) -> str:
        (x, y), width = self._corner(box, places), self._width(box)
        is_scope = isinstance(box, Scope)
        place = {"x": x, "y": y, "width": width, "height": HEIGHT}
        rx = 3 if is_scope else 10
        middle = {"x": x + width / 2, "text_anchor": "middle"}
        return element(
            "g",
            element("rect", rx=rx, fill="#fff", stroke="#59636e", **place),
            text_at(y=y + 14, text=self.first_line(box), **middle),
            text_at(y=y + 27, text=self.second_line(box), class_="small", **middle),
            class_=f"{'scope ' * is_scope}box k{self.colour(box)}",
        )

    def html(self, title: str) -> str:
        """The picture that ``viewer.js`` brings to life, without that script."""
        text = json.dumps(self.data(), separators=(",", ":"), ensure_ascii=False)
        packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
        height = max(places.size[1] for _, places in self.states.values()) + 20
        buttons = (
            element("button", text, type="button", data_key=key)
            for key, text in BUTTONS.items()
        )
        parts = [
            element("p", element("b", escaped(title)), class_="title"),
            element("div", *buttons, class_="bar"),
            element("div", self.svg(title), class_="stage", style=f"--height:{height}px"),
            element("p", HINT, class_="info"),
            legend(self.groups.colours),
        ]
        if len(self.states) <= len(self.scopes):
            parts.append(element("p", escaped(self.limit())))
        return element("div", *parts, class_="minitf-viz graph", data_picture=packed)

    def limit(self) -> str:
        """Says that not all scopes open."""
        return (
            f"Only {len(self.states) - 1} of {len(self.scopes)} scopes open in this "
            'picture. expanded="NAME" makes another scope open.'
        )


def _signature(node: Node, nodes: Sequence[Node]) -> tuple:
    inputs = [(nodes[source].name, output) for source, output in node.inputs]
    return node.type, node.attrs, inputs


def passes(before: Any, after: Any) -> Picture:
    """Two graphs side by side: which nodes went, came, changed and stayed.

    >>> import minitf as tf
    >>> from minitf import viz
    >>> with tf.Graph().as_default() as before:
    ...     x = tf.placeholder(tf.float32, [3], name="x")
    ...     y = tf.nn.relu(tf.identity(x, name="same"), name="y")
    >>> with tf.Graph().as_default() as after:
    ...     x = tf.placeholder(tf.float32, [3], name="x")
    ...     y = tf.nn.relu(x, name="y")
    >>> viz.passes(before, after)
    <Picture: 3 nodes before, 2 after: 1 went, 0 came, 1 changed, 1 stayed>

    Args:
        before: A graph, a GraphDef or a function, as for ``graph``.
        after: The same for what is on the right.

    Raises:
        TypeError: an argument is something else.
        errors.FailedPreconditionError: Graphviz is not installed.
    """
    sides = [
        read_graph(graph_def_of(source, argument))
        for source, argument in ((before, "before"), (after, "after"))
    ]
    tables = [{node.name: _signature(node, nodes) for node in nodes} for nodes in sides]
    fates = []
    for table, other, alone in ((*tables, "went"), (*reversed(tables), "came")):
        fates.append(
            [
                alone
                if name not in other
                else ("stayed" if other[name] == signature else "changed")
                for name, signature in table.items()
            ]
        )
    counts = Counter(fates[0]) + Counter(fate for fate in fates[1] if fate == "came")
    words = ", ".join(f"{counts[fate]} {fate}" for fate in FATES)
    title = f"{len(sides[0])} nodes before, {len(sides[1])} after: {words}"
    views, titles = [], []
    for nodes, fate, when in zip(sides, fates, ("before", "after"), strict=True):
        views.append(GraphView(nodes, Groups(fate, True, FATES), None))
        titles.append(f"{len(nodes)} nodes {when}")
    html = "".join(view.html(text) for view, text in zip(views, titles, strict=True))
    pair = element("p", escaped(title)) + element("div", html, class_="pair")
    body = element("div", pair, class_="minitf-viz")
    return Picture(_side_by_side(views, titles, title), title, body + _script())


def _side_by_side(views: list[GraphView], titles: list[str], title: str) -> str:
    """The first states of two pictures in one SVG."""
    left = views[0].states[ROOT][1].size
    right = views[1].states[ROOT][1].size
    shift = max(left[0], 200) + 40
    parts = []
    for view, text, x in zip(views, titles, (0, shift), strict=True):
        body = text_at(0, 14, text) + element(
            "g", view.drawing(), transform="translate(0 24)"
        )
        parts.append(element("g", body, transform=f"translate({x} 0)"))
    size = shift + max(right[0], 200), max(left[1], right[1]) + 24
    return svg_of(size, title, ", ".join(titles), "".join(parts))


def _script() -> str:
    return f"<script>{SCRIPT.read_text()}</script>"


def graph(
    graph_or_function: Any,
    *,
    colours: str | None = "device",
    fetches: Any = None,
    expanded: str | None = None,
    title: str | None = None,
) -> Picture:
    """A picture of a graph, whose scopes open and close.

    >>> import minitf as tf
    >>> from minitf import viz
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.placeholder(tf.float32, [None, 3], name="x")
    ...     y = tf.nn.relu(x, name="y")
    >>> viz.graph(graph, title="A small graph")
    <Picture: A small graph>

    Args:
        graph_or_function: A ``tf.Graph``, a ``tf.GraphDef``, or a function without
            arguments that adds nodes to the default graph.
        colours: The meaning of a colour: "device", "type", or None for no colours.
        fetches: Tensors, operations or names; shows only the nodes that they need.
        expanded: The name of the scope that is open at first.
        title: The line above the picture.

    Raises:
        TypeError: the first argument or ``fetches`` is something else.
        ValueError: a name is not in the graph, or ``colours`` is something else.
        errors.FailedPreconditionError: Graphviz is not installed.
    """
    graph_def = graph_def_of(graph_or_function, "graph")
    nodes = read_graph(graph_def, fetches)
    view = GraphView(nodes, _groups(nodes, colours), expanded)
    title = title if title is not None else f"A graph of {len(nodes)} nodes"
    return Picture(view.svg(title), title, view.html(title) + _script())
