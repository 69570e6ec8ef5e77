"""Images cut, padded and turned.

An image is a tensor ``[height, width, channels]``, a batch of them ``[N,H,W,C]``; all
functions take either unless they say so. In a graph neither the sizes nor the number of
axes need be known; then what is cut or padded must be one image.

Compare: tensorflow/python/ops/image_ops_impl.py. Read next: ``resize.py``.
"""

from typing import Any

import numpy as np

from minitf.control_flow.control_flow_ops import case
from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, with_dependencies
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, random_ops, reductions
from minitf.ops.shape_assertions import assert_rank, assert_rank_in
from minitf.ops.step_checks import Assert
from minitf.ops.value_assertions import assert_positive

# ---- Sizes -----------------------------------------------------------------------------


def as_image(image: Any) -> Tensor:
    """``image`` as a tensor of 3 or 4 axes, with pixels.

    Raises:
        ValueError: it has another number of axes, or no pixels.
        errors.InvalidArgumentError: the same, in the step.
    """
    image = convert_to_tensor(image, name="image")
    if image.shape.ndims is None:
        message = "'image' must be 3-D or 4-D"
        check_of_rank = assert_rank_in(image, [3, 4], message=message)
        image = with_dependencies([check_of_rank], image)
    elif image.shape.ndims not in (3, 4):
        raise ValueError(
            f"'image' (shape {image.shape}) must be 3-D or 4-D: "
            "[height, width, channels] or a batch of them"
        )
    return with_pixels(image)


def with_pixels(image: Tensor) -> Tensor:
    """``image`` ``[...,H,W,C]``, whose last three sizes are not 0.

    Raises:
        ValueError: one of them is.
        errors.InvalidArgumentError: the same, in the step.
    """
    sizes = [None] if image.shape.ndims is None else image.shape.as_list()[-3:]
    if 0 in sizes:
        raise ValueError(f"inner-most dims of 'image' (shape {image.shape}) must be > 0.")
    if None not in sizes:
        return image
    message = "inner-most dims of 'image' must be > 0."
    check_of_sizes = assert_positive(array_ops.shape(image)[-3:], message=message)
    return with_dependencies([check_of_sizes], image)


def as_batch(image: Tensor) -> tuple[Tensor, bool]:
    """A batch of images ``[N,H,W,C]``, and whether it was a single one.

    An image of an unknown number of axes is a single one; a batch fails in the step.
    """
    if image.shape.ndims == 4:
        return image, False
    if image.shape.ndims is None:
        message = "'image' must be 3-D, as its rank is not known before the step"
        image = with_dependencies([assert_rank(image, 3, message=message)], image)
    batch = array_ops.expand_dims(image, 0)
    batch.set_shape([1, None, None, None])
    return batch, True


def from_batch(images: Tensor, is_single: bool) -> Tensor:
    """``images`` ``[N,H,W,C]``, or the only one of them."""
    return array_ops.squeeze(images, axis=[0]) if is_single else images


def height_and_width(batch: Tensor) -> tuple[Any, Any]:
    """H and W of images ``[N,H,W,C]``: numbers, or tensors where they are not known."""
    height, width = batch.shape.as_list()[1:3]
    if height is not None and width is not None:
        return height, width
    sizes = array_ops.shape(batch)
    return (
        sizes[1] if height is None else height,
        sizes[2] if width is None else width,
    )


def check(image: Tensor, *conditions: tuple[Any, str]) -> Tensor:
    """``image``, after it is made sure that all conditions hold.

    Args:
        image: any tensor.
        conditions: pairs of a bool, or a tensor of one, and a message.

    Raises:
        ValueError: a bool is False; the error has its message.
        errors.InvalidArgumentError: in the step; a tensor is.
    """
    waited = []
    for condition, message in conditions:
        if isinstance(condition, Tensor):
            waited.append(Assert(condition, [message]))
        elif not condition:
            raise ValueError(message)
    if not waited:
        return image
    with control_dependencies(waited):
        return array_ops.identity(image)


