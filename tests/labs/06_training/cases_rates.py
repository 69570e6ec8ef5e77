"""Lab 06, tasks 10 and 11: rates."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lab_06_training.trials import MODES, error_with
from lab_common.checks import call_trial

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close

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
    as_tensors: Sequence[str] = (),
) -> Trial:
    expected = np.array([formula(step) for step in steps]).astype(rate_dtype)

    def check(got: Any) -> Mismatch | None:
        if isinstance(got, dict):
            return Mismatch(f"it raised {got['raised']}: {got['text']}")
        return close(got, expected, rtol=rtol, atol=1e-7, what=f"rates at {steps}")

    settings = ", ".join(f"{key}={value}" for key, value in arguments.items())
    tensors = f", tensors of {as_tensors[0]}" if as_tensors else ""
    title = f"{function}({settings}) of {dtype} steps, {mode} mode{tensors}"
    return call_trial(
        title, check, "rates", function=function, arguments=arguments, steps=steps,
        dtype=dtype, mode=mode, step_name=step_name, as_tensors=as_tensors,
    )  # fmt: skip


def _around(period: int) -> list[int]:
    """Steps at and around the ends of some periods."""
    near = {k * period + d for k in (0, 1, 2, 5) for d in (-1, 0, 1)}
    return sorted(step for step in near | {period // 2} if step >= 0)


@case("06.10", over=[False, True])
def falling_as_a_polynomial(_draw, cycle):
    """A rate that reaches its end after decay_steps, and stays or begins again."""
    for power in (1.0, 2.0, 0.5, 0.0, 3.0, -1.0):
        for period in (1, 4, 10):
            for mode in MODES:

                def formula(
                    step: float, power: float = power, period: int = period
                ) -> float:
                    steps = period * max(1, math.ceil(step / period)) if cycle else period
                    step = step if cycle else min(step, period)
                    left = 1 - step / steps
                    if left == 0 and power < 0:
                        return math.inf
                    return (0.8 - 0.1) * left**power + 0.1

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
    for power in (1.0, 2.0, 0.0, 0.5):
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


def _halved(period: int) -> Callable[[float], float]:
    """A rate that is half as large after each period."""
    return lambda step: 0.5 ** (step // period)


def _stairs_trial(
    period: int, steps: list[int], rate_dtype: str = "float32", mode: str = "graph"
) -> Trial:
    first = np.float64(1.0) if rate_dtype == "float64" else 1.0
    arguments = {
        "learning_rate": first, "decay_steps": period, "decay_rate": 0.5,
        "staircase": True,
    }  # fmt: skip
    return _rates_trial(
        "exponential_decay", arguments, steps, _halved(period), mode=mode,
        rate_dtype=rate_dtype,
    )  # fmt: skip


def _rounded_periods(is_wrong: Callable[[Any, int], bool]) -> list[int]:
    """Some periods p of which a multiple k p times 1 / p, with 32 bits, is not k."""
    single = np.float32
    return [
        period
        for period in range(2, 200)
        if any(
            is_wrong(single(k * period) * (1 / single(period)), k) for k in range(1, 6)
        )
    ][:20:3]


@case("06.10", over=MODES)
def stairs_of_odd_length(_draw, mode):
    """A stair ends at each multiple of the period, also where 1 / period is rounded."""
    for period in (3, 7, *_rounded_periods(lambda product, k: product < k)):
        steps = sorted(k * period + d for k in range(1, 6) for d in (-1, 0))
        yield _stairs_trial(period, steps, mode=mode)


@case("06.10")
def stairs_of_great_length(_draw):
    """A stair is the same up to its last step, however long it is."""
    for rate_dtype, period in (
        ("float32", 10**4), ("float32", 10**6), ("float64", 10**6), ("float64", 10**9),
    ):  # fmt: skip
        steps = [k * period + d for k in (1, 2, 7) for d in (-1, 0, 1)]
        yield _stairs_trial(period, steps, rate_dtype)


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
            for as_tensors in ([], ["boundaries"]):
                yield _rates_trial(
                    "piecewise_constant", {"boundaries": boundaries, "values": values},
                    steps, _pieces(boundaries, values), mode=mode, dtype=dtype,
                    step_name="x", as_tensors=as_tensors,
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


@case("06.11", over=MODES)
def values_of_another_type(_draw, mode):
    """What cannot become the type of the first value is an error."""
    for values in ([1, 0.5], [1, 2, 2.5], [1.0, "2"], [1, 2.0], [True, 1.5]):
        for as_tensors in ([], ["values"]):

            def check(got: Any) -> str | None:
                if isinstance(got, dict) and got["raised"] in ("TypeError", "ValueError"):
                    return None
                return f"it gives {got}, expected a TypeError or ValueError"

            what = "tensors of " if as_tensors else ""
            title = f"the values {what}{values}, {mode} mode"
            yield call_trial(
                title, check, "rates", function="piecewise_constant", steps=[0],
                mode=mode,
                arguments={"boundaries": [*range(1, len(values))], "values": values},
                step_name="x", as_tensors=as_tensors,
            )  # fmt: skip


@case("06.11", over=MODES)
def pieces_of_far_steps(_draw, mode):
    """Whole boundaries are compared with all of an int64 step."""
    for boundaries in ([2, 5], [-3], [2**31 - 1], [5, 2**40], [-(2**40), 0, 2**33]):
        values = [float(i + 1) for i in range(len(boundaries) + 1)]
        far = {sign * 2**k + d for k in (32, 33, 40) for sign in (1, -1) for d in (0, 3)}
        yield _rates_trial(
            "piecewise_constant", {"boundaries": boundaries, "values": values},
            sorted(far | {0, *boundaries}), _pieces(boundaries, values), mode=mode,
            step_name="x",
        )  # fmt: skip


@case("06.11", over=MODES)
def boundaries_of_another_type(_draw, mode):
    """Each boundary has the type of the steps, or there is an error that names both."""
    for dtype, boundaries, words in (
        ("int32", [1.5], ("float32", "int32")),
        ("int64", [2.0], ("float32", "int64")),
        ("float32", [2], ("int32", "float32")),
        ("float64", [1.0, 2.0], ("float32", "float64")),
        ("int32", list(np.array([2, 5])), ("int64", "int32")),
        ("int32", [np.float32(2)], ("float32", "int32")),
        ("float32", [np.float64(2)], ("float64", "float32")),
        ("int64", [2, 5.5], ("float32", "int64")),
        ("int64", [np.int64(2), np.int16(5)], ("int16", "int64")),
        ("float32", [0.5, 2.5, 3], ("int32", "float32")),
        ("int32", [2, 3, np.int64(5)], ("int64", "int32")),
        ("int16", [2], ("int32", "int16")),
        ("int8", [2], ("int32", "int8")),
        ("uint8", [2, 3], ("int32", "uint8")),
        ("float64", [2], ("int32", "float64")),
    ):
        values = [float(i) for i in range(len(boundaries) + 1)]
        for as_tensors in ([], ["boundaries"]):
            call = {
                "function": "piecewise_constant", "steps": [0], "dtype": dtype,
                "arguments": {"boundaries": boundaries, "values": values}, "mode": mode,
                "step_name": "x", "as_tensors": as_tensors,
            }  # fmt: skip
            check = error_with("ValueError", *words)
            what = "tensors of boundaries" if as_tensors else "boundaries"
            title = f"{what} {boundaries} for steps of {dtype}, {mode} mode"
            yield Trial(title, [Call("rates", call)], check)
