"""Lab 14, tasks 5 to 7: long messages, which take time in proportion to their length."""

import struct
from typing import Any

from lab_14_input.wire_model import (
    BYTES,
    FLOATS,
    INTS,
    block,
    entry,
    field,
    value_list,
    varint,
)
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case

MANY = 100_000
SECONDS = 0.5  # it takes a hundredth of a second


def long_trial(title: str, message: bytes, wanted: dict[str, Any]) -> Trial:
    """A message of many parts: how many features and values it has, and how it ends."""

    def check(result: Any) -> Mismatch | str | None:
        got = dict(result)
        seconds = got.pop("seconds")
        if got != wanted:
            return Mismatch("what is read", expected=str(wanted), got=str(got))
        if seconds < SECONDS:
            return None
        return f"it takes {seconds:.1f} s: time in proportion to the length is far less"

    return call_trial(title, check, "long_example", message=message)


def _one(feature: bytes) -> bytes:
    """An Example with one feature."""
    return block(1, entry(b"a", feature))


@case("14.5")
def many_unknown_fields(draw):
    """Many fields, or groups, are skipped in time proportional to their number."""
    one = block(1, entry(b"a", block(INTS, value_list(INTS, [7]))))
    begin, end = field(9, 3, b""), field(9, 4, b"")
    for name, skipped in (
        ("integers", field(4, 0, varint(300)) * MANY),
        ("strings", block(4, b"x") * MANY),
        ("fields in a group", begin + field(4, 5, b"1234") * MANY + end),
        ("groups in groups", begin * 90 + (begin + end) * MANY + end * 90),
    ):
        wanted = {"features": 1, "values": 1, "last": 7}
        yield long_trial(f"{MANY} {name}, and a feature", skipped + one, wanted)


@case("14.6")
def many_pieces_and_entries(draw):
    """Many lists, and many entries, are read in time proportional to their number."""
    piece = block(INTS, value_list(INTS, [7]))
    wanted = {"features": 1, "values": MANY, "last": 7}
    yield long_trial(f"a list in {MANY} pieces", _one(piece * MANY), wanted)
    both = block(BYTES, b"") + piece
    wanted = {"features": 1, "values": 1, "last": 7}
    yield long_trial(f"{MANY} runs of two kinds", _one(both * MANY), wanted)
    count = MANY // 5
    wanted = {"features": count, "values": count, "last": 7}
    yield long_trial(f"{count} entries", block(1, entry(b"a", piece) * count), wanted)
    keys = block(1, block(1, block(1, b"k") * MANY + block(2, piece)))
    wanted = {"features": 1, "values": 1, "last": 7}
    yield long_trial(f"an entry of {MANY} keys", keys, wanted)


@case("14.7")
def many_numbers(draw):
    """Many numbers, packed or not, are read in time proportional to their number."""
    last = draw.whole(1, 100)
    wanted = {"features": 1, "values": MANY, "last": last}
    for kind, few, end in (
        (INTS, varint(1 << 40), varint(last)),
        (FLOATS, struct.pack("<f", 0.5), struct.pack("<f", last)),
    ):
        packed = block(kind, block(1, few * (MANY - 1) + end))
        yield long_trial(f"kind {kind}, packed", _one(packed), wanted)
        wire = 0 if kind == INTS else 5
        single = block(kind, field(1, wire, few) * (MANY - 1) + field(1, wire, end))
        yield long_trial(f"kind {kind}, one by one", _one(single), wanted)
        pieces = block(kind, block(1, few) * (MANY - 1) + block(1, end))
        yield long_trial(f"kind {kind}, in pieces of one", _one(pieces), wanted)
