"""Arguments that must be objects of some kind: a variable, a session, a message.

Functions take whatever behaves as it should. What does not is refused here, by the name
of the function and with the value that came, and not by Python somewhere inside.

Read next: ``variables/state_ops.py``.
"""

import operator
from typing import Any

import numpy as np


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


def integers(value: Any, what: str) -> list[int]:
    """The integers in a number or in a list of them.

    Raises:
        TypeError: something else is in it; the message says that it was to be ``what``.

    >>> integers(3, "axis"), integers([1, 2], "axis")
    ([3], [1, 2])
    """
    try:
        return [operator.index(item) for item in np.atleast_1d(value)]
    except (TypeError, ValueError):
        raise TypeError(f"{what} takes integers, not {value!r}") from None


def require_variable(value: Any, function: str) -> Any:
    """Returns ``value`` if it is a variable. Raises TypeError else."""
    return require(value, "assign", function, "a variable")
