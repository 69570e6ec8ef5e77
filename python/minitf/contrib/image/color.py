"""Colours of images: types of pixels, brightness, contrast, hue, and measures.

A pixel of a floating type is in [0, 1], one of an integer type between 0 and the largest
number of that type. What changes colours computes in float32 and returns the type that
came.

Compare: tensorflow/python/ops/image_ops_impl.py. Read next: ``platform/gfile.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.contrib.image.geometry import with_pixels
from minitf.framework import dtypes
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope, with_dependencies
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, random_ops, reductions
from minitf.ops.limits import saturate_cast
from minitf.ops.op_arguments import ensure_shape
from minitf.ops.shape_assertions import assert_rank_at_least
from minitf.ops.step_checks import Assert
from minitf.ops.tensordot import tensordot
from minitf.ops.value_assertions import assert_equal


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """``image`` with pixels of ``dtype``, scaled to its range.

    Args:
        image: of any shape.
        dtype: of the result.
        saturate: whether numbers outside of the range of ``dtype`` are moved into it.
        name: of the nodes.
    """
    image = convert_to_tensor(image, name="image")
    dtype = as_dtype(dtype)
    if dtype is image.dtype:
        return array_ops.identity(image, name=name)
    cast = saturate_cast if saturate else math_ops.cast
    with name_scope(name, "convert_image", [image]) as scope:
        if image.dtype.is_integer and dtype.is_integer:
            most_in, most_out = int(image.dtype.max), int(dtype.max)
            if most_in > most_out:
                scale = (most_in + 1) // (most_out + 1)
                return cast(math_ops.floordiv(image, scale), dtype, name=scope)
            scale = (most_out + 1) // (most_in + 1)
            return call("Mul", [cast(image, dtype), scale], name=scope)
        if image.dtype.is_floating and dtype.is_floating:
            return math_ops.cast(image, dtype, name=scope)
        if image.dtype.is_integer:
            scale = 1.0 / float(image.dtype.max)
            return call("Mul", [math_ops.cast(image, dtype), scale], name=scope)
        scale = float(dtype.max) + 0.5  # so that 1.0 becomes the largest number
        return cast(call("Mul", [image, scale]), dtype, name=scope)


def _changed(image: Any, name: str, change: Callable[[Tensor], Tensor]) -> Tensor:
    """``change`` of the image, in float32 unless it is float16; in the type it had."""
    with name_scope(None, name, [image]):
        image = convert_to_tensor(image, name="image")
        real = image
        if image.dtype not in (dtypes.float16, dtypes.float32):
            real = convert_image_dtype(image, dtypes.float32)
        return convert_image_dtype(change(real), image.dtype, saturate=True)


def _scalar(value: Any, dtype: Any) -> Tensor:
    """``value`` as a scalar of ``dtype``; the step checks a rank that is unknown."""
    value = math_ops.cast(value, dtype)
    return value if value.shape.ndims == 0 else ensure_shape(value, [])


# ---- Brightness and contrast -----------------------------------------------------------


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """``image`` with ``delta``, a part of the range, added to every pixel."""
    return _changed(
        image,
        "adjust_brightness",
        lambda x: x + math_ops.cast(delta, x.dtype),
    )


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Images ``[...,H,W,C]`` with the distance of pixels from their mean scaled."""

    def change(x: Tensor) -> Tensor:
        mean = reductions.reduce_mean(x, axis=[-3, -2], keepdims=True)
        return (x - mean) * _scalar(contrast_factor, x.dtype) + mean

    return _changed(images, "adjust_contrast", change)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """``gain * image ** gamma``.

    Raises:
        ValueError: ``gamma`` is negative.
        errors.InvalidArgumentError: the same of a tensor, in the step.
    """
    message = "Gamma should be a non-negative real number."
    if not isinstance(gamma, Tensor):
        if gamma < 0:
            raise ValueError(message)
        return _changed(image, "adjust_gamma", lambda x: gain * x**gamma)

    def change(x: Tensor) -> Tensor:
        check = Assert(call("GreaterEqual", [gamma, 0]), [message, gamma])
        return gain * x ** with_dependencies([check], gamma)

    return _changed(image, "adjust_gamma", change)


