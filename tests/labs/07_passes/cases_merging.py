"""Lab 07, tasks 3 and 4: which nodes are the same, and one visit that merges them."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import Net, extreme
from lab_07_passes.trials import (
    MERGING,
    Nodes,
    Wrong,
    counts,
    fetches_from,
    gone,
    pass_trial,
    takes,
    unchanged,
)

from minitf_lab.judge.case import Mismatch, Trial, case
from minitf_lab.judge.draw import Draw

COMMUTATIVE = ("AddV2", "Mul", "SquaredDifference", "Equal", "NotEqual")
ORDERED = ("Sub", "RealDiv", "Maximum", "Minimum", "Less", "Add")

# ---- 07.3 -----------------------------------------------------------------------------


def _pair(draw: Draw, dtype: str = "float32", shape: tuple = (2, 2)) -> tuple[Net, str]:
    net = Net()
    return net, net.feed(draw.array(shape, dtype))


def _constants(first: np.ndarray, second: np.ndarray, *, same: bool) -> Trial:
    net = Net().fetch()
    net.fetch(net.const(first, name="a"), net.const(second, name="b"))
    expected = (gone("b"), fetches_from("a", "a")) if same else (unchanged,)
    return pass_trial(net, MERGING, *expected)


@case("07.3", over=("float32", "int8", "bool", "complex128"))
def constants_that_are_alike(draw, dtype):
    """Constants are the same if type, shape and every byte are."""
    for shape in [(), (1,), (0,), (2, 0), (3,), (2, 3), (40,), (1000,)]:
        value = extreme(draw, shape, dtype)
        yield _constants(value, value.copy(), same=True)
        yield _constants(value, value.reshape(1, *shape), same=False)
        for place in {0, value.size // 2, value.size - 1} if value.size else ():
            other = value.copy()
            other.reshape(-1).view(np.uint8)[place * value.itemsize] ^= 1
            yield _constants(value, other, same=False)
    yield _constants(np.zeros((2, 0), dtype), np.zeros((0, 2), dtype), same=False)


@case("07.3")
def constants_that_look_alike(draw):
    """0 is not -0, nor an integer; a number that is not one may be the same."""
    zero, nan = np.float32([0.0]), np.float32([np.nan])
    yield _constants(zero, -zero, same=False)
    yield _constants(zero, np.int32([0]), same=False)
    yield _constants(np.int64([1, 2]), np.int32([1, 0, 2, 0]), same=False)
    yield _constants(nan, nan.copy(), same=True)
    words = np.array([b"a", b"b" * 40], object)
    for other, same in [(words.copy(), True), (words[::-1].copy(), False)]:
        net = Net()
        for value, name in ((words, "a"), (other, "b")):
            net.call("Const", value=value, dtype="string", name=name)
        net.fetch("a", "b")
        yield pass_trial(net, MERGING, gone("b") if same else unchanged, fails=True)


def _attributes(draw: Draw) -> Iterator[tuple[Net, bool]]:
    flags = [(a, b) for a in (False, True) for b in (False, True)]
    for one in flags:
        for other in flags:
            net, x = _pair(draw)
            for a, b in (one, other):
                net.fetch(net.call("MatMul", x, x, transpose_a=a, transpose_b=b))
            yield net, one == other
    for keep in [(False, True), (True, True)]:
        net, x = _pair(draw)
        axes = net.const([0], "int32")
        for flag in keep:
            net.fetch(net.call("Sum", x, axes, keep_dims=flag))
        yield net, keep[0] == keep[1]
    for types in [("float64", "int32"), ("int32", "int32")]:
        net, x = _pair(draw)
        for dtype in types:
            net.fetch(net.call("Cast", x, DstT=dtype))
        yield net, types[0] == types[1]
    for steps in [([1, 1, 1, 1], [1, 2, 2, 1]), ([1, 2, 2, 1], [1, 2, 2, 1])]:
        net = Net()
        x = net.feed(draw.array((1, 2, 2, 1), "float32"))
        w = net.const(draw.array((1, 1, 1, 1), "float32"))
        for strides in steps:
            settings = {"strides": strides, "padding": "SAME", "data_format": "NHWC"}
            net.fetch(net.call("Conv2D", x, w, **settings))
        yield net, steps[0] == steps[1]
    for axes in [(0, 1), (1, 1)]:
        net, x = _pair(draw)
        for axis in axes:
            net.fetch(net.call("Pack", x, x, axis=axis))
        yield net, axes[0] == axes[1]


@case("07.3")
def attributes_tell_nodes_apart(draw):
    """Nodes with the same inputs and another attribute are not the same."""
    for net, same in _attributes(draw):
        op = net.node(net.fetches[0][0])["op"]
        expected = [counts(**{op: 1})] if same else [unchanged]
        yield pass_trial(net, MERGING, *expected, tolerance=1)


@case("07.3", over=COMMUTATIVE)
def inputs_in_any_order(draw, op):
    """Where the op says that it is commutative, the order of the inputs is nothing."""
    for shape in [(), (3,), (2, 2)]:
        for order in [(0, 1, 1, 0), (0, 1, 0, 1), (1, 0, 0, 1), (0, 0, 1, 1)]:
            net = Net()
            xs = [net.feed(draw.array(shape, "float32")) for _ in range(2)]
            first = net.call(op, xs[order[0]], xs[order[1]], name="a")
            net.fetch(first, net.call(op, xs[order[2]], xs[order[3]], name="b"))
            same = sorted(order[:2]) == sorted(order[2:])
            expected = (gone("b"), fetches_from("a", "a")) if same else (unchanged,)
            yield pass_trial(net, MERGING, *expected, runs=True, tolerance=1)


@case("07.3")
def inputs_in_their_order(draw):
    """For all other ops the order counts, and so does the number of an output."""
    for op in ORDERED:
        net, x = _pair(draw)
        y = net.feed(draw.array((2, 2), "float32"))
        net.fetch(net.call(op, x, y), net.call(op, y, x))
        yield pass_trial(net, MERGING, unchanged)
    net, x = _pair(draw)
    parts = net.call("Unpack", x, num=2)
    net.fetch(*(net.call("Neg", (parts, i), name="n") for i in (0, 1, 0)))
    yield pass_trial(net, MERGING, counts(Neg=2), gone("n_2"))
    net, x = _pair(draw)
    others = [net.call("Neg", x), net.call("Exp", x)]
    for order in [(0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1)]:
        net.fetch(net.call("AddN", *(others[i] for i in order), name="s"))
    yield pass_trial(net, MERGING, counts(AddN=2), gone("s_1", "s_2"), tolerance=1)
    for order, same in [((0, 1, 0), False), ((0, 1, 1), False)]:
        net, x = _pair(draw)
        axis = net.const(0, "int32")
        others = [net.call("Neg", x), net.call("Exp", x)]
        net.fetch(net.call("ConcatV2", *(others[i] for i in (1, 0, 0)), axis))
        net.fetch(net.call("ConcatV2", *(others[i] for i in order), axis))
        yield pass_trial(net, MERGING, counts(ConcatV2=1) if same else unchanged)


@case("07.3")
def outputs_and_attributes_in_any_order(draw):
    """Two outputs of one node are added either way; attributes come in any order."""
    net, x = _pair(draw)
    parts = net.call("Unpack", x, num=2)
    for order in [(0, 1), (1, 0), (1, 1)]:
        net.fetch(net.call("AddV2", *((parts, i) for i in order), name="s"))
    yield pass_trial(net, MERGING, counts(AddV2=2), gone("s_1"))
    net, x = _pair(draw)
    flags = {"transpose_a": False, "transpose_b": True}
    for attrs in (flags, dict(reversed(flags.items()))):
        net.fetch(net.call("MatMul", x, x, name="y", **attrs))
    yield pass_trial(net, MERGING, counts(MatMul=1), gone("y_1"), tolerance=1)


@case("07.3")
def attributes_of_no_definition(draw):
    """What a node asks for besides what its op defines, such as a kernel, counts."""
    asked: list[dict[str, str]] = [{}, {"_kernel": "one"}, {"_kernel": "other"}]
    asked += [{"_class": "one"}, {"_kernel": "one", "_class": "one"}]
    for first, second in itertools.product(asked, repeat=2):
        net, x = _pair(draw)
        net.fetch(*(net.call("Exp", x, name="e", **attrs) for attrs in (first, second)))
        expected = gone("e_1") if first == second else unchanged
        yield pass_trial(net, MERGING, expected)


def _waiting_twins(
    draw: Draw, first: list[int], second: list[int], devices: tuple[str, str]
) -> Trial:
    net, x = _pair(draw)
    effects = [net.effect(x, name=f"p{i}") for i in range(3)]
    for name, waits, device in zip("ab", (first, second), devices, strict=True):
        waits = [effects[i] for i in waits]
        net.fetch(net.call("Exp", x, name=name, waits=waits, device=device))
    same = set(first) == set(second) and devices[0] == devices[1]
    return pass_trial(net, MERGING, gone("b") if same else unchanged)


@case("07.3")
def waits_and_devices_tell_nodes_apart(draw):
    """Nodes that wait for others, or were wanted elsewhere, are not the same."""
    for devices in [("", ""), ("", "/cpu:1"), ("/cpu:0", "/cpu:1"), ("/cpu:1", "/cpu:1")]:
        yield _waiting_twins(draw, [], [], devices)
    for first, second in [([0], []), ([], [1]), ([0], [1]), ([0, 1], [1, 0]), ([0], [0])]:
        yield _waiting_twins(draw, first, second, ("", ""))
    for _ in range(20):
        first = draw.some_of(range(3))
        second = draw.shuffled(first) if draw.coin() else draw.some_of(range(3))
        yield _waiting_twins(draw, draw.shuffled(first), second, ("", ""))
    # What one waits for is a constant for the other: names of nodes are no numbers.
    net, x = _pair(draw)
    a, b = net.call("Neg", x), net.call("Neg", net.effect(x))
    net.fetch(net.call("AddV2", a, b, name="s"), net.call("AddV2", a, a, waits=[b]))
    yield pass_trial(net, MERGING, unchanged)


# ---- Graphs by chance -----------------------------------------------------------------


def _twin_net(draw: Draw, num_calls: int) -> Net:
    """A graph in which much is there twice."""
    net = Net()
    values = [net.feed(draw.array((2, 2), "float32")) for _ in range(2)]
    values += [net.const(np.full((2, 2), n, np.float32)) for n in (1, 1, 2)]
    effects = [net.effect(values[0], name="p") for _ in range(2)]
    for _ in range(num_calls):
        copied = draw.one_of(net.nodes)
        if draw.coin(0.4) and copied["op"] not in {"Placeholder", "Const"}:
            inputs = [tuple(one) for one in copied["inputs"]]
            if len(inputs) == 2 and draw.coin():
                inputs.reverse()
            attrs = dict(copied["attrs"])
            if "transpose_a" in attrs and draw.coin(0.3):
                attrs["transpose_a"] = not attrs["transpose_a"]
            waits = draw.shuffled(copied["waits"])
            device = "/cpu:1" if draw.coin(0.1) else copied["device"]
            name = net.call(copied["op"], *inputs, waits=waits, device=device, **attrs)
            values.append(name)
            continue
        op = draw.one_of(["Neg", "Exp", "AddV2", "Mul", "Sub", "Maximum", "MatMul"])
        count = 1 if op in {"Neg", "Exp"} else 2
        inputs = [draw.one_of(values) for _ in range(count)]
        attrs = (
            {"transpose_a": draw.coin(), "transpose_b": False} if op == "MatMul" else {}
        )
        waits = draw.some_of(effects) if draw.coin(0.2) else []
        values.append(net.call(op, *inputs, waits=waits, **attrs))
    if draw.coin(0.4):
        net.targets = [draw.one_of(values[5:])]
    net.fetch(*values[-4:], *draw.some_of(values, 2))
    return net


def _classes(nodes: Nodes, kept: set[str], *, latest: bool) -> dict[str, str]:
    """For each node one before it that is the same, if its inputs count as theirs.

    Of several, which there are if some may not go, the first or the latest.
    """
    first: dict[str, str] = {}
    seen: dict[Any, str] = {}
    for name, node in nodes.items():
        inputs = [(first[one], index) for one, index in node["inputs"]]
        if node["op"] in {*COMMUTATIVE, "AddN"}:
            inputs.sort()
        attrs = {
            key: (value.dtype.name, value.shape, value.tobytes())
            if isinstance(value, (np.ndarray, np.generic))
            else str(value)
            for key, value in node["attrs"].items()
        }
        waits = tuple(sorted({first[one] for one in node["waits"]}))
        key = (
            node["op"], tuple(inputs), waits, node["device"], tuple(sorted(attrs.items()))
        )  # fmt: skip
        is_pure = node["op"] not in {"Print", "_Arg", "_Retval", "RandomUniform", "NoOp"}
        first[name] = name
        if is_pure and key in seen and name not in kept:
            first[name] = seen[key]
        elif is_pure and (latest or key not in seen):
            seen[key] = name
    return first


def _merges_all(before: Nodes, after: Nodes, result: dict[str, Any]) -> Wrong:
    kept = set(result["targets"])
    wrong = _merges_into(_classes(before, kept, latest=False), before, after)
    if wrong and _merges_into(_classes(before, kept, latest=True), before, after):
        return wrong
    return None


def _merges_into(first: dict[str, str], before: Nodes, after: Nodes) -> Wrong:
    for name, one in first.items():
        if name == one and name not in after:
            return f"'{name}' is gone, though none before it is the same"
        if name != one and name in after:
            return f"'{name}' is still there, though it is the same as '{one}'"
    for name, node in after.items():
        expected = [[first[one], i] for one, i in before[name]["inputs"]]
        if [list(one) for one in node["inputs"]] != expected:
            return Mismatch(
                f"the inputs of '{name}'", expected=str(expected), got=str(node["inputs"])
            )
    return None


def _twins(draw: Draw, count: int, **settings: Any) -> Iterator[Trial]:
    for i in range(count):
        net = _twin_net(draw, 3 + i * 25 // count)
        yield pass_trial(net, MERGING, _merges_all, tolerance=1, **settings)


@case("07.3")
def graphs_with_twins(draw):
    """Just those nodes are merged that are the same, in any graph."""
    yield from _twins(draw, 35)


@case("07.3", hidden=True, over=range(2))
def more_graphs_with_twins(draw, _part):
    """Other graphs in which much is there twice."""
    yield from _twins(draw, 50)


@case("07.3", hidden=True, over=("float64", "int64", "uint8"))
def more_constants_that_are_alike(draw, dtype):
    """Constants of other types, that differ in one bit."""
    for _ in range(40):
        value = extreme(draw, draw.shape(draw.whole(0, 3), 20), dtype)
        yield _constants(value, value.copy(), same=True)
        other = value.copy()
        other.reshape(-1).view(np.uint8)[draw.whole(0, value.nbytes - 1)] ^= (
            1 << draw.whole(0, 7)
        )
        yield _constants(value, other, same=False)


# ---- 07.4 -----------------------------------------------------------------------------


@case("07.4")
def trees_in_one_visit(draw):
    """A tree that is there twice is one after a single visit, however deep it is."""
    for depth in (1, 2, 5, 20):
        for copies in (2, 3, 5):
            net, x = _pair(draw)
            ends = []
            for _ in range(copies):
                y = x
                for i in range(depth):
                    y = net.call(("Neg", "Tanh", "Abs")[i % 3], y, name="y")
                    y = net.call("AddV2", *((x, y) if draw.coin() else (y, x)), name="s")
                ends.append(y)
            net.fetch(*ends, net.call("Sub", ends[0], ends[-1], name="z"))
            expected = (
                counts(AddV2=depth),
                takes("z", ends[0], ends[0]),
                fetches_from(*[ends[0]] * copies, "z"),
            )
            yield pass_trial(net, MERGING, *expected, once=True)


@case("07.4")
def copies_become_the_first(draw):
    """Of several nodes that are the same the first stays, and those that may not go."""
    for copies in (2, 3, 9):
        net, x = _pair(draw)
        twins = [net.call("Exp", x, name=f"e{i}") for i in range(copies)]
        net.fetch(*twins)
        yield pass_trial(net, MERGING, fetches_from(*["e0"] * copies), once=True)
        for target in (0, 1, copies - 1):
            net, x = _pair(draw)
            twins = [net.call("Exp", x, name=f"e{i}") for i in range(copies)]
            net.targets.append(twins[target])
            net.fetch(*twins)
            yield pass_trial(net, MERGING, _merges_all, once=True)
    # Keys of large constants are equal, and the constants need not be.
    values = [np.zeros(1000, np.float32) for _ in range(4)]
    values[1][500] = values[3][500] = 1
    net = Net()
    net.fetch(*(net.const(value, name=f"c{i}") for i, value in enumerate(values)))
    ends = fetches_from("c0", "c1", "c0", "c1")
    yield pass_trial(net, MERGING, ends, once=True)
    # Both may not go.
    net, x = _pair(draw)
    net.targets += [net.call("Exp", x) for _ in range(2)]
    net.fetch(*net.targets, net.call("Exp", x, name="last"))
    yield pass_trial(net, MERGING, gone("last"), counts(Exp=2), once=True)


@case("07.4")
def what_differs_from_call_to_call(draw):
    """Random numbers, reads of a variable, prints and feeds are never merged."""
    for seed in (0, 7):
        net = Net()
        shape = net.const([3], "int32")
        kind = {"dtype": "float32", "seed": seed, "seed2": seed}
        net.fetch(*(net.call("RandomUniform", shape, **kind) for _ in range(3)))
        yield pass_trial(net, MERGING, unchanged)
    net = Net()
    handle = net.call("VarHandleOp", dtype="float32", shape=[2], shared_name="v")
    net.fetch(*(net.call("ReadVariableOp", handle, dtype="float32") for _ in range(2)))
    yield pass_trial(net, MERGING, unchanged)
    for op in ("Print", "CheckNumerics"):
        net, x = _pair(draw)
        net.fetch(*(net.call(op, x, message="m") for _ in range(2)))
        yield pass_trial(net, MERGING, unchanged)
    net = Net()
    xs = [net.feed(np.float32([n])) for n in (1, 2)]
    net.fetch(net.call("Neg", xs[0]), net.call("Neg", xs[1]))
    yield pass_trial(net, MERGING, unchanged)
    net, x = _pair(draw)
    first, second = (net.call("Neg", net.effect(x)) for _ in range(2))
    net.fetch(first, second)
    yield pass_trial(net, MERGING, unchanged)
    net = Net()
    value = net.const(np.float32([1]))
    kind = {"dtype": "float32", "shape": [1]}
    net.fetch(*(net.call("PlaceholderWithDefault", value, **kind) for _ in range(2)))
    yield pass_trial(net, MERGING, unchanged)


@case("07.4")
def what_is_in_branches(draw):
    """A Switch and a Merge are never merged; what is in a branch may be."""
    net = Net()
    x, taken = net.feed(draw.array((2,), "float32")), net.feed(np.array(True), name="p")
    switches = [net.call("Switch", x, taken) for _ in range(2)]
    ends = [net.call("Merge", (one, 1), (one, 0)) for one in switches]
    net.fetch(*ends)
    other = {"more_feeds": [[net.values[0], np.array(False)]]}
    yield pass_trial(net, MERGING, unchanged, **other)
    net = Net()
    x, taken = net.feed(draw.array((2,), "float32")), net.feed(np.array(True), name="p")
    switch = net.call("Switch", x, taken)
    yes, no = ([net.call("Neg", (switch, i)) for _ in range(2)] for i in (1, 0))
    net.fetch(*(net.call("Merge", a, b) for a, b in zip(yes, no, strict=True)))
    expected = counts(Neg=2, Merge=2)
    yield pass_trial(net, MERGING, expected, **other, once=True)


@case("07.4")
def twins_in_one_visit(draw):
    """One visit finds everything, in any graph."""
    yield from _twins(draw, 35, once=True)


@case("07.4", hidden=True, over=range(2))
def more_twins_in_one_visit(draw, _part):
    """Other graphs, visited once."""
    yield from _twins(draw, 50, once=True)
