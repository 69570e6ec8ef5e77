"""Cases of tasks 08.10 and 08.11: rows, columns, whole and complex numbers."""

from collections.abc import Iterator

import numpy as np

from minitf_lab.judge.case import Call, Trial, case, close
from minitf_lab.judge.draw import KINDS, REAL, Draw

from .trials import (
    TRANSPOSES,
    Product,
    again_trials,
    draw_product,
    itself_trials,
    known_trial,
    product_trial,
    small_products,
    threads_trial,
    zeros_trials,
)

OTHERS = ("int32", "int64", "complex64", "complex128")


def _matmul_trial(product: Product, expected: list) -> Trial:
    array = np.array(expected, product.a.dtype).reshape(
        product.left.shape[0], product.right.shape[1]
    )
    return Trial(
        f"tf.matmul: {product}",
        [Call("matmul", product.arguments)],
        lambda values: close(values[0], array),
    )


# ---- 08.10 ----------------------------------------------------------------------------


@case("08.10", over=REAL)
def golden_rows(draw, dtype):
    """A row times a column, and matrices of no elements."""
    row, column = np.array([[3, 3]], dtype), np.array([[2], [2]], dtype)
    yield _matmul_trial(Product(row, column, False, False), [[12]])
    yield _matmul_trial(Product(column, row, True, True), [[12]])
    yield _matmul_trial(Product(column, column, True, False), [[8]])
    yield _matmul_trial(Product(row, row, False, True), [[18]])
    for m, k, n in [(0, 3, 2), (2, 0, 3), (1, 0, 3), (3, 0, 1), (1, 3, 0)]:
        product = Product(np.zeros((m, k), dtype), np.zeros((k, n), dtype), False, False)
        yield _matmul_trial(product, np.zeros((m, n)).tolist())
    for transposes in TRANSPOSES:  # sizes of TensorFlow's tests
        for sizes in [(1, 512, 512), (512, 512, 1), (1, 256, 1)]:
            product = draw_product(draw, sizes, dtype, "whole", transposes)
            yield product_trial("any", product)


def _lines(draw: Draw, dtype: str, sizes: list, kinds: tuple[str, ...]) -> Iterator:
    for k, length in sizes:
        for transposes in TRANSPOSES:
            for size in ((1, k, length), (length, k, 1)):
                kind = draw.one_of(kinds)
                yield draw_product(draw, size, dtype, kind, transposes)


SMALL = [(k, length) for k in range(1, 5) for length in range(1, 5)]


@case("08.10", over=REAL)
def small_rows_and_columns(draw, dtype):
    """Rows and columns of 1 to 4 elements, transposed and not."""
    for product in _lines(draw, dtype, SMALL, ("whole",)):
        yield product_trial("any", product)


@case("08.10", over=REAL)
def two_matrices(draw, dtype):
    """What has more than one row and more than one column goes to the panels."""
    for product in small_products(draw, dtype):
        yield product_trial("any", product)


@case("08.10", over=REAL)
def rows_and_columns(draw, dtype):
    """Rows and columns of many lengths, with all kinds of numbers."""
    sizes = [(draw.whole(1, 60), draw.whole(1, 60)) for _ in range(8)]
    sizes += [(draw.whole(5, 200), 1) for _ in range(6)]  # a row times a column
    for product in _lines(draw, dtype, sorted(sizes, key=np.prod), KINDS):
        yield product_trial("any", product)


@case("08.10", over=REAL)
def infinities_in_rows(draw, dtype):
    """Infinities and NaN come where they belong."""
    sizes = [(1, 1), (3, 2), (17, 9), (9, 33)]
    for product in _lines(draw, dtype, sizes, ("special",)):
        yield product_trial("any", product)


@case("08.10", over=REAL)
def other_rows_in_the_same_place(draw, dtype):
    """Nothing is kept from one product for the next one."""
    yield from again_trials("any", draw, dtype)


@case("08.10", over=REAL)
def zeros_in_rows(draw, dtype):
    """Zero times infinity is NaN, also where all elements are zero."""
    yield from zeros_trials("any", draw, dtype)


@case("08.10", over=REAL)
def rows_by_threads(draw, dtype):
    """Long rows and columns, which several threads share."""
    sizes = [(3, 5), (128, 256), (40, 1001)]
    for product in _lines(draw, dtype, sizes, ("signed", "plain")):
        yield threads_trial("any", product, is_bound=False)


@case("08.10", over=REAL, hidden=True)
def more_rows_and_columns(draw, dtype):
    """Rows and columns of other lengths."""
    sizes = [(draw.whole(1, 200), draw.whole(1, 200)) for _ in range(5)]
    for product in _lines(draw, dtype, sorted(sizes, key=np.prod), KINDS):
        yield threads_trial("any", product, is_bound=False)


