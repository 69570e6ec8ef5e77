"""Sequences in SequenceExamples; the values and texts are TensorFlow's."""

import pytest
from test_parsing import Fixed, Steps

import minitf as tf

# A context "len" of 2, lists "tok" of [1,2], [3,4] and "v" of [1.,2.], [3.].
SEQUENCE = bytes.fromhex(
    "0a0e0a0c0a036c656e12051a030a010212380a170a03746f6b12100a061a040a0201020a061a040a0203"
    "040a1d0a017612180a0c120a0a080000803f000000400a0812060a0400004040"
)


def test_sequences_have_an_axis_for_steps(parse):
    context, lists = parse(
        tf.parse_single_sequence_example,
        SEQUENCE,
        {"len": Fixed([], tf.int64), "none": tf.VarLenFeature(tf.string)},
        {
            "tok": Steps([2], tf.int64),
            "v": tf.VarLenFeature(tf.float32),
            "gone": Steps([5], tf.int64, allow_missing=True),
        },
    )
    assert context["len"] == 2
    assert context["none"].dense_shape.tolist() == [0]
    assert lists["tok"].tolist() == [[1, 2], [3, 4]]
    assert lists["v"].indices.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert lists["v"].values.tolist() == [1, 2, 3]
    assert lists["v"].dense_shape.tolist() == [2, 2]
    assert lists["gone"].shape == (0, 5)


@pytest.mark.parametrize(
    ("context", "lists", "message"),
    [
        (
            {"ln": Fixed([], tf.int64)},
            {},
            "Context feature 'ln' (data type: int64) is req",
        ),
        (
            {"len": Fixed([], tf.float32)},
            {},
            "Context feature: len.  Data types don't match. Data type: int64 but "
            "expected type: float",
        ),
        ({}, {"tk": Steps([], tf.int64)}, "Feature list 'tk' is required but could not"),
        (
            {},
            {"tok": Steps([1], tf.int64)},
            "Feature list: tok, Index: 0.  Number of int64 values != expected.",
        ),
        (
            {},
            {"tok": tf.VarLenFeature(tf.string)},
            "Data type: int64 but expected type: s",
        ),
    ],
)
def test_what_does_not_fit_in_a_sequence_is_named(parse, context, lists, message):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        parse(tf.parse_single_sequence_example, SEQUENCE, context, lists)
    assert message in str(raised.value)


def test_steps_have_no_default():
    steps = Steps([], tf.int64, default_value=5)
    with pytest.raises(ValueError, match=r"dense_defaults\[x\] must be None, got 5"):
        tf.parse_single_sequence_example(tf.constant(""), None, {"x": steps})
