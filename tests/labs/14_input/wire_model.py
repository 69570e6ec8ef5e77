"""tf.train.Example on the wire, in plain Python: parts of messages, and a reader.

The messages are those of ``minitf/io/messages/example_wire.h``.
"""

import struct
from typing import Any

Kind = int  # 1 bytes, 2 floats, 3 integers, 0 none
BYTES, FLOATS, INTS = 1, 2, 3


# ---- Writing --------------------------------------------------------------------------


def varint(number: int, extra: int = 0) -> bytes:
    """Seven bits a byte, the lowest first, with some bytes more than are needed.

    >>> varint(300).hex(), varint(1, 2).hex()
    ('ac02', '818000')
    """
    number &= (1 << 64) - 1
    out = []
    while True:
        out.append(number & 0x7F)
        number >>= 7
        if not number:
            break
    out += [0] * min(extra, 10 - len(out))
    return bytes([byte | 0x80 for byte in out[:-1]] + out[-1:])


def field(number: int, wire: int, value: bytes) -> bytes:
    """A tag and a value."""
    return varint(number << 3 | wire) + value


def block(number: int, value: bytes) -> bytes:
    """A field with a length."""
    return field(number, 2, varint(len(value)) + value)


def value_list(kind: Kind, values: list[Any]) -> bytes:
    """A list as protocol buffers write it: numbers packed."""
    if kind == BYTES:
        return b"".join(block(1, value) for value in values)
    if not values:
        return b""
    if kind == FLOATS:
        return block(1, struct.pack(f"<{len(values)}f", *values))
    return block(1, b"".join(map(varint, values)))


def entry(name: bytes, value: bytes) -> bytes:
    """An entry of a map, with its tag."""
    return block(1, block(1, name) + block(2, value))


def example(features: list[tuple[bytes, Kind, list[Any]]]) -> bytes:
    """An Example as minitf writes it: in the order of names, all of it packed."""
    entries = [
        entry(name, block(kind, value_list(kind, values)))
        for name, kind, values in sorted(features)
    ]
    return block(1, b"".join(entries))


# ---- Reading --------------------------------------------------------------------------


class BrokenError(Exception):
    """The bytes are no message."""


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for i in range(10):
        if at >= len(data):
            raise BrokenError
        number |= (data[at] & 0x7F) << (7 * i)
        at += 1
        if data[at - 1] < 0x80:
            return number & ((1 << 64) - 1), at
    raise BrokenError


def _fields(data: bytes) -> list[tuple[int, int, Any]]:
    """The fields of a message: number, wire type, value."""
    found, at = [], 0
    while at < len(data):
        number, wire, at = _tag(data, at)
        value, at = _value(data, at, number, wire, 0)
        found.append((number, wire, value))
    return found


def _tag(data: bytes, at: int) -> tuple[int, int, int]:
    tag, at = _varint(data, at)
    if tag >> 32 or not tag >> 3:
        raise BrokenError
    return tag >> 3, tag & 7, at


def _value(data: bytes, at: int, number: int, wire: int, depth: int) -> tuple[Any, int]:
    if wire == 0:
        return _varint(data, at)
    if wire in (1, 5):
        size = 8 if wire == 1 else 4
    elif wire == 2:
        size, at = _varint(data, at)
    elif wire == 3:
        if depth >= 100:
            raise BrokenError
        while True:
            inner, kind, at = _tag(data, at)
            if kind == 4:
                if inner != number:
                    raise BrokenError
                return None, at
            _, at = _value(data, at, inner, kind, depth + 1)
    else:
        raise BrokenError
    if size > len(data) - at:
        raise BrokenError
    return data[at : at + size], at + size


def _values(kind: Kind, lists: list[bytes]) -> list[Any] | None:
    """The values of lists; None if they make no sense."""
    found: list[Any] = []
    try:
        for one in lists:
            for number, wire, value in _fields(one):
                if number != 1:
                    continue
                if kind == BYTES and wire == 2:
                    found.append(value)
                elif kind == FLOATS and wire in (2, 5):
                    if len(value) % 4:
                        raise BrokenError
                    found += struct.unpack(f"<{len(value) // 4}f", value)
                elif kind == INTS and wire == 0:
                    found.append(_signed(value))
                elif kind == INTS and wire == 2:
                    at = 0
                    while at < len(value):
                        number, at = _varint(value, at)
                        found.append(_signed(number))
    except BrokenError:
        return None
    return found


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _feature(data: bytes) -> tuple[Kind, list[Any] | None]:
    kind, lists = 0, []
    for number, wire, value in _fields(data):
        if wire == 2 and number <= 3:
            lists = [*lists, value] if number == kind else [value]
            kind = number
    return kind, _values(kind, lists) if kind else []


def _entry(data: bytes) -> tuple[bytes, bytes]:
    name = value = b""
    for number, wire, inner in _fields(data):
        if wire == 2 and number == 1:
            name = inner
        if wire == 2 and number == 2:
            value = inner
    return name, value


def read_example(data: bytes) -> list[tuple[bytes, Any]] | None:
    """The features of an Example, in order; None for other bytes."""
    found = []
    try:
        for features in _blocks(data):
            for one in _blocks(features):
                name, value = _entry(one)
                found.append((name, _feature(value)))
    except BrokenError:
        return None
    return found


def _blocks(data: bytes) -> list[bytes]:
    """The fields of a message that have the number 1 and a length."""
    return [value for number, wire, value in _fields(data) if (number, wire) == (1, 2)]
