"""What cases of lab 06 call to average variables and tensors.

Nothing here knows what is expected.
"""

from typing import Any

import numpy as np
from lab_06_training.steps import error_of, mode_of

import minitf as tf


def averages(
    values: list[np.ndarray],
    decay: float,
    *,
    num_updates: list[int] | None = None,
    zero_debias: bool = False,
    of: str = "variable",
    mode: str = "graph",
    counts_as_number: bool = False,
    count_type: str = "int32",
    trainable: bool = True,
) -> dict[str, Any]:
    """The average after each of ``values``; the first one is that of initialization.

    The count of steps is ``num_updates`` at each, or a number, the first of them.
    """
    found = []
    with tf.Graph().as_default() as around, mode_of(mode):
        given = updates = None
        if num_updates is not None and not counts_as_number:
            given = updates = tf.Variable(np.zeros([], count_type), name="updates")
        elif num_updates is not None:
            given = num_updates[0]
        ema = tf.train.ExponentialMovingAverage(decay, given, zero_debias, name="avg")
        start = np.zeros_like(values[0]) if of == "tensor" else values[0]
        source = tf.Variable(start, trainable=trainable, name="w")
        if mode == "eager":
            for i, value in enumerate(values[1:]):
                if updates is not None:
                    updates.assign(num_updates[i])
                source.assign(value)
                ema.apply([source])
                found.append(ema.average(source).numpy())
            kept = around.get_collection("moving_average_variables")
            return {
                "averages": found,
                "collected": [v.name for v in kept],
                "name": ema.average(source).name,
            }
        averaged = tf.identity(source, "copy") if of == "tensor" else source
        step = ema.apply([averaged])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for i, value in enumerate(values[1:]):
                source.load(value, session)
                if updates is not None:
                    updates.load(num_updates[i], session)
                session.run(step)
                found.append(session.run(ema.average(averaged)))
        collected = tf.get_collection("moving_average_variables")
        return {
            "averages": found,
            "collected": [v.name for v in collected],
            "name": ema.average(averaged).name,
        }


def average_of_trained(value: np.ndarray) -> list[Any]:
    """What an average starts at, if it is initialized with its variable or later.

    Returns:
        Variable and average after both were initialized at once; then the variable,
        which has been set to ``value``, and the average, initialized once more. At the
        end what the average of a variable that starts at ``value`` is initialized to
        while the variable has none yet, or the error.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.random_normal(value.shape, dtype=value.dtype)
        w = tf.Variable(numbers, name="w")
        ema = tf.train.ExponentialMovingAverage(0.5)
        ema.apply([w])
        session.run(tf.global_variables_initializer())
        together = session.run([w, ema.average(w)])
        w.load(value, session)
        session.run(ema.average(w).initializer)
        values = [together, session.run(w), session.run(ema.average(w))]
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(value, name="w")
        ema = tf.train.ExponentialMovingAverage(0.5)
        ema.apply([w])
        try:
            session.run(ema.average(w).initializer)
        except tf.errors.FailedPreconditionError as error:
            return [*values, error_of(error)]
        return [*values, session.run(ema.average(w))]


def averages_of_several(
    starts: np.ndarray, later: np.ndarray, at_once: bool, mode: str
) -> list[Any]:
    """The averages of the variables a, b and c, with a decay of 0.5, after one step.

    They go from ``starts`` to ``later``; one call of ``apply`` has all, or each has its
    own. The names of what is collected come last.
    """
    with tf.Graph().as_default() as around, mode_of(mode):
        ema = tf.train.ExponentialMovingAverage(0.5)
        variables = [
            tf.Variable(start, name=name)
            for name, start in zip("abc", starts, strict=True)
        ]
        groups = [variables] if at_once else [[one] for one in variables]
        if mode == "eager":
            for group in groups:
                ema.apply(group)  # makes the averages
            for variable, value in zip(variables, later, strict=True):
                variable.assign(value)
        steps = [ema.apply(group) for group in groups]
        of = around if mode == "eager" else tf.get_default_graph()
        collected = [v.name for v in of.get_collection("moving_average_variables")]
        if mode == "eager":
            return [[float(ema.average(v).numpy()) for v in variables], collected]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for variable, value in zip(variables, later, strict=True):
                variable.load(value, session)
            session.run(steps)
            return [[float(session.run(ema.average(v))) for v in variables], collected]