def per_image_standardization(image: Any) -> Tensor:
    """Each image ``[...,H,W,C]`` with mean 0 and variance 1.

    The divisor is at least 1 / sqrt(pixels), so that an even image becomes zeros.
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = with_pixels(_require_rank_3(image, "per_image_standardization"))
        pixels = reductions.reduce_prod(array_ops.shape(image)[-3:])
        image = math_ops.cast(image, dtypes.float32)
        axes = [-1, -2, -3]
        mean = reductions.reduce_mean(image, axis=axes, keepdims=True)
        square = reductions.reduce_mean(call("Square", [image]), axis=axes, keepdims=True)
        deviation = call("Sqrt", [call("Relu", [square - call("Square", [mean])])])
        least = call("Rsqrt", [math_ops.cast(pixels, dtypes.float32)])
        return math_ops.divide(
            image - mean, math_ops.maximum(deviation, least), name=scope
        )


# ---- Hue and saturation ----------------------------------------------------------------


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value of colours ``[...,3]``, all in [0, 1]."""
    return call("RGBToHSV", [convert_to_tensor(images)], None, name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Colours ``[...,3]`` of hue, saturation and value."""
    return call("HSVToRGB", [convert_to_tensor(images)], None, name)


def _require_rank_3(image: Any, function: str) -> Tensor:
    image = convert_to_tensor(image, name="image")
    message = f"{function}: the image must be at least 3-D"
    if image.shape.ndims is None:
        check = assert_rank_at_least(image, 3, message=message)
        return with_dependencies([check], image)
    if image.shape.ndims < 3:
        raise ValueError(f"{message}, its shape is {image.shape}")
    return image


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """``image`` ``[...,3]`` with ``delta``, in [-1, 1], added to the hue."""

    def change(x: Tensor) -> Tensor:
        hue, saturation, value = array_ops.unstack(rgb_to_hsv(x), num=3, axis=-1)
        hue = call("FloorMod", [hue + _scalar(delta, x.dtype), 1.0])
        return hsv_to_rgb(array_ops.stack([hue, saturation, value], axis=-1))

    return _changed(_require_rank_3(image, "adjust_hue"), name or "adjust_hue", change)


def adjust_saturation(
    image: Any, saturation_factor: Any, name: str | None = None
) -> Tensor:
    """``image`` ``[...,3]`` with its saturation scaled."""

    def change(x: Tensor) -> Tensor:
        hue, saturation, value = array_ops.unstack(rgb_to_hsv(x), num=3, axis=-1)
        saturation = saturation * _scalar(saturation_factor, x.dtype)
        saturation = math_ops.minimum(math_ops.maximum(saturation, 0.0), 1.0)
        return hsv_to_rgb(array_ops.stack([hue, saturation, value], axis=-1))

    image = _require_rank_3(image, "adjust_saturation")
    return _changed(image, name or "adjust_saturation", change)


# ---- At random -------------------------------------------------------------------------


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """adjust_brightness by a number of [-max_delta, max_delta)."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(
        image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    )


