"""What is compared of ``tf.nn``, ``tf.losses``, ``tf.layers`` and ``tf.image``."""

import numpy as np
from draw import (
    Draw,
    axis,
    dtype,
    flag,
    like,
    maybe,
    number,
    numbers,
    one_of,
    shaped,
    size_of,
    stretched,
    tensor,
    text,
)
from programs import call
from values import FLOATS, WIDE

# ---- Cross entropies and the like ------------------------------------------------------


def _labels(draw: Draw) -> np.ndarray:
    shape = size_of(draw)
    classes = shape[-1] if shape else 1
    count = int(np.prod(shape[:-1]))
    found = [draw.pick.randrange(max(1, classes)) for _ in range(count)]
    return np.array(found, int).reshape(shape[:-1])


def _weights_of(draw: Draw) -> tuple[int, ...]:
    """A shape of weights: legal ones, and some that only broadcasting would allow."""
    shape = list(size_of(draw))
    way = draw.pick.randrange(6)
    if way == 0 or not shape:
        return ()
    if way == 1:
        return tuple(shape)
    if way == 2:
        return tuple(1 if draw.chance(0.5) else size for size in shape)
    if way == 3:
        return tuple(shape[1:])
    return tuple(shape[:1] + [1] * (len(shape) - 1))


_WEIGHTS = shaped(_weights_of, low=0, high=2, edges=0)
_REDUCTION = one_of(
    *(
        text(f"tf.losses.Reduction.{name}")
        for name in (
            "NONE",
            "SUM",
            "MEAN",
            "SUM_BY_NONZERO_WEIGHTS",
            "SUM_OVER_BATCH_SIZE",
        )
    ),
    "bad",
)
_UNIT = {"low": 0, "high": 1, "edges": 0}

# fmt: off
ENTRIES = [
    call("nn.softmax", tensor(FLOATS, (0, 4)), axis=maybe(axis())),
    call("nn.log_softmax", tensor(FLOATS, (0, 4)), axis=maybe(axis())),
    call("nn.softmax_cross_entropy_with_logits_v2", labels=tensor(WIDE, (1, 4), **_UNIT), logits=like(), axis=maybe(axis())),
    call("nn.softmax_cross_entropy_with_logits", labels=tensor(WIDE, (1, 4), **_UNIT), logits=like(), dim=maybe(axis())),
    call("nn.softmax_cross_entropy_with_logits", labels=tensor(WIDE, 2, **_UNIT), logits=stretched()),
    call("nn.sparse_softmax_cross_entropy_with_logits", logits=tensor(WIDE, (1, 4)), labels=numbers(_labels), modes=("graph",)),
    call("nn.sigmoid_cross_entropy_with_logits", labels=tensor(WIDE, **_UNIT), logits=like(edges=0.2, low=-1, high=1, steps=2)),
    call("nn.weighted_cross_entropy_with_logits", labels=tensor(WIDE, **_UNIT), logits=like(low=-1, high=1, steps=2), pos_weight=one_of(1.0, 2.0, 0.5)),
    call("nn.log_poisson_loss", tensor(WIDE, low=0, high=3), like(), compute_full_loss=maybe(flag())),
    call("nn.crelu", tensor(WIDE), axis=maybe(axis())),
    call("nn.leaky_relu", tensor(WIDE), alpha=one_of(0.0, 0.1, 1.5)),
    call("nn.bias_add", tensor((*WIDE, "int32"), (2, 5)), shaped(lambda d: size_of(d)[-1:]), data_format=maybe(one_of("NHWC", "NCHW", "bad"), 0.2)),
    call("nn.batch_normalization", tensor(WIDE, (1, 4)), shaped(lambda d: size_of(d)[-1:]), shaped(lambda d: size_of(d)[-1:], low=0.1, high=2, edges=0), one_of(None, 0.5), one_of(None, 2.0), 0.001),
    call("nn.batch_norm_with_global_normalization", tensor(WIDE, (1, 4)), shaped(lambda d: size_of(d)[-1:]), shaped(lambda d: size_of(d)[-1:], low=0.1, high=2, edges=0), one_of(None, 0.5), one_of(None, 2.0), 0.001, one_of(True, False)),
    call("nn.fused_batch_norm", tensor("float32", 4, shape=(2, 3, 2, 2), edges=0), shaped(lambda d: size_of(d)[-1:]), shaped(lambda d: size_of(d)[-1:]), epsilon=maybe(one_of(0.001, 0.1)), has_name=True),
    call("nn.fused_batch_norm", tensor("float32", 4, shape=(2, 3, 2, 2), edges=0), shaped(lambda d: size_of(d)[-1:]), shaped(lambda d: size_of(d)[-1:]), shaped(lambda d: size_of(d)[-1:]), shaped(lambda d: size_of(d)[-1:], low=0.5, high=2, edges=0), is_training=False),
    call("nn.fused_batch_norm", tensor("float32", 4, shape=(2, 2, 3, 2), edges=0), shaped(lambda d: size_of(d)[1:2]), shaped(lambda d: size_of(d)[1:2]), shaped(lambda d: size_of(d)[1:2]), shaped(lambda d: size_of(d)[1:2], low=0.5, high=2, edges=0), data_format="NCHW", exponential_avg_factor=0.5),
    call("nn.local_response_normalization", tensor("float32", 4, shape=(1, 2, 2, 5)), depth_radius=maybe(one_of(0, 1, 2, 5)), bias=maybe(one_of(1.0, 2.0)), alpha=maybe(one_of(0.5, 1.0)), beta=maybe(one_of(0.5, 0.75)), aliases=("nn.lrn",)),
    call("nn.dropout", tensor(WIDE), rate=one_of(0.0, 1.0, 0.5, 1.5, -1), values=False, gradients=0),
    call("nn.dropout", tensor(WIDE), keep_prob=1.0),
]

