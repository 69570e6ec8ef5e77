"""Images of other sizes, as TensorFlow makes them.

What TensorFlow 2.21 (``compat.v1``) gives is in ``golden_images.json``. With a Python
that has TensorFlow, this writes it:

    python tests/labs/14_input/golden_images.py
"""

import json
import pathlib
from typing import Any

import numpy as np

GOLDEN = pathlib.Path(__file__).with_name("golden_images.json")
METHODS = {
    "bilinear": ("usual", "corners", "half"),
    "nearest": ("usual", "corners", "half"),
    "area": ("usual", "corners"),
    "bicubic": ("usual", "corners", "half"),
}
SIZES = [
    ((4, 6), (2, 3)), ((4, 6), (8, 12)), ((5, 7), (3, 11)), ((3, 3), (5, 1)),
    ((1, 9), (4, 4)), ((7, 10), (7, 3)),
]  # fmt: skip


def image(sides: tuple[int, int]) -> np.ndarray:
    """Numbers ``[1,H,W,2]`` without an order, which all types of floats have."""
    numbers = np.arange(sides[0] * sides[1] * 2) * 37 % 101
    return numbers.reshape(1, *sides, 2).astype(np.float32)


def _resized(tf: Any, method: str, sampling: str) -> list[Any]:
    names = {
        "bilinear": "resize_bilinear",
        "nearest": "resize_nearest_neighbor",
        "area": "resize_area",
        "bicubic": "resize_bicubic",
    }
    more = {} if method == "area" else {"half_pixel_centers": sampling == "half"}
    resize = getattr(tf.image, names[method])
    corners = sampling == "corners"
    images = [
        resize(image(old), new, align_corners=corners, **more).numpy()
        for old, new in SIZES
    ]
    return [np.round(np.float64(resized), 4).tolist() for resized in images]


def write_golden() -> None:
    """Resizes all images with TensorFlow."""
    import tensorflow.compat.v1 as tf

    lines = [
        f'"{method} {sampling}": {json.dumps(_resized(tf, method, sampling))}'
        for method, samplings in METHODS.items()
        for sampling in samplings
    ]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write_golden()
