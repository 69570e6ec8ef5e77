"""Lab 01, tasks 1 to 4: slices, transposes and what is repeated."""

import itertools
from collections.abc import Iterator

from lab_01_tensor.huge import Layout, huge_layouts, huge_views
from lab_01_tensor.trials import (
    LARGEST,
    SMALLEST,
    Model,
    Shape,
    all_indices,
    expanded_strides_trial,
    known_layout_trial,
    layout_trial,
    list_of,
    product,
    random_views,
    refused_step,
    script_of,
    stretched_pairs,
    views_before,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.trials import refused, text_of, value_trial

HUGE = 2**62

# ---- 01.1 -----------------------------------------------------------------------------


def _strides_trial(shape: Shape) -> Trial:
    expected = [product(shape[axis + 1 :]) for axis in range(len(shape))]
    expected = expected if product(shape) else [0] * len(shape)
    title = f"the strides of a tensor of shape {text_of(shape)}"
    return value_trial(title, "strides", {"shape": list(shape)}, expected)


@case("01.1")
def strides_by_heart(draw):
    """Strides of small tensors, which everybody knows."""
    known = {
        (): [], (5,): [1], (2, 3): [3, 1], (4, 2, 3): [6, 3, 1], (1, 1): [1, 1],
        (3, 1): [1, 1], (2, 1, 3): [3, 3, 1], (2, 3, 1): [3, 1, 1], (0,): [0],
        (2, 0): [0, 0], (0, 2): [0, 0],
    }  # fmt: skip
    for shape, expected in known.items():
        title = f"the strides of a tensor of shape {text_of(shape)}"
        yield value_trial(title, "strides", {"shape": list(shape)}, expected)


@case("01.1", over=range(7))
def strides_of_rank(draw, rank):
    """The last axis has stride 1, and each other one passes over all axes behind it."""
    for largest in (1, 2, 3, 5):
        for _ in range(3):
            yield _strides_trial(draw.shape(rank, largest))
            yield _strides_trial(draw.shape(rank, largest, empty=True))


@case("01.1")
def strides_of_huge_tensors(draw):
    """No product overflows; without elements, none is even formed."""
    for shape in [(HUGE,), (2**31, 2**31), (2**20, 2**20, 2**20), (3, 2**40, 5)]:
        yield _strides_trial(shape)
    for shape in [(0, HUGE, HUGE), (HUGE, 0, HUGE), (HUGE, HUGE, 0), (HUGE, HUGE, 4, 0)]:
        yield _strides_trial(shape)


@case("01.1")
def strides_are_all_that_is_written(draw):
    """As many strides are written as there are axes, and nothing beside them."""
    for rank in range(8):
        for largest in (1, 3):
            shape = draw.shape(rank, largest)
            yield expanded_strides_trial(shape, shape)


def _places(shape: Shape, steps: list, model: Model) -> Trial:
    indices = all_indices(model.shape)
    arguments = {"shape": list(shape), "steps": steps, "indices": indices}
    expected = model.places.ravel().tolist()
    title = f"the places in {script_of(shape, steps)}"
    return value_trial(title, "places", arguments, expected)


@case("01.1", over=range(2))
def places_in_views(draw, _part):
    """The place of each element, in tensors and in views of them."""
    for rank in range(6):
        shape = draw.shape(rank, 3)
        yield _places(shape, [], Model.of(shape))
    for shape, steps, model in random_views(draw, 60):
        yield _places(shape, steps, model)


@case("01.1")
def places_in_huge_views(draw):
    """Places beyond 2^32, and those of the first and the last element."""
    for shape, steps, layout in huge_views(draw, 60):
        last = [size - 1 for size in layout.sizes]
        indices = [[0] * len(last), last, [draw.whole(0, n) for n in last]]
        arguments = {"shape": list(shape), "steps": steps, "indices": indices}
        title = f"the places of {indices} in {script_of(shape, steps)}"
        expected = [layout.place_of(index) for index in indices]
        yield value_trial(title, "places", arguments, expected)


def _refused_index(shape: Shape, steps: list, index: list[int]) -> Trial:
    title = f"the place of {list_of(index)} in {script_of(shape, steps)}"
    arguments = {"shape": list(shape), "steps": steps, "indices": [index]}
    return refused(
        title, "places", arguments, names=[text_of(Model.of(shape, steps).shape)]
    )


@case("01.1")
def indices_outside(draw):
    """An index outside of any axis is refused, and so is one of another rank."""
    for shape in [(), (3,), (2, 3), (2, 1, 3)]:
        yield _refused_index(shape, [], [0] * (len(shape) + 1))
        if shape:
            yield _refused_index(shape, [], [0] * (len(shape) - 1))
        for axis, size in enumerate(shape):
            for wrong in (size, size + 1, -1, -size, 2**32, LARGEST, SMALLEST):
                index = [n - 1 for n in shape]
                index[axis] = wrong
                yield _refused_index(shape, [], index)
    yield _refused_index((0,), [], [0])
    yield _refused_index((2, 0), [], [1, 0])
    yield _refused_index((2, 3), [("slice", [1, 1, 1, 1])], [0, 1])
    yield _refused_index((6,), [("slice", [0, 0, 2, 3])], [3])
    yield _refused_index((2, 3), [("transpose", [1, 0])], [1, 2])


@case("01.1")
def indices_outside_of_views(draw):
    """In a view, too, each part of an index is looked at: also where no step moves."""
    for shape, steps, model in random_views(draw, 120):
        for axis, size in enumerate(model.shape):
            index = [draw.whole(0, max(n - 1, 0)) for n in model.shape]
            index[axis] = draw.one_of([size, -1, size + draw.whole(1, 9), -size - 1])
            yield _refused_index(shape, steps, index)


@case("01.1", hidden=True, over=range(2))
def more_places_in_views(draw, _part):
    """The place of each element of other views."""
    for shape, steps, model in random_views(draw, 90):
        yield _places(shape, steps, model)


# ---- 01.2 -----------------------------------------------------------------------------


@case("01.2")
def slices_by_heart(draw):
    """Slices of two rows of three."""
    x = (2, 3)
    yield known_layout_trial(x, [("slice", [1, 1, 1, 2])], [2, 2], [3, 1], 1)
    yield known_layout_trial(x, [("slice", [1, 0, 2, 2])], [2, 2], [3, 2], 0)
    yield known_layout_trial(x, [("slice", [1, 2, -1, 3])], [2, 3], [3, -1], 2)
    yield known_layout_trial(x, [("slice", [0, 1, -1, 2])], [2, 3], [-3, 1], 3)
    yield known_layout_trial(x, [("reverse", [0])], [2, 3], [-3, 1], 3)
    yield known_layout_trial(x, [("reverse", [0]), ("reverse", [1])], [2, 3], [-3, -1], 5)
    yield known_layout_trial(x, [("slice", [1, 0, 1, 0])], [2, 0], [3, 1], 0)


@case("01.2", over=range(1, 5))
def slices_of_an_axis(draw, limit):
    """Every slice of an axis, from every begin, by every step, in both directions."""
    for rank, axis in [(1, 0), (2, 0), (2, 1), (3, 1)]:
        shape = [2, 3, 2][:rank]
        shape[axis] = limit
        for begin, by in itertools.product(range(limit), range(-limit, limit + 1)):
            room = limit - 1 - begin if by > 0 else begin
            most = 1 + room // abs(by) if by else 1
            for size in range(most + 1):
                yield layout_trial(tuple(shape), [("slice", [axis, begin, by, size])])


def _outside(limit: int) -> Iterator[list[int]]:
    """Slices that leave an axis of size ``limit``: begin, step, size."""
    numbers = [0, 1, -1, 2, limit - 1, limit, limit + 1, LARGEST, SMALLEST, HUGE]
    steps = [1, -1, 2, -2, 0, LARGEST, SMALLEST, HUGE, -HUGE]
    for begin, by, size in itertools.product(numbers, steps, numbers):
        last = begin + (size - 1) * by  # Python's integers do not overflow
        fits = size == 0 or (
            size > 0 and 0 <= begin < limit and 0 <= last < limit
            and (by != 0 or size == 1)
        )  # fmt: skip
        if not fits:
            yield [begin, by, size]


@case("01.2", over=[0, 1, 3])
def slices_outside(draw, limit):
    """A slice that leaves its axis is refused, however large its numbers are."""
    for numbers in _outside(limit):
        yield refused_step(
            (2, limit), [("slice", [1, *numbers])], text_of((2, limit)), str(numbers[2])
        )


def _wrapped(limit: int) -> Iterator[list[int]]:
    """Slices whose last index is in the axis once it has lost its upper bits."""
    for bits, by in itertools.product((32, 64), [2, 3, 4, 5, 8, 2**16, 2**31, 2**33]):
        for begin, last, times in itertools.product(
            {0, limit // 2}, {0, limit - 1}, [-3, -2, -1, 1, 2, 3, 4]
        ):
            steps, rest = divmod(last - begin + times * 2**bits, by)
            if not rest and abs(steps) < LARGEST:
                yield [begin, by if steps > 0 else -by, abs(steps) + 1]


@case("01.2", over=[1, 2, 5, 9])
def slices_that_wrap_around(draw, limit):
    """What leaves an axis does not come back, however far it goes."""
    for numbers in _wrapped(limit):
        yield refused_step((limit,), [("slice", [0, *numbers])], text_of((limit,)))


@case("01.2")
def slices_of_huge_views(draw):
    """Slices of axes of more than 2^32 elements."""
    yield from huge_layouts(draw, 60, "slice")
    yield from huge_layouts(draw, 30, "reverse")


@case("01.2")
def slices_with_huge_numbers(draw):
    """One element may be taken by any step, and none from anywhere."""
    for begin, by in itertools.product(
        [0, 2, LARGEST, SMALLEST, -1, 7], [0, 1, LARGEST, SMALLEST]
    ):
        for shape in [(3,), (3, 4), (0, 2)]:
            yield layout_trial(shape, [("slice", [0, begin, by, 0])])
    for begin, by in itertools.product(range(3), [0, LARGEST, SMALLEST, -5, HUGE]):
        yield layout_trial((2, 3), [("slice", [1, begin, by, 1])])
        # A step times this stride would overflow.
        yield layout_trial((3, 4), [("slice", [0, begin, by, 1])])
    huge = (HUGE, 0)
    for begin, by, size in [(HUGE - 1, -1, 3), (0, HUGE - 1, 2), (0, 1, HUGE)]:
        steps = [("slice", [0, begin, by, size])]
        yield known_layout_trial(huge, steps, [size, 0], [], 0)


@case("01.2")
def reversed_axes(draw):
    """The last element comes first, in every axis, of any size."""
    for rank in range(1, 6):
        for shape in [draw.shape(rank, 3), (1,) * rank, draw.shape(rank, empty=True)]:
            for axis in range(rank):
                yield layout_trial(shape, [("reverse", [axis])])
                yield layout_trial(shape, [("reverse", [axis]), ("reverse", [axis])])
    for axis in (-1, 2, LARGEST % 2**31):
        yield refused_step((2, 3), [("reverse", [axis])], str(axis), "[2,3]")


@case("01.2", over=range(2))
def slices_of_views(draw, _part):
    """Slices of views that are sliced, turned and repeated already."""
    for name in ("slice", "reverse"):
        for shape, steps in views_before(draw, name, 100):
            yield layout_trial(shape, steps)


@case("01.2", hidden=True, over=range(3))
def more_slices_of_views(draw, _part):
    """Slices of other views."""
    for shape, steps in views_before(draw, "slice", 150):
        yield layout_trial(shape, steps)


# ---- 01.3 -----------------------------------------------------------------------------


@case("01.3", over=range(5))
def all_orders_of_axes(draw, rank):
    """Every order of the axes of a tensor."""
    if rank == 2:
        yield known_layout_trial((2, 3), [("transpose", [1, 0])], [3, 2], [1, 3], 0)
    if rank == 3:
        # Two turns of three axes: an order and its inverse differ.
        yield known_layout_trial(
            (2, 3, 4), [("transpose", [1, 2, 0])], [3, 4, 2], [4, 1, 12], 0
        )
    for order in itertools.permutations(range(rank)):
        for empty in (False, True):
            shape = draw.shape(rank, 4, empty=empty)
            yield layout_trial(shape, [("transpose", list(order))])


@case("01.3")
def transposed_views(draw):
    """Axes of views change places, with their strides, and the offset stays."""
    for shape, steps in views_before(draw, "transpose", 150):
        yield layout_trial(shape, steps)


@case("01.3")
def no_orders_of_axes(draw):
    """An order that lacks an axis, or has one twice, is refused."""
    int_max, int_min = 2**31 - 1, -(2**31)
    wrong = {
        (): [[0], [0, 0]],
        (2,): [[], [1], [-1], [0, 0], [int_max], [int_min]],
        (2, 3): [[], [0], [1], [0, 0], [1, 1], [0, 2], [-1, 0], [1, -1], [0, 1, 1],
                 [0, 1, 2], [int_max, 0], [0, int_min]],
        (2, 2, 2): [[0, 1], [0, 1, 1], [1, 1, 0], [2, 2, 2], [0, 2, 3], [1, 2, -3]],
        (0, 2): [[0, 0], [2, 0]],
    }  # fmt: skip
    for shape, orders in wrong.items():
        for order in orders:
            steps = [("transpose", order)]
            yield refused_step(shape, steps, list_of(order), text_of(shape))


@case("01.3")
def lists_that_are_no_orders(draw):
    """Of all lists of numbers, the orders of the axes are taken, and no others."""
    shape = (2, 3, 4)
    for order in map(list, itertools.product(range(-1, 4), repeat=3)):
        if sorted(order) == [0, 1, 2]:
            yield layout_trial(shape, [("transpose", order)])
        else:
            yield refused_step(shape, [("transpose", order)], list_of(order))
    for order in map(list, itertools.product(range(4), repeat=4)):
        if sorted(order) != [0, 1, 2, 3]:
            yield refused_step((1, 2, 3, 4), [("transpose", order)], list_of(order))


def _known_transpose(shape: Shape, order: list[int]) -> Trial:
    steps = [("transpose", order)]
    layout = Layout.of(shape, steps)
    return known_layout_trial(shape, steps, layout.sizes, layout.strides, layout.offset)


@case("01.3")
def orders_of_many_axes(draw):
    """There may be more axes than a number has bits."""
    for rank in (7, 8, 16, 31, 32, 33, 40, 63, 64, 65, 70, 130):
        shape = [1] * rank
        for axis in draw.shuffled(range(rank))[:7]:
            shape[axis] = draw.whole(2, 9)
        order = draw.shuffled(range(rank))
        yield _known_transpose(tuple(shape), order)
        yield _known_transpose(tuple(shape), order[::-1])
        for axis in {draw.whole(0, rank - 1), *range(max(rank - 5, 0), rank)}:
            twice = list(order)
            twice[draw.one_of([i for i in range(rank) if order[i] != axis])] = axis
            yield refused_step(
                tuple(shape), [("transpose", twice)], list_of(twice), text_of(shape)
            )
    yield from huge_layouts(draw, 40, "transpose")


@case("01.3", hidden=True, over=range(2))
def more_transposed_views(draw, _part):
    """Axes of other views change places."""
    for shape, steps in views_before(draw, "transpose", 150):
        yield layout_trial(shape, steps)


# ---- 01.4 -----------------------------------------------------------------------------


@case("01.4")
def expanded_by_heart(draw):
    """An axis of size 1 is repeated by the stride 0."""
    row, column = ("slice", [0, 1, 1, 1]), ("slice", [1, 2, 1, 1])
    yield known_layout_trial((3,), [("expand", [2, 3])], [2, 3], [0, 1], 0)
    yield known_layout_trial((2, 1), [("expand", [2, 3])], [2, 3], [1, 0], 0)
    yield known_layout_trial((2, 3), [row, ("expand", [4, 3])], [4, 3], [0, 1], 3)
    yield known_layout_trial((2, 3), [column, ("expand", [2, 2])], [2, 2], [3, 0], 2)
    yield known_layout_trial((), [("expand", [2, 2])], [2, 2], [0, 0], 0)


@case("01.4")
def expanded_shapes(draw):
    """New axes in front, and axes of size 1, of tensors of every rank."""
    for shape, larger in stretched_pairs(draw):
        yield layout_trial(shape, [("expand", list(larger))])
    yield known_layout_trial(
        (1, 0), [("expand", [HUGE, HUGE, 0])], [HUGE, HUGE, 0], [], 0
    )


@case("01.4")
def expanded_views(draw):
    """Views are expanded: offsets stay, strides of other axes, too."""
    for shape, steps in views_before(draw, "expand", 200):
        yield layout_trial(shape, steps)


@case("01.4")
def strides_over_other_numbers(draw):
    """All strides of expanded axes are written, over whatever was there."""
    for shape, larger in stretched_pairs(draw):
        yield expanded_strides_trial(shape, larger)


@case("01.4")
def huge_expanded_views(draw):
    """Axes of more than 2^32 elements, and axes that become so long."""
    yield from huge_layouts(draw, 60, "expand")
    yield from [
        known_layout_trial(shape, [("expand", larger)], larger, strides, 0)
        for shape, larger, strides in [
            ((1,), [2**32], [0]), ((1,), [2**32 + 1], [0]), ((3, 1), [3, 2**40], [1, 0]),
            ((2**32 + 1,), [2, 2**32 + 1], [0, 1]), ((), [2**33], [0]),
        ]
    ]  # fmt: skip
    for size in (2, 3, 7, 2**31, 2**32 - 1, 2**32 + 1, 2**33):
        for by in (-(2**32), -(2**31), 2**8, 2**16, 2**31, 2**32, 2**33, 2**53):
            if size + by >= 0:
                steps = [("expand", [2, size + by])]
                yield refused_step((2, size), steps, text_of((2, size)))


@case("01.4")
def shapes_that_do_not_expand(draw):
    """Sizes that differ, of which the first is not 1, and too few axes are refused."""
    wrong = [
        ((2,), (3,)), ((2,), (1,)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), (2, 3, 1)),
        ((2, 3), (2, 0)), ((0,), (1,)), ((0,), (2,)), ((1,), ()), ((1, 1), (1,)),
        ((2,), (2, 3)), ((3, 1), (2, 3)), ((3, 2), (3, 3, 4)), ((4, 2), (2, 4)),
        ((2, 2, 2, 2, 2), (2, 2, 2, 2, 3)), ((2, 1), (6, 1, 2)), ((4,), (8,)),
    ]  # fmt: skip
    for shape, larger in wrong:
        steps = [("expand", list(larger))]
        yield refused_step(shape, steps, text_of(shape), text_of(larger))
    for sizes in itertools.product(range(4), repeat=3):
        shape, larger = sizes[:2], (2, *sizes[1:])
        fits = all(a in (1, b) for a, b in zip(shape, larger[1:], strict=True))
        if fits:
            yield layout_trial(shape, [("expand", list(larger))])
        else:
            steps = [("expand", list(larger))]
            yield refused_step(shape, steps, text_of(shape), text_of(larger))


@case("01.4", hidden=True, over=range(2))
def more_expanded_views(draw, _part):
    """Other views are expanded."""
    for shape, steps in views_before(draw, "expand", 200):
        yield layout_trial(shape, steps)
