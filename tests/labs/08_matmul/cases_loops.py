"""Cases of tasks 08.8 and 08.9: the loops around the micro-kernel, and the cuts."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from minitf_lab.judge.case import Call, Trial, case
from minitf_lab.judge.draw import REAL, Draw

from .trials import (
    ROWS_OF_BLOCK,
    TRANSPOSES,
    Calls,
    Claim,
    Kernel,
    Product,
    again_trials,
    asks_trial,
    copies_trial,
    draw_kernel,
    draw_product,
    odd_products,
    packed_products,
    packed_trial,
    product_trial,
    slivers_are_right,
    small_products,
    threads_trial,
)

DEPTH = 512
USES_WITHOUT_COPY = 2


def _all_is_multiplied_once(product: Product, kernel: Kernel, *, adds: bool) -> Claim:
    """A claim: each part of the product gets its k steps, in their order."""
    m, k, n = product.sizes

    def claim(calls: Calls) -> str | None:
        parts = defaultdict(list)
        for call in calls:
            parts[call["row"], call["column"]].append(call)
        seen = np.zeros((m, n), int)
        for (row, column), found in sorted(parts.items()):
            where = f"the part at row {row}, column {column}"
            depths = [call["depth"] for call in found]
            if depths != [min(DEPTH, k - p) for p in range(0, k, DEPTH)]:
                return f"{where} gets {depths} steps of {k}"
            if [call["adds"] for call in found] != [adds] + [True] * (len(found) - 1):
                return f"{where} adds in {[call['adds'] for call in found]}"
            rows, columns = found[0]["rows"], found[0]["columns"]
            if column % kernel.columns or columns != min(kernel.columns, n - column):
                return f"{where} has {columns} columns, the kernel {kernel.columns}"
            seen[row : row + rows, column : column + columns] += 1
        if np.all(seen == 1):
            return None
        row, column = np.argwhere(seen != 1)[0]
        return f"element ({row},{column}) is computed {seen[row, column]} times"

    return claim


def _panels_differ_by_one(product: Product, kernel: Kernel) -> Claim:
    """A claim: of one block, the panels are as few and as alike as can be."""
    m = product.sizes[0]
    panels = -(-m // kernel.rows)

    def claim(calls: Calls) -> str | None:
        sizes = sorted({call["row"]: call["rows"] for call in calls}.items())
        rows = [size for _, size in sizes]
        if len(rows) == panels and max(rows) - min(rows) <= 1:
            return None
        return f"{m} rows are cut into panels of {rows}, for a kernel of {kernel.rows}"

    return claim


def _panels_are_copied(product: Product, kernel: Kernel) -> Claim:
    """A claim: panels are asked for with the number of slivers as their uses."""
    slivers = -(-product.sizes[2] // kernel.columns)

    def claim(calls: Calls) -> str | None:
        must = slivers > USES_WITHOUT_COPY
        if all(call["a_is_copied"] == must for call in calls):
            return None
        return f"for {slivers} slivers, panels are {'not ' * must}copied"

    return claim


def _blocks_in_turn(product: Product, kernel: Kernel) -> Claim:
    """A claim: all depths of a block are done before another one is begun."""
    block = ROWS_OF_BLOCK // kernel.rows * kernel.rows

    def claim(calls: Calls) -> str | None:
        if product.sizes[1] <= DEPTH:
            return None
        rows: dict[int, int] = {}  # of each panel of the block
        is_deeper, done = False, set()
        for call in calls:
            if is_deeper and call["row"] not in rows:
                done |= rows.keys()
                rows, is_deeper = {}, False
            rows[call["row"]] = call["rows"]
            is_deeper = is_deeper or call["adds"]
            if call["row"] in done or sum(rows.values()) > block:
                return (
                    f"a depth goes on with row {call['row']}, which is in another block"
                )
        return None

    return claim


def _block_trials(draw: Draw, count: int, dtype: str) -> Iterator[Trial]:
    for product, kernel in packed_products(draw, count, dtype, TRANSPOSES):
        adds = draw.coin(0.3)
        claims = (
            _all_is_multiplied_once(product, kernel, adds=adds),
            _panels_are_copied(product, kernel),
            *([slivers_are_right(product, kernel)] if product.sizes[1] > 1 else []),
        )
        yield packed_trial(product, kernel, adds=adds, claims=claims)


# ---- 08.8 -----------------------------------------------------------------------------


@case("08.8", over=REAL)
def small_blocks(draw, dtype):
    """All small sizes, in all four cases of the two transposes."""
    for product in small_products(draw, dtype):
        yield product_trial("packed", product)


@case("08.8", over=REAL)
def blocks(draw, dtype):
    """Each part of the product is computed once, from panels and slivers that fit."""
    yield from _block_trials(draw, 60, dtype)


@case("08.8", over=REAL)
def more_than_one_depth(draw, dtype):
    """What the steps beyond 512 bring is added to what is there."""
    for k in (512, 513, 600, 1024, 1030, 2050, 4200):
        kernel = draw_kernel(draw)
        for adds in (False, True):
            transposes = draw.one_of(TRANSPOSES)
            product = draw_product(draw, (9, k, 7), dtype, "whole", transposes)
            claim = _all_is_multiplied_once(product, kernel, adds=adds)
            yield packed_trial(product, kernel, adds=adds, claims=(claim,))


@case("08.8", over=REAL)
def more_than_the_first_block(draw, dtype):
    """Panels, slivers and parts of the product that are not the first of theirs."""
    for sizes, threads in [((700, 5, 3), 0), ((90, 130, 400), 2), ((400, 130, 90), 2)]:
        kernel = Kernel(4, draw.whole(6, 14))
        transposes = draw.one_of(TRANSPOSES)
        product = draw_product(draw, sizes, dtype, "whole", transposes)
        claim = _all_is_multiplied_once(product, kernel, adds=False)
        yield packed_trial(product, kernel, threads=threads, claims=(claim,))


@case("08.8", over=REAL)
def other_blocks_in_the_same_place(draw, dtype):
    """Nothing is kept from one product for the next one."""
    yield from again_trials("packed", draw, dtype)


@case("08.8")
def slivers_of_a_last_block(draw):
    """A sliver is used for the panels of its block, and these may be few."""
    for rest in (1, 6, 8, 17):
        for lanes in (1, 4):
            kernel = Kernel(lanes, 6)
            product = draw_product(draw, (ROWS_OF_BLOCK + rest, 3, 4 * lanes))
            claims = (slivers_are_right(product, kernel),)
            yield packed_trial(product, kernel, claims=claims)


@case("08.8")
def panels_of_narrow_pieces(draw):
    """A panel is used for the slivers of its piece, and these are not all there are."""
    kernel = Kernel(8, draw.whole(6, 14))
    product = draw_product(draw, (60, 1100, 64))  # two threads get two slivers each

    def claim(calls: Calls) -> str | None:
        copied = any(call["a_is_copied"] for call in calls)
        return "panels are copied for two slivers" if copied else None

    yield packed_trial(product, kernel, threads=2, claims=(claim,))


@case("08.8")
def panels_are_copied_once(draw):
    """A panel is brought once for all slivers, and a sliver once for all panels."""
    for sizes in [(5, 3, 40), (20, 8, 30), (60, 520, 30), (30, 9, 90)]:
        for transposes in TRANSPOSES:
            kernel = Kernel(draw.whole(1, 4), draw.whole(4, 14))
            m, k, n = sizes
            product = draw_product(draw, sizes, transposes=transposes)
            yield copies_trial(
                product, kernel, {"reads_of_a": m * k, "reads_of_b": k * n}
            )


@case("08.8", over=REAL)
def odd_blocks(draw, dtype):
    """Sizes and numbers of all kinds, by the micro-kernel of this machine."""
    for product in odd_products(draw, dtype, 40):
        yield product_trial("packed", product)


@case("08.8", over=REAL, hidden=True)
def more_blocks(draw, dtype):
    """Other products, and other kernels."""
    yield from _block_trials(draw, 90, dtype)


# ---- 08.9 -----------------------------------------------------------------------------


@case("08.9", over=REAL)
def fair_panels(draw, dtype):
    """The rows of a block are cut into as few panels as can be, which are alike."""
    for rows in (4, 5, 9, 14):
        kernel = Kernel(4, rows)
        for m in range(1, 4 * rows + 2):
            product = draw_product(draw, (m, 2, 3), dtype)
            yield packed_trial(
                product, kernel, claims=(_panels_differ_by_one(product, kernel),)
            )


@case("08.9", over=[5, 9])
def fair_panels_of_all_blocks(draw, rows):
    """The same for any number of panels that a block can have."""
    kernel = Kernel(1, rows)
    for m in range(4 * rows, ROWS_OF_BLOCK // rows * rows + 1):
        product = draw_product(draw, (m, 1, 1))
        claim = _panels_differ_by_one(product, kernel)
        yield packed_trial(product, kernel, claims=(claim,))


@case("08.9")
def blocks_of_odd_panels(draw):
    """Kernels whose rows do not divide 336 have smaller blocks, and room for these."""
    for rows in (5, 9, 10, 11, 13):
        for m in (335, 336, 337, 341, 700):
            product = draw_product(draw, (m, 5, 17))
            yield packed_trial(product, Kernel(2, rows))


@case("08.9", over=REAL)
def more_than_one_block(draw, dtype):
    """More rows than a block has, and more steps than a depth."""
    for m, k, n in [(336, 3, 5), (337, 2, 9), (700, 5, 3), (400, 520, 6), (680, 512, 3)]:
        kernel = draw_kernel(draw)
        transposes = draw.one_of(TRANSPOSES)
        product = draw_product(draw, (m, k, n), dtype, "whole", transposes)
        claim = _all_is_multiplied_once(product, kernel, adds=False)
        yield packed_trial(
            product, kernel, claims=(claim, _blocks_in_turn(product, kernel))
        )


@case("08.9")
def blocks_are_as_large_as_may_be(draw):
    """An element of b is copied once for each block of 336 rows, not for each panel."""
    for m in (330, 336, 340, 680, 1000):
        kernel = draw_kernel(draw)
        blocks = -(-m // (ROWS_OF_BLOCK // kernel.rows * kernel.rows))
        product = draw_product(draw, (m, 40, 9), transposes=(False, True))
        bounds = {"reads_of_b": blocks * 40 * 9, "reads_of_a": m * 40}
        yield copies_trial(product, kernel, bounds)


def _by_threads(draw: Draw, sizes: tuple[int, int, int], dtype: str) -> Iterator[Trial]:
    for threads in (1, 2, 3, 4):
        kernel = Kernel(draw.one_of([4, 8]), draw.whole(6, 14))
        transposes = draw.one_of(TRANSPOSES)
        product = draw_product(draw, sizes, dtype, "whole", transposes)
        claim = _all_is_multiplied_once(product, kernel, adds=False)
        yield packed_trial(product, kernel, threads=threads, claims=(claim,))


@case("08.9", over=[(400, 130, 90), (90, 130, 400), (60, 1100, 70), (7, 700, 900)])
def pieces_for_threads(draw, m, k, n):
    """Each piece is computed once, by 1 to 4 threads."""
    yield from _by_threads(draw, (m, k, n), "float32")


@case("08.9", over=REAL)
def same_bits_by_all_threads(draw, dtype):
    """However many threads there are, the bits are the same."""
    for sizes in [(5, 3, 7), (200, 300, 100), (90, 600, 170), (40, 530, 400)]:
        product = draw_product(draw, sizes, dtype, "signed", draw.one_of(TRANSPOSES))
        yield threads_trial("packed", product)


@case("08.9")
def blocks_that_are_given_up(draw):
    """The work asks for each depth of each block whether to go on."""
    for m, k in [(3, 4), (9, 1030), (1000, 5), (700, 600)]:
        least = -(-m // ROWS_OF_BLOCK) * -(-k // DEPTH)
        yield asks_trial("packed", draw_product(draw, (m, k, 3)), least)


@case("08.9", over=[(8, "float64"), (16, "float32"), (128, "float32")])
def products_of_tensorflows_tests(draw, m, dtype):
    """The sizes that TensorFlow tests MatMul with."""
    for transposes in TRANSPOSES:
        product = draw_product(draw, (m, 512, 512), dtype, "whole", transposes)
        yield Trial(
            f"tf.matmul: {product}",
            [Call("matmul", product.arguments)],
            lambda values, product=product: product.wrong(values[0]),
        )


@case("08.9", hidden=True, over=range(2))
def more_pieces_for_threads(draw, _part):
    """Each piece of other products is computed once."""
    sizes = (draw.whole(50, 450), draw.whole(100, 200), draw.whole(50, 250))
    yield from _by_threads(draw, sizes, draw.one_of(REAL))


@case("08.9", over=REAL, hidden=True)
def more_than_another_block(draw, dtype):
    """Other products of more rows than a block, and more steps than a depth."""
    for _ in range(6):
        kernel = draw_kernel(draw)
        sizes = (draw.whole(330, 900), draw.one_of([7, 530, 1025]), draw.whole(1, 9))
        transposes = draw.one_of(TRANSPOSES)
        product = draw_product(draw, sizes, dtype, "whole", transposes)
        claim = _all_is_multiplied_once(product, kernel, adds=False)
        yield packed_trial(product, kernel, claims=(claim,))
