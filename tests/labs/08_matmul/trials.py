"""What trials of lab 08 are made of: two matrices, their product by numpy, and checks.

Whole numbers are small enough that every sum of products is exact in floats, in whatever
order it is made; then the product must be equal. Others may be off by what rounding does
to a sum of k products.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Trial, close
from minitf_lab.judge.draw import KINDS, Draw
from minitf_lab.judge.trials import text_of

Sizes = tuple[int, int, int]  # m, k, n

TRANSPOSES = [(False, False), (True, False), (False, True), (True, True)]
LINE = 16  # floats in a line of 64 bytes
PANELS_WITHOUT_COPY = 5  # a sliver is copied for more panels,
BYTES_WITHOUT_COPY = 16_384  # unless its steps of b fit in so many bytes
ROWS_OF_BLOCK = 336


@dataclass(frozen=True)
class Product:
    """Two matrices as they lie, and whether each is transposed."""

    a: np.ndarray
    b: np.ndarray
    transpose_a: bool
    transpose_b: bool

    @property
    def sizes(self) -> Sizes:
        """m, k and n."""
        m, k = self.left.shape
        return m, k, self.right.shape[1]

    @property
    def left(self) -> np.ndarray:
        """The one factor as [m,k]."""
        return self.a.T if self.transpose_a else self.a

    @property
    def right(self) -> np.ndarray:
        """The other factor as [k,n]."""
        return self.b.T if self.transpose_b else self.b

    @property
    def arguments(self) -> dict[str, Any]:
        """As functions of the driver take them."""
        transposes = {"transpose_a": self.transpose_a, "transpose_b": self.transpose_b}
        return {"a": self.a, "b": self.b, **transposes}

    def __str__(self) -> str:
        texts = [
            f"{text_of(matrix.shape)}{' transposed' if is_transposed else ''}"
            for matrix, is_transposed in (
                (self.a, self.transpose_a),
                (self.b, self.transpose_b),
            )
        ]
        return f"{self.a.dtype} {texts[0]} times {texts[1]}"

    def expected(self) -> np.ndarray:
        """The product, made of as many digits as a double has."""
        is_complex = np.iscomplexobj(self.a)
        wide = np.dtype("complex128" if is_complex else "float64")
        with np.errstate(all="ignore"):
            if not np.issubdtype(self.a.dtype, np.inexact):
                return self.left @ self.right
            left, right = self.left.astype(wide), self.right.astype(wide)
            if np.all(np.isfinite(left)) and np.all(np.isfinite(right)):
                product = left @ right
            else:
                product = _product(left, right)
            return product.astype(self.a.dtype)

    def wrong(self, got: Any, what: str = "") -> Mismatch | None:
        """What is wrong with a product."""
        expected = self.expected()
        if not np.issubdtype(self.a.dtype, np.inexact):
            return close(got, expected, what=what)
        parts = [part for x in (self.a, self.b) for part in (x.real, x.imag)]
        with np.errstate(all="ignore"):
            is_whole = all(np.all(x == np.clip(np.round(x), -8, 8)) for x in parts)
            largest = np.abs(self.left) @ np.abs(self.right)
        if is_whole:
            return close(got, expected, what=what)
        kind = np.finfo(self.a.dtype)
        most = np.max(largest[np.isfinite(largest)], initial=0)
        unit = 2.0 * (self.sizes[1] + 2)
        atol = float(unit * (kind.eps * most + kind.smallest_subnormal))
        return close(got, expected, rtol=float(kind.eps), atol=atol, what=what)


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sum of products, complex ones by their parts."""
    if not np.iscomplexobj(left):
        return sum(
            np.multiply.outer(left[:, p], right[p])
            for p in range(left.shape[1])
        ) + np.zeros((left.shape[0], right.shape[1]), left.dtype)  # fmt: skip
    result = np.empty((left.shape[0], right.shape[1]), left.dtype)
    parts = [(x.real, x.imag) for x in (left, right)]
    (re, im), (other_re, other_im) = parts
    result.real = _product(re, other_re) - _product(im, other_im)
    result.imag = _product(re, other_im) + _product(im, other_re)
    return result


