"""What trials of lab 09 are made of: geometries, the formula in numpy, bounds of errors.

The formula is summed in float64, over pixels inside of the image. So an infinite pixel
reaches the places whose patches hold it, and no other.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from lab_common.convolution import Geometry, geometry
from lab_common.convolution import forward as formula
from lab_common.tasks import for_tasks

from minitf_lab.judge.case import Call, Case, Mismatch, Trial, close, close_within
from minitf_lab.judge.draw import Draw

Shape = tuple[int, ...]
Wrong = Mismatch | str | None

# The tiers that are written, and the task that puts each together.
TASKS = {
    "naive": "09.1",
    "im2col": "09.4",
    "implicit": "09.5",
    "direct": "09.8",
    "winograd": "09.11",
}
PADDINGS = ("VALID", "SAME", "EXPLICIT")
# Over the largest sum of |x w|, as conv2d_winograd.cc states it.
WINOGRAD_ERROR = {"float32": 1e-5, "float64": 2e-14}


def attrs_of(g: Geometry, padding: str) -> dict[str, Any]:
    """Those of an op of this geometry, in which SAME and VALID are asked for by name."""
    zeros: Any = padding
    if padding == "EXPLICIT":
        zeros = [[0, 0], [g.pad_top, g.pad_bottom], [g.pad_left, g.pad_right], [0, 0]]
    return {
        "strides": [1, g.stride_h, g.stride_w, 1],
        "padding": zeros,
        "dilations": [1, g.dilation_h, g.dilation_w, 1],
    }


# ---- The formula ----------------------------------------------------------------------


def _pixels(g: Geometry, x: np.ndarray, r: int, s: int) -> np.ndarray:
    """What tap (r,s) sees from each place, [N,P,Q,C], zeros outside of the image."""
    rows = np.arange(g.p) * g.stride_h + r * g.dilation_h - g.pad_top
    columns = np.arange(g.q) * g.stride_w + s * g.dilation_w - g.pad_left
    inside = ((rows >= 0) & (rows < g.h))[:, None] & ((columns >= 0) & (columns < g.w))
    if g.h == 0 or g.w == 0:
        return np.zeros((g.n, g.p, g.q, g.c), x.dtype)
    seen = x[:, np.clip(rows, 0, g.h - 1)][:, :, np.clip(columns, 0, g.w - 1)]
    return np.where(inside[None, :, :, None], seen, np.zeros((), x.dtype))


def patches_of(g: Geometry, x: np.ndarray) -> np.ndarray:
    """What every place sees, [N*P*Q,R*S,C]."""
    taps = [_pixels(g, x, r, s) for r in range(g.r) for s in range(g.s)]
    return np.stack(taps, 3).reshape(g.n * g.places, g.r * g.s, g.c)


def magnitude(g: Geometry, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The sums of |x w|."""
    return formula(g, np.abs(x), np.abs(w))


