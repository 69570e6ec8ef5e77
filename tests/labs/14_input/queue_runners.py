"""How the driver of lab 14 runs queue runners.

``threads`` is everywhere how many fill the queue. Errors are named by their kinds.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from lab_14_input.coordinators import error_of

import minitf as tf


def _queues(*capacities: int) -> list[Any]:
    """Queues of numbers."""
    return [tf.FIFOQueue(n, [tf.int64], [[]]) for n in capacities]


def _ones(queue: Any) -> Any:
    """The op that puts a 1 into a queue."""
    return queue.enqueue([tf.constant(1, tf.int64)])


def _computed(function: Callable[..., Any], *inputs: Any) -> Any:
    """A number that a function computes."""
    number = tf.py_func(function, inputs, tf.int64)
    number.set_shape([])
    return number


def _fail(number: Any = 0) -> Any:
    raise ValueError(f"element {number} is wrong")


@contextmanager
def _failures() -> Iterator[list[str]]:
    """A list of the errors that end threads."""
    failed: list[str] = []
    before = threading.excepthook
    threading.excepthook = lambda arguments: failed.append(arguments.exc_type.__name__)
    try:
        yield failed
    finally:
        threading.excepthook = before


def _num_alive(threads: list[threading.Thread], seconds: float = 2) -> int:
    """How many threads run after so many seconds."""
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    return sum(thread.is_alive() for thread in threads)


def _joined(coord: Any, made: list[threading.Thread]) -> str | None:
    """The error that joining raises."""
    try:
        coord.join(made, stop_grace_period_secs=2)
    except Exception as error:
        return error_of(error)["raised"]
    return None


def uneven(count: int) -> dict[str, Any]:
    """A runner of two threads: one has nothing, the other some elements, slowly.

    Either ends by an error of another kind, which means that there is no more.
    """
    left = [*range(count)]

    def next_one() -> Any:
        time.sleep(0.01)
        return np.int64(left.pop(0)) if left else _fail()

    with tf.Graph().as_default(), tf.Session() as session:
        queue, nothing = _queues(2, 1)
        elements = (nothing.dequeue(), _computed(next_one))
        kinds = (tf.errors.OutOfRangeError, tf.errors.InvalidArgumentError)
        runner = tf.train.QueueRunner(
            queue,
            [queue.enqueue([element]) for element in elements],
            queue_closed_exception_types=kinds,
        )
        dequeue = queue.dequeue()
        session.run(nothing.close())
        coord, taken = tf.train.Coordinator(), []
        made = runner.create_threads(session, coord, daemon=True, start=True)
        with coord.stop_on_exception():
            while not coord.should_stop():
                taken.append(int(session.run(dequeue)))
        return {"taken": taken, "error": _joined(coord, made)}


def in_hand(count: int, threads: int, failing: str = "") -> dict[str, Any]:
    """Threads that run one op, which holds an element for a while before it is put in.

    Args:
        count: How many elements there are.
        threads: How many.
        failing: ``close`` or ``cancel``: that op of the runner fails.

    Returns:
        ``taken``; ``stops``, whether the coordinator does although nobody asked it to;
        ``error``, that of join; ``failed``, what ended threads.
    """

    def hold(number: Any) -> Any:
        time.sleep(0.01 * (1 + number % 3))
        return number

    with tf.Graph().as_default(), tf.Session() as session, _failures() as failed:
        queue, source = _queues(count + 1, count + 1)
        ops = {
            "close": queue.close(),
            "cancel": queue.close(cancel_pending_enqueues=True),
        }
        if failing:
            ops[failing] = _computed(_fail).op
        enqueue = queue.enqueue([_computed(hold, source.dequeue())])
        runner = tf.train.QueueRunner(
            queue, [enqueue] * threads, ops["close"], ops["cancel"]
        )
        left = queue.dequeue_up_to(count + 1)
        session.run(source.enqueue_many([np.arange(count)]))
        session.run(source.close())
        coord = tf.train.Coordinator()
        made = runner.create_threads(session, coord, daemon=True, start=True)
        _num_alive(made[:threads])
        stops = coord.should_stop()
        coord.request_stop()
        error = _joined(coord, made)
        try:
            taken = session.run(left).tolist()
        except tf.errors.OutOfRangeError:
            taken = []
        return {"taken": sorted(taken), "stops": stops, "error": error, "failed": failed}


def closed_by_others(threads: int) -> dict[str, Any]:
    """Closes a queue at once while a runner's threads wait for room in it.

    Returns:
        ``stops``, whether the coordinator does; ``error``, that of join.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        (queue,) = _queues(1)
        runner = tf.train.QueueRunner(queue, [_ones(queue)] * threads)
        coord = tf.train.Coordinator()
        made = runner.create_threads(session, coord, daemon=True, start=True)
        session.run(queue.dequeue())
        session.run(queue.close(cancel_pending_enqueues=True))
        stops = coord.wait_for_stop(2)
        coord.request_stop()
        return {"stops": stops, "error": _joined(coord, made)}


