"""Static shapes beside TensorFlow's: what a graph knows of a result before it runs."""

import re

import pytest
import tensorflow_shapes as theirs

import minitf as tf

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


def function(expression):
    return re.search(r"[a-z0-9_]+(?=\()", expression.replace("tf.", ""))[0]


def test_the_table_is_that_of_the_expressions():
    assert [expression for expression, _ in ROWS] == theirs.expressions()


FAMILIES = sorted({function(expression) for expression, _ in ROWS})


@pytest.mark.parametrize("family", FAMILIES)
def test_shapes_are_those_of_tensorflow(family):
    wrong = []
    for expression, wanted in ROWS:
        if function(expression) != family:
            continue
        ours = theirs.evaluate(tf, expression)
        is_earlier = ours == "ValueError" != wanted and family in REFUSED_EARLIER
        if ours != wanted and not is_earlier:
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
