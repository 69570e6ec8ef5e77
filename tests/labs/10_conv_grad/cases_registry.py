"""Lab 10, tasks 12 and 13: the gradient functions."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_10_conv_grad.trials import (
    Conv,
    Pool,
    near,
    random_conv,
    random_pool,
    to_nchw,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close, describe
from minitf_lab.judge.draw import REAL, Draw

ROLES = ("graph", "nothing", "tape")

# ---- Gradient functions ---------------------------------------------------------------


def _function(
    op: str,
    inputs: list[np.ndarray],
    attrs: dict[str, Any],
    dy: np.ndarray,
    expected: list[np.ndarray | None],
    sizes: list[np.ndarray | None],
    *,
    role: str = "graph",
    ops: dict[str, int] | None = None,
    kernel: str = "",
) -> Trial:
    """The gradients of an op by its inputs; None for one that has none.

    Args:
        op: Which one.
        inputs: Its inputs.
        attrs: Its attributes.
        dy: dL/d(output).
        expected: The gradients.
        sizes: How large what was added up is, for each.
        role: Where it is called.
        ops: How many nodes of these types must be added in a graph.
        kernel: The label of its kernel, which its gradients are to ask for too.
    """

    def check(values: list[Any]) -> Mismatch | None:
        result = values[0]
        for i, (got, wanted) in enumerate(
            zip(result["gradients"], expected, strict=True)
        ):
            what = f"the gradient of input {i}"
            if got is None or wanted is None:
                wrong = close(got, wanted, what=what)
            else:
                wrong = near(got, wanted, sizes[i], dtype=dy.dtype, factor=3, what=what)
            if wrong:
                return wrong
        if role == "tape":
            return None
        for name, count in (ops or {}).items():
            if result["ops"].get(name, 0) != count:
                return Mismatch(
                    f"wrong number of {name}", expected=f"{count}",
                    got=f"{result['ops'].get(name, 0)}",
                )  # fmt: skip
        if kernel and result["kernels"] != [kernel]:
            message = f"the node has the kernel {kernel}, its gradients have not"
            return Mismatch(message, expected=kernel, got=", ".join(result["kernels"]))
        return None

    arguments = {
        "op": op, "inputs": inputs, "attrs": attrs, "dy": dy, "role": role,
        "kernel": kernel,
    }  # fmt: skip
    where = {"graph": "in a graph", "tape": "on a tape"}.get(
        role, "in a graph that knows no shapes"
    )
    kinds = ", ".join(map(describe, inputs))
    settings = ", ".join(f"{key}={value}" for key, value in attrs.items())
    title = f"the gradients of {op}({kinds}), {settings}, {where}"
    return Trial(title, [Call("gradients", arguments)], check)


def _conv_function(
    draw: Draw,
    conv: Conv,
    which: str,
    *,
    dtype: str = "float64",
    depthwise: bool = False,
    **options: Any,
) -> Trial:
    """The gradients of one of the three ops of a convolution.

    Args:
        draw: Where numbers come from.
        conv: The convolution.
        which: "", or "BackpropInput", or "BackpropFilter".
        dtype: Of all numbers.
        depthwise: Each channel has filters of its own.
        options: Of ``_function``.
    """
    x, w, dy = (draw.array(shape, dtype) for shape in (conv.x, conv.w, conv.y))
    other = {"": conv.y, "BackpropInput": conv.x, "BackpropFilter": conv.w}[which]
    back = draw.array(other, dtype)  # the gradient of the op's output
    # (r, s, 1, c * m) of groups is (r, s, c, m) of the op.
    w_shape = (*conv.w[:2], conv.x[3], conv.w[3] // conv.x[3]) if depthwise else conv.w
    filters = (lambda a: a.reshape(w_shape)) if depthwise else lambda a: a
    sizes_of = lambda shape: np.array(shape, np.int32)  # noqa: E731
    if which == "":
        inputs = [x, filters(w)]
        results = [
            lambda f: conv.input_gradient(f(w), f(back)),
            lambda f: filters(conv.filter_gradient(f(x), f(back))),
        ]
        op_dy = back
    elif which == "BackpropInput":
        inputs = [sizes_of(conv.x), filters(w), dy]
        results = [
            None,
            lambda f: filters(conv.filter_gradient(f(back), f(dy))),
            lambda f: conv.forward(f(back), f(w)),
        ]
        op_dy = back
    else:
        inputs = [x, sizes_of(w_shape), dy]
        results = [
            lambda f: conv.input_gradient(f(back), f(dy)),
            None,
            lambda f: conv.forward(f(x), f(back)),
        ]
        op_dy = filters(back)
    expected = [None if one is None else one(lambda a: a) for one in results]
    sizes = [None if one is None else one(np.abs) for one in results]
    base = "DepthwiseConv2dNative" if depthwise else "Conv2D"
    attrs = conv.attrs()
    return _function(base + which, inputs, attrs, op_dy, expected, sizes, **options)


WHICH = ("", "BackpropInput", "BackpropFilter")


@case("10.12", over=[(which or "Conv2D", role) for which in WHICH for role in ROLES])
def functions_of_convolutions(draw, which, role):
    """The three ops of a convolution, each with the other two for gradients."""
    which = "" if which == "Conv2D" else which
    for i in range(8):
        conv = random_conv(draw, 4 + i // 2)
        yield _conv_function(draw, conv, which, dtype=REAL[i % 2], role=role)


@case("10.12", over=[which or "Conv2D" for which in WHICH])
def functions_of_one_channel_each(draw, which):
    """The same of DepthwiseConv2dNative."""
    which = "" if which == "Conv2D" else which
    for c, m, padding, role in [
        (2, 1, "VALID", "graph"), (3, 2, "SAME", "tape"), (4, 3, "SAME", "nothing"),
        (1, 2, "VALID", "graph"),
    ]:  # fmt: skip
        conv = Conv((2, 5, 6, c), (2, 3, 1, c * m), padding=padding)
        yield _conv_function(draw, conv, which, depthwise=True, role=role)


@case("10.12")
def nodes_of_convolutions(draw):
    """Each gradient is one node; no other convolution is made."""
    conv = Conv((2, 5, 6, 3), (3, 2, 3, 4), (2, 1), padding="SAME")
    counts = {
        "": {"Conv2DBackpropInput": 1, "Conv2DBackpropFilter": 1, "Conv2D": 0},
        "BackpropInput": {"Conv2DBackpropFilter": 1, "Conv2D": 1, "ZerosLike": 0},
        "BackpropFilter": {"Conv2DBackpropInput": 1, "Conv2D": 1, "ZerosLike": 0},
    }
    each = Conv((2, 5, 6, 3), (2, 3, 1, 6), padding="SAME")
    for which, ops in counts.items():
        yield _conv_function(draw, conv, which, ops=ops)
        yield _conv_function(draw, each, which, depthwise=True)


@case("10.12")
def kernels_of_convolutions(draw):
    """What kernel a node asks for, its gradients ask for too."""
    for which in WHICH:
        for kernel in ("naive", "im2col"):
            conv = Conv((1, 4, 5, 2), (2, 2, 2, 3))
            yield _conv_function(draw, conv, which, kernel=kernel)


@case("10.12")
def formats_of_convolutions(draw):
    """Channels in front of the rows."""
    conv = Conv((2, 5, 4, 3), (2, 3, 3, 2), (1, 2), padding="SAME")
    x, w, dy = (draw.array(shape) for shape in (conv.x, conv.w, conv.y))
    attrs = {"strides": [1, 1, 1, 2], "padding": "SAME", "data_format": "NCHW"}
    expected = [to_nchw(conv.input_gradient(w, dy)), conv.filter_gradient(x, dy)]
    sizes = [
        to_nchw(conv.input_gradient(np.abs(w), np.abs(dy))),
        conv.filter_gradient(np.abs(x), np.abs(dy)),
    ]
    for role in ROLES:
        yield _function(
            "Conv2D", [to_nchw(x), w], attrs, to_nchw(dy), expected, sizes, role=role
        )


@case("10.12", over=ROLES)
def formats_of_gradients_of_convolutions(draw, role):
    """Channels in front of the rows, in the gradients of gradients too."""
    conv = Conv((2, 5, 4, 3), (2, 3, 3, 2), (1, 2), padding="SAME")
    x, w, dy, ddx = (draw.array(one) for one in (conv.x, conv.w, conv.y, conv.x))
    ddw = draw.array(conv.w)
    attrs = {"strides": [1, 1, 1, 2], "padding": "SAME", "data_format": "NCHW"}
    images, back, far = to_nchw(x), to_nchw(dy), to_nchw(ddx)
    shapes = [np.array(one.shape, np.int32) for one in (images, w)]
    for op, inputs, given, made in [
        ("Conv2DBackpropInput", [shapes[0], w, back], far, lambda f: [
            None, conv.filter_gradient(f(ddx), f(dy)), to_nchw(conv.forward(f(ddx), f(w)))
        ]),
        ("Conv2DBackpropFilter", [images, shapes[1], back], ddw, lambda f: [
            to_nchw(conv.input_gradient(f(ddw), f(dy))), None,
            to_nchw(conv.forward(f(x), f(ddw))),
        ]),
    ]:  # fmt: skip
        expected, sizes = made(lambda a: a), made(np.abs)
        yield _function(op, inputs, attrs, given, expected, sizes, role=role)


@case("10.12", hidden=True, over=ROLES)
def more_functions_of_convolutions(draw, role):
    """Others of all kinds."""
    for i in range(12):
        conv = random_conv(draw, 6)
        yield _conv_function(draw, conv, WHICH[i % 3], dtype=REAL[i % 2], role=role)


def _trains(draw: Draw) -> Trial:
    x = np.zeros((12, 8, 8, 1), np.float32)
    labels = np.arange(12, dtype=np.int32) % 3
    for i, label in enumerate(labels):
        if label == 0:
            x[i, 1 + i % 5] = 1  # a row
        elif label == 1:
            x[i, :, 1 + i % 5] = 1  # a column
        else:
            x[i, range(8), range(8)] = 1  # a diagonal
    x += 0.1 * draw.array(x.shape, "float32")
    shapes = [(3, 3, 1, 4), (4,), (3, 3, 4, 8), (32, 3)]
    weights = [draw.array(shape, "float32") / 4 for shape in shapes]

    def check(values: list[Any]) -> Mismatch | None:
        first, last = values[0][0], values[0][-1]
        if last < 0.1 and last < first / 5:
            return None
        message = "the loss does not come down"
        return Mismatch(message, expected="below 0.1", got=f"{last:.4f} from {first:.4f}")

    arguments = {"x": x, "labels": labels, "weights": weights}
    return Trial("a tiny CNN, 60 steps", [Call("train", arguments)], check)


@case("10.12", over=range(2))
def a_tiny_cnn(draw, _part):
    """Rows, columns and diagonals are told apart after 60 steps."""
    yield _trains(draw)


@case("10.13")
def a_tiny_cnn_with_pools(draw):
    """Its poolings pass gradients on."""
    yield _trains(draw)


# ---- 10.13 ----------------------------------------------------------------------------


def _with_zeros(inputs: list[np.ndarray], last: Any) -> list[np.ndarray]:
    return [*(np.zeros(one.shape) for one in inputs[:-1]), last]


def _pool_trials(draw: Draw, op: str, pool: Pool, role: str) -> Iterator[Trial]:
    x, y = draw.array(pool.x, "float64", "whole"), draw.array(pool.y)
    ddx = draw.array(pool.x)
    best, attrs, f = pool.maxima(x), pool.attrs(), np.abs
    if op in {"MaxPool", "MaxPoolWithArgmax"}:
        yield _function(
            op, [x], attrs, y, [pool.max_gradient(x, y)], [pool.max_gradient(x, f(y))],
            role=role, ops={"MaxPoolGrad": 1, "MaxPool": 0},
        )  # fmt: skip
    elif op == "MaxPoolGrad":
        inputs = [x, best, y]
        result = pool.max_gradient_gradient(x, ddx)
        yield _function(
            op, inputs, attrs, ddx, _with_zeros(inputs, result),
            _with_zeros(inputs, f(result)), role=role, ops={"MaxPoolGradGrad": 1},
        )  # fmt: skip
    elif op == "MaxPoolGradGrad":
        inputs = [x, best, ddx]
        yield _function(
            op, inputs, attrs, y, _with_zeros(inputs, pool.max_gradient(x, y)),
            _with_zeros(inputs, pool.max_gradient(x, f(y))), role=role,
            ops={"MaxPoolGrad": 1},
        )  # fmt: skip
    elif op == "AvgPool":
        yield _function(
            op, [x], attrs, y, [pool.mean_gradient(y)], [pool.mean_gradient(f(y))],
            role=role, ops={"AvgPoolGrad": 1},
        )  # fmt: skip
    else:
        yield _function(
            op, [np.array(pool.x, np.int32), y], attrs, ddx, [None, pool.means(ddx)],
            [None, pool.means(f(ddx))], role=role, ops={"AvgPool": 1},
        )  # fmt: skip


POOL_OPS = (
    *("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad", "MaxPoolWithArgmax"),
    *("AvgPool", "AvgPoolGrad"),
)


@case("10.13", over=[(op, role) for op in POOL_OPS for role in ROLES])
def functions_of_pools(draw, op, role):
    """Every op of a pooling has its gradient."""
    for _ in range(8):
        yield from _pool_trials(draw, op, random_pool(draw, 6), role)


@case("10.13", over=("MaxPoolGrad", "MaxPoolGradGrad"))
def infinite_images_of_pools(draw, op):
    """The gradients of images and maxima are zeros, whatever stands there."""
    for _ in range(6):
        pool = random_pool(draw, 5)
        x, y, ddx = draw.array(pool.x), draw.array(pool.y), draw.array(pool.x)
        for place in draw.shuffled(range(x.size))[: 1 + x.size // 4]:
            x.ravel()[place] = draw.one_of([np.inf, -np.inf])
        last = (y, ddx) if op == "MaxPoolGrad" else (ddx, y)
        of_last = pool.max_gradient_gradient if op == "MaxPoolGrad" else pool.max_gradient
        inputs = [x, pool.maxima(x), last[0]]
        expected, sizes = of_last(x, last[1]), of_last(x, np.abs(last[1]))
        yield _function(
            op, inputs, pool.attrs(), last[1], _with_zeros(inputs, expected),
            _with_zeros(inputs, sizes),
        )  # fmt: skip


@case("10.13", over=ROLES)
def functions_of_bias(draw, role):
    """Each place gets the gradient of the sum, wherever the channels are."""
    for shape in [(2, 3), (4, 5, 3), (2, 3, 4, 5), (2, 3, 1, 2, 2)]:
        formats = ("NHWC", "NCHW")[: len(shape) - 1]
        for data_format, kind in itertools.product(formats, ("signed", "special")):
            dy = draw.array(shape, "float64", kind)  # what was summed up does not matter
            axis = 1 if data_format == "NCHW" else dy.ndim - 1
            db = draw.array((shape[axis],))
            wide = [1] * dy.ndim
            wide[axis] = -1
            expected = np.broadcast_to(db.reshape(wide), shape)
            attrs = {"data_format": data_format}
            yield _function(
                "BiasAddGrad", [dy], attrs, db, [expected], [np.abs(expected)], role=role
            )


@case("10.13")
def formats_of_pools(draw):
    """Channels in front of the rows."""
    for _ in range(6):
        pool = random_pool(draw, 5)
        x, dy = draw.array(pool.x), draw.array(pool.y)
        attrs = pool.attrs("NCHW")
        for op, dx, sizes in [
            ("MaxPool", pool.max_gradient(x, dy), pool.max_gradient(x, np.abs(dy))),
            ("AvgPool", pool.mean_gradient(dy), pool.mean_gradient(np.abs(dy))),
        ]:
            yield _function(
                op, [to_nchw(x)], attrs, to_nchw(dy), [to_nchw(dx)], [to_nchw(sizes)]
            )


@case("10.13")
def formats_of_second_derivatives(draw):
    """Channels in front of the rows, in the gradients of gradients too."""
    for _ in range(6):
        pool = random_pool(draw, 5)
        x, y, ddx = draw.array(pool.x), draw.array(pool.y), draw.array(pool.x)
        best, f, attrs = to_nchw(pool.maxima(x)), np.abs, pool.attrs("NCHW")
        second = to_nchw(pool.max_gradient_gradient(x, ddx))
        third = to_nchw(pool.max_gradient(x, y))
        sizes = to_nchw(pool.max_gradient(x, f(y)))
        means = [to_nchw(pool.means(one)) for one in (ddx, f(ddx))]
        images, dy, back = to_nchw(x), to_nchw(y), to_nchw(ddx)
        shape = np.array(images.shape, np.int32)
        for op, inputs, given, expected, size in [
            ("MaxPoolGrad", [images, best, dy], back, second, f(second)),
            ("MaxPoolGradGrad", [images, best, back], dy, third, sizes),
        ]:
            yield _function(
                op, inputs, attrs, given, _with_zeros(inputs, expected),
                _with_zeros(inputs, size),
            )  # fmt: skip
        yield _function(
            "AvgPoolGrad", [shape, dy], attrs, back, [None, means[0]], [None, means[1]]
        )


@case("10.13", hidden=True, over=POOL_OPS)
def more_functions_of_pools(draw, op):
    """Others of all kinds."""
    for i in range(12):
        yield from _pool_trials(draw, op, random_pool(draw, 7), ROLES[i % 3])
