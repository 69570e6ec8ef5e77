"""What trials of lab 14 are made of: records and checksums in plain Python."""

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from lab_common.checks import call_trial, within

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial
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

    def check(values: list[Any]) -> Mismatch | None:
        got = _as_lists(values[0])
        wanted = _as_lists(expected)
        if got == wanted:
            return None
        if isinstance(got, list) and isinstance(wanted, list):
            for i, (one, other) in enumerate(zip(got, wanted, strict=False)):
                if one != other:
                    message = f"value {i} is wrong"
                    return Mismatch(message, expected=shown(other), got=shown(one))
            message = f"there are {len(got)} values, expected {len(wanted)}"
            return Mismatch(message, expected=shown(wanted), got=shown(got))
        return Mismatch("wrong", expected=shown(wanted), got=shown(got))

    return Trial(title, [Call(function, arguments)], check)


def _as_lists(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_as_lists(part) for part in value]
    return value


# ---- Reading --------------------------------------------------------------------------


def reading(data: bytes, goes_on: bool = False) -> list[Any]:
    """What the driver's ``read`` must find in a file that is not compressed.

    A record that is wrong in part is ``corrupted``; one that the file's end cuts off is
    ``truncated``. The reader can go on behind data that are wrong: once, and after that
    ``SkipCorrupted`` returns False, as always where there is no way on.
    """
    found: list[Any] = []
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
            found.append((record, end))
            at = end
            continue
        text = f"{problem} record at {at} in FILE"
        found.append(("error", "DataLossError", text, text, at))
        if not goes_on:
            return found
        if end < 0:
            return [*found, ("no way on", text, False, at)]
        at = end
        found.append(("way on", at, False))
    return [*found, ("end", at, False)]


def _same_kind(got: Any, expected: Any) -> bool:
    """Whether one thing that was read is what was expected; errors by words."""
    if expected[0] == "no way on" and len(got) == 4:
        what, where = expected[1].split()[0], f"at {expected[3]} "
        is_right = what in got[1] and where in got[1]
        return (
            is_right and list(got[::2]) == list(expected[::2]) and got[3] == expected[3]
        )
    if expected[0] != "error":
        return list(got) == list(expected)
    if len(got) != len(expected) or got[0] != "error" or got[1] != expected[1]:
        return False
    what, where = expected[2].split()[0], f"at {expected[4]} "
    return all(what in text and where in text for text in got[2:4]) and (
        got[4] == expected[4]
    )


def wrong_reading(got: Any, expected: list[Any]) -> Mismatch | str | None:
    """What is wrong with a list of what was read."""
    for i, (one, other) in enumerate(zip(got, expected, strict=False)):
        if not _same_kind(one, other):
            return Mismatch(
                f"what is read as number {i} is wrong",
                expected=shown(other),
                got=shown(one),
            )
    if len(got) != len(expected):
        return f"{len(got)} things are read, expected {len(expected)}: {shown(got)}"
    return None


def read_trial(
    title: str, data: bytes, *, compression: str = "", goes_on: bool = False
) -> Trial:
    """Reads a file of these bytes, which are compressed first."""
    expected = reading(data, goes_on)

    def check(got: Any) -> Mismatch | str | None:
        return wrong_reading(got, expected)

    return call_trial(
        title, check, "read", data=packed(data, compression), compression=compression,
        goes_on=goes_on,
    )  # fmt: skip


def read_many_trial(title: str, files: list[bytes], names: list[str]) -> Trial:
    """Reads many files, which have names in reports, beyond bad records."""
    expected = [reading(data, goes_on=True) for data in files]

    def check(result: Any) -> Mismatch | str | None:
        for got, one, name in zip(result, expected, names, strict=True):
            if wrong := wrong_reading(got, one):
                return within(name, wrong)
        return None

    return call_trial(title, check, "read_many", files=files)


def records_of(draw: Draw, count: int, longest: int = 40) -> Iterator[bytes]:
    """Records of many lengths, some of them empty."""
    for _ in range(count):
        yield some_bytes(draw, 0 if draw.coin(0.15) else draw.whole(1, longest))


def raised(got: Any) -> dict[str, str] | None:
    """The error that came back, if one did."""
    if isinstance(got, Raised):
        return {"raised": got.type, "text": got.message}
    return got if isinstance(got, dict) and "raised" in got else None
