"""Lab 07, task 9: the programs of trees of element-wise ops."""

from typing import Any

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trees import FUSED, doubled, fuses_all
from lab_07_passes.trials import (
    ELEMENTWISE,
    becomes,
    gone,
    pass_trial,
    waits_for,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

# ---- 07.9 -----------------------------------------------------------------------------


def _program_trial(net: Net, *expectations: Any) -> Trial:
    return pass_trial(net, ELEMENTWISE, fuses_all, *expectations, tolerance=1, runs=True)


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
        net, y = doubled(draw, depth)
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
