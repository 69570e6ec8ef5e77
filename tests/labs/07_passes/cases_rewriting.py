"""Lab 07, tasks 5 and 6: neutral elements, and transposes of transposes."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import Net, extreme, sizes_text
from lab_07_passes.trials import (
    REWRITING,
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

# ---- 07.5 -----------------------------------------------------------------------------

CONSTANTS = (0.0, -0.0, 1.0, -1.0, 2.0, np.nan, np.inf)
ARITHMETIC = ("Mul", "Add", "AddV2", "Sub", "Div", "RealDiv")


def _is_neutral(op: str, value: float, side: int, dtype: str) -> bool:
    """Whether op(x, value), or op(value, x) for side 0, is x for every x, bit by bit."""
    kind = np.dtype(dtype).kind
    if kind == "c" or dtype == "float16":
        return False  # not looked at: such graphs are rare
    is_plus_zero = value == 0 and not np.signbit(value)
    is_minus_zero = value == 0 and (kind != "f" or np.signbit(value))
    return {
        "Mul": value == 1,
        "Add": is_minus_zero,
        "AddV2": is_minus_zero,
        "Sub": side == 1 and (is_plus_zero if kind == "f" else value == 0),
        "Div": side == 1 and value == 1,
        "RealDiv": side == 1 and value == 1,
    }[op]


def _neutral_trial(
    draw: Draw,
    op: str,
    value: float,
    side: int,
    dtype: str,
    shape: tuple[int, ...] = (4,),
) -> Trial:
    net = Net()
    x = net.feed(extreme(draw, (2, 4), dtype), name="x")
    c = net.const(np.full(shape, value).astype(dtype))
    pair = [x, c] if side == 1 else [c, x]
    y = net.call(op, *pair, name="y")
    net.fetch(net.call("Identity", y, name="z"))
    found = _is_neutral(op, value, side, dtype)
    expected = gone("y", "c") if found else unchanged
    return pass_trial(net, REWRITING, expected)


def _neutral_trials(draw: Draw, dtype: str) -> Iterator[Trial]:
    kind = np.dtype(dtype).kind
    for op, value, side in itertools.product(ARITHMETIC, CONSTANTS, (0, 1)):
        if kind in "iu" and (np.isnan(value) or np.isinf(value)):
            continue
        if (op == "RealDiv" and kind in "iu") or (value < 0 and kind == "u"):
            continue
        if op == "Add" and dtype == "uint16":
            continue
        if kind in "iu" and "Div" in op and (side == 0 or value == 0):
            continue  # the oracle would divide by zero
        shape = draw.one_of([(), (1,), (4,), (2, 4), (2, 1), (1, 1)])
        yield _neutral_trial(draw, op, value, side, dtype, shape)


@case("07.5", over=("float32", "float64", "int32", "uint8", "complex64"))
def neutral_elements_of_type(draw, dtype):
    """X stands for op(x, c) just if it is x for all numbers, to the sign of a zero."""
    yield from _neutral_trials(draw, dtype)


@case("07.5", hidden=True, over=("float16", "int8", "int64", "uint16", "complex128"))
def neutral_elements_of_other_types(draw, dtype):
    """The same for other types."""
    yield from _neutral_trials(draw, dtype)


@case("07.5")
def other_divisions(draw):
    """A division that rounds is none of these: FloorDiv(x, 1) is not x."""
    for dtype, op in itertools.product(("float32", "float64"), ("FloorDiv", "Maximum")):
        net = Net()
        x = net.feed(draw.array((4,), dtype), name="x")
        net.fetch(net.call(op, x, net.const(np.ones(4, dtype)), name="y"))
        yield pass_trial(net, REWRITING, unchanged, tolerance=0)


@case("07.5", over=("float32", "float64"))
def nearly_neutral_elements(draw, dtype):
    """One element that is another number, or next to the number, spoils all."""
    one = np.ones(6, dtype)
    for op, fine in [
        ("Mul", one),
        ("RealDiv", one),
        ("Sub", one * 0),
        ("AddV2", -one * 0),
    ]:
        for place, wrong in itertools.product(range(0, 6, 5), range(3)):
            value = fine.copy()
            step = np.nextafter(fine[0], np.asarray(2 * wrong - 2, dtype))
            value[place] = step if wrong < 2 else -fine[0]
            net = Net()
            x = net.feed(extreme(draw, (6,), dtype))
            net.fetch(net.call(op, x, net.const(value), name="y"))
            is_same = value.tobytes() == fine.tobytes()
            yield pass_trial(net, REWRITING, gone("y") if is_same else unchanged)


def _broadcast_trial(
    draw: Draw, known: Any, x_shape: tuple[int, ...], c_shape: tuple[int, ...], op: str
) -> Trial | None:
    try:
        np.broadcast_shapes(x_shape, c_shape)
    except ValueError:
        return None
    net = Net()
    x = net.feed(draw.array(x_shape, "float32"), known)
    value = 0.0 if op == "Sub" else 1.0
    c = net.const(np.full(c_shape, value, np.float32))
    pair = [x, c] if op == "Sub" or draw.coin() else [c, x]
    net.fetch(net.call(op, *pair, name="y"))
    shown = sizes_text(known)
    keeps = c_shape == () or (
        known is not None
        and len(c_shape) <= len(known)
        and all(a in (1, b) for a, b in zip(c_shape[::-1], known[::-1], strict=False))
    )
    trial = pass_trial(net, REWRITING, gone("y") if keeps else unchanged)
    return Trial(
        f"x is {shown}, c is {sizes_text(c_shape)}; {trial.title}", *_rest(trial)
    )


def _rest(trial: Trial) -> tuple[Any, Any]:
    return trial.calls, trial.check


@case("07.5", over=("Mul", "Sub"))
def neutral_elements_that_stretch(draw, op):
    """X stands for the result only if it is certain to have its shape."""
    shapes = [(), (1,), (3,), (0,), (1, 1), (2, 1), (1, 3), (2, 3), (1, 0), (1, 2, 3)]
    for x_shape, c_shape in itertools.product(shapes, shapes):
        known = [-1 if draw.coin(0.25) else n for n in x_shape]
        if draw.coin(0.1):
            known = None
        if trial := _broadcast_trial(draw, known, x_shape, c_shape, op):
            yield trial


@case("07.5", hidden=True)
def more_neutral_elements_that_stretch(draw):
    """Other shapes, of which some is unknown."""
    for _ in range(120):
        x_shape = draw.shape(draw.whole(0, 4), 3, empty=draw.coin(0.2))
        c_shape = draw.stretched(x_shape)
        if draw.coin(0.3):
            c_shape, x_shape = x_shape, c_shape
        known = [-1 if draw.coin(0.3) else n for n in x_shape]
        if trial := _broadcast_trial(draw, known, x_shape, c_shape, "Mul"):
            yield trial


@case("07.5")
def rules_for_other_nodes(draw):
    """What is no neutral element is left to the other rules."""
    for op, rest in [
        ("Neg", 0),
        ("Transpose", 0),
        ("Mul", 1),
        ("Sub", 1),
        ("RealDiv", 1),
    ]:
        net = Net()
        x = net.feed(extreme(draw, (2, 2), "float32"))
        more = [net.const(np.int32([1, 0]))] if op == "Transpose" else []
        if rest:
            net.fetch(net.call(op, x, x, name="y"))
            kept = becomes("y", "Square" if op == "Mul" else op)
            yield pass_trial(net, REWRITING, kept)
            continue
        y = net.call(op, net.call(op, x, *more, name="inner"), *more, name="y")
        yield pass_trial(net.fetch(y), REWRITING, gone("y", "inner"))


@case("07.5")
def neutral_elements_that_matter(draw):
    """A node stays that waits, or is a target, or whose constant waits for an effect."""
    for kind in ("constant waits", "node waits", "target", "device", "x waits", "feed"):
        net = Net()
        x = net.feed(draw.array((3,), "float32"))
        effect = net.effect(net.feed(draw.array((), "float32")), name="p")
        if kind == "x waits":
            x = net.effect(x)
        waits = [effect] if kind == "constant waits" else []
        c = net.const(np.float32(1), waits=waits)
        if kind == "feed":
            c = net.feed(np.float32(1))
        y = net.call(
            "Mul", x, c, name="y",
            waits=[effect] if kind == "node waits" else [],
            device="/cpu:1" if kind == "device" else "",
        )  # fmt: skip
        if kind == "target":
            net.targets.append(y)
        net.fetch(y, effect)
        yield pass_trial(net, REWRITING, gone("y") if kind == "x waits" else unchanged)
    # Who waits for what goes waits for x then.
    net = Net()
    x = net.effect(net.feed(draw.array((3,), "float32")))
    y = net.call("Mul", x, net.const(np.float32(1)), name="y")
    z = net.feed(draw.array((), "float32"))
    net.fetch(net.call("Exp", z, waits=[y], name="late"))
    yield pass_trial(net, REWRITING, gone("y"), becomes("late", "Exp"))
    net = Net()
    one = net.const(np.float32([1, 1]))
    net.fetch(net.call("Mul", net.const(np.float32([3, 4])), one, name="y"))
    yield pass_trial(net, REWRITING, gone("y"))


def _arithmetic_net(draw: Draw, dtype: str) -> Net:
    """A graph in which much adds, multiplies and moves in vain."""
    net = Net()
    shape = draw.shape(draw.whole(1, 3), 3)
    values = [(net.feed(extreme(draw, shape, dtype)), shape) for _ in range(2)]
    effect = net.effect(values[0][0], name="p")
    for _ in range(draw.whole(3, 16)):
        x, shape = draw.one_of(values[-5:])
        kind = draw.whole(0, 5)
        waits = [effect] if draw.coin(0.1) else []
        if kind <= 2:
            op = draw.one_of(["Mul", "AddV2", "Sub"])
            number = draw.one_of([0.0, -0.0, 1.0, 2.0])
            c = np.full(draw.stretched(shape), number).astype(dtype)
            pair = [x, net.const(c, waits=waits if draw.coin() else [])]
            y = net.call(op, *(pair if draw.coin() else pair[::-1]), waits=waits)
        elif kind == 3:
            y = net.call("Neg", x, waits=waits) if dtype != "uint8" else x
        elif kind == 4:
            order = draw.shuffled(range(len(shape)))
            shape = tuple(shape[i] for i in order)
            y = net.call("Transpose", x, net.const(order, "int32"), waits=waits)
        else:
            others = [v for v, s in values if s == shape]
            y = net.call("Mul", x, draw.one_of(others))
        values.append((y, shape))
    net.fetch(*(v for v, _ in values[-3:]), *(v for v, _ in draw.some_of(values, 1)))
    return net


@case("07.5", over=("float32", "int32"))
def graphs_of_arithmetic(draw, dtype):
    """Whatever is rewritten, not one bit changes, for any numbers."""
    for _ in range(40):
        yield pass_trial(_arithmetic_net(draw, dtype), REWRITING)


@case("07.5", hidden=True, over=("float64", "uint8"))
def more_graphs_of_arithmetic(draw, dtype):
    """Other graphs, in other types."""
    for _ in range(50):
        yield pass_trial(_arithmetic_net(draw, dtype), REWRITING)


# ---- 07.6 -----------------------------------------------------------------------------


def _numbered(shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def _chain(
    shape: tuple[int, ...],
    orders: list[tuple[int, ...]],
    integer: str,
    known: Any = "all",
) -> tuple[Net, list[int]]:
    """A tensor that is transposed again and again; what it comes to."""
    net = Net()
    y = net.feed(_numbered(shape), known)
    total = list(range(len(shape)))
    for i, order in enumerate(orders):
        perm = net.const(np.array(order, integer), name="perm")
        y = net.call("Transpose", y, perm, name=f"t{i}")
        total = [total[axis] for axis in order]
    return net.fetch(net.call("Identity", y, name="z")), total


def _is_permuted(name: str, order: list[int]) -> Any:
    """This node, or the only one, is a Transpose of the feed and by this order."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        found = [n for n in after.values() if n["op"] == "Transpose"]
        node = after[name] if name else found[0]
        if node["op"] != "Transpose":
            return f"'{name}' is a {node['op']}, expected Transpose"
        source, constant = (one for one, _ in node["inputs"])
        got = np.asarray(after[constant]["attrs"].get("value"))
        if after[source]["op"] != "_Arg":
            return f"'{node['name']}' does not take the feed, but '{source}'"
        if got.tolist() != order:
            return f"'{node['name']}' transposes by {got.tolist()}, expected {order}"
        return None

    return check


