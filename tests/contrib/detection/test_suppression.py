"""Non-maximum suppression beside the rule written down in Python."""

import numpy as np
import pytest

import minitf as tf


def overlap(a, b):
    """The intersection of two boxes over their union."""

    def sides(box):
        return min(box[0], box[2]), min(box[1], box[3]), *np.maximum(box[:2], box[2:])

    top, left, bottom, right = sides(a)
    other = sides(b)
    areas = (bottom - top) * (right - left), (other[2] - other[0]) * (other[3] - other[1])
    if min(areas) <= 0:
        return 0.0
    height = max(0.0, min(bottom, other[2]) - max(top, other[0]))
    width = max(0.0, min(right, other[3]) - max(left, other[1]))
    return height * width / (sum(areas) - height * width)


def hard(overlaps, scores, most, threshold, lowest):
    """The boxes that no box of a higher score overlaps too much."""
    selected = []
    for i in np.argsort(-scores, kind="stable"):
        near = any(overlaps[i][j] > threshold for j in selected)
        if scores[i] > lowest and not near and len(selected) < most:
            selected.append(int(i))
    return selected


def soft(overlaps, scores, most, lowest, sigma):
    """The box of the highest score lowers those of all others, again and again."""
    scores, selected = scores.astype("float64"), []
    left = set(range(len(scores)))
    while left and len(selected) < most:
        best = max(left, key=lambda i: (scores[i], -i))
        left.remove(best)
        if scores[best] <= lowest:
            break
        selected.append((best, scores[best]))
        for i in left:
            scores[i] *= np.exp(-(overlaps[i][best] ** 2) / (2 * sigma))
    return selected


def random_boxes(pick, count):
    boxes = pick.uniform(0, 1, (count, 4)).round(2).astype("float32")
    boxes[::3] = boxes[0] + pick.uniform(0, 0.1, boxes[::3].shape).round(2)
    scores = pick.choice(20, count, replace=count > 20).astype("float32") / 20
    return boxes, scores, [[overlap(a, b) for b in boxes] for a in boxes]


def test_random_boxes(session):
    pick = np.random.default_rng(3)
    for _ in range(60):
        boxes, scores, overlaps = random_boxes(pick, pick.integers(1, 15))
        most, lowest = int(pick.integers(0, 9)), float(pick.choice((-np.inf, 0.3)))
        threshold = float(pick.choice((0.0, 0.15, 0.35, 0.65, 1.0)))
        limits = (most, threshold, lowest)
        expected = hard(overlaps, scores, *limits)
        found = tf.image.non_max_suppression(boxes, scores, *limits)
        assert session.run(found).tolist() == expected
        found = tf.image.non_max_suppression_overlaps(
            np.float32(overlaps), scores, *limits
        )
        assert session.run(found).tolist() == expected
        found = tf.image.non_max_suppression_padded(boxes, scores, *limits, True)
        indices, count = session.run(found)
        assert indices.tolist() == expected + [0] * (most - len(expected))
        assert count == len(expected)
        found = tf.image.non_max_suppression_with_scores(boxes, scores, *limits)
        indices, chosen = session.run(found)
        assert indices.tolist() == expected
        assert chosen.tolist() == scores[expected].tolist()


def test_random_boxes_by_soft_suppression(session):
    pick = np.random.default_rng(4)
    for _ in range(60):
        boxes, _, overlaps = random_boxes(pick, pick.integers(1, 15))
        scores = pick.permutation(len(boxes)).astype("float32") / 20 + 0.1
        most, lowest, sigma = (
            int(pick.integers(0, 9)),
            float(pick.choice((0.0, 0.25))),
            0.3,
        )
        found = tf.image.non_max_suppression_with_scores(
            boxes, scores, most, 0.5, lowest, sigma
        )
        indices, chosen = session.run(found)
        expected = soft(overlaps, scores, most, lowest, sigma)
        assert indices.tolist() == [i for i, _ in expected]
        np.testing.assert_allclose(chosen, [score for _, score in expected], rtol=1e-5)


def test_half_precision_and_unknown_shapes(session):
    boxes = np.float16([[0, 0, 1, 1], [0, 0, 1, 0.9], [1, 1, 0.5, 0.5]])
    inputs = [tf.placeholder(tf.float16) for _ in "ab"]
    feed = dict(zip(inputs, (boxes, np.float16([0.5, 0.75, 0.25])), strict=True))
    found = tf.image.non_max_suppression(*inputs, 3)
    assert session.run(found, feed).tolist() == [1, 2]
    found = tf.image.non_max_suppression_with_scores(*inputs, 3)
    assert session.run(found, feed)[1].tolist() == [0.75, 0.25]


def test_static_shapes():
    boxes, scores = np.zeros([5, 4], np.float32), np.zeros(5, np.float32)
    assert tf.image.non_max_suppression(boxes, scores, 3).shape.as_list() == [None]
    padded, count = tf.image.non_max_suppression_padded(
        boxes, scores, 3, pad_to_max_output_size=True
    )
    assert (padded.shape.as_list(), count.shape.as_list()) == ([3], [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros([2, 3]), [1, 2], 1), r"boxes must have shape \[2,4\]"),
        ((np.zeros([3, 4]), [1, 2], 1), r"boxes must have shape \[2,4\]"),
        ((np.zeros([2, 4]), [[1, 2]], 1), "scores"),
        ((np.zeros([2, 4]), [1, 2], [1]), "max_output_size|rank 0"),
        ((np.zeros([2, 4]), [1, 2], -1), "max_output_size must not be negative, is -1"),
        (
            (np.zeros([2, 4]), [1, 2], 1, 1.5),
            r"iou_threshold must be in \[0, 1\], is 1.5",
        ),
        ((np.zeros([2, 4]), [1, 2], 1, np.nan), "iou_threshold must be in"),
    ],
)
def test_wrong_arguments_in_the_step(session, arguments, message):
    arrays = [np.asarray(argument) for argument in arguments]
    types = ("float32", "float32", "int32", "float32")
    inputs = [tf.placeholder(dtype) for dtype in types[: len(arrays)]]
    found = tf.image.non_max_suppression(*inputs)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(found, dict(zip(inputs, arrays, strict=True)))


def test_a_negative_sigma(session):
    found = tf.image.non_max_suppression_with_scores(
        np.zeros([1, 4], np.float32), [1.0], 1, soft_nms_sigma=-1.0
    )
    message = "soft_nms_sigma must not be negative, is -1"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(found)
