"""Lab 11: sums, means, products and extremes, by warps, blocks, columns and parts."""

from dataclasses import asdict
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

from minitf_lab.judge.case import Call, Mismatch, case
from minitf_lab.judge.draw import REAL, Draw

FUNCTIONS = ("sum", "mean", "prod", "max", "min")
Shape = tuple[int, int, int]


def _expected(function: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The result in float64, and the sum of all sizes in it."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        if function in {"max", "min"}:
            first = -np.inf if function == "max" else np.inf
            return getattr(np, function)(wide, axis=1, initial=first), np.zeros(1)
        if function == "prod":
            result = np.prod(wide, axis=1)
            return result, np.abs(result)
        result = np.sum(wide, axis=1)
        sizes = np.sum(np.abs(wide), axis=1)
        if function == "mean":
            count = np.float64(x.shape[1])
            return result / count, sizes / count
        return result, sizes


def reduce_trial(
    function: str,
    x: np.ndarray,
    *,
    has_room: bool = False,
    options: Options = USUAL,
    counts: Counts | None = None,
) -> Trial:
    """A reduction beside numpy's."""
    expected, sizes = _expected(function, x)
    bound: Any = TOLERANCE[x.dtype.name] * sizes
    if function == "prod":  # each factor is rounded
        bound = bound * max(1, x.shape[1] / 8)
    title = f"{function} of {x.dtype.name} {list(x.shape)} along axis 1"
    title += ", in two steps" if has_room else ""
    return launch(
        title, "reduce", arguments_of(function, x, has_room), expected, bound=bound,
        dtype=x.dtype, options=options, counts=counts,
    )  # fmt: skip


def arguments_of(function: str, x: np.ndarray, has_room: bool) -> dict[str, Any]:
    """Those of the driver's function."""
    return {"function": FUNCTIONS.index(function), "x": x, "has_room": has_room}


def numbers(draw: Draw, function: str, shape: Shape, dtype: str) -> np.ndarray:
    """Numbers to reduce; factors are near 1."""
    if function == "prod":
        return (draw.array(shape, dtype, "plain") - 1) / 8 + 1
    return draw.array(shape, dtype, "signed")


def special_trials(draw: Draw, shapes: list[Shape], has_room: bool = False) -> Any:
    """Where infinities are, and numbers that are none."""
    for shape in shapes:
        for function in ("sum", "max", "min"):
            x = draw.array(shape, "float32", "signed")
            places = draw.shuffled(range(shape[0] * shape[2]))
            for place, value in zip(places, (np.nan, np.inf, -np.inf), strict=False):
                outer, inner = divmod(place, shape[2])
                x[outer, draw.whole(0, shape[1] - 1), inner] = value
            yield reduce_trial(function, x, has_room=has_room)
        for function in ("max", "min"):  # a number that is none, first, last and alone
            for where in (0, shape[1] - 1, slice(None)):
                x = draw.array(shape, "float64", "signed")
                x[0, where, 0] = np.nan
                yield reduce_trial(function, x, has_room=has_room)


# ---- A warp for a row -----------------------------------------------------------------


@case("11.3", over=FUNCTIONS)
def rows_by_warps(draw, function):
    """Short rows of all lengths around that of a warp."""
    for length in (1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 1000, 1024):
        dtype = draw.one_of(REAL)
        x = numbers(draw, function, (draw.one_of([1, 2, 3]), length, 1), dtype)
        yield reduce_trial(function, x)


@case("11.3")
def more_rows_than_warps(draw):
    """The warps of a small grid go on until all rows are done."""
    for rows in (7, 8, 9, 31, 32, 33, 100, 257):
        yield reduce_trial("sum", numbers(draw, "sum", (rows, 5, 1), "float32"))
        yield reduce_trial("max", numbers(draw, "max", (rows, 40, 1), "float64"))


@case("11.3")
def nothing_to_reduce(draw):
    """Rows of no elements, and no rows."""
    for function in FUNCTIONS:
        yield reduce_trial(function, np.zeros((3, 0, 1), np.float32))
        yield reduce_trial(function, np.zeros((0, 5, 1), np.float32))


@case("11.3")
def rows_in_parts(draw):
    """A step whose rows are cut into parts, the last one shorter."""
    for shape in ((1, 513, 1), (2, 601, 1), (3, 1025, 1), (5, 1500, 1), (1, 2049, 1)):
        for function in ("sum", "mean", "max"):
            x = numbers(draw, function, shape, "float32")
            yield reduce_trial(function, x, has_room=True)


@case("11.3")
def rows_with_special_numbers(draw):
    """Infinities, and numbers that are none, wherever they stand in a row."""
    yield from special_trials(draw, [(4, 5, 1), (3, 33, 1), (2, 100, 1)])


@case("11.3", over=REAL)
def warps_read_whole_sectors(draw, dtype):
    """The lanes of a warp read numbers side by side, each once."""
    for shape in ((8, 64, 1), (3, 256, 1), (40, 1024, 1)):
        x = numbers(draw, "sum", shape, dtype)
        counts = Counts(("global-load",), loaded=x.nbytes, stored=x.itemsize * shape[0])
        yield reduce_trial("sum", x, counts=counts)


@case("11.3", hidden=True)
def more_rows_by_warps(draw):
    """Other rows, in other orders of threads."""
    for i in range(12):
        function = draw.one_of(FUNCTIONS)
        shape = (draw.whole(1, 60), draw.whole(1, 300), 1)
        x = numbers(draw, function, shape, draw.one_of(REAL))
        options = Options(seed=i, preempt=10 * (i % 2))
        yield reduce_trial(function, x, options=options)


# ---- A block for a row ----------------------------------------------------------------


@case("11.4", over=FUNCTIONS)
def rows_by_blocks(draw, function):
    """Long rows, of all lengths around that of a block."""
    for length in (1025, 1279, 1280, 1281, 2047, 3000):
        x = numbers(draw, function, (2, length, 1), draw.one_of(REAL))
        yield reduce_trial(function, x)


@case("11.4")
def more_rows_than_blocks(draw):
    """A block takes one row after the other."""
    for rows in (3, 4, 5, 9, 13):
        x = numbers(draw, "sum", (rows, 1100, 1), "float32")
        yield reduce_trial("sum", x)
        yield reduce_trial("max", x.astype(np.float64), options=Options(seed=3))


@case("11.4")
def long_parts(draw):
    """A step whose rows are cut into parts of more than a thousand."""
    for rows, length in ((264, 2051), (300, 2049)):
        x = draw.array((rows, length, 1), "float32", "whole")
        for function in ("sum", "mean"):
            yield reduce_trial(function, x, has_room=True)


@case("11.4")
def long_rows_with_special_numbers(draw):
    """Infinities, and numbers that are none, wherever they stand in a long row."""
    yield from special_trials(draw, [(3, 1030, 1), (2, 1500, 1)])


@case("11.4")
def blocks_read_whole_sectors(draw):
    """The threads of a block read numbers side by side, each once."""
    for shape in ((1, 2048, 1), (6, 1280, 1)):
        x = numbers(draw, "sum", shape, "float32")
        counts = Counts(("global-load",), loaded=x.nbytes, stored=4 * shape[0])
        yield reduce_trial("sum", x, counts=counts)


@case("11.4")
def the_same_rows_each_time(draw):
    """Sums do not depend on which warp of a block is done first."""
    x = draw.array((2, 3000, 1), "float32", "signed")
    for function in ("sum", "mean"):
        title = f"{function} of float32 {list(x.shape)}"
        arguments = arguments_of(function, x, False)
        yield same_in_every_order(title, "reduce", arguments)


@case("11.4", hidden=True)
def more_rows_by_blocks(draw):
    """Other rows, in other orders of threads."""
    for i in range(6):
        function = draw.one_of(FUNCTIONS)
        shape = (draw.whole(1, 9), draw.whole(1025, 2500), 1)
        x = numbers(draw, function, shape, draw.one_of(REAL))
        yield reduce_trial(function, x, options=Options(seed=i, preempt=5 * (i % 2)))


# ---- Columns --------------------------------------------------------------------------


@case("11.5", over=FUNCTIONS)
def columns(draw, function):
    """Columns of all lengths around that of a block, and of all widths."""
    for inner in (2, 3, 31, 32, 33, 70):
        for length in draw.shuffled((1, 2, 7, 8, 9, 16, 100))[:4]:
            shape = (draw.one_of([1, 2, 3]), length, inner)
            yield reduce_trial(
                function, numbers(draw, function, shape, draw.one_of(REAL))
            )


@case("11.5")
def more_columns_than_blocks(draw):
    """A block takes one strip of columns after the other, and waits in between."""
    for shape in ((1, 5, 129), (5, 3, 32), (9, 9, 33), (2, 20, 200), (40, 2, 2)):
        yield reduce_trial("sum", numbers(draw, "sum", shape, "float32"))
        x = numbers(draw, "min", shape, "float64")
        yield reduce_trial("min", x, options=Options(seed=4))


@case("11.5")
def no_columns(draw):
    """Columns of no elements, and no columns."""
    for function in FUNCTIONS:
        yield reduce_trial(function, np.zeros((2, 0, 3), np.float32))
        yield reduce_trial(function, np.zeros((0, 4, 3), np.float32))


@case("11.5")
def columns_in_parts(draw):
    """A step whose columns are cut into parts, the last one shorter."""
    for shape in ((1, 513, 2), (2, 701, 3), (3, 1025, 2), (1, 1100, 33), (1, 2049, 5)):
        for function in ("sum", "mean", "max"):
            x = numbers(draw, function, shape, "float32")
            yield reduce_trial(function, x, has_room=True)


@case("11.5")
def columns_with_special_numbers(draw):
    """Infinities, and numbers that are none, stay in their columns."""
    yield from special_trials(draw, [(1, 4, 3), (2, 9, 33), (1, 30, 5)])


@case("11.5", over=REAL)
def columns_in_whole_sectors(draw, dtype):
    """The lanes of a warp read numbers side by side, each once, and meet in no bank."""
    for shape in ((1, 8, 32), (2, 40, 64), (3, 17, 96), (1, 9, 70)):
        x = numbers(draw, "sum", shape, dtype)
        stored = x.itemsize * shape[0] * shape[2]
        kinds = () if shape[2] % 32 else ("global-load", "global-store")
        counts = Counts(kinds, loaded=x.nbytes, stored=stored, shared=True)
        yield reduce_trial("sum", x, counts=counts)


@case("11.5", hidden=True)
def more_columns(draw):
    """Other columns, in other orders of threads."""
    for i in range(12):
        function = draw.one_of(FUNCTIONS)
        shape = (draw.whole(1, 4), draw.whole(1, 40), draw.whole(2, 100))
        x = numbers(draw, function, shape, draw.one_of(REAL))
        yield reduce_trial(function, x, options=Options(seed=i, preempt=10 * (i % 2)))


# ---- Two steps ------------------------------------------------------------------------


@case("11.6", over=FUNCTIONS)
def all_elements(draw, function):
    """All elements of a tensor become one number, by way of the room."""
    for length in (513, 1000, 1024, 1025, 5000, 20011):
        x = numbers(draw, function, (1, length, 1), draw.one_of(REAL))
        yield reduce_trial(function, x, has_room=True)


@case("11.6")
def few_long_rows_and_columns(draw):
    """A few results of many elements each."""
    for shape in ((2, 3000, 1), (7, 900, 1), (1, 1300, 40), (3, 800, 2), (2, 5000, 5)):
        for function in ("sum", "mean", "prod"):
            x = numbers(draw, function, shape, "float64")
            yield reduce_trial(function, x, has_room=True)


@case("11.6")
def one_step_where_one_is_enough(draw):
    """Many results, or short ones, need no room and get none."""
    for shape in ((1, 600, 1), (600, 20, 1), (3, 512, 1), (1, 40, 50), (530, 600, 1)):
        x = draw.array(shape, "float32", "whole")
        yield reduce_trial("mean", x, has_room=True)


@case("11.6")
def infinities_in_parts(draw):
    """Infinities, and numbers that are none, get through both steps."""
    yield from special_trials(draw, [(1, 1500, 1), (3, 700, 2)], has_room=True)


@case("11.6")
def parts_are_stored_once(draw):
    """The first step stores as many numbers as the room has, the second the results."""
    for shape in ((1, 4096, 1), (2, 2048, 1), (1, 1024, 32)):
        x = numbers(draw, "sum", shape, "float32")
        results = shape[0] * shape[2]
        parts = -(-shape[1] // 512)
        counts = Counts(
            ("global-load",), stored=4 * results * (parts + 1),
            loaded=x.nbytes + 4 * results * parts,
        )  # fmt: skip
        yield reduce_trial("sum", x, has_room=True, counts=counts)


@case("11.6")
def a_number_for_each_part(draw):
    """The room holds a number for each part, [outer,parts,inner]; parts are alike."""
    for shape in ((1, 1500, 1), (3, 1025, 1), (2, 700, 3), (1, 5000, 2)):
        x = draw.array(shape, "float64", "signed")
        parts = -(-shape[1] // 512)
        part = -(-shape[1] // parts)
        sums = [x[:, i : i + part].sum(1) for i in range(0, shape[1], part)]
        title = f"room after the sum of float64 {list(shape)}"
        yield launch(
            title,
            "reduce",
            arguments_of("sum", x, True),
            np.stack(sums, 1).reshape(-1),
            bound=1e-10,
            value="room",
        )


@case("11.6")
def parts_of_more_than_a_block_takes(draw):
    """As many parts as are wanted, which are longer than usual; more than a part has."""
    for shape in ((300, 2049, 1), (100, 3001, 2), (1, 270001, 1)):
        x = draw.array(shape, "float32", "whole")
        yield reduce_trial("mean", x, has_room=True)


@case("11.6")
def the_same_bits_each_time(draw):
    """Sums do not depend on which block is done first."""
    for shape in ((1, 6000, 1), (1, 1200, 33)):
        x = draw.array(shape, "float32", "signed")
        arguments = arguments_of("sum", x, True)
        title = f"sum of float32 {list(shape)} in two steps"
        yield same_in_every_order(title, "reduce", arguments)


@case("11.6")
def a_last_part_without_numbers(draw):
    """So many parts, rounded up, that the last one begins behind the end."""
    for dtype in REAL:
        x = draw.array((1, 270337, 1), dtype, "whole")
        yield reduce_trial("sum", x, has_room=True)
        yield reduce_trial("mean", x, has_room=True)


@case("11.6", over=["error", "stream"])
def steps_that_cannot_begin(draw, trouble):
    """The error of the first launch comes back, and there is no second one."""
    names = {
        "error": "cudaErrorInvalidDevice",
        "stream": "cudaErrorInvalidResourceHandle",
    }

    def check(values: list[Any]) -> Any:
        (outcome,) = values
        if outcome["error"] != names[trouble]:
            got = outcome["error"] or "cudaSuccess"
            return Mismatch("what is returned", expected=names[trouble], got=got)
        if not (outcome["y"] == 7).all():
            return "the second step was launched though the first had failed"
        # With an error of before, it is not known that the launch itself went well.
        if trouble == "stream" and outcome["room"].any():
            return "the first step was launched in another stream"
        return None

    for shape in ((1, 2000, 1), (2, 3000, 1), (1, 1500, 3)):
        x = draw.array(shape, "float32", "whole")
        arguments = {
            "options": asdict(USUAL), "function": 0, "x": x,
            "y": np.full((shape[0], shape[2]), 7, np.float32), "trouble": trouble,
        }  # fmt: skip
        title = f"sum of float32 {list(shape)}; trouble: {trouble}"
        yield Trial(title, [Call("reduce_in_trouble", arguments)], check)


@case("11.6", hidden=True)
def more_parts(draw):
    """Other sizes, in other orders of threads."""
    for i in range(10):
        function = draw.one_of(FUNCTIONS)
        shape = (draw.whole(1, 6), draw.whole(513, 4000), draw.one_of([1, 1, 2, 35]))
        x = numbers(draw, function, shape, draw.one_of(REAL))
        yield reduce_trial(function, x, has_room=True, options=Options(seed=i))