# ---- 08.11 ----------------------------------------------------------------------------


@case("08.11", over=OTHERS)
def small_products_of_others(draw, dtype):
    """All sizes from 1 to 3, in all four cases of the two transposes."""
    row, column = np.array([[3, 3]], dtype), np.array([[2], [2]], dtype)
    yield known_trial("any", Product(row, column, False, False), [[12]])
    for product in small_products(draw, dtype):
        yield product_trial("any", product)


def _others(draw: Draw, dtype: str, count: int) -> Iterator[Product]:
    for _ in range(count):
        sizes = tuple(draw.whole(1, 30) for _ in range(3))
        yield draw_product(draw, sizes, dtype, "whole", draw.one_of(TRANSPOSES))


@case("08.11", over=OTHERS)
def odd_products_of_others(draw, dtype):
    """Other sizes."""
    for product in sorted(_others(draw, dtype, 30), key=lambda one: np.prod(one.sizes)):
        yield product_trial("any", product)


@case("08.11", over=["complex64", "complex128"])
def imaginary_units(draw, dtype):
    """The product of i and i is -1, and nothing is conjugated."""
    i = np.array([[1j]], dtype)
    yield known_trial("any", Product(i, i, False, False), [[-1]])
    yield known_trial("any", Product(i, i, True, True), [[-1]])
    a, b = np.array([[1 + 2j, 3 - 1j]], dtype), np.array([[2 - 1j], [1j]], dtype)
    yield known_trial("any", Product(a, b, False, False), [[5 + 6j]])


@case("08.11", over=["complex64", "complex128"])
def complex_infinities(draw, dtype):
    """Parts are infinite or NaN where the products of parts are."""
    for sizes in [(1, 1, 1), (2, 1, 3), (3, 2, 2), (5, 7, 6)]:
        for transposes in TRANSPOSES:
            product = draw_product(draw, sizes, dtype, "special", transposes)
            yield product_trial("any", product)


@case("08.11", over=["complex64", "complex128"])
def complex_zeros(draw, dtype):
    """Zero times infinity is NaN, also where all elements are zero, or all are real."""
    yield from zeros_trials("any", draw, dtype)
    for sizes in [(1, 1, 1), (2, 1, 3), (3, 4, 2)]:
        product = draw_product(draw, sizes, dtype, "special")
        product.a.imag, product.b.imag = 0, 0
        yield product_trial("any", product)


@case("08.11", over=OTHERS)
def others_in_the_same_place(draw, dtype):
    """Nothing is kept from one product for the next one."""
    yield from again_trials("any", draw, dtype)


@case("08.11", over=OTHERS)
def others_times_themselves(draw, dtype):
    """Both factors may be the same matrix."""
    yield from itself_trials("any", draw, dtype)


@case("08.11", over=["int32", "int64"])
def integers_wrap_around(draw, dtype):
    """Sums and products that do not fit lose their upper bits."""
    kind = np.iinfo(dtype)
    for sizes in [(1, 1, 1), (1, 2, 1), (2, 3, 2), (4, 9, 5)]:
        m, k, n = sizes
        for _ in range(4):
            a, b = (
                np.array(
                    [
                        draw.whole(kind.min // 2, kind.max // 2)
                        for _ in range(rows * cols)
                    ],
                    dtype,
                ).reshape(rows, cols)
                for rows, cols in ((m, k), (k, n))
            )
            yield product_trial("any", Product(a, b, False, False))
    largest = np.array([[kind.max, kind.max]], dtype)
    yield product_trial("any", Product(largest, largest.T.copy(), False, False))
    yield product_trial("any", Product(largest, np.ones((2, 1), dtype), False, False))


@case("08.11", over=OTHERS)
def others_by_threads(draw, dtype):
    """However many threads there are, the bits are the same.

    Without threads those of complex numbers may differ: they may be rounded once or twice
    in a multiplication and an addition, as the compiler likes, which may depend on where
    the loop stands.
    """
    is_whole = dtype.startswith("int")
    for sizes in [(3, 4, 5), (20, 2000, 20), (90, 60, 70), (300, 40, 30)]:
        kind = "whole" if is_whole else "signed"
        product = draw_product(draw, sizes, dtype, kind, draw.one_of(TRANSPOSES))
        yield threads_trial("any", product, first=0 if is_whole else 1)


@case("08.11", over=OTHERS, hidden=True)
def more_products_of_others(draw, dtype):
    """More sizes."""
    for product in _others(draw, dtype, 50):
        yield product_trial("any", product)
