"""``tf.image``: files, sizes, turns and colours, with the numbers of TensorFlow."""

import colorsys
import struct
import zlib

import numpy as np
import pytest

import minitf as tf

# Eight columns of gray, 0, 30, ..., 210, as TensorFlow 2.21 writes and decodes them.
JPEG = bytes.fromhex(
    "ffd8ffe000104a46494600010101012c012c0000ffdb00430006040506050406060506070706080a100a"
    "0a09090a140e0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d28"
    "3025282928ffc0000b080008000801011100ffc40014000100000000000000000000000000000005ffc4"
    "0017100003010000000000000000000000000000084481ffda0008010100003f000176970fffd9"
)
DECODED = [0, 29, 61, 89, 120, 148, 179, 209]
GRAY = np.tile(np.arange(8, dtype=np.uint8) * 30, [8, 1])[:, :, None]

# Rows of 2, columns of 3, channels of 2: element (y, x, c) is 100 y + 10 x + c.
SMALL = (
    np.arange(2)[:, None, None] * 100 + np.arange(3)[:, None] * 10 + np.arange(2)
).astype(np.float32)
BATCH = np.stack([SMALL, SMALL + 1000])
COLORS = np.random.default_rng(4).integers(0, 256, [5, 4, 3]).astype(np.uint8)
REAL = (COLORS / 255).astype(np.float32)


# ---- Files -----------------------------------------------------------------------------


def test_jpeg_files_are_those_of_tensorflow(evaluate):
    image = evaluate(tf.image.decode_jpeg(JPEG))
    assert image[:, :, 0].tolist() == [DECODED] * 8
    made = evaluate(tf.image.encode_jpeg(GRAY, quality=80, optimize_size=True))
    assert (made.item() if hasattr(made, "item") else made) == JPEG
    assert evaluate(tf.image.extract_jpeg_shape(JPEG)).tolist() == [8, 8, 1]
    assert evaluate(tf.image.decode_jpeg(JPEG, channels=3)).shape == (8, 8, 3)
    assert evaluate(tf.image.decode_jpeg(JPEG, ratio=4)).shape == (2, 2, 1)


def test_colours_of_a_png_may_be_listed_and_transparent(session):
    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", 3, 1, 8, 3, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            chunk(b"IHDR", header),
            chunk(b"PLTE", bytes([10, 20, 30, 40, 50, 60, 70, 80, 90])),
            chunk(b"tRNS", bytes([0, 128])),
            chunk(b"IDAT", zlib.compress(bytes([0, 2, 1, 0]))),
            chunk(b"IEND", b""),
        )
    )
    colours = [[70, 80, 90], [40, 50, 60], [10, 20, 30]]
    alpha = [255, 128, 0]

    def read(channels):
        return session.run(tf.image.decode_png(png, channels=channels))[0].tolist()

    assert read(3) == colours
    assert read(4) == [[*rgb, a] for rgb, a in zip(colours, alpha, strict=True)]
    assert [len(pixel) for pixel in read(1)] == [1, 1, 1]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_files_keep_all(session, channels, dtype):
    numbers = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, [5, 7, channels])
    image = numbers.astype(dtype)
    decoded = tf.image.decode_png(tf.image.encode_png(image), dtype=dtype)
    assert session.run(decoded).tolist() == image.tolist()


