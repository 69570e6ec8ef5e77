"""How the driver of lab 14 makes batches, and what else it runs in sessions."""

from typing import Any

import numpy as np
from lab_14_input.coordinators import error_of

import minitf as tf


def all_of(batch: Any) -> list[Any]:
    """Runs a pipeline of the default graph to its end: all its batches."""
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        running = tf.train.start_queue_runners(session, coord)
        with coord.stop_on_exception():
            while not coord.should_stop():
                found.append(session.run(batch))
        coord.join(running, stop_grace_period_secs=2)
    return found


def joined(shapes: list[list[int]], count: int) -> dict[str, Any]:
    """Joins examples of these shapes, all ones, so many of each.

    A size below 0 is not known beforehand.

    Returns:
        What is known of a batch's ``shape``, and the ``sums`` of all rows; or the error.
    """
    with tf.Graph().as_default():
        examples = []
        for shape in shapes:
            (at,) = tf.train.slice_input_producer(
                [tf.constant(np.arange(count))], num_epochs=1, shuffle=False
            )
            with tf.control_dependencies([at]):
                ones = tf.constant(np.ones(np.abs(shape), np.float32))
                known = [None if size < 0 else size for size in shape]
                examples.append([tf.placeholder_with_default(ones, known)])
        try:
            batch = tf.train.batch_join(
                examples, 1, dynamic_pad=True, allow_smaller_final_batch=True
            )
            sums = sorted(float(one.sum()) for one in all_of(batch))
        except Exception as error:
            return {"error": error_of(error)}
        return {"shape": batch.shape.as_list(), "sums": sums}


def batch_too_large(side: int, count: int) -> list[Any]:
    """Takes a batch of two elements for which there is no memory, then one by one.

    Args:
        side: The two are ``[1, side]`` and ``[side, 1]``: both are filled up to a square.
        count: How many elements there are behind them.

    Returns:
        The kind of the error, how many elements the queue holds then, and their sizes.
    """
    with tf.Graph().as_default() as graph:
        queue = tf.PaddingFIFOQueue(count + 2, [tf.int8], [[None, None]])
        shapes = [[1, side], [side, 1], *([1, 1 + i] for i in range(count))]
        puts = [
            queue.enqueue([tf.fill(shape, tf.constant(1, tf.int8))]) for shape in shapes
        ]
        many, one, size = queue.dequeue_many(2), queue.dequeue(), queue.size()
        with tf.Session(graph=graph) as session:
            for put in puts:
                session.run(put)
            try:
                session.run(many)
                kind = "no error"
            except Exception as error:
                kind = error_of(error)["raised"]
            left = int(session.run(size))
            return [kind, left, [list(session.run(one).shape) for _ in range(left)]]


def batches(
    columns: list[np.ndarray],
    batch_size: int,
    *,
    smaller: bool = False,
    keep: list[bool] | None = None,
    rows: int = 0,
    shuffle: dict[str, int] | None = None,
    join: bool = False,
    is_kept_whole: bool = False,
    is_open: bool = False,
    name: str = "",
) -> dict[str, Any]:
    """Batches of the rows of ``columns``, as tf.train's functions make them.

    Args:
        columns: Each ``[n, ...]``.
        batch_size: Of a batch.
        smaller: Whether the last batch may be smaller.
        keep: For each row whether it is kept.
        rows: If given, so many rows are enqueued at once.
        shuffle: ``capacity``, ``min_after_dequeue`` and ``seed``.
        join: Whether two readers read the same rows.
        is_kept_whole: Whether the first of ``rows`` rows says for all whether to keep.
        is_open: Whether it is not known beforehand how many ``rows`` there are.
        name: Of the batches, if given.

    Returns:
        ``batches``, each a list of columns; ``shape``, what is known of the first one,
        and its node's ``name``; or the ``error``.
    """
    step = max(rows, 1)

    def example() -> list[Any]:
        (at,) = tf.train.slice_input_producer(
            [tf.constant(np.arange(0, len(columns[0]), step))],
            num_epochs=1,
            shuffle=False,
        )
        at = tf.cast(at, tf.int32)
        if not rows:
            return [tf.gather(tf.constant(c), at) for c in [*columns, *kept]]
        found = [tf.constant(c)[at : at + step] for c in [*columns, *kept]]
        for i, column in enumerate(columns):
            shape = [None if is_open else step, *column.shape[1:]]
            found[i] = tf.placeholder_with_default(found[i], shape)
        if is_kept_whole:
            found[-1] = tf.gather(tf.constant(keep), at)
        return found

    kept = [np.array(keep)] if keep else []
    options: dict[str, Any] = {"batch_size": batch_size, **(shuffle or {})}
    options["allow_smaller_final_batch"] = smaller
    if name:
        options["name"] = name
    function = ("maybe_" if keep else "") + ("shuffle_batch" if shuffle else "batch")
    with tf.Graph().as_default():
        tensors = [example() for _ in range(2 if join else 1)]
        if rows:
            options["enqueue_many"] = True
        if keep:
            options["keep_input"] = tensors[0].pop()
        function = getattr(tf.train, function + ("_join" if join else ""))
        try:
            made = function(tensors if join else tensors[0], **options)
            shape = made[0].shape
            return {
                "batches": all_of(made),
                "shape": None if shape.ndims is None else shape.as_list(),
                "name": made[0].op.name,
            }
        except Exception as error:
            return {"error": error_of(error)}
