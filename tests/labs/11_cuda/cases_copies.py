"""Lab 11: elements that move, by any strides and by tiles that turn."""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from lab_11_cuda.trials import USUAL, Counts, Options, Trial, launch

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import Draw

# An element of each size, in bytes.
ELEMENTS = {1: "uint8", 2: "int16", 4: "float32", 8: "float64", 16: "complex128"}
THREADS = 4 * 256  # of the largest grid in this lab

Loop = tuple[int, int, int]


def _elements(draw: Draw, count: int, dtype: str) -> np.ndarray:
    """Numbers that differ, for those that repeat hide what is moved to where."""
    numbers = np.arange(1, count + 1)
    if dtype == "uint8":
        return (numbers * 37 % 251).astype(dtype)
    if dtype == "complex128":
        return numbers + 1j * (numbers * 7)
    return (numbers * 3 + draw.whole(0, 5)).astype(dtype)


def _reach(loops: Iterable[Loop], which: int) -> tuple[int, int]:
    """How many elements lie before and behind the first one."""
    steps = [(loop[0] - 1) * loop[which] for loop in loops if loop[0] > 0]
    return -sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)


def _after(
    loops: list[Loop], x: np.ndarray, x0: int, y: np.ndarray, y0: int
) -> np.ndarray:
    result = y.copy()
    for index in itertools.product(*(range(size) for size, _, _ in loops)):
        source, target = x0, y0
        for i, (_, x_stride, y_stride) in zip(index, loops, strict=True):
            source, target = source + i * x_stride, target + i * y_stride
        result[target] = x[source]
    return result


def copy_trial(
    draw: Draw,
    loops: list[Loop],
    dtype: str = "float32",
    *,
    options: Options = USUAL,
    counts: Counts | None = None,
    gap: int = 3,
) -> Trial:
    """A nest of loops beside the same loops in Python."""
    (x_before, x_behind), (y_before, y_behind) = _reach(loops, 1), _reach(loops, 2)
    x = _elements(draw, x_before + x_behind + 1 + 2 * gap, dtype)
    y = (200 + np.arange(y_before + y_behind + 1 + 2 * gap) % 5).astype(dtype)
    arguments: dict[str, Any] = {
        "loops": loops, "x": x, "x_offset": x_before + gap,
        "y": y, "y_offset": y_before + gap,
    }  # fmt: skip
    expected = _after(loops, x, x_before + gap, y, y_before + gap)
    title = f"{dtype}, loops of (size, stride there, stride here) {loops}"
    return launch(
        title, "strided_copy", arguments, expected, options=options, counts=counts
    )


