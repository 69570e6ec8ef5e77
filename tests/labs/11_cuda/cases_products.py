"""Lab 11: products of matrices, a thread for a number and tiles in shared memory."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from lab_11_cuda.trials import (
    TOLERANCE,
    USUAL,
    Counts,
    Options,
    Trial,
    launch,
    same_in_every_order,
)
from lab_common.tasks import for_tasks

from minitf_lab.judge.case import case
from minitf_lab.judge.draw import REAL, Draw

TIERS = {"naive": (0, "11.7"), "shared": (1, "11.8")}
TRANSPOSED = [(False, False), (True, False), (False, True), (True, True)]


@dataclass(frozen=True)
class Sizes:
    """The members of MatMulSizes."""

    m: int
    n: int
    k: int
    transpose_a: int = 0
    transpose_b: int = 0
    batch: int = 1
    a_moves: int = 1
    b_moves: int = 1

    @property
    def a(self) -> tuple[int, ...]:
        """How A lies in memory."""
        rows = (self.k, self.m) if self.transpose_a else (self.m, self.k)
        return (self.batch if self.a_moves else 1, *rows)

    @property
    def b(self) -> tuple[int, ...]:
        """How B lies in memory."""
        rows = (self.n, self.k) if self.transpose_b else (self.k, self.n)
        return (self.batch if self.b_moves else 1, *rows)

    def text(self) -> str:
        """As a report shows it."""
        words = [f"m {self.m}, n {self.n}, k {self.k}"]
        words += ["A lies as [K,M]"] if self.transpose_a else []
        words += ["B lies as [N,K]"] if self.transpose_b else []
        words += [f"{self.batch} products"] if self.batch > 1 else []
        words += ["one A for all"] if not self.a_moves else []
        words += ["one B for all"] if not self.b_moves else []
        return ", ".join(words)


def _product(sizes: Sizes, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    left = a.transpose(0, 2, 1) if sizes.transpose_a else a
    right = b.transpose(0, 2, 1) if sizes.transpose_b else b
    with np.errstate(all="ignore"):
        # Not by a library that leaves out zeros.
        terms = left[:, :, :, None].astype(np.float64) * right[:, None].astype(np.float64)
        result = terms.sum(2)
    return np.broadcast_to(result, (sizes.batch, sizes.m, sizes.n))


def product_trial(
    tier: str,
    sizes: Sizes,
    a: np.ndarray,
    b: np.ndarray,
    *,
    options: Options = USUAL,
    counts: Counts | None = None,
) -> Trial:
    """A product beside numpy's."""
    bound = TOLERANCE[a.dtype.name] * _product(sizes, np.abs(a), np.abs(b))
    title = f"{tier}, {a.dtype.name}, {sizes.text()}"
    arguments = arguments_of(tier, sizes, a, b)
    return launch(
        title, "matmul", arguments, _product(sizes, a, b), bound=bound, dtype=a.dtype,
        options=options,
        counts=counts,
    )  # fmt: skip


def arguments_of(tier: str, sizes: Sizes, a: np.ndarray, b: np.ndarray) -> dict[str, Any]:
    """Those of the driver's function."""
    numbers = {name: int(value) for name, value in asdict(sizes).items()}
    return {"tier": TIERS[tier][0], "sizes": numbers, "a": a, "b": b}


def of_both(over: Iterable[tuple] = ((),), *, hidden: bool = False) -> Any:
    """Cases of both tiers, each of its own task."""
    tasks = [(task, (tier,)) for tier, (_, task) in TIERS.items()]
    return for_tasks(tasks, over=over, hidden=hidden)


def drawn(
    draw: Draw, tier: str, sizes: Sizes, dtype: str = "float32", **more: Any
) -> Trial:
    """With numbers by chance."""
    kind = more.pop("kind", "signed")
    a, b = draw.array(sizes.a, dtype, kind), draw.array(sizes.b, dtype, kind)
    return product_trial(tier, sizes, a, b, **more)


EDGES = (1, 2, 5, 31, 32, 33, 64, 67)


@of_both(TRANSPOSED)
def products(draw, tier, transpose_a, transpose_b):
    """Matrices of all sizes around that of a tile, however they lie."""
    ways = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    for m, n, k in ((1, 1, 1), (2, 3, 4), (5, 2, 7)):
        yield drawn(draw, tier, Sizes(m, n, k, **ways), "float64")
    for _ in range(9):
        m, n, k = (draw.one_of(EDGES) for _ in range(3))
        yield drawn(draw, tier, Sizes(m, n, k, **ways), draw.one_of(REAL))


@of_both()
def products_by_heart(draw, tier):
    """A product that can be worked out by hand."""
    a = np.arange(1, 7, dtype=np.float32).reshape(1, 2, 3)
    b = np.arange(7, 13, dtype=np.float32).reshape(1, 3, 2)
    yield product_trial(tier, Sizes(2, 2, 3), a, b)  # 58 64 139 154
    unit = np.eye(40, dtype=np.float32)[None]
    yield product_trial(
        tier, Sizes(40, 3, 40), unit, draw.array((1, 40, 3), "float32", "signed")
    )


@of_both()
def nothing_to_add(draw, tier):
    """Without a K all numbers are 0; without rows or columns there are none."""
    for m, n, k in ((3, 4, 0), (40, 33, 0), (0, 3, 2), (3, 0, 2), (0, 0, 0)):
        yield drawn(draw, tier, Sizes(m, n, k))
    yield drawn(draw, tier, Sizes(3, 4, 0, batch=3), "float64")


