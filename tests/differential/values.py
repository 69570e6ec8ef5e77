"""Arrays that a case is made of: how they are drawn, and how they read as Python text."""

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FLOATS = ("float32", "float64", "float16", "bfloat16")
WIDE = ("float32", "float64")
SIGNED = ("int32", "int64", "int8", "int16")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
COMPLEX = ("complex64", "complex128")
REAL = FLOATS + INTS
NUMBERS = REAL + COMPLEX
ALL = (*NUMBERS, "bool", "string")

# How often a type of a list is taken: the first ones are what most programs use.
_WEIGHTS = {"float32": 12, "float64": 4, "int32": 6, "int64": 3, "bool": 2}

_EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 1e-45, 1e-40, 3e38, -3e38)


def pick_type(pick: random.Random, types: tuple[str, ...]) -> str:
    """One of ``types``, the common ones more often."""
    return pick.choices(types, [_WEIGHTS.get(name, 1) for name in types])[0]


@dataclass
class TensorArg:
    """A tensor that a case hands to a function.

    Attributes:
        array: its value; that of a bfloat16 is float32.
        dtype: the name of its type.
        how: "tensor" or "literal"; a literal goes to the function as it is.
        known: how much of the shape a placeholder says: a list with None for what it
            leaves out, None for a shape of unknown rank, "constant" for a constant.
    """

    array: np.ndarray
    dtype: str
    how: str = "tensor"
    known: Any = "constant"
    name: str = ""


@dataclass
class Ranges:
    """Which numbers a tensor may hold.

    Attributes:
        low, high: of floats, and of integers where these are not given.
        ints: the smallest and the largest integer.
        edges: how often an array holds infinities, nan, denormals and the like.
    """

    low: float = -2.0
    high: float = 2.0
    ints: tuple[int, int] | None = None
    edges: float = 0.12
    steps: int = 8
    values: tuple = field(default=())


def draw_array(
    pick: random.Random, shape: tuple[int, ...], dtype: str, ranges: Ranges
) -> np.ndarray:
    """An array of ``shape``; floats are multiples of 1/8, so that ties come up."""
    size = int(np.prod(shape))
    if dtype == "string":
        words = [b"", b"a", b"abc", b"A b", b"1.5", b"\xff"]
        return np.array([pick.choice(words) for _ in range(size)], object).reshape(shape)
    if dtype == "bool":
        return np.array([pick.random() < 0.5 for _ in range(size)], bool).reshape(shape)
    if dtype in INTS:
        return _draw_ints(pick, size, dtype, ranges).reshape(shape)
    numbers = _draw_floats(pick, size, ranges)
    if dtype in COMPLEX:
        numbers = numbers.astype(complex)
        numbers.imag = _draw_floats(pick, size, ranges)
    kind = "float32" if dtype == "bfloat16" else dtype
    with np.errstate(all="ignore"):
        return np.asarray(numbers).astype(kind).reshape(shape)


def _draw_ints(pick: random.Random, size: int, dtype: str, ranges: Ranges) -> np.ndarray:
    limits = np.iinfo(dtype)
    low, high = ranges.ints or (-4, 5)
    low, high = max(low, limits.min), min(high, limits.max)
    found = [pick.randint(low, high) for _ in range(size)]
    if size and ranges.ints is None and pick.random() < ranges.edges:
        found[pick.randrange(size)] = pick.choice([limits.min, limits.max])
    return np.array(found, dtype)


def _draw_floats(pick: random.Random, size: int, ranges: Ranges) -> np.ndarray:
    if ranges.values:
        return np.array([pick.choice(ranges.values) for _ in range(size)])
    span = ranges.high - ranges.low
    if pick.random() < 0.5:
        found = [
            ranges.low + span * pick.randint(0, ranges.steps) / ranges.steps
            for _ in range(size)
        ]
    else:
        found = [round(pick.uniform(ranges.low, ranges.high), 4) for _ in range(size)]
    if size and pick.random() < ranges.edges:
        for _ in range(pick.randint(1, size)):
            found[pick.randrange(size)] = pick.choice(_EDGES)
    return np.array(found)


# ---- As text ---------------------------------------------------------------------------


def _number(value: Any) -> str:
    if isinstance(value, (bytes, str, bool, np.bool_)):
        return repr(bool(value)) if isinstance(value, (bool, np.bool_)) else repr(value)
    if isinstance(value, (complex, np.complexfloating)):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(str(value)))


def _nested(array: np.ndarray) -> str:
    if array.ndim == 0:
        return _number(array[()])
    return "[" + ", ".join(_nested(array[i, ...]) for i in range(len(array))) + "]"


def array_text(array: np.ndarray, dtype: str) -> str:
    """The array as an expression; a float prints as its shortest decimal."""
    if dtype == "string":
        kind = "object"
    else:
        kind = "float32" if dtype == "bfloat16" else dtype
        kind = f'"{kind}"'
    text = f"np.array({_nested(array)}, {kind})"
    if 0 in array.shape and array.shape != (0,):
        text += f".reshape({list(array.shape)})"
    return text


def literal_text(arg: TensorArg) -> str:
    """The argument as a Python number or list."""
    return _nested(arg.array)
