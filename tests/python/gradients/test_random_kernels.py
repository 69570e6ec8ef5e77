"""Products, convolutions, poolings of 2,000 random shapes each, in all tiers and types.

Each is compared with a formula in numpy and float64. What may be off is said as a part of
the sum of all terms without their signs: rounding grows with that sum.
"""

import contextlib
from collections.abc import Callable

import numpy as np
import pytest
import random_images as images

import minitf as tf

SEEDS, SHAPES_OF_SEED = range(40), 50
pytestmark = pytest.mark.cpu_kernels

# Of sums of up to some thousand terms; F(4x4,3x3), which the usual kernel may take, loses
# digits in its transforms.
SUM = {"float32": 2e-6, "float64": 4e-15}
WINOGRAD = {"float32": 1e-5, "float64": 4e-14}
# Half of the last digit, for what is rounded once.
DIGIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
SMALLEST = {"float16": 6e-8, "bfloat16": 0}  # subnormal: a digit of fixed size

FLOATS = ("float32", "float64")
HALVES = ("float16", "bfloat16")
MATMUL_TIERS = ("naive", "reordered", "tiled", "eigen", "packed", "autotune")
FORWARD_TIERS = (
    "naive", "eigen", "im2col", "implicit", "direct", "winograd", "winograd2x2",
    "winograd5x5", "autotune",
)  # fmt: skip
SUMMING = (*MATMUL_TIERS[:-1], "widened", "im2col", "implicit", "direct")
GRADIENT_TIERS = (
    "naive", "im2col", "direct", "winograd", "winograd2x2", "winograd5x5", "autotune",
)  # fmt: skip


class _Nodes:
    """A graph whose nodes are compared with what they should give."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        self.feed: dict[tf.Tensor, np.ndarray] = {}
        self.checks: list[tuple[str, str, tf.Tensor, np.ndarray, np.ndarray]] = []

    def given(self, value: np.ndarray, dtype: str) -> tf.Tensor:
        """`value`, which `dtype` can hold, as a tensor of it."""
        fed = tf.placeholder("float64", value.shape)
        self.feed[fed] = value
        return tf.cast(fed, dtype)

    def add(
        self,
        op: str,
        tier: str,
        dtype: str,
        make: Callable[[Callable], tf.Tensor],
        expected: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """A node, by the kernel of `op` that is called `tier`, and what it should give.

        Args:
            op: The op that has tiers.
            tier: The label of its kernel; empty for the usual one.
            dtype: The type in which it is computed.
            make: Gets a function that makes a tensor of that type; gives the node.
            expected: The result, and the sum of its terms without their signs.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.graph.as_default())
            if tier:
                stack.enter_context(self.graph._kernel_label_map({op: tier}))
            node = make(lambda value: self.given(value, dtype))
        with self.graph.as_default():
            wide = tf.cast(node, "float64")
        right, size = expected
        bounds = SUM
        if tier not in SUMMING:  # tiles lose digits of their largest number
            bounds, size = WINOGRAD, size.max(initial=0)
        room = bounds.get(dtype, bounds["float32"]) * size
        if dtype in DIGIT:
            room = room + 1.01 * DIGIT[dtype] * np.abs(right) + SMALLEST[dtype]
        self.checks.append((f"{op}[{tier}] of {dtype}", wide, right, room))

    def run(self, case: object) -> None:
        """Computes all nodes in one step, and compares them."""
        with tf.Session(graph=self.graph) as session:
            results = session.run([check[1] for check in self.checks], self.feed)
        for got, (name, _, right, room) in zip(results, self.checks, strict=True):
            assert got.shape == right.shape, (name, case)
            wrong = np.argwhere(~(np.abs(got - right) <= room))
            assert len(wrong) == 0, (name, case, wrong[0])


