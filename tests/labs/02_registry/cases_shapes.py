"""Lab 02, tasks 9 to 11: Merge, and the shapes of products and of what is joined."""

import itertools
from typing import Any

import numpy as np
from lab_02_registry.trials import (
    UNKNOWN,
    Sizes,
    all_shapes,
    hidden_in_part,
    product,
    refused_naming,
)

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import text_of, value_trial

LARGE = 2**40
COINS = (False, True)

# ---- 02.9 -----------------------------------------------------------------------------


def _merge_sizes(x: Sizes, y: Sizes) -> tuple[bool, Sizes]:
    """Whether two shapes agree, and what they know together."""
    if x is None or y is None:
        return True, y if x is None else x
    if len(x) != len(y):
        return False, None
    pairs = list(zip(x, y, strict=True))
    if any(a != b and UNKNOWN not in (a, b) for a, b in pairs):
        return False, None
    return True, [b if a == UNKNOWN else a for a, b in pairs]


def _merge(x: Sizes, y: Sizes) -> Trial:
    """Two shapes merged, or refused."""
    agree, expected = _merge_sizes(x, y)
    known = expected is not None and UNKNOWN not in expected
    whole = (expected, known, product(expected) if known else UNKNOWN)

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if got["compatible"] != agree:
            return Mismatch(
                "whether one shape may be both", expected=str(agree),
                got=str(got["compatible"]),
            )  # fmt: skip
        found = got["merged"]
        if isinstance(found, dict):
            if agree:
                return Mismatch("merged", expected=text_of(expected), got=str(found))
            words = [text_of(x), text_of(y)]
            if found["error"] != "InvalidArgumentError" or not all(
                word in found["message"] for word in words
            ):
                wanted = f"InvalidArgumentError with {' and '.join(words)}"
                return Mismatch("the error", expected=wanted, got=str(found))
            return None
        if not agree:
            return Mismatch("merged", expected="an error", got=text_of(found[0]))
        if tuple(found) != whole:
            names = "the shape, whether all of it is known, its elements"
            return Mismatch(names, expected=str(whole), got=str(tuple(found)))
        return None

    title = f"{text_of(x)} merged with {text_of(y)}"
    return Trial(title, [Call("merged", {"x": x, "y": y})], check)


@case("02.9")
def merge_by_heart(draw):
    """What one knows and the other does not."""
    for x, y in [
        (None, None), (None, []), (None, [2, UNKNOWN]), ([], []), ([], [1]), ([2], [2]),
        ([UNKNOWN], [2]), ([2, UNKNOWN], [UNKNOWN, 3]), ([2, 3], [2, 4]), ([1], [3]),
        ([UNKNOWN], [0]), ([0], [UNKNOWN]), ([0], [1]), ([2], [2, 2]), ([1, 2], [2]),
        ([UNKNOWN], [UNKNOWN]), ([UNKNOWN], [UNKNOWN, UNKNOWN]),
    ]:  # fmt: skip
        yield _merge(x, y)
        yield _merge(y, x)


@case("02.9")
def all_small_shapes(draw):
    """All pairs of shapes of ranks 0 to 2."""
    for x in all_shapes(2, (UNKNOWN, 0, 1, 2)):
        for y in all_shapes(2, (UNKNOWN, 0, 1, 2)):
            yield _merge(x, y)


def _random_merge(draw: Draw) -> Trial:
    """Shapes that are alike but for what is hidden, or for one size."""
    shape = draw.shape(draw.whole(0, 7), 5)
    x, y = hidden_in_part(draw, shape), hidden_in_part(draw, shape)
    if x and draw.coin(0.3):
        x[draw.whole(0, len(x) - 1)] = draw.one_of([0, 1, 7, LARGE, UNKNOWN])
    return _merge(x, y)


@case("02.9")
def merge_by_chance(draw):
    """Shapes of all ranks, alike but for what is hidden, or wrong at one size."""
    for _ in range(100):
        yield _random_merge(draw)


@case("02.9", hidden=True)
def more_merges(draw):
    """Other shapes."""
    for _ in range(300):
        yield _random_merge(draw)


