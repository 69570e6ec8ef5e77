"""Lab 14, tasks 16 to 18: images get another size, and are cut."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_14_input import golden_images
from lab_common.checks import call_trial, is_close, within

from minitf_lab.judge.case import Mismatch, Trial, case, close, describe
from minitf_lab.judge.draw import Draw

SAMPLINGS = ("usual", "corners", "half")
F = np.float32
Sizes = list[tuple[int, int]]


# ---- Expected -------------------------------------------------------------------------


def _scale(old: int, new: int, sampling: str, kind: Any = np.float64) -> Any:
    if sampling == "corners" and new > 1:
        return kind(old - 1) / kind(new - 1)
    return kind(old) / kind(new)


def _bilinear(old: int, new: int, sampling: str) -> np.ndarray:
    """How much of each old pixel is in each new one, ``[new, old]``."""
    weights = np.zeros((new, old))
    for i in range(new):
        scale = _scale(old, new, sampling)
        place = (i + 0.5) * scale - 0.5 if sampling == "half" else i * scale
        below = int(np.floor(place))
        for pixel, weight in ((below, 1 - (place - below)), (below + 1, place - below)):
            weights[i, min(max(pixel, 0), old - 1)] += weight
    return weights


def _area(old: int, new: int, sampling: str) -> np.ndarray:
    weights = np.zeros((new, old))
    scale = _scale(old, new, sampling)
    if scale == 0:
        weights[:, 0] = 1
        return weights
    for i in range(new):
        begin, end = i * scale, (i + 1) * scale
        for pixel in range(int(begin), int(np.ceil(end - 1e-9))):
            covered = min(pixel + 1, end) - max(pixel, begin)
            weights[i, min(pixel, old - 1)] += covered / scale
    return weights


def _nearest(old: int, new: int, sampling: str) -> list[int]:
    """Of float32, whose rounding decides."""
    places = np.arange(new, dtype=F)
    scale = _scale(old, new, sampling, F)
    places = (places + F(0.5)) * scale if sampling == "half" else places * scale
    exact = places.astype(np.float64) + (0.5 if sampling == "corners" else 0)
    return [int(place) for place in np.clip(np.floor(exact), 0, old - 1)]


EXPECTED = {"bilinear": _bilinear, "nearest": _nearest, "area": _area}


# ---- Taps -----------------------------------------------------------------------------


def _wrong_taps(got: Any, expected: np.ndarray, method: str) -> Mismatch | str | None:
    """What is wrong with the taps of one axis."""
    first, index, weight = got
    new, old = expected.shape
    if len(first) != new + 1:
        return f"there are {len(first)} places in first, expected {new + 1}"
    if first[0] != 0 or first[-1] != len(index) or len(index) != len(weight):
        return f"first is {list(first)}, with {len(index)} indices"
    if method == "bilinear" and list(first) != [2 * i for i in range(new + 1)]:
        return f"first is {list(first)}, expected two taps for each pixel"
    if method == "bilinear" and any(np.diff(index)[::2] < 0):
        return "of two taps the upper one is first"
    if method == "area" and min(weight) <= 0:
        return f"a pixel that is not covered has a tap: a weight is {min(weight)}"
    outside = [pixel for pixel in index if not 0 <= pixel < old]
    if outside:
        return f"there is no pixel {outside[0]}, of {old}"
    weights = np.zeros((new, old))
    for i in range(new):
        for k in range(first[i], first[i + 1]):
            weights[i, index[k]] += weight[k]
    what = "how much of each old pixel is in each new one"
    # Places are of float32, and what is covered is divided by the scale.
    atol = 1e-6 * (old + 2) * max(1, new / old)
    return close(weights, expected, rtol=1e-5, atol=atol, what=what)


def _wrong_pixels(got: Any, expected: list[int], _method: str) -> Mismatch | None:
    """What is wrong with the nearest pixels of one axis."""
    if list(got) == expected:
        return None
    shown = str(list(got)[:50])
    return Mismatch("the pixels", expected=str(expected[:50]), got=shown)


def _taps_trial(method: str, sizes: Sizes, sampling: str) -> Trial:
    wrong_one = _wrong_pixels if method == "nearest" else _wrong_taps

    def check(result: Any) -> Mismatch | str | None:
        for (old, new), got in zip(sizes, result, strict=True):
            if wrong := wrong_one(got, EXPECTED[method](old, new, sampling), method):
                return within(f"{old} pixels to {new}", wrong)
        return None

    shown = ", ".join(f"{old} to {new}" for old, new in sizes[:12])
    title = f"{method}, {sampling}: {shown}{' ...' if len(sizes) > 12 else ''}"
    return call_trial(title, check, "taps", method=method, sizes=sizes, sampling=sampling)


def _pairs(draw: Draw) -> Iterator[Sizes]:
    """Sizes that grow, shrink and stay; one pixel; what does not divide."""
    for old in (1, 2, 3, 5, 8):
        yield [(old, new) for new in range(1, 10)]
    yield [(draw.whole(2, 40), draw.whole(2, 40)) for _ in range(12)]
    yield [(draw.whole(40, 400), draw.whole(2, 40)), (3, 301), (299, 2), (224, 256)]
    # Where it matters how a place is rounded.
    yield [(2, 50), (2, 83), (6, 25), (14, 46), (3, 21)]


@case("14.16", over=SAMPLINGS)
def two_taps_each(draw, sampling):
    """Each new pixel is made of the two old ones beside its place, by distance."""
    for sizes in _pairs(draw):
        yield _taps_trial("bilinear", sizes, sampling)


@case("14.16", over=SAMPLINGS)
def nearest_pixels(draw, sampling):
    """Each new pixel is the old one that is nearest to its place, in float32."""
    for sizes in _pairs(draw):
        yield _taps_trial("nearest", sizes, sampling)


@case("14.17", over=["usual", "corners"])
def as_much_as_it_covers(draw, sampling):
    """Each new pixel is made of the old ones that it covers, by how much of each."""
    for sizes in _pairs(draw):
        yield _taps_trial("area", sizes, sampling)


def _golden_trials(method: str) -> Iterator[Trial]:
    for sampling in golden_images.METHODS[method]:
        for number, (old, new) in enumerate(golden_images.SIZES):
            key = f"{method} {sampling}"
            wanted = json.loads(golden_images.GOLDEN.read_text())[key][number]
            what = "beside TensorFlow's image"
            check = is_close(np.array(wanted, F), rtol=1e-5, atol=1e-3, what=what)
            image = golden_images.image(old)
            title = f"{method}, {sampling}: {describe(image)} to {new[0]} x {new[1]}"
            yield call_trial(
                title, check, "resized", method=method, image=image, size=list(new),
                sampling=sampling,
            )  # fmt: skip


@case("14.16", over=["bilinear", "nearest", "bicubic"])
def images_as_tensorflow(_draw, method):
    """Whole images come out as TensorFlow's."""
    yield from _golden_trials(method)