# ---- Losses ----------------------------------------------------------------------------

ENTRIES += [
    call(f"losses.{name}", tensor(WIDE, (0, 3), **_UNIT), like(low=0.1, high=0.9, edges=0), maybe(_WEIGHTS), reduction=maybe(_REDUCTION), scope=maybe("s"), has_name=False)
    for name in ("absolute_difference", "mean_squared_error", "log_loss", "hinge_loss", "huber_loss", "sigmoid_cross_entropy")
]
ENTRIES += [
    call("losses.sigmoid_cross_entropy", tensor(WIDE, (1, 3), **_UNIT), like(), label_smoothing=one_of(0.1, 0.5), has_name=False),
    call("losses.softmax_cross_entropy", tensor(WIDE, (1, 3), **_UNIT), like(), maybe(shaped(lambda d: size_of(d)[:-1], low=0, edges=0)), label_smoothing=maybe(one_of(0.1, 0.5)), reduction=maybe(_REDUCTION), has_name=False),
    call("losses.sparse_softmax_cross_entropy", logits=tensor(WIDE, (1, 3)), labels=numbers(_labels), has_name=False, modes=("graph",)),
    call("losses.cosine_distance", tensor(WIDE, (1, 3)), like(), axis=axis(), weights=maybe(one_of(1.0, 0.5)), reduction=maybe(_REDUCTION), has_name=False),
    call("losses.mean_pairwise_squared_error", tensor(WIDE, (1, 3)), like(), maybe(_WEIGHTS), has_name=False),
    call("losses.compute_weighted_loss", tensor(WIDE, (0, 3)), maybe(_WEIGHTS), reduction=maybe(_REDUCTION), has_name=False),
]

# ---- Convolutions and pools ------------------------------------------------------------

_PADDING = one_of("SAME", "VALID", "SAME", "VALID", "bad")
_IMAGES = tensor(WIDE, 4, shape=one_of((2, 5, 4, 2), (1, 3, 3, 1), (1, 6, 5, 3), (0, 4, 4, 2)), edges=0)


def _filter(height: int, width: int, out: int):
    return shaped(lambda d: (height, width, size_of(d)[-1], out), edges=0)


_STRIDES = one_of([1, 1, 1, 1], [1, 2, 2, 1], [1, 1, 2, 1], [1, 3, 1, 1])
_DILATIONS = maybe(one_of([1, 1, 1, 1], [1, 2, 2, 1], [1, 1, 2, 1]), 0.3)
_WINDOWS = one_of([1, 2, 2, 1], [1, 3, 1, 1], [1, 1, 1, 1], [1, 3, 3, 1])

