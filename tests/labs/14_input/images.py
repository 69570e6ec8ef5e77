"""What cases of lab 14 call of images: their taps, and whole images cut and resized.

Nothing here knows what is expected.
"""

from typing import Any

import lab_14_driver
import numpy as np
from lab_14_input.coordinators import error_of

import minitf as tf
from minitf.eager import context

SAMPLINGS = {"usual": (False, False), "corners": (True, False), "half": (False, True)}
METHODS = {
    "bilinear": tf.image.resize_bilinear,
    "nearest": tf.image.resize_nearest_neighbor,
    "area": tf.image.resize_area,
    "bicubic": tf.image.resize_bicubic,
}


def taps(method: str, sizes: list[tuple[int, int]], sampling: str = "usual") -> list:
    """For each old and new size, the taps: where they begin, their places and weights.

    Of the ``nearest`` there are only places.
    """
    corners, half = SAMPLINGS[sampling]
    if method == "nearest":
        return [lab_14_driver.nearest(*pair, corners, half) for pair in sizes]
    return [lab_14_driver.taps(method, *pair, corners, half) for pair in sizes]


def resized(
    method: str, image: np.ndarray, size: list[int], sampling: str = "usual"
) -> np.ndarray:
    """Images ``[N,H,W,C]`` of another size."""
    corners, half = SAMPLINGS[sampling]
    more = {} if method == "area" else {"half_pixel_centers": half}
    with context.entered(None):
        resize = METHODS[method]
        return resize(tf.constant(image), size, align_corners=corners, **more).numpy()


def cropped(
    how: str, image: np.ndarray, bounds: list[int], mode: str = "graph"
) -> dict[str, Any]:
    """An image that is cut, or cut or padded.

    Args:
        how: ``crop`` to a box, of offsets and sides, or ``fit`` to two sides.
        image: One, or several.
        bounds: The box, or the sides.
        mode: ``graph``; ``eager``; ``unknown``: a graph that knows no sizes; ``tensors``:
            one whose bounds are fed, too; ``ranks``: one that knows no number of axes;
            ``offsets``: one that knows all but the first two bounds.

    Returns:
        The ``value`` and the static ``shape``; or the ``error``, and whether it came
        ``in`` the step.
    """
    function = {
        "crop": tf.image.crop_to_bounding_box,
        "fit": tf.image.resize_image_with_crop_or_pad,
    }[how]
    if mode == "eager":
        with context.entered(None):
            try:
                result = function(tf.constant(image), *bounds)
            except Exception as error:
                return {"error": error_of(error), "in": "step"}
            return {"value": result.numpy(), "shape": result.shape.as_list()}
    with tf.Graph().as_default(), tf.Session() as session:
        known = [None] * image.ndim if mode in ("unknown", "tensors") else image.shape
        known = None if mode == "ranks" else known
        x = tf.placeholder(image.dtype, known)
        feeds: dict[Any, Any] = {x: image}
        given: list[Any] = list(bounds)
        num_fed = {"tensors": len(bounds), "offsets": 2}.get(mode, 0)
        for i in range(num_fed):
            given[i] = tf.placeholder("int32", [])
            feeds[given[i]] = bounds[i]
        try:
            result = function(x, *given)
        except Exception as error:
            return {"error": error_of(error), "in": "graph"}
        shape = None if result.shape.ndims is None else result.shape.as_list()
        try:
            return {"value": session.run(result, feeds), "shape": shape}
        except Exception as error:
            return {"error": error_of(error), "in": "step"}