@case("14.17")
def areas_as_tensorflow(_draw):
    """Whole images come out as TensorFlow's."""
    yield from _golden_trials("area")


# ---- 14.18 Cutting --------------------------------------------------------------------

MODES = ("graph", "eager", "unknown", "tensors", "ranks")


def _cut(image: np.ndarray, how: str, bounds: list[int]) -> np.ndarray:
    if how == "crop":
        top, left, height, width = bounds
        return image[..., top : top + height, left : left + width, :]
    room = [(0, 0)] * image.ndim
    for axis, side in zip((-3, -2), bounds, strict=True):
        size = image.shape[axis]
        begin = max(size - side, 0) // 2
        image = np.take(image, range(begin, begin + min(size, side)), axis)
        before = max(side - size, 0) // 2
        room[axis] = (before, max(side - size, 0) - before)
    return np.pad(image, room)


def _cut_trial(how: str, image: np.ndarray, bounds: list[int], mode: str) -> Trial:
    expected = _cut(image, how, bounds)

    def check(got: Any) -> Mismatch | str | None:
        if "error" in got:
            return f"it raises {got['error']['raised']}: {got['error']['text']}"
        if wrong := close(got["value"], expected, rtol=0, atol=0):
            return wrong
        known = list(expected.shape)
        if mode == "unknown":
            known = [None] * image.ndim
            known[-3:-1] = bounds[-2:]
        if mode not in ("tensors", "ranks") and got["shape"] != known:
            text = "what is known of the shape"
            return Mismatch(text, expected=str(known), got=str(got["shape"]))
        return None

    title = f"{how} {describe(image)} to {bounds}, sizes as in mode {mode}"
    return call_trial(
        title, check, "cropped", how=how, image=image, bounds=bounds, mode=mode
    )


