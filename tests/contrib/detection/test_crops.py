"""tf.image.crop_and_resize beside a crop worked out pixel by pixel in float64."""

import numpy as np
import pytest

import minitf as tf


def positions(low, high, image_size, crop_size):
    """Where the samples of a crop lie along an axis."""
    last = image_size - 1
    if crop_size == 1:
        return [0.5 * (low + high) * last]
    step = (high - low) * last / (crop_size - 1)
    return [low * last + i * step for i in range(crop_size)]


def sample(image, y, x, method):
    """The pixel at a real-valued place, or None outside of the image."""
    rows, columns = image.shape[:2]
    if not (0 <= y <= rows - 1 and 0 <= x <= columns - 1):
        return None
    if method == "nearest":
        return image[int(np.floor(y + 0.5)), int(np.floor(x + 0.5))]
    top, left = int(np.floor(y)), int(np.floor(x))
    bottom, right = int(np.ceil(y)), int(np.ceil(x))
    upper = image[top, left] + (image[top, right] - image[top, left]) * (x - left)
    lower = image[bottom, left] + (image[bottom, right] - image[bottom, left]) * (
        x - left
    )
    return upper + (lower - upper) * (y - top)


def crops(images, boxes, numbers, size, method, outside):
    images = images.astype("float64")
    result = np.full((len(boxes), *size, images.shape[3]), outside, "float64")
    for i, ((y1, x1, y2, x2), number) in enumerate(zip(boxes, numbers, strict=True)):
        for row, y in enumerate(positions(y1, y2, images.shape[1], size[0])):
            for column, x in enumerate(positions(x1, x2, images.shape[2], size[1])):
                pixel = sample(images[number], y, x, method)
                if pixel is not None:
                    result[i, row, column] = pixel
    return result


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_random_boxes(session, method):
    pick = np.random.default_rng(1)
    types = ("float32", "float64", "float16", "uint8", "int8", "uint16", "int16", "int64")
    for dtype in types:
        images = pick.integers(0, 100, (2, *pick.integers(1, 6, 2), 3)).astype(dtype)
        boxes = pick.uniform(-0.3, 1.3, (4, 4)).round(3).astype("float32")
        numbers = pick.integers(0, 2, 4).astype("int32")
        size = [int(n) for n in pick.integers(1, 5, 2)]
        y = tf.image.crop_and_resize(images, boxes, numbers, size, method, 7.5)
        assert y.dtype == tf.float32 and y.shape.as_list() == [4, *size, 3]
        expected = crops(images, boxes, numbers, size, method, 7.5)
        np.testing.assert_allclose(session.run(y), expected, rtol=1e-4, atol=1e-3)


def test_shapes_that_only_the_step_knows(session):
    arrays = [
        np.arange(16, dtype="float32").reshape(1, 4, 4, 1),
        np.float32([[0, 0, 1, 1], [1, 1, 0, 0]]),
        np.int32([0, 0]),
        np.int32([2, 2]),
    ]
    inputs = [tf.placeholder(array.dtype) for array in arrays]
    y = tf.image.crop_and_resize(*inputs)
    assert y.shape.as_list() == [None] * 4
    found = session.run(y, dict(zip(inputs, arrays, strict=True)))
    assert found[..., 0].tolist() == [[[0, 3], [12, 15]], [[15, 12], [3, 0]]]


def test_no_boxes(session):
    y = tf.image.crop_and_resize(np.ones([1, 2, 2, 3]), np.zeros([0, 4]), [], [2, 5])
    assert session.run(y).shape == (0, 2, 5, 3)


def test_gradients_by_hand(session):
    image = tf.constant([[[[1.0], [3.0]], [[5.0], [11.0]]]])
    boxes = tf.constant([[0.25, 0.5, 0.75, 0.5]])
    y = tf.image.crop_and_resize(image, boxes, [0], [1, 1])
    assert session.run(y).item() == 5.0
    of_image, of_boxes = session.run(tf.gradients(y, [image, boxes]))
    assert of_image.ravel().tolist() == [0.25] * 4
    # The mean slope is 6 down and 4 to the right; each end moves the middle by a half.
    assert of_boxes.tolist() == [[3.0, 2.0, 3.0, 2.0]]
    integers = tf.constant([[[[1], [3]], [[5], [11]]]])
    assert tf.gradients(
        tf.image.crop_and_resize(integers, boxes, [0], [1, 1]), integers
    ) == [None]


IMAGE, BOX = np.ones([1, 2, 2, 1], np.float32), np.float32([[0, 0, 1, 1]])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((IMAGE[0], BOX, [0], [1, 1]), tf.errors.InvalidArgumentError, "4-D"),
        ((IMAGE, BOX[0], [0], [1, 1]), tf.errors.InvalidArgumentError, "boxes must"),
        ((IMAGE, BOX, [0, 0], [1, 1]), tf.errors.InvalidArgumentError, "boxes must have"),
        ((IMAGE, BOX, [0], [1, 0]), tf.errors.InvalidArgumentError, "must be positive"),
        ((IMAGE, BOX, [0], [-1, 2]), tf.errors.InvalidArgumentError, "must be positive"),
        ((IMAGE, BOX, [0], [1]), tf.errors.InvalidArgumentError, "two elements"),
        ((IMAGE[:, :0], BOX, [0], [1, 1]), tf.errors.InvalidArgumentError, "positive"),
        ((IMAGE, BOX * np.nan, [0], [1, 1]), tf.errors.InvalidArgumentError, "finite"),
        (
            (IMAGE, BOX, [1], [1, 1]),
            tf.errors.OutOfRangeError,
            r"1, which is not in \[0, 1",
        ),
        ((IMAGE, BOX, [-1], [1, 1]), tf.errors.OutOfRangeError, "box_ind has -1"),
    ],
)
def test_wrong_arguments_in_the_step(session, arguments, error, message):
    arrays = [np.asarray(argument) for argument in arguments]
    arrays[2:] = [array.astype("int32") for array in arrays[2:]]
    inputs = [tf.placeholder(array.dtype) for array in arrays]
    y = tf.image.crop_and_resize(*inputs)
    with pytest.raises(error, match=message):
        session.run(y, dict(zip(inputs, arrays, strict=True)))


def test_outlines(session):
    image = np.zeros([1, 4, 5, 3], np.float32)
    boxes = np.float32([[[0, 0.25, 0.7, 0.75], [0.5, 0.5, 0.1, 0.9], [2, 2, 3, 3]]])
    drawn = session.run(tf.image.draw_bounding_boxes(image, boxes))[0]
    yellow = (drawn == [1, 1, 0]).all(-1).astype(int).tolist()
    assert yellow == [[0, 1, 1, 1, 0], [0, 1, 0, 1, 0], [0, 1, 1, 1, 0], [0] * 5]
    drawn = tf.image.draw_bounding_boxes(image, boxes[:, :1], colors=[[0.5, 0.25, 0.125]])
    assert session.run(drawn)[0, 0, 1].tolist() == [0.5, 0.25, 0.125]
    with pytest.raises(ValueError, match="images must have 1, 3 or 4 channels, have 2"):
        tf.image.draw_bounding_boxes(image[..., :2], boxes)
