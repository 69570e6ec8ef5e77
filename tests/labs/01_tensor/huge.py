"""Layouts of more elements than a list of places can hold.

No memory stands behind them, only numbers: sizes, strides and offset, which here are
Python's integers and never overflow. Whoever keeps one of them in 32 bits is found.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from lab_01_tensor.trials import Shape, Step, known_layout_trial, product

from minitf_lab.judge.case import Trial
from minitf_lab.judge.draw import Draw

SIZES = (1, 2, 3, 5, 2**16, 2**20 + 1, 2**31, 2**32, 2**32 + 1, 2**33 + 7)
FACTORS = (2, 3, 5, 8, 2**10, 3 * 2**14)
MOST = 2**61  # elements


@dataclass
class Layout:
    """Sizes, strides and the place of the first element."""

    sizes: list[int]
    strides: list[int]
    offset: int = 0

    @classmethod
    def of(cls, shape: Shape, steps: list[Step] = ()) -> "Layout":
        """After all ``steps``, which must be right and none of them a reshape."""
        strides = [product(shape[axis + 1 :]) for axis in range(len(shape))]
        layout = cls(list(shape), strides)
        for name, numbers in steps:
            layout = getattr(layout, f"_{name}")(*numbers)
        return layout

    def _slice(self, axis: int, begin: int, by: int, size: int) -> "Layout":
        sizes, strides = self.sizes.copy(), self.strides.copy()
        sizes[axis] = size
        strides[axis] *= by
        return Layout(sizes, strides, self.offset + begin * self.strides[axis])

    def _reverse(self, axis: int) -> "Layout":
        return self._slice(axis, self.sizes[axis] - 1, -1, self.sizes[axis])

    def _transpose(self, *order: int) -> "Layout":
        sizes, strides = ([of[i] for i in order] for of in (self.sizes, self.strides))
        return Layout(sizes, strides, self.offset)

    def _expand(self, *shape: int) -> "Layout":
        added = len(shape) - len(self.sizes)
        old = [1] * added + self.sizes
        strides = [0] * added + self.strides
        moves = [s if a == b else 0 for s, a, b in zip(strides, old, shape, strict=True)]
        return Layout(list(shape), moves, self.offset)

    def place_of(self, index: list[int]) -> int:
        """Where an element lies."""
        walks = zip(index, self.strides, strict=True)
        return self.offset + sum(i * stride for i, stride in walks)

    @property
    def is_contiguous(self) -> bool:
        """Whether all elements lie one after the other."""
        walked = [axis for axis, size in enumerate(self.sizes) if size != 1]
        wanted = [product(self.sizes[axis + 1 :]) for axis in walked]
        return [self.strides[axis] for axis in walked] == wanted


def huge_shape(draw: Draw, rank: int) -> Shape:
    """With sizes on both sides of 2^32."""
    sizes: list[int] = []
    for _ in range(rank):
        room = MOST // product(sizes)
        sizes.append(draw.one_of([size for size in SIZES if size <= room]))
    return tuple(draw.shuffled(sizes))


def huge_step(draw: Draw, layout: Layout, name: str) -> Step:
    """A step that may be taken."""
    rank = len(layout.sizes)
    axis = draw.whole(0, rank - 1)
    limit = layout.sizes[axis]
    if name == "slice":
        begin = draw.whole(0, limit - 1)
        by = draw.one_of([1, 2, 3, limit // 3 + 1, limit // 2 + 1]) * draw.one_of([1, -1])
        most = (limit - 1 - begin if by > 0 else begin) // abs(by) + 1
        return (name, [axis, begin, by, draw.one_of([most, draw.whole(1, most), 1])])
    if name == "reverse":
        return (name, [axis])
    if name == "transpose":
        return (name, draw.shuffled(range(rank)))
    sizes = layout.sizes.copy()
    room = MOST // product(sizes)
    if limit == 1:
        sizes[axis] = draw.one_of([size for size in SIZES if size <= room])
    return (name, [3, *sizes] if room // sizes[axis] >= 3 and rank < 5 else sizes)


def huge_views(
    draw: Draw, count: int, last: str = ""
) -> Iterator[tuple[Shape, list[Step], Layout]]:
    """Views, from short scripts to long ones.

    Args:
        draw: Gives the numbers.
        count: How many.
        last: The kind of the last step; any if it is empty.
    """
    names = ("slice", "reverse", "transpose", "expand")
    for i in range(count):
        shape = huge_shape(draw, draw.whole(1, 4))
        steps: list[Step] = []
        for _ in range(i * 3 // count):
            before = Layout.of(shape, steps)
            steps.append(huge_step(draw, before, draw.one_of(names)))
        if last:
            steps.append(huge_step(draw, Layout.of(shape, steps), last))
        yield shape, steps, Layout.of(shape, steps)


def huge_layouts(draw: Draw, count: int, last: str) -> Iterator[Trial]:
    """Views that end with a step of the kind ``last``."""
    for shape, steps, layout in huge_views(draw, count, last):
        yield known_layout_trial(
            shape, steps, layout.sizes, layout.strides, layout.offset
        )


def _grouped(draw: Draw, factors: list[int]) -> list[int]:
    """The products of neighbours, and some axes of size 1."""
    sizes = []
    while factors:
        count = draw.whole(1, len(factors))
        sizes.append(product(factors[:count]))
        factors = factors[count:]
        sizes += [1] * draw.whole(0, 1)
    return sizes


def _strides_of(sizes: list[int], step: int) -> list[int]:
    """Of axes that are one run, by ``step``."""
    return [step * product(sizes[axis + 1 :]) for axis in range(len(sizes))]


def huge_reshapes(draw: Draw, count: int) -> Iterator[Trial]:
    """Rows with a gap behind each: both runs may be dealt out, and not joined."""
    for _ in range(count):
        outer, inner = ([draw.one_of(FACTORS) for _ in range(3)] for _ in range(2))
        if product(outer) * product(inner) > MOST // 2:
            continue
        row = product(inner) + draw.whole(1, 3)
        shape = (product(outer), row)
        steps = [("slice", [1, 0, 1, product(inner)])]
        for axes in (outer, inner), (_grouped(draw, outer), _grouped(draw, inner)):
            sizes = [*itertools.chain(*axes)]
            strides = _strides_of(axes[0], row) + _strides_of(axes[1], 1)
            script = [*steps, ("reshape", sizes)]
            yield known_layout_trial(shape, script, sizes, strides, 0)
        joined = [*outer[:-1], outer[-1] * inner[0], *inner[1:]]
        yield known_layout_trial(shape, [*steps, ("reshape", joined)], None, [], 0)
