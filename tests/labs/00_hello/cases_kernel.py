"""Lab 00: one kernel, made with just these attributes, in the memory of the case."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from lab_00_hello.trials import COMPLEX, HALVES, INTEGERS, TYPES, array, near, near_to

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, case, close_to
from minitf_lab.judge.draw import Draw

Given = list[tuple[str, str, Any]]  # name, kind and value of each attribute


def _given(tolerance: float, dtype: str) -> Given:
    return [("T", "type", dtype), ("tolerance", "float", float(tolerance))]


def _on(
    pairs: list, dtype: str, attrs: Given, *, ones: bool = False, may_raise: bool = False
) -> Call:
    arguments = {"pairs": pairs, "dtype": dtype, "attrs": attrs, "ones": ones}
    return Call("computed", arguments, may_raise=may_raise)


# ---- 00.1 -----------------------------------------------------------------------------


def _refused_and_then_right(attrs: Given, dtype: str, words: list[str]) -> Trial:
    """A kernel that cannot be made, and after it one that can, by turns."""
    pair = (array([0, 1, 3], dtype), array([0, 0, 0], dtype))
    bounds = (0.5, 2.0)

    def check(values: list[Any]) -> Mismatch | str | None:
        for got in values[::2]:
            if not isinstance(got, Raised):
                return f"the kernel is made, and gives {got}, expected an error"
            if got.type != "InvalidArgumentError":
                return f"it raised {got.type}: {got.message}, expected InvalidArgument"
            for word in words:
                if word not in got.message:
                    return f"the error {got.message!r} does not say {word}"
        for got, bound in zip(values[1::2], bounds, strict=True):
            if isinstance(got, Raised):
                return f"a right kernel after it raised {got.type}: {got.message}"
            if wrong := near_to([pair], bound)([got]):
                return wrong
        return None

    calls = []
    for bound in bounds:
        for given in (attrs, _given(bound, dtype)):
            calls.append(_on([pair], dtype, given, may_raise=True))
    kinds = ", ".join(f"{name} {kind} {value}" for name, kind, value in attrs)
    return Trial(f"a kernel with the attributes {kinds}", calls, check)


@case("00.1")
def an_attribute_that_cannot_be_read(draw: Draw) -> Iterable[Trial]:
    """A kernel without the attribute, or with one that is no float, is an error."""
    beside = [("Tolerance", "float", 9.0), ("_tolerance", "float", 9.0)]
    kinds = {"int": 1, "bool": True, "string": "0.5", "list(float)": [0.5]}
    for dtype in ("float32", *draw.shuffled((*TYPES, *COMPLEX))[:4]):
        is_of = ("T", "type", dtype)
        for others in ([], beside):
            words = ["'tolerance'", "not set"]
            yield _refused_and_then_right([*others, is_of], dtype, words)
        for kind, value in kinds.items():
            attrs = draw.shuffled([is_of, ("tolerance", kind, value)])
            yield _refused_and_then_right(attrs, dtype, ["'tolerance'", kind])


@case("00.1")
def an_attribute_among_others(draw: Draw) -> Iterable[Trial]:
    """The attribute is found by its name, wherever it stands."""
    names = ("_tolerance", "Tolerance", "tol", "epsilon", "a", "z")
    for _ in range(6):
        dtype, bound = draw.one_of((*TYPES, *COMPLEX)), draw.one_of((0.5, 1.5, 40.0))
        others = [(name, "float", 9.0) for name in draw.some_of(names)]
        attrs = draw.shuffled([*_given(bound, dtype), *others])
        pair = (array([0, 1, 9, 20, 100], dtype), array([0, 0, 0, 0, 0], dtype))
        shown = ", ".join(f"{name} {value}" for name, _, value in attrs)
        check = near_to([pair], bound)
        yield Trial(f"the attributes {shown}", [_on([pair], dtype, attrs)], check)


def _around(tolerance: np.float32, dtype: str) -> np.ndarray:
    """Numbers of the type that are the tolerance, or near it."""
    if dtype in INTEGERS:
        last = int(np.iinfo(dtype).max)
        floor = int(min(last, np.floor(float(tolerance))))
        return array([n for n in range(floor - 1, floor + 3) if 0 <= n <= last], dtype)
    real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    step = "float32" if real in HALVES else real
    bound = np.array(tolerance, step)
    with np.errstate(all="ignore"):
        values = [0, bound / 2, np.nextafter(bound, np.array(0, step)), bound]
        values += [np.nextafter(bound, np.array(np.inf, step)), bound * 2, bound * 8]
        return array(array(np.array(values), real), dtype)


@case("00.1")
def a_tolerance_of_any_size(draw: Draw) -> Iterable[Trial]:
    """All digits of the tolerance count, be it as tiny or as great as a float can be."""
    for dtype in (*TYPES, *COMPLEX):
        if dtype in INTEGERS:
            # Above 2^53 a distance is rounded to a double before it is compared.
            last = min(np.iinfo(dtype).bits - 2, 50)
            powers = [draw.whole(0, last) for _ in range(6)]
        else:
            powers = [-40, -25, -8, 0, 1, 14, 40]
            powers += [] if dtype in COMPLEX else [-146, -130, 100, 126]
        for power in powers:
            digits = np.float32(draw.array((), "float64", "plain"))
            tolerance = np.float32(digits * np.float64(2.0) ** power)
            x = _around(tolerance, dtype)
            pairs = [(x, np.zeros_like(x))]
            call = _on(pairs, dtype, _given(tolerance, dtype))
            yield Trial(
                f"tolerance {tolerance}, {dtype}", [call], near_to(pairs, tolerance)
            )


# ---- 00.2 -----------------------------------------------------------------------------


def _kernel_trial(title: str, pairs: list, tolerance: float, dtype: str) -> Trial:
    call = _on(pairs, dtype, _given(tolerance, dtype))
    title = f"tolerance {tolerance}, {title}, {dtype}"
    return Trial(title, [call], near_to(pairs, tolerance))


def _special(draw: Draw, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Zeros, infinities, NaN and others, of complex types in either part."""
    drawn = "complex64" if dtype in COMPLEX else "float32"
    return array(draw.array(shape, drawn, "special"), dtype)


