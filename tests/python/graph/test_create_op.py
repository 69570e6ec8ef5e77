"""``Graph.create_op``, attributes as messages, tracebacks, feeds that are prevented."""

import threading

import numpy as np
import pytest

import minitf as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def attr(**value):
    return tf.AttrValue(**value)


def test_create_op_makes_names_unique_and_takes_the_ops_for_default(graph):
    pair = [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]
    names = [graph.create_op("Add", pair, name=name).name for name in ("s", "s", None)]
    assert names == ["s", "s_1", "Add"]
    with tf.Session() as session:
        assert session.run("s:0").tolist() == [4.0, 6.0]


def test_create_op_takes_attributes_as_messages(graph):
    x = tf.constant([[1.0, 2.0]])
    op = graph.create_op(
        "MatMul", [x, x], [tf.float32], name="m", attrs={"transpose_b": attr(b=True)}
    )
    shape = tf.TensorShape([2]).as_proto()
    placeholder = graph.create_op(
        "Placeholder",
        [],
        attrs={"dtype": attr(type=1), "shape": attr(shape=shape), "_note": attr(i=7)},
    )
    assert op.get_attr("transpose_b") is True
    assert placeholder.outputs[0].shape.as_list() == [2]
    assert placeholder.get_attr("_note") == 7
    with tf.Session() as session:
        assert session.run(op.outputs[0]).tolist() == [[5.0]]


def test_create_op_finds_the_lengths_of_lists_in_the_attributes(graph):
    x = tf.constant([1, 2])
    op = graph.create_op("DynamicStitch", [x, x - 1, x, x * 10], attrs={"N": attr(i=2)})
    with tf.Session() as session:
        # Rows 1 and 2 come first, then rows 0 and 1.
        assert session.run(op.outputs[0]).tolist() == [10, 20, 2]


def test_create_op_compares_what_it_is_told(graph):
    x = tf.constant([1.0])
    with pytest.raises(TypeError, match="Input #1 is not a tensor: 1.0"):
        graph.create_op("Add", [x, 1.0])
    with pytest.raises(TypeError, match="not compatible with expected types"):
        graph.create_op("Add", [x, x], input_types=[tf.int32, tf.int32])
    with pytest.raises(TypeError, match=r"outputs of types \[tf.float32\]"):
        graph.create_op("Add", [x, x], dtypes=[tf.int32])
    with pytest.raises(ValueError, match="op_def defines Sub; expected Add"):
        graph.create_op("Add", [x, x], op_def=(x - x).op.op_def)
    with pytest.raises(tf.errors.NotFoundError, match="not registered 'Nope'"):
        graph.create_op("Nope", [])


def test_create_op_leaves_the_device_open_if_asked_to(graph):
    x = tf.constant(1.0)
    with tf.device("/cpu:0"):
        assert graph.create_op("Neg", [x]).device == "/cpu:0"
        assert graph.create_op("Neg", [x], compute_device=False).device == ""


def test_an_attribute_is_set_to_a_message_of_any_kind(graph):
    op = tf.constant(1.0).op
    shapes = attr(list=dict(shape=[tf.TensorShape([2, None]).as_proto()]))
    op._set_attr("_a", attr(s=b"text"))
    op._set_attr("_b", attr(type=tf.int64.as_datatype_enum))
    op._set_attr("_c", shapes)
    op._set_attr("_d", attr(tensor=tf.make_tensor_proto([1, 2])))
    assert op.get_attr("_a") == b"text"
    assert op.get_attr("_b") == tf.int64
    assert op.node_def.attr["_c"].list.shape[0].dim[1].size == -1
    assert op.get_attr("_d").numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="has no value"):
        op._set_attr("_e", attr())
    with pytest.raises(TypeError, match="no function"):
        op._set_attr("_f", attr(func=dict(name="f")))


def test_the_gradient_of_a_py_func_is_chosen_by_an_attribute(graph):
    name = "TwiceTheGradient"
    tf.RegisterGradient(name)(lambda op, gradient: 2 * gradient * op.inputs[0])
    x = tf.constant([1.0, 3.0])
    with graph.gradient_override_map({"PyFunc": name}):
        y = tf.py_func(np.square, [x], tf.float32)
    z = tf.py_func(np.square, [x], tf.float32)
    z.op._set_attr("_gradient_op_type", attr(s=name.encode()))
    with tf.Session() as session:
        for result in (y, z):
            [gradient] = tf.gradients(result, [x])
            assert session.run(gradient).tolist() == [2.0, 6.0]


def test_a_traceback_has_the_users_functions_with_the_innermost_last(graph):
    def build():
        return tf.constant(1.0) * 2.0

    y = build()
    file, line, function, text = y.op.traceback[-1]
    assert file == __file__
    assert (function, text) == ("build", "return tf.constant(1.0) * 2.0")
    assert y.op.traceback[-2][2] == "test_" + (
        "a_traceback_has_the_users_functions_with_the_innermost_last"
    )
    assert y.op.traceback_with_start_lines[-1] == (file, line, function, text, line - 1)
    # A node that C++ has made has the line that called it.
    [gradient] = tf.gradients(y, [y.op.inputs[0]])
    assert "tf.gradients(y" in gradient.op.traceback[-1][3]


def test_no_value_may_be_fed_once_that_is_prevented(graph):
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    graph.prevent_feeding(x)
    assert not graph.is_feedable(x)
    assert graph.is_feedable(y)
    with tf.Session() as session:
        assert session.run(y + 1.0, {y: 1.0}) == 2.0
        with pytest.raises(ValueError, match="may not be fed"):
            session.run(x + y, {x: 1.0, y: 1.0})


def test_threads_start_with_the_scopes_of_switch_to_thread_local(graph):
    first = tf.constant(1.0)
    found = []

    def in_thread():
        with graph.as_default():
            op = tf.no_op()
            found.append((op.device, op.control_inputs))

    def run():
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()

    with graph.device("/cpu:0"), graph.control_dependencies([first]):
        run()
        graph.switch_to_thread_local()
    run()
    assert found == [("", []), ("/cpu:0", [first.op])]
    assert tf.no_op().device == ""


def test_no_graph_is_the_body_of_a_function(graph):
    assert graph.building_function is False
