"""Seeds of random ops, as tensorflow.compat.v1 2.21 gives them to its nodes."""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context

_MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("graph_seed", "op_seed", "expected"),
    [
        (None, None, (None, None)),
        (None, 3, (87654321, 3)),
        (None, 0, (87654321, 0)),
        (None, -1, (87654321, _MOST - 1)),
        (None, _MOST, (87654321, 0)),
        (0, 0, (0, _MOST)),
        (0, 7, (0, 7)),
        (-1, 1, (_MOST - 1, 1)),
        (_MOST, _MOST, (0, _MOST)),
        (2**31, 2**31, (1, 1)),
        (2**40 + 3, -5, (515, _MOST - 5)),
        (-(2**31), 42, (_MOST - 1, 42)),
        (np.int64(5), np.int32(3), (5, 3)),
    ],
)
def test_seeds_are_reduced(graph_seed, op_seed, expected):
    tf.set_random_seed(graph_seed)
    assert tf.get_seed(op_seed) == expected


def test_ops_without_a_seed_are_counted():
    tf.set_random_seed(7)
    tf.constant(1)
    tf.random_normal([2])
    tf.random_uniform([2])
    tf.truncated_normal([2], seed=3)
    tf.random_shuffle([1, 2, 3])
    tf.multinomial([[1.0, 2.0]], 3)
    tf.random_uniform([2], maxval=5, dtype=tf.int32)
    tf.random.categorical([[1.0, 2.0]], 3)
    seeds = {
        op.name: (op.get_attr("seed"), op.get_attr("seed2"))
        for op in tf.get_default_graph().get_operations()
        if "seed2" in op.op_def.__str__() and op.type != "Const"
    }
    assert seeds == {
        "random_normal/RandomStandardNormal": (7, 0),
        "random_uniform/RandomUniform": (7, 1),
        "truncated_normal/TruncatedNormal": (7, 3),
        "RandomShuffle": (7, 2),
        "multinomial/Multinomial": (7, 3),
        "random_uniform_1": (7, 4),
        "categorical/Multinomial": (7, 5),
    }


def test_a_graph_seed_gives_the_numbers_of_tensorflow():
    tf.set_random_seed(7)
    x = tf.random_normal([2])
    with tf.Session() as session:
        first = session.run(x)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(7)
        tf.constant(1)
        np.testing.assert_array_equal(session.run(tf.random_normal([2])), first)


def test_seeds_of_eager_mode_start_anew_with_the_global_seed():
    with context.entered(None):
        drawn = []
        for seed in (1, 1, -1, 2**31):
            tf.set_random_seed(seed)
            drawn.append([tf.get_seed(None), tf.get_seed(None), tf.get_seed(-3)])
        tf.set_random_seed(None)
        assert tf.get_seed(None) == (None, None)
    assert drawn[0] == drawn[1]
    assert [pair[0] for pair in drawn[2]] == [_MOST - 1] * 3
    assert drawn[3][0][0] == 1
    assert drawn[0][2] == (1, _MOST - 3)
    assert drawn[0][0] == (1, 577090037)


def test_multinomial_has_the_numbers_of_its_seed():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.multinomial([[0.1, 0.9, 0.5]], 4, seed=-1)
        known = [[2, 0, 2, 1], [0, 2, 1, 0], [1, 2, 2, 0]]
        assert [session.run(x)[0].tolist() for _ in known] == known
