"""``tf.logging``: messages of minitf's Python files.

Compare: tensorflow/python/platform/tf_logging.py. Read next: ``training/optimizer.py``.
"""

import logging as _logging
from typing import Any

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
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
