"""Messages: the classes are there, their bytes are protobuf's, and they come late."""

import re
import subprocess
import sys

import numpy as np
import pytest

import minitf as tf
from minitf import public_names

# What protobuf's own classes made of TensorFlow's example.proto give for this example.
EXAMPLE = bytes.fromhex(
    "0a360a240a09696d6167655f72617712170a150a13000102030405060708090a0b0c0d0e0f101112"
    "0a0e0a056c6162656c12051a030a0107"
)


def test_an_example_has_the_bytes_of_tensorflows():
    example = tf.train.Example()
    example.features.feature["label"].int64_list.value.append(7)
    example.features.feature["image_raw"].bytes_list.value.append(bytes(range(19)))
    assert example.SerializeToString(deterministic=True) == EXAMPLE
    assert tf.train.Example.FromString(EXAMPLE) == example


def test_the_three_lists_have_their_numbers():
    feature = tf.train.Feature
    assert feature(
        bytes_list=tf.train.BytesList(value=[b"ab"])
    ).SerializeToString() == bytes.fromhex("0a040a026162")
    assert feature(
        float_list=tf.train.FloatList(value=[1.0])
    ).SerializeToString() == bytes.fromhex("12060a040000803f")
    assert feature(
        int64_list=tf.train.Int64List(value=[1, 300])
    ).SerializeToString() == bytes.fromhex("1a050a0301ac02")


def test_a_sequence_example_comes_back():
    step = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
    message = tf.train.SequenceExample(
        context=tf.train.Features(feature={"a": step}),
        feature_lists=tf.train.FeatureLists(
            feature_list={"b": tf.train.FeatureList(feature=[step, step])}
        ),
    )
    again = tf.train.SequenceExample()
    again.ParseFromString(message.SerializeToString())
    assert again == message
    copy = tf.train.SequenceExample()
    copy.CopyFrom(message)
    assert len(copy.feature_lists.feature_list["b"].feature) == 2


def test_every_promised_name_is_a_message():
    for module, tables in public_names.TABLES.items():
        lines = re.findall(r"^ *message: (.*)$", tables, re.M)
        names = " ".join(lines).split()
        assert module not in ("tf", "train") or len(names) > 9
        for name in names:
            home = tf if module == "tf" else getattr(tf, module)
            assert getattr(home, name).DESCRIPTOR.name == name
    with pytest.raises(AttributeError, match="Exampel"):
        tf.train.Exampel  # noqa: B018


def test_importing_minitf_does_not_import_protobuf():
    script = (
        "import sys, minitf as tf; assert 'google.protobuf' not in sys.modules; "
        "tf.GraphDef; assert 'google.protobuf' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr


def test_make_tensor_proto():
    proto = tf.make_tensor_proto([[1.0, 2.0]])
    assert proto.dtype == 1 and [d.size for d in proto.tensor_shape.dim] == [1, 2]
    assert proto.tensor_content == np.array([1, 2], np.float32).tobytes()
    many = tf.make_tensor_proto(3, shape=[2, 50])
    assert list(many.int_val) == [3] and many.ByteSize() < 30
    assert tf.make_ndarray(many).tolist() == [[3] * 50] * 2
    assert tf.make_ndarray(tf.make_tensor_proto(["a", b"b"])).tolist() == [b"a", b"b"]
    assert tf.make_tensor_proto(proto) is proto
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    with pytest.raises(ValueError, match="2 values were given"):
        tf.make_tensor_proto([1, 2], shape=[3])


def test_make_ndarray_refuses_what_is_no_tensor():
    proto = tf.make_tensor_proto([1, 2, 3])
    proto.tensor_content = b"12345"
    with pytest.raises(ValueError, match="5 bytes of tensor_content"):
        tf.make_ndarray(proto)
    proto.dtype = 11
    with pytest.raises(ValueError, match="element type number 11"):
        tf.make_ndarray(proto)
