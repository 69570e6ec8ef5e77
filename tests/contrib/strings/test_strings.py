"""Ops on text beside Python's own; the hashes are those of TensorFlow 2.21."""

import numpy as np
import pytest

import minitf as tf


def rows_of(sparse):
    """The words of each row of a SparseTensorValue."""
    rows = [[] for _ in range(sparse.dense_shape[0])]
    for (row, column), word in zip(sparse.indices, sparse.values, strict=True):
        assert column == len(rows[row])
        rows[row].append(word.decode("latin1"))
    assert sparse.dense_shape[1] == max(map(len, rows), default=0)
    return rows


def run(session, y):
    """The value of strings as nested lists of str."""
    return np.char.decode(np.asarray(session.run(y)).astype(bytes), "latin1").tolist()


# ---- Numbers ---------------------------------------------------------------------------


def test_numbers_of_all_types_as_text(session):
    assert run(session, tf.as_string([True, False])) == ["true", "false"]
    for dtype in (
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ):
        limits = np.iinfo(dtype)
        text = run(session, tf.as_string(np.array([limits.min, limits.max], dtype)))
        assert text == [str(limits.min), str(limits.max)]
    for dtype in ("float16", "float32", "float64"):
        assert run(session, tf.as_string(np.array([1.5, -0.0], dtype))) == [
            "1.500000",
            "-0.000000",
        ]
    assert run(session, tf.as_string(np.complex64(1 - 2j))) == "(1.000000,-2.000000)"


def test_formats_are_those_of_printf(session):
    pick = np.random.default_rng(1)
    for _ in range(200):
        number = float(pick.normal() * 10.0 ** pick.integers(-9, 9))
        precision, width = int(pick.integers(-1, 10)), int(pick.integers(-1, 15))
        kind = pick.choice(["f", "e", "g"])
        fill = str(pick.choice(["", "0", "-", "+", " ", "#"]))
        y = tf.as_string(
            np.float64(number),
            precision=precision,
            scientific=kind == "e",
            shortest=kind == "g",
            width=width,
            fill=fill,
        )
        size = str(width) if width >= 0 else ""
        digits = f".{precision}" if precision >= 0 else ""
        assert run(session, y) == f"%{fill}{size}{digits}{kind}" % number


