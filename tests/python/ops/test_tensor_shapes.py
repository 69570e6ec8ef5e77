"""``tf.TensorShape`` and ``tf.Dimension``: sizes known in part, and what follows."""

import pickle

import pytest

import minitf as tf

D, S = tf.Dimension, tf.TensorShape
UNKNOWN = S(None)


def values(*sizes):
    return [size.value for size in sizes]


def test_arithmetic_of_sizes():
    assert values(D(7) + 2, 2 + D(7), D(7) - 2, 9 - D(7)) == [9, 9, 5, 2]
    assert values(D(7) * 2, D(7) // 2, D(7) % 4, 9 % D(7)) == [14, 3, 3, 2]
    assert values(D(None) + 2, 2 * D(None), D(3) // None) == [None, None, None]
    assert [D(3) < 4, D(3) >= 4, D(None) < 4, D(3) == None] == [  # noqa: E711
        True,
        False,
        None,
        None,
    ]
    assert (bool(D(0)), bool(D(None)), bool(D(2))) == (False, False, True)
    assert int(D(3)) == 3 and [5, 6, 7][D(2)] == 7
    assert pickle.loads(pickle.dumps(D(3))).value == 3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: D(3) / 2, TypeError, "'Dimension' and 'int', please use // instead"),
        (lambda: 2 / D(3), TypeError, "'int' and 'Dimension', please use // instead"),
        (lambda: D("a"), TypeError, "got value 'a' with type <class 'str'>"),
        (lambda: D(-1), ValueError, "Dimension -1 must be >= 0"),
        (lambda: hash(D(3)), TypeError, "unhashable"),
        (lambda: D(2).merge_with(3), ValueError, "Dimensions 2 and 3 are not compatible"),
        (
            lambda: S([1, 2]).with_rank_at_most(1),
            ValueError,
            r"\(1, 2\) must have rank at",
        ),
        (lambda: S([1, 2]).assert_has_rank(1), ValueError, r"\(1, 2\) must have rank 1"),
        (lambda: S([1]).assert_same_rank([1, 2]), ValueError, "must have the same rank"),
        (lambda: UNKNOWN[::2], ValueError, "Steps are not yet handled"),
    ],
)
def test_what_makes_no_sense(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_slices_of_shapes():
    shape = S([2, None, 4])
    assert shape[1:].as_list() == [None, 4] and shape[::-1].as_list() == [4, None, 2]
    assert shape[-1].value == 4 and shape[1].value is None
    assert UNKNOWN[1:3].as_list() == [None, None]
    assert UNKNOWN[1:].ndims is None and UNKNOWN[:-1].ndims is None
    assert UNKNOWN[7].value is None


def test_shapes_put_together():
    tail = [None, 3]
    assert (S([2]) + tail).as_list() == [2, None, 3]
    assert (tail + S([4])).as_list() == [None, 3, 4]
    assert (S([2]) + UNKNOWN).ndims is None
    common = S([2, 3, None]).most_specific_compatible_shape([2, 5, None])
    assert common.as_list() == [2, None, None]
    assert S([2]).most_specific_compatible_shape([2, 5]).ndims is None
    assert S([None, 3]).merge_with([2, None]).as_list() == [2, 3]
    assert UNKNOWN.with_rank(2).as_list() == [None, None]
    assert UNKNOWN.with_rank_at_most(0).ndims is None
    UNKNOWN.assert_has_rank(3)
    UNKNOWN.assert_same_rank([1])


def test_shapes_as_messages():
    proto = S([2, None]).as_proto()
    assert [axis.size for axis in proto.dim] == [2, -1]
    assert S(proto) == S([2, None])
    assert UNKNOWN.as_proto().unknown_rank and S(UNKNOWN.as_proto()).ndims is None


def test_shapes_that_broadcast():
    def broadcast(x, y):
        return str(tf.broadcast_static_shape(S(x), S(y)))

    assert broadcast([], [None]) == "(?,)"
    assert broadcast([2], [None]) == "(2,)"
    assert broadcast([1], [None]) == "(?,)"
    assert broadcast([2, 1], [3]) == "(2, 3)"
    assert broadcast([0], [1]) == "(0,)"
    assert broadcast([2, None], [0]) == "(2, ?)"  # as TensorFlow has it
    assert broadcast([0], [0]) == "(0,)"
    assert broadcast(None, [2]) == "<unknown>"
    with pytest.raises(ValueError, match=r"\(2, 0\) and \(3,\)"):
        broadcast([2, 0], [3])
