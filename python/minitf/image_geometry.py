"""Images scaled, cut, padded and turned.

An image is a tensor ``[height, width, channels]``, a batch of them ``[N,H,W,C]``; all
functions take either unless they say so.

Compare: tensorflow/python/ops/image_ops_impl.py. Read next: ``image_color.py``.
"""

from typing import Any

import numpy as np

from minitf import array_ops, dtypes, math_ops, random_ops
from minitf.constant_op import constant_value, convert_to_tensor
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.tensor import Tensor

# ---- Sizes -----------------------------------------------------------------------------


def _image(image: Any, ranks: tuple[int, ...] = (3, 4)) -> Tensor:
    """``image`` as a tensor, which has one of ``ranks`` if that is known."""
    image = convert_to_tensor(image, name="image")
    rank = image.shape.ndims
    if rank is None:
        raise ValueError("'image' (or 'images') must have a known number of axes.")
    if rank not in ranks:
        text = " or ".join(f"{rank}-D" for rank in ranks)
        raise ValueError(
            f"'image' (shape {image.shape}) must be {text}: [height, width, channels]"
            + (" or a batch of them" if 4 in ranks else "")
        )
    if 0 in image.shape.as_list()[-3:-1]:
        raise ValueError(f"inner-most dims of 'image' (shape {image.shape}) must be > 0.")
    return image


def _as_batch(image: Tensor) -> tuple[Tensor, bool]:
    """A batch of images, and whether it was a single one."""
    is_single = image.shape.ndims == 3
    return (array_ops.expand_dims(image, 0) if is_single else image), is_single


def _from_batch(images: Tensor, is_single: bool) -> Tensor:
    return array_ops.squeeze(images, axis=[0]) if is_single else images


def _height_and_width(image: Tensor) -> tuple[Any, Any]:
    """Both as numbers, or as tensors where they are not known yet."""
    height, width = image.shape.as_list()[-3:-1]
    if height is not None and width is not None:
        return height, width
    sizes = array_ops.shape(image)
    first = image.shape.ndims - 3
    return (
        sizes[first] if height is None else height,
        sizes[first + 1] if width is None else width,
    )


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


_RESIZERS = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
}


def resize_images(
    images: Any,
    size: Any,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images, or one image, scaled to ``size``.

    Args:
        images: ``[N,H,W,C]`` or ``[H,W,C]``.
        size: ``[height, width]`` of the result.
        method: one of ResizeMethod.
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
            raise ValueError("Resize method is not implemented.")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        if not size.shape.is_compatible_with([2]):
            raise ValueError(
                "'size' must be a 1-D Tensor of 2 elements: new_height, new_width"
            )
        batch, is_single = _as_batch(images)
        if preserve_aspect_ratio:
            size = _fitting_size(batch, size)
        known = constant_value(size)
        if known is not None and known.tolist() == batch.shape.as_list()[1:3]:
            return images
        return _from_batch(_RESIZERS[method](batch, size, align_corners), is_single)


resize = resize_images


def _fitting_size(images: Tensor, size: Tensor) -> Tensor:
    """The largest size within ``size`` whose sides are in the ratio of the images'."""
    sides = math_ops.cast(array_ops.shape(images)[1:3], dtypes.float32)
    scale = math_ops.cast(size, dtypes.float32) / sides
    smallest = math_ops.minimum(scale[0], scale[1])
    return math_ops.cast(math_ops.round(smallest * sides), dtypes.int32)


# ---- Cutting and padding ---------------------------------------------------------------


def _require(condition: Any, message: str) -> None:
    """Raises ValueError if ``condition`` is known to be false."""
    if not isinstance(condition, Tensor) and not condition:
        raise ValueError(message)


def crop_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """The part of an image, or of each, whose upper left corner is at the offsets."""
    with name_scope(None, "crop_to_bounding_box", [image]):
        batch, is_single = _as_batch(_image(image))
        height, width = _height_and_width(batch)
        _require(offset_width >= 0, "offset_width must be >= 0.")
        _require(offset_height >= 0, "offset_height must be >= 0.")
        _require(target_width > 0, "target_width must be > 0.")
        _require(target_height > 0, "target_height must be > 0.")
        _require(
            width >= target_width + offset_width, "width must be >= target + offset."
        )
        _require(
            height >= target_height + offset_height, "height must be >= target + offset."
        )
        cropped = array_ops.slice(
            batch,
            array_ops.stack([0, offset_height, offset_width, 0]),
            array_ops.stack([-1, target_height, target_width, -1]),
        )
        return _from_batch(cropped, is_single)


def pad_to_bounding_box(
    image: Any,
    offset_height: Any,
    offset_width: Any,
    target_height: Any,
    target_width: Any,
) -> Tensor:
    """An image, or each, in a larger one of zeros, at the offsets."""
    with name_scope(None, "pad_to_bounding_box", [image]):
        batch, is_single = _as_batch(_image(image))
        height, width = _height_and_width(batch)
        below = target_height - offset_height - height
        right = target_width - offset_width - width
        _require(offset_height >= 0, "offset_height must be >= 0")
        _require(offset_width >= 0, "offset_width must be >= 0")
        _require(right >= 0, "width must be <= target - offset")
        _require(below >= 0, "height must be <= target - offset")
        paddings = array_ops.reshape(
            array_ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]),
            [4, 2],
        )
        return _from_batch(array_ops.pad(batch, paddings), is_single)