@pytest.mark.parametrize(
    ("value", "attrs", "message"),
    [
        (1, {"precision": 2}, "precision not supported for datatype int32"),
        (True, {"shortest": True}, "scientific and shortest format not supported"),
        (1.0, {"shortest": True, "scientific": True}, "Cannot select both"),
        (1.0, {"fill": "ab"}, "fill must be one character or none, is 'ab'"),
        (1.0, {"fill": "x", "width": 5}, "fill must be one of .* is 'x'"),
        (1.0, {"width": 2**40}, "width must fit into int32, is 1099511627776"),
    ],
)
def test_formats_that_do_not_fit(session, value, attrs, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(tf.as_string(value, **attrs))


def test_text_as_numbers(session):
    numbers = session.run(tf.string_to_number([" 1.5", "-2e3\n", "+7", "inf", "0x1F"]))
    assert numbers.tolist() == [1.5, -2000, 7, np.inf, 31]
    numbers = tf.strings.to_number(["-9223372036854775808", "+12"], tf.int64)
    assert session.run(numbers).tolist() == [-(2**63), 12]
    for text, dtype in (
        ("", tf.float32),
        ("1 2", tf.float64),
        ("1.5", tf.int32),
        ("2147483648", tf.int32),
        ("0x", tf.float32),
        ("0x-1", tf.float32),
    ):
        message = f"'{text}' is not a number of type {dtype.name}"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(tf.string_to_number(text, dtype))


# ---- Splitting and joining -------------------------------------------------------------

TEXTS = ["", " ", "a", "a b", " a  b ", "a,b;c", ",,", "ab\tc\n d", "<>a<><>b", "x<>"]


def at_any(text, delimiters, skips):
    """The words between bytes that are in ``delimiters``."""
    for delimiter in delimiters:
        text = text.replace(delimiter, "\0")
    words = text.split("\0") if delimiters else list(text)
    return [word for word in words if word or not skips]


@pytest.mark.parametrize("delimiters", [" ", ",", ",;", "", "<>"])
def test_words_between_bytes(session, delimiters):
    for skips in (True, False):
        sparse = session.run(tf.string_split(TEXTS, delimiters, skip_empty=skips))
        assert rows_of(sparse) == [at_any(text, delimiters, skips) for text in TEXTS]
    sparse = session.run(tf.string_split(TEXTS, delimiter=delimiters))
    assert rows_of(sparse) == [at_any(text, delimiters, True) for text in TEXTS]


@pytest.mark.parametrize("separator", [None, "", " ", ",", "<>"])
@pytest.mark.parametrize("most", [-1, 1, 2])
def test_words_as_of_str_split(session, separator, most):
    sparse = session.run(tf.strings.split(TEXTS, separator, most))
    found = rows_of(sparse)
    for text, row in zip(TEXTS, found, strict=True):
        expected = text.split(separator or None, most)
        # TensorFlow keeps what is left after the last word, even if it is empty.
        if not separator and most == len(expected) > 0:
            expected.append("")
        assert row == expected


def test_no_split_keeps_each_text(session):
    assert rows_of(session.run(tf.strings.split(TEXTS, maxsplit=0))) == [
        [t] for t in TEXTS
    ]


def test_splits_of_any_known_rank(session):
    sparse = session.run(tf.strings.split("a b"))
    assert (sparse.dense_shape.tolist(), sparse.values.tolist()) == ([1, 2], [b"a", b"b"])
    sparse = session.run(tf.strings.split([[["a b", ""]], [["c", "d e f"]]]))
    assert sparse.dense_shape.tolist() == [2, 1, 2, 3]
    places = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    assert sparse.indices.tolist() == places + [[1, 0, 1, k] for k in range(3)]
    with pytest.raises(ValueError, match="the rank of input must be known"):
        tf.strings.split(tf.placeholder(tf.string))


def test_splits_that_do_not_fit(session):
    for function in (tf.string_split, tf.strings.split):
        with pytest.raises(
            ValueError, match="result_type must be 'SparseTensor', got 'R"
        ):
            function(["a"], result_type="RaggedTensor")
    with pytest.raises(ValueError, match="both 'sep' and 'delimiter'"):
        tf.string_split(["a"], " ", delimiter=" ")
    fed = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="input must be a vector"):
        session.run(tf.string_split(fed).values, {fed: "a"})