ENTRIES += [
    call("nn.conv2d", _IMAGES, _filter(2, 2, 3), _STRIDES, _PADDING, dilations=_DILATIONS),
    call("nn.conv2d", _IMAGES, _filter(3, 1, 2), one_of(1, 2, [1, 2]), one_of("SAME", [[0, 0], [1, 1], [1, 0], [0, 0]])),
    call("nn.convolution", _IMAGES, _filter(2, 2, 2), one_of("SAME", "VALID"), strides=maybe(one_of([1, 1], [2, 2])), dilation_rate=maybe(one_of([1, 1], [2, 1], [2, 2]))),
    call("nn.depthwise_conv2d", _IMAGES, _filter(2, 2, 2), one_of([1, 1, 1, 1], [1, 2, 2, 1]), one_of("SAME", "VALID"), rate=maybe(one_of([1, 1], [2, 2]), 0.3)),
    call("nn.depthwise_conv2d_native", _IMAGES, _filter(2, 2, 2), one_of([1, 1, 1, 1], [1, 2, 2, 1]), one_of("SAME", "VALID")),
    call("nn.separable_conv2d", _IMAGES, _filter(2, 2, 2), shaped(lambda d: (1, 1, size_of(d)[-1] * 2, 3), edges=0), [1, 1, 1, 1], one_of("SAME", "VALID"), rate=maybe([2, 2], 0.3)),
    call("nn.conv1d", tensor(WIDE, 3, shape=(2, 6, 2), edges=0), shaped(lambda d: (3, 2, 2), edges=0), one_of(1, 2), one_of("SAME", "VALID")),
    call("nn.conv2d_transpose", tensor(WIDE, 4, shape=(2, 3, 2, 3), edges=0), shaped(lambda d: (2, 2, 2, 3), edges=0), one_of([2, 6, 4, 2], [2, 5, 3, 2]), [1, 2, 2, 1], "SAME"),
    call("nn.conv2d_transpose", tensor(WIDE, 4, shape=(2, 3, 2, 3), edges=0), shaped(lambda d: (2, 2, 2, 3), edges=0), [2, 4, 3, 2], [1, 1, 1, 1], "VALID"),
    call("nn.conv3d", tensor(WIDE, 5, shape=(1, 3, 3, 3, 1), edges=0), shaped(lambda d: (2, 2, 2, 1, 2), edges=0), one_of([1, 1, 1, 1, 1], [1, 2, 1, 2, 1]), one_of("SAME", "VALID"), gradients=1),
    call("nn.max_pool", _IMAGES, _WINDOWS, _STRIDES, _PADDING),
    call("nn.max_pool2d", _IMAGES, _WINDOWS, _STRIDES, _PADDING),
    call("nn.avg_pool", _IMAGES, _WINDOWS, _STRIDES, _PADDING),
    call("nn.max_pool_v2", _IMAGES, one_of(2, [2, 3]), one_of(1, [2, 1]), one_of("SAME", "VALID")),
    call("nn.avg_pool_v2", _IMAGES, one_of(2, [2, 3]), one_of(1, [2, 1]), one_of("SAME", "VALID")),
    call("nn.max_pool1d", tensor(WIDE, 3, shape=(2, 6, 2), edges=0), one_of(2, 3), one_of(1, 2), one_of("SAME", "VALID")),
    call("nn.avg_pool1d", tensor(WIDE, 3, shape=(2, 6, 2), edges=0), one_of(2, 3), one_of(1, 2), one_of("SAME", "VALID")),
    call("nn.max_pool3d", tensor("float32", 5, shape=(1, 3, 4, 3, 1), edges=0), one_of([1, 2, 2, 2, 1], 2), one_of([1, 1, 1, 1, 1], [1, 2, 2, 1, 1]), one_of("SAME", "VALID"), gradients=1),
    call("nn.avg_pool3d", tensor("float32", 5, shape=(1, 3, 4, 3, 1), edges=0), one_of([1, 2, 2, 2, 1], 2), one_of([1, 1, 1, 1, 1], [1, 2, 2, 1, 1]), one_of("SAME", "VALID"), gradients=1),
    call("nn.max_pool_with_argmax", tensor(WIDE, 4, shape=(1, 4, 4, 2), edges=0), [1, 2, 2, 1], one_of([1, 2, 2, 1], [1, 1, 1, 1]), one_of("SAME", "VALID"), gradients=1),
    call("nn.pool", _IMAGES, one_of([2, 2], [1, 3]), one_of("MAX", "AVG"), one_of("SAME", "VALID"), strides=maybe([2, 1]), dilation_rate=maybe(one_of([1, 1], [2, 1]), 0.3)),
    call("nn.conv2d_backprop_input", [2, 5, 4, 2], tensor(WIDE, 4, shape=(2, 2, 2, 3), edges=0), shaped(lambda d: (2, 5, 4, 3), edges=0), [1, 1, 1, 1], "SAME"),
    call("nn.conv2d_backprop_filter", tensor(WIDE, 4, shape=(2, 5, 4, 2), edges=0), [2, 2, 2, 3], shaped(lambda d: (2, 5, 4, 3), edges=0), [1, 1, 1, 1], "SAME"),
]

# ---- Images ----------------------------------------------------------------------------