@of_both()
def batches(draw, tier):
    """Product after product; an operand that does not move is the same in all."""
    for transpose_a, transpose_b in TRANSPOSED:
        for a_moves, b_moves in ((1, 1), (0, 1), (1, 0)):
            m, n, k = (draw.one_of([1, 3, 8, 33]) for _ in range(3))
            sizes = Sizes(
                m, n, k, transpose_a, transpose_b, draw.whole(2, 4), a_moves, b_moves
            )
            yield drawn(draw, tier, sizes)
    yield drawn(draw, tier, Sizes(2, 3, 4, batch=7, a_moves=0, b_moves=0))


@of_both()
def more_numbers_than_threads(draw, tier):
    """Results of more numbers than a small grid has threads."""
    for m, n, k, batch in ((33, 32, 3, 1), (70, 50, 2, 1), (1, 2100, 2, 1),
                           (2100, 1, 2, 1), (20, 20, 3, 8)):  # fmt: skip
        yield drawn(draw, tier, Sizes(m, n, k, batch=batch))


@of_both()
def many_tiles_along_k(draw, tier):
    """Sums over several tiles, the last one not full."""
    for k in (63, 64, 65, 96, 100, 129, 200):
        ways = draw.one_of(TRANSPOSED)
        yield drawn(draw, tier, Sizes(3, 5, k, *ways), "float64")
        yield drawn(draw, tier, Sizes(33, 4, k, *ways))


@of_both()
def special_numbers(draw, tier):
    """Infinities, and numbers that are none, reach their row or column and no more."""
    for transpose_a, transpose_b in TRANSPOSED:
        for m, n, k in ((3, 4, 5), (34, 33, 35)):
            sizes = Sizes(m, n, k, transpose_a, transpose_b)
            a, b = draw.array(sizes.a, "float32"), draw.array(sizes.b, "float32")
            a.reshape(-1)[draw.whole(0, a.size - 1)] = np.nan
            b.reshape(-1)[draw.whole(0, b.size - 1)] = np.inf
            yield product_trial(tier, sizes, a, b)


@of_both()
def nothing_times_infinity(draw, tier):
    """Zero times infinity is no number, and belongs to the sum."""
    for m, n, k in ((3, 4, 5), (33, 34, 40)):
        sizes = Sizes(m, n, k, *draw.one_of(TRANSPOSED))
        a, b = draw.array(sizes.a, "float32"), draw.array(sizes.b, "float32")
        a[draw.array(sizes.a, "bool")] = 0
        b.reshape(-1)[draw.whole(0, b.size - 1)] = np.inf
        yield product_trial(tier, sizes, a, b)
        a, b = draw.array(sizes.a, "float32"), draw.array(sizes.b, "float32")
        b[draw.array(sizes.b, "bool")] = 0
        a.reshape(-1)[draw.whole(0, a.size - 1)] = -np.inf
        yield product_trial(tier, sizes, a, b)


@of_both(hidden=True)
def more_products(draw, tier):
    """Other sizes, in other orders of threads."""
    for i in range(10):
        m, n, k = (draw.whole(1, 70) for _ in range(3))
        ways = draw.one_of(TRANSPOSED)
        sizes = Sizes(m, n, k, *ways, batch=draw.whole(1, 2))
        options = Options(seed=i, preempt=10 * (i % 2))
        yield drawn(draw, tier, sizes, draw.one_of(REAL), options=options)


@of_both()
def the_same_product_each_time(draw, tier):
    """Sums do not depend on which thread is first."""
    sizes = Sizes(35, 40, 70)
    a, b = draw.array(sizes.a, "float32"), draw.array(sizes.b, "float32")
    arguments = arguments_of(tier, sizes, a, b)
    yield same_in_every_order(f"{tier}, {sizes.text()}", "matmul", arguments)


@case("11.7")
def neighbours_along_a_row(draw):
    """The lanes of a warp compute numbers side by side, and store each once."""
    for m, n, k in ((8, 32, 4), (4, 64, 16), (3, 256, 8)):
        counts = Counts(stored=4 * m * n)
        yield drawn(draw, "naive", Sizes(m, n, k), counts=counts)
        sizes = Sizes(m, n, k, transpose_a=1)
        yield drawn(draw, "naive", sizes, "float64", counts=Counts())


def _tiled(sizes: Sizes, size: int) -> Counts:
    """Each number of A comes once for 32 columns, each of B once for 32 rows."""
    across, down = -(-sizes.n // 32), -(-sizes.m // 32)
    loaded = sizes.k * (sizes.m * across + sizes.n * down) * sizes.batch * size
    stored = sizes.batch * sizes.m * sizes.n * size
    return Counts(loaded=loaded, stored=stored, shared=True)


@case("11.8", over=TRANSPOSED)
def each_number_once_for_a_tile(draw, transpose_a, transpose_b):
    """A block loads its tiles in whole sectors, once, and meets in no bank."""
    for m, n, k in ((32, 32, 32), (64, 32, 64), (96, 64, 32)):
        for dtype in REAL:
            sizes = Sizes(m, n, k, transpose_a, transpose_b)
            counts = _tiled(sizes, np.dtype(dtype).itemsize)
            yield drawn(draw, "shared", sizes, dtype, counts=counts)


@case("11.8", hidden=True)
def few_bytes_at_odd_sizes(draw):
    """No more is loaded than there is, where tiles are not full."""
    for m, n, k in ((40, 72, 56), (33, 31, 40), (8, 100, 24)):
        sizes = Sizes(m, n, k)
        counts = _tiled(sizes, 4)
        loads = Counts((), counts.loaded, counts.stored, shared=True)
        yield drawn(draw, "shared", sizes, counts=loads)
