"""tf.io.parse_sequence_example; the values are TensorFlow 2.21's."""

import numpy as np
import pytest

import minitf as tf
from minitf.framework import errors


def feature(values):
    """A Feature of integers, floats or bytes; an empty one of no values."""
    if not values:
        return tf.train.Feature()
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def sequence(context, lists):
    made = {
        name: tf.train.FeatureList(feature=[feature(step) for step in steps])
        for name, steps in lists.items()
    }
    return tf.train.SequenceExample(
        context=tf.train.Features(
            feature={name: feature(values) for name, values in context.items()}
        ),
        feature_lists=tf.train.FeatureLists(feature_list=made),
    ).SerializeToString()


A = sequence(
    {"n": [1], "s": [b"x", b"y"]},
    {"t": [[1, 2], [3, 4]], "v": [[1.5], [2.5, 3.5]]},
)
B = sequence({"n": [2]}, {"t": [[5, 6], [7, 8], [9, 10]], "v": [[]]})
C = sequence({"n": [3]}, {"v": []})

CONTEXT = {"n": tf.FixedLenFeature([], tf.int64), "s": tf.VarLenFeature(tf.string)}
LISTS = {
    "t": tf.FixedLenSequenceFeature([2], tf.int64),
    "v": tf.VarLenFeature(tf.float32),
}
MAY_BE_MISSING = {"t": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)}


