"""Lab 14, tasks 5 to 8: tf.train.Example on the wire."""

import struct
from typing import Any

from lab_14_input.trials import value_trial
from lab_14_input.wire_model import (
    BYTES,
    FLOATS,
    INTS,
    block,
    entry,
    example,
    field,
    read_example,
    value_list,
    varint,
)
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, case

ONE = entry(b"a", block(INTS, value_list(INTS, [7])))  # a feature, in an Example's field


def read_trial(title: str, messages: list[bytes]) -> Trial:
    """What is read of messages; None for those that are none."""
    expected = [read_example(message) for message in messages]
    title = f"{title}: {', '.join(m.hex() for m in messages)}"
    return value_trial(title[:400], "examples", {"messages": messages}, expected)


def _holding(value: bytes) -> bytes:
    """An Example with one feature, whose Feature is ``value``."""
    return block(1, entry(b"a", value))


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


# ---- 14.5 -----------------------------------------------------------------------------


@case("14.5")
def lengths_as_varints(draw):
    """Lengths of one byte and of several; with more bytes than are needed."""
    for size in (0, 1, 127, 128, 129, 300, 16_383, 16_384, 20_000):
        name = b"n" * size
        yield read_trial(f"a name of {size} bytes", [block(1, entry(name, b""))])
    for extra in range(1, 9):
        length = varint(len(ONE), extra)
        yield read_trial(f"{extra} bytes more", [field(1, 2, length) + ONE])
    for count in (9, 10, 11, 12):
        message = field(4, 0, b"\x80" * (count - 1) + b"\x01") + block(1, ONE)
        yield read_trial(f"a varint of {count} bytes", [message])
    for last in (0, 1, 2, 126, 127):
        # Of the tenth byte only the lowest bit counts.
        number = field(4, 0, b"\x85" + b"\x80" * 8 + bytes([last])) + block(1, ONE)
        length = bytes([len(ONE) | 0x80]) + b"\x80" * 8 + bytes([last])
        title = f"varints whose tenth byte is {last}"
        yield read_trial(title, [number, field(1, 2, length) + ONE])


@case("14.5")
def tags(draw):
    """No field has the number 0; a tag has 32 bits; wire types 6 and 7 are none."""
    after = block(1, ONE)
    few = (2, 15, 16, 2047, 2048, (1 << 29) - 1)
    many = (1 << 29, (1 << 29) + 9, 1 << 40, (1 << 40) + 9, (1 << 61) - 1)
    for number in few + many:
        yield read_trial(f"field {number}", [field(number, 0, b"\x05") + after])
    for tag in (b"\x00\x01", b"\x02\x00", b"\x07", b"\x80\x00\x01"):
        yield read_trial("field 0", [tag + after])
    for wire in range(8):
        values = {0: b"\x01", 1: b"12345678", 2: b"\x02ab", 5: b"1234"}
        yield read_trial(
            f"wire type {wire}", [field(9, wire, values.get(wire, b"")) + after]
        )


@case("14.5")
def messages_that_end_early(draw):
    """A message that is cut anywhere is no message, or is one without its end."""
    whole = field(9, 0, varint(1 << 60)) + field(8, 1, b"12345678") + block(7, b"abc")
    whole += field(6, 5, b"1234") + field(5, 3, block(1, b"x") + field(5, 4, b""))
    whole += block(1, ONE)
    yield read_trial("cut anywhere", [whole[:n] for n in range(len(whole) + 1)])
    for length in (len(ONE) + 1, 1 << 31, (1 << 32) + len(ONE), (1 << 64) - 1):
        message = field(1, 2, varint(length)) + ONE
        yield read_trial(f"a length of {length}", [message])
    # Whoever takes the length for a negative one finds the beginning of a field there.
    back = 13  # the bytes of the length, the tag, and two before
    for least in (1 << 64, 1 << 63):
        begin = block(8, field(7, 2, b"\x0b")) + field(9, 2, varint(least - back))
        yield read_trial(f"a length of {least - back}", [begin + block(1, ONE)])


