"""Lab 06, tasks 10 to 12: rates and clipping."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from lab_06_training.trials import MODES, error_with, gradient_of

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

# ---- 06.10 and 06.11 Rates ------------------------------------------------------------


def _rates_trial(
    function: str,
    arguments: dict[str, Any],
    steps: list[int],
    formula: Callable[[float], float],
    *,
    mode: str = "graph",
    dtype: str = "int64",
    step_name: str = "global_step",
    rate_dtype: str = "float32",
    rtol: float = 2e-6,
) -> Trial:
    expected = np.array([formula(step) for step in steps]).astype(rate_dtype)

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if isinstance(got, dict):
            return Mismatch(f"it raised {got['raised']}: {got['text']}")
        return close(got, expected, rtol=rtol, atol=1e-7, what=f"rates at {steps}")

    call = {
        "function": function, "arguments": arguments, "steps": steps, "dtype": dtype,
        "mode": mode, "step_name": step_name,
    }  # fmt: skip
    settings = ", ".join(f"{key}={value}" for key, value in arguments.items())
    title = f"{function}({settings}) of {dtype} steps, {mode} mode"
    return Trial(title, [Call("rates", call)], check)


def _around(period: int) -> list[int]:
    """Steps at and around the ends of some periods."""
    near = {k * period + d for k in (0, 1, 2, 5) for d in (-1, 0, 1)}
    return sorted(step for step in near | {period // 2} if step >= 0)


@case(
    "06.10", over=[(True, "graph"), (True, "eager"), (False, "graph"), (False, "eager")]
)
def falling_exponentially(draw, staircase, mode):
    """The first rate times decay ^ (step / period), at and between ends of periods."""
    for period in (1, 2, 8, 100):
        for dtype in ("int32", "int64", "float32"):
            start, decay = draw.one_of([0.1, 1.0, 3.0]), draw.one_of([0.96, 0.5, 1.25])

            def formula(
                step: float, start: float = start, decay: float = decay,
                period: int = period,
            ) -> float:  # fmt: skip
                passed = step // period if staircase else step / period
                return start * decay**passed

            arguments = {
                "learning_rate": start, "decay_steps": period, "decay_rate": decay,
                "staircase": staircase,
            }  # fmt: skip
            steps = _around(period)
            yield _rates_trial(
                "exponential_decay", arguments, steps, formula, mode=mode, dtype=dtype
            )


@case("06.10", over=["natural_exp_decay", "inverse_time_decay"])
def other_decays_in_periods(_draw, function):
    """Other rates count periods in the same way."""
    for staircase in (False, True):
        for mode in MODES:

            def formula(step: float, staircase: bool = staircase) -> float:
                passed = step // 5 if staircase else step / 5
                if function == "natural_exp_decay":
                    return 0.5 * math.exp(-0.3 * passed)
                return 0.5 / (1 + 0.3 * passed)

            arguments = {
                "learning_rate": 0.5, "decay_steps": 5, "decay_rate": 0.3,
                "staircase": staircase,
            }  # fmt: skip
            yield _rates_trial(function, arguments, _around(5), formula, mode=mode)


@case("06.10", over=[False, True])
def falling_as_a_polynomial(_draw, cycle):
    """A rate that reaches its end after decay_steps, and stays or begins again."""
    for power in (1.0, 2.0, 0.5):
        for period in (1, 4, 10):
            for mode in MODES:

                def formula(
                    step: float, power: float = power, period: int = period
                ) -> float:
                    steps = period * max(1, math.ceil(step / period)) if cycle else period
                    step = step if cycle else min(step, period)
                    return (0.8 - 0.1) * (1 - step / steps) ** power + 0.1

                arguments = {
                    "learning_rate": 0.8, "decay_steps": period, "power": power,
                    "end_learning_rate": 0.1, "cycle": cycle,
                }  # fmt: skip
                yield _rates_trial(
                    "polynomial_decay", arguments, _around(period), formula, mode=mode,
                    rtol=1e-5,
                )  # fmt: skip


@case("06.10")
def stairs_of_all_steps(_draw):
    """Whole periods are those passed, before step 0 and after many steps, too."""
    arguments = {
        "learning_rate": 0.5, "decay_steps": 4, "decay_rate": 0.25, "staircase": True,
    }  # fmt: skip
    yield _rates_trial(
        "exponential_decay",
        arguments,
        [-9, -8, -7, -1, 0],
        lambda s: 0.5 * 0.25 ** (s // 4),
    )
    early = {"learning_rate": 2.0, "decay_steps": 4, "end_learning_rate": 1.0}
    for power in (1.0, 2.0):
        yield _rates_trial(
            "polynomial_decay", {**early, "power": power}, [-8, -4, -1, 0, 1],
            lambda step, power=power: (1 - step / 4) ** power + 1,
        )  # fmt: skip
    far = {**arguments, "decay_rate": 2.0**-32}
    steps = [2**33, 2**34, 2**40, 2**60]
    for mode in MODES:
        yield _rates_trial(
            "inverse_time_decay", far, steps, lambda s: 0.5 / (1 + 2.0**-32 * (s // 4)),
            mode=mode,
        )  # fmt: skip


@case("06.10", over=MODES)
def rates_of_float64(draw, mode):
    """A rate has the type of the first one, and all its digits."""
    options: dict[str, Any] = {"mode": mode, "rate_dtype": "float64", "rtol": 1e-13}
    for period in (4, 10):
        start, steps = np.float64(draw.one_of([0.1, 0.7])), _around(period)
        common = {"learning_rate": start, "decay_steps": period}
        for flag in (False, True):

            def stairs(
                step: float, flag: bool = flag, start: Any = start, period: int = period
            ) -> float:
                return start / (1 + 0.5 * (step // period if flag else step / period))

            arguments = {**common, "decay_rate": 0.5, "staircase": flag}
            yield _rates_trial("inverse_time_decay", arguments, steps, stairs, **options)

            def left(
                step: float, flag: bool = flag, start: Any = start, period: int = period
            ) -> float:
                steps = period * max(1, math.ceil(step / period)) if flag else period
                return (start - 0.5) * (1 - min(step, steps) / steps) + 0.5

            arguments = {**common, "end_learning_rate": 0.5, "cycle": flag}
            yield _rates_trial("polynomial_decay", arguments, steps, left, **options)


@case("06.10", over=MODES)
def periods_of_broken_length(_draw, mode):
    """A period may be any number above 0, also one below 1."""
    for period in (0.25, 0.5, 2.5):
        steps = [period * part for part in (0, 0.25, 0.75, 1, 1.25, 2, 2.5, 4)]
        common = {"learning_rate": 1.0, "decay_steps": period}
        options: dict[str, Any] = {"mode": mode, "dtype": "float32", "rtol": 1e-5}
        for cycle in (False, True):

            def left(step: float, cycle: bool = cycle, period: float = period) -> float:
                steps = period * max(1, math.ceil(step / period)) if cycle else period
                return (1 - min(step, steps) / steps) ** 2

            arguments = {**common, "end_learning_rate": 0.0, "cycle": cycle, "power": 2.0}
            yield _rates_trial("polynomial_decay", arguments, steps, left, **options)

            def stairs(step: float, cycle: bool = cycle, period: float = period) -> float:
                return 0.5 ** (step // period if cycle else step / period)

            arguments = {**common, "decay_rate": 0.5, "staircase": cycle}
            yield _rates_trial("exponential_decay", arguments, steps, stairs, **options)


@case("06.10", hidden=True)
def staircases_far_away(_draw):
    """Stairs are where they must be after many steps."""
    arguments = {
        "learning_rate": 1.0, "decay_steps": 1000, "decay_rate": 0.9, "staircase": True,
    }  # fmt: skip
    steps = [999, 1000, 1001, 29999, 30000, 30001, 79999, 80000]
    yield _rates_trial(
        "exponential_decay", arguments, steps, lambda step: 0.9 ** (step // 1000),
        rtol=2e-5,
    )  # fmt: skip


def _pieces(boundaries: list, values: list) -> Callable[[float], float]:
    def formula(step: float) -> float:
        return values[sum(step > boundary for boundary in boundaries)]

    return formula


@case("06.11", over=MODES)
def pieces(draw, mode):
    """A boundary itself belongs to the piece before it."""
    for count in range(5):
        boundaries = sorted(draw.shuffled(range(1, 20))[:count])
        values = [draw.whole(1, 9) / 8 for _ in range(count + 1)]
        steps = sorted({0, 25, *(b + d for b in boundaries for d in (-1, 0, 1))})
        for dtype in ("int32", "int64"):
            yield _rates_trial(
                "piecewise_constant", {"boundaries": boundaries, "values": values},
                steps, _pieces(boundaries, values), mode=mode, dtype=dtype,
                step_name="x",
            )  # fmt: skip


@case("06.11")
def pieces_of_broken_steps(_draw):
    """Steps and boundaries may be broken numbers."""
    boundaries, values = [0.5, 2.25], [3.0, 2.0, 1.0]
    arguments = {"boundaries": boundaries, "values": values}
    steps: list = [0.0, 0.5, 0.50001, 2.25, 2.5, -1.0]
    yield _rates_trial(
        "piecewise_constant", arguments, steps, _pieces(boundaries, values),
        dtype="float32", step_name="x",
    )  # fmt: skip


@case("06.11", over=MODES)
def pieces_far_apart(_draw, mode):
    """Each value is as it was given, however large the others are."""
    for values in ([1e9, 1e-3, 2.0], [1e-3, -1e9, 0.5], [2.0, 1e30, 1e-3]):
        arguments = {"boundaries": [2, 5], "values": values}
        yield _rates_trial(
            "piecewise_constant", arguments, [0, 2, 3, 5, 6], _pieces([2, 5], values),
            mode=mode, step_name="x",
        )  # fmt: skip


@case("06.11")
def types_of_pieces(_draw):
    """The rate has the type of the values, and whole numbers stay whole."""
    for values, dtype in (([1, 2, 4], "int32"), ([1.0, 2, 4], "float32")):
        arguments = {"boundaries": [2, 5], "values": values}
        yield _rates_trial(
            "piecewise_constant", arguments, [0, 2, 3, 5, 6], _pieces([2, 5], values),
            step_name="x", rate_dtype=dtype,
        )  # fmt: skip


@case("06.11", over=MODES)
def values_of_another_type(_draw, mode):
    """What cannot become the type of the first value is an error."""
    for values in ([1, 0.5], [1, 2, 2.5], [1.0, "2"], [1, 2.0], [True, 1.5]):
        for as_tensors in (False, True):
            call = {
                "function": "piecewise_constant", "steps": [0], "mode": mode,
                "arguments": {"boundaries": [*range(1, len(values))], "values": values},
                "step_name": "x", "as_tensors": as_tensors,
            }  # fmt: skip

            def check(found: list[Any]) -> str | None:
                (got,) = found
                if isinstance(got, dict) and got["raised"] in ("TypeError", "ValueError"):
                    return None
                return f"it gives {got}, expected a TypeError or ValueError"

            what = "tensors of " if as_tensors else ""
            title = f"the values {what}{values}, {mode} mode"
            yield Trial(title, [Call("rates", call)], check)


@case("06.11")
def boundaries_of_another_type(_draw):
    """Boundaries have the type of the steps, and the error names both."""
    for dtype, boundaries, words in (
        ("int32", [1.5], ("float32", "int32")),
        ("int64", [2.0], ("float32", "int64")),
        ("float32", [2], ("int32", "float32")),
        ("float64", [1.0, 2.0], ("float32", "float64")),
        ("int32", list(np.array([2, 5])), ("int64", "int32")),
        ("int32", [np.float32(2)], ("float32", "int32")),
        ("float32", [np.float64(2)], ("float64", "float32")),
    ):
        values = [float(i) for i in range(len(boundaries) + 1)]
        call = {
            "function": "piecewise_constant", "steps": [0], "dtype": dtype,
            "arguments": {"boundaries": boundaries, "values": values}, "step_name": "x",
        }  # fmt: skip
        check = error_with("ValueError", *words)
        title = f"boundaries {boundaries} for steps of {dtype}"
        yield Trial(title, [Call("rates", call)], check)


# ---- 06.12 Clipping -------------------------------------------------------------------


def _dense(gradient: Any) -> np.ndarray:
    return gradient[0] if isinstance(gradient, tuple) else gradient


def _norm(gradients: list) -> float:
    there = [_dense(g).astype(np.float64) for g in gradients if g is not None]
    with np.errstate(all="ignore"):
        return float(np.sqrt(sum(np.sum(g * g) for g in there)))


def _gradients(draw: Draw, count: int, dtype: str) -> list:
    forms = ["dense", "rows", "twice", "none"]
    chosen = ["dense", *(draw.one_of(forms) for _ in range(count - 1))]
    return [
        gradient_of(draw, draw.shape(2), dtype, form) for form in draw.shuffled(chosen)
    ]


def _clip_trial(
    gradients: list, limit: Any, norm: float | None = None, mode: str = "graph"
) -> Trial:
    length = _norm(gradients) if norm is None else norm
    with np.errstate(all="ignore"):
        factor = min(1.0, limit / length) if length else 1.0
    factor = factor if math.isfinite(length) else math.nan

    def check(values: list[Any]) -> Mismatch | str | None:
        (result,) = values
        for i, (one, got) in enumerate(zip(gradients, result["clipped"], strict=True)):
            what = f"gradient {i}"
            if isinstance(one, tuple):
                if not isinstance(got, tuple):
                    return f"{what} is no longer IndexedSlices"
                if wrong := close(got[1], one[1], what=f"the indices of {what}"):
                    return wrong
                if got[2] != [9, 1, 1, 1]:
                    return f"the dense_shape of {what} is {got[2]}, not [9, 1, 1, 1]"
                got = got[0]
            dense = _dense(one)
            expected = None if one is None else (dense * factor).astype(dense.dtype)
            if wrong := close(got, expected, rtol=1e-5, atol=1e-12, what=what):
                return wrong
        expected = np.asarray(length).astype(result["norm"].dtype)
        return close(result["norm"], expected, rtol=1e-5, what="the norm")

    arguments = {"gradients": gradients, "limit": limit, "norm": norm, "mode": mode}
    kinds = [
        "none" if g is None else "slices" if isinstance(g, tuple) else str(g.shape)
        for g in gradients
    ]
    title = f"{', '.join(kinds)} clipped to {limit:.4g}, {mode} mode, use_norm={norm}"
    return Trial(title, [Call("clipped", arguments)], check)


@case("06.12", over=MODES)
def clipped_together(draw, mode):
    """All gradients become shorter by the same factor, if they are too long."""
    for count in range(1, 5):
        for dtype in REAL:
            gradients = _gradients(draw, count, dtype)
            for part in (0.1, 0.999, 1.001, 10.0):
                yield _clip_trial(gradients, part * _norm(gradients), mode=mode)


@case("06.12")
def clipped_by_hand(_draw):
    """Numbers that can be checked in the head."""
    three, four = np.array([3.0], "f"), np.array([[0.0, 4.0]], "f")
    for limit in (1.0, 2.5, 5.0, 6.0, 1, 4, 7):
        yield _clip_trial([three, None, four], limit)
    yield _clip_trial([np.zeros(3, "f")], 1.0)
    yield _clip_trial([np.zeros(0, "f"), three], 1.5)


@case("06.12")
def a_norm_that_is_known(draw):
    """A norm that is given is used in place of the true one."""
    for norm in (0.5, 2.0, 20.0, math.inf, math.nan):
        yield _clip_trial(_gradients(draw, 2, "float32"), 2.0, norm)
        limit = np.array(2.0, "f")
        yield _clip_trial(_gradients(draw, 3, "float32"), limit, norm)
        yield _clip_trial([np.zeros(2, "f"), np.ones(1, "f")], 2.0, norm)
        yield _clip_trial(_gradients(draw, 2, "float64"), 2.0, norm)


@case("06.12")
def a_limit_that_is_a_tensor(draw):
    """The limit may be a tensor."""
    for dtype in REAL:
        for limit in (0.5, 2.0, 50.0):
            gradients = _gradients(draw, 3, dtype)
            yield _clip_trial(gradients, np.array(limit, dtype))


@case("06.12", over=MODES)
def a_norm_that_is_not_finite(_draw, mode):
    """A gradient that is not finite makes all of them NaN."""
    for bad in (math.inf, -math.inf, math.nan):
        gradients = [np.array([1.0, bad, 0.0], "f"), np.array([2.0, -0.0], "f")]
        for limit in (1.0, 100.0):
            yield _clip_trial(gradients, limit, mode=mode)


@case("06.12")
def norms(draw):
    """The root of the sum of all squares; of slices that of the values."""
    for count in range(1, 5):
        for dtype in REAL:
            gradients = _gradients(draw, count, dtype)
            expected = np.asarray(_norm(gradients)).astype(dtype)

            def check(values: list[Any], expected: np.ndarray = expected) -> Any:
                return close(values[0], expected, rtol=1e-5, what="the norm")

            call = Call("global_norm", {"gradients": gradients})
            yield Trial(f"the norm of {count} gradients of {dtype}", [call], check)


@case("06.12")
def nothing_has_no_length(_draw):
    """The norm of nothing at all is 0."""
    for gradients in (
        [],
        [None],
        [None, None],
        [np.zeros(0, "f")],
        [None, np.zeros(2, "f")],
    ):
        expected = np.zeros([], "f")

        def check(values: list[Any], expected: np.ndarray = expected) -> Any:
            return close(values[0], expected, what="the norm")

        call = Call("global_norm", {"gradients": gradients})
        yield Trial(f"the norm of {len(gradients)} gradients", [call], check)


@case("06.12")
def names_of_norms_and_of_what_is_clipped(_draw):
    """A name that is given is that of the scope; else the function's own is."""
    for name in (None, "n"):
        for clip_name in (None, "c"):
            wanted = f"a/{name or 'global_norm'}/global_norm"
            inner = f"a/{clip_name or 'clip_by_global_norm'}/"

            def check(
                values: list[Any], wanted: str = wanted, inner: str = inner
            ) -> str | None:
                norm, clipped = values[0]
                if norm != wanted:
                    return f"the norm is called {norm}, not {wanted}"
                if not clipped.startswith(inner):
                    return f"what is clipped is called {clipped}, not {inner}..."
                return None

            arguments = {"name": name, "clip_name": clip_name, "scope": "a"}
            title = f"a norm called {name}, and what is clipped called {clip_name}"
            yield Trial(title, [Call("names_of_norms", arguments)], check)


@case("06.12", hidden=True)
def clipped_in_both_directions(draw):
    """Small numbers stay as they are, and large ones keep their directions."""
    for kind in ("tiny", "huge", "whole"):
        gradients = [draw.array((2, 3), "float64", kind), draw.array((2,), "float64")]
        for limit in (1e-3, 1.0, 1e3):
            yield _clip_trial(gradients, limit)
