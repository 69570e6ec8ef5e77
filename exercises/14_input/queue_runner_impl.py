"""``tf.train.QueueRunner``: threads that fill a queue while others empty it.

A runner belongs to a graph, and says what its threads do: each runs an enqueue op over
and over. The threads are made for a session. There is one more, which closes the queue as
soon as the coordinator stops, so that no thread waits for ever.

    ends how?                         then
    a queue before this one is empty  the last thread closes the queue; what is in it
                                      may still be taken
    the coordinator stops             the queue is closed and all waits are cancelled
    an exception                      the coordinator is told, and stops

Compare: tensorflow/python/training/queue_runner_impl.py. Read next: ``input.py``.
"""

import threading
import weakref
from typing import Any

from minitf.client.session import Session
from minitf.data_flow.data_flow_ops import QueueBase
from minitf.eager import context
from minitf.framework import errors, messages
from minitf.framework.collections_ import GraphKeys, add_to_collection, get_collection
from minitf.framework.default_session import get_default_session
from minitf.platform import tf_logging
from minitf.training.coordinator import Coordinator

NOT_EAGER = (
    "are not supported when eager execution is enabled. Instead, please use tf.data to "
    "get data into your model."
)


def _with_slash(scope: str | None) -> str:
    return f"{scope.rstrip('/')}/" if scope else ""


def _checked_types(types: Any) -> tuple:
    """``types`` if they are classes of errors; None stands for OutOfRangeError."""
    if types is None:
        return (errors.OutOfRangeError,)
    are_errors = isinstance(types, tuple) and types
    if not are_errors or not all(
        isinstance(kind, type) and issubclass(kind, errors.OpError) for kind in types
    ):
        raise TypeError(
            "queue_closed_exception_types, when provided, must be a tuple of "
            f"tf.errors types, but saw: {types}"
        )
    return types


