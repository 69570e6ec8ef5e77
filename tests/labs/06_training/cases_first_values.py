"""Lab 06, task 3: what a new variable starts with."""

import itertools
from typing import Any

import numpy as np
from lab_06_training.trials import MODES, error_with
from lab_common.checks import call_trial

from minitf_lab.judge.case import Call, Trial, case, close, describe
from minitf_lab.judge.draw import REAL

# ---- 06.3 What a new variable starts with ---------------------------------------------


def value_of(
    shape: Any, dtype: str, initializer: Any, check: Any, mode: str = "graph"
) -> Trial:
    arguments = {
        "shape": shape, "dtype": dtype, "initializer": initializer, "mode": mode,
    }  # fmt: skip
    title = f"a variable of {dtype} {shape} by {initializer}, {mode} mode"
    return Trial(title, [Call("first_value", arguments)], check)


def _shown(dtype: str) -> np.dtype:
    """The type in which the driver gives values; NumPy has no bfloat16."""
    return np.dtype("float32" if dtype == "bfloat16" else dtype)


def _glorot(shape: list[int], dtype: str) -> Any:
    limit = np.sqrt(6 / sum(shape))

    def check(values: list[Any]) -> str | None:
        (got,) = values
        if not isinstance(got, np.ndarray) or got.dtype != _shown(dtype):
            return f"it is {describe(got)}, expected {dtype}"
        spread = np.ptp(got.astype(np.float64))
        if np.abs(got).max() > limit * 1.01 or spread < 1.7 * limit:
            return f"numbers are from {got.min()} to {got.max()}, expected +-{limit:.4g}"
        return None

    return check


def _equal(expected: np.ndarray) -> Any:
    return lambda values: close(values[0], expected)


@case("06.3", over=MODES)
def by_default(_draw, mode):
    """Without an initializer floats are Glorot's, and other types zeros."""
    for dtype in ("float32", "float64", "float16"):
        shape = [20, 30]
        yield value_of(shape, dtype, None, _glorot(shape, dtype), mode)
    if mode == "graph":
        yield value_of(shape, "bfloat16", None, _glorot(shape, "bfloat16"), mode)
    whole = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    for dtype in (*whole, "bool"):
        yield value_of([3, 2], dtype, None, _equal(np.zeros([3, 2], dtype)), mode)
        yield value_of([], dtype, None, _equal(np.zeros([], dtype)), mode)
    check = _equal(np.array([b"", b""], object))
    yield value_of([2], "string", None, check, mode)


@case("06.3")
def types_without_a_default(_draw):
    """A type that has no default needs an initializer, and the error names it."""
    for dtype in ("complex64", "complex128"):
        yield value_of([2], dtype, None, error_with("ValueError", "w", dtype))
        check = _equal(np.full([2], 2, dtype))
        yield value_of([2], dtype, 2, check)


@case("06.3")
def types_of_such_functions(_draw):
    """A function of no arguments decides the type, whatever was asked for."""
    for shape in (None, [None]):
        for dtype in ("float32", "float64", "int64"):
            check = _equal(np.array([5, 6], "int32"))
            yield value_of(shape, dtype, "whole", check)
            yield value_of(shape, dtype, "function", _equal(np.array([5, 6], "f")))


@case("06.3", over=MODES)
def known_shapes_are_told(_draw, mode):
    """With a full shape, the initializer gets it, and the type as a keyword."""
    for shape in ([2, 3], [], [1]):
        for dtype in REAL:
            for initializer in ("defaults", "keywords"):
                check = _equal(np.ones(shape, dtype))
                yield value_of(shape, dtype, initializer, check, mode)


@case("06.3")
def initializers_are_called_in_their_scope(draw):
    """The variable opens its scope first, and leaves control dependencies."""
    forms = ("list", "tuple", "TensorShape", "dimensions", "number")
    for form, scope in itertools.product(forms, ("a", "b")):
        for rank in (1,) if form == "number" else range(3):
            shape = list(draw.shape(rank))

            def check(
                calls: Any, scope: str = scope, shape: list[int] = shape
            ) -> str | None:
                if len(calls) != 1:
                    return f"the initializer was called {len(calls)} times"
                [one] = calls
                if one["scope"] != f"{scope}/w/Initializer":
                    return (
                        f"it is called in the scope {one['scope']!r}, "
                        f"expected {scope}/w/Initializer"
                    )
                if one["waits"]:
                    return "its nodes wait for what the caller's nodes wait for"
                if one["shape"] != repr(shape) or one["options"] != ["dtype"]:
                    return (
                        f"it gets the shape {one['shape']} and {one['options']}, "
                        f"expected {shape} and ['dtype']"
                    )
                return None

            title = f"the initializer of {scope}/w {shape}, given as a {form}"
            yield call_trial(
                title, check, "calls_of_an_initializer", shape=shape, scope=scope,
                form=form,
            )  # fmt: skip


@case("06.3")
def shapes_that_are_not_known(_draw):
    """An initializer that needs a shape is refused where it is not known."""
    for shape, shown in ((None, "unknown"), ([None], "(?,)"), ([2, None], "(2, ?)")):
        for initializer in (None, {"of": "variance_scaling"}):
            check = error_with("ValueError", "w", shown)
            yield value_of(shape, "float32", initializer, check)


def _told(shape: list[int], parts: list[int]) -> list[list[int]]:
    """Whole shape and offsets of each part, in order; the first parts are the larger."""
    [axis] = [i for i, count in enumerate(parts) if count > 1]
    small, larger = divmod(shape[axis], parts[axis])
    found, start = [], 0
    for i in range(parts[axis]):
        offsets = [start if k == axis else 0 for k in range(len(shape))]
        found.append([*shape, *offsets])
        start += small + (i < larger)
    return found


@case("06.3")
def parts_know_which_they_are(_draw):
    """The initializer of a part is told which part it is for, if it takes that."""
    for shape, parts in (
        ([5], [2]), ([4, 3], [2, 1]), ([2, 7], [1, 3]), ([6, 2], None), ([1], None),
    ):  # fmt: skip
        for takes_it in ("name", "any", "not"):
            told = [[]] if parts is None else _told(shape, parts)
            expected = [[] for _ in told] if takes_it == "not" else told
            if takes_it == "any":
                names = ["dtype"] if parts is None else ["dtype", "partition_info"]
                expected = [[names, *one] for one in told]

            def check(got: Any, expected: list = expected) -> str | None:
                return None if got == expected else f"told {got}, expected {expected}"

            title = (
                f"a variable {shape} in parts {parts}; "
                f"the initializer takes partition_info: {takes_it}"
            )
            yield call_trial(
                title, check, "parts_told", shape=shape, parts=parts, takes_it=takes_it
            )
