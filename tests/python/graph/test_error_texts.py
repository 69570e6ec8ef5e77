"""Errors name the call and the value, not a line inside of minitf or Python."""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context


def endless_list():
    items = []
    items.append(items)
    return items


def deep_list(depth):
    value = 1.0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (ValueError, "nested more than 100 deep", lambda: tf.sin(endless_list())),
        (ValueError, "nested more than 100 deep", lambda: tf.constant(deep_list(300))),
        (ValueError, "nested more than 200 deep", lambda: tf.group(endless_list())),
        (ValueError, "different lengths", lambda: tf.constant([["a"], ["b", "c"]])),
        (TypeError, "tf.assign needs a variable, not 'v'", lambda: tf.assign("v", 1)),
        (TypeError, "tf.assign_add needs a variable", lambda: tf.assign_add([1], 1)),
        (TypeError, "tf.scatter_mul needs a variable", lambda: tf.scatter_mul(1, 0, 1.0)),
        (TypeError, "tf.count_up_to needs", lambda: tf.count_up_to(3, 4)),
        (TypeError, "needs a variable", lambda: tf.variables_initializer([3])),
        (TypeError, "needs a session", lambda: tf.train.global_step(3, tf.constant(1))),
        (TypeError, "needs a graph", lambda: tf.train.get_global_step(graph=3)),
        (TypeError, "needs a session", lambda: tf.constant(1.0).eval(session="s")),
        (TypeError, "an Operation, not 3", lambda: tf.Graph().prevent_fetching(3)),
        (TypeError, "the name of an attribute", lambda: tf.no_op().get_attr(3)),
        (TypeError, "nodes are made by calling ops", lambda: tf.Operation(1, 2)),
        (TypeError, "tf.make_ndarray needs a TensorProto", lambda: tf.make_ndarray(3)),
        (TypeError, "a path is a string, not 3", lambda: tf.gfile.Exists(3)),
        (ValueError, "half a character", lambda: tf.gfile.Exists("\ud800")),
        (ValueError, "no UTF-8 form", lambda: tf.no_op(name="\ud800")),
        (ValueError, "no UTF-8 form", lambda: tf.no_op(name=b"\xff")),
        (TypeError, "a shape is a list of sizes", lambda: tf.TensorShape(tf.float32)),
        (IndexError, r"\(2, 3\) has no axis 5", lambda: tf.TensorShape([2, 3])[5]),
        (ValueError, "at most 254 axes", lambda: tf.TensorShape(None).with_rank(10**9)),
        (TypeError, "features must be a dict", lambda: tf.parse_example(b"", [3])),
        (
            KeyError,
            "no error has the code",
            lambda: tf.errors.exception_type_from_error_code(99),
        ),
        (TypeError, "Cannot convert value", lambda: tf.placeholder("\ud800")),
        (ValueError, "expected min_ndim=1, found ndim=0", lambda: tf.layers.flatten(3.0)),
        (TypeError, "takes integers, not 2.5", lambda: tf.squeeze([[1.0]], axis=2.5)),
        (
            TypeError,
            "takes integers, not inf",
            lambda: tf.nn.max_pool(np.ones([1, 2, 2, 1]), float("inf"), 1, "SAME"),
        ),
        pytest.param(
            ValueError,
            "must have rank 4",
            lambda: tf.image.sobel_edges(3.0),
            marks=pytest.mark.families("image"),
        ),
    ],
)
def test_says_what_was_wrong(error, text, call):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        call()


def test_a_record_is_bytes(tmp_path):
    text = "a record is bytes or a string, not 3"
    with (
        tf.python_io.TFRecordWriter(str(tmp_path / "f")) as writer,
        pytest.raises(TypeError, match=text),
    ):
        writer.write(3)


def test_a_session_that_was_not_entered_is_not_left():
    session = tf.Session()
    with pytest.raises(RuntimeError, match="was not entered"):
        session.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="has not entered"):
        session.as_default().__exit__(None, None, None)
    session.close()


def test_the_innermost_default_session_is_left_first():
    with tf.Session() as a, tf.Session() as b:
        with b.as_default(), a.as_default():
            scope = b.as_default()
            scope.__enter__()
            scope.__exit__()
            assert tf.get_default_session() is a
        assert tf.get_default_session() is b


def test_long_strings_take_no_more_memory_than_they_have():
    values = ["a" * 2**20] + ["b"] * 200_000  # an array of equal lengths has 200 GB
    with context.entered(None):
        tensor = tf.constant(values)
    assert tensor.shape.as_list() == [200_001]


def test_zeros_of_no_elements_may_have_huge_sizes():
    with tf.Graph().as_default(), tf.Session() as session:
        empty = tf.zeros([0, 2**31 - 1, 2**31 - 1])
        assert empty.shape.as_list() == [0, 2**31 - 1, 2**31 - 1]
        session.run(empty.op)
        assert session.run(tf.zeros([0, 3])).shape == (0, 3)


def test_a_layer_takes_plain_lists():
    with tf.Graph().as_default(), tf.Session() as session:
        flat = tf.layers.flatten([[[1.0, 2.0], [3.0, 4.0]]])
        np.testing.assert_array_equal(session.run(flat), [[1.0, 2.0, 3.0, 4.0]])


@pytest.mark.parametrize("kind", ["_Arg", "_Retval"])
def test_a_node_of_another_step_cannot_run(kind):
    definition = tf.GraphDef()
    node = definition.node.add(name="a", op=kind)
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["index"].i = 7
    if kind == "_Retval":
        source = definition.node.add(name="x", op="Placeholder")
        source.attr["dtype"].type = tf.float32.as_datatype_enum
        node.input.append("x")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(definition, name="")
        with pytest.raises(tf.errors.InvalidArgumentError, match="it cannot run in anot"):
            session.run("a")
        if kind == "_Arg":
            y = tf.negative(graph.get_tensor_by_name("a:0"))
            assert session.run(y, {"a:0": 2.0}) == -2.0


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("64 bits", lambda: tf.nn.max_pool(np.ones([1, 2, 2, 1]), 10**30, 1, "SAME")),
        ("half a character", lambda: tf.sin("\ud800")),
        ("half a character", lambda: tf.raw_ops.TextLineReaderV2(container="\ud800")),
        ("takes a DLPack capsule", lambda: tf.from_dlpack(3)),
        (
            r"from_dlpack: copy must be a bool or None, got \[1.0\]",
            lambda: tf.from_dlpack(np.ones(2), copy=[1.0]),
        ),
    ],
)
@pytest.mark.parametrize("eager", [False, True])
def test_values_that_cpp_cannot_have(text, call, eager):
    scope = context.entered(None) if eager else tf.Graph().as_default()
    with scope, pytest.raises((ValueError, TypeError), match=text):
        call()
