"""Trials of one call of a driver, and checks of the value that it gives.

A look at a value returns what is wrong with it, or None.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from minitf_lab.judge.case import Call, Mismatch, Trial, close

Wrong = Mismatch | str | None
Look = Callable[[Any], Wrong]


def call_trial(title: str, look: Look, function: str, /, **arguments: Any) -> Trial:
    """A call of a function of the driver, at whose value ``look`` looks."""
    return Trial(title, [Call(function, arguments)], lambda values: look(values[0]))


def equals(expected: Any, message: str = "wrong") -> Look:
    """A look at plain data, which must be equal to what is expected."""

    def look(got: Any) -> Mismatch | None:
        if got == expected:
            return None
        return Mismatch(message, expected=str(expected), got=str(got))

    return look


def is_close(expected: Any, **how: Any) -> Look:
    """A look at an array; ``how`` are the further arguments of ``close``."""
    return lambda got: close(got, expected, **how)


def are_close(expected: Iterable, names: Iterable[str], **how: Any) -> Look:
    """A look at several arrays, which have names in the report."""
    pairs = list(zip(expected, names, strict=True))

    def look(got: Any) -> Mismatch | None:
        return first_wrong(
            close(one, other, what=name, **how)
            for (other, name), one in zip(pairs, got, strict=True)
        )

    return look


def first_wrong(found: Iterable[Wrong]) -> Wrong:
    """The first of several things that is wrong."""
    return next((wrong for wrong in found if wrong), None)


def within(place: str, wrong: Wrong) -> Wrong:
    """Puts a place in front of what is wrong."""
    if isinstance(wrong, Mismatch):
        return replace(wrong, message=f"{place}: {wrong.message}")
    return wrong and Mismatch(f"{place}: {wrong}")
