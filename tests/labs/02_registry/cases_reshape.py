"""Lab 02, task 12: the shapes of Reshape."""

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

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import text_of, value_trial

LARGE = 2**40


def _reshape(x: Sizes, sizes: list[int]) -> Trial:
    """A reshape; what the model cannot tell is not asked."""
    title = f"{text_of(x)} reshaped to {sizes}"
    arguments = {"x": x, "sizes": sizes}
    names = None
    if sizes.count(-1) > 1:
        names = [""]
    elif any(n < -1 for n in sizes):
        names = [str(next(n for n in sizes if n < -1))]
    if names is not None:
        return refused_naming(title, "reshape", arguments, names=names)
    given = [n for n in sizes if n != -1]
    if x is None or (UNKNOWN in x and -1 in sizes):
        return value_trial(title, "reshape", arguments, sizes)
    if UNKNOWN in x:
        return _reshape_of_unknown(title, arguments, x, sizes)
    count = product(x)
    if -1 not in sizes:
        if product(sizes) == count:
            return value_trial(title, "reshape", arguments, sizes)
        words = [str(count), str(product(sizes))]
        return refused_naming(title, "reshape", arguments, names=words)
    if count == 0 and 0 in given:  # what 0 stands for is left out
        whole, part = product(n for n in x if n), product(n for n in given if n)
        if max(whole, part) >= 2**63:
            return refused_naming(title, "reshape", arguments, names=["2^63"])
        filled = [whole // part if n == -1 else n for n in sizes]
        return value_trial(title, "reshape", arguments, filled)
    if product(given) == 0 or count % product(given):
        return refused_naming(title, "reshape", arguments, names=[str(count)])
    filled = [count // product(given) if n == -1 else n for n in sizes]
    return value_trial(title, "reshape", arguments, filled)


def _reshape_of_unknown(
    title: str, arguments: dict, x: list[int], sizes: list[int]
) -> Trial:
    """All sizes are given; if x lacks one, the others must divide their product."""
    known = [n for n in x if n != UNKNOWN]
    if 0 in known and product(sizes) != 0:
        return _refused_or(title, arguments, sizes)
    can_tell = len(known) == len(x) - 1 and 0 not in known
    if can_tell and product(sizes) % product(known):
        names = [text_of(x), str(product(sizes))]
        return refused_naming(title, "reshape", arguments, names=names)
    return value_trial(title, "reshape", arguments, sizes)


def _refused_or(title: str, arguments: dict, sizes: list[int]) -> Trial:
    """It may be refused when the graph is made, as TensorFlow does, or in the step."""

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        if isinstance(got, Raised):
            fits = got.type == "InvalidArgumentError"
            shown = f"{got.type}: {got.message}"
        else:
            fits, shown = got == sizes, str(got)
        wanted = f"{sizes}, or InvalidArgumentError"
        return None if fits else Mismatch("wrong", expected=wanted, got=shown)

    return Trial(title, [Call("reshape", arguments, may_raise=True)], check)


@case("02.12")
def reshaped_by_heart(draw):
    """One size may be -1: it is what the others leave."""
    for x, sizes in [
        ([2, 3], [6]), ([2, 3], [3, 2]), ([2, 3], [-1]), ([2, 3], [3, -1]), ([], [1, 1]),
        ([2, 3], [-1, 2]), ([2, 3], [1, -1, 1]), ([], [-1]), ([1], []), ([2, 3], [6, -1]),
        ([2, 3], [5]), ([2, 3], [4, -1]), ([2, 3], [-1, -1]), ([2, 3], [-2, 3]), ([], []),
        ([2, 3], []), ([2, 3], [7, -1]), ([4], [-1, -4]), ([12], [2, -1, 3]),
        ([2, 3, 4], [-1, 4]), ([2, 3], [-1, 1, -1]),
    ]:  # fmt: skip
        yield _reshape(x, sizes)


@case("02.12")
def reshaped_and_empty(draw):
    """Of no elements: -1 beside a 0 stands for what the zeros do not."""
    for x, sizes in [
        ([0], [0]), ([0], [-1]), ([0, 3], [-1]), ([0, 3], [0, -1]), ([0, 3], [-1, 3]),
        ([0, 3], [3, 0]), ([0, 3], [-1, 0]), ([2, 0], [0, -1]), ([0], [5, 0]), ([0], [5]),
        ([0, 6], [0, 2, -1]), ([2], [0]), ([2], [0, -1]), ([0], [0, -1]), ([], [0]),
        ([4, 0], [-1, 4]), ([0], [-1, 1, 7]), ([2, 3], [-1, 0]), ([0, 4], [2, 0, -1]),
    ]:  # fmt: skip
        yield _reshape(x, sizes)


@case("02.12")
def reshaped_and_unknown(draw):
    """What is not known of x is not known of -1; the other sizes are what was asked."""
    for x, sizes in [
        (None, [2, 3]), (None, [-1]), (None, [2, -1]), ([UNKNOWN], [2, 3]), (None, []),
        ([UNKNOWN], [-1]), ([UNKNOWN, 3], [-1]), ([UNKNOWN, 3], [6]), ([UNKNOWN, 3], [7]),
        ([UNKNOWN, 4], [2, 6]), ([UNKNOWN, 4], [2, 3]), ([UNKNOWN, 0], [7]),
        ([UNKNOWN, UNKNOWN, 4], [3]), ([UNKNOWN, 3], [0]), ([2, UNKNOWN], [1]),
        ([2, UNKNOWN], [-1, 3]), (None, [-2]), ([UNKNOWN], [-1, -1]), ([UNKNOWN], []),
        ([3, UNKNOWN], []),
    ]:  # fmt: skip
        yield _reshape(x, sizes)


@case("02.12", over=range(2))
def all_small_reshapes(draw, part):
    """All shapes and targets of few small sizes."""
    sizes = (-1, 0, 1, 2) if part == 0 else (-2, -1, 4, 6)
    sources = (0, 1, 2, 3) if part == 0 else (UNKNOWN, 2, 3, 4)
    for x in all_shapes(2, sources):
        for rank in range(4 - part):
            for target in itertools.product(sizes, repeat=rank):
                yield _reshape(x, list(target))


def _factors(draw: Draw, count: int) -> list[int]:
    """Sizes whose product it is."""
    sizes = []
    while count > 1 and len(sizes) < 4:
        sizes.append(draw.one_of([n for n in range(1, count + 1) if count % n == 0]))
        count //= sizes[-1]
    return draw.shuffled([*sizes, count])


@case("02.12", hidden=True, over=range(2))
def more_reshapes(draw, _part):
    """Reshapes by chance; numpy agrees on those that are right."""
    for _ in range(150):
        count = draw.one_of([1, 6, 12, 24, 36, 60, 128])
        x, sizes = _factors(draw, count), _factors(draw, count)
        if draw.coin(0.7):
            sizes[draw.whole(0, len(sizes) - 1)] = -1
            expected = list(np.zeros(x).reshape(sizes).shape)
            title = f"{text_of(x)} reshaped to {sizes}"
            arguments = {"x": x, "sizes": [*sizes]}
            yield value_trial(title, "reshape", arguments, expected)
        if draw.coin(0.3):
            sizes[draw.whole(0, len(sizes) - 1)] += 1
        yield _reshape(hidden_in_part(draw, tuple(x), 0.2), sizes)


@case("02.12")
def sizes_below_nothing(draw):
    """The error names the size and its place, counted from 0."""
    for rank in range(1, 10):
        for place in range(rank):
            size = -int(str((place + 5) % 10 or 6) * 4)
            for x, rest in itertools.product(([1], None), range(-1, rank)):
                if rest == place:
                    continue
                sizes = [-1 if i == rest else 1 for i in range(rank)]
                sizes[place] = size
                title = f"{text_of(x)} reshaped to {sizes}"
                names = [str(size), str(place)]
                arguments = {"x": x, "sizes": sizes}
                yield refused_naming(title, "reshape", arguments, names=names)
    for place in range(2, 10):
        sizes = [-1, *[1] * (place - 1), -1]
        title = f"<unknown> reshaped to {sizes}"
        arguments = {"x": None, "sizes": sizes}
        yield refused_naming(title, "reshape", arguments, names=[str(place)])


@case("02.12")
def reshaped_and_huge(draw):
    """Products that do not fit 64 bits are refused, not wrapped around."""
    yield _reshape([LARGE, 4], [2, -1])
    yield _reshape([LARGE, 4], [LARGE * 4])
    yield _reshape([UNKNOWN, 2**61], [2**62])
    for shape in [[0, LARGE, LARGE], [LARGE, 0, 2**23], [2**31, 2**31, 0, 2],
                  [0, 2**32, 2**31 - 1], [0, 2**31, 0, 2**31], [2**16, 0, *[2**16] * 3],
                  [0, 2**33, 2**33], [0, 2**32, 2**32, 3]]:  # fmt: skip
        yield _reshape(shape, [0, -1])
        yield _reshape(shape, [-1, 7, 0])
        yield _reshape([0, 3], [-1, *shape])
        yield _reshape(shape, [-1])
    for x, sizes in [([2], [LARGE, LARGE]), ([4], [LARGE, LARGE, -1]),
                     ([UNKNOWN, 2], [LARGE, LARGE]), ([1], [2**62, 4]),
                     ([2], [2**62, 4, -1]), (None, [2**32, 2**32])]:  # fmt: skip
        title = f"{text_of(x)} reshaped to {sizes}"
        yield refused_naming(title, "reshape", {"x": x, "sizes": sizes}, names=["2^63"])
