"""Which kernel computes a node: the label that a scope of the graph gives it."""

import numpy as np
import pytest

import minitf as tf

A = np.random.default_rng(1).standard_normal((5, 7))
B = np.random.default_rng(2).standard_normal((7, 3))


def test_nodes_within_are_computed_by_the_kernel_of_the_label():
    with tf.Graph().as_default() as graph:
        with graph._kernel_label_map({"MatMul": "naive"}):
            naive = tf.matmul(A, B)
            other = tf.add(A, A)
        usual = tf.matmul(A, B)
        assert naive.op.get_attr("_kernel") == b"naive"
        for op in (usual.op, other.op):
            with pytest.raises(ValueError, match="_kernel"):
                op.get_attr("_kernel")
        with tf.Session() as session:
            for y in session.run([naive, usual]):
                np.testing.assert_allclose(y, A @ B, rtol=1e-12)


def test_the_inner_label_comes_before_the_outer_one_op_by_op():
    with tf.Graph().as_default() as graph:
        outer = {"MatMul": "naive", "Conv2D": "eigen"}
        with graph._kernel_label_map(outer), graph._kernel_label_map({"MatMul": "tiled"}):
            product = tf.matmul(A, B)
            image = tf.nn.conv2d(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)), 1, "VALID")
    assert product.op.get_attr("_kernel") == b"tiled"
    assert image.op.get_attr("_kernel") == b"eigen"


def test_labels_and_gradients_of_one_op_stand_side_by_side():
    with tf.Graph().as_default() as graph:
        labels = graph._kernel_label_map({"MatMul": "naive"})
        with labels, graph.gradient_override_map({"MatMul": "Some"}):
            op = tf.matmul(A, B).op
    assert op.get_attr("_kernel") == b"naive"
    assert op.get_attr("_gradient_op_type") == b"Some"


def test_a_label_that_no_kernel_has_is_named_when_the_node_runs():
    with tf.Graph().as_default() as graph:
        with graph._kernel_label_map({"MatMul": "fastest"}):
            y = tf.matmul(A, B)
        with (
            tf.Session() as session,
            pytest.raises(tf.errors.NotFoundError, match="label .fastest."),
        ):
            session.run(y)


@pytest.mark.parametrize("wrong", [None, ["MatMul"], {"MatMul": 1}, {1: "naive"}])
def test_a_map_is_from_names_to_names(wrong):
    with (
        tf.Graph().as_default() as graph,
        pytest.raises(TypeError, match="op_to_kernel_label_map"),
        graph._kernel_label_map(wrong),
    ):
        pass