@case("00.2")
def infinity_and_nan(draw: Draw) -> Iterable[Trial]:
    """What is infinite or NaN, in x, in y, in both, and in the tolerance."""
    for dtype in ("float32", "float64", *HALVES, *COMPLEX):
        for tolerance in (np.inf, 1.0, 0.0, -1.0, -np.inf, np.nan):
            x, y = (_special(draw, (40,), dtype) for _ in "xy")
            yield _kernel_trial("special numbers", [(x, y), (x, x)], tolerance, dtype)


@case("00.2")
def rounded_as_the_type_does(draw: Draw) -> Iterable[Trial]:
    """The difference is that of the type: 1 - 1e-10 is 1 for a float."""
    parts = {"complex64": "float32", "complex128": "float64"}
    for dtype in ("float32", *HALVES, *COMPLEX, "float64"):
        real = parts.get(dtype, dtype)
        step = "float32" if real in HALVES else real
        for _ in range(4):
            great = array(draw.array((6,), step), real)
            small = array(draw.array((6,), step) * 2.0 ** -draw.whole(3, 40), real)
            if real == "float64":  # whose differences are no floats, unless y gets lost
                great, small = np.sign(great), small * 2.0**-40
            x, y = (array(part, dtype) for part in (great, small))
            for away in np.abs(great.astype(step) - small.astype(step))[:3]:
                bound = np.float32(away)
                for tolerance in (bound, np.nextafter(bound, np.float32(9))):
                    pairs = [(x, y), (y, x)]
                    yield _kernel_trial("great and small", pairs, tolerance, dtype)


@case("00.2")
def the_same_numbers_again(draw: Draw) -> Iterable[Trial]:
    """The same x and y for one node after another, each with its own tolerance."""
    for dtype in ("float64", "int32", "complex64", "float16"):
        for size in (1, 2, 5):
            pairs = [(np.zeros(size, dtype), np.full(size, n, dtype)) for n in (0, 1, 3)]
            bounds = draw.shuffled([0.5, 2.0, 8.0, 0.0])
            turns = [(bound, pairs[:: (-1) ** i]) for i, bound in enumerate(bounds)]
            calls = [_on(order, dtype, _given(bound, dtype)) for bound, order in turns]

            def check(values: list[Any], turns: list = turns) -> Mismatch | str | None:
                for got, (bound, order) in zip(values, turns, strict=True):
                    if wrong := near_to(order, bound)([got]):
                        return wrong
                return None

            yield Trial(f"tolerances {bounds}, {dtype} [{size}]", calls, check)


@case("00.2")
def memory_that_is_not_empty(draw: Draw) -> Iterable[Trial]:
    """Every element is written, whatever the memory of the result held before."""
    for size in (1, 2, 7, 8, 9, 33, 1030):
        for ones in (False, True):
            pairs = [
                tuple(draw.array((size,), "float32") for _ in "xy") for _ in range(3)
            ]
            call = _on(pairs, "float32", _given(0.75, "float32"), ones=ones)
            title = f"float32 [{size}], into memory of {'ones' if ones else 'zeros'}"
            yield Trial(title, [call], near_to(pairs, 0.75))


@case("00.2")
def parts_of_one_tensor(draw: Draw) -> Iterable[Trial]:
    """X and y are the same tensor, or parts of one."""
    for dtype in ("float64", "float32", "int32", "complex64"):
        for shift in (0, 1, 3):
            for tolerance in (1.0, 0.0, -1.0, np.inf):
                whole = draw.array((24, 2), "float32", "whole").astype(dtype)
                if dtype != "int32":
                    whole = _special(draw, (24, 2), dtype)
                x, y = whole[shift:], whole[: len(whole) - shift]
                arguments = {"whole": whole, "dtype": dtype, "shift": shift}
                arguments["attrs"] = _given(tolerance, dtype)
                call = Call("computed_on_parts", arguments)
                title = (
                    f"tolerance {tolerance}, of one tensor {dtype} [24,2]: x is all but"
                )
                title += f" the first {shift} rows, y all but the last {shift}"
                yield Trial(title, [call], near_to([(x, y)], tolerance))


@case("00.2")
def steps_at_once(draw: Draw) -> Iterable[Trial]:
    """Several steps use one kernel at the same time, each with its own x and y."""
    times = 20
    for dtype in ("float64", "int32"):
        x = draw.array((20000,), "float64", "whole").astype(dtype)
        pairs = [(x, x), (x, x + 5), (x, x[::-1].copy())]
        expected = [times * near(*pair, 2.5).astype(np.int64) for pair in pairs]
        arguments = {"pairs": pairs, "dtype": dtype, "attrs": _given(2.5, dtype)}
        call = Call("computed_at_once", {**arguments, "times": times})
        yield Trial(f"3 threads, {dtype} [20000]", [call], close_to(expected))
