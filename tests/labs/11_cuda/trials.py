"""What trials of lab 11 are made of: launches, formulas in float64, and what is counted.

A launch is right if its result is, check mode has found nothing, and accesses fall
together where the hand-out asks for it. A sector is 32 bytes of global memory, a
wavefront up to 128 bytes of shared memory that lie in different banks.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from lab_common import convolution
from lab_common.convolution import Geometry, along_axis

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, close_within
from minitf_lab.judge.draw import Draw

Shape = tuple[int, ...]
Wrong = Mismatch | str | None

MAX_SHARED = 48 * 1024  # bytes of a block
# How far a sum may be off, as a part of the sum of all sizes in it.
TOLERANCE = {"float32": 4e-6, "float64": 1e-14}
# Sectors may be so many times as many as could be.
FEW_SECTORS = 1.25


@dataclass(frozen=True)
class Options:
    """How threads are ordered, and whether accesses are counted."""

    seed: int = 0
    preempt: int = 0
    counts: bool = False


USUAL = Options()


@dataclass(frozen=True)
class Counts:
    """What the accesses of a launch may add up to.

    Attributes:
        few_sectors: Kinds of access whose warps must ask for few sectors.
        loaded: Bytes that may be loaded from global memory.
        stored: Bytes that are stored there.
        requests: Of loads from global memory, at most.
        shared: Whether there must be accesses to shared memory.
        banks: Whether lanes must not meet in a bank there.
    """

    few_sectors: tuple[str, ...] = ("global-load", "global-store")
    loaded: float = np.inf
    stored: int = -1
    requests: float = np.inf
    shared: bool = False
    banks: bool = True

    def wrong(self, outcome: dict[str, Any]) -> Wrong:
        """What is too much; None if nothing is."""
        counts = {kind: tuple(found) for kind, found in outcome["counts"].items()}
        for kind, (requests, units, ideal, _) in sorted(counts.items()):
            if self.banks and kind.startswith("shared") and units > ideal:
                return _too_many(
                    kind, units, requests, ideal, "wavefronts: lanes of a warp "
                    "want different words of one bank",
                )  # fmt: skip
            if kind in self.few_sectors and units > FEW_SECTORS * ideal:
                return _too_many(
                    kind, units, requests, ideal, "sectors: neighbouring threads "
                    "do not use neighbouring memory",
                )  # fmt: skip
        return self._wrong_bytes(counts) or self._wrong_shared(outcome, counts)

    def _wrong_bytes(self, counts: dict[str, tuple]) -> Wrong:
        nothing = (0, 0, 0, 0)
        requests, _, _, loaded = counts.get("global-load", nothing)
        stored = counts.get("global-store", nothing)[3]
        if loaded > self.loaded:
            return Mismatch(
                "it loads too much from global memory",
                expected=f"at most {self.loaded:.0f} bytes",
                got=f"{loaded} bytes",
            )
        if requests > self.requests:
            return Mismatch(
                "it loads too little at a time from global memory",
                expected=f"at most {self.requests:.0f} requests of warps",
                got=f"{requests} requests",
            )
        if self.stored not in {-1, stored}:
            return Mismatch(
                "it stores too much or too little in global memory",
                expected=f"{self.stored} bytes",
                got=f"{stored} bytes",
            )
        return None

    def _wrong_shared(self, outcome: dict[str, Any], counts: dict[str, tuple]) -> Wrong:
        if outcome["shared_bytes"] > MAX_SHARED:
            return Mismatch(
                "a block uses more shared memory than there is",
                expected=f"at most {MAX_SHARED} bytes",
                got=f"{outcome['shared_bytes']} bytes",
            )
        if self.shared and "shared-load" not in counts:
            return "it does not use shared memory"
        return None


def _too_many(kind: str, units: int, requests: int, ideal: int, of_what: str) -> Mismatch:
    return Mismatch(
        f"{kind}s take too many {of_what}",
        expected=f"about {ideal / requests:.3g} for each request of a warp",
        got=f"{units / requests:.3g}",
    )


# ---- Checks ---------------------------------------------------------------------------


def _faulty(outcome: Any) -> Wrong:
    """What went wrong in a launch; None if nothing did."""
    if isinstance(outcome, Raised):
        return Mismatch(f"it raised {outcome.type}: {outcome.message}")
    for kind, memory, lines, message in outcome["findings"]:
        where = f", {memory} memory" if memory else ""
        numbers = " and ".join(str(line) for line in dict.fromkeys(lines) if line)
        place = f"line {numbers}: " if numbers else ""
        if kind == "uninit-copy":
            place = "not all numbers of the result are written: "
        return Mismatch(f"check mode: {kind}{where}: {place}{message}")
    if outcome["error"]:
        return Mismatch(f"the launch failed: {outcome['error']}")
    return None


def launch(
    title: str,
    function: str,
    arguments: dict[str, Any],
    expected: np.ndarray,
    *,
    bound: Any = 0,
    dtype: Any = None,
    options: Options = USUAL,
    counts: Counts | None = None,
    value: str = "y",
) -> Trial:
    """A launch, and what must come of it.

    Args:
        title: What is launched.
        function: Of the driver.
        arguments: All but the options.
        expected: The result.
        bound: How far each of its numbers may be off.
        dtype: The type of its elements, if not that of ``expected``.
        options: As in check mode.
        counts: What the accesses may add up to.
        value: Which one of the outcome's is looked at.
    """
    kind = expected.dtype if dtype is None else dtype

    def check(values: list[Any]) -> Wrong:
        (outcome,) = values
        if wrong := _faulty(outcome):
            return wrong
        wrong = close_within(outcome[value], expected, bound, dtype=kind)
        if wrong:
            return wrong
        return counts.wrong(outcome) if counts else None

    if counts:
        options = Options(options.seed, options.preempt, counts=True)
    if options.seed or options.preempt:
        title += f", order of threads {options.seed}, {options.preempt} % preempted"
    call = Call(function, {"options": asdict(options), **arguments})
    return Trial(title, [call], check)


def same_in_every_order(
    title: str, function: str, arguments: dict[str, Any], seeds: Iterable[int] = range(4)
) -> Trial:
    """A launch whose result must have the same bits, whatever thread goes first."""
    calls = [
        Call(function, {"options": asdict(Options(seed, 10 * (seed % 2))), **arguments})
        for seed in seeds
    ]

    def check(values: list[Any]) -> Wrong:
        for outcome in values:
            if wrong := _faulty(outcome):
                return wrong
        first = np.asarray(values[0]["y"])
        for outcome in values[1:]:
            if np.asarray(outcome["y"]).tobytes() != first.tobytes():
                return "the order of threads decides about the last bits"
        return None

    return Trial(f"{title}, in {len(calls)} orders of threads", calls, check)


# ---- Convolutions ---------------------------------------------------------------------


class Conv(Geometry):
    """A convolution: images x [n,h,w,c], filters w [r,s,c/groups,k]."""

    def text(self) -> str:
        """As a report shows it."""
        words = [f"x {list(self.x)}, w {list(self.filters)}, y {list(self.y)}"]
        for name, pair, usual in (
            ("strides", (self.stride_h, self.stride_w), (1, 1)),
            ("dilations", (self.dilation_h, self.dilation_w), (1, 1)),
            ("zeros above and on the left", (self.pad_top, self.pad_left), (0, 0)),
        ):
            words += [f"{name} {pair[0]}, {pair[1]}"] if pair != usual else []
        words += [f"{self.groups} groups"] if self.groups > 1 else []
        return ", ".join(words)


def conv_of(
    x: tuple[int, int, int, int],
    filters: tuple[int, int, int],
    strides: tuple[int, int] = (1, 1),
    dilations: tuple[int, int] = (1, 1),
    zeros: tuple[int, int, int, int] = (0, 0, 0, 0),
    groups: int = 1,
) -> Conv:
    """A convolution of images ``x`` with filters (r, s, k).

    ``zeros`` stand above, below, on the left and on the right.
    """
    (n, h, w, c), (r, s, k) = x, filters
    top, bottom, left, right = zeros
    p = max(0, (h + top + bottom - (r - 1) * dilations[0] - 1) // strides[0] + 1)
    q = max(0, (w + left + right - (s - 1) * dilations[1] - 1) // strides[1] + 1)
    around = top, left, bottom, right
    return Conv(n, h, w, c, r, s, k, p, q, *strides, *dilations, *around, groups)


def same(
    x: tuple[int, int, int, int],
    filters: tuple[int, int, int],
    strides: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> Conv:
    """With padding SAME."""
    top, bottom, left, right = (
        zeros
        for i in range(2)
        for zeros in along_axis(x[1 + i], filters[i], strides[i], 1, "SAME", (0, 0))[1:]
    )
    zeros = top, bottom, left, right
    return conv_of(x, filters, strides, zeros=zeros, groups=groups)


def input_gradient(g: Geometry, dy: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The gradient dx, of inputs in the order of the kernel's."""
    return convolution.input_gradient(g, w, dy)


