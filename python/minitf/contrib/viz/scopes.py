"""The scopes of a graph as a tree of boxes, each small enough to be read when it is open.

A scope of few nodes shows all of them. A larger scope shows its inner scopes. If a scope
has too many boxes, boxes whose names differ in a number become one box, such as the
steps of an unrolled loop. If too many boxes remain, they are divided in graph order.

Read next: ``layout.py``.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MAX_FLAT = 15  # A scope of more nodes is drawn as scopes.
MIN_INNER = 3  # A scope of fewer nodes is no box, unless it stands at the top.
MAX_BOXES = 30  # More boxes in a scope are grouped.
MIN_SERIES = 6  # Boxes that differ by a number only.
MAX_DEPTH = 16
OPTIMIZER = "optimizer"
# Training adds these: the optimizer's ops, and slots beside each variable.
_NAMES = "Adam|Adagrad|Adadelta|Ftrl|Momentum|RMSProp"
OF_OPTIMIZER = re.compile(
    rf"^({_NAMES}|GradientDescent|beta[12]_power)(_\d+)?(/|$)|/({_NAMES})(_\d+)?(/|$)"
)


@dataclass(eq=False)
class Scope:
    """A box that opens.

    Attributes:
        name: In full; unique in the tree.
        label: The text on the box.
        nodes: The indices of all nodes in it, at any depth.
        children: Scopes, and indices of nodes.
    """

    name: str
    label: str
    nodes: list[int]
    parent: "Scope | None" = None
    children: "list[Scope | int]" = field(default_factory=list)

    def path(self) -> "list[Scope]":
        """The scopes around it from the outside in, itself last; without the root."""
        return [*self.parent.path(), self] if self.parent else []

    def scopes(self) -> "Iterator[Scope]":
        """The scopes in it, those of less depth first."""
        inner = [child for child in self.children if isinstance(child, Scope)]
        while inner:
            yield from inner
            inner = [
                child
                for scope in inner
                for child in scope.children
                if isinstance(child, Scope)
            ]


def drawn_name(name: str) -> str:
    """The name under which a node is drawn: the optimizer's stand in one scope.

    >>> drawn_name("conv1/kernel/Adam_1/Assign"), drawn_name("conv1/kernel/Assign")
    ('optimizer/conv1/kernel/Adam_1/Assign', 'conv1/kernel/Assign')
    """
    return f"{OPTIMIZER}/{name}" if OF_OPTIMIZER.search(name) else name


def _first(child: Scope | int) -> int:
    return child.nodes[0] if isinstance(child, Scope) else child


class _Builder:
    """Makes the tree of nodes with these names."""

    def __init__(self, names: Sequence[str]):
        self.parts = [drawn_name(name).split("/", MAX_DEPTH) for name in names]

    def fill(self, scope: Scope, depth: int) -> None:
        """Makes the children of a scope, whose nodes share ``depth`` parts of names."""
        if len(scope.nodes) <= MAX_FLAT:
            scope.children = list(scope.nodes)
            return
        by_part: dict[str, list[int]] = defaultdict(list)
        for node in scope.nodes:
            if len(self.parts[node]) == depth:  # the node of the scope's own name
                scope.children.append(node)
            else:
                by_part[self.parts[node][depth]].append(node)
        for part, nodes in by_part.items():
            if len(nodes) == 1 or (scope.parent and len(nodes) < MIN_INNER):
                scope.children += nodes
            else:
                scope.children.append(self._inner(scope, part, nodes, depth + 1))
        self._group(scope)

    def _inner(self, scope: Scope, part: str, nodes: list[int], depth: int) -> Scope:
        """The scope ``part`` in ``scope``, joined with a scope that it holds alone."""
        label = part
        while len(
            {"/".join(self.parts[node][: depth + 1]) for node in nodes}
        ) == 1 and all(len(self.parts[node]) > depth for node in nodes):
            label += "/" + self.parts[nodes[0]][depth]
            depth += 1
        name = "/".join(self.parts[nodes[0]][:depth])
        inner = Scope(name, label, nodes, scope)
        self.fill(inner, depth)
        return inner

    def _label(self, child: Scope | int) -> str:
        return child.label if isinstance(child, Scope) else self.parts[child][-1]

    def _group(self, scope: Scope) -> None:
        """Groups the children of a scope that has too many."""
        if len(scope.children) <= MAX_BOXES:
            return
        scope.children.sort(key=_first)
        series: dict[str, list[Scope | int]] = defaultdict(list)
        for child in scope.children:
            series[re.sub(r"_?\d+", "#", self._label(child))].append(child)
        if len(series) > 1:
            scope.children = []
            for members in series.values():
                if len(members) < MIN_SERIES:
                    scope.children += members
                else:
                    scope.children.append(self._joined(scope, members))
            scope.children.sort(key=_first)
        if len(scope.children) > MAX_BOXES:
            children = scope.children
            count = min(-(-len(children) // MAX_BOXES), MAX_BOXES)
            size = -(-len(children) // count)
            scope.children = [
                self._joined(scope, children[i : i + size])
                for i in range(0, len(children), size)
            ]

    def _joined(self, scope: Scope, members: list[Scope | int]) -> Scope | int:
        """A scope, which no name has, of these children of ``scope``."""
        if len(members) == 1:
            return members[0]
        label = f"{self._label(members[0])} … {self._label(members[-1])}"
        name = f"{scope.name}/{label}" if scope.name else label
        nodes = sorted(
            n for m in members for n in (m.nodes if isinstance(m, Scope) else [m])
        )
        group = Scope(name, label, nodes, scope, members)
        for member in members:
            if isinstance(member, Scope):
                member.parent = group
        self._group(group)
        return group


def scope_tree(names: Sequence[str]) -> Scope:
    """The root of the tree of nodes with these names.

    >>> root = scope_tree(["x", *(f"layer/w{i}" for i in range(3))])
    >>> [child if type(child) is int else child.name for child in root.children]
    [0, 1, 2, 3]
    >>> root = scope_tree(["x", *(f"layer/w{i}" for i in range(16))])
    >>> [child if type(child) is int else child.name for child in root.children]
    [0, 'layer']
    """
    root = Scope("", "", list(range(len(names))))
    _Builder(names).fill(root, 0)
    return root
