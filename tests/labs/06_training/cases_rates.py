"""Lab 06, tasks 10 and 11: rates."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lab_06_training.trials import MODES, error_with
from lab_common.checks import call_trial

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close

# ---- 06.10 and 06.11 Rates ------------------------------------------------------------


def _rate(function: str, given: dict[str, Any], step: float) -> float:
    """A rate at a step, by its formula."""
    if function == "piecewise_constant":
        return given["values"][sum(step > one for one in given["boundaries"])]
    first, period = given["learning_rate"], given["decay_steps"]
    if function == "polynomial_decay":
        cycles = max(1, math.ceil(step / period)) if given.get("cycle") else 1
        left = 1 - min(step, cycles * period) / (cycles * period)
        end, power = given["end_learning_rate"], given.get("power", 1.0)
        if left == 0 and power < 0:
            return math.inf
        return (first - end) * left**power + end
    passed = step // period if given["staircase"] else step / period
    if function == "exponential_decay":
        return first * given["decay_rate"] ** passed
    return first / (1 + given["decay_rate"] * passed)


def _rates_trial(
    function: str,
    arguments: dict[str, Any],
    steps: list[int],
    *,
    mode: str = "graph",
    dtype: str = "int64",
    rate_dtype: str = "float32",
    rtol: float = 2e-6,
    as_tensors: Sequence[str] = (),
) -> Trial:
    rates = [_rate(function, arguments, step) for step in steps]
    expected = np.array(rates).astype(rate_dtype)

    def check(got: Any) -> Mismatch | None:
        if isinstance(got, dict):
            return Mismatch(f"it raised {got['raised']}: {got['text']}")
        return close(got, expected, rtol=rtol, atol=1e-7, what=f"rates at {steps}")

    settings = ", ".join(f"{key}={value}" for key, value in arguments.items())
    tensors = f", tensors of {as_tensors[0]}" if as_tensors else ""
    title = f"{function}({settings}) of {dtype} steps, {mode} mode{tensors}"
    return call_trial(
        title, check, "rates", function=function, arguments=arguments, steps=steps,
        dtype=dtype, mode=mode, as_tensors=as_tensors,
    )  # fmt: skip


def _polynomial(first: float, period: float, end: float, **more: Any) -> dict[str, Any]:
    """Arguments of a polynomial decay."""
    names = {"learning_rate": first, "decay_steps": period, "end_learning_rate": end}
    return {**names, **more}


def _decay(first: Any, period: float, rate: float, staircase: bool) -> dict[str, Any]:
    """Arguments of the other decays."""
    return {
        "learning_rate": first, "decay_steps": period, "decay_rate": rate,
        "staircase": staircase,
    }  # fmt: skip


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
                arguments = _polynomial(0.8, period, 0.1, power=power, cycle=cycle)
                steps = _around(period)
                yield _rates_trial(
                    "polynomial_decay", arguments, steps, mode=mode, rtol=1e-5
                )


@case("06.10")
def stairs_of_all_steps(_draw):
    """Whole periods are those passed, before step 0 and after many steps, too."""
    arguments = _decay(0.5, 4, 0.25, True)
    yield _rates_trial("exponential_decay", arguments, [-9, -8, -7, -1, 0])
    for power in (1.0, 2.0, 0.0, 0.5):
        early = _polynomial(2.0, 4, 1.0, power=power)
        yield _rates_trial("polynomial_decay", early, [-8, -4, -1, 0, 1])
    far = _decay(0.5, 4, 2.0**-32, True)
    for mode in MODES:
        steps = [2**33, 2**34, 2**40, 2**60]
        yield _rates_trial("inverse_time_decay", far, steps, mode=mode)


@case("06.10", over=MODES)
def periods_of_broken_length(_draw, mode):
    """A period may be any number above 0, also one below 1."""
    options: dict[str, Any] = {"mode": mode, "dtype": "float32", "rtol": 1e-5}
    for period in (0.25, 0.5, 2.5):
        steps = [period * part for part in (0, 0.25, 0.75, 1, 1.25, 2, 2.5, 4)]
        for flag in (False, True):
            falling = _polynomial(1.0, period, 0.0, cycle=flag, power=2.0)
            yield _rates_trial("polynomial_decay", falling, steps, **options)
            stairs = _decay(1.0, period, 0.5, flag)
            yield _rates_trial("exponential_decay", stairs, steps, **options)


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
        arguments = _decay(1.0, period, 0.5, True)
        yield _rates_trial("exponential_decay", arguments, steps, mode=mode)


@case("06.10")
def stairs_of_great_length(_draw):
    """A stair is the same up to its last step, however long it is."""
    kinds = [(np.float32, 10**4), (np.float32, 10**6)]
    kinds += [(np.float64, 10**6), (np.float64, 10**9)]
    for kind, period in kinds:
        steps = [k * period + d for k in (1, 2, 7) for d in (-1, 0, 1)]
        arguments = _decay(kind(1.0), period, 0.5, True)
        dtype = np.dtype(kind).name
        yield _rates_trial("exponential_decay", arguments, steps, rate_dtype=dtype)


def _pieces_trial(
    boundaries: list, values: list, steps: Sequence[int], **options: Any
) -> Trial:
    arguments = {"boundaries": boundaries, "values": values}
    return _rates_trial("piecewise_constant", arguments, sorted(steps), **options)


@case("06.11", over=MODES)
def pieces(draw, mode):
    """A boundary itself belongs to the piece before it."""
    for count in range(5):
        boundaries = sorted(draw.shuffled(range(1, 20))[:count])
        values = [draw.whole(1, 9) / 8 for _ in range(count + 1)]
        steps = {0, 25, *(b + d for b in boundaries for d in (-1, 0, 1))}
        for dtype in ("int32", "int64"):
            for as_tensors in ([], ["boundaries"]):
                yield _pieces_trial(
                    boundaries, values, steps, mode=mode, dtype=dtype,
                    as_tensors=as_tensors,
                )  # fmt: skip


@case("06.11", over=MODES)
def pieces_far_apart(_draw, mode):
    """Each value is as it was given, however large the others are."""
    for values in ([1e9, 1e-3, 2.0], [1e-3, -1e9, 0.5], [2.0, 1e30, 1e-3]):
        yield _pieces_trial([2, 5], values, [0, 2, 3, 5, 6], mode=mode)


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
                as_tensors=as_tensors,
            )  # fmt: skip


@case("06.11", over=MODES)
def pieces_of_far_steps(_draw, mode):
    """Whole boundaries are compared with all of an int64 step."""
    for boundaries in ([2, 5], [-3], [2**31 - 1], [5, 2**40], [-(2**40), 0, 2**33]):
        values = [float(i + 1) for i in range(len(boundaries) + 1)]
        far = {sign * 2**k + d for k in (32, 33, 40) for sign in (1, -1) for d in (0, 3)}
        yield _pieces_trial(boundaries, values, far | {0, *boundaries}, mode=mode)


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
                "as_tensors": as_tensors,
            }  # fmt: skip
            check = error_with("ValueError", *words)
            what = "tensors of boundaries" if as_tensors else "boundaries"
            title = f"{what} {boundaries} for steps of {dtype}, {mode} mode"
            yield Trial(title, [Call("rates", call)], check)
