"""tf.train.Example on the wire, in plain Python: a writer with many ways, and a reader.

The messages are those of ``minitf/io/messages/example_wire.h``. The writer makes what
other programs may make as well: values one by one or packed, fields in pieces, unknown
fields, groups, numbers with more bytes than they need.
"""

import struct
from typing import Any

from minitf_lab.judge.draw import Draw

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


class OddWriter:
    """Writes the same message in another way each time."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def _varint(self, number: int) -> bytes:
        draw = self._draw
        return varint(number, draw.whole(1, 3) if draw.coin(0.1) else 0)

    def _unknown(self, depth: int = 0) -> bytes:
        """A field with a number that no message here has, or nothing."""
        draw = self._draw
        number = draw.one_of([4, 9, 15, 16, 1000, (1 << 29) - 1])
        kinds = [
            field(number, 0, self._varint(draw.whole(0, 1 << 40))),
            field(number, 1, b"12345678"),
            block(number, b"unknown"),
            field(number, 5, b"1234"),
        ]
        if depth < 4:
            inside = b"".join(self._unknown(depth + 1) for _ in range(draw.whole(0, 2)))
            inside += block(1, b"x") if draw.coin(0.5) else b""
            kinds.append(field(number, 3, inside) + field(number, 4, b""))
        return draw.one_of(kinds)

    def _around(self, fields: list[bytes]) -> bytes:
        """Fields in their order, with unknown ones between."""
        out = b""
        for one in fields:
            out += self._unknown() if self._draw.coin(0.2) else b""
            out += one
        return out + (self._unknown() if self._draw.coin(0.2) else b"")

    def _list(self, kind: Kind, values: list[Any]) -> bytes:
        draw = self._draw
        if kind == BYTES:
            return self._around([block(1, value) for value in values])
        pieces, at = [], 0
        while at < len(values):
            count = draw.whole(1, len(values) - at)
            part = values[at : at + count]
            if draw.coin(0.5) or (kind == INTS and draw.coin(0.3)):
                if kind == FLOATS:
                    pieces += [field(1, 5, struct.pack("<f", value)) for value in part]
                else:
                    pieces += [field(1, 0, self._varint(value)) for value in part]
            elif kind == FLOATS:
                pieces.append(block(1, struct.pack(f"<{count}f", *part)))
            else:
                pieces.append(block(1, b"".join(map(self._varint, part))))
            at += count
        if not pieces and draw.coin(0.5):
            pieces.append(block(1, b""))
        return self._around(pieces)

    def feature(self, kind: Kind, values: list[Any]) -> bytes:
        """A Feature; its list may come in pieces, behind a list of another kind."""
        draw = self._draw
        fields = []
        if draw.coin(0.2):
            other = draw.one_of([k for k in (BYTES, FLOATS, INTS) if k != kind])
            few = {BYTES: [b"old"], FLOATS: [9.0], INTS: [9]}[other]
            if kind or draw.coin(0.5):
                fields.append(block(other, value_list(other, few)))
        if not kind:
            return self._around(fields)
        cut = draw.whole(0, len(values))
        parts = [values[:cut], values[cut:]] if draw.coin(0.3) else [values]
        fields += [block(kind, self._list(kind, part)) for part in parts]
        return self._around(fields)

    def entry(self, name: bytes, value: bytes) -> bytes:
        """An entry; its fields may be missing, doubled, or the other way round."""
        draw = self._draw
        fields = [block(1, name)] if name or draw.coin(0.5) else []
        fields += [block(2, value)] if value or draw.coin(0.5) else []
        if draw.coin(0.2):
            fields = fields[::-1]
        if draw.coin(0.1) and name:
            fields = [block(1, b"other"), *fields]
        return block(1, self._around(fields))

    def example(self, features: list[tuple[bytes, Kind, list[Any]]]) -> bytes:
        """An Example; its Features may come in pieces."""
        entries = [self.entry(n, self.feature(k, v)) for n, k, v in features]
        cut = self._draw.whole(0, len(entries))
        parts = [entries[:cut], entries[cut:]] if self._draw.coin(0.3) else [entries]
        return self._around([block(1, self._around(part)) for part in parts])


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


def _fields(data: bytes) -> list[tuple[int, int, Any, int, int]]:
    """The fields of a message: number, wire type, value, and where they begin and end."""
    found, at = [], 0
    while at < len(data):
        begin = at
        number, wire, at = _tag(data, at)
        value, at = _value(data, at, number, wire, 0)
        found.append((number, wire, value, begin, at))
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
            for number, wire, value, *_ in _fields(one):
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
    for number, wire, value, *_ in _fields(data):
        if wire == 2 and number <= 3:
            lists = [*lists, value] if number == kind else [value]
            kind = number
    return kind, _values(kind, lists) if kind else []


def _features(data: bytes) -> list[tuple[bytes, Any]]:
    found = []
    for number, wire, value, *_ in _fields(data):
        if (number, wire) == (1, 2):
            name, inner = _entry(value)
            found.append((name, _feature(inner)))
    return found


def _entry(data: bytes) -> tuple[bytes, bytes]:
    name = value = b""
    for number, wire, inner, *_ in _fields(data):
        if wire == 2 and number == 1:
            name = inner
        if wire == 2 and number == 2:
            value = inner
    return name, value


def read_example(data: bytes) -> list[tuple[bytes, Any]] | None:
    """The features of an Example, in order; None for other bytes."""
    try:
        found = []
        for number, wire, value, *_ in _fields(data):
            if (number, wire) == (1, 2):
                found += _features(value)
    except BrokenError:
        return None
    return found


def read_sequence(data: bytes) -> tuple[list, list] | None:
    """The features and the lists of a SequenceExample."""
    context, lists = [], []
    try:
        for number, wire, value, *_ in _fields(data):
            if (number, wire) == (1, 2):
                context += _features(value)
            if (number, wire) == (2, 2):
                for inner, kind, one, *_ in _fields(value):
                    if (inner, kind) == (1, 2):
                        name, steps = _entry(one)
                        found = [
                            _feature(step)
                            for n, w, step, *_ in _fields(steps)
                            if (n, w) == (1, 2)
                        ]
                        lists.append((name, found))
    except BrokenError:
        return None
    return context, lists


def some_features(draw: Draw, count: int) -> list[tuple[bytes, Kind, list[Any]]]:
    """Features of all kinds, with numbers of all sizes."""
    found = []
    for i in range(count):
        kind = draw.one_of([BYTES, FLOATS, INTS])
        size = draw.one_of([0, 1, 1, 2, 3, 7])
        values: list[Any] = {
            BYTES: lambda n: [
                bytes(draw.whole(0, 255) for _ in range(draw.whole(0, 9)))
                for _ in range(n)
            ],
            FLOATS: lambda n: [
                struct.unpack("<f", struct.pack("<f", v))[0]
                for v in draw.array((n,), "float32").tolist()
            ],
            INTS: lambda n: [
                draw.one_of([0, 1, -1, 127, 128, 300, 1 << 31, (1 << 63) - 1, -(1 << 63)])
                for _ in range(n)
            ],
        }[kind](size)
        name = draw.one_of([f"f{i}", f"a/b {i}", "", f"naïve{i}"]).encode()
        found.append((name, kind, values))
    return found
