"""Whether two frameworks have shown the same.

A mismatch has a kind, such as "value" or "raises", under which mismatches of one function
are counted together, since most come from one fault.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# How far two results may differ: relative to the number, and to the largest of the array.
_TOLERANCES = {
    "float16": (8e-3, 4e-3),
    "bfloat16": (5e-2, 2e-2),
    "float32": (3e-5, 4e-6),
    "float64": (1e-9, 1e-12),
    "complex64": (1e-4, 2e-5),
    "complex128": (1e-9, 1e-12),
}

# Exceptions that stand for the same: TensorFlow says one when an op is built and another
# when it runs.
_SAME = {
    "InvalidArgumentError": "ValueError",
    "_FallbackException": "TypeError",
    "NotFoundError": "LookupError",
    "OperatorNotAllowedInGraphError": "TypeError",
}


@dataclass
class Mismatch:
    """The first fact in which two answers differ."""

    kind: str
    label: str
    ours: Any
    theirs: Any
    our_facts: list = field(default_factory=list, repr=False)
    their_facts: list = field(default_factory=list, repr=False)

    def error_of(self, facts: list) -> str:
        """The type of the exception that ended the program, or nothing."""
        found = [fact for label, fact in facts if label == "raises"]
        return found[-1] if found else ""


def _kind(label: str) -> str:
    """``value[0]`` is a value, ``y[1].shape`` a shape."""
    return re.sub(r"\[[^\]]*\]", "", label)


def _signs_differ(ours: np.ndarray, theirs: np.ndarray) -> bool:
    zeros = (ours == 0) & (theirs == 0)
    return bool((np.signbit(ours.real) != np.signbit(theirs.real))[zeros].any())


def _same_arrays(
    ours: Any, theirs: Any, low: str | None, exact: bool, signs: bool
) -> bool:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if ours.dtype.kind not in "fc":
        return bool(np.array_equal(ours, theirs))
    if not ours.size:
        return True
    relative, of_largest = _TOLERANCES.get(low or ours.dtype.name, (1e-5, 1e-6))
    kind = np.complex128 if ours.dtype.kind == "c" else np.float64
    mine, other = ours.astype(kind), theirs.astype(kind)
    finite = np.isfinite(other)
    if not np.array_equal(finite, np.isfinite(mine)):
        return False
    if not np.array_equal(mine[~finite], other[~finite], equal_nan=True):
        return False
    if signs and _signs_differ(ours, theirs):
        return False
    mine, other = mine[finite], other[finite]
    if not mine.size:
        return True
    largest = 0.0 if exact else np.abs(other).max()
    smallest = float(np.finfo(ours.dtype).smallest_subnormal) * 4
    bound = relative * np.abs(other) + of_largest * largest + smallest
    return bool((np.abs(mine - other) <= bound).all())


def _same(ours: Any, theirs: Any, low: str | None, exact: bool, signs: bool) -> bool:
    if isinstance(ours, (np.ndarray, np.generic)) or isinstance(
        theirs, (np.ndarray, np.generic)
    ):
        if not all(
            isinstance(item, (np.ndarray, np.generic, int, float, bool))
            for item in (ours, theirs)
        ):
            return False
        return _same_arrays(ours, theirs, low, exact, signs)
    if isinstance(ours, float) and isinstance(theirs, float):
        return _same_arrays(np.float64(ours), np.float64(theirs), low, exact, signs)
    return type(ours) is type(theirs) and ours == theirs


def _stands_for(name: Any) -> Any:
    return _SAME.get(name, name)


def first_mismatch(
    ours: list,
    theirs: list,
    low: str | None = None,
    exact: bool = False,
    signs: bool = False,
) -> Mismatch | None:
    """The first fact that differs, with all that was shown; see ``_first``."""
    found = _first(ours, theirs, low, exact, signs)
    if found is not None:
        found.our_facts, found.their_facts = ours, theirs
    return found


def _first(
    ours: list, theirs: list, low: str | None, exact: bool, signs: bool
) -> Mismatch | None:
    """The first fact that differs, or None.

    Args:
        ours: what minitf has shown, as pairs of label and fact.
        theirs: what TensorFlow has shown.
        low: the narrowest type among the arguments: it sets the tolerance.
        exact: whether each number is compared by itself.
        signs: whether the signs of zeros in the result are compared.
    """
    said = {
        who: dict(item for item in facts if item[0] == "message").get("message")
        for who, facts in (("ours", ours), ("theirs", theirs))
    }
    ours = [item for item in ours if item[0] != "message"]
    theirs = [item for item in theirs if item[0] != "message"]
    for mine, other in zip(ours, theirs, strict=False):
        if mine[0] != other[0]:
            if "raises" in (mine[0], other[0]):
                return Mismatch(
                    "raises",
                    f"{mine[0]} / {other[0]}",
                    said["ours"] or _brief(mine[1]),
                    said["theirs"] or _brief(other[1]),
                )
            return Mismatch("structure", f"{mine[0]} / {other[0]}", mine[1], other[1])
        if mine[0].endswith("raises"):
            if _stands_for(mine[1]) != _stands_for(other[1]):
                return Mismatch(
                    "exception",
                    mine[0],
                    said["ours"] or mine[1],
                    said["theirs"] or other[1],
                )
            continue
        with_signs = signs and mine[0].startswith("value")
        if not _same(mine[1], other[1], low, exact, with_signs):
            return Mismatch(_kind(mine[0]), mine[0], mine[1], other[1])
    if len(ours) != len(theirs):
        return Mismatch("structure", "number of facts", len(ours), len(theirs))
    return None


def _brief(fact: Any) -> str:
    return str(fact)[:300]
