"""Lab 10, tasks 1, 2, 4, 5 and 6: the gradients of convolutions, tier by tier."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_10_conv_grad.trials import (
    Conv,
    can,
    golden_trials,
    gradient_trial,
    near,
    random_conv,
    random_trial,
)
from lab_common.tasks import for_tasks

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, case, wrong_kind
from minitf_lab.judge.draw import REAL, Draw

INPUT_TIERS = {"10.1": ["naive"], "10.4": ["im2col"], "10.6": ["direct", "winograd"]}
FILTER_TIERS = {"10.2": ["naive"], "10.5": ["im2col"]}
PADDINGS = ("VALID", "SAME", "EXPLICIT")


def _for_tasks(hidden: bool = False) -> Any:
    """A decorator that makes a case of a generator for every part and tier."""
    tasks = [
        (task, (part, tier))
        for part, tiers in (("input", INPUT_TIERS), ("filter", FILTER_TIERS))
        for task, names in tiers.items()
        for tier in names
    ]
    return for_tasks(tasks, hidden=hidden)


def _tables(tier: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Every padding with strides and dilations that the tier has."""
    for padding, stride, dilation in itertools.product(
        PADDINGS, [(1, 1), (2, 1), (2, 2), (3, 3), (1, 3)], [(1, 1), (2, 1), (2, 3)]
    ):
        if tier in {"direct", "winograd"} and stride != (1, 1):
            continue
        if tier == "winograd" and dilation != (1, 1):
            continue
        yield padding, stride, dilation


@_for_tasks()
def golden(draw, part, tier):
    """The numbers of TensorFlow's tests."""
    if tier == "winograd":
        # One row of three taps, seen from the middle one: the sum of the three numbers.
        conv = Conv((1, 3, 3, 1), (3, 3, 1, 1), padding="SAME")
        w, dy = np.zeros((3, 3, 1, 1)), np.arange(1.0, 10).reshape(1, 3, 3, 1)
        w[1, :, 0, 0] = [1, 2, 4]
        expected = [[1 * 2 + 2 * 1, 1 * 3 + 2 * 2 + 4 * 1, 2 * 3 + 4 * 2],
                    [1 * 5 + 2 * 4, 1 * 6 + 2 * 5 + 4 * 4, 2 * 6 + 4 * 5],
                    [1 * 8 + 2 * 7, 1 * 9 + 2 * 8 + 4 * 7, 2 * 9 + 4 * 8]]  # fmt: skip
        yield gradient_trial(
            conv, part, tier, w, dy, expected=np.array(expected, float).reshape(dy.shape),
            factor=100,
        )  # fmt: skip
        return
    yield from golden_trials(part, tier)


@_for_tasks()
def worked_example(draw, part, tier):
    """The example of the exercise: images 3 by 3, filters of one row and two columns."""
    conv = Conv((1, 3, 3, 1), (1, 2, 1, 1))
    if tier == "winograd":
        conv = Conv((1, 3, 3, 1), (3, 3, 1, 1))
    one = np.array([2.0, 3.0]).reshape(1, 2, 1, 1)
    dy = np.array([[1.0, 2], [3, 4], [5, 6]]).reshape(1, 3, 2, 1)
    expected = np.array([[2, 7, 6], [6, 17, 12], [10, 27, 18]], float)
    if part == "filter":
        one = np.arange(1.0, 10).reshape(conv.x)
        expected = np.array([120.0, 141.0])
    if tier == "winograd":
        one, dy = np.arange(1.0, 10).reshape(conv.w), np.full(conv.y, 2.0)
        expected = 2 * np.arange(1.0, 10)
    shape = conv.x if part == "input" else conv.w
    yield gradient_trial(
        conv, part, tier, one, dy, expected=expected.reshape(shape), factor=100
    )


@_for_tasks()
def table(draw, part, tier):
    """Every padding with strides and dilations, of odd and even filters."""
    for padding, stride, dilation in _tables(tier):
        for taps in [(3, 3)] if tier == "winograd" else [(1, 1), (2, 3), (3, 2), (4, 1)]:
            conv = Conv(
                (2, 7, 8, 3), (*taps, 3, 2), stride, dilation, padding,
                ((1, 2), (0, 1)),
            )  # fmt: skip
            if conv.fits:
                factor = 200 if tier == "winograd" else 1
                yield random_trial(draw, conv, part, tier, "float64", factor=factor)


