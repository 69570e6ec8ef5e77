"""Lab 07, tasks 12 and 13: lives of tensors, and memory that is taken over."""

import itertools
from collections.abc import Iterator

import numpy as np
from lab_07_passes.lives import lives_trial
from lab_07_passes.nets import Net

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

# ---- Graphs ---------------------------------------------------------------------------


def random_net(draw: Draw, num_calls: int, dtype: str = "float32") -> Net:
    """A graph with names for one memory, several outputs, and what is kept."""
    net = Net()
    shape = draw.shape(2, 3)
    known = [-1, shape[1]] if draw.coin(0.15) else list(shape)
    values = [(net.feed(draw.array(shape, dtype, "plain"), known), shape)]
    values.append((net.const(draw.array(shape, dtype, "plain")), shape))
    for _ in range(num_calls):
        x, at = draw.one_of(values[-4:])
        kind = draw.whole(0, 9)
        if kind <= 2:
            y = [(net.call(draw.one_of(["Neg", "Square"]), x), at)]
        elif kind <= 5:
            others = [v for v, s in values[-5:] if s == at]
            op = draw.one_of(["AddV2", "Mul", "Sub"])
            y = [(net.call(op, *draw.shuffled([x, draw.one_of(others)])), at)]
        elif kind == 6:
            flat = (int(np.prod(at)),)
            sizes = net.const([-1] if draw.coin() else flat, "int32")
            y = [(net.call("Reshape", x, sizes), flat)]
        elif kind == 7:
            y = [(net.call(draw.one_of(["Identity", "StopGradient"]), x), at)]
        elif kind == 8:
            axis = draw.whole(0, len(at) - 1)
            name = net.call("Split", net.const(axis, "int32"), x, num_split=at[axis])
            part = (*at[:axis], 1, *at[axis + 1 :])
            y = [((name, i), part) for i in range(at[axis])]
        else:
            axes = net.const(draw.some_of(range(len(at))), "int32")
            y = [(net.call("Sum", x, axes, keep_dims=True), None)]
            axes = net.nodes[-2]["attrs"]["value"]
            y = [(y[0][0], tuple(1 if i in axes else n for i, n in enumerate(at)))]
        values += y
    return net.fetch(values[-1][0], *(v for v, _ in draw.some_of(values, 1)[:2]))


