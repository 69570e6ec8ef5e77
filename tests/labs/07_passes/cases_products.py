"""Lab 07, task 7: products of transposes."""

import itertools
from collections.abc import Iterator

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trials import (
    REWRITING,
    becomes,
    counts,
    gone,
    has_attrs,
    pass_trial,
    takes,
    unchanged,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

# ---- 07.7 -----------------------------------------------------------------------------


def _product_net(
    draw: Draw,
    op: str,
    flags: tuple[bool, bool],
    moved: tuple[bool, bool],
    *,
    dtype: str = "float32",
    batch: tuple[int, ...] = (),
    order: list[int] | None = None,
) -> Net:
    """A product, of which some inputs are transposed before."""
    net = Net()
    sizes = {0: (2, 3), 1: (3, 4)}
    inputs = []
    for i in (0, 1):
        shape = sizes[i]
        turned = flags[i] != moved[i]
        shape = (*batch, *(shape[::-1] if turned else shape))
        value = draw.array(shape, dtype, "whole")
        x = net.feed(value, name="ab"[i])
        if moved[i]:
            rank = len(shape)
            axes = order or [*range(rank - 2), rank - 1, rank - 2]
            perm = net.const(np.array(axes, draw.one_of(["int32", "int64"])))
            x = net.call("Transpose", x, perm, name=f"t{i}")
        inputs.append(x)
    names = ("adj_x", "adj_y") if op != "MatMul" else ("transpose_a", "transpose_b")
    net.fetch(net.call(op, *inputs, name="y", **dict(zip(names, flags, strict=True))))
    return net


PAIRS = list(itertools.product((False, True), repeat=2))


def _products(draw: Draw, op: str, dtype: str, batch: tuple[int, ...]) -> Iterator[Trial]:
    for flags, moved in itertools.product(PAIRS, PAIRS):
        net = _product_net(draw, op, flags, moved, dtype=dtype, batch=batch)
        names = ("adj_x", "adj_y") if op != "MatMul" else ("transpose_a", "transpose_b")
        expected = {
            name: flag != move
            for name, flag, move in zip(names, flags, moved, strict=True)
        }
        sources = takes("y", "feed/a_0", "feed/b_0")
        attrs = has_attrs("y", **expected)
        yield pass_trial(
            net, REWRITING, counts(Transpose=0, Const=0), attrs, sources, runs=True
        )


@case("07.7", over=("float32", "int32", "complex64"))
def products_of_transposes(draw, dtype):
    """A product takes what was transposed, and changes its flag; both flags, any way."""
    yield from _products(draw, "MatMul", dtype, ())


@case("07.7", over=("BatchMatMul", "BatchMatMulV2"))
def products_of_many_transposes(draw, op):
    """So do products of batches, of any rank."""
    for batch in [(), (2,), (2, 1, 3)]:
        yield from _products(draw, op, "float64", batch)


@case("07.7")
def transposes_that_are_none(draw):
    """A transpose of the batch, or of complex numbers in a batch, is none of a matrix."""
    for order in [[1, 0, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]]:
        for moved in PAIRS[1:]:
            net = Net()
            shape = (3, 3, 3)
            pair = []
            for i in (0, 1):
                x = net.feed(draw.array(shape, "float32", "whole"), name="ab"[i])
                if moved[i]:
                    x = net.call("Transpose", x, net.const(np.int32(order)), name=f"t{i}")
                pair.append(x)
            net.fetch(net.call("BatchMatMulV2", *pair, adj_x=False, adj_y=True))
            yield pass_trial(net, REWRITING, unchanged)
    for order in itertools.permutations(range(4)):
        if order == (0, 1, 2, 3):
            continue
        net = Net()
        pair = [net.feed(draw.array((2,) * 4, "float32", "whole")) for _ in range(2)]
        pair[0] = net.call("Transpose", pair[0], net.const(np.int32(order)), name="t")
        net.fetch(net.call("BatchMatMulV2", *pair, adj_x=False, adj_y=False))
        is_of_matrices = order == (0, 1, 3, 2)
        yield pass_trial(net, REWRITING, gone("t") if is_of_matrices else unchanged)
    for op in ("BatchMatMul", "BatchMatMulV2"):
        for flags in PAIRS:
            net = _product_net(
                draw, op, flags, (True, True), dtype="complex64", batch=(2,)
            )
            yield pass_trial(net, REWRITING, unchanged)
    # One of them is none of a matrix, the other is.
    net = Net()
    a, b = (net.feed(draw.array((2, 2, 2), "float32", "whole")) for _ in range(2))
    a = net.call("Transpose", a, net.const(np.int32([1, 0, 2])), name="odd")
    b = net.call("Transpose", b, net.const(np.int32([0, 2, 1])), name="fine")
    net.fetch(net.call("BatchMatMulV2", a, b, adj_x=False, adj_y=False, name="y"))
    expected = gone("fine"), becomes("odd", "Transpose"), has_attrs("y", adj_y=True)
    yield pass_trial(net, REWRITING, *expected)


@case("07.7")
def batches_of_unknown_rank(draw):
    """A Transpose that fails for what is fed goes only if the number of axes is known."""
    for op, i in itertools.product(("BatchMatMul", "BatchMatMulV2"), (0, 1)):
        for known in (None, [-1, 3, -1], [2, 3, 3]):
            net = Net()
            values = [draw.array((2, 3, 3), "float32", "whole") for _ in range(2)]
            pair = [net.feed(v, known, name="ab"[k]) for k, v in enumerate(values)]
            perm = net.const(np.int32([0, 2, 1]))
            pair[i] = net.call("Transpose", pair[i], perm, name="t")
            net.fetch(net.call(op, *pair, name="y", adj_x=False, adj_y=True))
            yield pass_trial(net, REWRITING, gone("t") if known else unchanged)


@case("07.7")
def matrices_of_unknown_rank(draw):
    """What a MatMul takes are matrices, or it fails: there the rank need not be known."""
    for known, i in itertools.product((None, [-1, -1], [2, -1], [2, 3]), (0, 1)):
        for order, flags in itertools.product([(1, 0), (0, 1)], PAIRS):
            net = Net()
            shapes = [(2, 3), (3, 4)]
            turned = [f != (order == (1, 0) and k == i) for k, f in enumerate(flags)]
            pair = []
            for k in (0, 1):
                shape = shapes[k][::-1] if turned[k] else shapes[k]
                sizes = known if k == i else list(shape)
                if sizes == [2, 3] or sizes == [2, -1]:
                    sizes = [shape[0], sizes[1] if sizes[1] < 0 else shape[1]]
                value = draw.array(shape, "float32", "whole")
                pair.append(net.feed(value, sizes, name="ab"[k]))
            perm = net.const(np.array(order, draw.one_of(["int32", "int64"])))
            pair[i] = net.call("Transpose", pair[i], perm, name="t")
            names = zip(("transpose_a", "transpose_b"), flags, strict=True)
            net.fetch(net.call("MatMul", *pair, name="y", **dict(names)))
            stays = known is None and order == (0, 1)
            yield pass_trial(net, REWRITING, unchanged if stays else gone("t"))


@case("07.7")
def transposes_of_products_that_matter(draw):
    """What waits or is elsewhere stays; what others use stays for these."""
    for kind in (
        "inner waits",
        "device",
        "order fed",
        "target",
        "used",
        "twice",
        "waits",
    ):
        net = Net()
        x = net.feed(draw.array((3, 3), "float32", "whole"), name="a")
        w = net.feed(draw.array((3, 3), "float32", "whole"), name="b")
        effect = net.effect(net.feed(np.float32(1), name="e"), name="p")
        perm = net.const(np.int32([1, 0]), name="perm")
        if kind == "order fed":
            perm = net.feed(np.int32([1, 0]), name="perm_fed")
        t = net.call(
            "Transpose", x, perm, name="t",
            waits=[effect] if kind == "inner waits" else [],
            device="/cpu:1" if kind == "device" else "",
        )  # fmt: skip
        pair = (t, t) if kind == "twice" else (w, t)
        flags = {"transpose_a": False, "transpose_b": True}
        waits = [effect] if kind == "waits" else []
        y = net.call("MatMul", *pair, name="y", waits=waits, **flags)
        if kind == "target":
            net.targets.append(y)
        net.fetch(y, effect, *([t] if kind == "used" else []))
        if kind == "used":
            expected = [takes("y", "feed/b_0", "feed/a_0"), becomes("t", "Transpose")]
        elif kind == "twice":
            expected = [gone("t"), has_attrs("y", transpose_a=True, transpose_b=False)]
        elif kind == "waits":
            expected = [gone("t"), takes("y", "feed/b_0", "feed/a_0")]
        else:
            expected = [unchanged]
        yield pass_trial(net, REWRITING, *expected)


@case("07.7", hidden=True, over=("float64", "int64", "complex128"))
def more_products_of_transposes(draw, dtype):
    """Products in other types, with transposes of transposes in front."""
    yield from _products(draw, "MatMul", dtype, ())
    for flags, moved in itertools.product(PAIRS, PAIRS):
        net = _product_net(draw, "MatMul", flags, moved, dtype=dtype)
        net.fetch(net.call("Transpose", "y", net.const(np.int32([1, 0])), name="z"))
        yield pass_trial(net, REWRITING, becomes("z", "Transpose"), gone("t0", "t1"))


@case("07.7", hidden=True)
def more_products_of_many_transposes(draw):
    """Batches by other orders of axes."""
    for _ in range(60):
        rank = draw.whole(2, 5)
        order = draw.shuffled(range(rank))
        net = Net()
        pair = [net.feed(draw.array((2,) * rank, "float32", "whole")) for _ in range(2)]
        t = net.call("Transpose", pair[0], net.const(np.int32(order)), name="t")
        flags = {"adj_x": draw.coin(), "adj_y": draw.coin()}
        net.fetch(net.call("BatchMatMulV2", t, pair[1], name="y", **flags))
        swap = [*range(rank - 2), rank - 1, rank - 2]
        is_none = order not in (swap, list(range(rank)))
        yield pass_trial(net, REWRITING, unchanged if is_none else gone("t"))