@case("14.5")
def groups(draw):
    """A group is skipped to the end that has its number, however deep it is nested."""
    after = block(1, ONE)

    def nested(depth: int, number: int = 9) -> bytes:
        begin, end = field(number, 3, b""), field(number, 4, b"")
        return begin * depth + block(1, b"inside") + end * depth

    for depth in (1, 2, 50, 99, 100, 101, 102, 300):
        yield read_trial(f"{depth} groups, one in another", [nested(depth) + after])
    begin, end = field(9, 3, b""), field(9, 4, b"")
    for message in (
        begin + field(8, 4, b"") + end,
        begin,
        end,
        begin + end + end,
        begin + field(8, 3, b"") + end + field(8, 4, b""),
        begin + field(8, 3, b"") + field(8, 4, b"") + end,
        begin + field(1, 2, b"\x09") + end,
        begin + b"\x00" + end,
    ):
        yield read_trial("groups that end elsewhere", [message + after])


@case("14.5")
def many_unknown_fields(draw):
    """Many fields, or groups, are skipped in time proportional to their number."""
    begin, end = field(9, 3, b""), field(9, 4, b"")
    for name, skipped in (
        ("integers", field(4, 0, varint(300)) * MANY),
        ("strings", block(4, b"x") * MANY),
        ("fields in a group", begin + field(4, 5, b"1234") * MANY + end),
        ("groups in groups", begin * 90 + (begin + end) * MANY + end * 90),
    ):
        wanted = {"features": 1, "values": 1, "last": 7}
        yield long_trial(f"{MANY} {name}, and a feature", skipped + block(1, ONE), wanted)


# ---- 14.6 -----------------------------------------------------------------------------


@case("14.6")
def entries(draw):
    """Key and value in any order; of several the last counts, a missing one is empty."""
    key, value = block(1, b"name"), block(2, block(INTS, value_list(INTS, [5])))
    other, nothing = block(1, b"other"), block(2, b"")
    for parts in (
        [key, value],
        [value, key],
        [key],
        [value],
        [],
        [other, key, value],
        [key, value, other],
        [key, nothing, value],
        [key, value, nothing],
        [field(1, 0, b"\x01"), key, value, field(2, 5, b"1234")],
        [key, block(3, b"x"), value],
    ):
        message = block(1, block(1, b"".join(parts)))
        yield read_trial(f"an entry of {len(parts)} fields", [message])


@case("14.6")
def lists_of_several_kinds(draw):
    """The kind that comes last counts, from where its last run begins."""
    lists = {
        "b": block(BYTES, value_list(BYTES, [b"x"])),
        "f": block(FLOATS, value_list(FLOATS, [0.5, 2.0])),
        "i": block(INTS, value_list(INTS, [3, 4])),
        "I": block(INTS, value_list(INTS, [5])),
        "?": block(9, b"unknown"),
        "v": field(2, 0, b"\x01"),
    }
    for order in (
        "iI", "iII", "bi", "ib", "ibI", "iIbf", "fbiI", "i?I", "ivI", "?i?b?I?", "bff",
        "ifiIvI",
    ):  # fmt: skip
        message = _holding(b"".join(lists[letter] for letter in order))
        yield read_trial(f"lists {order}", [message])


@case("14.6")
def entries_and_features_that_are_broken(draw):
    """Bytes that are no field make a message none, wherever they stand in it."""
    key, one = block(1, b"name"), block(INTS, value_list(INTS, [5]))
    broken = [b"\x80", b"\x00", b"\x0a\x05ab", b"\x0f", b"\x0c", b"\x0b", b"\x4d12"]
    for bad in broken:
        for feature in (bad + one, one + bad, one + bad + one, bad):
            yield read_trial("a broken Feature", [_holding(feature)])
        for parts in (
            bad + key,
            key + bad,
            key + bad + block(2, one),
            key + block(2, one) + bad,
        ):
            yield read_trial("a broken entry", [block(1, block(1, parts))])