def _with_sides(batch: Tensor, source: Tensor, height: Any, width: Any) -> Tensor:
    """``batch`` ``[N,height,width,C]``, with N and C those of ``source``."""
    count, _, _, channels = source.shape.as_list()
    sides = [None if isinstance(side, Tensor) else side for side in (height, width)]
    batch.set_shape([count, *sides, channels])
    return batch


# ---- Cutting and padding ---------------------------------------------------------------


def _positive(target_height: Any, target_width: Any) -> list[tuple[Any, str]]:
    """Conditions for ``check``: there is something left."""
    return [
        (target_width > 0, "target_width must be > 0."),
        (target_height > 0, "target_height must be > 0."),
    ]


def crop_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """The part of an image, or of each, whose upper left corner is at the offsets.

    Raises:
        ValueError: "offset_height must be >= 0.", "target_height must be > 0." or
            "height must be >= target + offset."; or the same of a width.
        errors.InvalidArgumentError: in the step; the same, where a tensor decides.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        batch, is_single = as_batch(as_image(image))
        # TODO(14.18) begin: check all bounds, with the messages above; then cut
        raise NotImplementedError("task 14.18 is not written yet")
        # TODO(14.18) end


def pad_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """An image, or each, in a larger one of zeros, at the offsets."""
    with name_scope(None, "pad_to_bounding_box", [image]):
        batch, is_single = as_batch(as_image(image))
        rows, columns = height_and_width(batch)
        below = target_height - offset_height - rows
        right = target_width - offset_width - columns
        batch = check(
            batch,
            (offset_height >= 0, "offset_height must be >= 0"),
            (offset_width >= 0, "offset_width must be >= 0"),
            (right >= 0, "width must be <= target - offset"),
            (below >= 0, "height must be <= target - offset"),
        )
        paddings = array_ops.reshape(
            array_ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]),
            [4, 2],
        )
        padded = array_ops.pad(batch, paddings)
        padded = _with_sides(padded, batch, target_height, target_width)
        return from_batch(padded, is_single)


def resize_image_with_crop_or_pad(
    image: Any, target_height: Any, target_width: Any
) -> Tensor:
    """An image, or each, cut or padded evenly on all sides to the target size."""
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        batch, is_single = as_batch(as_image(image))
        batch = check(batch, *_positive(target_height, target_width))
        # TODO(14.18) begin: cut what is too long, pad what is too short
        raise NotImplementedError("task 14.18 is not written yet")
        # TODO(14.18) end


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def _largest(x: Any, y: Any) -> Any:
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return math_ops.maximum(x, y)
    return max(x, y)


def _smallest(x: Any, y: Any) -> Any:
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return math_ops.minimum(x, y)
    return min(x, y)


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """The middle of an image, or of each: ``central_fraction`` of both sides.

    Raises:
        ValueError: the fraction is not within (0, 1], or the number of axes not known.
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if not 0 < central_fraction <= 1:
            raise ValueError("central_fraction must be within (0, 1]")
        if central_fraction == 1:
            return image
        image = as_image(image)
        if image.shape.ndims is None:
            raise ValueError("central_crop needs an image of a known number of axes")
        batch, is_single = as_batch(image)
        begin_and_size = []
        for side in height_and_width(batch):
            if isinstance(side, Tensor):
                wide = math_ops.cast(side, dtypes.float64)
                begin = math_ops.cast((wide - wide * central_fraction) / 2, dtypes.int32)
            else:
                begin = int((side - side * central_fraction) / 2)
            begin_and_size.append((begin, side - begin * 2))
        (top, height), (left, width) = begin_and_size
        cropped = call(
            "Slice",
            [
                batch,
                array_ops.stack([0, top, left, 0]),
                array_ops.stack([-1, height, width, -1]),
            ],
        )
        return from_batch(_with_sides(cropped, batch, height, width), is_single)


