"""Inputs and checks of the cases of part B."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from lab_common.checks import Look, Wrong, call_trial, first_wrong, within

from minitf_lab.judge.case import Mismatch, Trial, close, describe
from minitf_lab.judge.draw import Draw


@dataclass(frozen=True)
class Begins:
    """Stands for a text that begins like this."""

    text: str


def elements(draw: Draw, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers that are alike by chance only, and fit into every type."""
    if np.dtype(dtype).kind in "iu":
        return (80 * draw.array(shape, kind="plain")).astype(dtype)
    return draw.array(shape, dtype)


def shapes(draw: Draw, rank: int) -> list[tuple[int, ...]]:
    """A shape of so many axes, and one with a size of 1 and an empty one."""
    if rank == 0:
        return [()]
    narrow = list(draw.shape(rank))
    narrow[draw.whole(0, rank - 1)] = 1
    return [tuple(narrow), draw.shape(rank), draw.shape(rank, empty=True)]


def trial(title: str, expected: Any, function: str, /, **arguments: Any) -> Trial:
    """A call of the driver, and a check that its value is like ``expected``."""
    return call_trial(title, is_like(expected), function, **arguments)


def is_like(expected: Any) -> Look:
    """A look at nested data: of a dictionary only the keys that are expected."""
    return lambda got: _differs("", expected, got)


def _differs(place: str, expected: Any, got: Any) -> Wrong:
    if isinstance(expected, dict) and isinstance(got, dict):
        if "text" in got and not expected.keys() <= got.keys():
            return Mismatch(f"{place}: raises {got['type']}: {got['text']}".strip(": "))
        return first_wrong(
            _differs(f"{place} {key}".strip(), value, got.get(key))
            for key, value in expected.items()
        )
    if isinstance(expected, (np.ndarray, np.generic)):
        if not isinstance(got, np.ndarray):
            return Mismatch(f"{place}: wrong", expected=describe(expected), got=str(got))
        return within(place, close(got, expected, rtol=1e-6 * (got.dtype.kind in "fc")))
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return first_wrong(
            _differs(f"{place} [{i}]", *pair)
            for i, pair in enumerate(zip(expected, got, strict=True))
        )
    if isinstance(expected, Begins) and isinstance(got, str):
        fits = got.startswith(expected.text)
    else:
        fits = type(got) is type(expected) and got == expected
    message = f"{place}: wrong".strip(": ")
    return None if fits else Mismatch(message, expected=str(expected), got=str(got))