def test_decode_image_looks_at_the_bytes(evaluate):
    png = tf.image.encode_png(COLORS)
    assert evaluate(tf.image.decode_image(png)).tolist() == COLORS.tolist()
    assert evaluate(tf.image.decode_jpeg(png)).tolist() == COLORS.tolist()
    assert evaluate(tf.image.decode_image(JPEG)).shape == (8, 8, 1)
    real = evaluate(tf.image.decode_image(png, dtype=tf.float32))
    np.testing.assert_allclose(real, REAL, atol=1e-6)
    with pytest.raises(ValueError, match="channels must be in"):
        tf.image.decode_image(png, channels=2)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "unknown format starting with ''"),
        (b"hello", r"unknown format starting with '\\x68\\x65\\x6c\\x6c\\x6f'"),
        (JPEG[:100], "Invalid JPEG data or crop window, data size 100"),
        (JPEG[:-5], "Invalid JPEG data or crop window, data size 160: the data end too"),
        (b"\x89PNG\r\n\x1a\n", "Invalid PNG data, size 8: the data end too early"),
        (b"BM" + bytes(60), "BMP: 0 bits a pixel"),
        (b"GIF89a", "a GIF file; decode_gif gives its frames"),
    ],
)
def test_files_that_are_damaged_are_refused(session, contents, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(tf.image.decode_png(contents))


def gif(*pictures, width=2, height=2):
    """A GIF file; a picture is (left, top, rows of numbers of colours, transparent)."""
    colors = bytes([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    file = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x81, 0, 0) + colors
    for left, top, rows, transparent in pictures:
        if transparent is not None:
            file += bytes([0x21, 0xF9, 4, 1, 0, 0, transparent, 0])
        sizes = (left, top, len(rows[0]), len(rows))
        file += b"\x2c" + struct.pack("<HHHHB", *sizes, 0) + b"\2"
        # Three bits a code: 4 starts the table anew, so that it never grows; 5 ends.
        codes = [code for row in rows for pixel in row for code in (4, pixel)] + [5]
        bits = sum(code << 3 * i for i, code in enumerate(codes))
        data = bits.to_bytes((3 * len(codes) + 7) // 8, "little")
        file += bytes([len(data)]) + data + b"\0"
    return file + b"\x3b"


def test_a_gif_file_has_frames(session):
    file = gif((0, 0, [[1, 2], [3, 0]], None), (1, 0, [[3], [2]], 3))
    frames = session.run(tf.image.decode_gif(file))
    red, green, blue, black = [255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]
    first = [[red, green], [blue, black]]
    second = [[red, green], [blue, green]]  # what is transparent stays
    assert frames.tolist() == [first, second]
    for bad in (file[:40], gif((1, 1, [[1, 1]], None)), gif(), b"GIF89a", b""):
        with pytest.raises(tf.errors.InvalidArgumentError, match="GIF"):
            session.run(tf.image.decode_gif(bad))


def test_a_gif_file_with_growing_codes(session):
    # 10 x 10 pixels of colours (x x + y) / 3 modulo 4 in the upper half, 1 in the lower.
    file = bytes.fromhex(
        "4749463839610a000a00810000000000ff000000ff000000ff2c000000000a000a00000219043261"
        "3786ea5a1043a89926b04177b1759e4896e689a66701003b"
    )
    y, x = np.mgrid[0:10, 0:10]
    numbers = np.where(y < 5, (x * x + y) // 3 % 4, 1)
    colors = np.array([[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]])
    frames = session.run(tf.image.decode_gif(file))
    assert frames.tolist() == colors[numbers][None].tolist()
    for i in range(len(file)):  # damaged anywhere: refused, or other pixels
        damaged = file[:i] + bytes([file[i] ^ 0x55]) + file[i + 1 :]
        try:
            session.run(tf.image.decode_gif(damaged))
        except tf.errors.InvalidArgumentError as error:
            assert "GIF" in str(error)


def test_a_cut_file_may_be_accepted(session):
    noise = np.random.default_rng(2).integers(0, 256, [64, 64, 1]).astype(np.uint8)
    whole = session.run(tf.image.encode_jpeg(noise))
    half = whole[: len(whole) // 2]
    expected = session.run(tf.image.decode_jpeg(whole))
    recovered = session.run(tf.image.decode_jpeg(half, try_recover_truncated=True))
    assert recovered.shape == (64, 64, 1)
    assert recovered[:16].tolist() == expected[:16].tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="the data end too early"):
        session.run(tf.image.decode_jpeg(half))


def test_arguments_of_files_are_checked(session):
    with pytest.raises(tf.errors.InvalidArgumentError, match="quality must be in"):
        session.run(tf.image.encode_jpeg(GRAY, quality=101))
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 or 3 channels, has 2"):
        session.run(tf.image.encode_jpeg(np.zeros([2, 2, 2], np.uint8)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no pixels"):
        session.run(tf.image.encode_png(np.zeros([0, 2, 1], np.uint8)))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="ratio must"):
        session.run(tf.image.decode_jpeg(JPEG, ratio=3))
    with pytest.raises(ValueError, match="channels must be 0, 1, 3, or 4, got 2"):
        tf.image.decode_png(JPEG, channels=2)


# ---- Sizes -----------------------------------------------------------------------------


def test_one_image_and_a_batch_are_resized(evaluate):
    Method = tf.image.ResizeMethod  # noqa: N806
    one = evaluate(tf.image.resize_images(SMALL, [4, 3]))
    two = evaluate(tf.image.resize_images(BATCH, [4, 3]))
    assert one.shape == (4, 3, 2) and one.dtype == np.float32
    assert one[:, 0, 0].tolist() == [0, 50, 100, 100]
    assert two[1].tolist() == (one + 1000).tolist()
    near = evaluate(
        tf.image.resize_images(COLORS, [3, 8], method=Method.NEAREST_NEIGHBOR)
    )
    assert near.dtype == np.uint8
    assert near.tolist() == COLORS[[0, 1, 3]][:, [0, 0, 1, 1, 2, 2, 3, 3]].tolist()
    same = evaluate(tf.image.resize_images(COLORS, [5, 4]))
    assert same.dtype == np.uint8  # nothing is to be done
    fits = tf.image.resize_images(COLORS, [10, 100], preserve_aspect_ratio=True)
    assert evaluate(fits).shape == (10, 8, 3)


def test_the_size_may_be_fed(session):
    size = tf.placeholder(tf.int32, [2])
    resized = tf.image.resize_images(SMALL, size)
    assert resized.shape.as_list() == [None, None, 2]
    assert session.run(resized, {size: [1, 1]}).tolist() == [[[0, 1]]]


def test_resizing_says_what_it_needs():
    with pytest.raises(ValueError, match="either 3 or 4 dimensions"):
        tf.image.resize_images(SMALL[0], [1, 1])
    with pytest.raises(ValueError, match="1-D Tensor of 2 elements"):
        tf.image.resize_images(SMALL, [1, 1, 1])
    with pytest.raises(ValueError, match="Resize method is not implemented"):
        tf.image.resize_images(SMALL, [1, 1], method=9)
    with pytest.raises(ValueError, match="contains no shape"):
        tf.image.resize_images(tf.placeholder(tf.float32), [1, 1])


def test_images_are_cut_and_padded(evaluate):
    cut = tf.image.crop_to_bounding_box(BATCH, 1, 0, 1, 2)
    assert evaluate(cut).tolist() == BATCH[:, 1:, :2].tolist()
    padded = evaluate(tf.image.pad_to_bounding_box(SMALL, 1, 2, 4, 6))
    assert padded.shape == (4, 6, 2)
    assert padded[1:3, 2:5].tolist() == SMALL.tolist()
    assert padded.sum() == SMALL.sum()
    both = evaluate(tf.image.resize_image_with_crop_or_pad(SMALL, 4, 1))
    assert both[:, 0].tolist() == [[0, 0], [10, 11], [110, 111], [0, 0]]
    middle = evaluate(tf.image.central_crop(COLORS, 0.5))
    assert middle.tolist() == COLORS[1:4, 1:3].tolist()
    framed = evaluate(tf.image.resize_image_with_pad(np.ones([2, 2, 1]), 4, 10))
    assert framed[:, :, 0].tolist() == [[0] * 3 + [1] * 4 + [0] * 3] * 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tf.image.crop_to_bounding_box(SMALL, 0, 2, 1, 2),
            "width must be >= tar",
        ),
        (lambda: tf.image.crop_to_bounding_box(SMALL, -1, 0, 1, 1), "offset_height must"),
        (lambda: tf.image.pad_to_bounding_box(SMALL, 2, 0, 3, 3), "height must be <= ta"),
        (lambda: tf.image.central_crop(SMALL, 0.0), r"within \(0, 1\]"),
        (lambda: tf.image.flip_up_down(SMALL[0]), "must be 3-D or 4-D"),
        (lambda: tf.image.random_crop(SMALL, [3, 1, 1]), "Need value.shape >= size"),
    ],
)
def test_cuts_that_do_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_random_crop_is_a_part(session):
    crop = tf.random_crop(SMALL, [1, 2, 2], seed=3)
    parts = {SMALL[y : y + 1, x : x + 2].tobytes() for y in (0, 1) for x in (0, 1)}
    seen = {session.run(crop).tobytes() for _ in range(100)}
    assert seen == parts


# ---- Turns -----------------------------------------------------------------------------


@pytest.mark.parametrize("images", [SMALL, BATCH])
def test_images_are_turned(evaluate, images):
    rows, columns = images.ndim - 3, images.ndim - 2
    cases = [
        (tf.image.flip_left_right(images), np.flip(images, columns)),
        (tf.image.flip_up_down(images), np.flip(images, rows)),
        (tf.image.transpose_image(images), np.swapaxes(images, rows, columns)),
    ]
    for k in range(-1, 5):
        cases.append((tf.image.rot90(images, k), np.rot90(images, k, (rows, columns))))
    for ours, expected in cases:
        assert evaluate(ours).tolist() == expected.tolist()


def test_half_of_the_images_are_flipped(session):
    flipped = session.run(
        tf.image.random_flip_left_right(np.stack([SMALL] * 400), seed=1)
    )
    is_flipped = [image.tolist() == SMALL[:, ::-1].tolist() for image in flipped]
    is_same = [image.tolist() == SMALL.tolist() for image in flipped]
    assert all(np.logical_xor(is_flipped, is_same))
    assert 140 < sum(is_flipped) < 260
    one = tf.image.random_flip_up_down(SMALL, seed=1)
    seen = {session.run(one).tobytes() for _ in range(50)}
    assert seen == {SMALL.tobytes(), SMALL[::-1].tobytes()}


# ---- Colours ---------------------------------------------------------------------------


def test_types_of_pixels_have_ranges_of_their_own(evaluate):
    convert = tf.image.convert_image_dtype
    real = evaluate(convert(np.array([0, 51, 255], np.uint8), tf.float32))
    np.testing.assert_allclose(real, [0, 0.2, 1], atol=1e-6)
    ints = evaluate(convert(np.array([0, 0.5, 1], np.float32), tf.uint8))
    assert ints.tolist() == [0, 127, 255]
    wide = evaluate(convert(np.array([1, 255], np.uint8), tf.uint16))
    assert wide.tolist() == [256, 65280]
    narrow = evaluate(convert(np.array([256, 65535], np.uint16), tf.uint8))
    assert narrow.tolist() == [1, 255]
    over = convert(np.array([-1, 2], np.float32), tf.uint8, saturate=True)
    assert evaluate(over).tolist() == [0, 255]


def test_hue_and_saturation_are_those_of_colorsys(evaluate):
    expected = [
        [colorsys.rgb_to_hsv(*map(float, pixel)) for pixel in row] for row in REAL
    ]
    np.testing.assert_allclose(evaluate(tf.image.rgb_to_hsv(REAL)), expected, atol=1e-6)
    np.testing.assert_allclose(
        evaluate(tf.image.hsv_to_rgb(np.array(expected, np.float32))), REAL, atol=1e-6
    )
    turned = evaluate(tf.image.adjust_hue(REAL, 0.25))
    for place in np.ndindex(5, 4):
        hue, saturation, value = expected[place[0]][place[1]]
        want = colorsys.hsv_to_rgb((hue + 0.25) % 1, saturation, value)
        np.testing.assert_allclose(turned[place], want, atol=1e-5)
    gray = evaluate(tf.image.adjust_saturation(REAL, 0.0))
    np.testing.assert_allclose(gray, REAL.max(-1, keepdims=True).repeat(3, -1), atol=1e-6)


def test_brightness_and_contrast(evaluate):
    bright = evaluate(tf.image.adjust_brightness(COLORS, 0.2))
    assert np.abs(bright - np.minimum(COLORS + 51.0, 255)).max() <= 1
    contrast = evaluate(tf.image.adjust_contrast(REAL, 2.0))
    mean = REAL.mean((0, 1))
    np.testing.assert_allclose(contrast, mean + 2 * (REAL - mean), atol=1e-5)
    gamma = evaluate(tf.image.adjust_gamma(REAL, 2, 3))
    np.testing.assert_allclose(gamma, 3 * REAL**2, atol=1e-5)
    standard = evaluate(tf.image.per_image_standardization(COLORS))
    assert abs(standard.mean()) < 1e-5 and abs(standard.std() - 1) < 1e-5
    even = evaluate(tf.image.per_image_standardization(np.full([2, 2, 1], 7.0)))
    assert even.tolist() == np.zeros([2, 2, 1]).tolist()


def test_gray_and_other_colours(evaluate):
    gray = evaluate(tf.image.rgb_to_grayscale(REAL))
    np.testing.assert_allclose(gray[..., 0], REAL @ [0.2989, 0.5870, 0.1140], atol=1e-6)
    assert evaluate(tf.image.rgb_to_grayscale(COLORS)).dtype == np.uint8
    color = evaluate(tf.image.grayscale_to_rgb(GRAY))
    assert color.tolist() == GRAY.repeat(3, -1).tolist()
    for there, back in [
        (tf.image.rgb_to_yiq, tf.image.yiq_to_rgb),
        (tf.image.rgb_to_yuv, tf.image.yuv_to_rgb),
    ]:
        np.testing.assert_allclose(evaluate(back(there(REAL))), REAL, atol=1e-4)
    white = evaluate(tf.image.rgb_to_yuv(np.ones([1, 1, 3], np.float32)))
    np.testing.assert_allclose(white, [[[1, 0, 0]]], atol=1e-6)


def test_measures_of_images(evaluate):
    assert evaluate(tf.image.total_variation(SMALL)) == 2 * (3 * 100 + 2 * 2 * 10)
    assert evaluate(tf.image.total_variation(BATCH)).tolist() == [680, 680]
    down, right = tf.image.image_gradients(BATCH)
    assert evaluate(down)[0, :, 0, 0].tolist() == [100, 0]
    assert evaluate(right)[0, 0, :, 0].tolist() == [10, 10, 0]
    np.testing.assert_allclose(
        evaluate(tf.image.psnr(np.zeros([2, 2, 1]), np.full([2, 2, 1], 0.1), 1.0)),
        20,
        atol=1e-4,
    )
    edges = evaluate(tf.image.sobel_edges(BATCH.repeat(2, 1)))
    assert edges.shape == (2, 4, 3, 2, 2)
    assert edges[0, 1, 1, 0].tolist() == [400, 80]


def test_random_colours_stay_within_their_limits(session):
    bright = tf.image.random_brightness(REAL, 0.1, seed=1)
    shifts = [(session.run(bright) - REAL).mean() for _ in range(50)]
    assert -0.1 <= min(shifts) < -0.05 and 0.05 < max(shifts) <= 0.1
    for call, message in [
        (lambda: tf.image.random_brightness(REAL, -1), "max_delta must be non-negative"),
        (lambda: tf.image.random_contrast(REAL, 2, 1), "upper must be > lower"),
        (lambda: tf.image.random_saturation(REAL, -1, 1), "lower must be non-negative"),
        (lambda: tf.image.random_hue(REAL, 0.6), "max_delta must be <= 0.5"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    for call in (tf.image.random_contrast, tf.image.random_saturation):
        assert session.run(call(REAL, 0.5, 1.5, seed=2)).shape == REAL.shape
    assert session.run(tf.image.random_hue(REAL, 0.2, seed=2)).shape == REAL.shape


def test_decode_image_reads_gifs_too(session):
    gif = bytes.fromhex(  # one pixel
        "474946383961010001008000000504040000002c00000000010001000002024401003b"
    )
    png = session.run(tf.image.encode_png(tf.constant([[[1], [2]]], tf.uint8)))
    contents = tf.placeholder(tf.string, [])
    moving = tf.image.decode_image(contents)
    still = tf.image.decode_image(contents, expand_animations=False)
    assert still.shape.ndims == 3
    assert session.run([moving, still], {contents: gif})[0].tolist() == [[[[5, 4, 4]]]]
    assert session.run(still, {contents: gif}).tolist() == [[[5, 4, 4]]]
    assert session.run(moving, {contents: png}).tolist() == [[[1], [2]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 or 3 when decoding GIF"):
        session.run(tf.image.decode_image(gif, channels=1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown format"):
        session.run(moving, {contents: b"GI"})
