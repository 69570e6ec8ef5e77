"""How the driver of lab 14 counts what the threads of a queue runner run."""

from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np

import minitf as tf


def ops_run(threads: int, how: str) -> dict[str, int]:
    """Runs a runner to an end, and stops its coordinator after that.

    Args:
        threads: How many fill the queue.
        how: It ends by ``data``, ``error`` or ``stop``.

    Returns:
        How often the op ran that is to ``close`` the queue, and the one to ``cancel``.
    """
    counts: Counter = Counter(close=0, cancel=0)

    def counted(name: str) -> Any:
        def count() -> Any:
            counts[name] += 1
            return np.int64(0)

        with tf.control_dependencies([tf.py_func(count, [], tf.int64)]):
            return queue.close(cancel_pending_enqueues=name == "cancel")

    def fail(number: Any) -> Any:
        raise ValueError(f"element {number} is wrong")

    with tf.Graph().as_default():
        queue, source = (tf.FIFOQueue(9, [tf.int64], [[]]) for _ in range(2))
        element = source.dequeue()
        if how == "error":
            element = tf.py_func(fail, [element], tf.int64)
            element.set_shape([])
        ops = [queue.enqueue([element])] * threads
        runner = tf.train.QueueRunner(queue, ops, counted("close"), counted("cancel"))
        fill, end = source.enqueue_many([np.arange(4)]), source.close()
        with tf.Session() as session:
            coord = tf.train.Coordinator()
            made = runner.create_threads(session, coord, daemon=True, start=True)
            session.run(fill)
            if how == "stop":
                coord.request_stop()
                session.run(fill)  # so that no thread waits for an element
            elif how == "data":
                session.run(end)
            for thread in made[:threads]:
                thread.join(2)
            coord.request_stop()
            with suppress(tf.errors.OpError):  # that of the threads
                coord.join(made, stop_grace_period_secs=2)
    return dict(counts)
