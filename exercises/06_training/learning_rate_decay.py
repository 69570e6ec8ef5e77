"""Learning rates that fall with the steps.

In a graph a rate is a tensor; in eager mode it is a function of no arguments, which an
optimizer calls at every step.

Compare: tensorflow/python/training/learning_rate_decay.py. Read next:
``moving_averages.py``.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.control_flow.control_flow_ops import cond
from minitf.eager import context
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import DType, int32, int64
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, random_ops
from minitf.ops.math_ops import cast


def _schedule(formula: Callable) -> Callable:
    """Makes a rate of a function that works it out: at once, or at every step."""

    @functools.wraps(formula)
    def rate(*args: Any, **kwargs: Any) -> Any:
        if context.executing_eagerly():
            return lambda: formula(*args, **kwargs)
        return formula(*args, **kwargs)

    return rate


def _start(learning_rate: Any, global_step: Any, decay_steps: Any, name: str) -> tuple:
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")
    rate = convert_to_tensor(learning_rate, name="learning_rate")
    step = cast(convert_to_tensor(global_step), rate.dtype)
    return rate, step, cast(convert_to_tensor(decay_steps), rate.dtype)


def _periods(step: Tensor, steps: Tensor, staircase: bool) -> Tensor:
    """How many times ``steps`` have passed, in whole numbers if ``staircase``."""
    # TODO(06.10) begin: the quotient, rounded as a staircase needs
    raise NotImplementedError("task 06.10 is not written yet")
    # TODO(06.10) end


@_schedule
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate * decay_rate ^ (step / decay_steps), in whole steps if asked."""
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step]) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "exponential_decay"
        )
        power = _periods(step, steps, staircase)
        factor = call("Pow", [cast(convert_to_tensor(decay_rate), rate.dtype), power])
        return call("Mul", [rate, factor], None, scope)


@_schedule
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate * exp(-decay_rate * step / decay_steps)."""
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step]) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "natural_exp_decay"
        )
        power = _periods(step, steps, staircase)
        exponent = -cast(convert_to_tensor(decay_rate), rate.dtype) * power
        return call("Mul", [rate, call("Exp", [exponent])], None, scope)


@_schedule
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate / (1 + decay_rate * step / decay_steps)."""
    with name_scope(name, "InverseTimeDecay", [learning_rate, global_step]) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "inverse_time_decay"
        )
        power = _periods(step, steps, staircase)
        divisor = 1 + cast(convert_to_tensor(decay_rate), rate.dtype) * power
        return call("RealDiv", [rate, divisor], None, scope)


@_schedule
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """From learning_rate to end_learning_rate by (1 - step / decay_steps) ^ power.

    With ``cycle``, decay_steps becomes its smallest multiple that is not passed yet.
    """
    with name_scope(name, "PolynomialDecay", [learning_rate, global_step]) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "polynomial_decay"
        )
        end = cast(convert_to_tensor(end_learning_rate), rate.dtype)
        left = _left(step, steps, convert_to_tensor(power, rate.dtype), cycle)
        return call("AddV2", [(rate - end) * left, end], None, scope)


def _left(step: Tensor, steps: Tensor, power: Tensor, cycle: bool) -> Tensor:
    """(1 - step / steps) ^ power, and what it is once step is beyond steps."""
    # TODO(06.10) begin: stay at the end; with cycle, choose a multiple of steps
    raise NotImplementedError("task 06.10 is not written yet")
    # TODO(06.10) end


