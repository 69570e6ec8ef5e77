"""Static shapes beside TensorFlow's: what a graph knows of a result before it runs."""

import re

import pytest
import tensorflow_shapes as theirs

import minitf as tf
from minitf import families

ROWS = theirs.read()

# Where minitf says so when the node is made, and TensorFlow's kernel when it runs: of the
# calls of these functions that minitf refuses, none could run.
REFUSED_EARLIER = {
    "argmax",  # of a scalar
    "conv2d_backprop_filter",  # sizes that do not belong together
    "conv2d_backprop_input",
    "broadcast_to",  # a size of 0 that is to be another, a negative size
    "matrix_set_diag",  # a diagonal of another batch
    "random_normal",  # negative sizes
    "reshape",
    "scatter_nd",
    "segment_sum",  # as many ids as rows
    "slice",  # beyond the end
    "tile",  # negative multiples
}

# Where constant ids tell how many rows there are, which TensorFlow leaves unknown.
KNOWN_FROM_CONSTANTS = {"sparse_segment_sum"}


def refines(ours, wanted):
    return re.fullmatch(re.escape(wanted).replace(r"\?", r"(\?|\d+)"), ours)


def function(expression):
    return re.search(r"[a-z0-9_]+(?=\()", expression.replace("tf.", ""))[0]


def test_the_table_is_that_of_the_expressions():
    assert [expression for expression, _ in ROWS] == theirs.expressions()


FAMILIES = sorted({function(expression) for expression, _ in ROWS})


@pytest.mark.parametrize("family", FAMILIES)
def test_shapes_are_those_of_tensorflow(family):
    wrong = []
    for expression, wanted in ROWS:
        is_here = "tf.image." not in expression or "image" in families.present
        if function(expression) != family or not is_here:
            continue
        ours = theirs.evaluate(tf, expression)
        is_earlier = ours == "ValueError" != wanted and family in REFUSED_EARLIER
        is_known = family in KNOWN_FROM_CONSTANTS and refines(ours, wanted)
        if ours != wanted and not is_earlier and not is_known:
            wrong.append(f"{expression}: {ours}, wanted {wanted}")
    assert not wrong, "\n".join(wrong)


def test_a_list_of_very_many_sizes_is_no_shape():
    sizes = tf.placeholder(tf.int32, [2**40])
    for call in (
        tf.zeros,
        lambda sizes: tf.slice(tf.placeholder(tf.float32), sizes, sizes),
    ):
        with pytest.raises(ValueError, match="at most 254 axes, not 1099511627776"):
            call(sizes)


def test_the_shape_of_a_variable_is_known_in_loops_and_branches():
    ids = tf.placeholder(tf.int32, [None])
    table = tf.get_variable("table", [5, 3], use_resource=True)
    seen = []

    def look_up(i):
        seen.append(tf.nn.embedding_lookup(table, ids).shape.as_list())
        seen.append(tf.zeros(tf.shape(table)[1:]).shape.as_list())
        return i + 1

    tf.while_loop(lambda i: i < 2, look_up, [0])
    tf.cond(tf.placeholder(tf.bool, []), lambda: look_up(1), lambda: 2)
    assert seen == [[None, 3], [3]] * 2


def test_the_gradient_of_a_pooling_has_four_axes():
    images = tf.placeholder(tf.float32)
    gradient = tf.raw_ops.MaxPoolGrad(
        orig_input=images,
        orig_output=images,
        grad=images,
        ksize=[1, 2, 2, 1],
        strides=[1, 1, 1, 1],
        padding="SAME",
    )
    assert gradient.shape.as_list() == [None] * 4
