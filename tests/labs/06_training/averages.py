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

    Another variable, which stays 0.5, has its average beside (``others``).

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
        other = tf.Variable(np.full([2], 0.5, start.dtype), name="v")
        averaged = tf.identity(source, "copy") if of == "tensor" else source
        if mode == "eager":
            for i, value in enumerate(values[1:]):
                if updates is not None:
                    updates.assign(num_updates[i])
                source.assign(value)
                ema.apply([source, other])
                found.append([ema.average(v).numpy() for v in (source, other)])
        else:
            step = ema.apply([averaged, other])
            kept = [ema.average(averaged), ema.average(other)]
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for i, value in enumerate(values[1:]):
                    source.load(value, session)
                    if updates is not None:
                        updates.load(num_updates[i], session)
                    session.run(step)
                    found.append(session.run(kept))
        graph = around if mode == "eager" else tf.get_default_graph()
        return {
            "averages": [one for one, _ in found],
            "others": [one for _, one in found],
            "collected": [
                v.name for v in graph.get_collection("moving_average_variables")
            ],
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
