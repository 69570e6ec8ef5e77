"""Which trees element-wise fusion has to find, by a model, for tasks 8 and 9."""

from typing import Any

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trials import ELEMENTWISE, Nodes, Wrong, pass_trial

from minitf_lab.judge.case import Mismatch, Trial
from minitf_lab.judge.draw import Draw

FUSED = "_FusedElementwise"
ONE = ("Neg", "Tanh", "Square", "Relu", "Floor", "Exp", "Sigmoid")
TWO = ("AddV2", "Mul", "Sub", "Maximum", "Minimum", "SquaredDifference", "RealDiv")
MAX_STEPS, MAX_INPUTS = 64, 16

# A device that has kernels of its own, as the driver says.
GPU = "card"
GPU_LOOPS = ("Neg", "Tanh", "Mul")


def _is_number(shape: Any, beside: Any) -> bool:
    if shape is None or any(n in (None, -1) for n in shape):
        return False
    if np.prod(shape, dtype=int) != 1:
        return False
    return len(shape) == 0 or (beside is not None and len(shape) <= len(beside))


def _is_row(shape: Any, beside: Any) -> bool:
    """Whether it has the last sizes of ``beside``, and no others."""
    if shape is None or beside is None or len(shape) > len(beside):
        return False
    if any(n in (None, -1) for n in shape) or np.prod(shape, dtype=int) <= 1:
        return False
    first = next((i for i, n in enumerate(shape) if n != 1), 0)
    missing = len(beside) - len(shape)
    return any(
        all(n == 1 for n in shape[:cut]) and shape[cut:] == beside[missing + cut :]
        for cut in range(first + 1)
    )


def _is_fusible(node: dict[str, Any]) -> bool:
    if node["device"] == GPU:
        return node["op"] in GPU_LOOPS and node["types"] == ["float32"]
    return node["op"] in {*ONE, *TWO} and node["types"][0] in {"float32", "float64"}


def _takes_only(node: dict[str, Any], nodes: Nodes, shape: Any) -> bool:
    for name, index in node["inputs"]:
        other = nodes[name]["shapes"][index]
        if other != shape and not (_is_number(other, shape) or _is_row(other, shape)):
            return False
    return True


def _trees(nodes: Nodes, kept: set[str]) -> dict[str, set[str]]:
    """For each root the nodes of its tree, if there are two or more."""
    users: dict[str, list[tuple[str, bool]]] = {name: [] for name in nodes}
    for name, node in nodes.items():
        for one, _ in node["inputs"]:
            users[one].append((name, False))
        for one in node["waits"]:
            users[one].append((name, True))
    trees: dict[str, set[str]] = {}
    taken: set[str] = set()
    for root, node in reversed(nodes.items()):
        if root in taken or root in kept or not _is_fusible(node):
            continue
        shape = node["shapes"][0]
        if not _takes_only(node, nodes, shape):
            continue
        tree, grows = {root}, True
        while grows:
            grows = False
            for one in {i for member in tree for i, _ in nodes[member]["inputs"]} - tree:
                inner = nodes[one]
                if (
                    _is_fusible(inner)
                    and one not in kept
                    and inner["device"] == node["device"]
                    and inner["types"] == node["types"]
                    and inner["shapes"][0] == shape
                    and _takes_only(inner, nodes, shape)
                    and all(user in tree and not waits for user, waits in users[one])
                ):
                    tree.add(one)
                    grows = True
        if len(tree) >= 2:
            trees[root] = tree
            taken |= tree
    return trees


def fuses_all(before: Nodes, after: Nodes, result: dict[str, Any]) -> Wrong:
    """Every tree is one node with the program of its ops; nothing else has changed."""
    kept = {*result["args"], *result["retvals"], *result["targets"]}
    trees = _trees(before, kept)
    members = {name for tree in trees.values() for name in tree}
    for name in before:
        if name in members - set(trees) and name in after:
            return f"'{name}' is still there, though it can be computed in a tree"
        if (
            name not in members
            and after.get(name, {"op": ""})["op"] != before[name]["op"]
        ):
            got = after[name]["op"] if name in after else "none"
            return Mismatch(
                f"'{name}' has to stay as it is", expected=before[name]["op"], got=got
            )
    for root, tree in trees.items():
        if wrong := _is_program_of(after[root], [before[name] for name in tree]):
            return wrong
    return None


def _is_program_of(node: dict[str, Any], parts: list[dict[str, Any]]) -> Wrong:
    name = node["name"]
    if node["op"] != FUSED:
        return Mismatch(f"the op of '{name}'", expected=FUSED, got=node["op"])
    ops = sorted(part["op"] for part in parts)
    if sorted(node["attrs"]["ops"]) != ops:
        got = str(sorted(node["attrs"]["ops"]))
        return Mismatch(f"the steps of '{name}'", expected=str(ops), got=got)
    names = {part["name"] for part in parts}
    inputs = {tuple(i) for part in parts for i in part["inputs"] if i[0] not in names}
    if len(node["inputs"]) != len(inputs):
        return Mismatch(
            f"what '{name}' takes from outside, each tensor once",
            expected=f"{len(inputs)} inputs",
            got=f"{len(node['inputs'])} inputs",
        )
    return None


def fuse(net: Net, **settings: Any) -> Trial:
    """The pass over a graph of which every tree has to become one node."""
    return pass_trial(net, ELEMENTWISE, fuses_all, **settings)


def doubled(draw: Draw, depth: int) -> tuple[Net, str]:
    """A tensor that is combined with itself again and again; the last result."""
    net = Net()
    y = net.feed(draw.array((3,), "float32"))
    for i in range(depth):
        y = net.call("SquaredDifference" if i % 2 else "Maximum", y, y, name=f"y{i}")
    return net, y