# ---- 02.10 ----------------------------------------------------------------------------


def _matmul(a: Sizes, b: Sizes, ta: bool = False, tb: bool = False) -> Trial:
    left = [UNKNOWN] * 2 if a is None else a[::-1] if ta else a
    right = [UNKNOWN] * 2 if b is None else b[::-1] if tb else b
    title = f"a {text_of(a)}{' transposed' * ta} times b {text_of(b)}{' transposed' * tb}"
    arguments = {"a": a, "b": b, "transpose_a": ta, "transpose_b": tb}
    if left[1] != right[0] and UNKNOWN not in (left[1], right[0]):
        names = [text_of(a), text_of(b)]
        return refused_naming(title, "matmul", arguments, names=names)
    return value_trial(title, "matmul", arguments, [left[0], right[1]])


@case("02.10")
def products_by_heart(draw):
    """The inner sizes go, and the outer ones stay."""
    yield _matmul([2, 3], [3, 4])
    yield _matmul([3, 2], [3, 4], ta=True)
    yield _matmul([2, 3], [4, 3], tb=True)
    yield _matmul([3, 2], [4, 3], ta=True, tb=True)
    yield _matmul([2, 3], [4, 5])
    yield _matmul([UNKNOWN, 784], [784, 10])
    yield _matmul(None, [3, 4])
    yield _matmul([2, 3], None)
    yield _matmul(None, None)
    yield _matmul([0, 3], [3, 0])
    yield _matmul([2, 0], [0, 4])


@case("02.10", over=itertools.product(COINS, COINS))
def all_products(draw, ta, tb):
    """All small matrices, known in part, with and without transposes."""
    shapes = [None, *map(list, itertools.product((UNKNOWN, 0, 1, 2, 3), repeat=2))]
    for a, b in itertools.product(shapes, shapes):
        yield _matmul(a, b, ta, tb)


def _batch(x: Sizes, y: Sizes, ax: bool, ay: bool, broadcasts: bool) -> Trial:
    """Many products, whose shapes are what numpy makes of them if all is known."""
    title = f"x {text_of(x)}{' transposed' * ax} times y {text_of(y)}{' transposed' * ay}"
    title += ", broadcast" * broadcasts
    arguments = {"x": x, "y": y, "adj_x": ax, "adj_y": ay, "broadcasts": broadcasts}
    if (x is None) != (y is None) and not broadcasts:
        x = [UNKNOWN] * len(y) if x is None else x
        y = [UNKNOWN] * len(x) if y is None else y
    if x is None or y is None:
        return value_trial(title, "batch_matmul", arguments, None)
    left, right = ([*s[:-2], s[-1], s[-2]] if t else s for s, t in ((x, ax), (y, ay)))
    inner = (left[-1], right[-2])
    fits = inner[0] == inner[1] or UNKNOWN in inner
    front: Sizes = []
    if broadcasts:
        rank = max(len(left), len(right)) - 2
        fronts = [[1] * (rank + 2 - len(s)) + list(s[:-2]) for s in (left, right)]
        for a, b in zip(*fronts, strict=True):
            known = max(a, b)
            if UNKNOWN in (a, b):
                front.append(known if known > 1 else UNKNOWN)
            else:
                fits = fits and (a == b or 1 in (a, b))
                front.append(0 if 0 in (a, b) else known)
    else:
        agree, front = _merge_sizes(left[:-2], right[:-2])
        fits = fits and agree
    if not fits:  # then both ranks are known, and x and y are as they came
        names = [text_of(x), text_of(y)]
        return refused_naming(title, "batch_matmul", arguments, names=names)
    expected = [*front, left[-2], right[-1]]
    if UNKNOWN not in [*left, *right] and broadcasts:
        assert list((np.zeros(left) @ np.zeros(right)).shape) == expected
    return value_trial(title, "batch_matmul", arguments, expected)


