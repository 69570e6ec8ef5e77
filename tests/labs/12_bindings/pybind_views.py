"""Arrays of every layout that NumPy has, for the cases and the driver of part B."""

import numpy as np

NUMBERS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
LAYOUTS = (
    "plain", "read-only", "reversed", "every second", "transposed", "unaligned",
    "big-endian", "row", "column", "stretched",
)  # fmt: skip


def view_of(values: np.ndarray, layout: str) -> np.ndarray:
    """An array with the elements of ``values``, in a layout of LAYOUTS.

    With ``stretched`` all elements along the first axis are those at index 0.
    """
    plain = np.array(values, order="C")
    if layout == "read-only":
        plain.flags.writeable = False
    elif layout in ("transposed", "row", "reversed", "stretched") and not plain.ndim:
        return plain
    elif layout == "reversed":
        return plain[::-1].copy()[::-1]
    elif layout == "every second":
        return np.repeat(plain, 2).reshape(*plain.shape, 2)[..., 0]
    elif layout == "transposed":
        return np.ascontiguousarray(plain.T).T
    elif layout == "unaligned":
        memory = np.zeros(plain.nbytes + 1, np.uint8)[1:]
        memory[:] = plain.reshape(-1).view(np.uint8)
        return memory.view(plain.dtype).reshape(plain.shape)
    elif layout == "big-endian":
        return plain.astype(plain.dtype.newbyteorder(">"))
    elif layout == "row":
        return np.stack([plain, plain, plain])[1]
    elif layout == "column":
        return np.stack([plain, plain], axis=-1)[..., 1]
    elif layout == "stretched":
        return np.broadcast_to(plain[:1], plain.shape)
    return plain
