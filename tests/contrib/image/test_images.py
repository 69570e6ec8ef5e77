"""``tf.image``: sizes, turns and colours, with the numbers of TensorFlow."""

import colorsys

import numpy as np
import pytest
from image_samples import COLORS, DECODED, GRAY, JPEG

import minitf as tf
from minitf.framework import errors

# Rows of 2, columns of 3, channels of 2: element (y, x, c) is 100 y + 10 x + c.
SMALL = (
    np.arange(2)[:, None, None] * 100 + np.arange(3)[:, None] * 10 + np.arange(2)
).astype(np.float32)
BATCH = np.stack([SMALL, SMALL + 1000])
REAL = (COLORS / 255).astype(np.float32)


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
    named = evaluate(tf.image.resize_images(COLORS, [3, 8], "nearest"))
    assert named.tolist() == near.tolist()
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
    with pytest.raises(ValueError, match="not implemented: 9"):
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


def test_patches_are_the_last_axis(evaluate):
    strides = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
    patches = tf.image.extract_image_patches(BATCH, ksizes=[1, 2, 2, 1], **strides)
    assert evaluate(patches)[0, 0, 1].tolist() == SMALL[:, 1:].ravel().tolist()
    again = tf.image.extract_image_patches(BATCH, sizes=[1, 2, 2, 1], **strides)
    assert evaluate(again).tolist() == evaluate(patches).tolist()


def test_a_random_crop_is_a_part(session):
    crop = tf.random_crop(SMALL, [1, 2, 2], seed=3)
    parts = {SMALL[y : y + 1, x : x + 2].tobytes() for y in (0, 1) for x in (0, 1)}
    seen = {session.run(crop).tobytes() for _ in range(100)}
    assert seen == parts


def test_shapes_are_known_as_far_as_sizes_are(session):
    one, batch = tf.placeholder(tf.uint8, [None, None, 3]), tf.zeros([2, 32, 10, 3])
    side = tf.placeholder(tf.int32, [])
    cases = [
        (tf.image.resize_image_with_crop_or_pad(batch, 24, 25), [2, 24, 25, 3]),
        (tf.image.resize_with_crop_or_pad(one, 24, side), [24, None, 3]),
        (tf.image.resize_image_with_pad(one, 24, 25), [24, 25, 3]),
        (tf.image.pad_to_bounding_box(one, 1, side, 24, 25), [24, 25, 3]),
        (tf.image.crop_to_bounding_box(batch, side, side, 3, 4), [2, 3, 4, 3]),
        (tf.image.crop_to_bounding_box(one, 0, 0, side, 4), [None, 4, 3]),
        (tf.image.central_crop(one, 0.5), [None, None, 3]),
        (tf.image.central_crop(batch, 0.5), [2, 16, 6, 3]),
        (
            tf.image.resize_images(batch, [16, 9], preserve_aspect_ratio=True),
            [2, 16, 5, 3],
        ),
        (tf.image.decode_and_crop_jpeg(JPEG, [0, 1, 2, 4], channels=3), [2, 4, 3]),
    ]
    feeds = {one: np.ones([20, 18, 3], np.uint8), side: 2}
    for tensor, expected in cases:
        assert tensor.shape.as_list() == expected, tensor
        assert tensor.shape.is_compatible_with(session.run(tensor, feeds).shape)
    decoded = tf.image.decode_jpeg(JPEG, channels=3)
    fixed = tf.image.resize_image_with_crop_or_pad(decoded, 24, 25)
    assert tf.train.batch([fixed], 7).shape.as_list() == [7, 24, 25, 3]


@pytest.mark.parametrize("shape", [[40, 50, 1], [None, None, 1], None])
def test_padding_rounds_down_in_float32(session, shape):
    image = tf.placeholder(tf.float32, shape)
    numbers = 1 + np.arange(2000, dtype=np.float32).reshape(40, 50, 1)
    padded = tf.image.resize_image_with_pad(image, 37, 45, method=1)
    places = np.argwhere(session.run(padded, {image: numbers}))
    assert padded.shape.as_list()[:2] == [37, 45]
    # 50 / (50 / 45) is below 45
    assert places.min(0).tolist() == [0, 0, 0] and places.max(0).tolist() == [35, 43, 0]


def test_sizes_that_are_tensors_are_checked_in_the_step(session):
    side = tf.placeholder(tf.int32, [])
    cases = [
        (tf.image.crop_to_bounding_box(SMALL, side, 0, 1, 1), 2, "height must be >= "),
        (tf.image.crop_to_bounding_box(SMALL, 0, 0, 1, side), -1, "target_width must be"),
        (
            tf.image.pad_to_bounding_box(SMALL, 0, side, 4, 4),
            2,
            "width must be <= target",
        ),
        (tf.image.resize_image_with_crop_or_pad(SMALL, side, 1), 0, "target_height must"),
    ]
    for tensor, value, message in cases:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(tensor, {side: value})
    with pytest.raises(ValueError, match=r"got \(2, 3, 2\) and \[3, 1, 1\]$"):
        tf.random_crop(SMALL, [3, 1, 1])
    with pytest.raises(ValueError, match=r"got \(2, 3, 2\) and \[1, 1\]$"):
        tf.random_crop(SMALL, [1, 1])


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