@case("02.10")
def many_products(draw):
    """The axes in front broadcast, or must be the same."""
    for broadcasts in COINS:
        for x, y in [([2, 3], [3, 4]), ([5, 2, 3], [5, 3, 4]), ([5, 2, 3], [3, 4]),
                     ([1, 2, 3], [5, 3, 4]), ([2, 3], [5, 3, 4]), ([5, 2, 3], [6, 3, 4]),
                     ([5, 2, 3], [5, 2, 3]), (None, [5, 3, 4]), ([5, 2, 3], None),
                     (None, None), ([UNKNOWN, 2, 3], [5, 3, 4]), ([0, 2, 3], [1, 3, 4]),
                     ([7, 1, 2, 3], [5, 3, 4]), ([2, -1], [3, -1])]:  # fmt: skip
            yield _batch(x, y, False, False, broadcasts)
    for x in ([3], [], [3, 2]):
        title = f"x {text_of(x)} times y [2]"
        arguments = {"x": x, "y": [2], "adj_x": False, "adj_y": False, "broadcasts": True}
        yield refused_naming(title, "batch_matmul", arguments, names=[text_of(x), "[2]"])


@case("02.10", hidden=True, over=COINS)
def more_products(draw, broadcasts):
    """Products by chance, some of which do not fit."""
    for _ in range(150):
        m, k, n = (draw.whole(0, 4) for _ in range(3))
        front = draw.shape(draw.whole(0, 3), 4)
        ax, ay = draw.coin(), draw.coin()
        fronts = [draw.stretched(front) if broadcasts else front for _ in range(2)]
        x = [*fronts[0], *((k, m) if ax else (m, k))]
        y = [*fronts[1], *((n, k) if ay else (k, n))]
        if draw.coin(0.2):
            y[draw.whole(0, len(y) - 1)] += 1
        x, y = (hidden_in_part(draw, s, 0.2) for s in (x, y))
        yield _batch(x, y, ax, ay, broadcasts)


# ---- 02.11 ----------------------------------------------------------------------------


def _concat_sizes(xs: list[Sizes], axis: int) -> tuple[bool, Sizes]:
    """Whether shapes can be joined, and what is known of the whole."""
    total, others = 0, None
    for x in xs:
        if x is None:
            total = UNKNOWN
            continue
        if not -len(x) <= axis < len(x):
            return False, None
        total = UNKNOWN if UNKNOWN in (x[axis], total) else total + x[axis]
        rest = [*x]
        rest[axis] = UNKNOWN
        agree, others = _merge_sizes(others, rest)
        if not agree:
            return False, None
    if others is None:
        return True, None
    others[axis] = total
    return True, others


def _concat(xs: list[Sizes], axis: int) -> Trial:
    fits, expected = _concat_sizes(xs, axis)
    title = f"{', '.join(map(text_of, xs))} joined along axis {axis}"
    arguments = {"xs": xs, "axis": axis}
    if not fits:
        names = [text_of(xs[0]), "shape["] if _ranks_allow(xs, axis) else [""]
        return refused_naming(title, "concat", arguments, names=names)
    return value_trial(title, "concat", arguments, expected)


def _ranks_allow(xs: list[Sizes], axis: int) -> bool:
    return all(x is None or -len(x) <= axis < len(x) for x in xs)


@case("02.11")
def joined_by_heart(draw):
    """Sizes along the axis add up, the others must agree."""
    for xs, axis in [
        ([[2, 3], [4, 3]], 0), ([[2, 3], [2, 5]], 1), ([[2, 3], [2, 5]], -1),
        ([[2], [0], [3]], 0), ([[2, 3]], 0), ([[2, 3], [2, 4]], 0), ([[2], [2, 3]], 0),
        ([[2, 3], [4, 3]], 2), ([[2, 3], [4, 3]], -3), ([[], []], 0), ([None, [2, 3]], 0),
        ([[2, 3], None], 1), ([None, None], 5), ([[UNKNOWN, 3], [4, 3]], 0),
        ([[2, UNKNOWN], [4, 3]], 0), ([[2, 3], [4, UNKNOWN], [4, 4]], 0), ([None], 0),
        ([[UNKNOWN, UNKNOWN], [UNKNOWN, 3]], 1), ([[1, 3], [1, 3]], 1), ([[2, 3]], -3),
        ([[2, 3]], 2), ([[2, 3]], -1), ([[]], 0), ([None, [0], [2, 3]], 0),
    ]:  # fmt: skip
        yield _concat(xs, axis)


