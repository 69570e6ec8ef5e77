"""Lab 07, tasks 1 and 2: what is computed early, and what its constant waits for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import NUMBERS, Net, extreme
from lab_07_passes.trials import (
    FOLDING,
    Nodes,
    Wrong,
    becomes,
    fetches_from,
    gone,
    pass_trial,
    unchanged,
    waits_for,
)

from minitf_lab.judge.case import Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

PURE = ("Neg", "AddV2", "Mul", "Sub", "Identity", "Square")

# ---- 07.1 -----------------------------------------------------------------------------


def _of_constants(draw: Draw, dtype: str, ops: tuple[str, ...]) -> Iterator[Trial]:
    is_exact = np.dtype(dtype).kind != "c"
    for shape in [(), (1,), (3,), (2, 3), (0,), (2, 0), (2, 1, 2, 1, 3)]:
        for op in ops:
            net = Net()
            values = [
                extreme(draw, part, dtype) if is_exact else draw.array(part, dtype)
                for part in (shape, draw.stretched(shape))
            ]
            inputs = [net.const(value) for value in values]
            y = net.call(op, *inputs[: 1 if op in {"Neg", "Square"} else 2], name="y")
            net.fetch(y)
            yield pass_trial(
                net,
                FOLDING,
                becomes("y", "Const"),
                gone("c", "c_1"),
                tolerance=0 if is_exact else 1,
            )


@case("07.1", over=("float32", "int8", "uint16", "complex64"))
def constants_of_type(draw, dtype):
    """What depends on constants is computed, with the numbers of the step."""
    ops = ("Mul", "AddV2", "Sub") + (() if dtype == "uint16" else ("Neg", "Square"))
    yield from _of_constants(draw, dtype, ops)


@case("07.1", hidden=True, over=("float16", "float64", "uint8", "int64"))
def constants_of_other_types(draw, dtype):
    """What depends on constants is computed, in other types."""
    ops = ("Mul", "AddV2", "Sub") + (() if dtype == "uint8" else ("Neg",))
    yield from _of_constants(draw, dtype, ops)


@case("07.1")
def constants_of_many_kinds(draw):
    """Chains, nodes with several outputs, and results whose size is not known."""
    net = Net()
    a = net.call("Mul", net.const([2.0, 3.0]), net.const(5.0), name="a")
    net.fetch(net.call("Neg", net.call("AddV2", a, net.const([1.0, 2.0])), name="y"))
    yield pass_trial(net, FOLDING, becomes("y", "Const"), gone("a", "addv2"), runs=True)
    net = Net()
    parts = net.call("Unpack", net.const([3, 4, 5]), num=3, name="parts")
    net.fetch((parts, 2), (parts, 0), (parts, 2))
    yield pass_trial(net, FOLDING, gone("parts", "c"), runs=True)
    net = Net()
    halves = net.call("Split", net.const(1, "int32"), net.const(np.eye(4)), num_split=2)
    net.fetch(net.call("Sub", (halves, 1), (halves, 0), name="y"))
    yield pass_trial(net, FOLDING, becomes("y", "Const"), gone("split"))
    for flags in [[True, False, True], [False], [], [True] * 30]:
        net = Net()
        net.fetch(net.call("Where", net.const(flags, "bool"), name="y"))
        yield pass_trial(net, FOLDING, becomes("y", "Const"), runs=True)
    net = Net()
    x = net.feed(np.ones((2,), np.float32))
    y = net.call("Identity", net.const([1.0, 2.0], "float32"), name="y")
    net.fetch(net.call("Sub", x, y, name="z"))
    yield pass_trial(net, FOLDING, becomes("y", "Const"), becomes("z", "Sub"), runs=True)
    net = Net()  # Somebody only waits.
    y = net.call("Neg", net.const([1.0, 2.0]), name="y")
    net.fetch(net.call("Exp", net.feed(np.ones(2, np.float32)), waits=[y], name="z"))
    yield pass_trial(
        net, FOLDING, becomes("y", "Const"), waits_for("z", "y"), tolerance=1
    )


def _not_folded(draw: Draw) -> Iterator[tuple[Net, dict[str, Any]]]:
    c, shape = np.float32([1, 2]), draw.shape(2, 3)
    net = Net()
    yield net.fetch(net.random((3,))), {}
    net = Net()
    yield (
        net.fetch(net.call("RandomShuffle", net.const(c), seed=1, seed2=2)),
        {"fails": 1},
    )
    net = Net()
    handle = net.call("VarHandleOp", dtype="float32", shape=[2], shared_name="v")
    yield net.fetch(net.call("ReadVariableOp", handle, dtype="float32")), {}
    net = Net()
    yield net.fetch(net.effect(net.const(c))), {}
    net = Net()
    x = net.feed(draw.array(shape, "float32"))
    one = net.const(draw.array(shape, "float32"))
    yield net.fetch(net.call("Mul", x, one), net.call("Mul", one, x)), {}
    net = Net()
    value = net.const(c)
    default = net.call("PlaceholderWithDefault", value, dtype="float32", shape=[2])
    yield net.fetch(net.call("Neg", default)), {}
    for devices in [("", "/cpu:1"), ("/cpu:1", ""), ("/cpu:0", "/cpu:1")]:
        net = Net()
        value = net.const(c, device=devices[0])
        yield net.fetch(net.call("Neg", value, device=devices[1])), {}
        net = Net()
        pair = [net.const(c, device=devices[1]), net.const(c, device=devices[0])]
        yield net.fetch(net.call("AddV2", *pair, device=devices[1])), {}
    net = Net()
    yield net.fetch(net.call("Neg", net.const(c))), {"no_cpu": True}
    net = Net()
    yield net.fetch(net.const(c)), {}
    net = Net()
    y = net.call("Neg", net.const(c))
    net.targets.append(y)
    yield net.fetch(y), {}
    net = Net()
    pred, value = net.feed(np.array(True)), net.const(c)
    switch = net.call("Switch", value, pred)
    yield net.fetch(net.call("Merge", (switch, 1), (switch, 0))), {}


@case("07.1")
def what_is_not_a_function_of_constants(draw):
    """Random numbers, variables, effects, feeds, other devices, targets, branches."""
    for net, settings in _not_folded(draw):
        yield pass_trial(net, FOLDING, unchanged, **settings)


@case("07.1")
def what_fails_is_left_to_the_step(draw):
    """An op whose kernel fails stays, and the step says what is wrong."""
    for zero in ([0], [1, 0, 2], 0):
        net = Net()
        y = net.call("FloorDiv", net.const(np.int32([7])), net.const(np.int32(zero)))
        yield pass_trial(net.fetch(y), FOLDING, unchanged, fails=True)
    net = Net()
    fine = net.call("Neg", net.const(np.int32([1, 2])), name="fine")
    y = net.call("FloorDiv", fine, net.const(np.int32([0, 1])), name="y")
    net.fetch(net.call("Neg", y, name="z"))
    expected = becomes("fine", "Const"), becomes("y", "FloorDiv"), becomes("z", "Neg")
    yield pass_trial(net, FOLDING, *expected, fails=True)


def _random_net(draw: Draw, *, waits: bool) -> tuple[Net, set[str]]:
    """A graph of constants and feeds, and the nodes that are to be folded."""
    net = Net()
    constant: dict[str, str] = {}  # what is a constant in the end, and its device
    values = [net.feed(draw.array((3,), "float32"))]
    effects = [net.effect(values[0], name="p") for _ in range(2)] if waits else []
    for _ in range(3):
        some = draw.some_of(effects) if draw.coin() else []
        values.append(net.const(draw.array((3,), "float32"), waits=some))
        constant[values[-1]] = ""
    values.append(net.random((3,)))
    folded = set()
    for _ in range(draw.whole(3, 14)):
        op = draw.one_of(PURE)
        count = 1 if op in {"Neg", "Identity", "Square"} else 2
        inputs = [draw.one_of(values[-6:]) for _ in range(count)]
        device = "/cpu:1" if draw.coin(0.1) else ""
        some = draw.some_of(effects) if draw.coin(0.3) else []
        if draw.coin(0.1):
            values.append(net.effect(inputs[0], waits=some))
            continue
        values.append(net.call(op, *inputs, device=device, waits=some))
        if all(constant.get(one) == device for one in inputs):
            constant[values[-1]] = device
            folded.add(values[-1])
    net.fetch(values[-1], *draw.some_of(values, 2))
    return net, folded


def _folds(folded: set[str]) -> Any:
    def check(before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        for name, node in after.items():
            if name in folded and node["op"] != "Const":
                return f"'{name}' ({node['op']}) depends on constants alone, and stays"
            if name not in folded and name in before and before[name]["op"] != node["op"]:
                return f"'{name}' does not depend on constants alone, and is computed"
        used = {one for node in after.values() for one, _ in node["inputs"]}
        used |= {one for node in after.values() for one in node["waits"]}
        idle = [n for n in after if n in folded and n not in used]
        return f"the constant '{idle[0]}' is of no use to anybody" if idle else None

    return check


def _random_trials(draw: Draw, count: int, *, waits: bool) -> Iterator[Trial]:
    for _ in range(count):
        net, folded = _random_net(draw, waits=waits)
        yield pass_trial(net, FOLDING, _folds(folded), tolerance=0)


@case("07.1", over=range(2))
def graphs_of_constants(draw, _part):
    """All that depends on constants alone is folded, and nothing else, in any graph."""
    yield from _random_trials(draw, 60, waits=False)


@case("07.1", hidden=True, over=range(2))
def more_graphs_of_constants(draw, _part):
    """Other graphs in which some depends on constants alone."""
    yield from _random_trials(draw, 60, waits=False)


# ---- 07.2 -----------------------------------------------------------------------------


def _waiting(
    draw: Draw, num_effects: int, first: list[int], second: list[int], own: list[int]
) -> Trial:
    """The sum of two constants that wait for some of the effects."""
    net = Net()
    x = net.feed(draw.array((2,), "float32"))
    effects = [net.effect(x, name=f"p{i}") for i in range(num_effects)]
    a = net.const(np.float32([1, 2]), waits=[effects[i] for i in first], name="a")
    b = net.const(np.float32([3, 4]), waits=[effects[i] for i in second], name="b")
    y = net.call("AddV2", a, b, waits=[effects[i] for i in own], name="y")
    net.fetch(net.call("Mul", x, y))
    expected = {effects[i] for i in [*first, *second, *own]}
    return pass_trial(net, FOLDING, becomes("y", "Const"), waits_for("y", *expected))


@case("07.2")
def waits_of_constants(draw):
    """A constant waits for what the node and the constants have waited for."""
    for waits in [([], [], []), ([0], [], []), ([], [0], []), ([], [], [0])]:
        yield _waiting(draw, 1, *waits)
    yield _waiting(draw, 2, [0], [1], [])
    yield _waiting(draw, 3, [0, 2], [1], [2])
    yield _waiting(draw, 4, [3, 1], [0], [2])
    for _ in range(20):
        yield _waiting(draw, 4, *(draw.some_of(range(4)) for _ in range(3)))


@case("07.2")
def waits_of_several_constants(draw):
    """Each of the constants of a node with several outputs waits."""
    for waiting in (False, True):
        net = Net()
        x = net.feed(draw.array((), "float32"))
        effects = [net.effect(x, name=f"p{i}") for i in range(2)]
        c = net.const(np.float32([1, 2]), waits=effects[:1] if waiting else [])
        parts = net.call("Unpack", c, num=2, waits=effects[1:], name="parts")
        for i in range(2):
            net.fetch(net.call("Mul", x, (parts, i), name=f"y{i}"))
        yield pass_trial(net, FOLDING, gone("parts"))


def _shape_net(
    draw: Draw, op: str, middle: list[str], *, known: Any = "all"
) -> tuple[Net, str]:
    """The shape of a feed that goes through nodes; the last of these."""
    net = Net()
    x = net.feed(draw.array((2, 3), "float32"), known)
    last = x
    for one in middle:
        last = net.effect(last) if one == "Print" else net.call(one, last)
    y = net.call(op, last, name="y")
    net.fetch(net.call("Mul", y, net.feed(np.array(2, np.int32), name="two")))
    return net, last


@case("07.2", over=("Shape", "Size", "Rank"))
def shapes_that_are_known(draw, op):
    """A constant for a shape waits for the tensor where that depends on an effect."""
    for middle in [[], ["Neg"], ["Neg", "Exp"], ["Identity"]]:
        net, _ = _shape_net(draw, op, middle)
        yield pass_trial(net, FOLDING, becomes("y", "Const"), waits_for("y"), runs=True)
    for middle in [
        ["Print"],
        ["Neg", "Print"],
        ["Print", "Neg"],
        ["Print", "Exp", "Neg"],
    ]:
        net, last = _shape_net(draw, op, middle)
        expected = becomes("y", "Const"), waits_for("y", last), becomes("print", "Print")
        yield pass_trial(net, FOLDING, *expected)
    if op != "Rank":
        net, _ = _shape_net(draw, op, ["Neg"], known=[-1, 3])
        yield pass_trial(net, FOLDING, unchanged)


@case("07.2")
def sizes_that_are_known(draw):
    """One size of a shape of which another is not known, and what it waits for."""
    for middle in [[], ["Neg"], ["Print"], ["Print", "Neg"]]:
        for axis, is_known in [(0, False), (1, True)]:
            net = Net()
            last = net.feed(draw.array((2, 3), "float32"), [-1, 3])
            for one in middle:
                last = net.effect(last) if one == "Print" else net.call(one, last)
            places = [net.const([n]) for n in (axis, axis + 1, 1)]
            shape = net.call("Shape", last, name="shape")
            y = net.call("StridedSlice", shape, *places, shrink_axis_mask=1, name="y")
            net.fetch(net.call("Mul", y, net.feed(np.array(2, np.int32), name="two")))
            if not is_known:
                yield pass_trial(net, FOLDING, unchanged)
                continue
            # It waits for the shape, which needs the tensor.
            waits = waits_for("y", "shape") if "Print" in middle else waits_for("y")
            yield pass_trial(net, FOLDING, becomes("y", "Const"), waits)
            # Where there are branches it always does, and for nothing else.
            taken = net.feed(np.array(True), name="p")
            switch = net.call("Switch", "two", taken)
            net.fetch(net.call("Merge", (switch, 1), (switch, 0)))
            waits = waits_for("y", "shape")
            yield pass_trial(net, FOLDING, becomes("y", "Const"), waits)


def _runs_after(name: str, effects: set[str]) -> Any:
    """These and no other effects run before a node, whatever is in between."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        found, to_visit = set(), [name]
        while to_visit:
            node = after[to_visit.pop()]
            for one in [*node["waits"], *(source for source, _ in node["inputs"])]:
                if one not in found:
                    found.add(one)
                    to_visit.append(one)
        got = {one for one in found if after[one]["op"] == "Print"}
        if got == effects:
            return None
        return Mismatch(
            f"the effects that '{name}' runs after",
            expected=f"{sorted(effects)}",
            got=f"{sorted(got)}",
        )

    return check


