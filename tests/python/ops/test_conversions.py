"""Arguments of other types than wanted: TensorFlow's exceptions, in both modes."""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context

NARROW, WIDE, WHOLE = np.float32([1.5]), np.float64([2.5]), np.int32([3])


def in_graph(call):
    with tf.Graph().as_default():
        return call()


def eagerly(call):
    with context.entered(None):
        return call()


def c(value):
    return tf.constant(value)


# Tensors of two types: TypeError when a node is made, another one when an op runs.
MIXED = [
    lambda: tf.add_n([c(NARROW), c(WIDE)]),
    lambda: tf.concat([c(NARROW), c(WHOLE)], 0),
    lambda: tf.stack([c(NARROW), c(WIDE)], 1),
    lambda: tf.shape_n([c(WIDE), c(NARROW)]),
    lambda: tf.dynamic_stitch([[0], [1]], [c(NARROW), c(WIDE)]),
    lambda: tf.slice(c(WHOLE), c([0]), c(np.array([1]))),
    lambda: tf.scatter_nd(c([[0]]), [1.5], c(np.array([4]))),
    lambda: tf.clip_by_global_norm([c(WIDE), c(NARROW)], 1.0),
    lambda: tf.searchsorted(c(NARROW), c(WIDE)),
    lambda: tf.tensordot(c(NARROW), c(WIDE), 1),
    lambda: tf.math.polyval([c(NARROW), c(WIDE), c(NARROW)], c(NARROW)),
    lambda: tf.convert_to_tensor([c(NARROW), c(WHOLE)]),
]


@pytest.mark.parametrize("call", MIXED)
def test_tensors_of_two_types(call):
    with pytest.raises(TypeError, match="float|int64"):
        in_graph(call)
    with pytest.raises(tf.errors.InvalidArgumentError, match="float|int"):
        eagerly(call)


# The first argument decides in a graph; in eager mode the one that is a tensor does.
FIRST_DECIDES = [
    lambda: tf.equal(1.0, c(WIDE)),
    lambda: tf.floordiv(1.0, c(WIDE)),
    lambda: tf.pow(1.0, c(WIDE)),
    lambda: tf.maximum(1.0, c(WIDE)),
    lambda: tf.igammac([1.0], c(WIDE)),
    lambda: tf.scatter_nd([[0]], [1.5], c(np.array([4]))),
]


@pytest.mark.parametrize("call", FIRST_DECIDES)
def test_a_number_before_a_tensor(call):
    with pytest.raises(TypeError, match="does not match type"):
        in_graph(call)
    assert eagerly(call) is not None


OPERATORS = [
    (lambda x: 2.0 * x, "mul/x"),
    (lambda x: 1 - x, "sub/x"),
    (lambda x: 2**x, "pow/x"),
    (lambda x: 1 / x, "truediv/x"),
    (lambda x: 5 // x, "floordiv/x"),
    (lambda x: [[1.0]] @ x[:, None], "matmul/x"),
    (lambda x: np.array([1]) + x, "add/x"),
]


@pytest.mark.parametrize(("call", "name"), OPERATORS)
def test_an_operator_gives_both_sides_the_type_of_the_tensor(call, name):
    y = in_graph(lambda: call(c(WIDE)))
    assert y.dtype is tf.float64
    assert y.op.inputs[0].op.name == name
    assert eagerly(lambda: call(c(WIDE))).dtype is tf.float64


@pytest.mark.parametrize("run", [in_graph, eagerly])
def test_functions_that_ask_for_one_type(run):
    for call in (
        lambda: tf.truediv(c(NARROW), c(WIDE)),
        lambda: tf.truediv(1.0, c(WIDE)),
        lambda: tf.div_no_nan(c(NARROW), c(WIDE)),
        lambda: tf.complex(c(NARROW), c(WIDE)),
        lambda: tf.complex(c(NARROW), 2),
        lambda: tf.real(c([True])),
        lambda: tf.concat([c(NARROW)], 1.5),
    ):
        with pytest.raises(TypeError):
            run(call)
    for call in (
        lambda: tf.div(c(NARROW), c(WHOLE)),
        lambda: tf.math.multiply_no_nan(c(WIDE), c(NARROW)),
        lambda: tf.split(c([1.0, 2.0]), 1.5),
        lambda: c([1.0])[True],
    ):
        with pytest.raises(ValueError, match="dtype|sizes|mask"):
            run(call)


def test_an_axis_that_is_no_integer():
    for function in (tf.reduce_sum, tf.argmax):
        for run in (in_graph, eagerly):
            with pytest.raises(TypeError, match="float32"):
                run(lambda function=function: function(c(NARROW), 0.5))


def test_nothing_is_true_for_all_elements_of_an_empty_list():
    assert eagerly(lambda: tf.reduce_all([[], []]).numpy())
    assert not eagerly(lambda: tf.reduce_any([]).numpy())
    assert in_graph(lambda: tf.reduce_all([[], []])).dtype is tf.bool


def test_what_no_tensor_can_be_made_of():
    for value in ([1, "a"], ["a", 1], [1, None], object(), [object()], 2**70):
        with pytest.raises(TypeError, match="no tensor"):
            in_graph(lambda value=value: tf.constant(value))
        with pytest.raises(ValueError, match="no tensor"):
            eagerly(lambda value=value: tf.constant(value))


def test_in_eager_mode_the_first_element_says_what_the_others_are():
    for value in ([True, 1], [1, 2j], [1.5, 2j], [[True], [1.5]]):
        with pytest.raises(ValueError, match="mixed types"):
            eagerly(lambda value=value: tf.constant(value))
    assert in_graph(lambda: tf.constant([True, 1])).dtype is tf.int32
    assert eagerly(lambda: tf.constant([1, True])).dtype is tf.int32
    assert eagerly(lambda: tf.constant([2j, 1])).dtype is tf.complex128
    wide = eagerly(lambda: tf.constant([True, 2], tf.int64))
    assert wide.numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="mixed types"):
        eagerly(lambda: tf.constant([True, 2], tf.uint8))