@case("02.11", over=range(3))
def all_pairs_joined(draw, rank):
    """All pairs of shapes of a rank, known in part, along every axis."""
    shapes = [None, *map(list, itertools.product((UNKNOWN, 0, 1, 2), repeat=rank))]
    for xs in itertools.product(shapes, repeat=2):
        for axis in range(-rank - 1, rank + 1):
            yield _concat(list(xs), axis)


@case("02.11")
def joined_of_all_ranks(draw):
    """All inputs have one rank: an empty vector is no matrix without rows."""
    for xs in itertools.product(all_shapes(2, (UNKNOWN, 0, 2)), repeat=2):
        for axis in (0, -1, 1):
            yield _concat(list(xs), axis)


def _pack(xs: list[Sizes], axis: int) -> Trial:
    merged: Sizes = None
    fits = True
    for x in xs:
        agree, merged = _merge_sizes(merged, x)
        if not agree:
            fits = False
            break
    title = f"{', '.join(map(text_of, xs))} packed along axis {axis}"
    arguments = {"xs": xs, "axis": axis}
    if fits and merged is not None:
        rank = len(merged) + 1
        fits = -rank <= axis < rank
        merged = [*merged]
        merged.insert(axis if axis >= 0 else axis + rank, len(xs))
    if not fits:
        return refused_naming(title, "pack", arguments, names=[""])
    return value_trial(title, "pack", arguments, merged)


@case("02.11")
def packed(draw):
    """A new axis, as long as there are shapes; -1 puts it last."""
    for count in (1, 2, 5):
        for shape in ([], [3], [2, 3], [UNKNOWN, 3], [0]):
            for axis in range(-len(shape) - 2, len(shape) + 2):
                yield _pack([list(shape) for _ in range(count)], axis)
    for xs in [[None, [2]], [[2], None], [None, None], [[2], [3]], [[UNKNOWN], [3]],
               [[2, UNKNOWN], [UNKNOWN, 3]], [[2], [2, 2]]]:  # fmt: skip
        for axis in (-1, 0):
            yield _pack(xs, axis)


@case("02.11", hidden=True, over=range(2))
def more_joined(draw, _part):
    """Up to six shapes of ranks 1 to 5; numpy joins those that are known."""
    for _ in range(120):
        shape = draw.shape(draw.whole(1, 5), 3)
        axis = draw.whole(-len(shape), len(shape) - 1)
        xs = []
        for _ in range(draw.whole(1, 6)):
            one = list(shape)
            one[axis] = draw.whole(0, 4)
            if draw.coin(0.05):
                one[draw.whole(0, len(one) - 1)] += 1
            xs.append(hidden_in_part(draw, tuple(one), draw.one_of([0, 0, 0.3])))
        known = all(x is not None and UNKNOWN not in x for x in xs)
        fits, expected = _concat_sizes(xs, axis)
        if known and fits:
            joined = np.concatenate([np.zeros(x) for x in xs], axis)
            assert list(joined.shape) == expected
        yield _concat(xs, axis)


@case("02.11")
def joined_and_huge(draw):
    """Sizes that are large, and too large together."""
    yield _concat([[LARGE, 2], [LARGE, 2]], 0)
    yield _concat([[2, LARGE], [3, LARGE]], 0)
    half = 2**62
    yield _concat([[half], [half - 1]], 0)
    yield _concat([[half - 1], [0], [half]], 0)
    for sizes in [(half, half), (1, 2 * half - 1), (half, half - 1, 1), (half,) * 3,
                  (half,) * 4]:  # fmt: skip
        for axis, xs in [(0, [[n] for n in sizes]), (1, [[0, n] for n in sizes])]:
            title = f"{', '.join(map(text_of, xs))} joined along axis {axis}"
            arguments = {"xs": xs, "axis": axis}
            yield refused_naming(title, "concat", arguments, names=["2^63"])
