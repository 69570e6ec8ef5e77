"""Images scaled to a size, by one of four methods, with or without their ratio of sides.

An image is a tensor ``[height, width, channels]``, a batch of them ``[N,H,W,C]``.

Compare: tensorflow/python/ops/image_ops_impl.py. Read next: ``color.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.contrib.image.geometry import (
    as_batch,
    as_image,
    check,
    from_batch,
    height_and_width,
    pad_to_bounding_box,
)
from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions

# ---- By one method ---------------------------------------------------------------------


class ResizeMethod:
    """How an image is scaled."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _resize_op(
    op: str,
    images: Any,
    size: Any,
    align_corners: bool,
    half_pixel_centers: bool,
    name: str | None,
) -> Tensor:
    attrs = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return call(op, [images, size], attrs, name)


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images ``[N,H,W,C]`` at ``size`` ``[h,w]``, by the four pixels around a place."""
    return _resize_op(
        "ResizeBilinear", images, size, align_corners, half_pixel_centers, name
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images ``[N,H,W,C]`` at ``size`` ``[h,w]``, by the nearest pixel."""
    return _resize_op(
        "ResizeNearestNeighbor", images, size, align_corners, half_pixel_centers, name
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images ``[N,H,W,C]`` at ``size`` ``[h,w]``, by a cubic through sixteen pixels."""
    return _resize_op(
        "ResizeBicubic", images, size, align_corners, half_pixel_centers, name
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Images ``[N,H,W,C]`` at ``size`` ``[h,w]``, by the area that each pixel covers."""
    return call("ResizeArea", [images, size], {"align_corners": align_corners}, name)


# ---- By any ----------------------------------------------------------------------------

_RESIZERS: dict[int | str, Callable[..., Tensor]] = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


def resize_images(
    images: Any,
    size: Any,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images, or one image, scaled to ``size``.

    Args:
        images: ``[N,H,W,C]`` or ``[H,W,C]``.
        size: ``[height, width]`` of the result.
        method: one of ResizeMethod, or "bilinear", "nearest", "bicubic" or "area".
        align_corners: whether the pixels at the corners keep their values.
        preserve_aspect_ratio: whether ``size`` is the most that the result may have.
        name: of the nodes.

    Returns:
        float32, unless nothing is to be done or the method is NEAREST_NEIGHBOR.
    """
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        if images.shape.ndims is None:
            raise ValueError("'images' contains no shape.")
        if images.shape.ndims not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        if method not in _RESIZERS:
            raise ValueError(f"Resize method is not implemented: {method!r}")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        if not size.shape.is_compatible_with([2]):
            raise ValueError(
                "'size' must be a 1-D Tensor of 2 elements: new_height, new_width"
            )
        batch, is_single = as_batch(images)
        sides = [None, None]
        if preserve_aspect_ratio:
            size, sides = _fitting_size(batch, size)
        known = constant_value(size)
        if known is not None and known.tolist() == batch.shape.as_list()[1:3]:
            return from_batch(batch, is_single)
        resized = _RESIZERS[method](batch, size, align_corners)
        resized.set_shape([None, *sides, None])
        return from_batch(resized, is_single)


resize = resize_images


def _fitting_size(images: Tensor, size: Tensor) -> tuple[Tensor, list[int | None]]:
    """The largest size within ``size`` whose sides are in the ratio of the images'.

    Returns:
        The size, and its numbers as far as they are known.
    """

    def fitting(size: Any, sides: Any, least: Callable, nearest: Callable) -> Any:
        return nearest(least(size / sides) * sides)

    tensor = fitting(
        math_ops.cast(size, dtypes.float32),
        math_ops.cast(array_ops.shape(images)[1:3], dtypes.float32),
        reductions.reduce_min,
        math_ops.round,
    )
    numbers: list[int | None] = [None, None]
    known = constant_value(size)
    sides = images.shape.as_list()[1:3]
    if known is not None and all(sides):  # a side of 0 fails in the step
        real = fitting(np.float32(known), np.float32(sides), np.min, np.round)
        numbers = [int(number) for number in real]
    return math_ops.cast(tensor, dtypes.int32), numbers


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """An image, or each, scaled to fit into the target size, and padded with zeros.

    Sizes are computed in float32 and rounded down.
    """
    with name_scope(None, "resize_image_with_pad", [image]):
        batch, is_single = as_batch(as_image(image))
        batch = check(
            batch,
            (target_width > 0, "target_width must be > 0."),
            (target_height > 0, "target_height must be > 0."),
        )
        sides = math_ops.cast(array_ops.stack(height_and_width(batch)), dtypes.float32)
        target = math_ops.cast(
            array_ops.stack([target_height, target_width]), dtypes.float32
        )
        fitting = sides / reductions.reduce_max(sides / target)
        size = math_ops.cast(call("Floor", [fitting]), dtypes.int32)
        offsets = math_ops.cast(call("Floor", [(target - fitting) / 2]), dtypes.int32)
        scaled = resize_images(batch, size, method, align_corners)
        top, left = array_ops.unstack(math_ops.maximum(offsets, 0), num=2)
        padded = pad_to_bounding_box(scaled, top, left, target_height, target_width)
        return from_batch(padded, is_single)
