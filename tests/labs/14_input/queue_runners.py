"""How the driver of lab 14 runs queue runners."""

import threading
import time
from typing import Any

import numpy as np
from lab_14_input.coordinators import error_of

import minitf as tf


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


def _failures() -> tuple[list[dict[str, str]], Any]:
    """A list of what ends threads from now on, and what is to be called at the end."""
    failed: list[dict[str, str]] = []
    before = threading.excepthook
    threading.excepthook = lambda arguments: failed.append(
        {"raised": arguments.exc_type.__name__, "text": str(arguments.exc_value)}
    )

    def restore() -> None:
        threading.excepthook = before

    return failed, restore


def _joined(coord: Any, made: list[threading.Thread]) -> dict[str, str] | None:
    """The error that joining raises."""
    try:
        coord.join(made, stop_grace_period_secs=2)
    except Exception as error:
        return error_of(error)
    return None


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

    def fail() -> Any:
        raise ValueError("the op fails")

    with tf.Graph().as_default():
        source = _Source(count, "OutOfRangeError")
        queue = tf.FIFOQueue(count + 1, [tf.int64], [[]])
        held = tf.py_func(hold, [source.node()], tf.int64)
        held.set_shape([])
        ops = {
            "close": queue.close(),
            "cancel": queue.close(cancel_pending_enqueues=True),
        }
        if failing:
            ops[failing] = tf.py_func(fail, [], tf.int64).op
        runner = tf.train.QueueRunner(
            queue, [queue.enqueue([held])] * threads, ops["close"], ops["cancel"]
        )
        left = queue.dequeue_up_to(count + 1)
        with tf.Session() as session:
            source.begin(session)
            failed, restore = _failures()
            coord = tf.train.Coordinator()
            made = runner.create_threads(session, coord, daemon=True, start=True)
            for thread in made[:threads]:
                thread.join(2)
            stops = coord.should_stop()
            coord.request_stop()
            error = _joined(coord, made)
            restore()
            try:
                taken = session.run(left).tolist()
            except tf.errors.OutOfRangeError:
                taken = []
    return {"taken": sorted(taken), "stops": stops, "error": error, "failed": failed}


def looking(threads: int) -> int:
    """Stops threads that never wait, of a runner whose op that cancels does nothing.

    Returns:
        How many still run.
    """

    def number() -> Any:
        time.sleep(0.001)
        return np.int64(1)

    with tf.Graph().as_default():
        queue = tf.FIFOQueue(-1, [tf.int64], [[]])
        value = tf.py_func(number, [], tf.int64)
        value.set_shape([])
        runner = tf.train.QueueRunner(
            queue, [queue.enqueue([value])] * threads, cancel_op=tf.no_op()
        )
        close, size = queue.close(cancel_pending_enqueues=True), queue.size()
        with tf.Session() as session:
            coord = tf.train.Coordinator()
            made = runner.create_threads(session, coord, daemon=True, start=True)
            while not session.run(size):
                time.sleep(0.001)
            coord.request_stop()
            end = time.monotonic() + 1
            for thread in made:
                thread.join(max(0, end - time.monotonic()))
            alive = sum(thread.is_alive() for thread in made)
            session.run(close)
            for thread in made:
                thread.join(2)
    return alive


def closed_by_others(threads: int) -> dict[str, Any]:
    """Closes a queue at once while a runner's threads wait for room in it.

    Returns:
        ``stops``, whether the coordinator does; ``error``, that of join.
    """
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(1, [tf.int64], [[]])
        one = tf.constant(1, tf.int64)
        runner = tf.train.QueueRunner(queue, [queue.enqueue([one])] * threads)
        close, take = queue.close(cancel_pending_enqueues=True), queue.dequeue()
        with tf.Session() as session:
            coord = tf.train.Coordinator()
            made = runner.create_threads(session, coord, daemon=True, start=True)
            session.run(take)
            session.run(close)
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

    def fail(number: Any) -> Any:
        raise ValueError(f"element {number} is wrong")

    with tf.Graph().as_default() as graph:
        queue, gate = (tf.FIFOQueue(n, [tf.int64], [[]]) for n in (1, threads))
        element = gate.dequeue()
        if how == "error":
            element = tf.py_func(fail, [element], tf.int64)
            element.set_shape([])
        runner = tf.train.QueueRunner(queue, [queue.enqueue([element])] * threads)
        fill = gate.enqueue_many([tf.constant(np.arange(threads))])
        close, closed = gate.close(), queue.is_closed()
        found: dict[str, Any] = {}
        failed, restore = _failures()
        with tf.Session(graph=graph) as session, tf.Session(graph=graph) as other:
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
            for thread in made:
                thread.join(2)
            found["alive"] = sum(thread.is_alive() for thread in made)
            found["closed"] = bool(session.run(closed))
            found["kept"] = len(runner.exceptions_raised)
            found["after"] = len(runner.create_threads(session))
            found["then"] = len(runner.exceptions_raised)
        restore()
    return found | {"failed": len(failed)}


