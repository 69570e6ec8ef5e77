"""Tensors and SparseTensors as strings; the bytes are those of TensorFlow 2.21."""

import json

import numpy as np
import peers
import pytest

import minitf as tf
from minitf.framework import errors, messages


def refused(session, fetches, text, feeds=None):
    with pytest.raises(errors.InvalidArgumentError, match=text):
        session.run(fetches, feeds)


def string_of(values, dtype=np.int64):
    return tf.io.serialize_tensor(np.array(values, dtype))


# ---- Dense tensors ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(1), b'\x08\x01\x12\x00"\x04\x00\x00\x80?'),
        (np.zeros([0, 3], np.float32), b"\x08\x01\x12\x06\x12\x00\x12\x02\x08\x03"),
        (np.array([b"a", b"bc"]), b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"),
        (np.array(b"a"), b"\x08\x07\x12\x00B\x01a"),
        (np.array([1, 2], np.int16), b'\x08\x05\x12\x04\x12\x02\x08\x02"\x04\1\0\2\0'),
    ],
)  # fmt: skip
def test_a_tensor_is_one_string(session, value, expected):
    serialized = tf.io.serialize_tensor(tf.constant(value))
    assert serialized.shape.as_list() == []
    assert session.run(serialized) == expected
    parsed = tf.io.parse_tensor(expected, tf.constant(value).dtype)
    assert parsed.shape.ndims is None
    result = session.run(parsed)
    assert np.shape(result) == value.shape and np.array_equal(result, value)


def test_a_list_of_values_is_read_as_well(session):
    proto = messages.get("TensorProto")(dtype=3, int_val=[7])
    proto.tensor_shape.dim.add(size=4)
    parsed = tf.parse_tensor(proto.SerializeToString(), tf.int32)
    assert session.run(parsed).tolist() == [7, 7, 7, 7]


def test_strings_that_are_no_tensor(session):
    refused(session, tf.parse_tensor("a", tf.int32), "could not parse .*: 'a'")
    refused(session, tf.parse_tensor("", tf.int32), "element type number 0")
    wrong = tf.parse_tensor(string_of([1], np.float32), tf.int32)
    refused(session, wrong, r"between parsed tensor \(float32\) and dtype \(int32\)")
    fed = tf.placeholder(tf.string)
    parsed = tf.parse_tensor(fed, tf.int32)
    refused(session, parsed, r"must be a scalar, its shape is \[1\]", {fed: ["a"]})
    huge = messages.get("TensorProto")(dtype=3, int_val=[7])
    huge.tensor_shape.dim.add(size=2**40)
    with pytest.raises(errors.ResourceExhaustedError, match="claims 1099511627775"):
        session.run(parsed, {fed: huge.SerializeToString()})
    huge.tensor_shape.dim.add(size=2**40)
    refused(session, parsed, "1099511627776", {fed: huge.SerializeToString()})


# ---- JSON ------------------------------------------------------------------------------


def test_examples_from_json(session):
    example = '{"features": {"feature": {"a": {"int64List": {"value": [1, "2"]}}}}}'
    expected = b"\n\r\n\x0b\n\x01a\x12\x06\x1a\x04\x08\x01\x08\x02"
    decoded = tf.io.decode_json_example([[example], ["{}"]])
    assert decoded.shape.as_list() == [2, 1]
    assert session.run(decoded).tolist() == [[expected], [b""]]
    assert session.run(tf.decode_json_example(example)) == expected
    features = {"a": tf.FixedLenFeature([2], tf.int64)}
    assert session.run(tf.parse_single_example(expected, features))["a"].tolist() == [
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ('{"features": {"feture": 1}}', "Error while parsing JSON: .*feture"),
        ("{", "Error while parsing JSON: .*'{'"),
        ("", "Error while parsing JSON"),
        ("[" * 100000, r"Error while parsing JSON: .*\(100000 bytes\)"),
    ],
)
def test_json_that_is_no_example(session, given, text):
    refused(session, tf.io.decode_json_example(["{}", given]), text)


# ---- TensorFlow reads what is written here ---------------------------------------------

READ_IN_TENSORFLOW = """
import json, sys, tensorflow.compat.v1 as tf
for name, strings in json.load(open(sys.argv[1])).items():
    strings = [bytes.fromhex(string) for string in strings]
    dense = tf.io.parse_tensor(strings[0], name)
    assert tf.io.serialize_tensor(dense).numpy() == strings[0], name
    sparse = tf.io.deserialize_many_sparse([strings[1:]], name)
    (again,) = tf.io.serialize_many_sparse(sparse).numpy().tolist()
    assert again == strings[1:], name
"""


@pytest.mark.peers("tensorflow")
def test_tensorflow_reads_and_writes_the_same(session, tmp_path):
    types = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]
    types += ["uint16", "bool", "complex64", "complex128", "bfloat16", "string"]
    written = {}
    for name in types:
        values = tf.constant(["a", "", "x" * 200] if name == "string" else [1, 0, 2])
        values = tf.cast(values, name) if name != "string" else values
        sparse = tf.SparseTensor([[0, 1], [3, 0], [3, 2]], values, [4, 5])
        strings = [tf.serialize_tensor(values), *tf.unstack(tf.serialize_sparse(sparse))]
        written[name] = [string.hex() for string in session.run(strings)]
    (tmp_path / "strings.json").write_text(json.dumps(written))
    peers.run("tensorflow", READ_IN_TENSORFLOW, tmp_path / "strings.json")