_PICTURE = tensor("float32", (3, 4), shape=one_of((4, 5, 3), (2, 3, 4, 3), (1, 1, 3)), **_UNIT)
_ANY_PICTURE = tensor(("float32", "uint8", "float64", "int32"), (3, 4), shape=one_of((4, 5, 3), (2, 3, 4, 3), (3, 3, 1)), edges=0, low=0, high=1, ints=(0, 255))

ENTRIES += [
    call("image.rgb_to_hsv", _PICTURE),
    call("image.hsv_to_rgb", _PICTURE),
    call("image.rgb_to_grayscale", _ANY_PICTURE),
    call("image.grayscale_to_rgb", tensor("float32", (3, 4), shape=(2, 3, 1))),
    call("image.adjust_brightness", _PICTURE, number(-0.5, 0.5), has_name=False),
    call("image.adjust_contrast", _ANY_PICTURE, number(0, 2), has_name=False),
    call("image.adjust_hue", _PICTURE, number(-0.5, 0.5), gradients=0),
    call("image.adjust_saturation", _PICTURE, number(0, 2), gradients=0),
    call("image.adjust_gamma", _PICTURE, number(0.5, 2), has_name=False),
    call("image.convert_image_dtype", _ANY_PICTURE, dtype("float32", "uint8", "float64", "int32", "int16"), saturate=maybe(flag())),
    call("image.flip_left_right", _ANY_PICTURE, has_name=False),
    call("image.flip_up_down", _ANY_PICTURE, has_name=False),
    call("image.transpose_image", _ANY_PICTURE, has_name=False, aliases=("image.transpose",)),
    call("image.rot90", _ANY_PICTURE, one_of(0, 1, 2, 3, 5)),
    call("image.central_crop", _ANY_PICTURE, one_of(0.5, 1.0, 0.3, 0.0), has_name=False),
    call("image.crop_to_bounding_box", _ANY_PICTURE, one_of(0, 1), one_of(0, 1), one_of(1, 2), one_of(1, 2), has_name=False),
    call("image.pad_to_bounding_box", _ANY_PICTURE, one_of(0, 1), one_of(0, 2), 6, one_of(7, 8), has_name=False),
    call("image.resize_image_with_crop_or_pad", _ANY_PICTURE, one_of(2, 6), one_of(3, 7), has_name=False),
    call("image.per_image_standardization", _ANY_PICTURE, has_name=False),
    call("image.total_variation", _PICTURE),
    call("image.image_gradients", tensor("float32", 4, shape=(1, 3, 4, 2)), has_name=False),
    call("image.resize_images", _ANY_PICTURE, one_of([2, 3], [6, 7], [4, 5]), one_of(0, 1, 2, 3), align_corners=maybe(flag()), preserve_aspect_ratio=maybe(flag()), has_name=False),
    call("image.resize_bilinear", tensor("float32", 4, shape=(1, 3, 4, 2)), one_of([2, 3], [6, 7]), align_corners=maybe(flag()), half_pixel_centers=maybe(flag(), 0.3)),
    call("image.resize_nearest_neighbor", tensor("float32", 4, shape=(1, 3, 4, 2)), one_of([2, 3], [6, 7]), align_corners=maybe(flag())),
    call("image.resize_bicubic", tensor("float32", 4, shape=(1, 3, 4, 2)), one_of([2, 3], [6, 7]), gradients=1),
    call("image.resize_area", tensor("float32", 4, shape=(1, 3, 4, 2)), one_of([2, 3], [6, 7]), gradients=0),
]

# ---- Learning rates --------------------------------------------------------------------

_STEP = tensor(("int32", "int64"), 0, ints=(0, 20), edges=0)
ENTRIES += [
    call(f"train.{name}", 0.5, _STEP, 10, one_of(0.5, 0.9), staircase=maybe(flag()))
    for name in ("exponential_decay", "natural_exp_decay", "inverse_time_decay")
]
ENTRIES = [
    *ENTRIES,
    call("train.polynomial_decay", 0.5, _STEP, 10, 0.01, one_of(1.0, 2.0, 0.5), cycle=maybe(flag())),
    call("train.cosine_decay", 0.5, _STEP, 10, alpha=maybe(0.1)),
    call("train.cosine_decay_restarts", 0.5, _STEP, 4, one_of(1.0, 2.0), one_of(1.0, 0.5)),
    call("train.linear_cosine_decay", 0.5, _STEP, 10),
    call("train.piecewise_constant", _STEP, [5, 10], [1.0, 0.5, 0.1]),
]
for _entry in ENTRIES:
    if _entry.function.startswith("train.") and "decay" in _entry.function:
        _entry.modes = ("graph",)  # eagerly, TensorFlow 2 gives a function
    if _entry.function == "train.piecewise_constant":
        _entry.modes = ("graph",)
