"""Gradients where the largest number stands twice: a row of docs/differences.md.

What each framework does with a tie is worked out here, window by window, so
that no other fault of these functions passes for one.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np


def is_tie(case: Any, mismatch: Any) -> bool:
    """The largest number stands twice."""
    kinds = (np.ndarray, np.generic)
    if not (isinstance(mismatch.ours, kinds) and isinstance(mismatch.theirs, kinds)):
        return False
    return case.entry.function == "nn.max_pool3d" and _is_of_pool(case, mismatch)


def _windows(size: int, window: int, stride: int, padding: str) -> Iterator[slice]:
    """The windows along an axis, cut off at its ends."""
    count = -(-size // stride) if padding == "SAME" else (size - window) // stride + 1
    pad = max((count - 1) * stride + window - size, 0) if padding == "SAME" else 0
    for i in range(count):
        begin = i * stride - pad // 2
        yield slice(max(begin, 0), min(begin + window, size))


def _grid(windows: list[list[slice]]) -> Iterator[tuple[slice, ...]]:
    for place in np.ndindex(*map(len, windows)):
        yield tuple(axis[i] for axis, i in zip(windows, place, strict=True))


def _is_of_pool(case: Any, mismatch: Any) -> bool:
    """Minitf's gradient goes to the first of the largest, TensorFlow's to all of them."""
    (x,) = (np.asarray(arg.array) for arg in case.tensors())
    if mismatch.kind != "first" or x.ndim != 5:
        return False
    *lists, padding = case.args[1:4]
    window, stride = ([1, n, n, n, 1] if isinstance(n, int) else n for n in lists)
    axes = zip(x.shape, window, stride, strict=True)
    places = list(_grid([list(_windows(*axis, padding)) for axis in axes]))
    dy = {
        "none": np.ones(len(places)),
        "weights": np.arange(len(places)) * 0.5 - 1.25,
        "zeros": np.zeros(len(places)),
    }[case.weights]
    to_first, to_all = np.zeros(x.shape), np.zeros(x.shape)
    for place, weight in zip(places, dy, strict=True):
        hits = x[place] == x[place].max()
        firsts = np.cumsum(hits).reshape(hits.shape) == 1
        to_first[place] += weight * (hits & firsts)
        to_all[place] += weight * hits
    return np.allclose(mismatch.ours, to_first, 1e-5) and np.allclose(
        mismatch.theirs, to_all, 1e-5
    )
