"""Lab 07, tasks 8 and 9: trees of element-wise ops become one node, and its program."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trials import (
    ELEMENTWISE,
    Nodes,
    Wrong,
    becomes,
    counts,
    gone,
    pass_trial,
    unchanged,
    waits_for,
)

from minitf_lab.judge.case import Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

FUSED = "_FusedElementwise"
ONE = ("Neg", "Tanh", "Square", "Relu", "Floor", "Exp", "Sigmoid")
TWO = ("AddV2", "Mul", "Sub", "Maximum", "Minimum", "SquaredDifference", "RealDiv")
MAX_STEPS, MAX_INPUTS = 64, 16


def _is_number(shape: Any, beside: Any) -> bool:
    if shape is None or any(n in (None, -1) for n in shape):
        return False
    if np.prod(shape, dtype=int) != 1:
        return False
    return len(shape) == 0 or (beside is not None and len(shape) <= len(beside))


def _is_fusible(node: dict[str, Any]) -> bool:
    return node["op"] in {*ONE, *TWO} and node["types"][0] in {"float32", "float64"}


def _takes_only(node: dict[str, Any], nodes: Nodes, shape: Any) -> bool:
    for name, index in node["inputs"]:
        other = nodes[name]["shapes"][index]
        if other != shape and not _is_number(other, shape):
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


def _fuses_all(before: Nodes, after: Nodes, result: dict[str, Any]) -> Wrong:
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


def _fuse(net: Net, **settings: Any) -> Trial:
    return pass_trial(net, ELEMENTWISE, _fuses_all, **settings)


# ---- 07.8 -----------------------------------------------------------------------------


@case("07.8")
def chains_of_any_ops(draw):
    """A chain of two or more ops on tensors of one shape is one node."""
    for dtype in ("float32", "float64"):
        for shape in [(), (1,), (5,), (0,), (2, 3), (1, 2, 1, 3)]:
            for length in (1, 2, 3, 6):
                net = Net()
                x = net.feed(draw.array(shape, dtype))
                y = x
                for i in range(length):
                    y = net.call(draw.one_of(ONE[:5]), y, name=f"y{i}")
                net.fetch(y)
                expected = becomes(f"y{length - 1}", FUSED) if length > 1 else unchanged
                yield pass_trial(net, ELEMENTWISE, expected, _fuses_all, tolerance=1)


def _numbers_beside(draw: Draw) -> Iterator[Trial]:
    shapes = [(), (1,), (1, 1), (1, 1, 1), (3,), (2, 1), (1, 3), (2, 3), (0,)]
    for x_shape in [(2, 3), (3,), (), (1,), (1, 1), (2, 0)]:
        for other in shapes:
            try:
                np.broadcast_shapes(x_shape, other)
            except ValueError:
                continue
            for unknown in (None, "size", "rank"):
                known: Any = list(x_shape)
                if unknown == "size" and x_shape:
                    known[0] = -1
                if unknown == "rank":
                    known = None
                net = Net()
                x = net.feed(draw.array(x_shape, "float32"), known)
                c = net.const(draw.array(other, "float32"))
                y = net.call("Neg", net.call("AddV2", x, c, name="sum"), name="y")
                yield _fuse(net.fetch(y))


@case("07.8")
def what_stretches(draw):
    """One number may stand beside a tensor of a shape; rows and columns may not."""
    yield from _numbers_beside(draw)


@case("07.8")
def what_others_see(draw):
    """What is fetched, waited for, a target, elsewhere or of another type stays apart."""
    for kind in ("fetched", "used", "waited for", "target", "device", "twice", "none"):
        net = Net()
        x = net.feed(draw.array((3,), "float32"))
        device = "/cpu:1" if kind == "device" else ""
        inner = net.call("Tanh", x, name="inner", device=device)
        y = net.call("Mul", inner, inner if kind == "twice" else x, name="y")
        net.fetch(y)
        if kind == "fetched":
            net.fetch(inner)
        if kind == "used":
            net.fetch(net.call("Pack", inner, inner))
        if kind == "waited for":
            net.fetch(net.call("Pack", x, x, waits=[inner]))
        if kind == "target":
            net.targets.append(inner)
        is_fused = kind in {"twice", "none"}
        yield _fuse(net)
        yield pass_trial(net, ELEMENTWISE, becomes("y", FUSED) if is_fused else unchanged)
    net = Net()
    x = net.feed(draw.array((3,), "float32"))
    a = net.call("Tanh", x)
    net.fetch(net.call("Sub", net.call("Neg", a), net.call("Exp", a), name="y"))
    yield pass_trial(net, ELEMENTWISE, counts(Tanh=0, Neg=0, _FusedElementwise=1))


@case("07.8")
def what_the_tree_waits_for(draw):
    """A node for which a node of the tree waits stays apart, too."""
    net = Net()
    a = net.call("Neg", net.feed(draw.array((3,), "float32")), name="a")
    b = net.call("Exp", a, name="b")
    net.fetch(net.call("Tanh", b, waits=[a], name="y"))
    expected = counts(_FusedElementwise=1), becomes("a", "Neg"), gone("b")
    yield pass_trial(net, ELEMENTWISE, *expected, tolerance=1)


@case("07.9")
def waits_without_effects(draw):
    """What is waited for may do nothing: it says, too, when or whether a node runs."""
    for inner_waits, root_waits in [(True, False), (False, True), (True, True)]:
        net = Net()
        x = net.feed(draw.array((3,), "float32"))
        p, q = (net.call("Square", net.feed(np.float32(1)), name=n) for n in "pq")
        a = net.call("Neg", x, waits=[p] if inner_waits else [])
        net.fetch(net.call("Exp", a, name="y", waits=[q] if root_waits else []), p, q)
        waits = [n for n, flag in (("p", inner_waits), ("q", root_waits)) if flag]
        expected = becomes("y", FUSED), waits_for("y", *waits), gone("neg")
        yield pass_trial(net, ELEMENTWISE, *expected, tolerance=1)


@case("07.8")
def what_is_not_element_wise(draw):
    """Reductions, products, effects, integers and small floats are not taken in."""
    for dtype in ("int32", "float16", "complex64"):
        net = Net()
        x = net.feed(draw.array((3,), dtype))
        net.fetch(net.call("Neg", net.call("Mul", x, x)))
        yield pass_trial(net, ELEMENTWISE, unchanged)
    for op in ("Print", "Identity", "CheckNumerics", "MatMul", "Cast", "IsNan"):
        net = Net()
        x = net.feed(draw.array((3, 3), "float32"))
        attrs: dict[str, Any] = {}
        if op in {"Print", "CheckNumerics"}:
            attrs["message"] = "m"
        if op == "Cast":
            attrs["DstT"] = "float64"
        inputs = [x, x] if op == "MatMul" else [x]
        middle = net.call(op, *inputs, name="middle", **attrs)
        if op == "IsNan":
            middle = net.call("Cast", middle, DstT="float32")
        net.fetch(net.call("Neg", middle, name="y"))
        yield pass_trial(net, ELEMENTWISE, unchanged)
    net = Net()
    x = net.feed(draw.array((3,), "float32"))
    wide = net.call("Cast", net.call("Neg", net.call("Tanh", x)), DstT="float64")
    net.fetch(net.call("Square", net.call("Exp", wide)))
    yield pass_trial(net, ELEMENTWISE, counts(_FusedElementwise=2), tolerance=1)


@case("07.8")
def trees_that_are_too_large(draw):
    """A tree has at most 64 steps and 16 inputs; what is left is another tree."""
    for length in (2, 63, 64, 65, 66, 128, 130):
        net = Net()
        y = net.feed(draw.array((2,), "float32"))
        for i in range(length):
            y = net.call("Neg", y, name=f"y{i}")
        net.fetch(y)
        whole, rest = divmod(length, MAX_STEPS)
        expected = counts(_FusedElementwise=whole + (rest > 1), Neg=int(rest == 1))
        yield pass_trial(net, ELEMENTWISE, expected)
    for count in (15, 16, 17, 20, 40):
        net = Net()
        xs = [net.feed(draw.array((2,), "float32")) for _ in range(count)]
        y = xs[0]
        for x in xs[1:]:
            y = net.call("AddV2", y, x)
        net.fetch(y)
        yield pass_trial(net, ELEMENTWISE, _has_few_inputs, tolerance=1)


def _has_few_inputs(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
    fused = [node for node in after.values() if node["op"] == FUSED]
    most = max((len(node["inputs"]) for node in fused), default=0)
    if not fused or most > MAX_INPUTS:
        return f"{len(fused)} fused nodes, of {most} inputs at most"
    return None


@case("07.8")
def kernels_of_other_devices(draw):
    """What a device has no kernels for is not fused on it."""
    for on_gpu in (True, False):
        net = Net()
        x = net.feed(draw.array((3,), "float32"))
        y = x
        for i in range(3):
            y = net.call("Lgamma" if i == 1 else "Tanh", y, device="card", name=f"y{i}")
        net.fetch(net.call("Pack", y))
        expected = unchanged if on_gpu else becomes("y2", FUSED)
        gpus = ["card"] if on_gpu else []
        yield pass_trial(net, ELEMENTWISE, expected, fails=True, gpus=gpus)


def _random_net(draw: Draw, num_calls: int) -> Net:
    net = Net()
    shape = draw.shape(draw.whole(1, 2), 3)
    known = [-1, *shape[1:]] if draw.coin(0.3) else list(shape)
    values = [net.feed(draw.array(shape, "float32"), known) for _ in range(2)]
    values.append(net.feed(draw.array(shape, "float64"), known))
    numbers = {"float32": [], "float64": []}
    kinds = {values[0]: "float32", values[1]: "float32", values[2]: "float64"}
    for dtype, list_of in numbers.items():
        for other in [(), (1,), (1,) * len(shape), shape[-1:]]:
            list_of.append(net.const(draw.array(other, dtype, "plain")))
    effect = net.effect(values[0], name="p")
    for _ in range(num_calls):
        x = draw.one_of(values[-5:])
        dtype = kinds[x]
        waits = [effect] if draw.coin(0.06) else []
        device = "/cpu:1" if draw.coin(0.05) else ""
        if draw.coin(0.4):
            y = net.call(draw.one_of(ONE[:5]), x, waits=waits, device=device)
        else:
            others = [v for v in values if kinds[v] == dtype]
            other = draw.one_of(numbers[dtype] if draw.coin(0.3) else others[-4:])
            pair = [x, other] if draw.coin() else [other, x]
            y = net.call(draw.one_of(TWO[:6]), *pair, waits=waits, device=device)
        if draw.coin(0.05):
            y = net.call("Identity", y)
        values.append(y)
        kinds[y] = dtype
    if draw.coin(0.2):
        net.targets.append(draw.one_of(values[3:]))
    return net.fetch(values[-1], *draw.some_of(values[3:], 1)[:2])


@case("07.8", over=range(2))
def trees_in_graphs(draw, _part):
    """All trees are found, and nothing that is no part of one, in any graph."""
    for i in range(30):
        yield _fuse(_random_net(draw, 2 + i))


@case("07.8", hidden=True, over=range(2))
def more_trees_in_graphs(draw, _part):
    """Other graphs."""
    for i in range(50):
        yield _fuse(_random_net(draw, 2 + i // 2))


# ---- 07.9 -----------------------------------------------------------------------------


def _program_trial(net: Net, *expectations: Any) -> Trial:
    return pass_trial(net, ELEMENTWISE, _fuses_all, *expectations, tolerance=1, runs=True)


@case("07.9", over=("float32", "float64"))
def programs_by_heart(draw, dtype):
    """Inputs are numbered first, then the results, and what is used twice has one."""
    for shape in [(), (1,), (7,), (2, 3)]:
        for a, b in [("Sub", "RealDiv"), ("RealDiv", "Sub"), ("Maximum", "Sub")]:
            for swapped in range(4):
                net = Net()
                x, y = (net.feed(draw.array(shape, dtype)) for _ in range(2))
                one = net.call(a, *((y, x) if swapped % 2 else (x, y)))
                net.fetch(net.call(b, *((one, x) if swapped > 1 else (y, one)), name="z"))
                yield _program_trial(net, becomes("z", FUSED))
    net = Net()
    x = net.feed(draw.array((4,), dtype))
    doubled = net.call("Mul", x, net.const(np.asarray(2, dtype)))
    net.fetch(net.call("Square", net.call("Sub", doubled, net.const(np.ones(1, dtype)))))
    yield _program_trial(net)


@case("07.9")
def results_that_are_used_twice(draw):
    """A result is computed once, however often the tree uses it."""
    for depth in (1, 2, 5, 12, 25):
        net = Net()
        y = net.feed(draw.array((3,), "float32"))
        for i in range(depth):
            y = net.call("SquaredDifference" if i % 2 else "Maximum", y, y, name=f"y{i}")
        z = net.call("Sub", net.call("Tanh", y), net.call("Mul", y, y), name="z")
        yield _program_trial(net.fetch(z))
    for width in (2, 3, 7):
        net = Net()
        xs = [net.feed(draw.array((3,), "float32")) for _ in range(width)]
        shared = net.call("Tanh", xs[0], name="shared")
        y = shared
        for x in xs:
            y = net.call("Sub", net.call("Mul", shared, x), y)
            y = net.call("Sub", x, net.call("Maximum", y, shared))
        yield _program_trial(net.fetch(y))


@case("07.9")
def outputs_of_one_node(draw):
    """Two outputs of one node are two inputs; the same output twice is one."""
    for order in [(0, 1), (1, 0), (1, 1), (0, 0)]:
        net = Net()
        x = net.feed(draw.array((2, 3), "float32"))
        parts = net.call("Unpack", x, num=2)
        pair = [(parts, i) for i in order]
        inner = net.call("Sub", *pair, name="inner")
        net.fetch(net.call("RealDiv", inner, (parts, 1), name="y"))
        yield _program_trial(net, becomes("y", FUSED))


@case("07.9")
def waits_of_trees(draw):
    """The node waits for all that its parts have waited for."""
    for inner_waits in ([], [0], [0, 1], [1, 2]):
        for root_waits in ([], [0], [2]):
            net = Net()
            x = net.feed(draw.array((3,), "float32"))
            effects = [net.effect(x, name=f"p{i}") for i in range(3)]
            a = net.call("Neg", x, waits=[effects[i] for i in inner_waits])
            b = net.call("Tanh", a, name="b")
            net.call("Exp", b, name="y", waits=[effects[i] for i in root_waits])
            net.fetch("y")
            expected = {f"p{i}" for i in [*inner_waits, *root_waits]}
            checks = becomes("y", FUSED), waits_for("y", *expected), gone("neg", "b")
            yield pass_trial(net, ELEMENTWISE, *checks)


def _deep_net(draw: Draw, num_calls: int, dtype: str) -> Net:
    """A tree in which everything but the end is private, and much is used twice."""
    net = Net()
    shape = draw.shape(draw.whole(0, 3), 3, empty=draw.coin(0.1))
    xs = [net.feed(draw.array(shape, dtype)) for _ in range(draw.whole(1, 4))]
    xs.append(net.const(draw.array((), dtype)))
    open_ends, values = [], list(xs)
    for _ in range(num_calls):
        if draw.coin(0.3):
            y = net.call(draw.one_of(("Neg", "Tanh", "Relu")), draw.one_of(values[-4:]))
        else:
            pair = [draw.one_of(values), draw.one_of(values[-4:])]
            y = net.call(draw.one_of(("AddV2", "Sub", "Maximum")), *draw.shuffled(pair))
        used = {one for one, _ in net.nodes[-1]["inputs"]}
        open_ends = [one for one in open_ends if one not in used] + [y]
        values.append(y)
    y = open_ends[0]
    for one in open_ends[1:]:
        y = net.call("Sub", *draw.shuffled([y, one]))
    return net.fetch(net.call("Tanh", y, name="end"))


@case("07.9", over=("float32", "float64"))
def programs_of_trees(draw, dtype):
    """Programs of trees in which much is used twice give what the ops have given."""
    for i in range(35):
        yield _program_trial(_deep_net(draw, 1 + i // 2, dtype))


@case("07.9", hidden=True, over=("float32", "float64"))
def more_programs_of_trees(draw, dtype):
    """Programs of other trees."""
    for i in range(50):
        yield _program_trial(_deep_net(draw, 1 + i // 2, dtype))


@case("07.9", hidden=True)
def more_waits_of_trees(draw):
    """Every part of a chain may wait."""
    for length in range(2, 12):
        net = Net()
        x = net.feed(draw.array((3,), "float32"))
        effects = [net.effect(x, name=f"p{i}") for i in range(length)]
        y, expected = x, []
        for effect in effects:
            waits = [effect] if draw.coin() else []
            expected += waits
            y = net.call("Neg", y, name="y", waits=waits)
        net.fetch(y)
        yield pass_trial(net, ELEMENTWISE, waits_for(y, *expected))