def _chain_trial(
    shape: tuple[int, ...], orders: list[tuple[int, ...]], integer: str, **others: Any
) -> Trial:
    net, total = _chain(shape, orders, integer)
    if total == sorted(total):
        expected = [counts(Transpose=0, Const=0)]
    else:
        expected = [counts(Transpose=1, Const=1), _is_permuted("", total)]
    return pass_trial(net, REWRITING, *expected, **others)


@case("07.6", over=("int32", "int64"))
def transposes_of_transposes(draw, integer):
    """Two transposes become one, or none if they cancel."""
    for rank in (1, 2, 3):
        shape = (2, 3, 4)[:rank]
        for pair in itertools.product(itertools.permutations(range(rank)), repeat=2):
            yield _chain_trial(shape, list(pair), integer, runs=True)
    for _ in range(20):
        orders = [tuple(draw.shuffled(range(4))) for _ in range(2)]
        yield _chain_trial((2, 3, 1, 2), orders, integer)


@case("07.6")
def chains_of_transposes(draw):
    """Any number of transposes becomes one or none."""
    for count in (1, 3, 4, 7):
        for rank in (0, 1, 2, 3, 5):
            shape = (2, 3, 1, 2, 2)[:rank]
            orders = [tuple(draw.shuffled(range(rank))) for _ in range(count)]
            yield _chain_trial(shape, orders, draw.one_of(["int32", "int64"]))
    for shape in [(0, 2), (1, 1, 1), (3, 0, 2)]:
        orders = [tuple(draw.shuffled(range(len(shape)))) for _ in range(2)]
        yield _chain_trial(shape, orders, "int32")


