"""How the driver of lab 14 makes batches, and what else it runs in sessions."""

from typing import Any

import numpy as np
from lab_14_input.coordinators import error_of

import minitf as tf


def joined(shapes: list[list[int]], count: int) -> dict[str, Any]:
    """Joins examples of these shapes, all ones, so many of each.

    A size below 0 is not known beforehand.

    Returns:
        What is known of a batch's ``shape``, and the ``sums`` of all rows; or the error.
    """
    with tf.Graph().as_default() as graph:
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
        except Exception as error:
            return {"error": error_of(error)}
        known = batch.shape.as_list()
        sums: list[float] = []
        with tf.Session(graph=graph) as session:
            session.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            running = tf.train.start_queue_runners(session, coord)
            try:
                with coord.stop_on_exception():
                    while not coord.should_stop():
                        sums.append(float(session.run(batch).sum()))
                coord.join(running, stop_grace_period_secs=2)
            except Exception as error:
                return {"error": error_of(error)}
        return {"shape": known, "sums": sorted(sums)}


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
    epochs: int = 1,
    threads: int = 1,
    smaller: bool = False,
    keep: list[bool] | None = None,
    rows: int = 0,
    pad: bool = False,
    lengths: list[int] | None = None,
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
        epochs: How often all rows come.
        threads: Of the pipeline; more than one only without an order.
        smaller: Whether the last batch may be smaller.
        keep: For each row whether it is kept.
        rows: If given, so many rows are enqueued at once.
        pad: Whether rows differ in length: then the first column is cut to ``lengths``.
        lengths: See ``pad``.
        shuffle: ``capacity``, ``min_after_dequeue`` and ``seed``.
        join: Whether two readers read the same rows.
        is_kept_whole: Whether the first of ``rows`` rows says for all whether to keep.
        is_open: Whether it is not known beforehand how many ``rows`` there are.
        name: Of the batches, if given.

    Returns:
        ``batches``, each a list of columns; ``shape``, what is known of the first one,
        and its node's ``name``; or the ``error``.
    """
    with tf.Graph().as_default() as graph:
        n = len(columns[0])
        step = max(rows, 1)

        def kept(at: Any) -> Any:
            if is_kept_whole:
                return tf.gather(tf.constant(keep), at)
            return tf.constant(keep)[at : at + step]

        def example() -> list[Any]:
            order = np.arange(0, n, step)
            (at,) = tf.train.slice_input_producer(
                [tf.constant(order)], num_epochs=epochs, shuffle=False
            )
            at = tf.cast(at, tf.int32)
            if rows:
                found = [tf.constant(c)[at : at + step] for c in columns]
                return [
                    tf.placeholder_with_default(
                        f, [None if is_open else step, *c.shape[1:]]
                    )
                    for f, c in zip(found, columns, strict=True)
                ] + ([kept(at)] if keep else [])
            found = [tf.gather(tf.constant(c), at) for c in columns]
            if pad:
                length = tf.gather(tf.constant(np.int32(lengths)), at)
                found[0] = found[0][:length]
                found[0].set_shape([None, *columns[0].shape[2:]])
            return [*found, tf.gather(tf.constant(keep), at)] if keep else found

        options: dict[str, Any] = {"batch_size": batch_size}
        options["allow_smaller_final_batch"] = smaller
        tensors = [example() for _ in range(2 if join else 1)]
        if rows:
            options["enqueue_many"] = True
        if keep:
            options["keep_input"] = tensors[0].pop()
        if not join:
            options["num_threads"] = threads
        if pad:
            options["dynamic_pad"] = True
        if name:
            options["name"] = name
        function = "shuffle_batch" if shuffle else "batch"
        options |= shuffle or {}
        function = f"maybe_{function}" if keep else function
        function = getattr(tf.train, f"{function}_join" if join else function)
        try:
            made = function(tensors if join else tensors[0], **options)
        except Exception as error:
            return {"error": error_of(error)}
        made = made if isinstance(made, list) else [made]
        first = made[0].shape
        shape = None if first.ndims is None else first.as_list()
        with tf.Session(graph=graph) as session:
            session.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            running = tf.train.start_queue_runners(session, coord)
            found = []
            try:
                with coord.stop_on_exception():
                    while not coord.should_stop():
                        found.append(session.run(made))
                coord.join(running, stop_grace_period_secs=2)
            except Exception as error:
                return {"error": error_of(error), "batches": found, "shape": shape}
        return {"batches": found, "shape": shape, "name": made[0].op.name}


def sparse_rows(count: int, rows: int, keep: list[bool]) -> dict[str, Any]:
    """Batches of one of rows of a sparse matrix: row i holds i + 1 at column i % 3.

    Args:
        count: How many rows there are.
        rows: So many are enqueued at once; one by one if 0.
        keep: For each row whether it is kept.

    Returns:
        ``found``, the batches, dense; or the ``error``.
    """
    step = max(rows, 1)
    with tf.Graph().as_default() as graph:
        (at,) = tf.train.slice_input_producer(
            [tf.constant(np.arange(0, count, step))], num_epochs=1, shuffle=False
        )
        numbers = at + np.arange(step)
        chosen = tf.gather(tf.constant(keep), numbers)
        columns = numbers % 3
        if rows:
            indices = tf.stack([tf.constant(np.arange(step)), columns], 1)
            sparse = tf.SparseTensor(indices, numbers + 1, [step, 3])
        else:
            sparse = tf.SparseTensor(tf.reshape(columns, [1, 1]), numbers + 1, [3])
            chosen = tf.reshape(chosen, [])
        try:
            batch = tf.train.maybe_batch(
                [sparse, at if not rows else numbers], chosen, 1, enqueue_many=bool(rows)
            )
            dense = tf.sparse_tensor_to_dense(batch[0])
        except Exception as error:
            return {"error": error_of(error)}
        found = []
        with tf.Session(graph=graph) as session:
            session.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            running = tf.train.start_queue_runners(session, coord)
            try:
                with coord.stop_on_exception():
                    while not coord.should_stop():
                        found.append(session.run([dense, batch[1]]))
                coord.join(running, stop_grace_period_secs=2)
            except Exception as error:
                return {"error": error_of(error)}
        return {"found": [[row.tolist(), n.tolist()] for row, n in found]}
