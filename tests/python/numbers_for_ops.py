"""What the tests of ops against numpy share: numbers of every type, and comparing."""

import numpy as np

import minitf as tf
from minitf import _minitf
from minitf.framework.dtypes import BY_NUMBER

# How far a result may be off: relative to it, and to 1. Those of 16 bits are computed as
# float and rounded once, by half a unit in the last place.
TOLERANCES = {
    "float16": 1.02 * 2**-11,
    "bfloat16": 1.02 * 2**-8,
    "float32": 4e-6,
    "float64": 1e-12,
    "complex64": 8e-6,
    "complex128": 2e-12,
}
SHORT = ("float16", "bfloat16")


def types_of(op, attr="T"):
    """The names of the types for which `op` has kernels."""
    kernels = _minitf.kernels(op)
    return list(dict.fromkeys(BY_NUMBER[types[attr]].name for _, types, _ in kernels))


def numbers(seed, name, shape, low=-3, high=3):
    """Random numbers as a tensor of the type `name`, and as an array.

    The array is of that type, but for bfloat16, which numpy does not have: float32.
    """
    generator = np.random.default_rng(seed)
    if name == "bool":
        array = generator.random(shape) < 0.5
    elif "int" in name:
        low = max(low, 0) if name.startswith("u") else low
        array = generator.integers(int(low), int(high), shape, endpoint=True).astype(name)
    else:
        array = generator.uniform(low, high, shape)
        if "complex" in name:
            array = array + 1j * generator.uniform(low, high, shape)
        array = np.asarray(array, "float32" if name == "bfloat16" else name)
    tensor = tf.constant(array)
    if name == "bfloat16":
        tensor = tf.cast(tensor, tf.bfloat16)
    return tensor, as_array(tensor)


def as_array(tensor):
    """The value of a tensor; as float32 if it is bfloat16."""
    if tensor.dtype == tf.bfloat16:
        tensor = tf.cast(tensor, tf.float32)
    return tensor.numpy()


def wide(array):
    """Floats and complex numbers with more digits, integers as they are."""
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


def check(result, expected, name, times=1.0, message="", roundings=1):
    """Compares a tensor of the type `name` with an array.

    A result may be off by `times` the tolerance; if it has 16 bits, by `roundings` times
    what rounding once does.
    """
    expected = np.asarray(expected)
    assert result.dtype.name == name, message
    assert tuple(result.shape) == expected.shape, message
    if name not in TOLERANCES:
        np.testing.assert_array_equal(as_array(result), expected, err_msg=message)
        return
    tolerance = TOLERANCES[name] * times
    actual = wide(as_array(result))
    if name in SHORT:
        tolerance = TOLERANCES[name] * roundings
        largest = 65519 if name == "float16" else 3.396e38
        with np.errstate(invalid="ignore"):
            expected = np.where(
                np.abs(expected) > largest, np.sign(expected) * np.inf, expected
            )
    np.testing.assert_allclose(
        actual, expected, rtol=tolerance, atol=tolerance, err_msg=message
    )