@case("07.6")
def transposes_of_unknown_rank(draw):
    """A transpose that moves nothing stays where the rank is not known to fit."""
    for known, is_gone in [([-1, -1], True), ([2, -1], True), (None, False)]:
        net, _ = _chain((2, 3), [(0, 1)], "int32", known)
        yield pass_trial(net, REWRITING, gone("t0") if is_gone else unchanged)
        net, _ = _chain((2, 3), [(1, 0), (1, 0)], "int32", known)
        # A step that is fed three axes has to go on failing.
        expected = counts(Transpose=0) if known else becomes("t1", "Transpose")
        yield pass_trial(net, REWRITING, expected)
        for orders in [(1, 2, 0), (2, 0, 1)], [(0, 2, 1), (0, 1, 2), (0, 2, 1)]:
            net, _ = _chain((2, 3, 4), orders, "int64", known and [*known, -1])
            last = becomes(f"t{len(orders) - 1}", "Transpose")
            yield pass_trial(net, REWRITING, counts(Transpose=0) if known else last)
        net, _ = _chain(
            (2, 3, 4), [(1, 2, 0), (1, 2, 0)], "int32", known and [*known, -1]
        )
        yield pass_trial(net, REWRITING, _is_permuted("t1", [2, 0, 1]))


def _transposes_that_matter(draw: Draw) -> Iterator[Trial]:
    kinds = ("inner waits", "outer waits", "device", "order waits", "order fed", "used")
    for kind, axes in itertools.product((*kinds, "target"), [(1, 0), (1, 2, 0)]):
        net = Net()
        x = net.feed(_numbered((2, 3, 4)[: len(axes)]))
        effect = net.effect(net.feed(np.float32(1), name="e"), name="p")
        waits = [effect] if kind == "order waits" else []
        perm = net.const(np.int32(axes), waits=waits, name="perm")
        if kind == "order fed":
            perm = net.feed(np.int32(axes), name="perm_fed")
        inner = net.call(
            "Transpose", x, perm, name="inner",
            waits=[effect] if kind == "inner waits" else [],
            device="/cpu:1" if kind == "device" else "",
        )  # fmt: skip
        outer = net.call(
            "Transpose", inner, net.const(np.int32(axes)), name="outer",
            waits=[effect] if kind == "outer waits" else [],
        )  # fmt: skip
        if kind == "target":
            net.targets.append(outer)
        net.fetch(outer, effect)
        if kind == "used":
            net.fetch(inner)
        if kind == "used" and len(axes) == 2:
            expected = [gone("outer"), becomes("inner", "Transpose")]
        elif kind == "used":
            expected = [_is_permuted("outer", [2, 0, 1]), becomes("inner", "Transpose")]
        elif kind == "outer waits" and len(axes) == 3:
            expected = [gone("inner"), _is_permuted("outer", [2, 0, 1])]
        elif kind == "outer waits":  # it may stay, or become one that moves nothing
            expected = [becomes("outer", "Transpose")]
        else:
            expected = [unchanged]
        yield pass_trial(net, REWRITING, *expected)


@case("07.6")
def transposes_that_matter(draw):
    """What waits, is elsewhere, or is not known, stays; what others use stays too."""
    yield from _transposes_that_matter(draw)


@case("07.6", hidden=True, over=range(2))
def more_chains_of_transposes(draw, _part):
    """Other chains, of rank 0 to 6."""
    for _ in range(60):
        rank = draw.whole(0, 6)
        shape = draw.shape(rank, 3, empty=draw.coin(0.1))
        orders = [tuple(draw.shuffled(range(rank))) for _ in range(draw.whole(1, 4))]
        yield _chain_trial(shape, orders, draw.one_of(["int32", "int64"]))
