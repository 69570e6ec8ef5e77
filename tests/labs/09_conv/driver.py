"""What cases of lab 09 call: tiers of Conv2D, their pieces, and programs that use them.

A geometry is a dict of the numbers of ``conv2d_geometry.h``, called as they are there.
Nothing here knows what is expected.
"""

from typing import Any

import lab_09_driver
import numpy as np

import minitf as tf
from minitf.eager import context

Numbers = dict[str, int]


def conv(
    tier: str,
    geometry: Numbers,
    x: np.ndarray,
    w: np.ndarray,
    threads: int = 1,
    epilogue: bool = False,
    in_front: int = 0,
) -> np.ndarray:
    """The result of a tier; with an epilogue, which makes 3 y + k of each row.

    ``x`` are the images, or the last numbers of them if ``in_front`` are left out.
    """
    return lab_09_driver.conv(tier, geometry, x, w, threads, epilogue, False, in_front)[0]


def conv_again(
    tier: str,
    geometry: Numbers,
    first_x: np.ndarray,
    first_w: np.ndarray,
    x: np.ndarray,
    w: np.ndarray,
) -> np.ndarray:
    """The result of x and w, in the memory where two others have been convolved."""
    return lab_09_driver.conv_again(tier, geometry, first_x, first_w, x, w)


def bytes_left(tier: str, geometry: Numbers, x: np.ndarray, w: np.ndarray) -> int:
    """How many bytes are not given back by convolutions that are given up."""
    return lab_09_driver.bytes_left(tier, geometry, x, w)


def conv_memory(
    tier: str, geometry: Numbers, x: np.ndarray, w: np.ndarray
) -> dict[str, Any]:
    """The result with an epilogue, ``y``.

    And the most ``bytes`` that were in use, and ``rows`` that the epilogue got at once.
    """
    y, most, rows = lab_09_driver.conv(tier, geometry, x, w, 1, True, True, 0)
    return {"y": y, "bytes": most, "rows": rows}


def conv_in_threads(
    tier: str, geometry: Numbers, x: np.ndarray, w: np.ndarray, numbers: list[int]
) -> list[np.ndarray]:
    """The results for these numbers of threads."""
    return [
        lab_09_driver.conv(tier, geometry, x, w, number, False, False, 0)[0]
        for number in numbers
    ]


def patches(
    geometry: Numbers, x: np.ndarray, begin: int, end: int, in_front: int = 0
) -> np.ndarray:
    """The patches of the places [begin,end), a row each.

    ``x`` are the images, or the last of them if ``in_front`` numbers are left out.
    """
    return lab_09_driver.patches(geometry, x, begin, end, in_front)


def parts_of_patch(
    geometry: Numbers, x: np.ndarray, place: int, cuts: list[tuple[int, int]]
) -> list[np.ndarray]:
    """Of a patch, the numbers [first,last) for each of the cuts."""
    return [
        np.atleast_1d(lab_09_driver.part_of_patch(geometry, x, place, first, last))
        for first, last in cuts
    ]


def are_all_pixels(geometries: list[Numbers]) -> list[bool]:
    """Of each geometry, whether its patches are the pixels."""
    return [lab_09_driver.are_all_pixels(geometry) for geometry in geometries]


def at_a_time(geometries: list[Numbers], dtype: str) -> list[int]:
    """Of each geometry, how many patches are gathered at a time."""
    return [lab_09_driver.at_a_time(geometry, dtype) for geometry in geometries]


def rows(
    geometry: Numbers, x: np.ndarray, pieces: list[tuple[int, int]], in_front: int = 0
) -> dict[str, Any]:
    """What some rows of the result see.

    Args:
        geometry: Of the convolution.
        x: The images, or the last of them.
        pieces: Pairs, the number of an image and the first row of the result.
        in_front: How many numbers of x are left out.

    Returns:
        ``at_a_time``, how many rows of the result a copy is for; ``pieces``, into how
        many such an image is cut; ``copies``, one for each of the arguments' pieces.
    """
    pairs = [tuple(piece) for piece in pieces]
    number, count, copies = lab_09_driver.rows(geometry, x, pairs, in_front)
    copies = [np.atleast_1d(copy) for copy in copies]
    return {"at_a_time": number, "pieces": count, "copies": copies}


def choice(asked: str, usual: str, part: int, geometry: Numbers) -> str:
    """The name of the tier that is chosen.

    Args:
        asked: The tier that is asked for, or empty.
        usual: The one that MINITF_CONV names, or empty.
        part: 0 for the convolution, 1 for the gradient of the input, 2 of the filters.
        geometry: Of the convolution.
    """
    return lab_09_driver.choice(asked, usual, part, geometry)


# ---- Programs -------------------------------------------------------------------------


def conv2d(
    x: np.ndarray, w: np.ndarray, attrs: dict[str, Any], tier: str = ""
) -> np.ndarray:
    """``tf.nn.conv2d`` in a session, with a kernel of this label."""
    graph = tf.Graph()
    with graph.as_default(), graph._kernel_label_map({"Conv2D": tier}):
        y = tf.nn.conv2d(tf.constant(x), tf.constant(w), **attrs)
    with tf.Session(graph=graph) as session:
        return session.run(y)


def depthwise_conv2d(x: np.ndarray, w: np.ndarray, attrs: dict[str, Any]) -> np.ndarray:
    """``tf.nn.depthwise_conv2d``."""
    with context.entered(None):
        return tf.nn.depthwise_conv2d(tf.constant(x), tf.constant(w), **attrs).numpy()


def extract_patches(x: np.ndarray, attrs: dict[str, Any]) -> np.ndarray:
    """``tf.extract_image_patches``."""
    with context.entered(None):
        return tf.extract_image_patches(tf.constant(x), **attrs).numpy()


def input_gradient(x_shape: list[int], w: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """``tf.nn.conv2d_backprop_input`` at stride 1, padding SAME, by the chosen tier."""
    with context.entered(None):
        return tf.nn.conv2d_backprop_input(
            x_shape, tf.constant(w), tf.constant(dy), [1, 1, 1, 1], "SAME"
        ).numpy()


def network(
    x: np.ndarray, weights: list[np.ndarray], paddings: list[str], tier: str
) -> np.ndarray:
    """The network LeNet, or one like it.

    Each of the filters but the last two weights is a convolution, tanh and a pooling of
    2x2; these two are products, of which the first ends in tanh.
    """
    graph = tf.Graph()
    with graph.as_default(), graph._kernel_label_map({"Conv2D": tier}):
        y = tf.constant(x)
        for w, padding in zip(weights[:-2], paddings, strict=True):
            y = tf.tanh(tf.nn.conv2d(y, tf.constant(w), [1, 1, 1, 1], padding))
            y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        y = tf.reshape(y, [x.shape[0], -1])
        y = tf.matmul(tf.tanh(tf.matmul(y, weights[-2])), weights[-1])
    with tf.Session(graph=graph) as session:
        return session.run(y)
