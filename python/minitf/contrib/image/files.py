"""Image files: JPEG, PNG, BMP and GIF, to and from tensors of pixels.

Compare: tensorflow/python/ops/image_ops_impl.py. Read next: ``geometry.py``.
"""

from typing import Any

from minitf.contrib.image.color import convert_image_dtype
from minitf.control_flow.control_flow_ops import cond
from minitf.framework import dtypes
from minitf.framework.constant_op import constant_value, convert_to_tensor
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops
from minitf.ops.reductions import reduce_all


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels, uint8 ``[height, width, channels]``, of a JPEG file.

    Args:
        contents: the bytes of the file.
        channels: 1 for gray, 3 for colours, 0 for what the file has.
        ratio: 1, 2, 4 or 8: how much smaller the image becomes.
        fancy_upscaling: whether colours, of which there are fewer, are interpolated.
        try_recover_truncated: whether a file that ends too early will do.
        acceptable_fraction: how much of the lines such a file must have.
        dct_method: "INTEGER_FAST", "INTEGER_ACCURATE" or "".
        name: of the node.
    """
    attrs = {
        "channels": channels,
        "ratio": ratio,
        "fancy_upscaling": fancy_upscaling,
        "try_recover_truncated": try_recover_truncated,
        "acceptable_fraction": acceptable_fraction,
        "dct_method": dct_method,
    }
    return call("DecodeJpeg", [contents], attrs, name)


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """As decode_jpeg, then the window ``[y, x, height, width]`` of the image."""
    with name_scope(name, "DecodeAndCropJpeg", [contents]):
        image = decode_jpeg(
            contents,
            channels,
            ratio,
            fancy_upscaling,
            try_recover_truncated,
            acceptable_fraction,
            dct_method,
        )
        window = convert_to_tensor(crop_window, dtypes.int32)
        y, x, height, width = array_ops.unstack(window, num=4)
        begin = array_ops.stack([y, x, 0])
        cropped = call("Slice", [image, begin, array_ops.stack([height, width, -1])])
        known = constant_value(window)
        sides = [None, None] if known is None else known[2:]
        cropped.set_shape([*sides, image.shape[-1]])
        return cropped


def extract_jpeg_shape(
    contents: Any, output_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The height, width and channels of a JPEG file, without decoding it."""
    return call("ExtractJpegShape", [contents], {"output_type": output_type}, name)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """The bytes of a JPEG file of an image, uint8 ``[height, width, 1 or 3]``."""
    attrs = {
        "format": format,
        "quality": quality,
        "progressive": progressive,
        "optimize_size": optimize_size,
        "chroma_downsampling": chroma_downsampling,
        "density_unit": density_unit,
        "x_density": x_density,
        "y_density": y_density,
        "xmp_metadata": xmp_metadata,
    }
    return call("EncodeJpeg", [image], attrs, name)


def decode_png(
    contents: Any,
    channels: int = 0,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """The pixels, uint8 or uint16 ``[height, width, channels]``, of a PNG file."""
    return call("DecodePng", [contents], {"channels": channels, "dtype": dtype}, name)


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """The bytes of a PNG file of an image: uint8 or uint16, 1 to 4 channels."""
    image = convert_to_tensor(image, name="image")
    return call("EncodePng", [image], {"compression": compression}, name)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels, uint8 ``[height, width, channels]``, of a BMP file."""
    return call("DecodeBmp", [contents], {"channels": channels}, name)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The pixels, uint8 ``[frames, height, width, 3]``, of a GIF file."""
    return call("DecodeGif", [contents], None, name)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a JPEG, PNG, BMP or GIF file, whichever it is.

    Args:
        contents: the bytes of the file.
        channels: of the result; 0 or None for what the file has.
        dtype: of the result; numbers are scaled as by convert_image_dtype.
        name: of the nodes.
        expand_animations: whether a GIF gives all of its frames,
            ``[frames, height, width, 3]``; else it gives the first one.

    Returns:
        ``[height, width, channels]``, but for a GIF with ``expand_animations``; so the
        rank is not known when the graph is built, unless that is False.

    Raises:
        ValueError: no image has so many channels.
        errors.InvalidArgumentError: in the step; it is no image, or a GIF, which has 3
            channels, is to have another number.
    """
    if channels not in (None, 0, 1, 3, 4):
        raise ValueError("channels must be in (None, 0, 1, 3, 4)")
    with name_scope(name, "decode_image"):
        contents = convert_to_tensor(contents, dtypes.string)

        def decode_moving() -> Tensor:
            good = channels in (None, 0, 3)
            message = f"channels must be 0 or 3 when decoding GIF images, got {channels}"
            with control_dependencies([call("Assert", [good, [message]])]):
                frames = decode_gif(contents)
            return frames if expand_animations else frames[0]

        image = cond(
            _begins_with(contents, b"GIF8"),
            decode_moving,
            lambda: call("DecodePng", [contents], {"channels": channels or 0}),
        )
        return convert_image_dtype(image, dtype)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether ``contents``, a string, begins as a JPEG file does.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.image.is_jpeg(b"GIF89a")))
    False
    """
    with name_scope(name, "is_jpeg"):
        return _begins_with(convert_to_tensor(contents, dtypes.string), b"\xff\xd8\xff")


def _begins_with(contents: Tensor, start: bytes) -> Tensor:
    """Whether a string has ``start`` as its first bytes."""
    size = len(start)
    found = call("DecodeRaw", [contents], {"out_type": dtypes.uint8})[:size]
    # Zeros behind it: a file may be shorter than its sign.
    longer = array_ops.concat([found, array_ops.zeros([size], dtypes.uint8)], 0)
    return reduce_all(call("Equal", [longer[:size], list(start)]))


def adjust_jpeg_quality(
    image: Any, jpeg_quality: int, dct_method: str = "", name: str | None = None
) -> Tensor:
    """``image`` as it looks after it was a JPEG file of this quality."""
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image)
        channels = image.shape.with_rank(3)[-1].value
        small = convert_image_dtype(image, dtypes.uint8, saturate=True)
        seen = decode_jpeg(
            encode_jpeg(small, quality=jpeg_quality),
            channels=channels,
            dct_method=dct_method,
        )
        return convert_image_dtype(seen, image.dtype, saturate=True)