@case("07.2")
def sizes_at_places_that_wait(draw):
    """What says which size is asked for may wait for an effect; so does the constant."""
    for which in range(8):
        net = Net()
        x = net.feed(draw.array((2, 3), "float32"), [-1, 3])
        effects = [net.effect(x, name=f"p{i}") for i in range(3)]
        waits = [[effects[i]] if which >> i & 1 else [] for i in range(3)]
        places = [net.const([n], waits=w) for n, w in zip((1, 2, 1), waits, strict=True)]
        shape = net.call("Shape", x, name="shape")
        y = net.call("StridedSlice", shape, *places, shrink_axis_mask=1, name="y")
        net.fetch(net.call("Mul", y, net.feed(np.array(2, np.int32), name="two")))
        expected = {name for one in waits for name in one}
        yield pass_trial(net, FOLDING, becomes("y", "Const"), _runs_after("y", expected))


def _branches(draw: Draw, kind: str) -> Trial:
    """Two branches, of which one gives a constant, or a shape; both ways."""
    net = Net()
    x, taken = net.feed(draw.array((2, 3), "float32")), net.feed(np.array(True), name="p")
    switch = net.call("Switch", x, taken)
    yes, no = net.call("Neg", (switch, 1)), net.call("Identity", (switch, 0))
    if kind == "shape":
        shape = net.call("Shape", yes, name="a")
        ends = [shape, net.const([7, 7], "int32", waits=[no])]
    elif kind == "size":
        sizes = [net.call("Size", one) for one in (yes, no)]
        ends = [net.call("Neg", sizes[0], name="a"), net.call("Identity", sizes[1])]
    elif kind == "constant":
        c, other = (net.const([n, 1], waits=[at]) for n, at in ((1, yes), (2, no)))
        ends = [net.call("Neg", c, name="a"), net.call("Square", other, name="b")]
    else:
        c = net.const([5, 6], waits=[yes])
        parts = net.call("Unpack", c, num=2)
        ends = [(parts, 1), net.const(3, waits=[no])]
    net.fetch(net.call("Merge", *ends, name="m"))
    other = [[net.values[0], np.array(False)]]
    settings = {"more_feeds": other}
    return pass_trial(net, FOLDING, becomes("m", "Merge"), **settings)


@case("07.2")
def constants_in_branches(draw):
    """A constant for what is in a branch is dead where the branch is not taken."""
    for kind in ("constant", "parts", "shape", "size"):
        yield _branches(draw, kind)


@case("07.2", over=range(2))
def graphs_that_wait(draw, _part):
    """Whatever waited for an effect goes on waiting for it, in any graph."""
    yield from _random_trials(draw, 50, waits=True)


@case("07.2", hidden=True, over=range(2))
def more_graphs_that_wait(draw, _part):
    """Other graphs of constants that wait."""
    yield from _random_trials(draw, 60, waits=True)


@case("07.2", hidden=True)
def more_waits_of_constants(draw):
    """Constants that wait for up to six effects."""
    for _ in range(60):
        waits = (draw.some_of(range(6)) for _ in range(3))
        yield _waiting(draw, 6, *waits)


@case("07.2", hidden=True)
def fetched_constants(draw):
    """What is folded and fetched has its name, and all types are folded."""
    for dtype in NUMBERS:
        net = Net()
        y = net.call("Identity", net.const(draw.array((2,), dtype, "plain")), name="y")
        net.fetch(y)
        yield pass_trial(net, FOLDING, becomes("y", "Const"), fetches_from("y"))
