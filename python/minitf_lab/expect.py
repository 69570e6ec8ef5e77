"""What the cases of a lab in Python compare with, so that the report can say where.

As in C++ (tests/testing.h), the first difference goes into the report of the lab. A case
that goes from small shapes to large ones, and stops at the first that fails, reports the
smallest shape that fails.
"""

import numpy as np
from numpy.typing import ArrayLike


class DifferenceError(AssertionError):
    """Two arrays differ.

    Attributes:
        details: ``index``, ``expected``, ``got`` and ``shape``, for the report.
    """

    def __init__(self, message: str, **details: str) -> None:
        super().__init__(message)
        self.details = details


def all_close(
    got: ArrayLike, expected: ArrayLike, *, tolerance: float = 1e-9, what: str = "element"
) -> None:
    """Compares shapes, and elements up to ``tolerance``.

    Args:
        got: From the code under test.
        expected: From the test.
        tolerance: The largest difference, or that part of what was expected if this is
            larger than 1. NaN is close to NaN only.
        what: Which array it is, such as "dL/da".

    Raises:
        DifferenceError: they differ; it names the first element that does.

    >>> all_close([1.0, 2.5], [1.0, 2.0])
    Traceback (most recent call last):
    ...
    minitf_lab.expect.DifferenceError: element (1) is 2.5, expected 2.0
    """
    got, expected = np.asarray(got), np.asarray(expected)
    shape = str(expected.shape)
    if got.shape != expected.shape:
        raise DifferenceError(
            f"{what} has shape {got.shape}, expected {shape}",
            index=what,
            expected=f"shape {shape}",
            got=f"shape {got.shape}",
            shape=shape,
        )
    bound = tolerance * np.maximum(1, np.abs(expected))
    with np.errstate(invalid="ignore"):  # of infinities
        is_near = np.isfinite(expected) & (np.abs(got - expected) <= bound)
    near = (got == expected) | is_near
    near |= np.isnan(got) & np.isnan(expected)
    if near.all():
        return
    place = tuple(int(i) for i in np.argwhere(~near)[0])
    index = f"({','.join(map(str, place))})"
    raise DifferenceError(
        f"{what} {index} is {got[place]}, expected {expected[place]}",
        index=index,
        expected=str(expected[place]),
        got=str(got[place]),
        shape=shape,
    )