def _random(
    draw: Draw, part: str, tier: str, count: int, dtypes: tuple[str, ...] = REAL
) -> Iterator[Trial]:
    factor = 400 if tier == "winograd" else 1
    for i in range(count):
        conv = random_conv(draw, 3 + i * 7 // count, tier=tier)
        for dtype in dtypes:
            yield random_trial(draw, conv, part, tier, dtype, factor=factor)


@_for_tasks()
def all_kinds(draw, part, tier):
    """Convolutions of all kinds, in both types."""
    yield from _random(draw, part, tier, 40)


@_for_tasks(hidden=True)
def more_of_all_kinds(draw, part, tier):
    """Others of all kinds."""
    yield from _random(draw, part, tier, 40)


@_for_tasks()
def zeros_on_one_side(draw, part, tier):
    """Explicit zeros, more on one side than on the other."""
    taps = (3, 3) if tier == "winograd" else (2, 3)
    for zeros in [((2, 0), (0, 0)), ((0, 2), (0, 0)), ((0, 0), (3, 0)), ((0, 0), (0, 3)),
                  ((3, 1), (0, 2)), ((4, 4), (5, 5))]:  # fmt: skip
        conv = Conv((1, 5, 6, 2), (*taps, 2, 3), padding="EXPLICIT", zeros=zeros)
        factor = 200 if tier == "winograd" else 1
        yield random_trial(draw, conv, part, tier, "float64", factor=factor)


@_for_tasks()
def channels_of_any_number(draw, part, tier):
    """One channel, three, seventeen, and more than a vector has."""
    for c, k in [(1, 1), (3, 1), (1, 3), (17, 3), (3, 17), (33, 40)]:
        conv = Conv((2, 5, 4, c), (3, 3, c, k), padding="SAME")
        factor = 400 if tier == "winograd" else 1
        for dtype in REAL:
            yield random_trial(draw, conv, part, tier, dtype, factor=factor)


@_for_tasks()
def nothing_there(draw, part, tier):
    """No images: the gradient of the filters is 0. No filters: that of images is."""
    for x, w, padding in [
        ((0, 3, 3, 2), (3, 3, 2, 1), "VALID"), ((0, 2, 2, 1), (1, 1, 1, 4), "SAME"),
        ((2, 3, 4, 2), (3, 3, 2, 0), "SAME"), ((2, 0, 3, 1), (3, 3, 1, 2), "SAME"),
        ((1, 2, 0, 1), (3, 3, 1, 1), "SAME"), ((1, 1, 1, 1), (3, 3, 1, 1), "SAME"),
    ]:  # fmt: skip
        conv = Conv(x, w, padding=padding)
        if tier in {"direct", "winograd"} and 0 in (*x, *w):
            conv = Conv((1, 1, 1, 1), (3, 3, 1, 1), padding="SAME")
        yield random_trial(draw, conv, part, tier, "float32", factor=400)


@_for_tasks()
def threads(draw, part, tier):
    """One thread to four; the same number gives the same bits."""
    for conv in [
        Conv((5, 9, 8, 3), (3, 3, 3, 6), padding="SAME"),
        Conv((4, 12, 12, 17), (3, 3, 17, 8)),
        Conv((3, 24, 24, 5), (3, 3, 5, 7), padding="SAME"),
        Conv((8, 20, 20, 17), (3, 3, 17, 16), padding="SAME"),
    ]:
        factor = 400 if tier == "winograd" else 1
        yield random_trial(
            draw, conv, part, tier, "float64", threads=(1, 2, 3, 4), factor=factor,
        )  # fmt: skip
        for count in (2, 4):
            yield random_trial(
                draw, conv, part, tier, "float32", threads=(count, count, count),
                same_bits=True, factor=factor,
            )  # fmt: skip


@_for_tasks()
def many_threads(draw, part, tier):
    """More threads than cores, and than images; numbers of them that no 2 divides."""
    for conv in [
        Conv((19, 12, 12, 17), (3, 3, 17, 4), padding="SAME"),
        Conv((7, 24, 24, 6), (3, 3, 6, 8)),
    ]:
        yield random_trial(
            draw, conv, part, tier, "float64", threads=(3, 5, 7, 9, 17),
            factor=400 if tier == "winograd" else 1,
        )  # fmt: skip


def _adjoint(draw: Draw, conv: Conv, part: str, tier: str) -> Trial:
    """<conv(x, w), dy> is <x, dx>, and <w, dw>."""
    x, w, dy = draw.array(conv.x), draw.array(conv.w), draw.array(conv.y)
    product = float(np.sum(conv.forward(x, w) * dy))
    size = np.sum(np.abs(conv.forward(np.abs(x), np.abs(w)) * dy))
    other, given = (x, w) if part == "input" else (w, x)

    def check(values: list[Any]) -> Mismatch | None:
        what = "<x,dx>" if part == "input" else "<w,dw>"
        if wrong := wrong_kind(values[0], other.dtype, other.shape, what):
            return wrong
        got = np.asarray(np.sum(other * values[0]))
        factor = 100 if tier == "winograd" else 1
        return near(got, np.asarray(product), size, factor=factor, what=what)

    arguments = conv.call(part, tier, given, dy)
    title = f"<conv(x,w),dy> is <{'x,dx' if part == 'input' else 'w,dw'}>: {conv}"
    return Trial(title, [Call("conv_gradient", arguments)], check)


@_for_tasks()
def adjoint(draw, part, tier):
    """The gradient is the adjoint of the convolution."""
    for i in range(12):
        yield _adjoint(draw, random_conv(draw, 4 + i // 3, tier=tier), part, tier)


def _numeric(draw: Draw, conv: Conv, part: str, tier: str) -> Trial:
    """Compares with differences of the convolution, in float64."""
    x, w, dy = draw.array(conv.x), draw.array(conv.w), draw.array(conv.y)
    varied, given = (x, w) if part == "input" else (w, x)
    step = 1e-3
    expected = np.empty(varied.shape)
    for index in np.ndindex(varied.shape):
        values = []
        for sign in (1, -1):
            moved = varied.copy()
            moved[index] += sign * step
            pair = (moved, w) if part == "input" else (x, moved)
            values.append(np.sum(conv.forward(*pair) * dy))
        expected[index] = (values[0] - values[1]) / (2 * step)
    trial = gradient_trial(conv, part, tier, given, dy)

    def check(values: list[Any]) -> Mismatch | None:
        return near(
            values[0], expected, np.full(expected.shape, 1e5), what="by differences"
        )

    return Trial(f"by differences: {trial.title}", trial.calls, check)


@_for_tasks()
def differences(draw, part, tier):
    """The gradient is what a small step makes of the result."""
    plain = tier in {"direct", "winograd"}
    for padding, stride in itertools.product(PADDINGS, [(1, 1), (2, 1), (2, 3)]):
        taps = (3, 3) if tier == "winograd" else (2, 3)
        conv = Conv(
            (1, 4, 5, 2), (*taps, 2, 2), (1, 1) if plain else stride, padding=padding,
            zeros=((1, 0), (2, 1)),
        )  # fmt: skip
        yield _numeric(draw, conv, part, tier)


@_for_tasks(hidden=True)
def larger(draw, part, tier):
    """Images that take many blocks, and filters of many sizes."""
    for x, w, stride in [
        ((2, 30, 33, 3), (5, 5, 3, 4), (1, 1)), ((2, 40, 40, 1), (3, 3, 1, 3), (2, 2)),
        ((2, 17, 16, 34), (3, 3, 34, 9), (1, 1)), ((3, 20, 9, 16), (1, 1, 16, 5), (1, 1)),
    ]:  # fmt: skip
        conv = Conv(x, w, stride, padding="SAME")
        if can(tier, conv):
            factor = 400 if tier == "winograd" else 2
            yield random_trial(
                draw, conv, part, tier, "float32", threads=(1, 3), factor=factor
            )


# ---- Loops only -----------------------------------------------------------------------


def _unseen_pixels(draw: Draw, tier: str) -> Iterator[Trial]:
    for stride, taps in [((2, 2), (1, 1)), ((3, 3), (2, 2)), ((4, 2), (2, 1))]:
        for padding in PADDINGS:
            zeros = ((1, 1), (0, 2))
            conv = Conv((2, 8, 9, 2), (*taps, 2, 3), stride, (1, 1), padding, zeros)
            yield random_trial(draw, conv, "input", tier, "float64")


@case("10.1")
def strides_leave_zeros(draw):
    """A pixel that no window sees has the gradient 0."""
    yield from _unseen_pixels(draw, "naive")


@case("10.4")
def strides_leave_zeros_too(draw):
    """A pixel that no window sees has the gradient 0, in the other tier too."""
    yield from _unseen_pixels(draw, "im2col")


def _groups(draw: Draw, part: str, count: int) -> Iterator[Trial]:
    for i in range(count):
        conv = random_conv(draw, 3 + i * 4 // count, groups=2 + i % 4)
        yield random_trial(draw, conv, part, "naive", REAL[i % 2])


@case("10.1")
def groups(draw):
    """Each group of channels is seen by its own filters only."""
    yield from _groups(draw, "input", 24)


@case("10.2")
def groups_of_filters(draw):
    """The filters of a group see its own channels only."""
    yield from _groups(draw, "filter", 24)


@case("10.1", hidden=True)
def more_groups(draw):
    """Other groups."""
    yield from _groups(draw, "input", 24)


@case("10.2", hidden=True)
def more_groups_of_filters(draw):
    """Other groups."""
    yield from _groups(draw, "filter", 24)


def _given_up(conv: Conv, part: str, tier: str, after: int) -> Trial:
    """The work is given up after some questions."""
    one = np.ones(conv.w if part == "input" else conv.x)

    def check(values: list[Any]) -> str | None:
        got = values[0]
        if isinstance(got, Raised) and got.type == "CancelledError":
            return None
        told = f"raises {got.type}" if isinstance(got, Raised) else "goes on to the end"
        return f"the work is given up after {after} questions, and it {told}"

    arguments = conv.call(part, tier, one, np.ones(conv.y)) | {"stop_after": after}
    title = f"{conv}, {part}, tier {tier}, given up after {after} questions"
    return Trial(title, [Call("conv_gradient", arguments, may_raise=True)], check)


def _given_up_at_rows(part: str) -> Iterator[Trial]:
    conv = Conv((1, 20, 20, 2), (3, 3, 2, 2), padding="SAME")
    for after in (0, 3, 19):
        yield _given_up(conv, part, "naive", after)
    column = Conv((1, 20, 1, 2), (3, 1, 2, 2), padding="SAME")
    yield _given_up(column, part, "naive", 3)


@case("10.1")
def given_up_images(_draw):
    """Long work asks at least at every row whether to go on."""
    yield from _given_up_at_rows("input")


@case("10.2")
def given_up_filters(_draw):
    """Long work asks at least at every row whether to go on."""
    yield from _given_up_at_rows("filter")


@case("10.4")
def given_up_blocks(draw):
    """Long work asks at every block whether to go on, be it scattered or not."""
    for taps in (3, 1):
        conv = Conv((1, 60 * 4 // taps, 60, 40), (taps, taps, 40, 2), padding="SAME")
        for after in (0, taps):
            yield _given_up(conv, "input", "im2col", after)


@case("10.5")
def given_up_blocks_of_a_sum(draw):
    """Long work asks at every block whether to go on."""
    conv = Conv((1, 60, 60, 40), (3, 3, 40, 2), padding="SAME")
    for after in (1, 4):
        yield _given_up(conv, "filter", "im2col", after)


def _single_taps(draw: Draw, part: str) -> Iterator[Trial]:
    for x, stride, zeros in [
        ((2, 3, 3, 2), (2, 2), ((1, 1), (1, 1))),
        ((2, 2, 3, 2), (1, 2), ((1, 0), (0, 0))),
    ]:
        conv = Conv(x, (1, 1, 2, 3), stride, padding="EXPLICIT", zeros=zeros)
        yield random_trial(draw, conv, part, "im2col", "float64")
    for c, k in [(1, 1), (3, 5), (20, 4)]:
        for n, h, w in [(1, 1, 1), (2, 3, 4), (1, 50, 40), (5, 40, 30)]:
            conv = Conv((n, h, w, c), (1, 1, c, k))
            for dtype in REAL:
                yield random_trial(draw, conv, part, "im2col", dtype, threads=(1, 2, 3))


@case("10.4")
def patches_that_are_pixels(draw):
    """The patches of a filter with one tap are the image itself."""
    yield from _single_taps(draw, "input")


@case("10.5")
def pixels_that_are_patches(draw):
    """Of filters of one tap that go everywhere, the image is the matrix of patches."""
    yield from _single_taps(draw, "filter")


def _many_blocks(draw: Draw, part: str, threads: tuple[int, ...]) -> Iterator[Trial]:
    for x, w in [((2, 12, 13, 17), (5, 5, 17, 3)), ((3, 40, 30, 1), (2, 2, 1, 3))]:
        for padding in ("VALID", "SAME"):
            conv = Conv(x, w, padding=padding)
            yield random_trial(draw, conv, part, "im2col", "float64", threads=threads)


@case("10.4")
def many_blocks(draw):
    """More places than a block has, over several images."""
    yield from _many_blocks(draw, "input", (1, 2, 3))


@case("10.5")
def many_blocks_and_sums(draw):
    """More places than a block has, and as many sums as threads."""
    yield from _many_blocks(draw, "filter", (1, 2, 3, 4))