def _some_image(draw: Draw, mode: str) -> np.ndarray:
    sides = [draw.whole(1, 9), draw.whole(1, 9), draw.whole(1, 4)]
    # Of an unknown number of axes it is taken for a single image.
    many = [draw.whole(1, 3)] if mode != "ranks" and draw.whole(0, 1) else []
    return draw.array((*many, *sides), draw.one_of(["float32", "float64", "int32"]))


@case("14.18", over=[*MODES, "offsets"])
def boxes(draw, mode):
    """The part of an image within a box: single ones and batches."""
    for _ in range(8):
        image = _some_image(draw, mode)
        height, width = image.shape[-3:-1]
        top, left = draw.whole(0, height - 1), draw.whole(0, width - 1)
        sides = [draw.whole(1, height - top), draw.whole(1, width - left)]
        yield _cut_trial("crop", image, [top, left, *sides], mode)
    image = draw.array((2, 5, 7, 3) if mode != "ranks" else (5, 7, 3), "float32")
    for bounds in ([0, 0, 5, 7], [4, 0, 1, 7], [0, 6, 5, 1], [2, 3, 3, 4]):
        yield _cut_trial("crop", image, bounds, mode)


@case("14.18", over=MODES)
def cut_or_padded(draw, mode):
    """An image is cut where it is too long, and padded where it is too short."""
    for _ in range(8):
        image = _some_image(draw, mode)
        bounds = [draw.whole(1, 12), draw.whole(1, 12)]
        yield _cut_trial("fit", image, bounds, mode)
    image = draw.array((1, 5, 6, 2) if mode != "ranks" else (5, 6, 2), "float32")
    for height in (1, 2, 4, 5, 6, 8, 11):
        for width in (3, 6, 9):
            yield _cut_trial("fit", image, [height, width], mode)


def _refused_trial(
    shape: tuple[int, ...], bounds: list[int], mode: str, where: str, text: str
) -> Trial:
    is_known = where == "graph" or mode == "eager"
    kind = "ValueError" if is_known else "InvalidArgumentError"

    def check(got: Any) -> str | None:
        error = got.get("error")
        if error is None:
            return f"nothing is raised, expected {kind}: {text}"
        if error["raised"] != kind or text not in error["text"]:
            return f"it raises {error['raised']}: {error['text']}, not {kind}: {text}"
        if mode != "eager" and got["in"] != where:
            return f"it is raised in the {got['in']}, not in the {where}"
        return None

    image = np.zeros(shape, np.float32)
    title = f"crop {describe(image)} to {bounds}, sizes as in mode {mode}"
    return call_trial(
        title, check, "cropped", how="crop", image=image, bounds=bounds, mode=mode
    )


@case("14.18", over=MODES)
def boxes_that_are_none(_draw, mode):
    """A box that is none, or not within the image, is refused as soon as possible."""
    for shape in [(4, 5, 3)] if mode == "ranks" else [(4, 5, 3), (2, 4, 5, 3)]:
        for bounds, text in (
            ([-1, 0, 2, 2], "offset_height must be >= 0."),
            ([0, -2, 2, 2], "offset_width must be >= 0."),
            ([0, 0, 0, 2], "target_height must be > 0."),
            ([0, 0, 2, -1], "target_width must be > 0."),
            ([0, 0, 3, 0], "target_width must be > 0."),
            ([0, 0, -3, 1], "target_height must be > 0."),
        ):
            where = "step" if mode == "tensors" else "graph"
            yield _refused_trial(shape, bounds, mode, where, text)
        for bounds, text in (
            ([3, 0, 2, 2], "height must be >= target + offset."),
            ([0, 0, 5, 2], "height must be >= target + offset."),
            ([1, 0, 4, 5], "height must be >= target + offset."),
            ([0, 1, 4, 5], "width must be >= target + offset."),
            ([0, 4, 2, 2], "width must be >= target + offset."),
            ([0, 0, 4, 6], "width must be >= target + offset."),
        ):
            where = "graph" if mode == "graph" else "step"
            yield _refused_trial(shape, bounds, mode, where, text)
