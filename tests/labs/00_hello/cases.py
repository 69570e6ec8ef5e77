"""Lab 00: whether |x - y| < tolerance."""

from collections.abc import Iterable

import numpy as np
from lab_00_hello.trials import (
    COMPLEX,
    DEFAULT,
    HALVES,
    INTEGERS,
    TYPES,
    array,
    attrs_of,
    near,
    near_to,
    trial,
)

from minitf_lab.judge.case import Call, Trial, case, close_to
from minitf_lab.judge.draw import Draw

# ---- 00.1 -----------------------------------------------------------------------------


@case("00.1")
def a_tolerance(draw: Draw) -> Iterable[Trial]:
    """The tolerance that the call gives."""
    x, y = np.array([1.0, 1.0, 1.0]), np.array([1.05, 1.5, 3.0])
    for tolerance in (0.1, 1.0, 10.0, 0.0, 1000.0, 1e-30, -1.0):
        yield trial(x, y, tolerance)
    for tolerance in (0.5, 2.0, 0.0):
        yield trial(np.array([3, 3, 7]), np.array([3, 4, 5]), tolerance)


@case("00.1")
def the_default(draw: Draw) -> Iterable[Trial]:
    """A call that gives none has the default of the op's definition."""
    x = np.array([1.0, 1.0, 1.0, 0.0])
    yield trial(x, x + np.array([0, 5e-6, 2e-5, 9e-6]))
    yield trial(np.array([2, 3]), np.array([2, 2]))


@case("00.1")
def a_tolerance_for_each_node(draw: Draw) -> Iterable[Trial]:
    """Each node of a graph has its own."""
    x, y = np.array([0.0, 0.0, 0.0]), np.array([0.25, 1.5, 20.0])
    for several in ([1.0], [1.0, 10.0], [None, 100.0, 1.0, 0.0, 2.0]):
        expected = [near(x, y, tolerance) for tolerance in several]
        arguments = {"x": x, "y": y, "several": [attrs_of(one) for one in several]}
        title = f"a graph with nodes of the tolerances {several}"
        yield Trial(title, [Call("in_a_graph", arguments)], close_to(expected))


@case("00.1")
def a_tolerance_for_each_type(draw: Draw) -> Iterable[Trial]:
    """What the call gives, however small, great, negative, infinite or NaN."""
    given = [0.0, 1e-6, 0.50001, 0.75, 1.5, 100.01, np.inf, -0.0, -1.5, -np.inf, np.nan]
    for dtype in (*TYPES, *COMPLEX):
        away = [0, 1, 2, 100]
        if dtype not in INTEGERS:
            away += [2.0**-21, 0.5]
        if dtype not in (*INTEGERS, *COMPLEX):
            away.append(60000 if dtype in HALVES else np.finfo(dtype).max)
        away = array(away, dtype)
        for tolerance in draw.shuffled(given):
            yield trial(away, np.zeros_like(away), tolerance, dtype)


# ---- 00.2 -----------------------------------------------------------------------------


@case("00.2")
def on_both_sides(draw: Draw) -> Iterable[Trial]:
    """X may be above y or below it; a distance of the tolerance itself is not less."""
    yield trial([1.0], [1.25], 0.5)
    yield trial([1.25], [1.0], 0.5)
    yield trial([1.0, 2.0], [2.0, 1.0], 0.5)
    yield trial([0.0, 0.0, 0.5], [0.5, -0.5, 0.0], 0.5)
    yield trial([-1.0, 1.0, -1.0], [-1.25, -1.0, 1.0], 0.5)
    special = [np.inf, -np.inf, np.nan, 0.0, np.inf]
    yield trial(special, special[::-1], 0.5)
    yield trial(special, [0.0, np.inf, np.nan, np.nan, -np.inf], np.inf)


@case("00.2")
def all_types(draw: Draw) -> Iterable[Trial]:
    """Numbers of every type, also those without a sign."""
    for dtype in TYPES:
        x, y = array([1, 5, 7, 100], dtype), array([2, 5, 4, 0], dtype)
        for tolerance in (0.5, 1.0, 2.0, 99.5, 1000.0):
            yield trial(x, y, tolerance, dtype)
    for dtype in COMPLEX:
        x, y = np.array([3 + 4j, 1j, 1], dtype), np.array([0, 1, 1 + 1e-3j], dtype)
        for tolerance in (0.5, 1.375, 1.5, 4.5, 5.5):
            yield trial(x, y, tolerance)


@case("00.2")
def all_shapes(draw: Draw) -> Iterable[Trial]:
    """Every element, of shapes of the ranks 0 to 5, and none of an empty one."""
    for rank in range(6):
        for _ in range(4):
            shape = draw.shape(rank, 4)
            x, y = draw.array(shape, "float32"), draw.array(shape, "float32")
            yield trial(x, y, 1.0)
    yield trial(np.zeros((0,), np.float32), np.zeros((0,), np.float32), 1.0)
    yield trial(np.zeros((2, 0), np.float32), np.ones((2, 0), np.float32), 1.0)


@case("00.2")
def long_tensors(draw: Draw) -> Iterable[Trial]:
    """Every element of a long tensor, near and far ones mixed."""
    for size in (300, 5000, 70000):
        size += draw.whole(0, 200)
        x, y = draw.array((size,), "float32"), draw.array((size,), "float32")
        yield trial(np.round(x * 64) / 64, np.round(y * 64) / 64, 1.0)


