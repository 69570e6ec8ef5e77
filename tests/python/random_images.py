"""Random convolutions and poolings, and what they give, in numpy and float64.

The formulas are written over all places at once, by views of the padded image in which
each place has its window: `[N,P,Q,R,S,C]`.
"""

from dataclasses import dataclass

import numpy as np

Pads = tuple[tuple[int, int], tuple[int, int]]  # of rows and columns, before and after


@dataclass(frozen=True)
class Case:
    """Images [n,h,w,c], and k filters or windows of [r,s] that move over them."""

    n: int
    h: int
    w: int
    c: int
    r: int
    s: int
    k: int
    stride: tuple[int, int]
    dilation: tuple[int, int]
    groups: int
    padding: str
    explicit: Pads
    is_nchw: bool

    @property
    def pads(self) -> Pads:
        """The zeros before and after rows and columns."""
        if self.padding == "EXPLICIT":
            return self.explicit
        if self.padding == "VALID":
            return ((0, 0), (0, 0))
        sides = zip(
            (self.h, self.w), (self.r, self.s), self.stride, self.dilation, strict=True
        )
        pads = []
        for size, taps, stride, dilation in sides:
            reach = (taps - 1) * dilation + 1
            missing = max(0, (-(-size // stride) - 1) * stride + reach - size)
            pads.append((missing // 2, missing - missing // 2))
        return (pads[0], pads[1])

    @property
    def places(self) -> tuple[int, int]:
        """How many places there are along rows and columns."""
        (top, bottom), (left, right) = self.pads
        reach = [
            (taps - 1) * d + 1
            for taps, d in zip((self.r, self.s), self.dilation, strict=True)
        ]
        return (
            (self.h + top + bottom - reach[0]) // self.stride[0] + 1,
            (self.w + left + right - reach[1]) // self.stride[1] + 1,
        )

    def ordered(self, image: np.ndarray) -> np.ndarray:
        """An image [N,H,W,C] in the layout of the case."""
        return image.transpose(0, 3, 1, 2) if self.is_nchw else image

    def attrs(self) -> dict[str, object]:
        """The attributes of a convolution."""
        (top, bottom), (left, right) = self.pads
        explicit = [(0, 0), (top, bottom), (left, right), (0, 0)]
        one = (1, 1)
        sizes = {"strides": (one, self.stride), "dilations": (one, self.dilation)}
        if self.is_nchw:
            explicit = [(0, 0), (0, 0), (top, bottom), (left, right)]
        is_explicit = self.padding == "EXPLICIT"
        return {
            **{
                name: [1, 1, *of] if self.is_nchw else [1, *of, 1]
                for name, (_, of) in sizes.items()
            },
            "padding": self.padding,
            "explicit_paddings": [x for p in explicit for x in p] if is_explicit else [],
            "data_format": "NCHW" if self.is_nchw else "NHWC",
        }


def draw(rng: np.random.Generator, is_pool: bool = False) -> Case:
    """A case that has a place, unless it has no image."""
    while True:
        side = rng.choice([1, 3, 3, 5, 5, 0])  # 0: any
        r, s = (side, side) if side else rng.integers(1, 8, 2)
        is_plain = rng.random() < 0.4
        groups = 1 if is_pool else int(rng.choice([1, 1, 1, 2, 3]))
        most = rng.choice([3, 12, 40])
        channels, filters = groups * rng.integers(1, most // groups + 1, 2)
        padding = str(rng.choice(["SAME", "VALID"] + (["EXPLICIT"] * (not is_pool))))
        case = Case(
            n=int(rng.choice([0, 1, 2, 3], p=[0.03, 0.5, 0.27, 0.2])),
            h=int(rng.integers(1, rng.choice([4, 10, 24]))),
            w=int(rng.integers(1, rng.choice([4, 10, 24]))),
            c=0 if not is_pool and rng.random() < 0.02 else int(channels),
            r=int(r),
            s=int(s),
            k=0 if rng.random() < 0.02 else int(filters),
            stride=(1, 1) if is_plain else tuple(map(int, rng.integers(1, 4, 2))),
            dilation=(1, 1)
            if is_plain or is_pool
            else tuple(map(int, rng.choice([1, 1, 2, 3], 2))),
            groups=groups,
            padding=padding,
            explicit=tuple(map(tuple, rng.integers(0, 3, (2, 2)).tolist())),
            is_nchw=bool(rng.random() < 0.3),
        )
        if min(case.places) > 0 and (case.c > 0 or case.groups == 1):
            return case


def windows(case: Case, x: np.ndarray, fill: float = 0) -> np.ndarray:
    """What each place sees of x [N,H,W,C]: [N,P,Q,R,S,C]; `fill` is around the image."""
    padded = np.pad(x, ((0, 0), *case.pads, (0, 0)), constant_values=fill)
    n, h, w, c = padded.strides
    (sh, sw), (dh, dw) = case.stride, case.dilation
    return np.lib.stride_tricks.as_strided(
        padded,
        (x.shape[0], *case.places, case.r, case.s, x.shape[3]),
        (n, h * sh, w * sw, h * dh, w * dw, c),
        writeable=False,
    )


def scattered(case: Case, parts: np.ndarray) -> np.ndarray:
    """The reverse: the sum of `parts` [N,P,Q,R,S,C] on the pixels where they stand."""
    (top, bottom), (left, right) = case.pads
    size = (case.n, case.h + top + bottom, case.w + left + right, parts.shape[-1])
    result = np.zeros(size)
    (sh, sw), (dh, dw), (p, q) = case.stride, case.dilation, case.places
    for i in range(case.r):
        for j in range(case.s):
            rows = slice(i * dh, i * dh + (p - 1) * sh + 1, sh)
            columns = slice(j * dw, j * dw + (q - 1) * sw + 1, sw)
            result[:, rows, columns] += parts[:, :, :, i, j]
    return result[:, top : top + case.h, left : left + case.w]


def _by_group(case: Case, *arrays: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """The last axis of each array, cut into as many parts as the case has groups."""
    parts = [np.split(a, case.groups, axis=-1) for a in arrays]
    return list(zip(*parts, strict=True))


def convolved(case: Case, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Gives y [N,P,Q,K] of x [N,H,W,C] and w [R,S,C/groups,K]."""
    pairs = _by_group(case, windows(case, x), w)
    formula = "npqrsc,rsck->npqk"
    return np.concatenate([np.einsum(formula, a, b, optimize=True) for a, b in pairs], -1)


def input_gradient(case: Case, w: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Gives dx [N,H,W,C]."""
    formula = "npqk,rsck->npqrsc"
    parts = [np.einsum(formula, d, f, optimize=True) for f, d in _by_group(case, w, dy)]
    return scattered(case, np.concatenate(parts, -1))


def filter_gradient(case: Case, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Gives dw [R,S,C/groups,K]."""
    formula = "npqrsc,npqk->rsck"
    pairs = _by_group(case, windows(case, x), dy)
    return np.concatenate([np.einsum(formula, a, d, optimize=True) for a, d in pairs], -1)


def max_pooled(
    case: Case, x: np.ndarray, dy: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The largest numbers of all windows, and dx: dy where the first of them stands."""
    seen = windows(case, x, -np.inf)
    shape = (*seen.shape[:3], case.r * case.s, x.shape[3])
    first = seen.reshape(shape).argmax(3)
    hit = np.arange(shape[3])[:, None] == first[:, :, :, None]
    parts = (hit * dy[:, :, :, None]).reshape(seen.shape)
    return seen.max((3, 4)), scattered(case, parts)


def avg_pooled(
    case: Case, x: np.ndarray, dy: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The means of all windows, of what is on the image, and dx."""
    is_pixel = windows(case, np.ones_like(x))
    count = is_pixel.sum((3, 4))
    share = (dy / count)[:, :, :, None, None]
    return windows(case, x).sum((3, 4)) / count, scattered(case, share * is_pixel)
