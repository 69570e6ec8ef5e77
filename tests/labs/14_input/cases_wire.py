"""Lab 14, tasks 5 to 8: tf.train.Example on the wire."""

from collections.abc import Iterator
from typing import Any

from lab_14_input.trials import value_trial
from lab_14_input.wire_model import (
    BYTES,
    FLOATS,
    INTS,
    OddWriter,
    block,
    entry,
    example,
    field,
    read_example,
    read_sequence,
    some_features,
    value_list,
    varint,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

ONE = entry(b"a", block(INTS, value_list(INTS, [7])))  # a feature, in an Example's field


def read_trial(title: str, messages: list[bytes], *, is_sequence: bool = False) -> Trial:
    """What is read of messages; None for those that are none."""
    function = read_sequence if is_sequence else read_example
    expected = [function(message) for message in messages]
    arguments: dict[str, Any] = {"messages": messages}
    if is_sequence:
        arguments["is_sequence"] = True
    title = f"{title}: {', '.join(m.hex() for m in messages)}"
    return value_trial(title[:400], "examples", arguments, expected)


def _holding(value: bytes) -> bytes:
    """An Example with one feature, whose Feature is ``value``."""
    return block(1, entry(b"a", value))


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


@case("14.5", over=range(2))
def unknown_fields(draw, _part):
    """Fields with other numbers, of all wire types, are skipped anywhere."""
    for count in range(12):
        writer = OddWriter(draw)
        features = some_features(draw, 1 + count % 3)
        yield read_trial("a message of another program", [writer.example(features)])


def _damaged(draw: Draw, message: bytes) -> bytes:
    changed = bytearray(message)
    for _ in range(draw.whole(1, 2)):
        if changed:
            changed[draw.whole(0, len(changed) - 1)] ^= 1 << draw.whole(0, 7)
    return bytes(changed)


def damaged_trials(draw: Draw, count: int) -> Iterator[Trial]:
    """Messages with wrong bits, several in a trial."""
    for _ in range(count):
        writer = OddWriter(draw)
        messages = [
            _damaged(draw, writer.example(some_features(draw, draw.whole(1, 3))))
            for _ in range(8)
        ]
        yield read_trial("messages with wrong bits", messages)


@case("14.5", hidden=True)
def wrong_bits(draw):
    """Any bits may be wrong: nothing is read that is not there."""
    yield from damaged_trials(draw, 12)


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
def kinds_of_features(draw):
    """Bytes, floats or integers; a Feature without a list is of no kind."""
    for kind, values in ((BYTES, [b"x", b""]), (FLOATS, [1.5]), (INTS, [-1, 300])):
        for chosen in (values, values[:1], []):
            feature = block(kind, value_list(kind, chosen))
            yield read_trial(f"kind {kind}", [_holding(feature)])
    for feature in (b"", block(4, b"x"), field(1, 0, b"\x01"), field(3, 0, b"\x07")):
        yield read_trial("no kind", [_holding(feature)])


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
def names_that_come_twice(draw):
    """Every entry is there, in the order in which they were written."""
    for count in (2, 3, 5):
        features = some_features(draw, count)
        features += [features[0], (features[0][0], INTS, [1])]
        message = block(
            1,
            b"".join(entry(n, block(k, value_list(k, v))) for n, k, v in features),
        )
        yield read_trial("names twice", [message])


@case("14.6")
def sequences(draw):
    """A SequenceExample's lists have a Feature for each step, in order."""
    for count in (0, 1, 3):
        steps = [
            block(1, block(k, value_list(k, v))) for _, k, v in some_features(draw, count)
        ]
        one = block(1, block(1, b"list") + block(2, b"".join(steps)))
        context = block(1, ONE)
        yield read_trial("lists", [context + block(2, one)], is_sequence=True)
        yield read_trial("two lists", [block(2, one + one) + context], is_sequence=True)


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
SEQUENCE_BY_TENSORFLOW = (
    "0a0c0a0a0a016e12051a030a010212230a210a0177121c0a061a040a0201020a021a00"
    "0a0e1a0c0a0afdffffffffffffffff01"
)


@case("14.6")
def examples_by_tensorflow(draw):
    """Messages that TensorFlow has written are read."""
    for features, text in BY_TENSORFLOW:
        wanted = [[name, [kind, values]] for name, kind, values in features]
        arguments = {"messages": [bytes.fromhex(text)]}
        yield value_trial(f"an Example, {text}", "examples", arguments, [wanted])
    steps = [[INTS, [1, 2]], [INTS, []], [INTS, [-3]]]
    wanted = [[[b"n", [INTS, [2]]]], [[b"w", steps]]]
    text = SEQUENCE_BY_TENSORFLOW
    arguments = {"messages": [bytes.fromhex(text)], "is_sequence": True}
    yield value_trial(f"a SequenceExample, {text}", "examples", arguments, [wanted])


@case("14.6", over=range(2), hidden=True)
def features_by_chance(draw, _part):
    """Examples in many ways of writing."""
    for count in range(14):
        writer = OddWriter(draw)
        messages = [writer.example(some_features(draw, 1 + count % 4)) for _ in range(3)]
        yield read_trial("messages of other programs", messages)


# ---- 14.7 -----------------------------------------------------------------------------

EXTREMES = [0, 1, -1, 127, 128, 16_383, 16_384, 1 << 31, 1 << 62, (1 << 63) - 1]
EXTREMES += [-(1 << 63), -2]


def _list_trial(kind: int, body: bytes, title: str) -> Trial:
    return read_trial(title, [_holding(block(kind, body))])


@case("14.7")
def integers_of_all_sizes(draw):
    """Integers of 64 bits, packed and one by one."""
    for count in (1, 2, 5, 12):
        values = draw.shuffled(EXTREMES)[:count]
        yield _list_trial(INTS, value_list(INTS, values), f"packed {values}")
        single = b"".join(field(1, 0, varint(value)) for value in values)
        yield _list_trial(INTS, single, f"one by one {values}")
        longer = b"".join(varint(value, draw.whole(0, 4)) for value in values)
        yield _list_trial(INTS, block(1, longer), f"longer than needed {values}")


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
    import struct

    for count in (1, 2, 7):
        values = [
            struct.unpack("<f", struct.pack("<f", v))[0] for v in draw.shuffled(every)
        ][:count]
        yield _list_trial(FLOATS, value_list(FLOATS, values), f"packed {values}")
        single = b"".join(field(1, 5, struct.pack("<f", v)) for v in values)
        yield _list_trial(FLOATS, single, f"one by one {values}")
        mixed = value_list(FLOATS, values) + single + block(1, b"") + single
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


@case("14.7", hidden=True)
def lists_by_chance(draw):
    """Lists in many ways of writing, some with wrong bits."""
    for count in range(12):
        writer = OddWriter(draw)
        messages = [writer.example(some_features(draw, 1 + count % 3)) for _ in range(2)]
        yield read_trial("messages of other programs", messages)
    yield from damaged_trials(draw, 6)


# ---- 14.8 -----------------------------------------------------------------------------


def _write_trial(features: list) -> Trial:
    given = [(name.decode(), kind, values) for name, kind, values in features]
    title = f"an Example of {features}"[:300]
    return value_trial(title, "example_bytes", {"features": given}, example(features))


def _named(draw: Draw, count: int) -> list:
    """Features whose names differ."""
    return [
        (f"n{i}".encode() + name, kind, values)
        for i, (name, kind, values) in enumerate(some_features(draw, count))
    ]


@case("14.8")
def written_byte_for_byte(draw):
    """An Example is, byte for byte, what protocol buffers write."""
    yield _write_trial([])
    for kind, values in ((BYTES, [b"x"]), (FLOATS, [1.5]), (INTS, [7])):
        yield _write_trial([(b"a", kind, values)])
    for count in range(1, 8):
        yield _write_trial(draw.shuffled(_named(draw, count)))


@case("14.8")
def written_by_tensorflow(draw):
    """An Example is, byte for byte, the one that TensorFlow has written."""
    for features, text in BY_TENSORFLOW:
        assert example(features) == bytes.fromhex(text)
        yield _write_trial(draw.shuffled(features))


@case("14.8")
def names_of_any_bytes(draw):
    """A name may have zero bytes in it, be empty, or be long."""
    for name in (
        b"a\x00b",
        b"\x00",
        b"",
        b"\x00\x00",
        "\u00ef\u4e2d".encode(),
        b"n" * 200,
    ):
        yield _write_trial([(name, INTS, [1])])
        yield _write_trial([(name, BYTES, [b"\x00", b""]), (b"b" + name, FLOATS, [2.0])])


@case("14.8")
def empty_lists(draw):
    """A list without values has no field of values, and is there."""
    for kind in (BYTES, FLOATS, INTS):
        yield _write_trial([(b"a", kind, [])])
        yield _write_trial([(b"a", kind, []), (b"b", INTS, [1])])
    yield _write_trial([(b"", BYTES, [b""])])


@case("14.8")
def integers_as_varints(draw):
    """Integers of all sizes; a negative one takes ten bytes."""
    for value in [*EXTREMES, 255, 256, 2**35]:
        yield _write_trial([(b"a", INTS, [value])])
    yield _write_trial([(b"a", INTS, draw.shuffled(EXTREMES))])


@case("14.8")
def long_values(draw):
    """Lengths that need several bytes, at each level."""
    for size in (100, 120, 127, 128, 16_384, 20_000):
        yield _write_trial([(b"a", BYTES, [b"x" * size])])
        yield _write_trial([(b"n" * size, INTS, [1])])
    yield _write_trial([(b"a", INTS, list(range(300)))])


@case("14.8", hidden=True)
def more_examples(draw):
    """Examples by chance."""
    for count in range(20):
        yield _write_trial(draw.shuffled(_named(draw, 1 + count % 9)))