# Serialized with tf.train.Example of TensorFlow 2.21, deterministic=True.
BY_TENSORFLOW = [
    ([(b"a", INTS, [7])], "0a0c0a0a0a016112051a030a0107"),
    (
        [(b"n", INTS, [0, -1, 300, 2**63 - 1, -(2**63)])],
        "0a2b0a290a016e12241a220a2000ffffffffffffffffff01ac02ffffffffffffffff7f"
        "80808080808080808001",
    ),
    (
        [(b"x", FLOATS, [1.5, -0.0, float("inf")])],
        "0a170a150a01781210120e0a0c0000c03f000000800000807f",
    ),
    (
        [(b"s", BYTES, [b"x", b"", b"\x00\x80"])],
        "0a120a100a0173120b0a090a01780a000a020080",
    ),
    (
        [(b"e", BYTES, []), (b"f", FLOATS, []), (b"g", INTS, [])],
        "0a1b0a070a016512020a000a070a0166120212000a070a016712021a00",
    ),
    (
        [
            (b"a", BYTES, [b"two"]), (b"b", FLOATS, [0.25]), (b"c", INTS, [128]),
            (b"na\xc3\xafve", INTS, [1]),
        ],
        "0a3b0a0c0a016112070a050a0374776f0a0d0a0162120812060a040000803e"
        "0a0b0a016312061a040a0280010a0f0a066e61c3af766512051a030a0101",
    ),
    ([], "0a00"),
]  # fmt: skip


@case("14.6")
def examples_by_tensorflow(draw):
    """Messages that TensorFlow has written are read."""
    for features, text in BY_TENSORFLOW:
        wanted = [[name, [kind, values]] for name, kind, values in features]
        arguments = {"messages": [bytes.fromhex(text)]}
        yield value_trial(f"an Example, {text}", "examples", arguments, [wanted])


@case("14.6")
def many_pieces_and_entries(draw):
    """Many lists, and many entries, are read in time proportional to their number."""
    piece = block(INTS, value_list(INTS, [7]))
    wanted = {"features": 1, "values": MANY, "last": 7}
    yield long_trial(f"a list in {MANY} pieces", _holding(piece * MANY), wanted)
    both = block(BYTES, b"") + piece
    wanted = {"features": 1, "values": 1, "last": 7}
    yield long_trial(f"{MANY} runs of two kinds", _holding(both * MANY), wanted)
    count = MANY // 5
    wanted = {"features": count, "values": count, "last": 7}
    yield long_trial(f"{count} entries", block(1, entry(b"a", piece) * count), wanted)
    keys = block(1, block(1, block(1, b"k") * MANY + block(2, piece)))
    wanted = {"features": 1, "values": 1, "last": 7}
    yield long_trial(f"an entry of {MANY} keys", keys, wanted)


# ---- 14.7 -----------------------------------------------------------------------------

EXTREMES = [0, 1, -1, 127, 128, 16_383, 16_384, 1 << 31, 1 << 62, (1 << 63) - 1]
EXTREMES += [-(1 << 63), -2]


def _list_trial(kind: int, body: bytes, title: str) -> Trial:
    return read_trial(title, [_holding(block(kind, body))])


@case("14.7")
def integers_in_pieces(draw):
    """Packed pieces and single values between them are one list, in order."""
    for _ in range(12):
        body, values = b"", []
        for _ in range(draw.whole(1, 5)):
            part = [draw.one_of(EXTREMES) for _ in range(draw.whole(0, 3))]
            if draw.coin():
                body += block(1, b"".join(map(varint, part)))
            else:
                body += b"".join(field(1, 0, varint(value)) for value in part)
            body += draw.one_of([b"", b"", block(2, b"x"), field(1, 5, b"1234")])
            values += part
        yield _list_trial(INTS, body, f"pieces of {values}")


