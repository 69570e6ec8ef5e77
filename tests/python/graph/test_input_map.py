"""``input_map`` of ``tf.import_graph_def``: names that only an input mentions, too."""

import pytest

import minitf as tf


def part(*inputs):
    """A GraphDef whose only node takes ``inputs``."""
    message = tf.GraphDef()
    node = message.node.add(name="y", op="Exp")
    node.input.extend(inputs)
    node.attr["T"].type = 1
    return message


@pytest.mark.parametrize(
    ("key", "text"),
    [("x", "x"), ("x:0", "x"), ("x", "x:0"), (b"x:0", "x:0"), ("x:1", "x:1")],
)
def test_an_input_that_no_node_makes_is_mapped(key, text):
    with tf.Graph().as_default(), tf.Session() as session:
        zero = tf.constant(0.0)
        [y] = tf.import_graph_def(part(text), {key: zero}, ["y:0"])
        assert y.op.inputs[0] is zero
        assert session.run(y) == 1.0


def test_a_control_input_that_no_node_makes_is_mapped():
    with tf.Graph().as_default(), tf.Session() as session:
        zero = tf.constant(0.0)
        [y] = tf.import_graph_def(part("x", "^c"), {"x": zero, "^c": zero}, ["y:0"])
        assert [op.name for op in y.op.control_inputs] == ["Const"]
        assert session.run(y) == 1.0


@pytest.mark.parametrize("key", ["z", "z:1", "x:2", "^z", "y:1"])
def test_a_key_that_nothing_mentions_is_refused(key):
    with tf.Graph().as_default():
        zero = tf.constant(0.0)
        with pytest.raises(ValueError, match="not found in graph_def"):
            tf.import_graph_def(part("x"), {"x": zero, key: zero})


def test_an_input_without_a_node_is_refused_if_it_is_not_mapped():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Unknown input node 'x'"):
            tf.import_graph_def(part("x"))
        with pytest.raises(ValueError, match="Unknown input node '\\^x'"):
            tf.import_graph_def(part("x:0", "^x"), {"x": tf.constant(0.0)})