PARTS = {"input": input_gradient, "filter": convolution.filter_gradient}


def conv_inputs(
    draw: Draw, g: Conv, kernel: str, dtype: str, kind: str = "signed"
) -> tuple[np.ndarray, np.ndarray, Shape]:
    """The two inputs of a kernel, and the shape of its result."""
    shapes = {
        "input": (g.y, g.filters, g.x),
        "filter": (g.x, g.y, g.filters),
    }
    of_a, of_b, result = shapes.get(kernel, (g.x, g.filters, g.y))
    return draw.array(of_a, dtype, kind), draw.array(of_b, dtype, kind), result


def conv_trial(
    g: Conv,
    kernel: str,
    a: np.ndarray,
    b: np.ndarray,
    *,
    options: Options = USUAL,
    counts: Counts | None = None,
    shift: int = 0,
) -> Trial:
    """A kernel beside the formula; its first input begins ``shift`` numbers later."""
    formula = PARTS.get(kernel, convolution.forward)
    expected, sums = formula(g, a, b), formula(g, np.abs(a), np.abs(b))
    arguments = conv_arguments(g, kernel, a, b, expected.shape, shift)
    title = f"{kernel}, {a.dtype.name}, {g.text()}"
    bound = TOLERANCE[a.dtype.name] * sums
    return launch(
        title, "conv", arguments, expected, bound=bound, dtype=a.dtype, options=options,
        counts=counts,
    )  # fmt: skip