class QueueRunner:
    """What fills a queue.

    Args:
        queue: the queue.
        enqueue_ops: for each thread the op that it runs.
        close_op: closes the queue; made if None.
        cancel_op: closes it and cancels those who wait; made if None.
        queue_closed_exception_types: the exceptions that tell a thread that there is
            nothing more to enqueue; ``(OutOfRangeError,)`` if None.
        queue_runner_def: a QueueRunnerDef that says all of this, about nodes of the
            default graph; then nothing but ``import_scope`` is given.
        import_scope: the name scope below which these nodes lie.
    """

    def __init__(
        self,
        queue: QueueBase | None = None,
        enqueue_ops: list[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ):
        if context.executing_eagerly():
            raise RuntimeError(f"QueueRunners {NOT_EAGER}")
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._take_from_def(queue_runner_def, import_scope)
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            self._closed_types = _checked_types(queue_closed_exception_types)
            self._queue = queue
            self._enqueue_ops = list(enqueue_ops)
            self._close_op = queue.close() if close_op is None else close_op
            self._cancel_op = cancel_op
            if cancel_op is None:
                self._cancel_op = queue.close(cancel_pending_enqueues=True)
        self._lock = threading.Lock()
        # How many threads run for a session. A session that goes needs no entry.
        self._num_running: Any = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []

    def _take_from_def(self, queue_runner_def: Any, import_scope: str | None) -> None:
        message = messages.get("QueueRunnerDef")
        if not isinstance(queue_runner_def, message):
            raise TypeError(
                f"queue_runner_def must be a QueueRunnerDef, got {queue_runner_def!r}"
            )
        graph = context.get_default_graph()
        scope = _with_slash(import_scope)

        def node(name: str) -> Any:
            return graph.as_graph_element(scope + name)

        self._queue = node(queue_runner_def.queue_name)
        self._enqueue_ops = [node(name) for name in queue_runner_def.enqueue_op_name]
        self._close_op = node(queue_runner_def.close_op_name)
        self._cancel_op = node(queue_runner_def.cancel_op_name)
        codes = queue_runner_def.queue_closed_exception_types
        try:
            types = tuple(errors.exception_type_from_error_code(code) for code in codes)
        except KeyError as error:
            raise ValueError(f"queue_closed_exception_types: {error.args[0]}") from None
        self._closed_types = _checked_types(types or None)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The runner as a QueueRunnerDef, for ``from_proto``.

        Args:
            export_scope: names are given without this name scope.

        Returns:
            The message; None if the queue does not lie in that scope.
        """
        scope = _with_slash(export_scope)
        if not self._queue.name.startswith(scope):
            return None
        return messages.get("QueueRunnerDef")(
            queue_name=self._queue.name.removeprefix(scope),
            enqueue_op_name=[op.name.removeprefix(scope) for op in self._enqueue_ops],
            close_op_name=self._close_op.name.removeprefix(scope),
            cancel_op_name=self._cancel_op.name.removeprefix(scope),
            queue_closed_exception_types=[
                errors.error_code_from_exception_type(kind) for kind in self._closed_types
            ],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> Any:
        """The runner that ``to_proto`` described, of nodes of the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    @property
    def queue(self) -> QueueBase:
        """The queue; its node, if the runner was made of a QueueRunnerDef."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """For each thread the op that it runs."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The op that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The op that closes the queue and cancels those who wait."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple:
        """The exceptions that tell a thread that there is nothing more to enqueue."""
        return self._closed_types

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What the threads raised that no coordinator was told."""
        return self._exceptions_raised

    def create_threads(
        self,
        sess: Session,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Makes the threads that fill the queue in ``sess``.

        Args:
            sess: the session.
            coord: who stops them, and is told of exceptions.
            daemon: whether the process may end while they run.
            start: whether to start them.

        Returns:
            The threads; none, if those of an earlier call still run.
        """
        with self._lock:
            # TODO(14.14) begin: none if some still run; else all of them do, from now on
            raise NotImplementedError("task 14.14 is not written yet")
            # TODO(14.14) end

        threads = [
            threading.Thread(
                target=self._run, args=(sess, op, coord), name=f"{self.name}-{op.name}"
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            name = f"{self.name}-{self._cancel_op.name}"
            threads.append(
                threading.Thread(
                    target=self._cancel_at_stop, args=(sess, coord), name=name
                )
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads

    def _run(self, sess: Session, enqueue_op: Any, coord: Coordinator | None) -> None:
        """The work of a thread: see above how it ends, and what it does then."""
        # TODO(14.14) begin: enqueue until a stop, the end of the data, or an error
        raise NotImplementedError("task 14.14 is not written yet")
        # TODO(14.14) end

    def _ended(self, sess: Session) -> int:
        """Counts a thread out. Returns how many still run."""
        # TODO(14.14) begin: under the lock
        raise NotImplementedError("task 14.14 is not written yet")
        # TODO(14.14) end

    def _cancel_at_stop(self, sess: Session, coord: Coordinator) -> None:
        """The work of one more thread: no thread is to wait for ever."""
        # TODO(14.14) begin: once the coordinator stops, run the op that cancels
        raise NotImplementedError("task 14.14 is not written yet")
        # TODO(14.14) end

    @staticmethod
    def _run_quietly(sess: Session, op: Any) -> None:
        """Runs ``op``. That it fails, in a closed session for example, does no harm."""
        try:
            sess.run(op)
        except Exception as error:
            tf_logging.vlog(tf_logging.DEBUG, "Ignored exception: %s", error)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Lets ``start_queue_runners`` start this runner too."""
    add_to_collection(collection, qr)


def start_queue_runners(
    sess: Session | None = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all runners of the graph.

    Args:
        sess: the session; the default one if None.
        coord: who stops the threads.
        daemon: whether the process may end while they run.
        start: whether to start them.
        collection: where the runners are.

    Returns:
        The threads.
    """
    if context.executing_eagerly():
        raise RuntimeError(f"Queues {NOT_EAGER}")
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to "
                "tf.train.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, Session):
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    with sess.graph.as_default():
        runners = get_collection(collection)
    if not runners:
        tf_logging.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were "
            "defined. You can safely remove the call to this deprecated function."
        )
    threads = []
    for runner in runners:
        threads += runner.create_threads(sess, coord, daemon, start)
    return threads
