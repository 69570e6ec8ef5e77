"""Lab 01, tasks 5 to 7: what lies row by row, other shapes, and copies."""

import itertools
from collections.abc import Iterator

import numpy as np
from lab_01_tensor.huge import huge_reshapes, huge_views
from lab_01_tensor.trials import (
    Model,
    Shape,
    compact_trial,
    handles_trial,
    known_layout_trial,
    layout_trial,
    product,
    random_shape,
    random_steps,
    random_views,
    script_of,
    views_before,
    write_trial,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import value_trial

HUGE = 2**62

# ---- 01.5 -----------------------------------------------------------------------------


def _contiguous(shape: Shape, steps: list) -> Trial:
    arguments = {"shape": list(shape), "steps": steps}
    expected = Model.of(shape, steps).is_contiguous
    title = f"is it contiguous: {script_of(shape, steps)}"
    return value_trial(title, "is_contiguous", arguments, expected)


@case("01.5")
def contiguous_or_not(draw):
    """Views of two rows of three, and axes along which nobody walks."""
    scripts = [
        [], [("slice", [0, 0, 1, 1])], [("slice", [0, 1, 1, 1])],
        [("slice", [1, 0, 1, 2])], [("slice", [1, 1, 1, 1])], [("reverse", [0])],
        [("slice", [0, 1, 1, 1]), ("slice", [1, 1, 1, 2])], [("reverse", [1])],
        [("slice", [0, 1, 1, 1]), ("slice", [1, 2, 1, 1])], [("transpose", [1, 0])],
        [("slice", [0, 0, 1, 1]), ("transpose", [1, 0])], [("slice", [1, 0, 2, 2])],
        [("slice", [1, 2, 1, 1]), ("transpose", [1, 0])], [("expand", [1, 2, 3])],
        [("expand", [2, 2, 3])], [("slice", [1, 0, 1, 0])], [("slice", [0, 0, 1, 0])],
        [("slice", [0, 1, 1, 1]), ("reverse", [0])],
        [("slice", [1, 0, 1, 1]), ("reverse", [0])],
    ]  # fmt: skip
    for steps in scripts:
        yield _contiguous((2, 3), steps)
    for shape in [(), (1,), (0,), (2, 0), (0, 2), (1, 1, 1), (4,), (1, 3, 1), (2, 1, 3)]:
        yield _contiguous(shape, [])
        yield _contiguous(shape, [("expand", [1, *shape])])
    arguments = {"shape": [HUGE, 4, 0], "steps": [("transpose", [2, 0, 1])]}
    yield value_trial(
        "a view of [4611686018427387904,4,0]", "is_contiguous", arguments, True
    )


@case("01.5")
def contiguous_transposes(draw):
    """Axes of size 1 may stand anywhere."""
    for shape in [(1, 3), (3, 1), (1, 2, 3), (2, 1, 3), (1, 1, 2), (2, 3, 1, 1)]:
        for order in itertools.permutations(range(len(shape))):
            yield _contiguous(shape, [("transpose", list(order))])


@case("01.5", over=range(2))
def contiguous_views(draw, _part):
    """Random views, with gaps and without."""
    for shape, steps, _ in random_views(draw, 200):
        yield _contiguous(shape, steps)


@case("01.5")
def contiguous_huge_views(draw):
    """Strides beyond 2^32 are compared like others."""
    for shape, steps, layout in huge_views(draw, 80):
        for script, expected in [([], True), (steps, layout.is_contiguous)]:
            arguments = {"shape": list(shape), "steps": script}
            title = f"is it contiguous: {script_of(shape, script)}"
            yield value_trial(title, "is_contiguous", arguments, expected)
    for by in (2**8, 2**16, 2**31, 2**32, 2**33, 2**53):  # rows with a gap of so many
        steps = [("slice", [1, 0, 1, 3])]
        arguments = {"shape": [5, 3 + by], "steps": steps}
        title = f"is it contiguous: {script_of((5, 3 + by), steps)}"
        yield value_trial(title, "is_contiguous", arguments, False)


@case("01.5", hidden=True, over=range(2))
def more_contiguous_views(draw, _part):
    """Other random views."""
    for shape, steps, _ in random_views(draw, 300):
        yield _contiguous(shape, steps)


# ---- 01.6 -----------------------------------------------------------------------------


def _factors(count: int, rank: int) -> Iterator[tuple[int, ...]]:
    """All shapes of so many elements and of this rank."""
    if rank == 0:
        if count == 1:
            yield ()
        return
    for first in range(1, count + 1):
        if count % first == 0:
            for rest in _factors(count // first, rank - 1):
                yield (first, *rest)


def _reshapes(shape: Shape, steps: list, ranks: range) -> Iterator[Trial]:
    model = Model.of(shape, steps)
    for rank in ranks:
        for sizes in _factors(model.places.size, rank):
            yield layout_trial(shape, [*steps, ("reshape", list(sizes))])


@case("01.6")
def reshaped_tensors(draw):
    """A tensor takes every shape of as many elements, and keeps them in order."""
    for shape in [(), (1,), (4,), (2, 3), (2, 1, 3), (2, 3, 4)]:
        yield from _reshapes(shape, [], range(5))
    for shape, sizes in [((0,), (3, 0)), ((2, 0), (0,)), ((0, 5), (7, 0, 2))]:
        yield layout_trial(shape, [("reshape", list(sizes))])


@case("01.6")
def reshaped_views_by_heart(draw):
    """Rows with gaps may be split and not joined; columns become rows by a copy only."""
    rows = [("slice", [0, 0, 2, 3])]
    yield known_layout_trial(
        (6, 4), [*rows, ("reshape", [3, 2, 2])], [3, 2, 2], [8, 2, 1], 0
    )
    yield layout_trial((6, 4), [*rows, ("reshape", [12])])
    yield layout_trial((2, 3), [("transpose", [1, 0]), ("reshape", [6])])
    yield layout_trial((2, 3), [("transpose", [1, 0]), ("reshape", [3, 1, 2])])
    yield layout_trial((1, 1), [("expand", [3, 4]), ("reshape", [12])])
    yield layout_trial((3,), [("expand", [2, 3]), ("reshape", [6])])
    yield layout_trial((6,), [("reverse", [0]), ("reshape", [2, 3])])
    yield layout_trial((2, 3), [("reverse", [0]), ("reverse", [1]), ("reshape", [6])])
    yield layout_trial((2, 3), [("reverse", [0]), ("reshape", [6])])
    yield layout_trial((4, 3), [("slice", [0, 2, 1, 1]), ("reshape", [3, 1])])


@case("01.6", over=range(2))
def all_shapes_of_views(draw, _part):
    """Every shape of a view of few elements, where strides do it and where none do."""
    for _, _ in zip(range(40), itertools.count(), strict=False):
        shape = draw.shape(draw.whole(1, 3), 4)
        steps = random_steps(draw, shape, draw.whole(1, 3))
        if 0 < product(Model.of(shape, steps).shape) <= 24:
            yield from _reshapes(shape, steps, range(1, 4))


@case("01.6", over=range(2))
def reshaped_views(draw, _part):
    """Random shapes of random views, of every rank."""
    for shape, steps in views_before(draw, "reshape", 150):
        yield layout_trial(shape, steps)


@case("01.6")
def huge_reshaped_views(draw):
    """Runs of more than 2^32 elements are dealt out like others."""
    yield from huge_reshapes(draw, 60)


@case("01.6", hidden=True, over=range(2))
def more_reshaped_views(draw, _part):
    """Random shapes of other views."""
    for shape, steps in views_before(draw, "reshape", 300):
        yield layout_trial(shape, steps)


# ---- 01.7 -----------------------------------------------------------------------------

DTYPES = ("int64", "float32", "int8", "bool", "complex128")


@case("01.7")
def compact_by_heart(draw):
    """What lies row by row is shared; all else is copied, row by row."""
    x = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    scripts = [
        [], [("slice", [0, 1, 1, 1])], [("slice", [0, 1, 1, 1]), ("slice", [1, 1, 1, 2])],
        [("slice", [1, 1, 1, 2])], [("transpose", [1, 0])], [("reverse", [0])],
        [("reverse", [1])], [("slice", [0, 1, 1, 1]), ("expand", [4, 3])],
        [("slice", [1, 0, 1, 0])], [("slice", [1, 2, 1, 1])],
    ]  # fmt: skip
    for steps in scripts:
        yield compact_trial(x, steps)
    for shape in [(), (1,), (0,), (2, 0)]:
        for steps in ([], [("expand", [2, *shape])], [("expand", [0, *shape])]):
            yield compact_trial(np.arange(product(shape)).reshape(shape), steps)


@case("01.7")
def compact_single_elements(draw):
    """One element, wherever it lies, under a shape of any rank."""
    x = np.arange(10, 34, dtype=np.int16).reshape(2, 3, 4)
    for index in itertools.product(*map(range, x.shape)):
        one = [("slice", [axis, i, 1, 1]) for axis, i in enumerate(index)]
        for rank in (0, 1, 4):
            yield compact_trial(x, [*one, ("reshape", [1] * rank)])


@case("01.7", over=("borrowed", "part"))
def compact_of_other_memory(draw, memory):
    """The elements of a tensor may lie in memory of a caller, or in a larger tensor."""
    words = np.empty((2, 3), object)
    words[:] = [[b"a", b"bc" * 30, b""], [b"def", b"g" * 50, b"h"]]
    for steps in [], [("transpose", [1, 0])], [("slice", [0, 1, 1, 1])]:
        yield compact_trial(words, steps, memory)
        yield compact_trial(np.arange(6.0).reshape(2, 3), steps, memory)
    for shape, steps, _ in random_views(draw, 60):
        yield compact_trial(np.arange(product(shape)).reshape(shape), steps, memory)


@case("01.7", over=DTYPES)
def compact_of_type(draw, dtype):
    """Elements of every size, in views of every rank."""
    for shape, steps, _ in random_views(draw, 60):
        if dtype == "bool":
            yield compact_trial(draw.array(shape, dtype), steps)
        else:
            array = np.arange(product(shape)).reshape(shape) % 100
            yield compact_trial(array.astype(dtype), steps)


@case("01.7")
def compact_strings(draw):
    """Strings are copied as objects, short ones and long ones."""
    for shape, steps, _ in random_views(draw, 40):
        words = np.empty(product(shape), object)
        words[:] = [b"%d" % i * (1 + i % 40) for i in range(words.size)]
        yield compact_trial(words.reshape(shape), steps)


@case("01.7")
def compact_handles(draw):
    """Handles are copied as objects: each is one more user of its resource."""
    yield handles_trial((2, 3), [])
    yield handles_trial((2, 3), [("transpose", [1, 0])])
    yield handles_trial((2, 3), [("slice", [0, 1, 1, 1]), ("expand", [2, 3])])
    yield handles_trial((2, 3), [("slice", [1, 0, 1, 0])])
    for shape, steps, _ in random_views(draw, 20):
        yield handles_trial(shape, steps)


@case("01.7")
def views_share_elements(draw):
    """What is written through one view is seen through the tensor and any other view."""
    for _ in range(60):
        shape = random_shape(draw)
        steps, others = (random_steps(draw, shape, 3) for _ in range(2))
        if Model.of(shape, steps).places.size:
            yield write_trial(draw, shape, steps, others)


@case("01.7", hidden=True, over=("float64", "int16"))
def more_compact_of_type(draw, dtype):
    """Elements of other sizes, in other views."""
    for shape, steps, _ in random_views(draw, 120):
        array = np.arange(product(shape)).reshape(shape)
        yield compact_trial(array.astype(dtype), steps)


def _large(draw: Draw) -> Iterator[Trial]:
    for shape in [(300, 200), (40, 30, 50)]:
        rank = len(shape)
        array = np.arange(product(shape)).reshape(shape)
        yield compact_trial(array, [("transpose", list(range(rank))[::-1])])
        yield compact_trial(array, [("reverse", [rank - 1])])
        yield compact_trial(array, [("slice", [0, shape[0] - 1, -2, shape[0] // 2])])


@case("01.7")
def compact_of_large_views(draw):
    """Views of tens of thousands of elements."""
    yield from _large(draw)
