"""Cases of tasks 08.5 to 08.7: crosswise copies, panels of a, slivers of b."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw
from minitf_lab.judge.trials import text_of

from .trials import (
    LINE,
    TRANSPOSES,
    Kernel,
    again_trials,
    at_most,
    copies_trial,
    draw_kernel,
    draw_product,
    packed_products,
    packed_trial,
    product_trial,
    slivers_are_right,
    small_products,
    threads_trial,
)

USES_WITHOUT_COPY = 2  # a panel is copied for more uses
WITH_B_TRANSPOSED = [(False, True), (True, True)]

# ---- 08.5 -----------------------------------------------------------------------------


@case("08.5", over=REAL)
def transposed_b(draw, dtype):
    """All small products by a transposed b."""
    for product in small_products(draw, dtype, 4):
        if product.transpose_b:
            yield product_trial("packed", product)


@case("08.5", over=REAL)
def transposed_slivers(draw, dtype):
    """Products by a transposed b, with kernels of many sizes."""
    for product, kernel in packed_products(draw, 60, dtype, WITH_B_TRANSPOSED):
        yield packed_trial(product, kernel)


@case("08.5", over=REAL)
def long_slivers(draw, dtype):
    """Slivers of more steps than a cache line has, and of all numbers beside that."""
    for k in (15, 16, 17, 31, 33, 100, 513):
        product = draw_product(draw, (5, k, 9), dtype, transposes=(False, True))
        yield packed_trial(product, Kernel(4, 6))


@case("08.5", over=REAL)
def wide_slivers(draw, dtype):
    """Slivers of more columns than those of any machine today."""
    for n in (33, 40, 47, 48, 65, 100):
        for lanes in (20, 24, 33):
            product = draw_product(draw, (5, 18, n), dtype, transposes=(False, True))
            yield packed_trial(product, Kernel(lanes, 6))


@case("08.5", over=REAL)
def slivers_for_threads(draw, dtype):
    """Threads turn slivers at the same time."""
    for sizes in [(64, 500, 300), (16, 1024, 1024)]:
        for kind in ("whole", "plain"):
            product = draw_product(draw, sizes, dtype, kind, (False, True))
            yield threads_trial("packed", product)


def _lines_of_copies(k: int, n: int) -> dict[str, float]:
    """What the README allows: a line is fetched, one is written, and half as much."""
    return {"lines": 1.5 * 3 * (k * n / LINE) + 200, "reads_of_b": k * n}


@case("08.5")
def lines_crosswise(draw):
    """A line is left when all of it is used: of b and of the copy."""
    for k, n in [(512, 32), (500, 100), (512, 64), (1024, 64), (1000, 40), (64, 320)]:
        product = draw_product(draw, (1, k, n), transposes=(False, True))
        yield copies_trial(product, Kernel(16, 4), _lines_of_copies(k, n))


@case("08.5", hidden=True)
def other_lines_crosswise(draw):
    """A line is left when all of it is used, for other sizes."""
    for _ in range(8):
        k, n = draw.one_of([256, 512, 1024, draw.whole(300, 900)]), draw.whole(30, 130)
        product = draw_product(draw, (1, k, n), transposes=(False, True))
        bounds = _lines_of_copies(k, -(-n // 32) * 32)
        yield copies_trial(product, Kernel(16, 4), bounds)


@case("08.5", over=REAL, hidden=True)
def more_transposed_slivers(draw, dtype):
    """Other products by a transposed b."""
    for product, kernel in packed_products(draw, 90, dtype, WITH_B_TRANSPOSED):
        yield packed_trial(product, kernel)


# ---- 08.6 -----------------------------------------------------------------------------


def _panel_trial(
    draw: Draw,
    sizes: tuple[int, int],
    numbers: list[int],
    *,
    dtype: str = "float32",
    is_transposed: bool = False,
    is_in_cache: bool = False,
    bounds: dict[str, float] | None = None,
) -> Trial:
    """A panel: first row, rows, first column, depth and uses are ``numbers``."""
    matrix = draw.array(sizes[::-1] if is_transposed else sizes, dtype)
    first_row, rows, first, depth, uses = numbers
    whole = matrix.T if is_transposed else matrix
    expected = whole[first_row : first_row + rows, first : first + depth]
    is_copied = uses > USES_WITHOUT_COPY and not is_in_cache

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]
        if wrong := close(got["elements"], np.ascontiguousarray(expected)):
            return wrong
        if got["is_copied"] != is_copied:
            return (
                f"it is {'a copy' if got['is_copied'] else 'where it lies'}, expected "
                f"{'a copy' if is_copied else 'where it lies'}"
            )
        return at_most(bounds or {}, got)

    words = [f"rows {first_row} to {first_row + rows - 1}"]
    words += [f"columns {first} to {first + depth - 1}", f"for {uses} uses"]
    kind = "transposed " * is_transposed + "cached " * is_in_cache
    title = f"a panel of a {kind}{dtype} matrix {text_of(sizes)}: {', '.join(words)}"
    arguments = {"matrix": matrix, "is_transposed": is_transposed, "numbers": numbers}
    call = Call("panel", {**arguments, "is_in_cache": is_in_cache})
    return Trial(title, [call], check)


def _panels(draw: Draw, dtype: str, count: int) -> Iterator[Trial]:
    for i in range(count):
        sizes = (draw.whole(1, 4 + i), draw.whole(1, 6 + i))
        first_row, first = (draw.whole(0, size - 1) for size in sizes)
        rows = draw.whole(1, min(sizes[0] - first_row, 14))
        depth = draw.whole(1, sizes[1] - first)
        yield _panel_trial(
            draw,
            sizes,
            [first_row, rows, first, depth, draw.one_of([1, 2, 3, 4, 30])],
            dtype=dtype,
            is_transposed=draw.coin(),
            is_in_cache=draw.coin(0.2),
        )


@case("08.6", over=REAL)
def whole_matrices(draw, dtype):
    """A panel that is all of a small matrix."""
    for m in range(1, 5):
        for k in range(1, 5):
            for is_transposed in (False, True):
                for uses in (1, 3):
                    yield _panel_trial(
                        draw,
                        (m, k),
                        [0, m, 0, k, uses],
                        dtype=dtype,
                        is_transposed=is_transposed,
                    )


@case("08.6", over=REAL)
def parts_of_matrices(draw, dtype):
    """Panels from the middle of a matrix, and up to its ends."""
    yield from _panels(draw, dtype, 60)


@case("08.6")
def copies_that_pay(draw):
    """A copy is made for more than 2 uses, and not of what is in the cache."""
    for uses in (1, 2, 3, 4, 100):
        for is_in_cache in (False, True):
            for is_transposed in (False, True):
                yield _panel_trial(
                    draw,
                    (8, 9),
                    [2, 4, 1, 7, uses],
                    is_transposed=is_transposed,
                    is_in_cache=is_in_cache,
                )


@case("08.6")
def lines_of_panels(draw):
    """A panel is copied in the order in which it lies, and each element once."""
    for m, k in [(14, 512), (300, 512), (1024, 100), (60, 1024)]:
        for is_transposed in (False, True):
            depth = min(k, 512)
            length, runs = (14, depth) if is_transposed else (depth, 14)
            # A run that begins within a line needs one line more.
            lines = 1.3 * (runs * (length / LINE + 2) + 2 * 14 * (depth / LINE + 2))
            yield _panel_trial(
                draw,
                (m, k),
                [0, 14, 0, depth, 9],
                is_transposed=is_transposed,
                bounds={"lines": lines, "reads_of_a": 14 * depth},
            )


@case("08.6", over=REAL)
def panels_at_work(draw, dtype):
    """Products in which panels are copied, and products in which they are not."""
    for product, kernel in packed_products(draw, 40, dtype, TRANSPOSES):
        yield packed_trial(product, kernel, is_in_cache=draw.coin(0.2))


@case("08.6", over=REAL, hidden=True)
def more_parts_of_matrices(draw, dtype):
    """Panels of other matrices."""
    yield from _panels(draw, dtype, 100)


# ---- 08.7 -----------------------------------------------------------------------------


def _sliver_trials(draw: Draw, count: int, dtype: str, transposes: list) -> Iterator:
    for product, kernel in packed_products(draw, count, dtype, transposes):
        claims = (slivers_are_right(product, kernel),) if product.sizes[1] > 1 else ()
        yield packed_trial(product, kernel, claims=claims)


@case("08.7", over=REAL)
def slivers(draw, dtype):
    """Slivers that lie in rows, of all widths."""
    yield from _sliver_trials(draw, 60, dtype, [(False, False), (True, False)])


@case("08.7", over=REAL)
def slivers_of_transposed_matrices(draw, dtype):
    """Slivers that lie in columns are always copied."""
    yield from _sliver_trials(draw, 40, dtype, WITH_B_TRANSPOSED)


@case("08.7")
def slivers_that_stay(draw):
    """A sliver of whole vectors stays where it is for few panels, or if b is small."""
    sizes = [
        (lanes, 6, n)
        for lanes in (1, 2, 4)
        for n in (2 * lanes, lanes, 6 * lanes, 2 * lanes + 1, 5 * lanes - 1)
    ]
    # 16,384 bytes, and more.
    sizes += [(4, 512, 8), (4, 512, 12), (4, 400, 16), (2, 170, 25), (2, 700, 16)]
    for panels in range(1, 8):
        for lanes, k, n in sizes:
            kernel = Kernel(lanes, 4)
            product = draw_product(draw, (4 * panels - 1, k, n))
            claims = (slivers_are_right(product, kernel),)
            yield packed_trial(product, kernel, claims=claims)


@case("08.7")
def slivers_with_more_steps_behind(draw):
    """What lies behind a row is not read, though there are more rows."""
    for k in (513, 520):
        for n in range(1, 10):
            kernel = Kernel(4, 5)
            product = draw_product(draw, (9, k, n))
            claims = (slivers_are_right(product, kernel),) if n > 1 else ()
            yield packed_trial(product, kernel, claims=claims)


@case("08.7", over=REAL)
def nothing_behind_b(draw, dtype):
    """No vector is read that reaches beyond the end of b, or meets what is not there."""
    for n in range(1, 20):
        for m in (1, 9, 40):
            product = draw_product(draw, (m, 3, n), dtype)
            yield packed_trial(product, Kernel(4, 5))


@case("08.7", over=REAL)
def infinities_in_slivers(draw, dtype):
    """Infinities and NaN come where they belong."""
    for sizes in [(3, 2, 5), (7, 5, 40), (70, 9, 33), (20, 30, 64)]:
        for transposes in TRANSPOSES:
            yield product_trial(
                "packed", draw_product(draw, sizes, dtype, "special", transposes)
            )


@case("08.7", over=REAL)
def other_slivers_in_the_same_place(draw, dtype):
    """No sliver is kept from one product for the next one."""
    yield from again_trials("packed", draw, dtype)


@case("08.7")
def slivers_are_copied_once(draw):
    """An element of b is read once for each block of rows."""
    for sizes in [(20, 8, 30), (100, 30, 17), (60, 520, 9), (340, 4, 40)]:
        for transposes in TRANSPOSES:
            kernel = draw_kernel(draw)
            m, k, n = sizes
            blocks = -(-m // (336 // kernel.rows * kernel.rows))
            product = draw_product(draw, sizes, transposes=transposes)
            yield copies_trial(product, kernel, {"reads_of_b": blocks * k * n})


@case("08.7", over=REAL, hidden=True)
def more_slivers(draw, dtype):
    """Other slivers."""
    yield from _sliver_trials(draw, 90, dtype, TRANSPOSES)
