"""``viz.tensor``: where the elements of a tensor lie in memory.

Read next: ``timeline.py``.
"""

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

import numpy as np

from minitf.contrib.viz.picture import COLOURS, Canvas, Picture

CELL, ROW = 44, 32  # width and height of a cell, in pixels
PIXEL = 10
ACROSS = 16  # cells in a row
MAX_ROWS, MAX_SLICES, MAX_BUFFER, MAX_IMAGE = 16, 6, 128, 64
CHANNELS = {1: "I", 3: "RGB", 4: "RGBA"}
CHANNEL_COLOURS = {"R": "k3", "G": "k2", "B": "k0", "A": "k7", "I": "k7"}


def _array(value: Any) -> np.ndarray:
    if hasattr(value, "numpy"):
        value = value.numpy()
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(
            "value must be a NumPy array or a tensor that has a value, "
            f"not {type(value).__name__}"
        )
    array = np.asarray(value)
    if array.size == 0:
        raise ValueError(f"value has no elements, its shape is {list(array.shape)}")
    return array


def _reach(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """The lowest and the highest position of an element, from the first one."""
    ends = [(size - 1) * step for size, step in zip(shape, strides, strict=True)]
    return sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)


def _own_buffer(array: np.ndarray) -> tuple[np.ndarray, list[int], int]:
    """The memory that an array touches, its strides in elements, and where it begins."""
    if any(step % array.itemsize for step in array.strides):
        raise ValueError("value has strides that are no multiples of an element")
    strides = [step // array.itemsize for step in array.strides]
    low, high = _reach(array.shape, strides)
    lowest = array[tuple(slice(-1, None) if step < 0 else slice(1) for step in strides)]
    flat = np.lib.stride_tricks.as_strided(lowest, (high - low + 1,), (array.itemsize,))
    return flat, strides, -low


def _checked(array: np.ndarray, strides: Any) -> list[int]:
    """The strides that a caller gave, for a buffer with the elements of ``array``."""
    if len(strides) != array.ndim or any(int(step) != step for step in strides):
        raise ValueError(f"strides must be {array.ndim} integers, are {strides!r}")
    low, high = _reach(array.shape, strides)
    if low < 0 or high >= array.size:
        raise ValueError(
            f"strides {list(strides)} reach the positions {low} to {high} of a buffer "
            f"with {array.size} elements"
        )
    return [int(step) for step in strides]


def tensor(
    value: Any,
    strides: Sequence[int] | None = None,
    *,
    layout: str | None = None,
    title: str | None = None,
) -> Picture:
    """A tensor, slice by slice, and below it the flat buffer in the same colours.

    >>> import numpy as np
    >>> from minitf import viz
    >>> viz.tensor(np.arange(6, dtype=np.int32).reshape(2, 3).T)
    <Picture: shape [3,2], strides [1,3], int32>
    >>> viz.tensor(np.zeros([3], np.int32), strides=[0])
    <Picture: shape [3], strides [0], int32>

    Args:
        value: A NumPy array, or a tensor that has a value.
        strides: The distance in elements between neighbours along each axis. The buffer
            holds ``value`` in row-major order. The default is the strides of ``value``.
        layout: "NHWC" or "NCHW" draws the first of these images, plane by plane, and
            shows where its pixels lie in both layouts.
        title: The line above the picture.

    Raises:
        TypeError: ``value`` is something else.
        ValueError: it is empty, the strides lead out of the buffer, or the layout does
            not fit.
    """
    array = _array(value)
    if layout is not None:
        if strides is not None:
            raise ValueError("strides and layout cannot be given together")
        return _image(array, layout, title)
    if strides is None:
        flat, steps, first = _own_buffer(array)
    else:
        flat, steps, first = array.ravel(), _checked(array, strides), 0
    sizes, texts = (",".join(map(str, numbers)) for numbers in (array.shape, steps))
    canvas = Canvas(title or f"shape [{sizes}], strides [{texts}], {array.dtype}")
    _draw_slices(canvas, array.shape, flat, steps, first)
    shown = min(len(flat), MAX_BUFFER)
    size = len(flat) * array.itemsize
    canvas.line(f"The buffer, {size} bytes: {shown} of {len(flat)} elements")
    for offset in range(shown):
        _draw_cell(canvas, offset % ACROSS, offset // ACROSS, flat, offset)
    canvas.y += -(-shown // ACROSS) * ROW
    return canvas.picture("@ is a position in the buffer. Equal ones have equal colours.")


def _draw_cell(
    canvas: Canvas, column: int, row: int, flat: np.ndarray, offset: int
) -> None:
    value = flat[offset]
    text = f"{value:.3g}" if isinstance(value, np.floating) else str(value)[:7]
    place = column * CELL, canvas.y + row * ROW, CELL, ROW
    canvas.box(place, f"k{offset * COLOURS // len(flat)}", text, f"@{offset}")


def _draw_slices(
    canvas: Canvas, shape: Sequence[int], flat: np.ndarray, steps: list[int], first: int
) -> None:
    """Draws the last two axes as grids, one for each index of the axes before."""
    size = int(np.prod(shape))
    shape, steps = [*[1] * (2 - len(shape)), *shape], [*[0] * (2 - len(steps)), *steps]
    rows, columns = min(shape[-2], MAX_ROWS), min(shape[-1], ACROSS)
    leading = list(islice(product(*map(range, shape[:-2])), MAX_SLICES))
    for lead in leading:
        if lead:
            canvas.line(f"[{','.join(map(str, lead))},:,:]")
        for row, column in product(range(rows), range(columns)):
            index = *lead, row, column
            offset = first + sum(i * step for i, step in zip(index, steps, strict=True))
            _draw_cell(canvas, column, row, flat, offset)
        canvas.y += rows * ROW + 8
    shown = len(leading) * rows * columns
    if shown < size:
        canvas.line(f"Shown: {shown} of {size} elements")


def _image(array: np.ndarray, layout: str, title: str | None) -> Picture:
    """The planes of the first image, and the positions of its first pixels."""
    if layout not in {"NHWC", "NCHW"}:
        raise ValueError(f'layout must be "NHWC" or "NCHW", is {layout!r}')
    depth = array.shape[layout.index("C")] if array.ndim == 4 else 0
    if depth not in CHANNELS:
        raise ValueError(
            f"an image in {layout} has 4 axes and 1, 3 or 4 channels; "
            f"the shape is {list(array.shape)}"
        )
    # [H,W,C]
    image = array[0] if layout == "NHWC" else np.transpose(array[0], (1, 2, 0))
    sizes = dict(zip("HWC", image.shape, strict=True))
    canvas = Canvas(title or f"{layout} {list(array.shape)}, {array.dtype}")
    _draw_planes(canvas, image, 255 if array.dtype == np.uint8 else image.max())
    for order in "NHWC", "NCHW":
        steps = {order[3]: 1, order[2]: sizes[order[3]]}
        steps[order[1]] = steps[order[2]] * sizes[order[2]]
        text = ", ".join(f"{axis} {steps[axis]}" for axis in order[1:])
        own = ", as this tensor" if order == layout else ""
        canvas.line(f"Pixels in {order}{own}; strides {text}")
        corner = product(
            range(min(sizes["H"], 2)), range(min(sizes["W"], 2)), range(depth)
        )
        spots = sorted(
            (h * steps["H"] + w * steps["W"] + c * steps["C"], c, h, w)
            for h, w, c in corner
        )
        for number, (offset, c, h, w) in enumerate(spots):
            letter = CHANNELS[depth][c]
            place = number * CELL, canvas.y, CELL, ROW
            canvas.box(place, CHANNEL_COLOURS[letter], f"{letter}({h},{w})", f"@{offset}")
        canvas.y += ROW + 8
    return canvas.picture(
        "The planes of an image. @ is the position of a pixel's channel."
    )


def _draw_planes(canvas: Canvas, image: np.ndarray, white: float) -> None:
    """Draws an image [H,W,C], channel by channel; ``white`` is the brightest value."""
    height, width, depth = image.shape
    rows, columns = min(height, MAX_IMAGE), min(width, MAX_IMAGE)
    names = ", ".join(CHANNELS[depth])
    canvas.line(f"{names}: {rows} x {columns} of {height} x {width} pixels")
    for (row, column, channel), value in np.ndenumerate(image[:rows, :columns]):
        level = round(255 * min(max(float(value) / max(float(white), 1e-30), 0), 1))
        name = CHANNELS[depth][channel]
        light = (level if name in (letter, "I", "A") else 0 for letter in "RGB")
        x = channel * (columns * PIXEL + 16) + column * PIXEL
        place = x, canvas.y + row * PIXEL, PIXEL, PIXEL
        canvas.box(place, f"rgb({','.join(map(str, light))})")
    canvas.y += rows * PIXEL + 8
