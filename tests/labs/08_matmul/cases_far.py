"""Lab 08: matrices whose rows or columns lie further apart than 2^31 elements."""

from collections.abc import Iterator
from typing import Any

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import REAL, Draw

from .trials import Kernel, draw_product

# In 32 bits, with a sign or without, two of these are nothing, or less.
FAR = (2**31 + 8, 2**32 - 16, 2**32 + 64)
BITS_OF_SUM = 53


def _far_trials(
    draw: Draw, dtype: str, transposes: tuple[bool, bool], which: int, far: int
) -> Iterator[Trial]:
    """Products of which one factor is far apart, copied and not.

    Args:
        draw: Of what numbers.
        dtype: Of both.
        transposes: Of both.
        which: 0 for the one factor, 1 for the other one.
        far: How many elements from line to line.
    """
    for sizes in [(4, 3, 3), (3, 4, 9), (19, 3, 2), (19, 4, 9)]:
        product = draw_product(draw, sizes, dtype, "whole", transposes)
        apart = [product.a.shape[1], product.b.shape[1]]
        apart[which] = far
        kernel = Kernel(1, 4)
        size = {"lanes": kernel.lanes, "rows": kernel.rows}
        yield Trial(
            f"packed: {product}, rows of {'ab'[which]} {far} elements apart, {kernel}",
            [Call("packed_far", {**product.arguments, "apart": apart, **size})],
            lambda values, product=product: product.wrong(values[0]),
        )


@case("08.5", over=REAL)
def far_columns(draw, dtype):
    """Columns of a transposed b that are far apart."""
    for far in FAR:
        yield from _far_trials(draw, dtype, (False, True), 1, far)


@case("08.6", over=REAL)
def far_panels(draw, dtype):
    """Rows of a that are far apart, and columns of a transposed one."""
    for far in FAR:
        for is_transposed in (False, True):
            yield from _far_trials(draw, dtype, (is_transposed, False), 0, far)


@case("08.7", over=REAL)
def far_slivers(draw, dtype):
    """Rows of b that are far apart."""
    for far in FAR:
        yield from _far_trials(draw, dtype, (False, False), 1, far)


def _places_trial(m: int, n: int) -> Trial:
    """Whether each element of a product is computed where it belongs."""
    count = m * n
    total = count * (count - 1) // 2 % 2**BITS_OF_SUM

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if got == {"count": count, "sum": total}:
            return None
        return Mismatch(
            "the kernel writes elsewhere",
            expected=f"{count} elements, whose places add up to {total}",
            got=f"{got['count']}, whose places add up to {got['sum']}",
        )

    title = f"packed: the places of a product [{m},{n}]"
    return Trial(title, [Call("places_of_product", {"m": m, "n": n})], check)


@case("08.8")
def far_rows_of_the_product(draw):
    """Parts of a product that lie 2^31 elements behind its first, and more."""
    for m, n in [(3, 5), (2**19 + 1, 2**12 + 3), (2**20 + 9, 2**12)]:
        yield _places_trial(m, n)