def plain(value):
    if isinstance(value, tf.SparseTensorValue):
        return tuple(part.tolist() for part in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist()


def parsed(session, *arguments, **named):
    return [
        plain(value)
        for value in session.run(tf.io.parse_sequence_example(*arguments, **named))
    ]


def test_lists_are_filled_up_to_the_longest(session):
    context, lists, lengths = parsed(session, [A, B], CONTEXT, LISTS)
    assert context == {"n": [1, 2], "s": ([[0, 0], [0, 1]], [b"x", b"y"], [2, 2])}
    assert lists == {
        "t": [[[1, 2], [3, 4], [0, 0]], [[5, 6], [7, 8], [9, 10]]],
        "v": ([[0, 0, 0], [0, 1, 0], [0, 1, 1]], [1.5, 2.5, 3.5], [2, 2, 2]),
    }
    assert lengths == {"t": [2, 3]}


def test_what_is_known_when_the_graph_is_made():
    context, lists, lengths = tf.io.parse_sequence_example([A, B], CONTEXT, LISTS)
    assert context["n"].shape.as_list() == [2]
    assert context["s"].indices.shape.as_list() == [None, 2]
    assert lists["t"].shape.as_list() == [2, None, 2]
    assert lists["v"].indices.shape.as_list() == [None, 3]
    assert lists["v"].dense_shape.shape.as_list() == [3]
    assert list(lengths) == ["t"] and lengths["t"].dtype == tf.int64
    assert lengths["t"].shape.as_list() == [2]


def test_lists_may_be_missing_if_allowed(session):
    _, lists, lengths = parsed(session, [A, C], None, MAY_BE_MISSING)
    assert lists == {"t": [[[1, 2], [3, 4]], [[0, 0], [0, 0]]]}
    assert lengths == {"t": [2, 0]}
    _, lists, lengths = parsed(session, [C], None, MAY_BE_MISSING)
    assert lists == {"t": [[]]} and lengths == {"t": [0]}
    _, lists, _ = parsed(session, [A], None, {"zz": tf.VarLenFeature(tf.int64)})
    assert lists == {"zz": ([], [], [1, 0, 0])}


def test_strings_are_filled_up_with_empty_ones(session):
    records = [
        sequence({}, {"t": [[b"a"], [b"b"]]}),
        sequence({}, {"t": [[b"c"]]}),
    ]
    features = {"t": tf.FixedLenSequenceFeature([], tf.string)}
    _, lists, lengths = parsed(session, records, None, features)
    assert lists == {"t": [[b"a", b"b"], [b"c", b""]]}
    assert lengths == {"t": [2, 1]}


def test_a_context_may_have_defaults(session):
    features = {"q": tf.FixedLenFeature([2], tf.float32, [1.0, 2.0])}
    context, lists, lengths = parsed(session, [A, B], features)
    assert context == {"q": [[1.0, 2.0], [1.0, 2.0]]}
    assert lists == {} and lengths == {}


def test_no_records_give_no_rows(session):
    none = np.zeros([0], object)
    context, lists, lengths = parsed(session, none, CONTEXT, LISTS)
    assert context == {"n": [], "s": ([], [], [0, 0])}
    assert lists["v"] == ([], [], [0, 0, 0]) and lengths == {"t": []}
    assert np.shape(lists["t"]) == (0,)


def test_a_batch_of_one_has_what_the_single_one_has(session):
    for record in (A, B):
        single = session.run(tf.parse_single_sequence_example(record, CONTEXT, LISTS))
        batch = session.run(tf.io.parse_sequence_example([record], CONTEXT, LISTS))
        for one, many in zip(single, batch[:2], strict=True):
            for name, value in one.items():
                if isinstance(value, tf.SparseTensorValue):
                    assert many[name].indices[:, 1:].tolist() == value.indices.tolist()
                    assert many[name].values.tolist() == value.values.tolist()
                    assert many[name].dense_shape[1:].tolist() == (
                        value.dense_shape.tolist()
                    )
                else:
                    assert many[name].tolist() == [value.tolist()]


PROBLEMS = [
    (
        [A, C],
        (None, LISTS),
        "Name: <unknown>, Feature list 't' is required but could not be found",
    ),
    ([A, b"zzz"], (CONTEXT, None), "Could not parse example input, value: 'zzz'"),
    (
        [A],
        ({"n": tf.FixedLenFeature([], tf.float32)}, None),
        "Context feature: n.  Data types don't match.*expected type: float",
    ),
    (
        [A],
        ({"q": tf.FixedLenFeature([], tf.float32)}, None),
        "Context feature 'q' .data type: float. is required but could not be found",
    ),
    (
        [A],
        ({"n": tf.FixedLenFeature([2], tf.int64)}, None),
        "Context feature: n.  Number of int64 values != expected.  Values size: 1",
    ),
    (
        [A],
        ({"s": tf.VarLenFeature(tf.int64)}, None),
        "Context feature: s.  Data types don't match.*expected type: int64",
    ),
    (
        [A],
        (None, {"t": tf.FixedLenSequenceFeature([2], tf.float32)}),
        "Feature list: t, Index: 0.  Data types don't match.*expected type: float",
    ),
    (
        [B, A],
        (None, {"t": tf.FixedLenSequenceFeature([3], tf.int64)}),
        "Feature list: t, Index: 0.  Number of int64 values != expected.  Values size: 2",
    ),
    (
        [A, sequence({}, {"t": [[1, 2], []]})],
        (None, LISTS),
        "Feature list: t, Index: 1.  Number of int64 values != expected.  Values size: 0",
    ),
    (
        [A],
        (None, {"v": tf.VarLenFeature(tf.int64)}),
        "Feature list: v, Index: 0.  Data types don't match.*expected type: int64",
    ),
]


@pytest.mark.parametrize(("records", "features", "text"), PROBLEMS)
def test_what_does_not_fit_is_named(session, records, features, text):
    with pytest.raises(errors.InvalidArgumentError, match=text):
        parsed(session, records, *features)


def test_the_record_that_is_wrong_is_named(session):
    with pytest.raises(errors.InvalidArgumentError, match="Name: c, Feature list 't'"):
        parsed(session, [A, C], None, LISTS, example_names=["a", "c"])
    with pytest.raises(errors.InvalidArgumentError, match=r"or of shape \[2\], .* \[1\]"):
        parsed(session, [A, B], CONTEXT, LISTS, example_names=["a"])
    fed = tf.placeholder(tf.string)
    context, _, _ = tf.io.parse_sequence_example(fed, CONTEXT)
    with pytest.raises(errors.InvalidArgumentError, match=r"a vector, its shape is \[\]"):
        session.run(context, {fed: A})


@pytest.mark.parametrize(
    ("context", "lists", "text"),
    [
        (None, None, "must have a feature, got None and None"),
        (
            {"n": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)},
            None,
            "Invalid feature n",
        ),
        (None, {"t": tf.FixedLenFeature([2], tf.int64)}, "Invalid feature t"),
        (
            None,
            {"t": tf.FixedLenSequenceFeature([2], tf.int64, default_value=7)},
            r"feature_list.dense_defaults\[t\] must be None, got 7",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(context, lists, text):
    for function in (tf.io.parse_sequence_example, tf.parse_single_sequence_example):
        with pytest.raises(ValueError, match=text):
            function([A], context, lists)


def test_sizes_that_overflow_are_refused(session):
    huge = {"t": tf.FixedLenSequenceFeature([2**40, 2**40], tf.int64, allow_missing=True)}
    with pytest.raises((ValueError, errors.InvalidArgumentError), match="1099511627776"):
        parsed(session, [A], None, huge)