def _numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random numbers of 8 bits, which all types hold, and some zeros."""
    signs = rng.choice([-1, 1, 1, 0], shape, p=[0.45, 0.25, 0.25, 0.05])
    return signs * rng.integers(128, 256, shape) * 2.0 ** rng.integers(-12, -5, shape)


def _check_product(rng: np.random.Generator) -> None:
    """A product of a random shape, in all tiers and types."""
    most = int(rng.choice([3, 20, 70, 150]))
    m, k, n = (int(size) for size in rng.integers(0 if most < 20 else 1, most, 3))
    k = 1100 if rng.random() < 0.05 else k
    turns = dict(zip(("transpose_a", "transpose_b"), rng.random(2) < 0.5, strict=True))
    a, b = _numbers(rng, m, k), _numbers(rng, k, n)
    given = [x.T if turn else x for x, turn in zip((a, b), turns.values(), strict=True)]
    expected = (a @ b, np.abs(a) @ np.abs(b))
    nodes = _Nodes()

    def product(tensor):
        return tf.matmul(*map(tensor, given), **turns)

    for dtype in FLOATS:
        for tier in ("", *MATMUL_TIERS):
            nodes.add("MatMul", tier, dtype, product, expected)
    for dtype, tier in (("float16", ""), ("bfloat16", ""), ("bfloat16", "widened")):
        nodes.add("MatMul", tier, dtype, product, expected)
    nodes.run((m, k, n, turns))


@pytest.mark.parametrize("seed", SEEDS)
def test_products(seed):
    rng = np.random.default_rng([1, seed])
    for _ in range(SHAPES_OF_SEED):
        _check_product(rng)


def _can(tier: str, part: str, case: images.Case) -> bool:
    """Whether a tier says that it computes this part of a convolution."""
    if tier in ("", "naive", "autotune"):
        return True
    if case.groups > 1:
        return False
    if tier.startswith("winograd"):
        side = 5 if tier.endswith("5x5") else 3
        is_plain = case.stride == case.dilation == (1, 1)
        return is_plain and case.r == case.s == side and part != "Filter"
    if tier == "direct":
        # Its rows of pixels reach from the first tap to the last.
        reaches = [
            (taps - 1) * d > 2 * size + 64
            for taps, d, size in zip(
                (case.r, case.s), case.dilation, (case.h, case.w), strict=True
            )
        ]
        return not any(reaches) and (part != "Input" or case.stride == (1, 1))
    return True


def _check_convolution(rng: np.random.Generator) -> None:
    """A random convolution and both gradients, in all tiers and types."""
    case = images.draw(rng)
    x = _numbers(rng, case.n, case.h, case.w, case.c)
    w = _numbers(rng, case.r, case.s, case.c // case.groups, case.k)
    dy = _numbers(rng, case.n, *case.places, case.k)
    attrs = case.attrs()
    x_sizes = list(case.ordered(x).shape)

    def forward(tensor):
        return tf.raw_ops.Conv2D(input=tensor(case.ordered(x)), filter=tensor(w), **attrs)

    def by_input(tensor):
        return tf.raw_ops.Conv2DBackpropInput(
            input_sizes=x_sizes,
            filter=tensor(w),
            out_backprop=tensor(case.ordered(dy)),
            **attrs,
        )

    def by_filter(tensor):
        return tf.raw_ops.Conv2DBackpropFilter(
            input=tensor(case.ordered(x)),
            filter_sizes=list(w.shape),
            out_backprop=tensor(case.ordered(dy)),
            **attrs,
        )

    nodes = _Nodes()
    for part, tiers, make, formula, given in (
        ("", FORWARD_TIERS, forward, images.convolved, (x, w)),
        ("Input", GRADIENT_TIERS, by_input, images.input_gradient, (w, dy)),
        ("Filter", GRADIENT_TIERS, by_filter, images.filter_gradient, (x, dy)),
    ):
        results = (formula(case, *given), formula(case, *map(np.abs, given)))
        if part != "Filter":
            results = tuple(map(case.ordered, results))
        op = f"Conv2DBackprop{part}" if part else "Conv2D"
        for dtype in FLOATS:
            for tier in ("", *tiers):
                if _can(tier, part, case):
                    nodes.add(op, tier, dtype, make, results)
        for dtype in HALVES:
            nodes.add(op, "", dtype, make, results)
    nodes.run(case)


@pytest.mark.parametrize("seed", SEEDS)
def test_convolutions_and_their_gradients(seed):
    rng = np.random.default_rng([2, seed])
    for _ in range(SHAPES_OF_SEED):
        _check_convolution(rng)


def _check_pooling(rng: np.random.Generator) -> None:
    """Random poolings and their gradients, in all types."""
    case = images.draw(rng, is_pool=True)
    x = _numbers(rng, case.n, case.h, case.w, case.c)
    if rng.random() < 0.3:  # the largest number stands in several places
        x = np.sign(x)
    dy = _numbers(rng, case.n, *case.places, case.c)
    max_y, max_dx = images.max_pooled(case, x, dy)
    avg_y, avg_dx = images.avg_pooled(case, x, dy)
    max_size = images.max_pooled(case, x, np.abs(dy))[1]
    avg_size = np.abs(dy).max(initial=0)
    attrs = {
        name: value
        for name, value in case.attrs().items()
        if name in ("strides", "padding", "data_format")
    }
    window = [case.r, case.s]
    attrs["ksize"] = [1, 1, *window] if case.is_nchw else [1, *window, 1]

    def largest(tensor):
        return tf.raw_ops.MaxPool(input=tensor(case.ordered(x)), **attrs)

    def mean(tensor):
        return tf.raw_ops.AvgPool(value=tensor(case.ordered(x)), **attrs)

    def to_largest(tensor):
        image, pooled, grad = (tensor(case.ordered(a)) for a in (x, max_y, dy))
        return tf.raw_ops.MaxPoolGrad(
            orig_input=image, orig_output=pooled, grad=grad, **attrs
        )

    def to_all(tensor):
        sizes = list(case.ordered(x).shape)
        return tf.raw_ops.AvgPoolGrad(
            orig_input_shape=sizes, grad=tensor(case.ordered(dy)), **attrs
        )

    nodes = _Nodes()
    taps = case.r * case.s
    for op, make, right, size in (
        ("MaxPool", largest, max_y, 0 * max_y),
        ("AvgPool", mean, avg_y, np.full_like(avg_y, np.abs(x).max(initial=0))),
        ("MaxPoolGrad", to_largest, max_dx, max_size),
        ("AvgPoolGrad", to_all, avg_dx, np.full_like(avg_dx, taps * avg_size)),
    ):
        for dtype in (*FLOATS, *HALVES):
            nodes.add(op, "", dtype, make, (case.ordered(right), case.ordered(size)))
    nodes.run(case)


@pytest.mark.parametrize("seed", SEEDS)
def test_poolings_and_their_gradients(seed):
    rng = np.random.default_rng([3, seed])
    for _ in range(SHAPES_OF_SEED):
        _check_pooling(rng)
