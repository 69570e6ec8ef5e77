"""What a wrong answer gives, as a word: two answers that err alike have the same."""

import hashlib
import re
from typing import Any

import numpy as np

from minitf_lab.judge.wire import Raised

DIGITS = 3  # that are compared: machines round differently
SMALL = 1e-6  # less counts as 0: it is what rounding leaves
LENGTH = 16
# Members of values that are others each time: how long it took, who did it, how often it
# was asked for what to do.
CHANGING = {
    *("ms", "cpu_ms", "sleep_ms", "seconds", "threads", "bytes"),
    *("questions", "asked_elsewhere"),
}
# The address of an object, a file for a test: others in each process.
PASSING = re.compile(r"0x[0-9a-f]+|/tmp/[\w./+-]+")


def _number(value: complex) -> str:
    if isinstance(value, complex):
        return f"{_number(value.real)} {_number(value.imag)}"
    return "0" if abs(value) < SMALL else f"{value:.{DIGITS}g}"


def _plain(value: Any) -> str:
    """``value`` as text, with numbers rounded."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        inside = [_plain(one) for one in array.ravel().tolist()]
        return f"{array.dtype} {array.shape} {inside}"
    if isinstance(value, float | complex):
        return _number(value)
    if isinstance(value, list | tuple):
        return f"({', '.join(_plain(one) for one in value)})"
    if isinstance(value, dict):
        kept = sorted(value.keys() - CHANGING)
        return _plain([[key, value[key]] for key in kept])
    if isinstance(value, Raised):
        # After the first line comes the place in the file.
        first = value.message.partition("\n")[0]
        return f"{value.type}: {first}"
    return repr(value)


def symptom_of(case: str, title: str, answer: dict[str, Any]) -> str:
    """The word for what came of a trial.

    Args:
        case: The name of the case.
        title: Of its trial.
        answer: What the worker said.

    >>> one = symptom_of("sums", "1 + 1", {"values": [np.float32([3])]})
    >>> one == symptom_of("sums", "1 + 1", {"values": [np.float32([3.00001])]})
    True
    >>> one == symptom_of("sums", "1 + 1", {"values": [np.float32([4])]})
    False
    """
    came = [answer.get("values"), answer.get("raised")]
    text = PASSING.sub("", f"{case}\n{title}\n{_plain(came)}")
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
