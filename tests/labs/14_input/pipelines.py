"""How the driver of lab 14 runs coordinators, queue runners and batches."""

import threading
import time
from typing import Any

import numpy as np

import minitf as tf

# What threads may raise, by name.
ERRORS = {
    "OutOfRangeError": lambda text: tf.errors.OutOfRangeError(None, None, text),
    "CancelledError": lambda text: tf.errors.CancelledError(None, None, text),
    "ValueError": ValueError,
    "KeyError": KeyError,
}


def error_of(error: BaseException) -> dict[str, str]:
    """An error as a value."""
    if "is not written yet" in str(error):
        raise error
    return {"raised": type(error).__name__, "text": str(error)}


# ---- Coordinators ---------------------------------------------------------------------


def coordinated(
    events: list[list[Any]], clean: list[str] | None = None
) -> list[dict[str, Any]]:
    """Runs events with a coordinator.

    ``request`` (a kind of error or None, a text), ``raise`` (the same, within
    ``stop_on_exception``), ``clear``, ``thread`` (seconds, a kind of error or None: a
    thread that runs that long, or until it should stop if negative, and then reports
    the error), ``deaf`` (seconds: a thread that does not look), ``join`` (seconds of
    grace, whether live threads are ignored).

    Returns:
        After each event whether to stop, whether it was joined, and, if it failed, the
        error; of a join how many seconds it took.
    """
    kinds = None
    if clean is not None:
        kinds = tuple(getattr(tf.errors, name, ValueError) for name in clean)
    coord = tf.train.Coordinator(kinds)
    found, threads = [], []

    def run(seconds: float, kind: str | None, is_deaf: bool) -> None:
        with coord.stop_on_exception():
            end = time.monotonic() + abs(seconds)
            while seconds < 0 or time.monotonic() < end:
                if not is_deaf and coord.wait_for_stop(0.002):
                    return
                if is_deaf:
                    time.sleep(0.002)
            if kind:
                raise ERRORS[kind]("from a thread")

    for event, *arguments in events:
        result: dict[str, Any] = {}
        start = time.monotonic()
        try:
            if event == "request":
                kind, text = arguments
                coord.request_stop(ERRORS[kind](text) if kind else None)
            elif event == "raise":
                with coord.stop_on_exception():
                    raise ERRORS[arguments[0]](arguments[1])
            elif event == "clear":
                coord.clear_stop()
            elif event in {"thread", "deaf"}:
                seconds, kind, is_registered = arguments
                thread = threading.Thread(
                    target=run, args=(seconds, kind, event == "deaf"), daemon=True
                )
                if is_registered:
                    coord.register_thread(thread)
                threads.append(thread)
                thread.start()
            else:
                grace, ignores = arguments
                coord.join(threads, grace, ignores)
                result["alive"] = sum(thread.is_alive() for thread in threads)
        except Exception as error:
            result["error"] = error_of(error)
        result["seconds"] = time.monotonic() - start
        result["stop"], result["joined"] = coord.should_stop(), coord.joined
        found.append(result)
    if not coord.joined:
        coord.request_stop()
    return found


# ---- Queue runners --------------------------------------------------------------------


class _Source:
    """Makes nodes that give 0, 1, ... and fail after some.

    At ``OutOfRangeError`` it is a queue that was closed, else a function that fails.
    """

    def __init__(self, end: int, kind: str, delay_s: float = 0) -> None:
        self._lock, self._next, self._end = threading.Lock(), 0, end
        self._delay_s = delay_s
        self._queue = None
        if kind == "OutOfRangeError":
            self._queue = tf.FIFOQueue(end + 1, [tf.int64], [[]])
            fill = self._queue.enqueue_many([tf.constant(np.arange(end))])
            with tf.control_dependencies([fill]):
                self._fill = self._queue.close()

    def begin(self, session: Any) -> None:
        """To be called once, before nodes run."""
        if self._queue is not None:
            session.run(self._fill)

    def _count(self) -> np.int64:
        if self._delay_s:
            time.sleep(self._delay_s)
        with self._lock:
            if self._next >= self._end:
                raise ValueError("no more of the source")
            self._next += 1
            return np.int64(self._next - 1)

    def node(self) -> Any:
        """A node that gives the next one."""
        if self._queue is not None:
            return self._queue.dequeue()
        value = tf.py_func(self._count, [], tf.int64)
        value.set_shape([])
        return value