def bound_of(tier: str, g: Geometry, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """How far each number of a right answer may be from the formula.

    In whatever order n products are added, each is rounded once, and so is each sum.
    """
    sums = magnitude(g, x, w)
    if tier.startswith("winograd"):
        return np.full(g.y, WINOGRAD_ERROR[x.dtype.name] * sums.max(initial=0))
    return np.asarray((g.patch_size + 2) * np.finfo(x.dtype).eps * sums)


def near(
    got: Any, expected: np.ndarray, bound: Any, what: str = "", dtype: Any = "float32"
) -> Wrong:
    """What is wrong with an array whose elements may be off by ``bound`` each."""
    return close_within(got, expected, bound, dtype=dtype, what=what)


# ---- Trials ---------------------------------------------------------------------------


def _with_epilogue(g: Geometry, y: np.ndarray) -> np.ndarray:
    return 3 * y + np.arange(g.k)


def conv_trial(
    tier: str,
    g: Geometry,
    x: np.ndarray,
    w: np.ndarray,
    *,
    threads: int = 1,
    epilogue: bool = False,
    title: str = "",
) -> Trial:
    """A tier's result beside the formula."""
    expected, bound = formula(g, x, w), bound_of(tier, g, x, w)
    if epilogue:
        # The last two roundings are of the epilogue.
        expected = _with_epilogue(g, expected)
        eps = np.finfo(x.dtype).eps
        bound = 3 * bound + 2 * eps * (np.abs(expected) + g.k)

    def check(values: list[Any]) -> Wrong:
        return near(values[0], expected, bound, dtype=x.dtype)

    arguments = {
        "tier": tier, "geometry": asdict(g), "x": x, "w": w, "threads": threads,
        "epilogue": epilogue,
    }  # fmt: skip
    words = [f"{tier}, {x.dtype.name}", title or g.text()]
    words += ["then 3 y + k as epilogue"] if epilogue else []
    words += [f"{threads} threads"] if threads > 1 else []
    return Trial(", ".join(words), [Call("conv", arguments)], check)


def op_trial(
    g: Geometry, x: np.ndarray, w: np.ndarray, padding: str, tier: str, *,
    expected: np.ndarray | None = None, tolerance: float = 0,
) -> Trial:  # fmt: skip
    """``tf.nn.conv2d`` by a tier, beside numbers by heart or the formula."""
    wanted = formula(g, x, w) if expected is None else expected.reshape(g.y)
    bound = tolerance if tolerance else bound_of(tier, g, x, w)

    def check(values: list[Any]) -> Wrong:
        return near(values[0], wanted, bound, dtype=x.dtype)

    arguments = {"x": x, "w": w, "attrs": attrs_of(g, padding), "tier": tier}
    title = f"tf.nn.conv2d by {tier}, {padding}, {g.text()}"
    return Trial(title, [Call("conv2d", arguments)], check)


# ---- By chance ------------------------------------------------------------------------


def draw_geometry(
    draw: Draw,
    size: int,
    *,
    padding: str = "",
    strides: bool = True,
    dilations: bool = True,
    groups: int = 1,
    taps: tuple[int, int] | None = None,
    channels: tuple[int, ...] = (1, 3, 17),
    filters: int = 0,
) -> Geometry:
    """A convolution whose sizes grow with ``size``.

    Args:
        draw: The source.
        size: From 0 on.
        padding: One of PADDINGS; "" is any of them.
        strides: Whether there may be any; they may be larger than the filter.
        dilations: Whether there may be any.
        groups: Of channels.
        taps: Rows and columns of the filters, if not by chance.
        channels: Of the images; with groups, of each of them.
        filters: How many at most, in each group; 0 for a few.
    """
    padding = padding or draw.one_of(PADDINGS)
    largest = 1 + min(size, 4)
    r, s = taps or (draw.whole(1, largest), draw.whole(1, largest))
    steps = [draw.whole(1, 3) if strides and draw.coin(0.6) else 1 for _ in range(2)]
    gaps = [draw.whole(1, 3) if dilations and draw.coin(0.5) else 1 for _ in range(2)]
    pads = [(0, 0), (0, 0)]
    if padding == "EXPLICIT":
        pads = [(draw.whole(0, 2), draw.whole(0, 2)) for _ in range(2)]
    sizes = []
    for taps_here, gap, around in zip((r, s), gaps, pads, strict=True):
        least = (taps_here - 1) * gap + 1
        if padding == "SAME":
            least = 1
        sizes.append(max(1, least - sum(around)) + draw.whole(0, size + 1))
    c = channels[0] if size == 0 else draw.one_of(channels)
    k = draw.whole(1, filters or min(2 + size, 9))
    return geometry(
        (draw.whole(1, 1 + size // 2), *sizes, c * groups),
        (r, s, c, k * groups),
        tuple(steps), padding, tuple(gaps), tuple(pads),
    )  # fmt: skip


def cropped(draw: Draw, g: Geometry) -> Geometry:
    """With less than no zeros on some sides: pixels there are left out.

    The gradient of an image is such a convolution, where the filter's zeros were more
    than its reach.
    """
    top, left = (draw.whole(-2, 1) for _ in range(2))
    bottom = (g.p - 1) * g.stride_h + (g.r - 1) * g.dilation_h + 1 - g.h - top
    right = (g.q - 1) * g.stride_w + (g.s - 1) * g.dilation_w + 1 - g.w - left
    return replace(g, pad_top=top, pad_left=left, pad_bottom=bottom, pad_right=right)


def numbers(
    draw: Draw, g: Geometry, dtype: str, kind: str = "signed"
) -> tuple[np.ndarray, np.ndarray]:
    """Images and filters."""
    return draw.array(g.x, dtype, kind), draw.array(g.filters, dtype, kind)


def growing(
    draw: Draw, count: int, make: Callable[[int], Geometry]
) -> Iterator[Geometry]:
    """Geometries from small to large."""
    for i in range(count):
        yield make(i * 7 // count)


def options_of(tier: str) -> dict[str, Any]:
    """What geometries a tier computes, for ``draw_geometry``."""
    if tier == "winograd":
        return {"strides": False, "dilations": False, "taps": (3, 3)}
    return {}


def one_call(
    title: str, function: str, arguments: dict[str, Any], check: Callable[[Any], Wrong]
) -> Trial:
    """A call, and a check of its value."""
    return Trial(title, [Call(function, arguments)], lambda values: check(values[0]))


def same_bits(got: np.ndarray, expected: np.ndarray, what: str) -> Wrong:
    """What is wrong with numbers that were copied; -0 is another one than 0."""
    wrong = close(got, expected, what=what)
    if wrong or not np.issubdtype(expected.dtype, np.floating):
        return wrong
    return close(np.signbit(got), np.signbit(expected), what=f"signs of {what}")


def parts_trial(g: Geometry, x: np.ndarray, place: int, cuts: list) -> Trial:
    """The numbers [first,last) of a patch, for each of the cuts."""
    patch = patches_of(g, x)[place].ravel()

    def check(got: Any) -> Any:
        for (first, last), part in zip(cuts, got, strict=True):
            what = f"numbers [{first},{last})"
            if wrong := same_bits(part, patch[first:last], what):
                return wrong
        return None

    arguments = {"geometry": asdict(g), "x": x, "place": place, "cuts": cuts}
    title = f"place {place} of {g.n * g.places}, {x.dtype.name}, {g.text()}"
    return one_call(title, "parts_of_patch", arguments, check)


def for_tiers(
    *tiers: str, over: Iterable[tuple] = ((),), hidden: bool = False
) -> Callable[[Callable], list[Case]]:
    """As ``case``: cases of the task of each tier, for each member of ``over``.

    The function gets the tier after ``draw``.
    """
    return for_tasks(
        [(TASKS[tier], (tier,)) for tier in tiers or TASKS], over=over, hidden=hidden
    )