def _graphs(draw: Draw, count: int, dtype: str = "float32") -> Iterator[Trial]:
    for i in range(count):
        yield lives_trial(random_net(draw, 2 + i * 20 // count, dtype))


# ---- 07.12 ----------------------------------------------------------------------------


@case("07.12")
def lives_by_heart(draw):
    """A tensor lives from the node that makes it to the last that reads it."""
    net = Net()
    x = net.feed(draw.array((4, 4), "float32"))
    a = net.call("MatMul", x, x, transpose_a=False, transpose_b=False, name="a")
    b = net.call("MatMul", a, x, transpose_a=False, transpose_b=False, name="b")
    c = net.call("MatMul", b, b, transpose_a=False, transpose_b=False, name="c")
    net.fetch(net.call("MatMul", c, a, transpose_a=False, transpose_b=False, name="d"))
    yield lives_trial(net, num_buffers=4)
    for readers in (0, 1, 3):
        net = Net()
        x = net.feed(draw.array((4,), "float32"))
        parts = net.call("Split", net.const(0, "int32"), x, num_split=2, name="parts")
        for _ in range(readers):
            net.fetch(net.call("Neg", (parts, 1), name="n"))
        net.fetch(net.call("Exp", (parts, 0)))
        yield lives_trial(net)
    for waits in (True, False):  # who only waits reads nothing
        net = Net()
        x = net.feed(draw.array((4, 4), "float32"))
        a = net.call("MatMul", x, x, transpose_a=False, transpose_b=False, name="a")
        b = net.call("MatMul", a, x, transpose_a=False, transpose_b=False, name="b")
        net.fetch(net.call("MatMul", b, b, waits=[a] if waits else [], name="c"))
        yield lives_trial(net)


@case("07.12")
def names_for_one_memory(draw):
    """What is read under another name is alive, for as long as any name is read."""
    for op in ("Reshape", "Identity", "ExpandDims", "Sum", "Transpose", "Slice"):
        for order in range(2):
            net = Net()
            x = net.feed(draw.array((2, 3), "float32"))
            y = net.call("MatMul", x, net.const(np.eye(3, dtype=np.float32)), name="y")
            more = {
                "Reshape": [net.const([3, 2], "int32")],
                "ExpandDims": [net.const(0, "int32")],
                "Sum": [net.const(np.zeros(0, np.int32))],
                "Transpose": [net.const([0, 1], "int32")],
                "Slice": [net.const([0, 0], "int32"), net.const([1, 3], "int32")],
            }.get(op, [])
            attrs = {"keep_dims": False} if op == "Sum" else {}
            other = net.call(op, y, *more, name="other", **attrs)
            twice = net.call(op, other, *more, name="twice", **attrs)
            ends = [net.call("Exp", y, name="e"), net.call("Neg", twice, name="n")]
            net.fetch(*ends[:: 1 if order else -1])
            yield lives_trial(net)


@case("07.12")
def what_is_not_of_the_step(draw):
    """Feeds, constants and variables have memory of their own, under every name."""
    for op in ("feed", "const", "variable"):
        for names in (0, 1, 3):
            net = Net()
            value = draw.array((2, 3), "float32")
            if op == "feed":
                last = net.feed(value)
            elif op == "const":
                last = net.const(value)
            else:
                handle = net.call(
                    "VarHandleOp", dtype="float32", shape=[2, 3], shared_name="v"
                )
                last = net.call("ReadVariableOp", handle, dtype="float32")
            for i in range(names):
                sizes = net.const([3, 2], "int32")
                last = net.call("Reshape", last, sizes) if i % 2 else net.call(
                    "Identity", last
                )  # fmt: skip
            net.fetch(net.call("Neg", last), last)
            yield lives_trial(net, num_buffers=1)


@case("07.12")
def what_outlives_the_step(draw):
    """What is fetched, or a variable keeps, lives on beyond the last node."""
    for dtype in ("float32", "float64"):
        for keeper in ("AssignVariableOp", "AssignAddVariableOp", "CheckNumerics"):
            net = Net()
            x = net.feed(draw.array((2, 2), dtype))
            y = net.call("MatMul", x, x, transpose_a=False, transpose_b=False, name="y")
            if keeper == "CheckNumerics":
                net.fetch(net.call("Neg", net.call(keeper, y, message="m")))
            else:
                handle = net.call(
                    "VarHandleOp", dtype=dtype, shape=[2, 2], shared_name="v"
                )
                net.targets.append(net.call(keeper, handle, y, dtype=dtype))
            net.fetch(net.call("MatMul", y, y, transpose_a=True, transpose_b=False))
            yield lives_trial(net)


@case("07.12")
def tensors_of_unknown_size(draw):
    """A tensor of unknown shape is not planned, and may lie in another's memory."""
    for known in ([-1, 3], None, [2, 3]):
        net = Net()
        x = net.feed(draw.array((2, 3), "float32"), known)
        flat = net.call("Reshape", net.call("Neg", x), net.const([-1], "int32"))
        whole = net.call("Reshape", flat, net.const([2, 3], "int32"), name="whole")
        net.fetch(net.call("Exp", whole), net.call("Tanh", flat))
        yield lives_trial(net)


@case("07.12", over=("float32", "int64"))
def lives_in_graphs(draw, dtype):
    """The lives of all tensors, in any graph."""
    yield from _graphs(draw, 50, dtype)


@case("07.12", hidden=True, over=("float64", "int8"))
def more_lives_in_graphs(draw, dtype):
    """Other graphs."""
    yield from _graphs(draw, 70, dtype)


# ---- 07.13 ----------------------------------------------------------------------------


@case("07.13")
def chains_in_place(draw):
    """A chain of element-wise ops needs the memory of one tensor."""
    for length in (1, 2, 10):
        for dtype in ("float32", "int32", "complex64", "float16"):
            net = Net()
            y = net.feed(draw.array((2, 3), dtype, "plain"))
            for i in range(length):
                y = net.call("Neg" if i % 2 else "Square", y)
            axes = net.const([0, 1], "int32")
            net.fetch(net.call("Sum", y, axes, keep_dims=False, name="sum"))
            yield lives_trial(net, num_buffers=2)


@case("07.13")
def what_is_read_later(draw):
    """Nothing is written over what is fetched, or read later, under any name."""
    for kind in ("fetched", "read", "alias", "alias fetched", "assigned", "nothing"):
        net = Net()
        x = net.feed(draw.array((4,), "float32"))
        y = net.call("Exp", x, name="y")
        if kind.startswith("alias"):
            flat = net.call("Reshape", y, net.const([2, 2], "int32"), name="flat")
        z = net.call("Neg", y, name="z")
        if kind == "fetched":
            net.fetch(y)
        if kind == "read":
            net.fetch(net.call("Square", y, waits=[z]))
        if kind == "alias":
            net.fetch(net.call("Square", flat, waits=[z]))
        if kind == "alias fetched":
            net.fetch(flat)
        if kind == "assigned":
            handle = net.call("VarHandleOp", dtype="float32", shape=[4], shared_name="v")
            net.targets.append(net.call("AssignVariableOp", handle, y, dtype="float32"))
        net.fetch(net.call("Tanh", z, name="end"))
        yield lives_trial(net)


@case("07.13")
def inputs_that_do_not_fit(draw):
    """A node that reads twice, stretches, converts, or gives several needs memory."""
    for other in [(2, 3), (3,), (), (2, 1), (1, 3)]:
        for swapped in (False, True):
            net = Net()
            x = net.call("Exp", net.feed(draw.array((2, 3), "float32")))
            y = net.call("Exp", net.feed(draw.array(other, "float32")))
            pair = [y, x] if swapped else [x, y]
            net.fetch(net.call("Sub", *pair, name="z"))
            yield lives_trial(net)
    for pair in itertools.permutations([(4,), (1, 4), (1, 1, 4)], 2):  # as many elements
        net = Net()
        x, y = (net.call("Exp", net.feed(draw.array(s, "float32"))) for s in pair)
        z = net.call("Sub", x, y, name="z")
        net.fetch(net.call("Neg", z), net.call("Exp", y) if pair[0] == (4,) else z)
        yield lives_trial(net)
    for op in ("Mul", "Sub", "AddV2"):
        net = Net()
        x = net.call("Exp", net.feed(draw.array((2, 3), "float32")), name="e")
        net.fetch(net.call(op, x, x, name="z"))
        yield lives_trial(net, num_buffers=2)
    for types in [("float32", "int32"), ("float32", "float64"), ("int32", "float32")]:
        net = Net()
        x = net.call("Neg", net.feed(draw.array((2, 3), types[0])), name="n")
        net.fetch(net.call("Cast", x, DstT=types[1]))
        yield lives_trial(net)
    for op in ("MatMul", "Transpose"):
        net = Net()
        x = net.call("Exp", net.feed(draw.array((3, 3), "float32")), name="e")
        y = net.call("Exp", net.feed(draw.array((3, 3), "float32")), name="f")
        if op == "Transpose":
            y = net.const([1, 0], "int32")
        net.fetch(net.call(op, x, y, name="z"))
        yield lives_trial(net)
    net = Net()
    x = net.call("Exp", net.feed(draw.array((1, 3), "float32")), name="e")
    parts = net.call("Split", net.const(0, "int32"), x, num_split=1, name="parts")
    net.fetch(net.call("Neg", parts))
    yield lives_trial(net)
    for known in ([-1, 3], None):
        net = Net()
        x = net.call("Exp", net.feed(draw.array((2, 3), "float32"), known), name="e")
        net.fetch(net.call("Neg", x))
        yield lives_trial(net, num_buffers=0)


@case("07.13")
def memory_with_two_names(draw):
    """What a node reads under another name, too, it does not write over."""
    for hides, swapped in itertools.product((False, True), repeat=2):
        net = Net()
        x = net.call("Exp", net.feed(draw.array((4, 4), "float32")), name="e")
        alias = net.call("Identity", x, name="alias")
        if hides:  # a Transpose may lie there, or not
            alias = net.call("Transpose", x, net.const([0, 1], "int32"), name="alias")
        pair = [x, alias] if swapped else [alias, x]
        net.fetch(net.call("Neg", net.call("Sub", *pair, name="z"), name="end"))
        yield lives_trial(net)
    for split in (False, True):  # parts of one tensor lie apart
        net = Net()
        x = net.call("Exp", net.feed(draw.array((4, 4), "float32")), name="e")
        parts = net.call("Split", net.const(0, "int32"), x, num_split=2, name="parts")
        other = net.call("Exp", net.feed(draw.array((2, 4), "float32")), name="other")
        pair = [(parts, 0), (parts, 1) if split else other]
        net.fetch(net.call("Neg", net.call("Sub", *pair, name="z"), name="end"))
        yield lives_trial(net)


@case("07.13")
def places_that_may_be_one_of_two(draw):
    """What may lie in one of two places is written over if both are dead."""
    for op, later in itertools.product(("Neg", "Sub"), ("x", "view", "z", "nothing")):
        net = Net()
        x = net.call("Exp", net.feed(draw.array((4, 4), "float32")), name="x")
        view = net.call("Transpose", x, net.const([0, 1], "int32"), name="view")
        more = [net.feed(draw.array((4, 4), "float32"), name="y")] if op == "Sub" else []
        z = net.call(op, view, *more, name="z")
        end = net.call("Tanh", z, name="end")
        if later != "nothing":
            reader = net.call("Square", later, waits=[end], name="late")
            end = net.call("AddV2", end, reader, name="sum")
        matrix = {"transpose_a": False, "transpose_b": False}
        net.fetch(net.call("MatMul", end, end, **matrix))
        yield lives_trial(net)


@case("07.12")
def steps_of_unknown_shape(draw):
    """A sum of unknown shape may lie in the memory of what it adds."""
    for known, shape in [(None, ()), ([-1], (1,)), ([1, 1], (1, 1)), ([1], (1,))]:
        for swapped in (False, True):
            net = Net()
            x = net.call("Exp", net.feed(draw.array((4,), "float32")), name="e")
            other = net.feed(draw.array(shape, "float32"), known, name="other")
            pair = [other, x] if swapped else [x, other]
            z = net.call("AddV2", *pair, name="z")
            w = net.call("Reshape", z, net.const([4], "int32"), name="w")
            net.fetch(net.call("Square", w, name="y"), net.call("Tanh", z, name="t"))
            yield lives_trial(net)


@case("07.13")
def inputs_that_an_op_forwards(draw):
    """Of a BiasAdd the value may be written over, and the bias may not."""
    for shape in [(2, 3), (1, 3)]:
        net = Net()
        x = net.call("Exp", net.feed(draw.array(shape, "float32")), name="e")
        bias = net.call("Exp", net.feed(draw.array((3,), "float32")), name="b")
        net.fetch(net.call("BiasAdd", x, bias, data_format="NHWC", name="sum"))
        yield lives_trial(net, num_buffers=2)
    for dead in range(4):  # the fused kernel takes over one of its first three inputs
        net = Net()
        values = [
            net.call("Exp", net.feed(draw.array((2, 3), "float32"))) for _ in range(4)
        ]
        steps = {"ops": ["Add", "Mul", "Sub"], "arguments": [0, 1, 4, 2, 5, 3]}
        y = net.call("_FusedElementwise", *values, name="y", **steps)
        for i, value in enumerate(values):
            if i != dead:
                net.fetch(net.call("Tanh", value, waits=[y]))
        yield lives_trial(net.fetch(y))


@case("07.13")
def memory_of_either_input(draw):
    """The second input serves if the first is still needed; none if both are."""
    for later in itertools.product((False, True), repeat=2):
        net = Net()
        pair = [
            net.call(op, net.feed(draw.array((2, 3), "float32")), name=op.lower())
            for op in ("Exp", "Tanh")
        ]
        z = net.call("Sub", *pair, name="z")
        for flag, one in zip(later, pair, strict=True):
            if flag:
                net.fetch(net.call("Square", one, waits=[z]))
        net.fetch(net.call("Neg", z, name="end"))
        yield lives_trial(net)


@case("07.13", over=("float32", "int32"))
def graphs_in_place(draw, dtype):
    """Memory is taken over wherever it may be, and nowhere else, in any graph."""
    yield from _graphs(draw, 50, dtype)


@case("07.13", hidden=True, over=("float64", "int16"))
def more_graphs_in_place(draw, dtype):
    """Other graphs."""
    yield from _graphs(draw, 70, dtype)
