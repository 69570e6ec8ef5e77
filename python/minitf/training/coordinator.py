"""``tf.train.Coordinator``: threads that stop together.

Every thread asks ``should_stop()`` before it goes on; a thread whose data is used up, or
in which something failed, calls ``request_stop()``; and the main thread waits in
``join()``, which raises what went wrong::

    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    with coord.stop_on_exception():  # OutOfRangeError is the end of the data, no error
        while not coord.should_stop():
            session.run(train_op)
    coord.join(threads)

Compare: tensorflow/python/training/coordinator.py. Read next: ``queue_runner_impl.py``.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf.framework import errors
from minitf.platform import tf_logging

# How often join() looks whether all threads have ended although no stop was requested.
_LOOK_SECONDS = 0.05


class Coordinator:
    """Lets threads stop together.

    Args:
        clean_stop_exception_types: exceptions that end the work, and are no errors;
            ``OutOfRangeError`` if None.
    """

    def __init__(self, clean_stop_exception_types: Any = None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_types = tuple(clean_stop_exception_types)
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._exception: BaseException | None = None
        self._joined = False
        self._threads: set[threading.Thread] = set()

    # ---- Stopping ----------------------------------------------------------------------

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: why: an exception, a tuple as that of ``sys.exc_info()``, or None. What
                the first request gave is raised by ``join``. After ``join`` it is raised
                here, as it would be lost otherwise.
        """
        exception = ex[1] if isinstance(ex, tuple) else ex
        if exception is not None and not isinstance(exception, BaseException):
            exception = ValueError(
                "ex must be a tuple or sys.exc_info must return the current exception: "
                f"{ex!r}"
            )
        with self._lock:
            # LAB(14.13) begin: the first request counts: keep its error, and stop
            if isinstance(exception, self._clean_types):
                exception = None
            if self._joined and exception is not None:
                raise exception
            if self._stop.is_set():
                return
            if exception is not None and self._exception is None:
                tf_logging.info("Error reported to Coordinator: %s", exception)
                self._exception = exception
            self._stop.set()
            # LAB(14.13) end

    def clear_stop(self) -> None:
        """Forgets a request to stop, and its reason: the threads may start anew."""
        with self._lock:
            self._joined = False
            self._exception = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested, at most ``timeout`` seconds.

        Returns:
            Whether it was.
        """
        return self._stop.wait(timeout)

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Within it, an exception becomes a ``request_stop`` with that exception."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    # ---- Joining -----------------------------------------------------------------------

    def register_thread(self, thread: threading.Thread) -> None:
        """Lets ``join`` wait for ``thread`` too."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended.

        Args:
            threads: further threads, beside those that are registered.
            stop_grace_period_secs: how long they may take after a stop was requested.
            ignore_live_threads: whether threads that take longer are left alone.

        Raises:
            Exception: the one that ``request_stop`` was given first.
            RuntimeError: some threads are still running.
        """
        with self._lock:
            waited = self._threads | set(threads or ())
        # LAB(14.13) begin: wait for a stop, or the end of all; then for those that run
        while any(thread.is_alive() for thread in waited):
            if self.wait_for_stop(_LOOK_SECONDS):
                break
        deadline = time.monotonic() + max(stop_grace_period_secs, 0)
        for thread in waited - {threading.current_thread()}:
            if thread.is_alive():
                left = max(deadline - time.monotonic(), 0)
                thread.join(min(left, threading.TIMEOUT_MAX))
        # LAB(14.13) end

        late = sorted(thread.name for thread in waited if thread.is_alive())
        with self._lock:
            self._joined = True
            self._threads = set()
            self.raise_requested_exception()
        if not late:
            return
        message = f"Coordinator stopped with threads still running: {' '.join(late)}"
        if not ignore_live_threads:
            raise RuntimeError(message)
        tf_logging.info(message)

    @property
    def joined(self) -> bool:
        """Whether ``join`` has returned or raised."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what ``request_stop`` was given, if it was given an exception."""
        with self._lock:
            if self._exception is not None:
                raise self._exception


class LooperThread(threading.Thread):
    """A thread that does the same again and again until its coordinator stops.

    Args:
        coord: a Coordinator.
        timer_interval_secs: from one call to the next; None for no pause.
        target: what is done; or override ``run_loop``.
        args: its arguments.
        kwargs: its arguments by keyword.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable | None = None,
        args: Any = None,
        kwargs: Any = None,
    ):
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        if target is None and (args or kwargs):
            raise ValueError(
                "'args' and 'kwargs' argument require that you also pass 'target'"
            )
        self._work = target
        self._work_args = args or ()
        self._work_kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable,
        args: Any = None,
        kwargs: Any = None,
    ) -> "LooperThread":
        """Makes such a thread and starts it."""
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """The thread's work; an exception in it stops the coordinator."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_time = time.time()
                while not self._coord.wait_for_stop(max(next_time - time.time(), 0)):
                    next_time += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Is called before the first call of run_loop."""

    def stop_loop(self) -> None:
        """Is called after the last call of run_loop."""

    def run_loop(self) -> None:
        """What is done again and again; to be overridden."""
        if self._work is not None:
            self._work(*self._work_args, **self._work_kwargs)