def _ones(queue: Any) -> Any:
    """The op that puts a 1 into a queue."""
    return queue.enqueue([tf.constant(1, tf.int64)])


def stopped_before(threads: int) -> int:
    """Makes threads when the coordinator stops already; no op cancels.

    Returns:
        How many elements they have put in.
    """
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(100, [tf.int64], [[]])
        runner = tf.train.QueueRunner(
            queue, [_ones(queue)] * threads, cancel_op=tf.no_op()
        )
        size = queue.size()
        with tf.Session() as session:
            coord = tf.train.Coordinator()
            coord.request_stop()
            made = runner.create_threads(session, coord, daemon=True, start=True)
            coord.join(made, stop_grace_period_secs=2)
            return int(session.run(size))


class _HastyCoordinator(tf.train.Coordinator):
    """One for which a time to wait is over at once; a wait without end is not."""

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        return super().wait_for_stop(timeout if timeout is None else min(timeout, 0.001))


def in_haste(threads: int) -> dict[str, Any]:
    """Threads wait for room, and nobody asks for a stop: at first.

    Returns:
        Whether the queue is ``closed`` meanwhile; ``alive`` threads after the stop.
    """
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(1, [tf.int64], [[]])
        runner = tf.train.QueueRunner(queue, [_ones(queue)] * threads)
        closed = queue.is_closed()
        with tf.Session() as session:
            coord = _HastyCoordinator()
            made = runner.create_threads(session, coord, daemon=True, start=True)
            time.sleep(0.05)
            found: dict[str, Any] = {"closed": bool(session.run(closed))}
            coord.request_stop()
            end = time.monotonic() + 1
            for thread in made:
                thread.join(max(0, end - time.monotonic()))
            found["alive"] = sum(thread.is_alive() for thread in made)
            session.run(queue.close(cancel_pending_enqueues=True))
    return found


def asked_for_again(threads: int) -> dict[str, Any]:
    """Asks for threads again when one of several has failed, and the others still run.

    Returns:
        How many were ``made``; how many errors the runner has ``then``, and at the
        ``end``; ``failed``, how many threads have ended by an error.
    """

    def fail(number: Any) -> Any:
        raise ValueError(f"element {number} is wrong")

    with tf.Graph().as_default():
        queue, gate = (tf.FIFOQueue(n, [tf.int64], [[]]) for n in (1, threads))
        element = tf.py_func(fail, [gate.dequeue()], tf.int64)
        element.set_shape([])
        runner = tf.train.QueueRunner(queue, [queue.enqueue([element])] * threads)
        let_one_go = _ones(gate)
        with tf.Session() as session:
            failed, restore = _failures()
            made = runner.create_threads(session, daemon=True, start=True)
            session.run(let_one_go)
            end = time.monotonic() + 2
            while len(failed) < 1 and time.monotonic() < end:
                time.sleep(0.001)
            found = {"made": len(runner.create_threads(session))}
            found["then"] = len(runner.exceptions_raised)
            for _ in range(threads - 1):
                session.run(let_one_go)
            for thread in made:
                thread.join(2)
            found["end"] = len(runner.exceptions_raised)
            restore()
    return found | {"failed": len(failed)}


def in_closed_session(threads: int, has_coordinator: bool) -> dict[str, Any]:
    """Makes threads in a session that is closed.

    Returns:
        ``error``, that of join; how many errors the runner has ``kept``; ``failed``, how
        many threads have ended by an error.
    """
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(1, [tf.int64], [[]])
        runner = tf.train.QueueRunner(queue, [_ones(queue)] * threads)
        session = tf.Session()
        session.close()
        failed, restore = _failures()
        coord = tf.train.Coordinator() if has_coordinator else None
        made = runner.create_threads(session, coord, daemon=True, start=True)
        for thread in made[:threads]:
            thread.join(2)
        error = None
        if coord is not None:
            coord.request_stop()
            error = _joined(coord, made)
        restore()
    return {"error": error, "kept": len(runner.exceptions_raised), "failed": len(failed)}
