"""Image files: JPEG, PNG and GIF, with the pixels of TensorFlow."""

import struct
import zlib

import numpy as np
import pytest
from image_samples import COLORS, DECODED, GRAY, JPEG

import minitf as tf


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
    for contents, expected in [(JPEG, True), (png, False), (b"\xff\xd8", False)]:
        assert evaluate(tf.image.is_jpeg(contents)) == expected
    real = evaluate(tf.image.decode_image(png, dtype=tf.float32))
    np.testing.assert_allclose(real, COLORS / 255, atol=1e-6)
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
    for bad in (file[:40], gif(), b"GIF89a", b""):
        with pytest.raises(tf.errors.InvalidArgumentError, match="GIF"):
            session.run(tf.image.decode_gif(bad))


@pytest.mark.parametrize("screen", [(0, 0), (1, 1), (2, 1), (7, 9), (65535, 65535)])
def test_a_gif_file_is_as_large_as_its_pictures(session, screen):
    width, height = screen
    file = gif((0, 0, [[1, 2]], None), width=width, height=height)
    expected = [[[[255, 0, 0], [0, 255, 0]]]]
    assert session.run(tf.image.decode_gif(file)).tolist() == expected
    assert session.run(tf.image.decode_image(file)).tolist() == expected


def test_the_part_of_a_picture_beyond_the_widest_and_highest_is_cut(session):
    # 3 x 1, then 1 x 2 at (2,1), then 2 x 1 at (1,5), and one that is beyond all.
    pictures = [(0, 0, [[1, 2, 3]]), (2, 1, [[1], [2]]), (2, 0, [[3, 1]]), (9, 9, [[1]])]
    file = gif(*((*picture, None) for picture in pictures), width=1, height=1)
    frames = session.run(tf.image.decode_gif(file))
    red, green, blue, black = [255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]
    first = [[red, green, blue], [black, black, black]]
    second = [[red, green, blue], [black, black, red]]
    assert frames.tolist() == [first, second, second, second]


def test_a_gif_file_without_colors_is_refused(session):
    file = bytearray(gif((0, 0, [[0]], 0)))
    file[10] = 0  # no table; its bytes are left out
    file = bytes(file[:13] + file[25:])
    with pytest.raises(tf.errors.InvalidArgumentError, match="no table of colours"):
        session.run(tf.image.decode_gif(file))


@pytest.mark.parametrize("header_bytes", [40, 52, 56, 108, 124])
@pytest.mark.parametrize("compression", [0, 3, 6])
@pytest.mark.parametrize("is_top_down", [False, True])
def test_a_bmp_file_with_masks_of_colors(session, header_bytes, compression, is_top_down):
    pixels = np.arange(24, dtype=np.uint8).reshape(3, 2, 4)  # red, green, blue, opacity
    rows = pixels if is_top_down else pixels[::-1]
    data = rows[:, :, [2, 1, 0, 3]].tobytes()
    masks = struct.pack("<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    sizes = (2, -3 if is_top_down else 3, 1, 32, compression, len(data))
    header = struct.pack("<IiiHHIIiiII", header_bytes, *sizes, 2835, 2835, 0, 0) + masks
    header = header.ljust(max(header_bytes, 56), b"\0")
    start = 14 + len(header)
    file = b"BM" + struct.pack("<IHHI", start + len(data), 0, 0, start) + header + data
    for channels in (0, 4):
        image = session.run(tf.image.decode_bmp(file, channels=channels))
        assert image.tolist() == pixels.tolist()
    assert session.run(tf.image.decode_image(file)).tolist() == pixels.tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="channels attribute 3"):
        session.run(tf.image.decode_bmp(file, channels=3))


def test_a_bmp_file_that_is_compressed_is_refused(session):
    for bits, compression in [(8, 1), (8, 6), (24, 6), (24, 4), (32, 5), (24, 11)]:
        fields = (40, 1, 1, 1, bits, compression, 4, 0, 0, 0, 0)
        file = struct.pack("<2sIHHI", b"BM", 58, 0, 0, 54)
        file += struct.pack("<IiiHHIIiiII", *fields) + bytes(4)
        message = f"the compression is {compression} at {bits} bits"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(tf.image.decode_bmp(file))


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
