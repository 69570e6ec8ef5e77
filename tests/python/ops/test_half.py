"""float16 and bfloat16 against numpy, and against arithmetic on their bits."""

import numpy as np
import pytest

import minitf as tf

ALL_BITS = np.arange(1 << 16, dtype=np.uint16)


def _cast(x: np.ndarray, source: str, target: str) -> np.ndarray:
    """``x``, whose bits are of ``source``, as ``target``; bits for bits."""
    types = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32}
    with tf.Graph().as_default(), tf.Session() as session:
        bits = tf.constant(x.view(types[source]))
        y = tf.bitcast(tf.cast(tf.bitcast(bits, source), target), types[target])
        return session.run(y)


def _bfloat16_as_float(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _nearest_bfloat16(x: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16, by comparing distances in float64."""
    below = (x.view(np.uint32) >> 16).astype(np.uint16)  # towards 0
    above = below + np.uint16(1)
    # In place of infinity its distance counts: as the next power of 2.
    value = np.where(
        above & 0x7FFF == 0x7F80,
        np.copysign(2.0**128, x.astype(np.float64)),
        _bfloat16_as_float(above).astype(np.float64),
    )
    exact = x.astype(np.float64)
    down = np.abs(exact - _bfloat16_as_float(below))
    up = np.abs(value - exact)
    takes_above = (up < down) | ((up == down) & (below % 2 == 1))
    return np.where(takes_above, above, below)


def _floats_around(bits: np.ndarray, as_float) -> np.ndarray:
    """All finite numbers, the points between two of them, and the neighbours of these."""
    numbers = as_float(bits)
    numbers = np.sort(np.unique(numbers[np.isfinite(numbers)])).astype(np.float64)
    largest = numbers[-1]
    beyond = largest + (largest - numbers[-2])  # the power of 2 that comes next
    numbers = np.concatenate([[-beyond], numbers, [beyond]])
    middle = ((numbers[1:] + numbers[:-1]) / 2).astype(np.float32)
    infinity = np.float32(np.inf)
    around = [middle, np.nextafter(middle, infinity), np.nextafter(middle, -infinity)]
    random = np.random.RandomState(3).randint(0, 1 << 32, 200_000, np.uint64)
    anywhere = random.astype(np.uint32).view(np.float32)
    found = np.concatenate([*around, numbers[1:-1].astype(np.float32), anywhere])
    return found[np.isfinite(found)]


def test_every_float16_is_numpys():
    wide = _cast(ALL_BITS, "float16", "float32").view(np.float32)
    expected = ALL_BITS.view(np.float16).astype(np.float32)
    np.testing.assert_array_equal(wide, expected)
    np.testing.assert_array_equal(np.signbit(wide), np.signbit(expected))
    back = _cast(wide, "float32", "float16")
    is_number = ~np.isnan(expected)
    np.testing.assert_array_equal(back[is_number], ALL_BITS[is_number])
    assert np.isnan(back.view(np.float16)[~is_number]).all()


def test_floats_round_to_float16_as_in_numpy():
    x = _floats_around(ALL_BITS, lambda bits: bits.view(np.float16))
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(_cast(x, "float32", "float16"), expected)


def test_every_bfloat16_is_half_a_float():
    wide = _cast(ALL_BITS, "bfloat16", "float32")
    np.testing.assert_array_equal(wide, ALL_BITS.astype(np.uint32) << 16)
    back = _cast(wide, "float32", "bfloat16")
    is_number = ~np.isnan(wide.view(np.float32))
    np.testing.assert_array_equal(back[is_number], ALL_BITS[is_number])
    assert np.isnan(_bfloat16_as_float(back[~is_number])).all()


def test_floats_round_to_the_nearest_bfloat16():
    x = _floats_around(ALL_BITS, _bfloat16_as_float)
    np.testing.assert_array_equal(_cast(x, "float32", "bfloat16"), _nearest_bfloat16(x))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_kernels_compute_in_float_and_round_once(dtype):
    x = np.random.RandomState(4).randn(3, 1001).astype(np.float32)
    x = _cast(_cast(x, "float32", dtype), dtype, "float32").view(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        half = tf.cast(tf.constant(x), dtype)
        results = [
            (half + half[::-1], x + x[::-1]),
            (half * half[:1], x * x[:1]),
            (tf.matmul(half, half, transpose_b=True), x @ x.T),
            (tf.reduce_max(half, 1), x.max(1)),
            (tf.reduce_sum(half, 0), x.sum(0)),
        ]
        for y, expected in results:
            got = session.run(tf.cast(y, tf.float32))
            step = 2.0 ** (-11 if dtype == "float16" else -8)
            np.testing.assert_allclose(got, expected, rtol=step * 1.01, atol=1e-6)