def resize_image_with_crop_or_pad(
    image: Any, target_height: Any, target_width: Any
) -> Tensor:
    """An image, or each, cut or padded evenly on all sides to the target size."""
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image = _image(image)
        _require(target_width > 0, "target_width must be > 0.")
        _require(target_height > 0, "target_height must be > 0.")
        height, width = _height_and_width(image)
        half_h = (target_height - height) // 2
        half_w = (target_width - width) // 2
        cut_h = (height - target_height) // 2
        cut_w = (width - target_width) // 2
        cropped = crop_to_bounding_box(
            image,
            _largest(cut_h, 0),
            _largest(cut_w, 0),
            _smallest(target_height, height),
            _smallest(target_width, width),
        )
        return pad_to_bounding_box(
            cropped, _largest(half_h, 0), _largest(half_w, 0), target_height, target_width
        )


def _largest(x: Any, y: Any) -> Any:
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return math_ops.maximum(x, y)
    return max(x, y)


def _smallest(x: Any, y: Any) -> Any:
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return math_ops.minimum(x, y)
    return min(x, y)


def resize_image_with_pad(
    image: Any,
    target_height: int,
    target_width: int,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """An image, or each, scaled to fit into the target size, and padded with zeros.

    Raises:
        ValueError: in a graph, the height or width of the image is not known.
    """
    with name_scope(None, "resize_image_with_pad", [image]):
        image = _image(image)
        _require(target_width > 0, "target_width must be > 0.")
        _require(target_height > 0, "target_height must be > 0.")
        height, width = image.shape.as_list()[-3:-1]
        if height is None or width is None:
            raise ValueError(f"the size of 'image' (shape {image.shape}) must be known")
        ratio = max(height / target_height, width / target_width)
        height, width = height / ratio, width / ratio
        scaled = resize_images(image, [int(height), int(width)], method, align_corners)
        return pad_to_bounding_box(
            scaled,
            int((target_height - height) / 2),
            int((target_width - width) / 2),
            target_height,
            target_width,
        )


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """The middle of an image, or of each: ``central_fraction`` of both sides."""
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if not 0 < central_fraction <= 1:
            raise ValueError("central_fraction must be within (0, 1]")
        if central_fraction == 1:
            return image
        batch, is_single = _as_batch(_image(image))
        begin_and_size = []
        for side in _height_and_width(batch):
            if isinstance(side, Tensor):
                wide = math_ops.cast(side, dtypes.float64)
                begin = math_ops.cast((wide - wide * central_fraction) / 2, dtypes.int32)
            else:
                begin = int((side - side * central_fraction) / 2)
            begin_and_size.append((begin, side - begin * 2))
        (top, height), (left, width) = begin_and_size
        cropped = array_ops.slice(
            batch,
            array_ops.stack([0, top, left, 0]),
            array_ops.stack([-1, height, width, -1]),
        )
        return _from_batch(cropped, is_single)


def random_crop(
    value: Any, size: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of ``value`` of shape ``size`` at a random place, which may be anywhere."""
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        room = array_ops.shape(value) - size + 1
        sizes = constant_value(size)
        known = value.shape
        if sizes is not None and known.is_fully_defined():
            _require(
                len(sizes) == known.ndims
                and all(np.greater_equal(known.as_list(), sizes)),
                f"Need value.shape >= size, got {known} and {list(sizes)}",
            )
        offset = random_ops.random_uniform(
            array_ops.shape(size), 0, size.dtype.max, size.dtype, seed=seed
        )
        return array_ops.slice(value, math_ops.floormod(offset, room), size, name=scope)


# ---- Turning ---------------------------------------------------------------------------


def flip_left_right(image: Any) -> Tensor:
    """An image, or each, with left and right exchanged."""
    return _flip(image, -2, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """An image, or each, with top and bottom exchanged."""
    return _flip(image, -3, "flip_up_down")


def _flip(image: Any, axis: int, name: str) -> Tensor:
    with name_scope(None, name, [image]):
        image = _image(image)
        return array_ops.reverse(image, [image.shape.ndims + axis])


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """An image, or each for itself, flipped with probability 1/2."""
    return _random_flip(image, -2, seed, "random_flip_left_right")


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """An image, or each for itself, flipped with probability 1/2."""
    return _random_flip(image, -3, seed, "random_flip_up_down")


def _random_flip(image: Any, axis: int, seed: int | None, name: str) -> Tensor:
    with name_scope(None, name, [image]) as scope:
        image = _image(image)
        flipped = array_ops.reverse(image, [image.shape.ndims + axis])
        count = [] if image.shape.ndims == 3 else array_ops.shape(image)[:1]
        drawn = random_ops.random_uniform(count, 0, 1, seed=seed)
        return array_ops.where(math_ops.less(drawn, 0.5), flipped, image, name=scope)


def transpose_image(image: Any) -> Tensor:
    """An image, or each, with rows and columns exchanged."""
    with name_scope(None, "transpose", [image]):
        image = _image(image)
        return array_ops.transpose(
            image, [1, 0, 2] if image.shape.ndims == 3 else [0, 2, 1, 3]
        )


def transpose(image: Any, name: str | None = None) -> Tensor:
    """An image, or each, with rows and columns exchanged."""
    with name_scope(name, "transpose"):
        return transpose_image(image)


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """An image, or each, turned ``k`` times by a quarter, against the clock.

    Raises:
        ValueError: in a graph, ``k`` is a tensor whose value is not known.
    """
    with name_scope(name, "rot90", [image]):
        image = _image(image)
        turns = constant_value(convert_to_tensor(k, dtypes.int32, name="k"))
        if turns is None:
            raise ValueError("k must be known when the graph is made")
        rows = image.shape.ndims - 3
        turns = int(turns) % 4
        if turns == 2:
            return array_ops.reverse(image, [rows, rows + 1])
        if turns == 1:
            return transpose_image(array_ops.reverse(image, [rows + 1]))
        if turns == 3:
            return array_ops.reverse(transpose_image(image), [rows + 1])
        return array_ops.identity(image)
