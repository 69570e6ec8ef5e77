"""How the driver of lab 14 runs coordinators."""

import threading
import time
from typing import Any

import minitf as tf


class EndOfFileError(tf.errors.OutOfRangeError):
    """An error of a kind that is derived from another."""


# What threads may raise, by name.
ERRORS = {
    "OutOfRangeError": lambda text: tf.errors.OutOfRangeError(None, None, text),
    "EndOfFileError": lambda text: EndOfFileError(None, None, text),
    "CancelledError": lambda text: tf.errors.CancelledError(None, None, text),
    "ValueError": ValueError,
    "KeyError": KeyError,
    "KeyboardInterrupt": KeyboardInterrupt,
    "SystemExit": SystemExit,
}


def error_of(error: BaseException) -> dict[str, str]:
    """An error as a value."""
    if "is not written yet" in str(error):
        raise error
    return {"raised": type(error).__name__, "text": str(error)}


class _Threads:
    """Threads that a coordinator stops."""

    def __init__(self, coord: Any) -> None:
        self._coord = coord
        self.all: list[threading.Thread] = []

    def _run(self, seconds: float, kind: str | None, is_deaf: bool) -> None:
        with self._coord.stop_on_exception():
            end = time.monotonic() + abs(seconds)
            while seconds < 0 or time.monotonic() < end:
                if not is_deaf and self._coord.wait_for_stop(0.002):
                    return
                if is_deaf:
                    time.sleep(0.002)
            if kind == "nothing":
                self._coord.request_stop()
            elif kind:
                raise ERRORS[kind]("from a thread")

    def add(
        self, event: str, seconds: float, kind: str | None, is_registered: bool
    ) -> None:
        """Makes a thread, and starts it unless the event says that it never is."""
        thread = threading.Thread(
            target=self._run, args=(seconds, kind, event == "deaf"), daemon=True
        )
        if is_registered:
            self._coord.register_thread(thread)
        self.all.append(thread)
        if event != "never started":
            thread.start()


def _request(coord: Any, event: str, kind: str | None, text: str) -> None:
    if event == "raise":
        with coord.stop_on_exception():
            raise ERRORS[kind](text)
    error = ERRORS[kind](text) if kind else None
    coord.request_stop(
        (type(error), error, None) if event == "request as tuple" else error
    )


def coordinated(
    events: list[list[Any]], clean: list[str] | None = None
) -> list[dict[str, Any]]:
    """Runs events with a coordinator.

    ``request`` (a kind of error or None, a text), ``request as tuple``, ``raise`` (the
    same, within ``stop_on_exception``), ``clear``, ``thread`` (seconds, a kind of error,
    "nothing" or None: a thread that runs that long, or until it should stop if negative,
    and then reports the error, or asks for a stop without one), ``deaf`` (the same of a
    thread that does not look), ``never started`` (the same of one that never runs),
    ``join`` (seconds of grace, whether live threads are ignored).

    Returns:
        After each event whether to stop, whether it was joined, and, if it failed, the
        error; how many seconds it took, and how many threads were alive then.
    """
    kinds = None
    if clean is not None:
        kinds = tuple(getattr(tf.errors, name, ValueError) for name in clean)
    coord = tf.train.Coordinator(kinds)
    found, threads = [], _Threads(coord)
    for event, *arguments in events:
        result: dict[str, Any] = {}
        start = time.monotonic()
        try:
            if event in {"request", "request as tuple", "raise"}:
                _request(coord, event, *arguments)
            elif event == "clear":
                coord.clear_stop()
            elif event == "join":
                coord.join(threads.all, *arguments)
            else:
                threads.add(event, *arguments)
        except BaseException as error:
            result["error"] = error_of(error)
        result["seconds"] = time.monotonic() - start
        result["alive"] = sum(thread.is_alive() for thread in threads.all)
        result["stop"], result["joined"] = coord.should_stop(), coord.joined
        found.append(result)
    if not coord.joined:
        coord.request_stop()
    return found