def draw_product(
    draw: Draw,
    sizes: Sizes,
    dtype: str = "float32",
    kind: str = "whole",
    transposes: tuple[bool, bool] = (False, False),
) -> Product:
    """Matrices of a size, with numbers of a kind."""
    m, k, n = sizes
    transpose_a, transpose_b = transposes
    a = draw.array((k, m) if transpose_a else (m, k), dtype, kind)
    b = draw.array((n, k) if transpose_b else (k, n), dtype, kind)
    return Product(a, b, transpose_a, transpose_b)


def small_products(draw: Draw, dtype: str, largest: int = 3) -> Iterator[Product]:
    """Of all small sizes and all transposes."""
    every = range(1, largest + 1)
    for sizes in sorted(
        ((m, k, n) for m in every for k in every for n in every), key=sum
    ):
        for transposes in TRANSPOSES:
            yield draw_product(draw, sizes, dtype, "whole", transposes)


def draw_size(draw: Draw, near: int) -> int:
    """A size: small, or near a multiple of ``near``."""
    if draw.coin(0.4):
        return draw.whole(1, 9)
    return max(1, near * draw.whole(1, 2) + draw.whole(-2, 2))


def odd_products(
    draw: Draw, dtype: str, count: int, near: int = 32, kinds: tuple[str, ...] = KINDS
) -> Iterator[Product]:
    """Of sizes that fit tiles of ``near`` and that do not, from small to large."""
    drawn = [tuple(draw_size(draw, near) for _ in range(3)) for _ in range(count)]
    for sizes in sorted(drawn, key=np.prod):
        yield draw_product(
            draw, sizes, dtype, draw.one_of(kinds), draw.one_of(TRANSPOSES)
        )


def product_trial(tier: str, product: Product, threads: int = 0) -> Trial:
    """The product by a tier."""
    arguments = {"tier": tier, **product.arguments, "threads": threads}
    return Trial(
        f"{tier}: {product}",
        [Call("multiply", arguments)],
        lambda values: product.wrong(values[0]),
    )


def itself_trials(tier: str, draw: Draw, dtype: str) -> Iterator[Trial]:
    """Square matrices times themselves, in all four cases of the two transposes."""
    for size in (2, 3, 7, 40):
        for transposes in TRANSPOSES:
            a = draw.array((size, size), dtype, "whole")
            product = Product(a, a, *transposes)
            flags = {"transpose_a": transposes[0], "transpose_b": transposes[1]}
            yield Trial(
                f"{tier}, a matrix times itself: {product}",
                [Call("itself", {"tier": tier, "a": a, **flags})],
                lambda values, product=product: product.wrong(values[0]),
            )


def again_trials(tier: str, draw: Draw, dtype: str) -> Iterator[Trial]:
    """Products in memory where other numbers lay at the call before."""
    for sizes in [(1, 1, 1), (2, 3, 4), (1, 9, 7), (8, 7, 1), (60, 40, 34)]:
        for transposes in TRANSPOSES:
            first = draw_product(draw, sizes, dtype, "whole", transposes)
            product = draw_product(draw, sizes, dtype, "whole", transposes)
            arguments = {"first_a": first.a, "first_b": first.b, **product.arguments}
            yield Trial(
                f"{tier}, where another product was made: {product}",
                [Call("again", {"tier": tier, **arguments})],
                lambda values, product=product: product.wrong(values[0]),
            )


def zeros_trials(tier: str, draw: Draw, dtype: str) -> Iterator[Trial]:
    """Zeros times infinities and NaN, which are NaN: one factor is all zeros."""
    for sizes in [(1, 1, 1), (1, 4, 3), (3, 4, 1), (3, 2, 5), (2, 1, 3), (33, 35, 34)]:
        for transposes in TRANSPOSES:
            for zeros in ("a", "b"):
                product = draw_product(draw, sizes, dtype, "special", transposes)
                getattr(product, zeros).fill(0)
                yield product_trial(tier, product)