def made_again(how: str, threads: int) -> dict[str, Any]:
    """Makes threads again, while the first run and after they have ended.

    Args:
        how: They end: ``data``, ``error``, ``stop``.
        threads: How many ops the runner has.

    Returns:
        How many threads were made: ``first``; ``while`` they ran; for ``another``
        session meanwhile; ``after`` they had ended. Whether the queue was ``closed`` by
        then. What the runner ``kept`` before the last ones were made, and ``then``. What
        ``failed`` threads.
    """
    with tf.Graph().as_default() as graph:
        queue, gate = _queues(1, threads)
        element = gate.dequeue()
        if how == "error":
            element = _computed(_fail, element)
        runner = tf.train.QueueRunner(queue, [queue.enqueue([element])] * threads)
        fill = gate.enqueue_many([tf.constant(np.arange(threads))])
        close, closed = gate.close(), queue.is_closed()
    found: dict[str, Any] = {}
    with (
        tf.Session(graph=graph) as session,
        tf.Session(graph=graph) as other,
        _failures() as failed,
    ):
        coord = tf.train.Coordinator() if how == "stop" else None
        made = runner.create_threads(session, coord, daemon=True, start=True)
        found["first"] = len(made)
        found["while"] = len(runner.create_threads(session, coord))
        found["another"] = len(runner.create_threads(other))
        if how != "data":
            session.run(fill)
        if coord is not None:
            coord.request_stop()
        session.run(close)
        found["alive"] = _num_alive(made)
        found["closed"] = bool(session.run(closed))
        found["kept"] = len(runner.exceptions_raised)
        found["after"] = len(runner.create_threads(session))
        found["then"] = len(runner.exceptions_raised)
        return found | {"failed": len(failed)}


def stopped_early(threads: int, first: int) -> dict[str, int]:
    """Stops threads that never wait, of a runner whose op that cancels does nothing.

    Args:
        threads: How many.
        first: How many elements are there before; if 0, threads are made after the stop.

    Returns:
        How many threads are still ``alive``, and how many elements there are then.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        (queue,) = _queues(-1)
        ops = [_ones(queue)] * threads
        runner = tf.train.QueueRunner(queue, ops, cancel_op=tf.no_op())
        close, size = queue.close(cancel_pending_enqueues=True), queue.size()
        coord = tf.train.Coordinator()
        if not first:
            coord.request_stop()
        made = runner.create_threads(session, coord, daemon=True, start=True)
        while session.run(size) < first:
            time.sleep(0.001)
        coord.request_stop()
        found = {"alive": _num_alive(made, 1), "elements": int(session.run(size))}
        session.run(close)
        _num_alive(made)
        return found


class _HastyCoordinator(tf.train.Coordinator):
    """One for which a time to wait is over at once; a wait without end is not."""

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        return super().wait_for_stop(timeout if timeout is None else min(timeout, 0.001))


def in_haste(threads: int) -> dict[str, Any]:
    """Threads wait for room, and nobody asks for a stop: at first.

    Returns:
        Whether the queue is ``closed`` meanwhile; ``alive`` threads after the stop.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        (queue,) = _queues(1)
        runner = tf.train.QueueRunner(queue, [_ones(queue)] * threads)
        coord = _HastyCoordinator()
        made = runner.create_threads(session, coord, daemon=True, start=True)
        time.sleep(0.05)
        closed = bool(session.run(queue.is_closed()))
        coord.request_stop()
        alive = _num_alive(made, 1)
        session.run(queue.close(cancel_pending_enqueues=True))
        return {"closed": closed, "alive": alive}


