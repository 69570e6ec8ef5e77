"""Lab 14, tasks 1 to 4: checksums and record files."""

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_14_input.trials import (
    crc32c,
    file_of,
    framed,
    masked,
    packed,
    read_trial,
    reading,
    records_of,
    shown,
    some_bytes,
    value_trial,
    wrong_reading,
)
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case
from minitf_lab.judge.draw import Draw


def _long(draw: Draw, size: int) -> bytes:
    piece = some_bytes(draw, 251)
    return (piece * (size // 251 + 1))[:size]


# ---- 14.1 -----------------------------------------------------------------------------


def _checksums(title: str, pieces: list[bytes]) -> Trial:
    whole, expected = b"", []
    for piece in pieces:
        whole += piece
        expected.append(crc32c(whole))
    return value_trial(title, "checksums", {"pieces": pieces}, expected)


@case("14.1")
def lengths(draw):
    """Data of every length from 0 to 40, and longer; at first one that is well known."""
    assert crc32c(b"123456789") == 0xE3069283
    yield _checksums("the digits 1 to 9", [b"123456789"])
    for size in [*range(41), 63, 64, 65, 255, 1000]:
        yield _checksums(f"{size} bytes", [some_bytes(draw, size)])
    for size in (4096, 10_001, 65_536 + draw.whole(1, 99)):
        yield _checksums(f"{size} bytes", [_long(draw, size)])


@case("14.1")
def data_in_pieces(draw):
    """The checksum goes on where it stands, wherever data are cut."""
    yield _checksums("pieces whose checksums are all ones", [b"\xff" * 4, b"", b"more"])
    for count in (2, 2, 3, 5, 9):
        for _ in range(5):
            pieces = [some_bytes(draw, draw.whole(0, 20)) for _ in range(count)]
            sizes = [len(piece) for piece in pieces]
            yield _checksums(f"pieces of {sizes} bytes", pieces)


@case("14.1")
def data_anywhere(draw):
    """Data may begin at any address, however short they are."""
    for size in (0, 1, 2, 3, 5, 7, 8, 9, 17, 30):
        data = some_bytes(draw, size)
        arguments = {"data": data, "begins": 17}
        title = f"{size} bytes at each of 17 addresses"
        yield value_trial(title, "checksums_anywhere", arguments, [crc32c(data)] * 17)


# ---- 14.2 -----------------------------------------------------------------------------


def _written(records: list[bytes], is_late: bool = False) -> Trial:
    """Writes a file; with ``is_late`` another record after Close, which is an error."""
    wanted = file_of(records)

    def check(got: Any) -> Mismatch | str | None:
        error = got["error"]
        if is_late and (not error or error["raised"] != "FailedPreconditionError"):
            return f"the error is {error}, expected FailedPreconditionError"
        if got["file"] == wanted:
            return None
        at = 0
        while got["file"][at : at + 1] == wanted[at : at + 1]:
            at += 1
        return Mismatch(
            f"byte {at} of {len(wanted)} is the first that is wrong",
            expected=wanted[at : at + 16].hex() or "the end",
            got=got["file"][at : at + 16].hex() or "the end",
        )

    title = f"a file of records of {[len(r) for r in records]} bytes"
    return call_trial(title, check, "written", records=records, is_late=is_late)


# Written with tf.io.TFRecordWriter of TensorFlow 2.21.
BY_TENSORFLOW = [b"abc", b"", b"\x00\xff\r\n", b"TensorFlow" * 9]
FILE_BY_TENSORFLOW = bytes.fromhex(
    "0300000000000000b099490e6162636e57f121000000000000000029039807d8ea82a2"
    "04000000000000004245520400ff0d0a50d00b875a00000000000000136fb4bf"
    + b"TensorFlow".hex() * 9
    + "06402778"
)


@case("14.2")
def files_byte_for_byte(draw):
    """A file is, byte for byte, what TensorFlow writes."""
    assert file_of(BY_TENSORFLOW) == FILE_BY_TENSORFLOW
    for records in ([b"abc"], [], [b""], BY_TENSORFLOW):
        yield _written(records)
    for count in range(1, 9):
        yield _written(list(records_of(draw, count)))


@case("14.2")
def bytes_of_records(draw):
    """Bytes of all kinds: zeros, line ends, what looks like a record."""
    for record in (bytes(9), b"\n\r\n", b"\x00a\x00", framed(b"abc"), b"\xff" * 20):
        yield _written([record, record])
    for size in (255, 256, 1000, 65_535, 65_536, 70_000):
        yield _written([_long(draw, size)])


@case("14.2")
def writers_that_are_closed(draw):
    """A record after Close is an error, which the caller hears, and is not written."""
    for count in (0, 1, 3):
        yield _written(list(records_of(draw, count)), is_late=True)


# ---- 14.3 -----------------------------------------------------------------------------


@case("14.3")
def the_end_again(draw):
    """At the end every call says so, and finds what has been added to the file since."""
    for counts in ([0], [1], [3], [0, 1], [2, 1, 0, 3]):
        many = [list(records_of(draw, count)) for count in counts]
        parts = [file_of(records) for records in many]
        ends = [sum(map(len, parts[: i + 1])) for i in range(len(parts))]
        expected = [[r, ["the end"] * 2, e] for r, e in zip(many, ends, strict=True)]
        arguments = {"parts": parts, "compression": ""}
        title = f"a file that grows by {counts} records"
        yield value_trial(title, "read_after_the_end", arguments, expected)
    for compression in ("ZLIB", "GZIP"):
        records = list(records_of(draw, 3))
        data = file_of(records)
        arguments = {"parts": [packed(data, compression)], "compression": compression}
        expected = [[records, ["the end"] * 2, len(data)]]
        title = f"3 records, {compression}"
        yield value_trial(title, "read_after_the_end", arguments, expected)


def _flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@case("14.3", over=("length", "its checksum", "data", "their checksum"))
def flipped_bits(draw, part):
    """Each bit of a record that is flipped is found, and where the record begins."""
    for size in (0, 3, 11):
        before, record = framed(b"first"), framed(some_bytes(draw, size))
        first, last = {
            "length": (0, 8), "its checksum": (8, 12),
            "data": (12, 12 + size), "their checksum": (12 + size, 16 + size),
        }[part]  # fmt: skip
        data = before + record + framed(b"last")
        bits = range(8 * (len(before) + first), 8 * (len(before) + last))
        if bits:
            names = [f"bit {bit % 8} of byte {bit // 8} is flipped" for bit in bits]
            title = f"each bit of the {part} of a record of {size} bytes"
            yield read_trial(title, [_flipped(data, bit) for bit in bits], names)


@case("14.3")
def files_that_end_early(draw):
    """A file that ends within a record, wherever, is truncated."""
    for size in (0, 5):
        data = framed(b"first") + framed(some_bytes(draw, size))
        cuts = range(len(framed(b"first")), len(data))
        names = [f"the first {cut} of {len(data)} bytes" for cut in cuts]
        title = f"a record of {size} bytes that is cut anywhere"
        yield read_trial(title, [data[:cut] for cut in cuts], names)
        yield read_trial("nothing but zeros", [bytes(draw.whole(1, 40))])


@case("14.3")
def lengths_that_are_too_large(draw):
    """A length that has its checksum, and is larger than any record, is corrupted."""
    most = (1 << 31) - 1  # truncated, since it is not there
    for length in (most, most + 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        field = struct.pack("<Q", length)
        head = field + struct.pack("<I", masked(crc32c(field)))
        data = framed(b"first") + head + bytes(40)
        yield read_trial(f"a record of {length} bytes, it says", [data])


def _packed_trials(draw: Draw, compression: str) -> Iterator[Trial]:
    """Files in which zlib cannot go on: its error comes, at each call."""
    records = [_long(draw, size) for size in (10, 0, 2000)]
    whole = packed(file_of(records), compression)
    # One of which more than a buffer is right, and which ends within the record.
    numbers = np.random.default_rng(draw.whole(0, 1000))
    long = packed(framed(numbers.bytes(290_000)), compression)[:280_000]
    for data in (long, whole[:-1], whole[:40], whole[:30] + b"\xff" * 20 + whole[50:]):

        def check(got: Any) -> str | None:
            error, after = got["found"][-2:]
            texts = (*error[2:4], after[1])
            if error[1] == "DataLossError" and all("FILE; " in text for text in texts):
                return None
            return f"{shown(got['found'][-2:])} comes, expected an error at each call"

        title = f"{len(data)} packed bytes, which are not all, or not right"
        yield call_trial(title, check, "read", data=data, compression=compression)


@case("14.3", over=("ZLIB", "GZIP"))
def errors_of_the_source(draw, compression):
    """What the source throws, such as an error of zlib, passes as it is."""
    yield from _packed_trials(draw, compression)


# ---- 14.4 -----------------------------------------------------------------------------


def _pipe_trial(records: list[bytes], compression: str, sizes: list[int]) -> Trial:
    """Reads a pipe that gives pieces of these sizes, over and over."""
    data = packed(file_of(records), compression)
    arguments = {"data": data, "compression": compression, "sizes": sizes}
    title = f"records of {[len(r) for r in records]} bytes {compression}"
    title += f", of a pipe that gives {sizes} bytes"
    return value_trial(title, "read_pipe", arguments, [records, ""])


@case("14.4", over=("", "ZLIB"))
def sources_that_give_less(draw, compression):
    """A source may give fewer bytes than are asked for; only 0 is its end."""
    for sizes in ([1], [5, 11, 2], [100]):
        records = [_long(draw, size) for size in (3, 0, 40, 7)]
        yield _pipe_trial(records, compression, sizes)
    numbers = np.random.default_rng(draw.whole(0, 1000))
    for size in (1000, 300_000, 600_000):
        records = [b"first", numbers.bytes(size), b"last"]
        yield _pipe_trial(records, compression, [4096, 60_000])


def _big_trial(sizes: list[int], compression: str) -> Trial:
    """Long records, whose bytes are compared where they are made: nothing is sent."""
    arguments = {"sizes": sizes, "compression": compression}
    expected = [len(sizes), True]
    title = f"records of {sizes} bytes {compression}"
    return value_trial(title, "round_trip", arguments, expected)


@case("14.4", over=("", "ZLIB"))
def records_longer_than_the_buffer(draw, compression):
    """Records of hundreds of thousands of bytes come back as they were."""
    for sizes in ([200_000], [5, 300_000, 7], [262_132, 1, 262_144, 9], [1_500_000, 3]):
        yield _big_trial(sizes, compression)
    if compression:  # many pieces
        yield _big_trial([5_000_000, 3], compression)


@case("14.4", over=("", "ZLIB", "GZIP"))
def no_memory_for_what_is_not_there(draw, compression):
    """A record that says it is huge, in a short file, is truncated, without memory."""
    for length in (1 << 26, (1 << 31) - 1):
        field = struct.pack("<Q", length)
        head = field + struct.pack("<I", masked(crc32c(field)))
        data = framed(b"first") + head + bytes(100)
        expected = reading(data)

        def check(got: Any, expected: list = expected) -> Mismatch | str | None:
            if wrong := wrong_reading(got["found"], expected):
                return wrong
            grown = got["mib"]
            return None if grown < 48 else f"it takes {grown:.0f} MiB for a short file"

        title = f"a record of {length} bytes, it says, in a short file {compression}"
        file = packed(data, compression)
        yield call_trial(title, check, "read", data=file, compression=compression)


@case("14.4", over=("ZLIB", "GZIP"), hidden=True)
def packed_bytes_that_are_wrong(draw, compression):
    """What zlib cannot go on with is an error of the kind DataLoss, at each call."""
    yield from _packed_trials(draw, compression)