def known_trial(tier: str, product: Product, expected: list) -> Trial:
    """A product that was worked out by hand."""
    arguments = {"tier": tier, **product.arguments, "threads": 0}
    array = np.array(expected, product.a.dtype)
    return Trial(
        f"{tier}: {product.a.tolist()} times {product.b.tolist()}",
        [Call("multiply", arguments)],
        lambda values: close(values[0], array),
    )


def threads_trial(
    tier: str, product: Product, *, is_bound: bool = True, first: int = 0
) -> Trial:
    """The product without threads and by 1 to 4 of them: right, and the same bits.

    Args:
        tier: Which one.
        product: Of what.
        is_bound: Whether the bits must be the same.
        first: From so many threads on.
    """

    def check(values: list[Any]) -> Mismatch | None:
        for count, got in enumerate(values[0]):
            if wrong := product.wrong(got, what=f"by {count} threads"):
                return wrong
            if not is_bound or count <= first:
                continue
            if wrong := close(got, values[0][first], what=f"by {count}, not {first}"):
                return wrong
        return None

    arguments = {"tier": tier, **product.arguments}
    return Trial(
        f"{tier}, by 0 to 4 threads: {product}", [Call("products", arguments)], check
    )


def asks_trial(tier: str, product: Product, least: int) -> Trial:
    """Work that is given up ends, and asks often enough to notice."""
    arguments = {"tier": tier, "a": product.a, "b": product.b}

    def check(values: list[Any]) -> str | None:
        (asked, _), (_, is_given_up) = values
        if asked < least:
            return f"it asks {asked} times whether to go on, expected {least} at least"
        return None if is_given_up else "it goes on when it is told to stop"

    calls = [Call("ask", {**arguments, "last": last}) for last in (-1, least)]
    return Trial(f"{tier}: StopIfAsked, for {product}", calls, check)


def at_most(bounds: dict[str, float], got: dict[str, Any]) -> Mismatch | None:
    """Says which of some counts is too large."""
    for name, bound in bounds.items():
        if got[name] > bound:
            what = name.replace("_", " ")
            limit = f"at most {int(bound):,}"
            return Mismatch(f"too many {what}", expected=limit, got=f"{got[name]:,}")
    return None


def all_is_counted(product: Product, got: dict[str, Any]) -> Mismatch | None:
    """Says which matrix is not read, or written, as a whole.

    Numbers that are no ``Traced``, such as after a cast, are read without being counted.
    """
    m, k, n = product.sizes
    least = {"reads_of_a": m * k, "reads_of_b": k * n, "writes_of_product": m * n}
    for name, bound in least.items():
        if got[name] < bound:
            what = name.replace("_", " ")
            limit = f"at least {bound:,}: read and write each element as a T"
            return Mismatch(f"too few {what}", expected=limit, got=f"{got[name]:,}")
    return None


def traffic_trial(tier: str, product: Product, bounds: dict[str, float]) -> Trial:
    """A product, and what it reads, writes and moves."""

    def check(values: list[Any]) -> Mismatch | None:
        (got,) = values
        wrong = product.wrong(got["product"]) or all_is_counted(product, got)
        return wrong or at_most(bounds, got)

    arguments = {"tier": tier, **product.arguments}
    return Trial(f"{tier}, counted: {product}", [Call("traffic", arguments)], check)


# ---- The packed product ---------------------------------------------------------------


def uses_are_true(got: dict[str, Any]) -> str | None:
    """Says which panel is read more often, or less, than it was told."""
    for row, step, told in got["uses"]:
        calls = [call for call in got["calls"] if call["row"] == row]
        most = len({call["column"] for call in calls})
        if told != most:
            return (
                f"the panel of row {row} from step {step} on is to be read {told} times, "
                f"and is read {most} times"
            )
    return None


Calls = list[dict[str, Any]]
Claim = Callable[[Calls], Mismatch | str | None]


@dataclass(frozen=True)
class Kernel:
    """A micro-kernel of ``rows`` rows and two vectors of ``lanes`` elements."""

    lanes: int
    rows: int

    @property
    def columns(self) -> int:
        """The most it computes at a time."""
        return 2 * self.lanes

    def __str__(self) -> str:
        return f"a kernel of {self.rows} rows and 2 vectors of {self.lanes}"


