"""Lab 00: whether |x - y| < tolerance."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close, close_to, describe
from minitf_lab.judge.draw import Draw

DEFAULT = 1e-5
TYPES = ("float32", "float64", "float16", "int8", "int32", "int64", "uint8", "uint16")


def _expected(x: np.ndarray, y: np.ndarray, tolerance: float) -> np.ndarray:
    """In numbers that are wide enough for all types."""
    wide = np.complex128 if x.dtype.kind == "c" else np.longdouble
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(x.astype(wide) - y.astype(wide)) < np.float32(tolerance))


def _attrs(tolerance: float | None) -> dict[str, Any]:
    return {} if tolerance is None else {"tolerance": tolerance}


def _trial(x: Any, y: Any, tolerance: float | None = None) -> Trial:
    """One call; without a tolerance it is the default."""
    x, y = np.asarray(x), np.asarray(y)
    expected = _expected(x, y, DEFAULT if tolerance is None else tolerance)
    shown = f"x {describe(x)}, y {describe(y)}"
    if x.size <= 4:
        shown = f"x = {x.tolist()}, y = {y.tolist()}, {x.dtype}"
    title = f"tolerance {'not given' if tolerance is None else tolerance}, {shown}"

    def check(values: list[Any]) -> Mismatch | None:
        return close(values[0], expected)

    arguments = {"x": x, "y": y, "attrs": _attrs(tolerance)}
    return Trial(title, [Call("at_once", arguments)], check)


# ---- 00.1 -----------------------------------------------------------------------------


@case("00.1")
def a_tolerance(draw: Draw) -> Iterable[Trial]:
    """The tolerance that the call gives."""
    x, y = np.array([1.0, 1.0, 1.0]), np.array([1.05, 1.5, 3.0])
    for tolerance in (0.1, 1.0, 10.0, 0.0, 1000.0, 1e-30, -1.0):
        yield _trial(x, y, tolerance)
    for tolerance in (0.5, 2.0, 0.0):
        yield _trial(np.array([3, 3, 7]), np.array([3, 4, 5]), tolerance)


@case("00.1")
def the_default(draw: Draw) -> Iterable[Trial]:
    """A call that gives none has the default of the op's definition."""
    x = np.array([1.0, 1.0, 1.0, 0.0])
    yield _trial(x, x + np.array([0, 5e-6, 2e-5, 9e-6]))
    yield _trial(np.array([2, 3]), np.array([2, 2]))


@case("00.1")
def a_tolerance_for_each_node(draw: Draw) -> Iterable[Trial]:
    """Each node of a graph has its own."""
    x, y = np.array([0.0, 0.0, 0.0]), np.array([0.25, 1.5, 20.0])
    for several in ([1.0], [1.0, 10.0], [None, 100.0, 1.0, 0.0, 2.0]):
        expected = [_expected(x, y, DEFAULT if t is None else t) for t in several]
        arguments = {"x": x, "y": y, "several": [_attrs(one) for one in several]}
        title = f"a graph with nodes of the tolerances {several}"
        yield Trial(title, [Call("in_a_graph", arguments)], close_to(expected))


# ---- 00.2 -----------------------------------------------------------------------------


@case("00.2")
def on_both_sides(draw: Draw) -> Iterable[Trial]:
    """X may be above y or below it; a distance of the tolerance itself is not less."""
    yield _trial([1.0], [1.25], 0.5)
    yield _trial([1.25], [1.0], 0.5)
    yield _trial([1.0, 2.0], [2.0, 1.0], 0.5)
    yield _trial([0.0, 0.0, 0.5], [0.5, -0.5, 0.0], 0.5)
    yield _trial([-1.0, 1.0, -1.0], [-1.25, -1.0, 1.0], 0.5)
    special = [np.inf, -np.inf, np.nan, 0.0, np.inf]
    yield _trial(special, special[::-1], 0.5)
    yield _trial(special, [0.0, np.inf, np.nan, np.nan, -np.inf], np.inf)


@case("00.2")
def all_types(draw: Draw) -> Iterable[Trial]:
    """Numbers of every type, also those without a sign."""
    for dtype in TYPES:
        x, y = np.array([1, 5, 7, 100], dtype), np.array([2, 5, 4, 0], dtype)
        for tolerance in (0.5, 1.0, 2.0, 99.5, 1000.0):
            yield _trial(x, y, tolerance)
    for dtype in ("complex64", "complex128"):
        x, y = np.array([3 + 4j, 1j, 1], dtype), np.array([0, 1, 1 + 1e-3j], dtype)
        for tolerance in (0.5, 1.375, 1.5, 4.5, 5.5):
            yield _trial(x, y, tolerance)


@case("00.2")
def all_shapes(draw: Draw) -> Iterable[Trial]:
    """Every element, of shapes of the ranks 0 to 5, and none of an empty one."""
    for rank in range(6):
        for _ in range(4):
            shape = draw.shape(rank, 4)
            x, y = draw.array(shape, "float32"), draw.array(shape, "float32")
            yield _trial(x, y, 1.0)
    yield _trial(np.zeros((0,), np.float32), np.zeros((0,), np.float32), 1.0)
    yield _trial(np.zeros((2, 0), np.float32), np.ones((2, 0), np.float32), 1.0)
