"""What a wrong answer gives, as a word: two answers that err alike have the same."""

import hashlib
import re
from collections.abc import Iterable
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


MAX_PARTS = 10_000  # of an answer that are compared; the rest has no influence
MAX_DEPTH = 64
MAX_TEXT = 4000  # characters of one part


def _number(value: complex) -> str:
    if isinstance(value, complex):
        return f"{_number(value.real)} {_number(value.imag)}"
    return "0" if abs(value) < SMALL else f"{value:.{DIGITS}g}"


class _Plain:
    """Makes text of an answer, and stops after ``MAX_PARTS`` parts."""

    def __init__(self) -> None:
        self._left = MAX_PARTS

    def _list(self, parts: Iterable, depth: int) -> list[str]:
        texts = []
        for part in parts:
            if self._left <= 0:
                break
            texts.append(self.text(part, depth + 1))
        return texts

    def text(self, value: Any, depth: int = 0) -> str:
        """``value`` as text, with numbers rounded."""
        self._left -= 1
        if depth > MAX_DEPTH:
            return "..."
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            if array.dtype.char in "gG":  # Python has no number for a long double
                array = array.astype("float64" if array.dtype.char == "g" else complex)
            inside = self._list(array.ravel()[: max(self._left, 0)].tolist(), depth)
            # The text of a list escapes quotes: levels of arrays would double its length.
            inside = [text[:MAX_TEXT] for text in inside]
            return f"{np.asarray(value).dtype} {array.shape} {inside}"
        if isinstance(value, float | complex):
            return _number(value)
        if isinstance(value, list | tuple):
            return f"({', '.join(self._list(value, depth))})"
        if isinstance(value, dict):
            kept = sorted(value.keys() - CHANGING)
            return self.text([[key, value[key]] for key in kept], depth)
        if isinstance(value, Raised):
            # After the first line comes the place in the file.
            first = value.message.partition("\n")[0]
            return f"{value.type[:MAX_TEXT]}: {first[:MAX_TEXT]}"
        if isinstance(value, str | bytes):
            value = value[:MAX_TEXT]
        return repr(value)


def symptom_of(case: str, title: str, answer: dict[str, Any]) -> str:
    """The word for what came of a trial.

    An answer may be anything that ``wire.loads`` gives. Only its first parts count.

    >>> one = symptom_of("sums", "1 + 1", {"values": [np.float32([3])]})
    >>> one == symptom_of("sums", "1 + 1", {"values": [np.float32([3.00001])]})
    True
    >>> one == symptom_of("sums", "1 + 1", {"values": [np.float32([4])]})
    False
    """
    came = _Plain().text([answer.get("values"), answer.get("raised")])
    text = PASSING.sub("", f"{case}\n{title}\n{came}")
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:LENGTH]
