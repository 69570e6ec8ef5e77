"""What a debugger may look for in every tensor.

Compare: tensorflow/python/debug/lib/debug_data.py. Read next: ``cli.py``.
"""

from typing import Any

import numpy as np


def has_inf_or_nan(name: str, value: Any) -> bool:
    """Whether a floating-point tensor holds an infinity or something that is no number.

    >>> has_inf_or_nan("y:0", np.array([1.0, np.nan]))
    True
    """
    del name
    array = np.asarray(value)
    if array.dtype.kind not in "fc" and array.dtype.name not in ("bfloat16", "float16"):
        return False
    return not bool(np.isfinite(array.astype("complex128")).all())


def summary(value: Any) -> str:
    """One line about a value: dtype, shape, and numbers if there are few; else a range.

    >>> summary(np.float32([1, 2, 3]))
    'float32 (3,) [1. 2. 3.]'
    """
    if value is None:
        return "no value"
    array = np.asarray(value)
    kind = f"{array.dtype.name} {array.shape}"
    if array.size <= 6:
        return f"{kind} {np.array2string(array, precision=4)}".replace("\n", "")
    if array.dtype.kind not in "fiub":
        return kind
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    bad = array.size - finite.size
    text = f"{kind} no finite number"
    if finite.size:
        low, high, mean = finite.min(), finite.max(), finite.mean()
        text = f"{kind} {low:.4g} .. {high:.4g}, mean {mean:.4g}"
    return text + (f", {bad} inf or nan" if bad else "")
