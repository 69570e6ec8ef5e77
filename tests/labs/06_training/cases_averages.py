"""Lab 06, task 13: moving averages."""

from typing import Any

import numpy as np
from lab_06_training.trials import MODES, after_steps
from lab_common.checks import are_close, call_trial

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

# ---- 06.13 Moving averages ------------------------------------------------------------


def _average_trial(
    values: list[np.ndarray],
    decay: float,
    *,
    counts: list[int] | None = None,
    zero_debias: bool = False,
    of: str = "variable",
    mode: str = "graph",
    counts_as_number: bool = False,
    count_type: str = "int32",
    trainable: bool = True,
) -> Trial:
    start = values[1] if mode == "eager" else values[0]
    average = np.zeros(start.shape) if of == "tensor" else start.astype(np.float64)
    expected = []
    for i, value in enumerate(values[1:]):
        kept = decay
        if counts is not None:
            kept = min(decay, (1 + counts[i]) / (10 + counts[i]))
        average = kept * average + (1 - kept) * value
        # The weights so far, as if the decay had always been that of now.
        weights = 1 - kept ** (i + 1)
        shown = average / weights if zero_debias and of == "tensor" else average
        expected.append(np.asarray(shown).astype(start.dtype))

    def check(result: Any) -> Mismatch | str | None:
        names = after_steps("the average", len(expected))
        if wrong := are_close(expected, names, rtol=2e-5, atol=1e-6)(result["averages"]):
            return wrong
        others = [np.full([2], 0.5, start.dtype)] * len(expected)
        names = after_steps("the average of a variable that stays 0.5", len(others))
        if wrong := are_close(others, names, rtol=1e-6)(result["others"]):
            return wrong
        wanted = (
            [] if mode == "eager" else ["w:0", "v:0"] if of == "variable" else ["v:0"]
        )
        if result["collected"] != wanted:
            return f"the collection has {result['collected']}, expected {wanted}"
        name = "w/avg:0" if of == "variable" else "copy/avg:0"
        if result["name"] != name:
            return f"the average is called {result['name']}, expected {name}"
        return None

    counted = "" if counts is None else f", {count_type} updates from {counts[0]}"
    title = (
        f"the average of a {of} {values[0].shape}, decay {decay}{counted}, "
        f"zero_debias={zero_debias}, trainable={trainable}, {mode} mode"
    )
    return call_trial(
        title, check, "averages", values=values, decay=decay, num_updates=counts, of=of,
        zero_debias=zero_debias, mode=mode, counts_as_number=counts_as_number,
        count_type=count_type, trainable=trainable,
    )  # fmt: skip


def _walk(draw: Draw, shape: tuple[int, ...], dtype: str, count: int) -> list:
    return [draw.array(shape, dtype) for _ in range(count + 1)]


@case("06.13", over=MODES)
def averages_of_variables(draw, mode):
    """The average begins at the value, and goes a part of the way at each step."""
    for shape in [(), (1,), (0,), (3,), draw.shape(3)]:
        for dtype in REAL:
            for decay in (0.0, 0.5, 0.99):
                yield _average_trial(_walk(draw, shape, dtype, 6), decay, mode=mode)
            values = _walk(draw, shape, dtype, 3)
            yield _average_trial(values, 0.75, mode=mode, trainable=False)


@case("06.13")
def averages_of_tensors(draw):
    """The average of a tensor begins at zero."""
    for shape in [(), (3,), (2, 2)]:
        for dtype in REAL:
            values = _walk(draw, shape, dtype, 6)
            yield _average_trial(values, 0.9, of="tensor")


@case("06.13")
def averages_without_the_zeros(draw):
    """With zero_debias, the average of a tensor is that of its values alone."""
    for shape in [(), (3,), (2, 2)]:
        for dtype in REAL:
            for decay in (0.5, 0.9):
                values = _walk(draw, shape, dtype, 8)
                options = {"of": "tensor", "zero_debias": True}
                yield _average_trial(values, decay, **options)
                yield _average_trial(values, decay, zero_debias=True)
                yield _average_trial(values, decay, counts=[*range(8)], **options)
            yield _average_trial(values, 0.0, **options)
        values = _walk(draw, shape, "float64", 8)
        yield _average_trial(values, 1 - 2.0**-23, of="tensor", zero_debias=True)


@case("06.13", over=MODES)
def averages_of_few_steps(draw, mode):
    """While few steps are counted, an average goes faster."""
    for start in (0, 5, 80, 5000):
        for decay in (0.3, 0.9, 0.999):
            values = _walk(draw, (2,), draw.one_of(REAL), 5)
            counts = [start + i for i in range(5)]
            count_type = draw.one_of(["int32", "int64", "float32"])
            yield _average_trial(
                values, decay, counts=counts, mode=mode, count_type=count_type
            )
    counts = [2**31 - 8 + i for i in range(8)]
    values = _walk(draw, (2,), "float32", 8)
    yield _average_trial(values, 0.75, counts=counts, mode=mode)


@case("06.13", over=MODES)
def counts_that_are_numbers(draw, mode):
    """The count of steps may be a number, among them 0."""
    for count in (0, 1, 30):
        for dtype in REAL:
            values = _walk(draw, (2,), dtype, 3)
            counts = [count] * 3
            yield _average_trial(
                values, 0.9, counts=counts, mode=mode, counts_as_number=True
            )


@case("06.13")
def averages_that_start_late(draw):
    """An average starts at the value of the variable, or the initial one without that."""
    for shape in [(), (3,), (2, 2)]:
        for dtype in REAL:
            later = draw.array(shape, dtype)

            def check(got: Any, later: np.ndarray = later) -> Any:
                together, trained, late, early = got
                if isinstance(early, dict):
                    return f"initialized before its variable: {early['text']}"
                return (
                    close(together[1], together[0], what="initialized with its variable")
                    or close(late, trained, what="initialized after some training")
                    or close(early, later, what="initialized before its variable")
                )

            yield call_trial(
                f"the average of a variable {shape}", check, "average_of_trained",
                value=later,
            )  # fmt: skip
