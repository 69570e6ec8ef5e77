"""Arguments that must be objects of some kind: a variable, a session, a message.

Functions take whatever behaves as it should. What does not is refused here, by the name
of the function and with the value that came, and not by Python somewhere inside.

Read next: ``state_ops.py``.
"""

from typing import Any


def require(value: Any, attribute: str, function: str, what: str) -> Any:
    """Returns ``value`` if it has ``attribute``, which makes it a ``what``.

    Raises:
        TypeError: it has not; the message names ``function``.

    >>> require(3, "assign", "tf.assign", "a variable")
    Traceback (most recent call last):
    TypeError: tf.assign needs a variable, not 3
    """
    try:
        getattr(value, attribute)
    except AttributeError:
        raise TypeError(f"{function} needs {what}, not {value!r}") from None
    return value


def require_variable(value: Any, function: str) -> Any:
    """Returns ``value`` if it is a variable. Raises TypeError else."""
    return require(value, "assign", function, "a variable")