@case("00.2")
def all_sizes_of_numbers(draw: Draw) -> Iterable[Trial]:
    """Tiny and huge numbers, under tolerances of their size, also negative ones."""
    largest = {"float16": 8, "float32": 100, "float64": 120}
    for dtype in (*largest, *COMPLEX):
        power = largest.get(dtype, 100)
        units = [2.0 ** (step * power // 4) for step in (-4, -2, -1, 0, 1, 2, 4)]
        least = [2.0**-147] if dtype in {"float32", "float64"} else []
        for unit in [*units, *least]:  # the last is below the normal numbers of float32
            x, y = (draw.array((8,), dtype, "whole") * unit for _ in range(2))
            for factor in (0.75, 1.0, 2.5, 0.0, -1.0, -8.0):
                yield trial(x.astype(dtype), y.astype(dtype), factor * unit)
    x, y = (draw.array((8,), "complex128", "whole") * 2.0**600 for _ in range(2))
    for tolerance in (np.inf, 1.0, -1.0):  # squares of these are infinite
        yield trial(x, y, tolerance)


@case("00.2")
def next_to_the_tolerance(draw: Draw) -> Iterable[Trial]:
    """A distance of the tolerance, and the numbers of the type next to it."""
    for dtype in ("float32", "float64"):
        for tolerance in (0.5, DEFAULT, 0.1, *draw.array((4,), "float32", "plain")):
            bound = np.array(np.float32(tolerance), dtype)
            away = [np.nextafter(bound, 0), bound, np.nextafter(bound, np.inf)]
            away = np.array([*away, *(-one for one in away)], dtype)
            yield trial(away, np.zeros_like(away), float(tolerance))
            yield trial(np.zeros_like(away), away, float(tolerance))


@case("00.2")
def halves_are_subtracted_as_floats(draw: Draw) -> Iterable[Trial]:
    """Neither their difference nor the tolerance is rounded to 16 bits."""
    for dtype in HALVES:
        for _ in range(4):
            x, y = (array(draw.array((8,), "float32", "signed"), dtype) for _ in "xy")
            away = np.abs(x.astype(np.float32) - y.astype(np.float32))
            for bound in away[:3]:
                for tolerance in (bound, np.nextafter(bound, np.float32(9))):
                    yield trial(x, y, float(tolerance), dtype)


@case("00.2")
def step_after_step(draw: Draw) -> Iterable[Trial]:
    """Each step has its own x and y, the kernel and its tolerance stay."""
    for tolerance in (1.0, 0.25, 4.0):
        feeds = []
        for size in (1, 6, 0, 3, 6, 40, 2):
            kind = draw.one_of(("whole", "special", "huge", "tiny"))
            feeds.append([draw.array((size,), "float64", kind) for _ in "xy"])
        feeds += draw.shuffled(feeds)
        arguments = {"feeds": feeds, "attrs": attrs_of(tolerance)}
        title = f"a node of tolerance {tolerance}, run {len(feeds)} times"
        yield Trial(title, [Call("in_steps", arguments)], near_to(feeds, tolerance))


@case("00.2")
def numbers_that_differ_little(draw: Draw) -> Iterable[Trial]:
    """Their difference is that of all their digits."""
    steps = np.array([0, 1, 2, 3, 4, -1, -2, -3, -4])
    for dtype in ("float32", "float64"):
        step = float(np.finfo(dtype).eps)
        x = np.full(steps.shape, 1 + draw.whole(8, 100) / 128, dtype)
        for tolerance in (0.5, 1.0, 2.5, 3.0):
            yield trial(x, (x + steps * step).astype(dtype), tolerance * step)
    for dtype in INTEGERS:
        last = int(np.iinfo(dtype).max)
        for bits in (5, 24, 25, 31, 53, 54, 62):
            if 2**bits + 8 < last:
                x = np.full(steps.shape, 2**bits + draw.whole(0, 3), dtype)
                for sign in (1, -1) if dtype.startswith("int") else (1,):
                    for tolerance in (0.5, 1.0, 2.5):
                        moved = x * sign + steps.astype(dtype)
                        yield trial(x * sign, moved.astype(dtype), tolerance)


@case("00.2")
def integers_far_apart(draw: Draw) -> Iterable[Trial]:
    """Integers that are further apart than their type can hold, or than 2^31."""
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        least, last, middle = int(info.min), int(info.max), int(info.max) // 2
        x = np.array([least, last, least, last, last, middle, 3, least], dtype)
        y = np.array([last, least, 0, 0, middle, least, least, least], dtype)
        for tolerance in (-1.0, 0.5, 1e30):
            yield trial(x, y, tolerance)
    x = np.array([2**32, 2**33 + 1, -(2**40), 5, 2**62], np.int64)
    y = np.array([0, 1, 0, 5 - 2**32, -(2**62)], np.int64)
    for tolerance in (0.5, 2.0**20, 2.0**36):
        yield trial(x, y, tolerance)
    x = np.array([2**24 + 3, 2**24 + 4, 2**30 + 1], np.int32)
    for tolerance in (2.0**24 + 4, 2.0**30):
        yield trial(x, np.zeros_like(x), tolerance)