def test_integers_of_more_than_63_bits():
    value = eagerly(lambda: tf.constant([1, 2**63], tf.uint64))
    assert value.numpy().tolist() == [1, 2**63]
    with pytest.raises(ValueError, match="out of range for uint64"):
        eagerly(lambda: tf.constant([-1, 2**63], tf.uint64))
    for run in (in_graph, eagerly):
        assert run(lambda: tf.constant([2**70, 1.5], tf.float32)).dtype is tf.float32
        with pytest.raises(ValueError, match="no float64 has room"):
            run(lambda: tf.constant(2**2000, tf.float32))
    assert eagerly(lambda: tf.constant([1.5, 2**70])).numpy()[1] == 2**70


def test_the_limits_of_bfloat16_have_more_than_64_bits():
    x = eagerly(lambda: tf.saturate_cast(c([3e38, -1e38]), tf.bfloat16))
    assert eagerly(lambda: tf.cast(x, tf.float32)).numpy()[0] > 2.9e38
    y = eagerly(lambda: tf.saturate_cast(x, tf.float32))
    assert y.numpy()[1] < -9e37


def test_a_number_of_numpy_becomes_what_the_tensor_is():
    for run in (in_graph, eagerly):
        y = run(lambda: c(WHOLE) / np.float64(2))
        assert y.dtype is tf.float64
    assert eagerly(lambda: c(WHOLE) / np.float64(2)).numpy().tolist() == [1.5]
    assert eagerly(lambda: tf.reduce_sum([[1.0, 2.0]], np.float64(0))).shape == (2,)


def test_there_is_no_text_of_ones():
    for run in (in_graph, eagerly):
        for call in (lambda: tf.ones([2], tf.string), lambda: tf.ones_like(c("a"))):
            with pytest.raises(TypeError, match="Expected string, got 1"):
                run(call)


def test_a_list_is_multiplied_by_a_tensor_of_any_type():
    y = eagerly(lambda: tf.cross([1, 2, 3], tf.constant([3.0, 2.0, 1.0])))
    assert y.numpy().tolist() == [-4, 8, -4]
    with pytest.raises(TypeError, match="Expected int32"):
        eagerly(lambda: tf.cross(tf.constant([1, 2, 3]), [1.5, 2.0, 3.0]))


def test_numbers_of_numpy_in_a_list():
    assert in_graph(lambda: tf.constant([np.float64(1), 2])).dtype is tf.float32
    assert eagerly(lambda: tf.constant([np.float64(1), 2])).dtype is tf.float64


def test_a_list_with_tensors_is_cast_if_a_type_is_asked_for():
    y = eagerly(lambda: tf.convert_to_tensor([c(1.5), 2, [c(3.0)][0]], tf.float64))
    assert (y.dtype, y.numpy().tolist()) == (tf.float64, [1.5, 2, 3])
    y = eagerly(lambda: tf.convert_to_tensor([[c(1.5)], [2]], tf.int32))
    assert y.numpy().tolist() == [[1], [2]]


def test_a_constant_is_filled_up():
    def filled():
        return tf.constant([1, 2], shape=[2, 2])

    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        assert session.run(filled()).tolist() == [[1, 2], [2, 2]]
    with pytest.raises(TypeError, match="4 elements or one, 2 were"):
        eagerly(filled)
    assert eagerly(lambda: tf.constant([7], shape=[2]).numpy()).tolist() == [7, 7]


def test_a_slice_cannot_begin_before_the_first_element():
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"begin in .* got -7"):
        tf.slice(tf.constant([1, 2]), [-7], tf.placeholder(tf.int32, [1]))
