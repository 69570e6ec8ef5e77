"""What cases of lab 00 are made of: what is expected, and a call that must give it."""

from dataclasses import replace
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Check, Mismatch, Trial, close, describe

DEFAULT = 1e-5
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16")
HALVES = ("float16", "bfloat16")
TYPES = ("float32", "float64", *HALVES, *INTEGERS)
COMPLEX = ("complex64", "complex128")


def array(values: Any, dtype: str) -> np.ndarray:
    """Numbers of a type; those of bfloat16, which NumPy has not, as float32."""
    if dtype != "bfloat16":
        return np.asarray(values).astype(dtype)
    bits = np.asarray(values, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """By the arithmetic of the type: of 16 bits as float32, of integers exact."""
    wide = {"i": np.longdouble, "u": np.longdouble}.get(x.dtype.kind, x.dtype)
    wide = np.float32 if x.dtype == np.float16 else wide
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(x.astype(wide) - y.astype(wide)))


def near(x: np.ndarray, y: np.ndarray, tolerance: float | None) -> np.ndarray:
    """The result; without a tolerance it is the default."""
    bound = np.float32(DEFAULT if tolerance is None else tolerance)
    return np.asarray(distance(x, y) < bound)


def attrs_of(tolerance: float | None) -> dict[str, Any]:
    """The attributes of a call."""
    return {} if tolerance is None else {"tolerance": tolerance}


def near_to(pairs: list[tuple[np.ndarray, np.ndarray]], tolerance: float | None) -> Check:
    """A check that the values are the results for these x and y; it shows the numbers."""

    def check(values: list[Any]) -> Mismatch | str | None:
        results = values[0] if isinstance(values[0], list) else values
        if len(results) != len(pairs):
            return f"there are {len(results)} results, expected {len(pairs)}"
        for got, (x, y) in zip(results, pairs, strict=True):
            wrong = close(got, near(x, y, tolerance))
            if wrong and wrong.index:
                at = tuple(int(i) for i in wrong.index.strip("[]").split(",") if i)
                shown = f"x is {x[at]}, y is {y[at]}, |x - y| is {distance(x[at], y[at])}"
                return replace(wrong, message=f"wrong: {shown}")
            if wrong:
                return wrong
        return None

    return check


def trial(x: Any, y: Any, tolerance: float | None = None, dtype: str = "") -> Trial:
    """One call; without a type it is that of x."""
    x, y = np.asarray(x), np.asarray(y)
    dtype = dtype or x.dtype.name
    shown = f"x and y {describe(x.astype(bool)).replace('bool', dtype)}"
    if x.size <= 4:
        shown = f"x = {x.tolist()}, y = {y.tolist()}, {dtype}"
    title = f"tolerance {'not given' if tolerance is None else tolerance}, {shown}"
    arguments = {"x": x, "y": y, "dtype": dtype, "attrs": attrs_of(tolerance)}
    return Trial(title, [Call("at_once", arguments)], near_to([(x, y)], tolerance))