def test_an_image_of_unknown_rank_is_turned(session):
    image = tf.placeholder(tf.float32)
    cases = [
        (tf.image.flip_left_right(image), np.flip(BATCH, 2)),
        (tf.image.flip_up_down(image), np.flip(BATCH, 1)),
        (tf.image.transpose_image(image), np.swapaxes(BATCH, 1, 2)),
        (tf.image.rot90(image), np.rot90(BATCH, 1, (1, 2))),
    ]
    for tensor, expected in cases:
        assert session.run(tensor, {image: BATCH}).tolist() == expected.tolist()
        assert session.run(tensor, {image: SMALL}).tolist() == expected[0].tolist()
    flipped = tf.image.random_flip_up_down(image, seed=1)
    for given in (SMALL, BATCH):
        seen = session.run(flipped, {image: given})
        assert sorted(seen.ravel()) == sorted(given.ravel())
    cut = tf.image.crop_to_bounding_box(image, 0, 1, 2, 2)
    assert session.run(cut, {image: SMALL}).tolist() == SMALL[:, 1:].tolist()
    assert cut.shape.as_list() == [2, 2, None]
    turned = tf.image.flip_left_right(tf.image.decode_image(JPEG))
    assert session.run(turned)[0, :, 0].tolist() == DECODED[::-1]


REFUSED = {
    "flip_left_right": ([[1, 2], [3, 4]], "must be 3-D or 4-D"),
    "flip_up_down": ([1, 2], "must be 3-D or 4-D"),
    "random_flip_left_right": ([[1, 2], [3, 4]], "must be 3-D or 4-D"),
    "random_flip_up_down": ([[[[[1]]]]], "must be 3-D or 4-D"),
    "transpose_image": ([[1, 2], [3, 4]], "must be 3-D or 4-D"),
    "rot90": ([[1, 2], [3, 4]], "must be 3-D or 4-D"),
    "grayscale_to_rgb": ([[[1, 2]]], "should be size 1"),
    "per_image_standardization": ([[1, 2], [3, 4]], "at least 3-D"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_rank_fails_in_the_step(name, session):
    value, message = REFUSED[name]
    image = tf.placeholder(tf.float32)
    result = getattr(tf.image, name)(image)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(result, {image: value})
    assert session.run(result, {image: np.ones([1, 2, 3, 1])}).size in (6, 18)
    if name not in ("grayscale_to_rgb", "per_image_standardization"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be > 0"):
            session.run(result, {image: np.ones([2, 0, 3])})


def test_other_arguments_are_checked_in_the_step(session):
    a, gamma = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    alike = tf.image.psnr(a, tf.ones([2, 2, 1]), 1.0)
    assert session.run(alike, {a: np.full([2, 2, 1], 0.9)}) == pytest.approx(20, rel=1e-5)
    for value in ([[1.0, 1.0]], np.ones([1, 2, 1]), np.ones([2, 2, 3])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank|differ"):
            session.run(alike, {a: value})
    power = tf.image.adjust_gamma(a, gamma)
    assert session.run(power, {a: [0.5], gamma: 2}).tolist() == [0.25]
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
        session.run(power, {a: [0.5], gamma: -1})
    for name in ("adjust_contrast", "adjust_hue", "adjust_saturation"):
        changed = getattr(tf.image, name)(np.ones([1, 1, 3], np.float32), gamma)
        assert session.run(changed, {gamma: 0.5}).shape == (1, 1, 3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
            session.run(changed, {gamma: [0.5]})
    batch = tf.image.crop_to_bounding_box(a, 0, 0, 1, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be 3-D, as its rank"):
        session.run(batch, {a: BATCH})
    part = tf.random_crop(a, [2, 2])
    assert session.run(part, {a: np.ones([2, 3])}).shape == (2, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need value.shape >= size"):
        session.run(part, {a: np.ones([1, 3])})


def test_the_number_of_turns_may_be_fed(session):
    turns = tf.placeholder(tf.int32, [])
    turned = tf.image.rot90(BATCH, turns)
    for k in (-5, 0, 1, 2, 3, 6):
        expected = np.rot90(BATCH, k, (1, 2)).tolist()
        assert session.run(turned, {turns: k}).tolist() == expected
    with pytest.raises(ValueError, match="must have rank 0"):
        tf.image.rot90(SMALL, [1, 2])


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


def test_colors_are_three(eager):
    with pytest.raises((ValueError, errors.InvalidArgumentError)):
        tf.image.rgb_to_grayscale(np.ones([3, 3, 1], np.float32))
    gray = tf.image.rgb_to_grayscale(np.full([1, 1, 3], [10, 20, 30], np.uint8))
    assert gray.numpy().tolist() == [[[18]]]


def test_colours_are_floating_point_numbers_of_images(eager):
    with pytest.raises(TypeError, match=r"convert_image_dtype"):
        tf.image.yuv_to_rgb(np.ones([1, 1, 3], np.int32))
    with pytest.raises(ValueError, match="rank at least 3"):
        tf.image.psnr(1.0, 1.0, 1.0)
