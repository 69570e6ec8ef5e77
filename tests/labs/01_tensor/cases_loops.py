"""Lab 01, tasks 8 to 10: shapes that broadcast, and plans of loops."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_01_tensor.huge import huge_shape
from lab_01_tensor.trials import Shape, product

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import refused, text_of, value_trial

UNKNOWN = -1
LARGE = 2**40

# ---- 01.8 -----------------------------------------------------------------------------


def _broadcast_size(x: int, y: int) -> int | None:
    """What two sizes broadcast to; None if they do not."""
    if UNKNOWN in {x, y}:
        known = max(x, y)
        return known if known > 1 else UNKNOWN
    try:
        return np.broadcast_shapes((x,), (y,))[0]
    except ValueError:
        return None


def _expected(x: Shape | None, y: Shape | None) -> tuple[bool, list[int] | None]:
    """Whether two shapes fit, and what they broadcast to."""
    if x is None or y is None:
        return True, None
    rank = max(len(x), len(y))
    x, y = ((1,) * (rank - len(one)) + tuple(one) for one in (x, y))
    sizes = [_broadcast_size(a, b) for a, b in zip(x, y, strict=True)]
    return None not in sizes, sizes


def _pair(x: Shape | None, y: Shape | None) -> Trial:
    """Two shapes, which may be unknown in part."""
    fits, expected = _expected(x, y)
    title = f"{text_of(x)} with {text_of(y)}"
    arguments = {
        "x": None if x is None else list(x), "y": None if y is None else list(y),
    }  # fmt: skip
    if fits:
        return value_trial(title, "broadcast_partial", arguments, expected)
    names = [text_of(x), text_of(y)]
    return refused(title, "broadcast_partial", arguments, names=names)


@case("01.8")
def broadcast_by_heart(draw):
    """Shapes are aligned at their last axes."""
    known = [
        ((2, 3), (3,), [2, 3]), ((3,), (2, 3), [2, 3]), ((2, 1), (3,), [2, 3]),
        ((2, 1), (1, 3), [2, 3]), ((), (4,), [4]), ((4,), (), [4]), ((), (), []),
        ((4, 1, 3), (2, 1), [4, 2, 3]), ((0, 1), (1, 7), [0, 7]), ((1,), (0,), [0]),
        ((0,), (1,), [0]), ((1, 1), (1,), [1, 1]), ((5, 1), (0,), [5, 0]),
    ]  # fmt: skip
    for x, y, expected in known:
        arguments = {"shapes": [list(x), list(y)]}
        title = f"{text_of(x)} with {text_of(y)}"
        yield value_trial(title, "broadcast", arguments, expected)


@case("01.8", over=itertools.product(range(3), range(3)))
def all_pairs_of_ranks(draw, x_rank, y_rank):
    """All sizes from 0 to 3, those that fit and those that do not."""
    for x in itertools.product(range(4), repeat=x_rank):
        for y in itertools.product(range(4), repeat=y_rank):
            yield _pair(x, y)


@case("01.8", over=range(2))
def several_shapes(draw, _part):
    """One shape to four, of ranks 0 to 5, as numpy broadcasts them."""
    for i in range(150):
        shape = draw.shape(draw.whole(0, 5), 4, empty=draw.coin(0.1))
        shapes = [draw.stretched(shape) for _ in range(1 + i % 4)]
        if draw.coin(0.4) and shape:
            wrong = list(draw.one_of(shapes)) or [2]
            wrong[draw.whole(0, len(wrong) - 1)] += draw.whole(1, 3)
            shapes.insert(draw.whole(0, len(shapes)), tuple(wrong))
        title = " with ".join(map(text_of, shapes))
        arguments = {"shapes": [list(one) for one in shapes]}
        try:
            expected = list(np.broadcast_shapes(*shapes))
        except ValueError:
            yield refused(title, "broadcast", arguments, names=["["])
        else:
            yield value_trial(title, "broadcast", arguments, expected)


@case("01.8")
def huge_sizes(draw):
    """Sizes may be large, and wrong ones too."""
    for x, y in [((LARGE, 1), (1, 7)), ((LARGE,), (LARGE,)), ((LARGE,), (LARGE + 1,)),
                 ((1,), (LARGE,)), ((LARGE,), (2, 1)), ((LARGE,), (0,))]:  # fmt: skip
        yield _pair(x, y)
    # Pairs that are the same, or 1, or unknown, once the upper bits are lost.
    for bits, size in itertools.product((8, 16, 31, 32, 33, 53), (0, 1, 2, 3, 7)):
        other = size + 2**bits
        yield _pair((size,), (other,))
        yield _pair((other, 1), (size,))
        yield _pair((other,), (5,))
        yield _pair((2**bits - 1,), (UNKNOWN, 5))
        yield _pair((other,), (UNKNOWN,))


@case("01.8", over=range(3))
def partly_known(draw, rank):
    """What is unknown takes part: all combinations of sizes, known and not."""
    sizes = (UNKNOWN, 0, 1, 2, 3)
    for x in itertools.product(sizes, repeat=rank):
        for y in itertools.product(sizes, repeat=min(rank, 1)):
            yield _pair(x, y)
            yield _pair(y, x)
    if rank == 0:
        for y in [None, (), (2,), (UNKNOWN, 3)]:
            yield _pair(None, y)
            yield _pair(y, None)


@case("01.8", hidden=True, over=range(3))
def more_partly_known(draw, _part):
    """Other shapes of all ranks, known in part."""
    for _ in range(200):
        shape = draw.shape(draw.whole(0, 5), 4, empty=draw.coin(0.1))
        pair = []
        for _ in range(2):
            one = [UNKNOWN if draw.coin(0.2) else n for n in draw.stretched(shape)]
            if one and draw.coin(0.2):
                one[draw.whole(0, len(one) - 1)] = draw.whole(0, 5)
            pair.append(tuple(one))
        yield _pair(*pair)


# ---- 01.9 -----------------------------------------------------------------------------


def _moves(shape: Shape, output: Shape) -> list[int]:
    """How far an input moves along each axis of the output."""
    padded = (1,) * (len(output) - len(shape)) + shape
    strides = [product(padded[axis + 1 :]) for axis in range(len(output))]
    return [s if n != 1 else 0 for s, n in zip(strides, padded, strict=True)]


def _sizes_by_kind(output: Shape, inputs: list[Shape]) -> list[int]:
    """The sizes of as few loops as walk through all inputs, of which none is empty.

    Neighbours are one along which the same inputs move, for these lie row by row.
    """
    moves = [_moves(shape, output) for shape in inputs]
    kinds = [(tuple(m[k] != 0 for m in moves), n) for k, n in enumerate(output) if n != 1]
    groups = itertools.groupby(kinds, key=lambda kind: kind[0])
    return [product([n for _, n in group]) for _, group in groups] or [1]


def _plan(
    output: Shape, inputs: list[Shape], begin: int = 0, end: int | None = None
) -> Trial:
    """A walk over some elements of a result."""
    count = product(output)
    end = count if end is None else end
    places = [np.broadcast_to(np.arange(product(s)).reshape(s), output) for s in inputs]
    expected = np.stack([one.ravel() for one in places], 1)[begin:end] if inputs else None
    sizes = _sizes_by_kind(output, inputs)
    row = sizes[-1]
    # Strides mean nothing in an input of no elements, so it may keep axes apart or not.
    is_known = all(map(product, inputs))

    def check(values: list[Any]) -> Mismatch | None:
        got, counts = values[0]["places"], values[0]["counts"]
        if begin < end:
            for i, shape in enumerate(inputs):
                what = f"where the input of shape {text_of(shape)} is read"
                found = np.array([one[i] for one in got], np.int64)
                if wrong := close(found, expected[:, i], what=what):
                    return wrong
        pieces = []
        at = begin
        while at < end:
            pieces.append(min(end - at, row - at % row))
            at += pieces[-1]
        if counts != pieces:
            message = "the loops are right, but rows are of another length"
            return Mismatch(message, expected=f"{pieces[:8]}", got=f"{counts[:8]}")
        if not count and product(values[0]["sizes"]):
            message = "there are no elements, but the loops find some"
            return Mismatch(message, expected="a size of 0", got=f"{values[0]['sizes']}")
        if is_known and values[0]["sizes"] != sizes:
            message = "the loops are right, but there are others than are needed"
            return Mismatch(message, expected=f"{sizes}", got=f"{values[0]['sizes']}")
        return None

    title = f"elements {begin} to {end} of {text_of(output)}, of inputs "
    title += " and ".join(map(text_of, inputs))
    arguments = {
        "output": list(output), "inputs": [list(s) for s in inputs],
        "begin": begin, "end": end,
    }  # fmt: skip
    return Trial(title, [Call("plan", arguments)], check)


@case("01.9")
def plans_by_heart(draw):
    """Axes that every input walks through alike are one row."""
    yield _plan((3,), [(3,), (3,)])
    yield _plan((), [(), ()])
    yield _plan((2, 3), [(2, 3), (2, 3)])
    yield _plan((2, 3), [(2, 3), (3,)])
    yield _plan((2, 3), [(2, 1), (1, 3)])
    yield _plan((2, 3), [(), (2, 3)])
    yield _plan((2, 3, 4), [(2, 3, 4), (4,)])
    yield _plan((2, 3, 4), [(2, 3, 4), (2, 1, 1)])
    yield _plan((2, 3, 4), [(2, 3, 4), (3, 1)])
    yield _plan((2, 1, 3), [(2, 1, 3), (1, 1)])
    yield _plan((2, 2), [(), ()])
    yield _plan((2, 3), [])
    yield _plan((), [])


def _plans(draw: Draw, count: int) -> Iterator[Trial]:
    for i in range(count):
        output = draw.shape(draw.whole(0, 5), 1 + i * 4 // count, empty=draw.coin(0.05))
        yield _plan(output, [draw.stretched(output) for _ in range(1 + i % 3)])


@case("01.9", over=range(3))
def plans(draw, _part):
    """One input to three, of ranks 0 to 5, each stretched along other axes."""
    yield from _plans(draw, 120)


@case("01.9")
def parts_of_plans(draw):
    """A thread begins anywhere and ends anywhere."""
    for _ in range(80):
        output = draw.shape(draw.whole(1, 4), 4)
        inputs = [draw.stretched(output) for _ in range(draw.whole(1, 3))]
        begin = draw.whole(0, product(output))
        yield _plan(output, inputs, begin, draw.whole(begin, product(output)))


def _huge_plan(output: Shape, inputs: list[Shape], begin: int, end: int) -> Trial:
    """Some elements of more than a list can hold."""
    moves = [_moves(shape, output) for shape in inputs]
    sizes = _sizes_by_kind(output, inputs)
    places = []
    for element in range(begin, end):
        index = []
        for size in reversed(output):
            element, i = divmod(element, size)
            index.insert(0, i)
        places.append([sum(map(int.__mul__, index, move)) for move in moves])

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if [list(one) for one in got["places"]] != places:
            return Mismatch("wrong places", expected=f"{places}", got=f"{got['places']}")
        if got["sizes"] != sizes:
            return Mismatch("wrong sizes", expected=f"{sizes}", got=f"{got['sizes']}")
        return None

    title = f"elements {begin} to {end} of {text_of(output)}, of inputs "
    title += " and ".join(map(text_of, inputs))
    arguments = {
        "output": list(output), "inputs": [list(s) for s in inputs],
        "begin": begin, "end": end,
    }  # fmt: skip
    return Trial(title, [Call("plan", arguments)], check)


@case("01.9")
def parts_of_huge_plans(draw):
    """Results of more than 2^32 elements are walked through like others."""
    for _ in range(60):
        output = huge_shape(draw, draw.whole(1, 4))
        inputs = [draw.stretched(output) for _ in range(draw.whole(1, 3))]
        count = product(output)
        for begin in (draw.whole(0, count - 1), max(count - 3, 0)):
            yield _huge_plan(output, inputs, begin, min(begin + 3, count))


@case("01.9")
def rows_of_every_length(draw):
    """One row: of the last input alone, of all of them, and beside axes of size 1."""
    for size in range(2, 180):
        yield _plan((size,), [(), (1,), (size,)])
    for size in (2, 27, 40, 81, 113, 145):
        yield _plan((size, 1, 1), [(size, 1, 1), (), (size, 1, 1)])
        yield _plan((1, 3, size), [(), (1,), (3, size)])


@case("01.9")
def plans_of_nothing(draw):
    """An axis of size 0 is a loop; only axes of size 1 are left out."""
    for shape in [(0,), (2, 0), (0, 2), (1, 0), (2, 0, 3), (0, 0)]:
        yield _plan(shape, [shape])
        yield _plan(shape, [shape, ()])
        yield _plan(shape, [tuple(1 if n == 0 else n for n in shape), shape])
        yield _plan(shape, [(1,), (1,)])
        yield _plan(shape, [tuple(1 if n == 0 else n for n in shape), ()])


@case("01.9")
def sums_that_broadcast(draw):
    """X + y, with whatever is stretched."""
    for rank in range(6):
        for _ in range(6):
            shape = draw.shape(rank, 3, empty=draw.coin(0.1))
            x, y = (draw.array(draw.stretched(shape)) for _ in range(2))
            expected = np.asarray(x + y)

            def check(values: list[Any], expected: np.ndarray = expected) -> Any:
                return close(np.asarray(values[0]), expected, what="x + y")

            title = f"{text_of(x.shape)} + {text_of(y.shape)}"
            yield Trial(title, [Call("add", {"x": x, "y": y})], check)


@case("01.9", hidden=True, over=range(3))
def more_plans(draw, _part):
    """Other inputs."""
    yield from _plans(draw, 200)


# ---- 01.10 ----------------------------------------------------------------------------


def _merged(shape: Shape, axes: tuple[int, ...]) -> list[list[int]]:
    """Size and whether it is reduced, of each axis once neighbours are one."""
    kinds = [(size, i in axes) for i, size in enumerate(shape) if size != 1]
    return [
        [product([size for size, _ in group]), int(is_reduced)]
        for is_reduced, group in (
            (key, list(members))
            for key, members in itertools.groupby(kinds, key=lambda kind: kind[1])
        )
    ]


def _steps(merged: list[list[int]]) -> list[list[int]]:
    """What is reduced, the last axis first."""
    return [
        [
            product([n for n, _ in merged[:k]]),
            merged[k][0],
            product([n for n, is_reduced in merged[k + 1 :] if not is_reduced]),
        ]
        for k in reversed(range(len(merged)))
        if merged[k][1]
    ]


def _left(merged: list[list[int]]) -> list[list[list[int]]]:
    """The axes after each step, all but those that were reduced."""
    left = []
    for k in reversed(range(len(merged))):
        if merged[k][1]:
            merged = merged[:k] + merged[k + 1 :]
            left.append(merged)
    return left


def _reduction(shape: Shape, axes: tuple[int, ...], *, keep_dims: bool) -> Trial:
    """A plan; the axes may be negative."""
    positive = tuple(axis % len(shape) for axis in axes)
    merged = _merged(shape, positive) or [[1, 0]]
    expected = {
        "output": [
            1 if i in positive else size
            for i, size in enumerate(shape)
            if keep_dims or i not in positive
        ],
        "num_reduced": product([shape[i] for i in positive]),
        "axes": merged,
        "steps": _steps(merged),
        "left": _left(merged),
    }
    names = {
        "output": "the shape of the result",
        "num_reduced": "how many elements make one",
        "axes": "the merged axes (size, 1 if reduced)",
        "steps": "the steps (outer, length, inner)",
        "left": "the axes that each step leaves (size, 1 if reduced)",
    }

    def check(values: list[Any]) -> Mismatch | None:
        for key, wanted in expected.items():
            if 0 in expected["output"] and key != "output":
                continue  # there is nothing to reduce to
            if values[0][key] != wanted:
                return Mismatch(
                    f"wrong: {names[key]}", expected=f"{wanted}", got=f"{values[0][key]}"
                )
        return None

    title = f"{text_of(shape)} over the axes {text_of(positive)}"
    title += ", which are kept as size 1" if keep_dims else ""
    arguments = {
        "shape": list(shape), "axes": np.array(axes, np.int32), "keep_dims": keep_dims,
    }  # fmt: skip
    return Trial(title, [Call("reduction_steps", arguments)], check)


@case("01.10")
def reductions_by_heart(draw):
    """What the header says, and smaller ones."""
    for axes in [(), (0,), (1,), (0, 1), (1, 0), (-1,), (-2,)]:
        yield _reduction((2, 3), axes, keep_dims=False)
    yield _reduction((), (), keep_dims=False)
    yield _reduction((8, 5, 5, 32), (0, 1, 2), keep_dims=False)
    yield _reduction((8, 5, 5, 32), (0, 2), keep_dims=False)
    yield _reduction((8, 5, 5, 32), (1, 3), keep_dims=True)
    yield _reduction((2, 1, 3, 4), (0, 2), keep_dims=False)
    yield _reduction((2, 1, 3), (1,), keep_dims=False)


def _subsets(rank: int) -> Iterator[tuple[int, ...]]:
    for count in range(rank + 1):
        yield from itertools.combinations(range(rank), count)


@case("01.10", over=range(1, 6))
def reductions_of_rank(draw, rank):
    """Every choice of axes, kept and not, in shapes with sizes 0 and 1 among them."""
    for axes in _subsets(rank):
        for kind in range(3):
            shape = draw.shape(rank, 3, empty=kind == 2)
            some = tuple(axis - rank if draw.coin(0.3) else axis for axis in axes)
            chosen = tuple(draw.shuffled(some)) if kind else some
            yield _reduction(shape, chosen, keep_dims=draw.coin())


@case("01.10")
def huge_reductions(draw):
    """More than 2^32 elements, of a shape without a tensor."""
    for _ in range(80):
        shape = huge_shape(draw, draw.whole(1, 5))
        axes = tuple(draw.some_of(range(len(shape))))
        yield _reduction(shape, axes, keep_dims=draw.coin())
    for shape, axes in [((3, LARGE, LARGE, 0), (1, 2, 3)), ((0, LARGE, LARGE), (0, 1, 2)),
                        ((LARGE, LARGE, 0), (0, 1, 2))]:  # fmt: skip
        yield _reduction(shape, axes, keep_dims=False)


def _values(draw: Draw, op: str, dtype: str, count: int) -> Iterator[Trial]:
    for i in range(count):
        rank = i * 6 // count
        x = draw.array(draw.shape(rank, 4), dtype, "whole")
        axes = draw.shuffled(draw.some_of(range(rank)))
        keep_dims = draw.coin()
        function = {"sum": np.sum, "max": np.max, "prod": np.prod}[op]
        expected = np.asarray(function(x, tuple(axes), keepdims=keep_dims)).astype(dtype)

        def check(values: list[Any], expected: np.ndarray = expected) -> Any:
            return close(np.asarray(values[0]), expected, rtol=1e-6, what="the result")

        title = f"reduce_{op} of {dtype} {text_of(x.shape)} over {text_of(axes)}"
        arguments = {"op": op, "x": x, "axes": axes, "keep_dims": keep_dims}
        yield Trial(title, [Call("reduce", arguments)], check)


@case("01.10", over=[("sum", "float32"), ("max", "int32"), ("prod", "float64")])
def reduced_values(draw, op, dtype):
    """The kernels that follow the plan compute what numpy does."""
    yield from _values(draw, op, dtype, 60)


@case("01.10", hidden=True, over=range(4, 7))
def more_reductions_of_rank(draw, rank):
    """Other shapes."""
    for axes in _subsets(rank):
        shape = draw.shape(rank, draw.whole(1, 3), empty=draw.coin(0.1))
        yield _reduction(shape, axes, keep_dims=draw.coin())


@case("01.10", hidden=True)
def more_reduced_values(draw):
    """Other values."""
    yield from _values(draw, "sum", "int64", 90)
