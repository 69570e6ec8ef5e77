"""Values in a file of memory: what passes between the judge and a worker that is timed.

Text that holds arrays would take longer to read than a kernel takes to compute. So the
bytes of arrays lie beside the text: the length of the head (8 bytes), the head (JSON as
in ``wire.py``, with a reference for each large array, and where it lies), the arrays. The
length is written last, and is 0 as long as there is nothing.
"""

import mmap
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf_lab.judge.wire import Ref, array_type, check_text, dumps, loads

ALIGNMENT = 64
INLINE = 256  # bytes of an array that stays in the head
LENGTH = 8
# What is read of a worker: bytes of the head and of all arrays, parts of the head.
MAX_HEAD, MAX_DATA, MAX_PARTS = 1 << 20, 64 << 20, 100_000


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _without_arrays(value: Any, arrays: list[np.ndarray]) -> Any:
    """``value`` with a reference in place of each large array, which is put aside."""
    if isinstance(value, np.ndarray):
        if value.nbytes <= INLINE or value.dtype.kind in "OV":
            return value
        arrays.append(np.ascontiguousarray(value))
        return Ref(f"@{len(arrays) - 1}")
    if isinstance(value, (list, tuple)):
        return type(value)(_without_arrays(part, arrays) for part in value)
    if isinstance(value, dict):
        return {key: _without_arrays(part, arrays) for key, part in value.items()}
    return value


def _with_arrays(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The reverse; each array is used once, so a value is no larger than its file."""
    if isinstance(value, Ref) and value.name.startswith("@"):
        return arrays.pop(value.name)
    if isinstance(value, (list, tuple)):
        return type(value)(_with_arrays(part, arrays) for part in value)
    if isinstance(value, dict):
        return {key: _with_arrays(part, arrays) for key, part in value.items()}
    return value


def _write_all(file: int, data: Any, offset: int) -> None:
    rest = memoryview(data).cast("B")
    while rest:
        done = os.pwrite(file, rest, offset)
        rest, offset = rest[done:], offset + done


def clear(file: int) -> None:
    """Has the file hold nothing."""
    os.pwrite(file, bytes(LENGTH), 0)


def write(file: int, value: Any) -> None:
    """Puts a value into the file.

    Raises:
        TypeError: it has a part that cannot be sent.
    """
    arrays: list[np.ndarray] = []
    plain = _without_arrays(value, arrays)
    table, end = [], 0
    for array in arrays:
        table.append([array.dtype.str, list(array.shape), end])
        end = _aligned(end + array.nbytes)
    head = dumps({"value": plain, "arrays": table}).encode()
    base = _aligned(LENGTH + len(head))
    for array, (_, _, offset) in zip(arrays, table, strict=True):
        _write_all(file, array.reshape(-1).view(np.uint8), base + offset)
    _write_all(file, head, LENGTH)
    _write_all(file, len(head).to_bytes(LENGTH, "little"), 0)


def _unpack(take: Callable[[int, int], Any]) -> Any:
    """The value of a file, of which ``take`` gives bytes.

    Raises:
        ValueError: it holds none.
    """
    length = int.from_bytes(take(0, LENGTH), "little")
    if not 0 < length <= MAX_HEAD:
        raise ValueError(f"there is no value: its head has {length} bytes")
    head = bytes(take(LENGTH, length))
    if sum(head.count(mark) for mark in b"[{,") > MAX_PARTS:
        raise ValueError("its head has too many parts")
    found = loads(head.decode(errors="replace"))
    try:
        arrays, total, base = [], 0, _aligned(LENGTH + length)
        for name, shape, offset in found["arrays"]:
            dtype = array_type(name, shape)
            size = dtype.itemsize
            for sides in shape:
                size *= sides
            total += size
            if type(offset) is not int or offset < 0 or total > MAX_DATA:
                raise ValueError("an array lies where none can be")
            data = take(base + offset, size)
            arrays.append(np.frombuffer(data, dtype).reshape(shape))
            check_text(arrays[-1])
        named = {f"@{number}": array for number, array in enumerate(arrays)}
        return _with_arrays(found["value"], named)
    except (
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
        OverflowError,
    ) as error:
        raise ValueError("its head describes no value") from error


def read(file: int) -> Any:
    """The value in the file, copied; nothing in it is trusted.

    Raises:
        ValueError: it holds none.
    """

    def take(offset: int, size: int) -> bytearray:
        data = bytearray(size)
        view, done = memoryview(data), 0
        while done < size:
            part = os.preadv(file, [view[done:]], offset + done)
            if part == 0:
                raise ValueError("an array ends before its end")
            done += part
        return data

    return _unpack(take)


def read_mapped(file: int) -> Any:
    """The value in the file, whose arrays are the memory of the file itself."""
    mapped = mmap.mmap(file, os.fstat(file).st_size)
    return _unpack(lambda offset, size: memoryview(mapped)[offset : offset + size])