def asked_for_again(threads: int) -> dict[str, Any]:
    """Asks for threads again when one of several has failed, and the others still run.

    Returns:
        How many were ``made``; how many errors the runner has ``then``, and at the
        ``end``; ``failed``, how many threads have ended by an error.
    """
    with tf.Graph().as_default(), tf.Session() as session, _failures() as failed:
        queue, gate = _queues(1, threads)
        enqueue = queue.enqueue([_computed(_fail, gate.dequeue())])
        runner = tf.train.QueueRunner(queue, [enqueue] * threads)
        let_one_go = _ones(gate)
        made = runner.create_threads(session, daemon=True, start=True)
        session.run(let_one_go)
        end = time.monotonic() + 2
        while len(failed) < 1 and time.monotonic() < end:
            time.sleep(0.001)
        found = {"made": len(runner.create_threads(session))}
        found["then"] = len(runner.exceptions_raised)
        for _ in range(threads - 1):
            session.run(let_one_go)
        _num_alive(made)
        return found | {"end": len(runner.exceptions_raised), "failed": len(failed)}


def in_closed_session(threads: int, has_coordinator: bool) -> dict[str, Any]:
    """Makes threads in a session that is closed.

    Returns:
        ``error``, that of join; how many errors the runner has ``kept``; ``failed``, how
        many threads have ended by an error.
    """
    with tf.Graph().as_default(), _failures() as failed:
        (queue,) = _queues(1)
        runner = tf.train.QueueRunner(queue, [_ones(queue)] * threads)
        session = tf.Session()
        session.close()
        coord = tf.train.Coordinator() if has_coordinator else None
        made = runner.create_threads(session, coord, daemon=True, start=True)
        _num_alive(made[:threads])
        error = None
        if coord is not None:
            coord.request_stop()
            error = _joined(coord, made)
        kept = len(runner.exceptions_raised)
        return {"error": error, "kept": kept, "failed": len(failed)}


def ops_run(threads: int, how: str) -> dict[str, int]:
    """Runs a runner to an end, and stops its coordinator after that.

    Args:
        threads: How many fill the queue.
        how: It ends by ``data``, ``error`` or ``stop``.

    Returns:
        How often the op ran that is to ``close`` the queue, and the one to ``cancel``.
    """
    counts = {"close": 0, "cancel": 0}

    def counted(name: str) -> Any:
        def count() -> Any:
            counts[name] += 1
            return np.int64(0)

        with tf.control_dependencies([_computed(count)]):
            return queue.close(cancel_pending_enqueues=name == "cancel")

    with tf.Graph().as_default(), tf.Session() as session:
        queue, source = _queues(9, 9)
        element = source.dequeue()
        if how == "error":
            element = _computed(_fail, element)
        ops = [queue.enqueue([element])] * threads
        runner = tf.train.QueueRunner(queue, ops, counted("close"), counted("cancel"))
        fill, end = source.enqueue_many([np.arange(4)]), source.close()
        coord = tf.train.Coordinator()
        made = runner.create_threads(session, coord, daemon=True, start=True)
        session.run(fill)
        if how == "stop":
            coord.request_stop()
            session.run(fill)  # so that no thread waits for an element
        elif how == "data":
            session.run(end)
        _num_alive(made[:threads])
        coord.request_stop()
        _joined(coord, made)
    return counts