def test_joined_elements(session):
    y = tf.string_join(["<", ["a", "b"], tf.constant("-"), ["c", "d"], ">"], "|")
    assert run(session, y) == ["<|a|-|c|>", "<|b|-|d|>"]
    assert tf.strings.join is tf.string_join
    fed = tf.placeholder(tf.string)
    y = tf.string_join([fed, ["a", "b"]])
    assert y.shape.as_list() == [2]
    assert run_fed(session, y, {fed: "x"}) == [b"xa", b"xb"]
    message = r"inputs must be scalars or have one shape, have \[2\] and \[3\]"
    with pytest.raises(ValueError, match=message):
        tf.string_join([["a", "b"], ["a", "b", "c"]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="inputs must be scalars"):
        run_fed(session, y, {fed: ["x"] * 3})


def run_fed(session, y, feed):
    return session.run(y, feed).tolist()


def test_joined_axes(session):
    texts = [["a", "b"], ["c", "d"]]
    for axis, expected in (
        (0, ["ac", "bd"]),
        (1, ["ab", "cd"]),
        (-1, ["ab", "cd"]),
        ([0, 1], "acbd"),
        ([1, 0], "abcd"),
        (None, "abcd"),
        ([], texts),
    ):
        axes = np.array(axis, np.int32) if axis == [] else axis
        assert run(session, tf.reduce_join(texts, axes)) == expected
    assert run(session, tf.reduce_join(texts, 0, True, ",")) == [["a,c", "b,d"]]
    fed = tf.placeholder(tf.string)
    assert session.run(tf.strings.reduce_join(fed), {fed: texts}) == b"abcd"
    with pytest.raises(ValueError, match="reduction_indices has axis 0 twice"):
        tf.reduce_join(texts, [0, 0])
    with pytest.raises(ValueError, match="axis 2"):
        tf.reduce_join(texts, 2)


# ---- Parts and case --------------------------------------------------------------------


def test_case_and_whitespace(session):
    assert run(session, tf.strings.lower("AbC-9Z")) == "abc-9z"
    assert run(session, tf.strings.upper("AbC-9z")) == "ABC-9Z"
    assert session.run(tf.strings.upper("\u00e4b")) == "\u00e4B".encode()
    with pytest.raises(tf.errors.UnimplementedError, match="only letters of ASCII"):
        session.run(tf.strings.upper("\u00e4b", encoding="utf-8"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is 'latin1'"):
        session.run(tf.strings.lower("a", encoding="latin1"))
    assert run(session, tf.string_strip(TEXTS)) == [text.strip() for text in TEXTS]


def test_lengths(session):
    text = "a\u00e4\u20ac\U0001f600"
    assert session.run(tf.strings.length([text, ""])).tolist() == [10, 0]
    length = tf.strings.length([text, ""], unit="UTF8_CHAR")
    assert session.run(length).tolist() == [4, 0]


def test_substrings_are_slices(session):
    text = "a\u00e4\u20ac\U0001f600xyz"
    for pos in range(-7, 8):
        for length in range(9):
            first = pos if pos >= 0 else len(text) + pos
            part = session.run(tf.substr(text, pos, length, unit="UTF8_CHAR"))
            assert part.decode() == text[first : first + length]
            part = session.run(tf.strings.substr("abcdefg", pos, length))
            assert part.decode() == "abcdefg"[first : first + length]
    for pos in (8, -8, 2**31 - 1, -(2**31)):
        for unit in ("BYTE", "UTF8_CHAR"):
            message = f"pos {pos} is out of range for the string"
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(tf.substr("abcdefg", pos, 1, unit=unit))


def test_substrings_broadcast(session):
    y = tf.substr([["hello"], ["world"]], [0, 1], [2, 3])
    assert run(session, y) == [["he", "ell"], ["wo", "orl"]]
    assert run(session, tf.substr("hello", [[[[0]], [[4]]]], [[[[1]], [[9]]]])) == [
        [[["h"]], [["o"]]]
    ]
    with pytest.raises(ValueError, match="pos and len must have one shape"):
        tf.substr("a", [0], 1)


# ---- Hashes ----------------------------------------------------------------------------

LONG = ["a" * size for size in (0, 1, 5, 10, 20, 40, 64, 65, 200)]
BUCKETS = 10**15
FAST = [
    318154034397263,
    804110809363939,
    833349943375799,
    68738259379493,
    261471293997870,
    401864796137711,
    282057753879417,
    58094944459892,
    331430260164897,
]
PLAIN = [
    806548029283899,
    632905371535868,
    604301838555665,
    149237514318724,
    372048474828851,
    842357743736174,
    943439245853201,
    836249086922348,
    311048571850610,
]
STRONG = [
    561508470932,
    886256792272778,
    53671906233974,
    830930801527631,
    183068002034974,
    440899656444882,
    817369410043227,
    494666020636106,
    982272865901517,
]


def test_buckets_are_those_of_tensorflow(session):
    fast = session.run(tf.string_to_hash_bucket_fast(LONG, BUCKETS)).tolist()
    assert fast == FAST
    plain = session.run(tf.string_to_hash_bucket(LONG, BUCKETS)).tolist()
    assert plain == PLAIN
    strong = tf.strings.to_hash_bucket_strong(LONG, BUCKETS, [3, -4])
    assert session.run(strong).tolist() == STRONG


def test_buckets_and_keys_that_do_not_fit(session):
    with pytest.raises(ValueError, match="num_buckets"):
        tf.string_to_hash_bucket_fast("a", 0)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="must have 2 elements, has 1"
    ):
        session.run(tf.string_to_hash_bucket_strong("a", 7, [1]))
