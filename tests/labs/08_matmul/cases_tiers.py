"""Cases of tasks 08.1 to 08.4: three loops, their order, tiles."""

from collections.abc import Iterator

import numpy as np

from minitf_lab.judge.case import Case, Trial, case
from minitf_lab.judge.draw import REAL, Draw

from .trials import (
    LINE,
    TRANSPOSES,
    Product,
    Sizes,
    again_trials,
    asks_trial,
    draw_product,
    itself_trials,
    known_trial,
    odd_products,
    product_trial,
    small_products,
    traffic_trial,
    zeros_trials,
)

SIDE = 32  # of a tile


def _matrices(a: list, b: list, dtype: str, *transposes: bool) -> Product:
    return Product(np.array(a, dtype), np.array(b, dtype), *transposes)


def _single_infinities(tier: str, draw: Draw, dtype: str) -> Iterator[Trial]:
    """One infinity in a factor, which the sums of one row or column alone may meet."""
    for sizes in [(3, 33, 64), (34, 70, 33), (64, 35, 3)]:
        for transposes in TRANSPOSES:
            for which in ("a", "b"):
                product = draw_product(draw, sizes, dtype, "whole", transposes)
                matrix = getattr(product, which)
                matrix[matrix == 0] = 1
                place = tuple(draw.whole(1, size - 1) for size in matrix.shape)
                matrix[place] = np.inf
                yield product_trial(tier, product)


def _cases_of(task: str, label: str, tier: str) -> list[Case]:
    """What is asked of each tier; ``label`` tells the cases of two tasks apart."""
    over = [(label, dtype) for dtype in REAL]

    @case(task, over=over)
    def by_heart(draw, label, dtype):
        """Products that were worked out by hand."""
        row, column = [[3, 3]], [[2], [2]]
        yield known_trial(tier, _matrices(row, column, dtype, False, False), [[12]])
        yield known_trial(
            tier, _matrices(column, row, dtype, False, False), [[6, 6], [6, 6]]
        )
        a, b = [[1, 2, 3], [4, 5, 6]], [[1, 0], [2, -1], [0, 3]]
        yield known_trial(tier, _matrices(a, b, dtype, False, False), [[5, 7], [14, 13]])
        yield known_trial(tier, _matrices(b, a, dtype, True, True), [[5, 14], [7, 13]])

    @case(task, over=over)
    def small_shapes(draw, label, dtype):
        """All sizes from 1 to 3, in all four cases of the two transposes."""
        for product in small_products(draw, dtype):
            yield product_trial(tier, product)

    @case(task, over=over)
    def odd_shapes(draw, label, dtype):
        """Sizes near 32 and 64 and far from them, with all kinds of numbers."""
        for product in odd_products(draw, dtype, 40):
            yield product_trial(tier, product)

    @case(task, over=over)
    def infinities_and_none(draw, label, dtype):
        """Infinities and NaN come where they belong, and nowhere else."""
        for product in odd_products(draw, dtype, 16, kinds=("special",)):
            yield product_trial(tier, product)
        for sizes in [(3, 2, 5), (33, 31, 35), (5, 40, 34)]:
            for transposes in TRANSPOSES:
                product = draw_product(draw, sizes, dtype, "whole", transposes)
                product.a.fill(np.inf)
                product.b.fill(1)
                yield product_trial(tier, product)
        yield from _single_infinities(tier, draw, dtype)

    @case(task, over=over)
    def long_shapes(draw, label, dtype):
        """One size is larger than any room that is set aside, the others are small."""
        for sizes in [(2, 5000, 3), (3, 2, 5000), (5000, 3, 2)]:
            for transposes in TRANSPOSES:
                yield product_trial(
                    tier, draw_product(draw, sizes, dtype, "whole", transposes)
                )

    @case(task, over=over)
    def zeros_and_infinities(draw, label, dtype):
        """Zero times infinity is NaN, also where all elements are zero."""
        yield from zeros_trials(tier, draw, dtype)

    @case(task, over=over)
    def times_itself(draw, label, dtype):
        """Both factors may be the same matrix."""
        yield from itself_trials(tier, draw, dtype)

    @case(task, over=over)
    def other_numbers_in_the_same_place(draw, label, dtype):
        """Nothing is kept from one product for the next one."""
        yield from again_trials(tier, draw, dtype)

    members = [by_heart, small_shapes, odd_shapes, infinities_and_none, long_shapes]
    members += [zeros_and_infinities, times_itself, other_numbers_in_the_same_place]
    return [one for member in members for one in member]


NAIVE = _cases_of("08.1", "naive", "naive")
REORDERED = _cases_of("08.2", "reordered", "reordered")
COPIES = _cases_of("08.3", "copies", "tiled")
TILED = _cases_of("08.4", "tiled", "tiled")


# Hidden cases stand at file scope: a release cuts them there.


def _other_shapes(tier: str, draw: Draw, dtype: str) -> Iterator[Trial]:
    """Other sizes, and other numbers."""
    for product in odd_products(draw, dtype, 60):
        yield product_trial(tier, product)


@case("08.1", over=REAL, hidden=True)
def more_naive_shapes(draw, dtype):
    """Other sizes, and other numbers."""
    yield from _other_shapes("naive", draw, dtype)


@case("08.2", over=REAL, hidden=True)
def more_reordered_shapes(draw, dtype):
    """Other sizes, and other numbers."""
    yield from _other_shapes("reordered", draw, dtype)


@case("08.3", over=REAL, hidden=True)
def more_copied_shapes(draw, dtype):
    """Other sizes, and other numbers."""
    yield from _other_shapes("tiled", draw, dtype)


@case("08.4", over=REAL, hidden=True)
def more_tiled_shapes(draw, dtype):
    """Other sizes, and other numbers."""
    yield from _other_shapes("tiled", draw, dtype)


