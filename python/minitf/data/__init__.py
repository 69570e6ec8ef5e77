"""Handwritten digits: 5,000 that come with minitf, and a reader for all 70,000.

    images, labels, test_images, test_labels = tf.data.mnist_5k()

Images are ``[N,28,28]`` float32 from 0 (paper) to 1 (ink), labels ``[N]`` int32.
"""

import os
from pathlib import Path

import numpy as np

from minitf.data.idx import IdxError, read_idx

__all__ = ["MNIST_5K", "IdxError", "mnist_5k", "read_idx", "read_mnist"]

MNIST_5K = Path(__file__).parent / "mnist_5k"

Digits = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _find(folder: Path, names: list[str]) -> Path:
    """The first of ``names`` that is in ``folder``, with or without ``.gz``."""
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.exists():
                return path
    raise FileNotFoundError(f"{folder} has no {names[0]}, with or without .gz")


def _read_part(folder: Path, parts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of the train or the test part."""
    image_file = _find(folder, [f"{part}-images-idx3-ubyte" for part in parts])
    label_file = _find(folder, [f"{part}-labels-idx1-ubyte" for part in parts])
    images, labels = read_idx(image_file), read_idx(label_file)
    if images.ndim != 3 or images.dtype != np.uint8:
        raise IdxError(f"{image_file}: not images: {images.dtype} {list(images.shape)}")
    if labels.shape != images.shape[:1]:
        raise IdxError(
            f"{label_file}: labels have shape {list(labels.shape)}, "
            f"{image_file.name} has {len(images)} images"
        )
    return images.astype(np.float32) / np.float32(255), labels.astype(np.int32)


def read_mnist(folder: str | os.PathLike[str]) -> Digits:
    """Reads the four files of MNIST, as they are named at their source, from ``folder``.

    Returns:
        Train images ``[N,H,W]``, train labels ``[N]``, test images and test labels.

    Raises:
        FileNotFoundError: one of the files is missing.
        IdxError: one of the files is damaged, or they do not belong together.
    """
    folder = Path(folder)
    train_images, train_labels = _read_part(folder, ["train"])
    test_images, test_labels = _read_part(folder, ["t10k", "test"])
    return train_images, train_labels, test_images, test_labels


def mnist_5k() -> Digits:
    """The digits that come with minitf: 4,000 to train on, 1,000 held out.

    Every digit is equally frequent in both parts. See mnist_5k/LICENCE.txt for their
    origin and licence.

    Returns:
        Train images ``[4000,28,28]``, train labels ``[4000]``, test images
        ``[1000,28,28]`` and test labels ``[1000]``.

    >>> images, labels, test_images, test_labels = mnist_5k()
    >>> images.shape, labels.shape, test_images.shape
    ((4000, 28, 28), (4000,), (1000, 28, 28))
    """
    return read_mnist(MNIST_5K)