def random_contrast(
    image: Any, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """adjust_contrast by a factor of [lower, upper)."""
    return adjust_contrast(image, _factor(lower, upper, seed))


def random_saturation(
    image: Any, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """adjust_saturation by a factor of [lower, upper)."""
    return adjust_saturation(image, _factor(lower, upper, seed))


def _factor(lower: float, upper: float, seed: int | None) -> Tensor:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return random_ops.random_uniform([], lower, upper, seed=seed)


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """adjust_hue by a number of [-max_delta, max_delta)."""
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(
        image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    )


# ---- Other colours ---------------------------------------------------------------------

# Weights of red, green and blue (ITU-R BT.601, 1982), and of NTSC's and PAL's signals.
_GRAY = np.array([0.2989, 0.5870, 0.1140])
_YIQ = np.array(
    [
        [0.299, 0.59590059, 0.2115],
        [0.587, -0.27455667, -0.52273617],
        [0.114, -0.32134392, 0.31119955],
    ]
)
_FROM_YIQ = np.array(
    [
        [1, 1, 1],
        [0.95598634, -0.27201283, -1.10674021],
        [0.6208248, -0.64720424, 1.70423049],
    ]
)
_YUV = np.array(
    [
        [0.299, -0.14714119, 0.61497538],
        [0.587, -0.28886916, -0.51496512],
        [0.114, 0.43601035, -0.10001026],
    ]
)
_FROM_YUV = np.array(
    [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]
)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Images ``[...,3]`` as gray ones ``[...,1]``."""
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        real = convert_image_dtype(images, dtypes.float32)
        weights = constant(_GRAY, dtypes.float32)
        gray = array_ops.expand_dims(tensordot(real, weights, [[-1], [-1]]), -1)
        return convert_image_dtype(gray, images.dtype, name=scope)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Gray images ``[...,1]`` as ``[...,3]``."""
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        ndims = images.shape.ndims
        if ndims is not None and ndims < 2:
            raise ValueError(
                f"A grayscale image (shape {images.shape}) must be at least "
                "two-dimensional."
            )
        if ndims is not None and images.shape[-1].value not in (None, 1):
            raise ValueError(
                f"Last dimension of a grayscale image should be size 1, its shape is "
                f"{images.shape}."
            )
        checks = _checks_of_gray(images)
        images = with_dependencies(checks, images) if checks else images
        outer = array_ops.ones([array_ops.rank(images) - 1], dtypes.int32)
        multiples = array_ops.concat([outer, [3]], 0)
        result = call("Tile", [images, multiples], name=scope)
        if ndims is not None:
            result.set_shape([*images.shape.as_list()[:-1], 3])
        return result


def _checks_of_gray(images: Tensor) -> list[Any]:
    """The checks that the step makes of gray images whose shape is not known."""
    checks = []
    if images.shape.ndims is None:
        message = "A grayscale image of unknown rank must be at least three-dimensional."
        checks.append(assert_rank_at_least(images, 3, message=message))
    if images.shape.ndims is None or images.shape[-1].value is None:
        message = "Last dimension of a grayscale image should be size 1."
        checks.append(assert_equal(array_ops.shape(images)[-1], 1, message=message))
    return checks


def _by_matrix(images: Any, matrix: np.ndarray) -> Tensor:
    images = convert_to_tensor(images, name="images")
    if not images.dtype.is_floating:
        raise TypeError(
            f"the colours must be floating-point numbers, not {images.dtype.name}: use "
            "tf.image.convert_image_dtype"
        )
    return tensordot(images, constant(matrix, images.dtype), axes=[[-1], [0]])


def rgb_to_yiq(images: Any) -> Tensor:
    """Images ``[...,3]`` in the colours of NTSC."""
    return _by_matrix(images, _YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """The inverse of rgb_to_yiq."""
    return _by_matrix(images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Tensor:
    """Images ``[...,3]`` in the colours of PAL."""
    return _by_matrix(images, _YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """The inverse of rgb_to_yuv."""
    return _by_matrix(images, _FROM_YUV)


# ---- Measures --------------------------------------------------------------------------


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Differences of neighbours, down and right, of images ``[N,H,W,C]``; then zeros."""
    image = convert_to_tensor(image)
    if image.shape.ndims != 4:
        raise ValueError(
            "image_gradients expects a 4D tensor [batch_size, h, w, d], not "
            f"{image.shape}."
        )
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    return (
        array_ops.pad(dy, [[0, 0], [0, 1], [0, 0], [0, 0]]),
        array_ops.pad(dx, [[0, 0], [0, 0], [0, 1], [0, 0]]),
    )


def sobel_edges(image: Any) -> Tensor:
    """Sobel's derivatives of images ``[N,H,W,C]``, as ``[N,H,W,C,2]``: down, right."""
    image = convert_to_tensor(image)
    image.shape.with_rank(4)
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32)
    kernels = np.stack([down, down.T], axis=-1)[:, :, None, :]
    sizes = array_ops.shape(image)
    kernels = constant(kernels, image.dtype)
    kernels = call("Tile", [kernels, [1, 1, sizes[-1], 1]], name="sobel_filters")
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = call(
        "DepthwiseConv2dNative",
        [padded, kernels],
        {"strides": [1, 1, 1, 1], "padding": "VALID"},
    )
    result = array_ops.reshape(edges, array_ops.concat([sizes, [2]], 0))
    if image.shape.ndims is not None:
        result.set_shape([*image.shape.as_list(), 2])
    return result


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of absolute differences of neighbours, of an image or of each ``[N]``."""
    with name_scope(name, "total_variation", [images]):
        images = convert_to_tensor(images)
        rank = images.shape.ndims
        if rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        axes = None if rank == 3 else [1, 2, 3]
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        right = images[..., :, 1:, :] - images[..., :, :-1, :]
        return reductions.reduce_sum(
            math_ops.abs(down), axis=axes
        ) + reductions.reduce_sum(math_ops.abs(right), axis=axes)


def _of_one_size(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both images, with 3 axes or more, of which the last three have the same sizes."""
    for image in (a, b):
        image.shape.with_rank_at_least(3)
    ends = a.shape[-3:], b.shape[-3:]
    ends[0].assert_is_compatible_with(ends[1])
    if all(end.is_fully_defined() for end in ends):
        return a, b
    checks = [assert_rank_at_least(image, 3) for image in (a, b)]
    sizes = [array_ops.shape(image)[-3:] for image in (a, b)]
    checks.append(assert_equal(*sizes, message="height, width or channels differ"))
    return with_dependencies(checks, a), b


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """How alike images ``[...,H,W,C]`` are: peak over noise, in decibels."""
    with name_scope(name, "PSNR", [a, b]) as scope:
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        a, b = _of_one_size(a, b)
        most = convert_image_dtype(math_ops.cast(max_val, a.dtype), dtypes.float32)
        difference = call(
            "SquaredDifference",
            [
                convert_image_dtype(a, dtypes.float32),
                convert_image_dtype(b, dtypes.float32),
            ],
        )
        noise = reductions.reduce_mean(difference, axis=[-3, -2, -1])
        per_nat = 10 / np.log(10)
        return call(
            "Sub",
            [2 * per_nat * call("Log", [most]), per_nat * call("Log", [noise])],
            name=scope,
        )