@_schedule
def piecewise_constant(
    x: Any, boundaries: list[Any], values: list[Any], name: str | None = None
) -> Tensor:
    """values[i] while x is above boundaries[i-1] and at most boundaries[i].

    Raises:
        ValueError: there is not one value more than boundaries, or a boundary has
            another type than x.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            "The length of boundaries should be 1 less than the length of values"
        )
    with name_scope(name, "PiecewiseConstant", [x]):
        return _piece(convert_to_tensor(x), boundaries, values)


def _piece(x: Tensor, boundaries: list[Any], values: list[Any]) -> Tensor:
    """The value of ``piecewise_constant``; all are converted to the type of the first."""
    # TODO(06.11) begin: choose by the boundaries (_limit) that x is above
    raise NotImplementedError("task 06.11 is not written yet")
    # TODO(06.11) end


def _limit(boundary: Any, dtype: DType) -> Tensor:
    """A boundary as a tensor of ``dtype``; an int32 is taken for an int64."""
    # TODO(06.11) begin: convert it, and refuse all other types
    raise NotImplementedError("task 06.11 is not written yet")
    # TODO(06.11) end


def _cosine(fraction: Tensor) -> Tensor:
    """From 1 to 0 while the fraction goes from 0 to 1."""
    return 0.5 * (1.0 + call("Cos", [fraction * math.pi]))


@_schedule
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """From learning_rate to alpha times it, along half a period of the cosine."""
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "cosine_decay"
        )
        decayed = _cosine(math_ops.minimum(step, steps) / steps)
        return call("Mul", [rate, (1 - alpha) * decayed + alpha])


def _equal(done: Tensor) -> tuple[Tensor, Tensor]:
    """Which period of length 1 it is, and how much of it is done."""
    restart = call("Floor", [done])
    return restart, done - restart


def _longer(done: Tensor, t_mul: Any) -> tuple[Tensor, Tensor]:
    """The same of periods of which each is ``t_mul`` times as long as the one before."""
    is_known = not isinstance(t_mul, Tensor)
    log = np.float32(math.log(t_mul)) if is_known else call("Log", [t_mul])
    restart = call("Floor", [call("Log", [1.0 - done * (1.0 - t_mul)]) / log])
    power = call("Pow", [convert_to_tensor(t_mul, done.dtype), restart])
    return restart, (done - (1.0 - power) / (1.0 - t_mul)) / power


@_schedule
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cosine decay that starts again, each time t_mul longer and m_mul as high."""
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, first_decay_steps, "cosine_decay_restarts"
        )
        done = step / steps
        if not isinstance(t_mul, Tensor):
            restart, fraction = _equal(done) if t_mul == 1.0 else _longer(done, t_mul)
        else:
            longer = cast(t_mul, rate.dtype)
            restart, fraction = cond(
                math_ops.equal(longer, 1.0),
                lambda: _equal(done),
                lambda: _longer(done, longer),
            )
        height = call("Pow", [convert_to_tensor(m_mul, rate.dtype), restart])
        factor = (1 - alpha) * height * _cosine(fraction) + alpha
        return call("Mul", [rate, factor], None, scope)


@_schedule
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Tensor:
    """(alpha + linear decay) * cosine + beta."""
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "linear_cosine_decay"
        )
        fraction = math_ops.minimum(step, steps) / steps
        wave = _cosine(fraction * (2.0 * num_periods))
        factor = (alpha + 1 - fraction) * wave + beta
        return call("Mul", [rate, factor], None, scope)


@_schedule
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Tensor:
    """(alpha + linear decay + noise) * cosine + beta.

    The variance of the noise is initial_variance / (1 + step)^variance_decay.
    """
    with name_scope(
        name, "NoisyLinearCosineDecay", [learning_rate, global_step]
    ) as scope:
        rate, step, steps = _start(
            learning_rate, global_step, decay_steps, "noisy_linear_cosine_decay"
        )
        step = math_ops.minimum(step, steps)
        variance = initial_variance / call(
            "Pow", [1.0 + step, convert_to_tensor(variance_decay, step.dtype)]
        )
        deviation = call("Sqrt", [variance])
        linear = (steps - step) / steps
        noise = random_ops.random_normal(linear.shape, stddev=deviation, dtype=step.dtype)
        wave = _cosine(step / steps * (2.0 * num_periods))
        factor = (alpha + linear + noise) * wave + beta
        return call("Mul", [rate, factor], None, scope)