# ---- 08.1 -----------------------------------------------------------------------------


@case("08.1")
def each_element_is_written_once(draw):
    """The sum is not kept in the product, which is written once and never read."""
    for sizes in [(1, 1, 1), (2, 3, 4), (5, 7, 3), (20, 30, 10), (2, 700, 3)]:
        m, _, n = sizes
        for transposes in TRANSPOSES:
            product = draw_product(draw, sizes, transposes=transposes)
            bounds = {"writes_of_product": m * n, "reads_of_product": 0}
            yield traffic_trial("naive", product, bounds)


# ---- 08.2 -----------------------------------------------------------------------------


def _lines_of_rows(sizes: Sizes, transposes: tuple[bool, bool]) -> float:
    """What the README allows: each row of b once for each row of a, and some more."""
    m, k, n = sizes
    lines = (
        m * k * n / LINE + m * k * (1 if transposes[0] else 1 / LINE) + 2 * m * n / LINE
    )
    if transposes[1]:
        lines += 3 * k * n
    return 1.1 * lines


WIDE = [(8, 64, 256), (64, 128, 128), (100, 100, 100), (16, 400, 64), (3, 520, 200)]
WIDE += [(128, 128, 128)]


@case("08.2", over=[(False, False), (True, False), (False, True), (True, True)])
def lines_along_rows(draw, transpose_a, transpose_b):
    """Each line of b that is fetched is used to its end."""
    transposes = (transpose_a, transpose_b)
    for sizes in WIDE:
        product = draw_product(draw, sizes, transposes=transposes)
        bounds = {"lines": _lines_of_rows(sizes, transposes)}
        yield traffic_trial("reordered", product, bounds)


@case("08.2")
def a_large_transposed_b(draw):
    """A copy of b is larger than a thread's stack."""
    yield product_trial(
        "reordered", draw_product(draw, (1, 1500, 1600), transposes=(False, True))
    )


@case("08.2")
def rows_that_are_given_up(draw):
    """The work asks for each row whether to go on."""
    for m in (1, 5, 40):
        yield asks_trial("reordered", draw_product(draw, (m, 9, 11)), m)


@case("08.2", hidden=True)
def lines_of_other_shapes(draw):
    """Each line is used to its end for other sizes, too."""
    for _ in range(6):
        sizes = (draw.whole(5, 40), draw.whole(100, 180), draw.whole(90, 150))
        transposes = draw.one_of(TRANSPOSES)
        product = draw_product(draw, sizes, transposes=transposes)
        bounds = {"lines": _lines_of_rows(sizes, transposes)}
        yield traffic_trial("reordered", product, bounds)


# ---- 08.3 and 08.4 --------------------------------------------------------------------


def _tiles(size: int) -> int:
    return -(-size // SIDE)


def _reads_of_tiles(sizes: Sizes) -> dict[str, float]:
    """An element of a is copied for each tile to the right, one of b for each below."""
    m, k, n = sizes
    return {"reads_of_a": m * k * _tiles(n), "reads_of_b": k * n * _tiles(m)}


def _lines_of_tiles(sizes: Sizes) -> dict[str, float]:
    """What the README allows: three tiles for 32 x 32 x 32 products, and half as much."""
    m, k, n = sizes
    triples = _tiles(m) * _tiles(k) * _tiles(n)
    side = SIDE * SIDE / LINE
    once = (m * k + k * n + 2 * m * n) / LINE
    return {"lines": 1.5 * (triples * 3 * side + once)}


@case("08.3")
def tiles_are_copied_once(draw):
    """No element is read that does not belong to the tile, and none twice."""
    for sizes in [(1, 1, 1), (3, 5, 2), (31, 33, 32), (40, 70, 65)]:
        for transposes in TRANSPOSES:
            product = draw_product(draw, sizes, transposes=transposes)
            yield traffic_trial("tiled", product, _reads_of_tiles(sizes))


# Rows of a product of 1024 columns are rivals for the same lines of the cache.
TILED_SIZES = [(64, 96, 96), (100, 100, 100), (128, 128, 128), (40, 260, 70)]
TILED_SIZES += [(32, 32, 1024)]


@case("08.4", over=[(False, False), (True, False), (False, True), (True, True)])
def lines_of_tiles(draw, transpose_a, transpose_b):
    """A line is fetched once for each tile, not once for each row."""
    for sizes in TILED_SIZES:
        product = draw_product(draw, sizes, transposes=(transpose_a, transpose_b))
        yield traffic_trial("tiled", product, _lines_of_tiles(sizes))


@case("08.4")
def tiles_are_copied_for_tiles(draw):
    """No element is copied more often than there are tiles that need it."""
    for sizes in [(1, 1, 1), (31, 33, 32), (40, 70, 65), (65, 20, 100)]:
        for transposes in TRANSPOSES:
            product = draw_product(draw, sizes, transposes=transposes)
            yield traffic_trial("tiled", product, _reads_of_tiles(sizes))


@case("08.4")
def tiles_that_are_given_up(draw):
    """The work asks for each column of tiles and each depth whether to go on."""
    for sizes in [(3, 4, 5), (33, 33, 33), (40, 100, 70)]:
        least = _tiles(sizes[1]) * _tiles(sizes[2])
        yield asks_trial("tiled", draw_product(draw, sizes), least)


@case("08.4", hidden=True)
def lines_of_other_tiles(draw):
    """A line is fetched once for each tile, for other sizes, too."""
    for _ in range(6):
        sizes = (draw.whole(40, 100), draw.whole(90, 130), draw.whole(90, 130))
        product = draw_product(draw, sizes, transposes=draw.one_of(TRANSPOSES))
        yield traffic_trial("tiled", product, _lines_of_tiles(sizes))