def _dense(sizes: Iterable[int]) -> list[int]:
    strides = [1]
    for size in reversed([*sizes][1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return strides


def draw_loops(draw: Draw, rank: int, largest: int) -> list[Loop]:
    """A nest that writes each element once; it may read some often, and backwards."""
    sizes = [draw.whole(1, largest) for _ in range(rank)]
    order = draw.shuffled(range(rank))
    targets, step = [0] * rank, draw.whole(1, 2)
    for axis in order:
        targets[axis] = step * draw.one_of([1, 1, -1])
        step *= sizes[axis] + draw.whole(0, 1)
    sources = [draw.one_of([0, 1, 2, 5, -1, -3]) for _ in range(rank)]
    return list(zip(sizes, sources, targets, strict=True))


@case("11.1", over=ELEMENTS.items())
def any_strides(draw, size, dtype):
    """Elements of every size go where the loops say, and nothing else is touched."""
    for rank in range(1, 7):
        for _ in range(3):
            yield copy_trial(draw, draw_loops(draw, rank, 4 if rank < 5 else 2), dtype)


@case("11.1")
def no_loops_and_empty_ones(draw):
    """Without loops there is one element; a loop of size 0 moves none."""
    yield copy_trial(draw, [])
    yield copy_trial(draw, [(1, 0, 0)])
    yield copy_trial(draw, [(0, 1, 1)])
    yield copy_trial(draw, [(3, 1, 1), (0, 2, 2), (2, 1, 1)])


@case("11.1")
def more_elements_than_threads(draw):
    """The threads of a small grid go on until all is moved."""
    for count in (THREADS - 1, THREADS, THREADS + 1, 3000, 4096, 4097, 9001):
        yield copy_trial(draw, [(count, 1, 1)])
        yield copy_trial(draw, [(count, 2, -1)], "float64")
    yield copy_trial(draw, [(3, 2000, 1700), (1700, -1, 1)])
    yield copy_trial(draw, [(7, 1, 900), (9, 70, 100), (99, 0, 1)], "int16")


@case("11.1")
def broadcasting(draw):
    """A stride of 0 reads one element again and again."""
    for sizes in ((5,), (3, 4), (2, 3, 5), (40, 33)):
        for still in range(len(sizes)):
            there = [0 if i == still else s for i, s in enumerate(_dense(sizes))]
            yield copy_trial(draw, list(zip(sizes, there, _dense(sizes), strict=True)))
    yield copy_trial(draw, [(1500, 0, 1)])


@case("11.1")
def backwards(draw):
    """Strides below 0, on either side."""
    for sizes in ((7,), (3, 5), (2, 3, 4)):
        here = _dense(sizes)
        yield copy_trial(draw, [(n, -s, s) for n, s in zip(sizes, here, strict=True)])
        yield copy_trial(draw, [(n, s, -s) for n, s in zip(sizes, here, strict=True)])


@case("11.1")
def all_loops_that_there_may_be(draw):
    """Twelve loops, and some of one step among others."""
    here = _dense([2] * 12)[::-1]
    yield copy_trial(draw, [(2 if i % 3 else 1, 1, s) for i, s in enumerate(here)])
    yield copy_trial(draw, [(2 if i > 5 else 1, 3, s) for i, s in enumerate(here)])


@case("11.1")
def neighbours_read_neighbours(draw):
    """What lies side by side is read and written side by side: few sectors for a warp."""
    for dtype in ("float32", "float64"):
        for loops in (
            [(2048, 1, 1)],
            [(8, 300, 256), (256, 1, 1)],
            [(2, 2048, 1024), (16, 80, 64), (64, 1, 1)],
        ):
            stored = int(np.prod([loop[0] for loop in loops])) * np.dtype(dtype).itemsize
            counts = Counts(loaded=stored, stored=stored)
            yield copy_trial(draw, loops, dtype, counts=counts, gap=16)


@case("11.1")
def each_element_moves_once(draw):
    """What no number of threads divides is loaded and stored once, too."""
    for loops in ([(1000, 1, 1)], [(7, 200, 101), (101, 1, 1)], [(4099, 1, 1)]):
        moved = 4 * int(np.prod([loop[0] for loop in loops]))
        yield copy_trial(draw, loops, counts=Counts((), loaded=moved, stored=moved))


@case("11.1", over=[("uint8", 2**31), ("uint8", 2**32), ("float32", 2**31)])
def far_apart(draw, dtype, least):
    """Elements that lie more than 2^31 others apart, and 2^32."""
    x = _elements(draw, 10, dtype).reshape(2, 5)
    for is_backwards in (False, True):
        arguments = {"x": x, "y": x * 0, "least": least, "is_backwards": is_backwards}
        title = f"{dtype}, two lines more than {least} elements apart"
        title += ", the second one first" if is_backwards else ""
        expected = x[::-1] if is_backwards else x
        yield launch(title, "far_copy", arguments, expected.copy())


def _any_bits(draw: Draw, count: int, dtype: str) -> np.ndarray:
    """Whole numbers that use all their bits."""
    return draw.array((count * 2,), "float64").view(dtype)[:count].copy()


WHOLE = ("uint8", "int16", "int32", "int64")


@case("11.1")
def elements_to_the_bit(draw):
    """Elements are moved, whatever they mean: no bit of them is lost."""
    for dtype in WHOLE:
        x = _any_bits(draw, 90, dtype)
        arguments = {
            "loops": [(90, -1, 1)], "x": x, "x_offset": 89, "y": x.copy(), "y_offset": 0,
        }  # fmt: skip
        yield launch(f"{dtype}, of all bits", "strided_copy", arguments, x[::-1].copy())


@case("11.1", hidden=True)
def more_strides(draw):
    """Other nests, in other orders of threads."""
    for i in range(12):
        loops = draw_loops(draw, 1 + i % 5, 7)
        options = Options(seed=i, preempt=10 * (i % 2))
        yield copy_trial(draw, loops, draw.one_of([*ELEMENTS.values()]), options=options)
    yield copy_trial(draw, draw_loops(draw, 2, 90), "uint8")
    yield copy_trial(draw, [(5, 3, 2), (1311, 1, 10)], "int16")


# ---- Tiles that turn ------------------------------------------------------------------


def transpose_trial(
    x: np.ndarray, *, options: Options = USUAL, counts: Counts | None = None
) -> Trial:
    """Matrices beside what numpy makes of them."""
    title = f"{x.dtype.name} {list(x.shape)}"
    return launch(
        title, "transpose", {"x": x}, x.transpose(0, 2, 1), options=options, counts=counts
    )


def matrices(draw: Draw, shape: tuple[int, int, int], dtype: str) -> np.ndarray:
    """Numbers that differ, or nearly."""
    return _elements(draw, int(np.prod(shape)), dtype).reshape(shape)


EDGES = (1, 2, 31, 32, 33, 64, 65)


@case("11.2", over=ELEMENTS.items())
def turned_matrices(draw, size, dtype):
    """Matrices of all sizes around that of a tile, elements of every size."""
    yield transpose_trial(matrices(draw, (1, 1, 1), dtype))
    yield transpose_trial(matrices(draw, (1, 2, 3), dtype))
    for rows in draw.shuffled(EDGES)[:4]:
        for columns in draw.shuffled(EDGES)[:4]:
            yield transpose_trial(matrices(draw, (1, rows, columns), dtype))


@case("11.2")
def batches_of_matrices(draw):
    """Matrix after matrix; they do not mix."""
    for shape in ((2, 3, 5), (5, 1, 33), (3, 33, 1), (4, 32, 32), (3, 40, 20)):
        yield transpose_trial(matrices(draw, shape, "float32"))


@case("11.2")
def more_tiles_than_blocks(draw):
    """A block takes one tile after the other, and waits until each is used."""
    for shape in ((1, 160, 32), (1, 32, 160), (5, 33, 33), (2, 100, 70), (9, 31, 30)):
        yield transpose_trial(matrices(draw, shape, "float32"))
        yield transpose_trial(matrices(draw, shape, "float64"), options=Options(seed=2))


@case("11.2", over=["float32", "float64"])
def both_sides_in_whole_sectors(draw, dtype):
    """Reading and writing are side by side, and no two lanes of a warp meet in a bank."""
    counts = Counts(shared=True)
    for shape in ((1, 32, 32), (1, 64, 96), (2, 96, 64)):
        yield transpose_trial(matrices(draw, shape, dtype), counts=counts)


@case("11.2")
def nothing_else_is_read(draw):
    """Tiles at the edge read what there is of them, and each number once."""
    for shape in ((1, 33, 40), (2, 5, 70), (3, 70, 5)):
        x = matrices(draw, shape, "float32")
        counts = Counts((), loaded=x.nbytes, stored=x.nbytes, shared=True)
        yield transpose_trial(x, counts=counts)


@case("11.2")
def room_for_the_largest_elements(draw):
    """A tile of elements of 16 bytes fits into the shared memory of a block."""
    x = matrices(draw, (1, 64, 64), "complex128")
    yield transpose_trial(x, counts=Counts(few_sectors=(), shared=True))


@case("11.2")
def matrices_to_the_bit(draw):
    """Elements are moved, whatever they mean: no bit of them is lost."""
    for dtype in WHOLE:
        yield transpose_trial(_any_bits(draw, 6 * 35, dtype).reshape(1, 6, 35))


@case("11.2", hidden=True)
def more_matrices(draw):
    """Other sizes, in other orders of threads."""
    for i in range(10):
        shape = (draw.whole(1, 4), draw.whole(1, 70), draw.whole(1, 70))
        x = matrices(draw, shape, draw.one_of([*ELEMENTS.values()]))
        yield transpose_trial(x, options=Options(seed=i, preempt=15 * (i % 2)))


@case("11.2", hidden=True)
def whole_sectors_at_odd_sizes(draw):
    """Few sectors as well where the sizes are none of the tile."""
    for shape in ((1, 160, 72), (2, 40, 136)):
        x = matrices(draw, shape, "float32")
        yield transpose_trial(x, counts=Counts(shared=True))
