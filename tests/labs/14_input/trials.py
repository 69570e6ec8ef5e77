"""What trials of lab 14 are made of: records and checksums in plain Python."""

import re
import struct
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from lab_common.checks import call_trial, within

from minitf_lab.judge.case import Mismatch, Trial
from minitf_lab.judge.draw import Draw


def _eight_steps(rest: int) -> int:
    for _ in range(8):
        rest = (rest >> 1) ^ (0x82F63B78 if rest & 1 else 0)
    return rest


_RESTS = [_eight_steps(byte) for byte in range(256)]


def crc32c(data: bytes) -> int:
    """The checksum, byte by byte.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    rest = 0xFFFFFFFF
    for byte in data:
        rest = (rest >> 8) ^ _RESTS[(rest ^ byte) & 0xFF]
    return rest ^ 0xFFFFFFFF


def masked(crc: int) -> int:
    """What is stored for a checksum."""
    turned = (crc >> 15 | crc << 17) & 0xFFFFFFFF
    return (turned + 0xA282EAD8) & 0xFFFFFFFF


def framed(record: bytes) -> bytes:
    """A record as it stands in a file.

    >>> framed(b"abc").hex()
    '0300000000000000b099490e6162636e57f121'
    """
    length = struct.pack("<Q", len(record))
    head = length + struct.pack("<I", masked(crc32c(length)))
    return head + record + struct.pack("<I", masked(crc32c(record)))


def file_of(records: list[bytes]) -> bytes:
    """A whole file."""
    return b"".join(map(framed, records))


def packed(data: bytes, compression: str) -> bytes:
    """A file as it is compressed."""
    if not compression:
        return data
    bits = 31 if compression == "GZIP" else 15
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(data) + packer.flush()


def some_bytes(draw: Draw, size: int) -> bytes:
    """Bytes of all kinds; a few are all alike."""
    if draw.coin(0.2):
        return bytes([draw.one_of([0, 1, 127, 128, 255])]) * size
    return bytes(draw.whole(0, 255) for _ in range(size))


def shown(data: Any) -> str:
    """Bytes, or what has bytes in it, for a report."""
    text = data.hex() if isinstance(data, bytes) else str(data)
    return text if len(text) <= 200 else f"{text[:160]}... ({len(text)} characters)"


def value_trial(
    title: str, function: str, arguments: dict[str, Any], expected: Any
) -> Trial:
    """A call whose value is plain data."""

    def check(value: Any) -> Mismatch | None:
        got, wanted = _as_lists(value), _as_lists(expected)
        if got == wanted:
            return None
        message = "wrong"
        if isinstance(got, list) and isinstance(wanted, list):
            message = f"there are {len(got)} values, expected {len(wanted)}"
            for i, (one, other) in enumerate(zip(got, wanted, strict=False)):
                if one != other:
                    message, got, wanted = f"value {i} is wrong", one, other
                    break
        return Mismatch(message, expected=shown(wanted), got=shown(got))

    return call_trial(title, check, function, **arguments)


def _as_lists(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_as_lists(part) for part in value]
    return value


# ---- Reading --------------------------------------------------------------------------


def reading(data: bytes) -> list[list[Any]]:
    """What the driver's ``read`` must find in a file that is not compressed.

    A record that is wrong in part is ``corrupted``; one that the file's end cuts off is
    ``truncated``. The reader can go on behind data that are wrong: once, and after that
    ``SkipCorrupted`` returns False, as always where there is no way on.
    """
    found: list[list[Any]] = []
    at = 0
    while at < len(data):
        problem, end = "", -1
        head = data[at : at + 12]
        length = int.from_bytes(head[:8], "little")
        if len(head) < 12:
            problem = "truncated"
        elif head[8:] != struct.pack("<I", masked(crc32c(head[:8]))) or length >> 31:
            problem = "corrupted"
        elif at + 16 + length > len(data):
            problem = "truncated"
        else:
            end = at + 16 + length
            record, foot = data[at + 12 : end - 4], data[end - 4 : end]
            if struct.unpack("<I", foot)[0] != masked(crc32c(record)):
                problem = "corrupted"
        if not problem:
            found.append([record, end])
            at = end
            continue
        text = f"{problem} at {at}"
        found.append(["error", "DataLossError", text, text, at])
        if end < 0:
            return [*found, ["no way on", text, False, at]]
        at = end
        found.append(["way on", at, False])
    return [*found, ["end", at, False]]


def _in_short(value: Any) -> Any:
    """An error's text, without all but what is wrong and where; other values as is."""
    if isinstance(value, str) and (match := _ERROR.search(value)):
        return f"{match[1]} at {match[2]}"
    return value


_ERROR = re.compile(r"(corrupted|truncated).* at (\d+) ")


def wrong_reading(got: Any, expected: list[list[Any]]) -> Mismatch | None:
    """What is wrong with a list of what was read."""
    short = [[*map(_in_short, one)] for one in got]
    for i, (one, other) in enumerate(zip_longest(short, expected)):
        if one != other:
            message = f"what is read as number {i} is wrong"
            return Mismatch(message, expected=shown(other), got=shown(one))
    return None


def read_trial(title: str, files: list[bytes], names: list[str] | None = None) -> Trial:
    """Reads files, which may have names in reports, beyond bad records."""
    expected = [*map(reading, files)]

    def check(result: Any) -> Mismatch | str | None:
        for got, one, name in zip(result, expected, names or [title], strict=True):
            if wrong := wrong_reading(got, one):
                return within(name, wrong)
        return None

    return call_trial(title, check, "read_many", files=files)


def records_of(draw: Draw, count: int, longest: int = 40) -> Iterator[bytes]:
    """Records of many lengths, some of them empty."""
    for _ in range(count):
        yield some_bytes(draw, 0 if draw.coin(0.15) else draw.whole(1, longest))
