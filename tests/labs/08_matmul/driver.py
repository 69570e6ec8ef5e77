"""What cases of lab 08 call: products, panels, and what they read and move.

Matrices come as they lie: a is [m,k], or [k,m] if ``transpose_a``, and b is [k,n], or
[n,k] if ``transpose_b``. Nothing here knows what is expected.
"""

from typing import Any

import lab_08_driver
import numpy as np

import minitf as tf


def multiply(
    tier: str,
    a: np.ndarray,
    b: np.ndarray,
    transpose_a: bool,
    transpose_b: bool,
    threads: int,
) -> np.ndarray:
    """The product by a tier, or as MatMul has it for the tier "any"; 0 is no pool."""
    return lab_08_driver.multiply(tier, a, b, transpose_a, transpose_b, threads)


def itself(tier: str, a: np.ndarray, transpose_a: bool, transpose_b: bool) -> np.ndarray:
    """The product of a matrix and itself, both in the same memory."""
    return lab_08_driver.multiply(tier, a, a, transpose_a, transpose_b, 0)


def again(
    tier: str,
    first_a: np.ndarray,
    first_b: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    transpose_a: bool,
    transpose_b: bool,
) -> np.ndarray:
    """The product of a and b, in the memory in which two others have been multiplied."""
    return lab_08_driver.multiply_again(
        tier, first_a, first_b, a, b, transpose_a, transpose_b
    )


def products(
    tier: str, a: np.ndarray, b: np.ndarray, transpose_a: bool, transpose_b: bool
) -> list[np.ndarray]:
    """The product without threads, and by 1 to 4 of them."""
    return [
        lab_08_driver.multiply(tier, a, b, transpose_a, transpose_b, threads)
        for threads in range(5)
    ]


def matmul(
    a: np.ndarray, b: np.ndarray, transpose_a: bool, transpose_b: bool
) -> np.ndarray:
    """What the op gives in a session."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.constant(a), tf.constant(b)]
        product = tf.matmul(*inputs, transpose_a=transpose_a, transpose_b=transpose_b)
        return session.run(product)


def ask(tier: str, a: np.ndarray, b: np.ndarray, last: int) -> list:
    """How often it is asked whether to go on, and whether the work was given up.

    Args:
        tier: Which one.
        a: The one factor.
        b: The other one.
        last: The number of the question at which it is to be given up.
    """
    return list(lab_08_driver.ask(tier, a, b, last))


def traffic(
    tier: str, a: np.ndarray, b: np.ndarray, transpose_a: bool, transpose_b: bool
) -> dict[str, Any]:
    """The product, and what is read, written and moved for it."""
    return lab_08_driver.traffic(tier, a, b, transpose_a, transpose_b)


def panel(
    matrix: np.ndarray, is_transposed: bool, numbers: list[int], is_in_cache: bool
) -> dict[str, Any]:
    """A panel: first row, rows, first column, depth and uses are ``numbers``."""
    return lab_08_driver.panel(matrix, is_transposed, numbers, is_in_cache)


def packed(
    a: np.ndarray,
    b: np.ndarray,
    transpose_a: bool,
    transpose_b: bool,
    lanes: int,
    rows: int,
    adds: bool,
    is_in_cache: bool,
    threads: int,
) -> dict[str, Any]:
    """The packed product with a micro-kernel of a size, and the calls of this."""
    return lab_08_driver.packed(
        a, b, transpose_a, transpose_b, lanes, rows, adds, is_in_cache, threads
    )


def packed_traffic(
    a: np.ndarray,
    b: np.ndarray,
    transpose_a: bool,
    transpose_b: bool,
    lanes: int,
    rows: int,
) -> dict[str, Any]:
    """What the copies of a packed product read and move."""
    return lab_08_driver.packed_traffic(a, b, transpose_a, transpose_b, lanes, rows)


def packed_far(
    a: np.ndarray,
    b: np.ndarray,
    transpose_a: bool,
    transpose_b: bool,
    apart: list[int],
    lanes: int,
    rows: int,
) -> np.ndarray:
    """The packed product of matrices whose lines lie so many elements apart in memory."""
    return lab_08_driver.packed_far(a, b, transpose_a, transpose_b, apart, lanes, rows)


def places_of_product(m: int, n: int) -> dict[str, int]:
    """For how many elements [m,n] a kernel is called, and the sum of their places."""
    return lab_08_driver.places_of_product(m, n)
