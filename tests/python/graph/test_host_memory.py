"""Host memory: kernels of a GPU have some arguments there, and numbers do not change.

Each emulated GPU refuses a tensor that is not in the memory where its kernel has it, so
the programs below also show that the partition brings every tensor to the right place.
"""

import numpy as np
import pytest

import minitf as tf
from minitf.framework import devices

_PLACES = ["", "/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"]


@pytest.fixture(autouse=True)
def graph(monkeypatch):
    """A graph for every test, and a process that may see all GPUs."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with tf.Graph().as_default() as graph:
        yield graph


def _run(fetches, feeds=None):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        return session.run(fetches, feeds), devices.transfers_of(session)


# ---- Programs of random ops ------------------------------------------------------------

# Each takes a matrix x, an integer k from 0 to 5 as a tensor of int32 or int64, and gives
# a matrix. What stands beside x is worked out from k and from shapes, on some device.


def _rows(x):
    return tf.shape(x)[0]


def _reshape(x, k):
    return tf.reshape(x, tf.stack([tf.shape(x)[1], -1]))


def _transpose(x, k):
    return tf.transpose(x, tf.stack([1 - k % 2, k % 2]))


def _pad(x, k):
    return tf.pad(x, tf.reshape(tf.stack([k, k * 0, k % 2, k * 0]), [2, 2]))[:6, :6]


def _tile(x, k):
    return tf.tile(x, tf.stack([k % 2 + 1, k * 0 + 1]))[:6]


def _sum(x, k):
    return x - tf.reduce_sum(x, axis=k % 2, keepdims=True)


def _concat(x, k):
    return tf.concat([x, x[:1]], tf.cast(k * 0, tf.int32))[:6]


def _split(x, k):
    return tf.split(tf.concat([x, x], 0), 2)[1]


def _slice(x, k):
    begin = tf.minimum(tf.cast(k, tf.int32), _rows(x) - 1)
    return tf.slice(x, tf.stack([begin, 0]), [-1, -1])


def _strided(x, k):
    return x[tf.minimum(tf.cast(k, tf.int32), _rows(x) - 1) :: -1]


def _reverse(x, k):
    return tf.reverse(x, tf.reshape(k % 2, [1]))


def _gather(x, k):
    return tf.gather(x, tf.range(_rows(x)) * tf.cast(k, tf.int32) % _rows(x))


def _fill(x, k):
    return x + tf.fill(tf.shape(x), tf.cast(k, tf.float32))


def _one_hot(x, k):
    return x + tf.one_hot(k, tf.shape(x)[1])


def _arg_max(x, k):
    return x * tf.cast(1 + tf.argmax(x, k % 2)[0], tf.float32)


def _cumsum(x, k):
    return tf.cumsum(x, axis=k % 2) / 2


def _band(x, k):
    return tf.matrix_band_part(x, tf.cast(k, tf.int64) * 0, tf.cast(-1, tf.int64))


def _top(x, k):
    return tf.nn.top_k(x, k=tf.minimum(tf.shape(x)[1], 2)).values


def _expand(x, k):
    return tf.reshape(tf.expand_dims(x, k % 3), tf.shape(x))


def _broadcast(x, k):
    return tf.broadcast_to(x[:1], tf.shape(x)) + x


def _segments(x, k):
    ids = tf.range(_rows(x)) % 2
    return tf.unsorted_segment_sum(x, ids, tf.cast(k * 0, tf.int32) + 2)


def _cond(x, k):
    return tf.cond(k % 2 > 0, lambda: x + 1, lambda: x * 2)


def _stitch(x, k):
    return tf.dynamic_stitch([tf.range(_rows(x))[::-1]], [x])


_FUNCTIONS = [
    _reshape,
    _transpose,
    _pad,
    _tile,
    _sum,
    _concat,
    _split,
    _slice,
    _strided,
    _reverse,
    _gather,
    _fill,
    _one_hot,
    _arg_max,
    _cumsum,
    _band,
    _top,
    _expand,
    _broadcast,
    _segments,
    _cond,
    _stitch,
]


def _program(random, places):
    """Fetches of a program of ten ops, each within ``tf.device`` of one of ``places``."""
    x = tf.placeholder(tf.float32, [None, None], name="x")
    k32 = tf.placeholder(tf.int32, [], name="k32")
    k64 = tf.placeholder(tf.int64, [], name="k64")
    values = [x]
    for _ in range(10):
        function = _FUNCTIONS[random.integers(len(_FUNCTIONS))]
        k = (k32, k64)[random.integers(2)]
        place = places[random.integers(len(places))]
        value = values[random.integers(len(values))]
        with tf.device(place):
            values.append(function(value, k))
    return values[1:], {
        x: np.arange(12, dtype=np.float32).reshape(3, 4) % 5,
        k32: 1 + random.integers(4),
        k64: 1 + random.integers(4),
    }


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_on_random_devices_compute_what_one_cpu_computes(seed):
    found = []
    for places in ([""] * len(_PLACES), _PLACES):
        with tf.Graph().as_default():
            found.append(_run(*_program(np.random.default_rng(seed), places))[0])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", _FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("integer", ["int32", "int64"])
def test_an_op_on_a_gpu_computes_what_it_computes_on_the_cpu(function, integer):
    x = tf.placeholder(tf.float32, [3, 4])
    k = tf.placeholder(integer, [])
    here = function(x, k)
    with tf.device("/gpu:0"):
        there = function(x, k)
    one, other = _run([here, there], {x: np.arange(12).reshape(3, 4) % 5, k: 3})[0]
    np.testing.assert_array_equal(one, other)


# ---- What is copied --------------------------------------------------------------------


def test_a_shape_is_worked_out_on_the_host_of_a_gpu():
    x = tf.placeholder(tf.float32, [None, 4])
    with tf.device("/gpu:0"):
        shape = tf.shape(x)
        y = tf.reshape(x, tf.stack([shape[0] * 2, shape[1] // 2]))
    found, transfers = _run(y, {x: np.ones([3, 4])})
    assert found.shape == (6, 2)
    # x goes to the GPU and y comes back; nothing else is copied.
    assert transfers["bytes_copied"] == 2 * 48


def test_a_loop_counter_stays_on_the_host_of_a_gpu():
    with tf.device("/gpu:0"):
        x = tf.constant([1.0, 2.0])
        total = tf.while_loop(
            lambda i, _: i < 100, lambda i, y: (i + 1, y + x), [tf.constant(0), x]
        )[1]
    found, transfers = _run(total)
    np.testing.assert_array_equal(found, [101, 202])
    assert transfers["bytes_copied"] == 8


def test_a_condition_that_lies_on_the_gpu_is_copied_in_each_iteration():
    with tf.device("/gpu:1"):
        x = tf.constant(1.0)
        total = tf.while_loop(lambda y: y < 10.0, lambda y: y + x, [x], back_prop=False)
    found, transfers = _run(total)
    assert found == 10
    assert transfers["bytes_copied"] == 10 + 4  # ten times whether y < 10, and the total


def test_gradients_through_a_loop_on_a_gpu():
    def gradient(device):
        with tf.device(device):
            w = tf.constant([[0.5, -1.0], [2.0, 0.25]])
            y = tf.while_loop(
                lambda i, _: i < 4,
                lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))),
                [tf.constant(0), tf.ones([3, 2])],
            )[1]
            return tf.gradients(y, w)[0]

    one, other = _run([gradient("/cpu:0"), gradient("/gpu:0")])[0]
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_branch_that_is_not_taken_is_dead_on_the_host_of_a_gpu():
    pred = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        size = tf.cast(tf.size(x), tf.int64)  # int64: in the memory of the GPU
        y = tf.cond(pred, lambda: tf.fill(tf.reshape(size, [1]), 2.0), lambda: x)
    for taken, expected in ((True, [2, 2, 2]), (False, [5, 6, 7])):
        found, _ = _run(y, {pred: taken, x: [5, 6, 7]})
        np.testing.assert_array_equal(found, expected)


def test_an_int32_variable_on_a_gpu():
    with tf.device("/gpu:0"):
        v = tf.get_variable("v", initializer=tf.constant([3, 4]), use_resource=True)
        add = v.assign_add([1, 1])
        y = tf.fill(v, 1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(add.op)
        assert session.run(y).shape == (4, 5)