def conv_arguments(
    g: Conv, kernel: str, a: np.ndarray, b: np.ndarray, shape: Shape, shift: int = 0
) -> dict[str, Any]:
    """Those of the driver's function."""
    return {
        "kernel": kernel, "geometry": asdict(g), "a": a, "b": b, "shape": list(shape),
        "shift": shift,
    }  # fmt: skip


def draw_conv(draw: Draw, size: int, *, groups: int = 1, channels: int = 5) -> Conv:
    """A convolution whose sizes grow with ``size``, with any strides and zeros."""
    taps = [draw.whole(1, 1 + min(size, 3)) for _ in range(2)]
    steps = tuple(draw.whole(1, 3) if draw.coin() else 1 for _ in range(2))
    gaps = tuple(draw.whole(1, 2) if draw.coin(0.4) else 1 for _ in range(2))
    zeros = tuple(draw.whole(0, 2) if draw.coin(0.6) else 0 for _ in range(4))
    sizes = [
        max(1, (tap - 1) * gap + 1 - sum(zeros[2 * i : 2 * i + 2]))
        + draw.whole(0, 2 * size)
        for i, (tap, gap) in enumerate(zip(taps, gaps, strict=True))
    ]
    n = draw.whole(1, 1 + size // 2)
    c, k = (draw.whole(1, channels) * groups for _ in range(2))
    return conv_of((n, *sizes, c), (*taps, k), steps, gaps, zeros, groups)