def runners(
    count: int,
    threads: int,
    *,
    kind: str = "OutOfRangeError",
    capacity: int = 3,
    has_coordinator: bool = True,
    closing: list[str] | None = None,
    take: int = -1,
) -> dict[str, Any]:
    """Fills a queue by a runner, takes elements, and stops.

    Args:
        count: How many elements there are, before the error.
        threads: How many fill the queue.
        kind: Of the error: OutOfRangeError or InvalidArgumentError.
        capacity: Of the queue.
        has_coordinator: Whether threads have one.
        closing: Kinds of errors that mean that there is no more.
        take: How many elements are taken before the stop; all if negative.

    Returns:
        ``taken``; ``end``, the error of the last take; ``error``, that of join;
        ``seconds`` of stopping; ``alive`` threads; ``raised``, what the runner has; how
        many threads were made, ``first`` and ``again`` while they run.
    """
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(capacity, [tf.int64], [[]])
        source = _Source(count, kind)
        enqueue = queue.enqueue([source.node()])
        kinds = None if closing is None else tuple(getattr(tf.errors, k) for k in closing)
        runner = tf.train.QueueRunner(
            queue, [enqueue] * threads, queue_closed_exception_types=kinds
        )
        dequeue, closed = queue.dequeue(), queue.is_closed()
        size = queue.size()
    result: dict[str, Any] = {"taken": [], "end": None, "error": None}
    with tf.Session(graph=graph) as session:
        source.begin(session)
        coord = tf.train.Coordinator() if has_coordinator else None
        made = runner.create_threads(session, coord, daemon=True, start=True)
        result["first"] = len(made)
        while take < 0 or len(result["taken"]) < take:
            try:
                result["taken"].append(int(session.run(dequeue)))
            except Exception as error:
                result["end"] = error_of(error)
                break
        if count > 1000:  # none has ended
            result["again"] = len(runner.create_threads(session, coord))
        start = time.monotonic()
        if coord is not None:
            coord.request_stop()
            try:
                coord.join(made, stop_grace_period_secs=2)
            except Exception as error:
                result["error"] = error_of(error)
        else:
            for thread in made:
                thread.join(2)
        result["seconds"] = time.monotonic() - start
        result["alive"] = sum(thread.is_alive() for thread in made)
        result["closed"] = bool(session.run(closed))
        result["left"] = int(session.run(size))
        result["raised"] = [error_of(error) for error in runner.exceptions_raised]
    return result


def uneven(count: int) -> dict[str, Any]:
    """A runner of two threads: one has nothing, the other some elements, slowly."""
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(2, [tf.int64], [[]])
        nothing = _Source(0, "OutOfRangeError")
        slow = _Source(count, "InvalidArgumentError", 0.01)
        runner = tf.train.QueueRunner(
            queue,
            [queue.enqueue([source.node()]) for source in (nothing, slow)],
            queue_closed_exception_types=(
                tf.errors.OutOfRangeError,
                tf.errors.InvalidArgumentError,
            ),
        )
        dequeue = queue.dequeue()
    taken, error = [], None
    with tf.Session(graph=graph) as session:
        nothing.begin(session)
        coord = tf.train.Coordinator()
        made = runner.create_threads(session, coord, daemon=True, start=True)
        try:
            with coord.stop_on_exception():
                while not coord.should_stop():
                    taken.append(int(session.run(dequeue)))
            coord.join(made, stop_grace_period_secs=2)
        except Exception as raised:
            error = error_of(raised)
    return {"taken": taken, "error": error}


def shutdown(state: str, threads: int) -> dict[str, Any]:
    """Stops a pipeline of two queues in a state; how long that takes.

    Args:
        state: ``full``, nobody takes, and producers wait; ``empty``, the source is slow,
            and all others wait; ``working``; ``ended``, there is no more.
        threads: Of each queue.
    """
    with tf.Graph().as_default() as graph:
        kind = "OutOfRangeError" if state == "ended" else "InvalidArgumentError"
        count = 5 if state == "ended" else 1 << 30
        source = _Source(count, kind, 0.1 if state == "empty" else 0)
        first = tf.FIFOQueue(2, [tf.int64], [[]])
        second = tf.FIFOQueue(2, [tf.int64], [[]])
        fill = first.enqueue([source.node()])
        move = second.enqueue([first.dequeue()])
        for queue, op in ((first, fill), (second, move)):
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [op] * threads))
        dequeue = second.dequeue()
    ended: list[str] = []
    with tf.Session(graph=graph) as session:
        source.begin(session)
        coord = tf.train.Coordinator()
        made = tf.train.start_queue_runners(session, coord)

        def consume() -> None:
            with coord.stop_on_exception():
                try:
                    while not coord.should_stop():
                        session.run(dequeue)
                except tf.errors.OpError as error:
                    ended.append(type(error).__name__)

        consumer = threading.Thread(target=consume, daemon=True)
        if state != "full":
            consumer.start()
            made.append(consumer)
        time.sleep(0.03)
        start = time.monotonic()
        coord.request_stop()
        error = None
        try:
            coord.join(made, stop_grace_period_secs=2)
        except Exception as raised:
            error = error_of(raised)
        return {
            "seconds": time.monotonic() - start,
            "alive": sum(thread.is_alive() for thread in made),
            "error": error,
            "ended": ended,
        }


# ---- Batches --------------------------------------------------------------------------


def joined(shapes: list[list[int]], count: int) -> dict[str, Any]:
    """Joins examples of these shapes, all ones, so many of each.

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
                examples.append([tf.identity(tf.constant(np.ones(shape, np.float32)))])
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

    Returns:
        ``batches``, each a list of columns; ``shape``, what is known of the first one;
        or the ``error``.
    """
    with tf.Graph().as_default() as graph:
        n = len(columns[0])
        step = max(rows, 1)

        def example() -> list[Any]:
            order = np.arange(0, n, step)
            (at,) = tf.train.slice_input_producer(
                [tf.constant(order)], num_epochs=epochs, shuffle=False
            )
            at = tf.cast(at, tf.int32)
            if rows:
                found = [tf.constant(c)[at : at + step] for c in columns]
                return [
                    tf.placeholder_with_default(f, [step, *c.shape[1:]])
                    for f, c in zip(found, columns, strict=True)
                ] + ([tf.constant(keep)[at : at + step]] if keep else [])
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
        name = "shuffle_batch" if shuffle else "batch"
        options |= shuffle or {}
        name = f"maybe_{name}" if keep else name
        function = getattr(tf.train, f"{name}_join" if join else name)
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
        return {"batches": found, "shape": shape}
