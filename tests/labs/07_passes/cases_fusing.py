"""Lab 07, task 8: trees of element-wise ops."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trees import (
    FUSED,
    GPU,
    MAX_INPUTS,
    MAX_STEPS,
    ONE,
    TWO,
    doubled,
    fuse,
    fuses_all,
)
from lab_07_passes.trials import (
    ELEMENTWISE,
    Nodes,
    Wrong,
    becomes,
    counts,
    gone,
    pass_trial,
    unchanged,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

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
                yield pass_trial(net, ELEMENTWISE, expected, fuses_all, tolerance=1)


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
                yield fuse(net.fetch(y))


@case("07.8")
def what_stretches(draw):
    """One number or a row may stand beside a tensor of a shape; columns may not."""
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
        yield fuse(net)
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
    yield pass_trial(net, ELEMENTWISE, *expected, fuses_all, tolerance=1)
    for i in range(30):
        yield fuse(_random_net(draw, 2 + i // 2, waits_within=0.3), tolerance=1)


@case("07.8")
def what_is_used_twice_inside(draw):
    """A node joins once, however many nodes of the tree use it, or how often."""
    for depth in (1, 2, 5, 12, 30, 60):
        net, y = doubled(draw, depth)
        yield fuse(net.fetch(net.call("Neg", y, name="z")), tolerance=1)
    # Each of many sums has a tensor of its own besides the one that all of them use.
    for count in (2, 8, 15, 16, 20):
        net = Net()
        xs = [net.feed(draw.array((2,), "float32")) for _ in range(count)]
        shared = net.call("Tanh", xs[0], name="shared")
        y = net.call("Neg", shared)
        for x in xs[1:]:
            y = net.call("AddV2", y, net.call("Mul", shared, x))
        # `shared` counts as one more until all that use it have joined.
        expected = [fuses_all] if count < MAX_INPUTS else [_has_few_inputs]
        yield pass_trial(net.fetch(y), ELEMENTWISE, *expected, tolerance=1)


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
def loops_of_other_devices(draw):
    """On a device just those ops are fused for which that device has loops."""
    for on_gpu in (True, False):
        gpus, device = ([GPU], GPU) if on_gpu else ([], "other")
        for length in (2, 3, 5, 9):
            net = Net()
            y = net.feed(draw.array((3,), draw.one_of(["float32", "float64"])))
            for i in range(length):
                op = draw.one_of(["Neg", "Tanh", "Mul", "Exp", "Square", "Sub"])
                pair = [y] * (2 if op in TWO else 1)
                y = net.call(op, *pair, device=device, name=f"y{i}")
            yield fuse(net.fetch(y), gpus=gpus, tolerance=1)
        for ops in itertools.product(["Neg", "Exp"], repeat=3):
            net = Net()
            y = net.feed(draw.array((3,), "float32"))
            for i, op in enumerate(ops):
                y = net.call(op, y, device=device, name=f"y{i}")
            yield fuse(net.fetch(y), gpus=gpus, tolerance=1)


def _random_net(draw: Draw, num_calls: int, *, waits_within: float = 0) -> Net:
    """A graph of trees; now and then a node waits for another one of them."""
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
        if waits_within and draw.coin(waits_within):
            waits.append(draw.one_of(values[-4:]))
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
        yield fuse(_random_net(draw, 2 + i))


@case("07.8", hidden=True, over=range(2))
def more_trees_in_graphs(draw, _part):
    """Other graphs."""
    for i in range(50):
        yield fuse(_random_net(draw, 2 + i // 2))
