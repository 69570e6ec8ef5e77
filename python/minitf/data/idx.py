"""Reads IDX files, the format of MNIST: a header of sizes, then the elements.

    00 00 TYPE RANK    four bytes
    size of each axis  four bytes each
    elements           the last axis runs fastest

All numbers are big-endian. A file may be compressed by gzip.
"""

import gzip
import math
import os
import zlib
from pathlib import Path

import numpy as np

GZIP_MAGIC = b"\x1f\x8b"
# The byte TYPE, and numpy's name of such an element in a file.
TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
MAX_RANK = 32
# What gzip can make of a byte at the very most; a size above that is not to be believed.
MAX_EXPANSION = 1040
CHUNK_BYTES = 1 << 20


class IdxError(ValueError):
    """A file is not what an IDX file must be. The text names the file."""


def _read_exactly(file: gzip.GzipFile, count: int, what: str) -> bytearray:
    """The next ``count`` bytes. No more memory is taken than there are bytes."""
    data = bytearray()
    while len(data) < count:
        part = file.read(min(CHUNK_BYTES, count - len(data)))
        if not part:
            raise IdxError(f"{what} take {count} bytes, the file ends after {len(data)}")
        data += part
    return data


def _read(file: gzip.GzipFile, limit: int) -> np.ndarray:
    """Reads one array; ``limit`` is the most bytes that the file can hold."""
    zeros, kind, rank = file.read(2), file.read(1), file.read(1)
    if zeros != b"\0\0" or not rank:
        raise IdxError(f"an IDX file starts with two zero bytes, this one with {zeros!r}")
    if kind[0] not in TYPES:
        known = ", ".join(f"0x{number:02x}" for number in TYPES)
        raise IdxError(f"element type 0x{kind[0]:02x} is none of {known}")
    if rank[0] > MAX_RANK:
        raise IdxError(f"{rank[0]} axes, more than {MAX_RANK}")

    head = _read_exactly(file, 4 * rank[0], f"the sizes of {rank[0]} axes")
    shape = tuple(int(size) for size in np.frombuffer(head, ">u4"))
    dtype = np.dtype(TYPES[kind[0]])
    count = math.prod(shape) * dtype.itemsize
    if count > limit:
        raise IdxError(
            f"shape {list(shape)} takes {count} bytes, the file has at most {limit}"
        )
    data = _read_exactly(file, count, f"elements of shape {list(shape)}")
    if file.read(1):
        raise IdxError(f"there is more after the elements of shape {list(shape)}")
    return np.frombuffer(data, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """Reads an IDX file, compressed or not, as an array of the file's shape and type.

    Raises:
        FileNotFoundError: there is no such file.
        IdxError: the file is too short, too long, damaged, or no IDX file at all.

    >>> from minitf import data
    >>> read_idx(data.MNIST_5K / "test-labels-idx1-ubyte.gz")[:12]
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1], dtype=uint8)
    """
    size = Path(path).stat().st_size
    with open(path, "rb") as raw:
        packed = raw.read(2) == GZIP_MAGIC
        raw.seek(0)
        try:
            if packed:
                with gzip.GzipFile(fileobj=raw) as file:
                    return _read(file, size * MAX_EXPANSION)
            return _read(raw, size)
        except IdxError as error:
            raise IdxError(f"{path}: {error}") from None
        except (OSError, EOFError, zlib.error) as error:
            raise IdxError(f"{path}: damaged gzip data: {error}") from error