def draw_kernel(draw: Draw) -> Kernel:
    """Of any size that there is, or near."""
    return Kernel(draw.one_of([1, 2, 3, 4, 8]), draw.whole(4, 14))


def packed_trial(
    product: Product,
    kernel: Kernel,
    *,
    adds: bool = False,
    is_in_cache: bool = False,
    threads: int = 0,
    claims: tuple[Claim, ...] = (),
) -> Trial:
    """The packed product with a micro-kernel that takes notes.

    Args:
        product: Of whole numbers.
        kernel: Which one.
        adds: To a product of ones.
        is_in_cache: What MatrixPanels is told.
        threads: How many; 0 is no pool.
        claims: What must be so of the kernel's calls.
    """

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]["product"] - np.asarray(adds, product.a.dtype)
        if wrong := product.wrong(got):
            return wrong
        found = (claim(values[0]["calls"]) for claim in claims)
        if wrong := next(filter(None, found), None):
            return wrong
        # Pieces for threads ask for the same rows, each for its own slivers.
        return None if threads > 1 else uses_are_true(values[0])

    size = {"lanes": kernel.lanes, "rows": kernel.rows, "threads": threads}
    flags = {"adds": adds, "is_in_cache": is_in_cache}
    words = [f"packed: {product}, {kernel}"]
    words += [f"{threads} threads"] * (threads > 0) + ["added to ones"] * adds
    call = Call("packed", {**product.arguments, **size, **flags})
    return Trial(", ".join(words), [call], check)


def copies_trial(product: Product, kernel: Kernel, bounds: dict[str, float]) -> Trial:
    """What the copies of a packed product read and move."""
    size = {"lanes": kernel.lanes, "rows": kernel.rows}
    return Trial(
        f"packed, its copies counted: {product}, {kernel}",
        [Call("packed_traffic", {**product.arguments, **size})],
        lambda values: at_most(bounds, values[0]),
    )


def packed_products(
    draw: Draw, count: int, dtype: str, transposes: list[tuple[bool, bool]]
) -> Iterator[tuple[Product, Kernel]]:
    """Products of sizes near those of a kernel, from small to large."""
    drawn = []
    for _ in range(count):
        kernel = draw_kernel(draw)
        m = draw_size(draw, kernel.rows)
        n = draw.one_of([1, kernel.lanes, kernel.columns, draw.whole(1, 40)])
        k = draw.whole(1, 20)
        drawn.append(((m, k, n + draw.whole(0, 2)), kernel))
    for sizes, kernel in sorted(drawn, key=lambda one: np.prod(one[0])):
        product = draw_product(draw, sizes, dtype, "whole", draw.one_of(transposes))
        yield product, kernel


def slivers_are_right(product: Product, kernel: Kernel) -> Claim:
    """A claim: which slivers are copied, and that zeros fill their rows."""
    m = product.sizes[0]
    block = ROWS_OF_BLOCK // kernel.rows * kernel.rows

    def claim(calls: Calls) -> str | None:
        for call in calls:
            rows = min(block, m - call["row"] // block * block)  # of the call's block
            panels = -(-rows // kernel.rows)
            fits = call["columns"] % kernel.lanes == 0 and not product.transpose_b
            is_large = call["depth"] * product.b[0].nbytes > BYTES_WITHOUT_COPY
            must = not fits or (is_large and panels > PANELS_WITHOUT_COPY)
            where = (
                f"the sliver of {call['columns']} columns from {call['column']} on, for "
                f"{panels} panels,"
            )
            if call["b_is_copied"] != must:
                return f"{where} is {'not ' * must}a copy"
            width = -(-call["columns"] // kernel.lanes) * kernel.lanes
            if must and call["depth"] > 1 and call["b_row"] != width:
                return f"{where} has rows of {call['b_row']}, expected {width}"
            if must and not call["has_zeros"]:
                return f"{where} has numbers other than 0 behind its rows"
        return None

    return claim