@case("14.7")
def integers_that_are_cut(draw):
    """A packed list that ends within a number, or has one of 11 bytes, is none."""
    for body in (
        b"\x80", b"\x01\x80", b"\xff\xff", b"\x01\x02\xac", b"\x80" * 9 + b"\x01",
        b"\x80" * 10 + b"\x01", b"\x05" + b"\x80" * 10 + b"\x01", b"\xff" * 12,
        b"\xff" * 9 + b"\x7f",
    ):  # fmt: skip
        yield _list_trial(INTS, block(1, body), f"packed {body.hex()}")
        yield _list_trial(
            INTS, block(1, b"\x07") + block(1, body), f"after 7 {body.hex()}"
        )


@case("14.7")
def floats(draw):
    """Floats, packed and one by one, also those that are no numbers."""
    inf = float("inf")
    every = [0.0, -0.0, 1.5, inf, -inf, 1e-45, 3.4e38]
    for count in (1, 2, 7):
        values = [
            struct.unpack("<f", struct.pack("<f", v))[0] for v in draw.shuffled(every)
        ][:count]
        yield _list_trial(FLOATS, value_list(FLOATS, values), f"packed {values}")
        single = b"".join(field(1, 5, struct.pack("<f", v)) for v in values)
        yield _list_trial(FLOATS, single, f"one by one {values}")
        mixed = single + block(1, b"") + value_list(FLOATS, values[::-1]) + single
        yield _list_trial(FLOATS, mixed, f"both {values}")
    for size in range(1, 12):
        body = bytes(range(1, size + 1))
        yield _list_trial(FLOATS, block(1, body), f"{size} bytes")


@case("14.7")
def other_wire_types(draw):
    """Values of another wire type are no values of the list."""
    strange = [field(1, 0, b"\x07"), field(1, 1, b"12345678"), field(1, 5, b"1234")]
    strange.append(block(1, b"\x01\x02\x03\x04"))
    for kind in (BYTES, FLOATS, INTS):
        for one in strange:
            yield _list_trial(kind, one, f"kind {kind}")
            few = {BYTES: [b"x"], FLOATS: [2.0], INTS: [9]}[kind]
            body = value_list(kind, few) + one + value_list(kind, few)
            yield _list_trial(kind, body, f"kind {kind}")


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
        yield long_trial(f"kind {kind}, packed", _holding(packed), wanted)
        wire = 0 if kind == INTS else 5
        single = block(kind, field(1, wire, few) * (MANY - 1) + field(1, wire, end))
        yield long_trial(f"kind {kind}, one by one", _holding(single), wanted)
        pieces = block(kind, block(1, few) * (MANY - 1) + block(1, end))
        yield long_trial(f"kind {kind}, in pieces of one", _holding(pieces), wanted)


# ---- 14.8 -----------------------------------------------------------------------------


def _write_trial(features: list) -> Trial:
    given = [(name.decode(), kind, values) for name, kind, values in features]
    title = f"an Example of {features}"[:300]
    return value_trial(title, "example_bytes", {"features": given}, example(features))


@case("14.8")
def written_by_tensorflow(draw):
    """An Example is, byte for byte, the one that TensorFlow has written."""
    for features, text in BY_TENSORFLOW:
        assert example(features) == bytes.fromhex(text)
        yield _write_trial(draw.shuffled(features))


@case("14.8")
def names_of_any_bytes(draw):
    """A name may have zero bytes in it, be empty, or be long."""
    for name in (b"a\x00b", b"\x00", b"", b"\x00\x00", "\u4e2d".encode(), b"n" * 200):
        yield _write_trial([(name, INTS, [1])])
        yield _write_trial([(name, BYTES, [b"\x00", b""]), (b"b" + name, FLOATS, [2.0])])


@case("14.8")
def long_values(draw):
    """Lengths that need several bytes, at each level."""
    for size in (100, 120, 127, 128, 16_384, 20_000):
        yield _write_trial([(b"a", BYTES, [b"x" * size])])
        yield _write_trial([(b"n" * size, INTS, [1])])
    yield _write_trial([(b"a", INTS, list(range(300)) + EXTREMES)])
