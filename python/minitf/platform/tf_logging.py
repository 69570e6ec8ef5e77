"""``tf.logging``: messages of minitf's Python files.

Compare: tensorflow/python/platform/tf_logging.py. Read next: ``training/optimizer.py``.
"""

import logging as _logging
import sys as _sys
from collections import Counter as _Counter
from typing import Any

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "TaskLevelStatusMessage",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARNING
ERROR = _logging.ERROR
FATAL = _logging.FATAL

_logger = _logging.getLogger("minitf")
_logger.setLevel(WARN)
if not _logger.handlers:
    _handler = _logging.StreamHandler()
    _handler.setFormatter(_logging.Formatter("%(levelname)s:minitf:%(message)s"))
    _logger.addHandler(_handler)
    _logger.propagate = False

debug = _logger.debug
info = _logger.info
warning = _logger.warning
warn = _logger.warning
error = _logger.error
fatal = _logger.fatal


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes a message of that level."""
    _logger.log(level, msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes a message of that level."""
    _logger.log(level, msg, *args, **kwargs)


# How often each line of a program has called ``log_every_n`` or ``log_first_n``.
_calls: _Counter = _Counter()


def _call_number() -> int:
    """How often the line that calls a function of this module called it before."""
    frame = _sys._getframe(2)
    line = frame.f_code.co_filename, frame.f_lineno
    _calls[line] += 1
    return _calls[line] - 1


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Writes a message if ``condition`` is true."""
    if condition:
        log(level, msg, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Writes the message of the first call from a line, then of each n-th call after."""
    log_if(level, msg, _call_number() % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Writes the messages of the first n calls from a line."""
    log_if(level, msg, _call_number() < n, *args)


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802
    """Writes an error."""
    error(msg)


def get_logger() -> _logging.Logger:
    """The logger of minitf."""
    return _logger


def set_verbosity(v: int) -> None:
    """Writes only messages of at least the level ``v``."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The smallest level that is written."""
    return _logger.getEffectiveLevel()


def flush() -> None:
    """Writes what has not been written yet."""
    for handler in _logger.handlers:
        handler.flush()


def __dir__() -> list[str]:
    return __all__