def random_crop(
    value: Any, size: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of ``value`` of shape ``size`` at a random place, which may be anywhere.

    Raises:
        ValueError: ``value`` is known to be too small.
        errors.InvalidArgumentError: the same, in the step.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        sizes = constant_value(size)
        known = value.shape
        if sizes is not None and known.is_fully_defined():
            fits = len(sizes) == known.ndims and np.all(known.as_list() >= sizes)
            value = check(
                value,
                (fits, f"Need value.shape >= size, got {known} and {sizes.tolist()}"),
            )
        shape = array_ops.shape(value)
        if sizes is None or not known.is_fully_defined():
            fits = reductions.reduce_all(call("GreaterEqual", [shape, size]))
            data = ["Need value.shape >= size, got ", shape, size]
            shape = with_dependencies([Assert(fits, data, summarize=1000)], shape)
        room = shape - size + 1
        offset = random_ops.random_uniform(
            array_ops.shape(size), 0, size.dtype.max, size.dtype, seed=seed
        )
        return call("Slice", [value, call("FloorMod", [offset, room]), size], name=scope)


# ---- Turning ---------------------------------------------------------------------------

# Axes are counted from the last one, so that there may be a batch or none.
_ROWS, _COLUMNS = -3, -2


def flip_left_right(image: Any) -> Tensor:
    """An image, or each, with left and right exchanged."""
    return _flip(image, _COLUMNS, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """An image, or each, with top and bottom exchanged."""
    return _flip(image, _ROWS, "flip_up_down")


def _flip(image: Any, axis: int, name: str) -> Tensor:
    with name_scope(None, name, [image]):
        return call("ReverseV2", [as_image(image), [axis]])


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """An image, or each for itself, flipped with probability 1/2."""
    return _random_flip(image, _COLUMNS, seed, "random_flip_left_right")


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """An image, or each for itself, flipped with probability 1/2."""
    return _random_flip(image, _ROWS, seed, "random_flip_up_down")


def _random_flip(image: Any, axis: int, seed: int | None, name: str) -> Tensor:
    with name_scope(None, name, [image]) as scope:
        image = as_image(image)
        flipped = call("ReverseV2", [image, [axis]])
        count = [] if image.shape.ndims == 3 else array_ops.shape(image)[:_ROWS]
        drawn = random_ops.random_uniform(count, 0, 1, seed=seed)
        return array_ops.where(call("Less", [drawn, 0.5]), flipped, image, name=scope)


def transpose_image(image: Any, name: str | None = None) -> Tensor:
    """An image, or each, with rows and columns exchanged."""
    with name_scope(name, "transpose", [image]):
        return _transposed(as_image(image))


def _transposed(image: Tensor) -> Tensor:
    if image.shape.ndims is None:
        rank = array_ops.rank(image)
        last = array_ops.stack([rank + _COLUMNS, rank + _ROWS, rank - 1])
        axes = array_ops.concat([math_ops.range(rank + _ROWS), last], 0)
    else:
        axes = [1, 0, 2] if image.shape.ndims == 3 else [0, 2, 1, 3]
    return array_ops.transpose(image, axes)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """An image, or each, turned ``k`` times by a quarter, against the clock.

    Raises:
        ValueError: ``k`` is no scalar.
    """
    with name_scope(name, "rot90", [image]):
        image = as_image(image)
        k = convert_to_tensor(k, dtypes.int32, name="k")
        k.shape.with_rank(0)
        turned = {
            1: lambda: _transposed(call("ReverseV2", [image, [_COLUMNS]])),
            2: lambda: call("ReverseV2", [image, [_ROWS, _COLUMNS]]),
            3: lambda: call("ReverseV2", [_transposed(image), [_COLUMNS]]),
        }

        def same() -> Tensor:
            return array_ops.identity(image)

        known = constant_value(k)
        if known is not None:
            return turned.get(int(known) % 4, same)()
        turns = call("FloorMod", [k, 4])
        pairs = [(call("Equal", [turns, i]), turn) for i, turn in turned.items()]
        return case(pairs, default=same)
