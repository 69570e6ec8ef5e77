"""Errors as plain data, for the driver of part B."""

import builtins
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import minitf as tf


class StoppedError(BaseException):
    """No Exception, so that few handlers catch it."""


def told_of(error: BaseException) -> dict[str, Any]:
    """An error as plain data. A task that is not written yet is no such error."""
    if "is not written yet" in str(error):
        raise error
    kind = type(error)
    return {
        "type": kind.__name__,
        "is of tf": getattr(tf.errors, kind.__name__, None) is kind,
        "text": str(error),
        "code": getattr(error, "error_code", None),
        "message": getattr(error, "message", None),
        "node": getattr(error, "node_name", None),
    }


def outcome(work: Callable[[], Any]) -> Any:
    """Returns the result of ``work``, or its error."""
    try:
        return work()
    except BaseException as error:
        return told_of(error)


def throw(error: BaseException) -> Any:
    """Raises an error, where a statement cannot stand."""
    raise error


def error_of(kind: str, text: str) -> BaseException:
    """A new error of a class of Python, of tf.errors or of this file."""
    if kind == "NotFoundError":
        return tf.errors.NotFoundError(None, None, text)
    return getattr(builtins, kind, StoppedError)(text)


def in_threads(work: Callable[[int], Any], count: int) -> list[Any]:
    """Returns the result of ``work``, or its error, for each number in its own thread."""
    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(work, i) for i in range(count)]
        return [outcome(future.result) for future in futures]
