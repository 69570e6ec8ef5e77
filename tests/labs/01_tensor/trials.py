"""What trials of lab 01 are made of: views against lists of places.

``Model`` is what a view is compared with. It knows neither strides nor offsets: it holds,
for every index, the number of the element that the view shows, and each step makes this
array anew with numpy. Strides and offset are read off it.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf_lab.judge.case import Call, Mismatch, Trial, close
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import refused, text_of

Step = tuple[str, list[int]]
Shape = tuple[int, ...]

LARGEST, SMALLEST = 2**63 - 1, -(2**63)
STEPS = ("slice", "reverse", "transpose", "expand", "reshape")


def list_of(numbers: list[int]) -> str:
    """As minitf prints a list that is no shape.

    >>> list_of([2, -1])
    '[2,-1]'
    """
    return f"[{','.join(map(str, numbers))}]"


def script_of(shape: Shape, steps: list[Step]) -> str:
    """A script as its report shows it."""
    calls = [f"{name}({','.join(map(str, numbers))})" for name, numbers in steps]
    return ", ".join([f"a tensor of shape {text_of(shape)}", *calls])


def product(sizes: Any) -> int:
    """How many elements there are."""
    return int(np.prod(sizes, dtype=object)) if len(sizes) else 1


@dataclass
class Model:
    """A view as the array of the places that it shows."""

    places: np.ndarray

    @classmethod
    def of(cls, shape: Shape, steps: list[Step] = ()) -> "Model":
        """After all ``steps``, which must be right."""
        model = cls(np.arange(product(shape)).reshape(shape))
        for step in steps:
            model = model.after(step)
        return model

    @property
    def shape(self) -> Shape:
        """Of the view."""
        return self.places.shape

    def after(self, step: Step) -> "Model":
        """After a step."""
        name, numbers = step
        if name == "slice":
            axis, begin, by, size = numbers
            chosen = np.array([begin + i * by for i in range(size)], np.int64)
            return Model(np.take(self.places, chosen, axis))
        if name == "reverse":
            return Model(np.flip(self.places, numbers[0]))
        if name == "transpose":
            return Model(np.transpose(self.places, numbers))
        if name == "expand":
            return Model(np.broadcast_to(self.places, numbers))
        return Model(self.places.reshape(numbers))

    def strides(self) -> list[int]:
        """Along each axis; 0 where there is one element or none."""
        found = []
        for axis, size in enumerate(self.shape):
            first, second = ([0] * self.places.ndim for _ in range(2))
            second[axis] = 1
            is_walked = size > 1 and self.places.size > 0
            found.append(
                int(self.places[tuple(second)] - self.places[tuple(first)])
                if is_walked
                else 0
            )
        return found

    @property
    def offset(self) -> int:
        """The place of the first element."""
        return int(self.places.flat[0]) if self.places.size else 0

    @property
    def is_strided(self) -> bool:
        """Whether an offset and strides can say where all elements lie."""
        return np.array_equal(
            self.places, places_of(self.shape, self.strides(), self.offset)
        )

    @property
    def is_contiguous(self) -> bool:
        """Whether the places are one after the other."""
        one_by_one = np.arange(self.places.size) + self.offset
        return np.array_equal(self.places.ravel(), one_by_one)


def places_of(sizes: Any, strides: Any, offset: int) -> np.ndarray:
    """Where the elements of a layout lie."""
    places = np.full(sizes, offset, object)
    for axis, stride in enumerate(strides):
        shape = [-1 if i == axis else 1 for i in range(len(sizes))]
        places = places + np.arange(sizes[axis]).astype(object).reshape(shape) * stride
    return np.asarray(places)


# ---- Scripts by chance ----------------------------------------------------------------


def random_step(draw: Draw, model: Model, name: str) -> Step:
    """A step that may be taken; a reshape may be one that has to copy."""
    shape = model.shape
    rank = len(shape)
    if name in {"slice", "reverse"} and rank == 0:
        return ("expand", [draw.whole(1, 3)])
    if name == "slice":
        axis = draw.whole(0, rank - 1)
        limit = shape[axis]
        if limit == 0:
            return (name, [axis, draw.whole(-2, 2), draw.whole(-2, 2), 0])
        begin = draw.whole(0, limit - 1)
        by = draw.whole(1, 3) * draw.one_of([1, -1])
        room = limit - 1 - begin if by > 0 else begin
        size = draw.whole(0 if draw.coin(0.1) else 1, room // abs(by) + 1)
        return (name, [axis, begin, by, size])
    if name == "reverse":
        return (name, [draw.whole(0, rank - 1)])
    if name == "transpose":
        return (name, draw.shuffled(range(rank)))
    if name == "expand":
        sizes = [draw.whole(0, 3) if n == 1 and draw.coin() else n for n in shape]
        front = [draw.whole(1, 2) for _ in range(draw.whole(0, 1 if rank < 5 else 0))]
        return (name, front + sizes)
    return (name, list(random_factors(draw, product(shape))))


def random_factors(draw: Draw, count: int) -> Shape:
    """A shape of ``count`` elements, of rank 6 at most."""
    if count == 0:
        return draw.shape(draw.whole(1, 4), 3, empty=True)
    sizes = []
    while count > 1 and len(sizes) < 5:
        size = draw.one_of([n for n in range(1, min(count, 12) + 1) if count % n == 0])
        sizes.append(size)
        count //= size
    return (*sizes, count) if count > 1 else tuple(sizes)


def random_shape(draw: Draw) -> Shape:
    """Of rank 0 to 5; a few have a size of 0."""
    return draw.shape(draw.whole(0, 5), draw.one_of([2, 3, 4]), empty=draw.coin(0.07))


def random_steps(draw: Draw, shape: Shape, count: int) -> list[Step]:
    """Steps of all kinds, none of which has to copy."""
    steps: list[Step] = []
    model = Model.of(shape)
    for _ in range(count):
        step = random_step(draw, model, draw.one_of(STEPS))
        after = model.after(step)
        if after.is_strided and after.places.size <= 400:
            steps.append(step)
            model = after
    return steps


def random_views(draw: Draw, count: int) -> Iterator[tuple[Shape, list[Step], Model]]:
    """Views, from short scripts to long ones."""
    for i in range(count):
        shape = random_shape(draw)
        steps = random_steps(draw, shape, 1 + i * 5 // count)
        yield shape, steps, Model.of(shape, steps)


def views_before(draw: Draw, name: str, count: int) -> Iterator[tuple[Shape, list[Step]]]:
    """Scripts that end with a step of the kind ``name``."""
    for shape, steps, model in random_views(draw, count):
        step = random_step(draw, model, name)
        if product(model.after(step).shape) <= 400:
            yield shape, [*steps, step]


# ---- Trials ---------------------------------------------------------------------------


def check_layout(got: Any, expected: Model | None) -> Mismatch | None:
    """What is wrong with sizes, strides and offset; strides that nobody walks may differ.

    Args:
        got: The three, or None.
        expected: The view; None if no strides show it.
    """
    if got is None or expected is None:
        if got is None and expected is None:
            return None
        if got is None:
            return Mismatch(
                "it has no strides for this shape",
                expected=f"strides {text_of(expected.strides())}",
                got="none",
            )
        strides = text_of(got[1])
        return Mismatch("no strides show these elements", expected="none", got=strides)
    sizes, strides, offset = got
    if list(sizes) != list(expected.shape) or len(strides) != len(sizes):
        return Mismatch(
            "wrong shape", expected=text_of(expected.shape), got=text_of(sizes)
        )
    if expected.places.size == 0:
        return None
    places = places_of(sizes, strides, offset)
    wrong = close(places, expected.places.astype(object), what="the place of an element")
    walked = [s if n > 1 else 0 for n, s in zip(sizes, strides, strict=True)]
    if wrong:
        numbers = f"strides {text_of(expected.strides())} from {expected.offset} on"
        return Mismatch(
            wrong.message,
            index=wrong.index,
            expected=f"{wrong.expected} ({numbers})",
            got=f"{wrong.got} (strides {text_of(strides)} from {offset} on)",
            differ=wrong.differ,
        )
    if walked != expected.strides():
        return Mismatch(
            "wrong strides", expected=text_of(expected.strides()), got=text_of(strides)
        )
    return None


def layout_trial(shape: Shape, steps: list[Step]) -> Trial:
    """The layout after a script; if its last step is a reshape, there may be none."""
    model = Model.of(shape, steps)
    expected = model if model.is_strided else None

    def check(values: list[Any]) -> Mismatch | None:
        return check_layout(values[0], expected)

    arguments = {"shape": list(shape), "steps": steps}
    return Trial(script_of(shape, steps), [Call("layout", arguments)], check)


def known_layout_trial(
    shape: Shape,
    steps: list[Step],
    sizes: list[int] | None,
    strides: list[int],
    offset: int,
) -> Trial:
    """A layout that is known by hand; no strides are right if ``sizes`` is None.

    The offset counts if there are elements, and a stride if somebody walks along it.
    """

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if got is None or sizes is None:
            same = got is None and sizes is None
        else:
            same = list(got[0]) == sizes
            if same and product(sizes):
                same = got[2] == offset and all(
                    size == 1 or stride == wanted
                    for size, stride, wanted in zip(sizes, got[1], strides, strict=True)
                )
        wanted = (sizes, strides, offset) if sizes is not None else None
        return None if same else Mismatch("wrong", expected=f"{wanted}", got=f"{got}")

    arguments = {"shape": list(shape), "steps": steps}
    return Trial(script_of(shape, steps), [Call("layout", arguments)], check)


def refused_step(shape: Shape, steps: list[Step], *names: str) -> Trial:
    """A script whose last step must be refused."""
    arguments = {"shape": list(shape), "steps": steps}
    return refused(script_of(shape, steps), "layout", arguments, names=list(names))


MEMORIES = {
    "own": "",
    "borrowed": ", in memory of a caller",
    "part": ", in the middle of a larger tensor",
}


def compact_trial(array: np.ndarray, steps: list[Step], memory: str = "own") -> Trial:
    """The elements of a view, copied if need be.

    Args:
        array: Those of the tensor.
        steps: Of the view.
        memory: Where the tensor has them, one of ``MEMORIES``.
    """
    model = Model.of(array.shape, steps)
    expected = np.asarray(array.reshape(-1)[model.places], array.dtype)
    is_shared = model.is_contiguous

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]
        if wrong := close(got["elements"], expected, what="the elements"):
            return wrong
        if wrong := close(got["after"], array, what="the tensor afterwards"):
            return wrong
        if not got["free"]:
            return "somebody still holds the tensor when the view and the copy are gone"
        if not model.places.size and got["shared"]:
            return "there are no elements, and yet the result shares memory"
        if model.places.size and got["shared"] != is_shared:
            return (
                "they lie one after the other, yet they were copied"
                if is_shared
                else "the result shares memory with the tensor, though the view has gaps"
            )
        return None

    title = f"{array.dtype.name}: {script_of(array.shape, steps)}, compact"
    arguments = {"array": array, "steps": steps, "memory": memory}
    return Trial(title + MEMORIES[memory], [Call("compact", arguments)], check)


def handles_trial(shape: Shape, steps: list[Step]) -> Trial:
    """A copy of handles: each counts as one more user of its resource, while it lives."""
    model = Model.of(shape, steps)
    numbers = model.places.ravel().tolist()
    is_copied = bool(numbers) and not model.is_contiguous
    alive = [1 + is_copied * numbers.count(i) for i in range(product(shape))]

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        wanted = {"numbers": numbers, "alive": alive, "gone": [0] * len(alive)}
        what = {
            "numbers": "the resources in the result",
            "alive": "how many handles each resource has",
            "gone": "how many handles are left when tensor and result are gone",
        }
        for key, expected in wanted.items():
            if list(got[key]) != expected:
                return Mismatch(what[key], expected=f"{expected}", got=f"{got[key]}")
        return None

    title = f"resource: {script_of(shape, steps)}, compact"
    arguments = {"shape": list(shape), "steps": steps}
    return Trial(title, [Call("compact_handles", arguments)], check)


def write_trial(draw: Draw, shape: Shape, steps: list[Step], others: list[Step]) -> Trial:
    """Writes through a view; the tensor and another view have it."""
    model = Model.of(shape, steps)
    index = [draw.whole(0, size - 1) for size in model.shape]
    tensor = np.arange(product(shape)).reshape(shape)
    tensor.flat[model.places[tuple(index)]] = -7
    other = tensor.reshape(-1)[Model.of(shape, others).places]

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if wrong := close(got["tensor"], tensor, what="the tensor"):
            return wrong
        return close(got["other"], other, what="the other view")

    arguments = {
        "shape": list(shape), "steps": steps, "index": index, "value": -7,
        "others": others,
    }  # fmt: skip
    title = f"{script_of(shape, steps)}, written at {text_of(index)}"
    return Trial(title, [Call("write_through", arguments)], check)


def expanded_strides_trial(shape: Shape, expanded: Shape) -> Trial:
    """Strides written to where other numbers are, and what is beside them."""
    model = Model.of(shape, [("expand", list(expanded))])
    wanted = model.strides()
    mark = -7654321

    def check(values: list[Any]) -> Mismatch | None:
        before, found, behind = values[0][:2], values[0][2:-2], values[0][-2:]
        if [*before, *behind] != [mark] * 4:
            return Mismatch(
                "numbers beside the strides are written over",
                expected=f"{mark} {mark}, {len(wanted)} strides, {mark} {mark}",
                got=" ".join(map(str, values[0])),
            )
        walked = [s if n > 1 else 0 for n, s in zip(expanded, found, strict=True)]
        if model.places.size and walked != wanted:
            return Mismatch("wrong strides", expected=f"{wanted}", got=f"{found}")
        return None

    arguments = {"shape": list(shape), "expanded": list(expanded), "mark": mark}
    title = f"the strides of {text_of(shape)} expanded to {text_of(expanded)}"
    return Trial(title, [Call("expanded_strides", arguments)], check)


def all_indices(shape: Shape) -> list[list[int]]:
    """The indices of all elements, in order."""
    return [list(index) for index in itertools.product(*map(range, shape))]


def stretched_pairs(draw: Draw) -> Iterator[tuple[Shape, Shape]]:
    """A shape, and one that it expands to."""
    yield from [((), ()), ((), (3,)), ((1,), (3,)), ((3,), (2, 3)), ((2, 1), (2, 3))]
    yield from [((1, 3), (2, 3)), ((2, 1, 3), (4, 2, 5, 3)), ((1,), (0,)), ((), (0, 2))]
    yield from [((0,), (2, 0)), ((1, 1), (1, 1)), ((2, 1), (2, 0))]
    for rank in range(6):
        for _ in range(4):
            shape = draw.shape(rank, 3)
            yield draw.stretched(shape), shape
