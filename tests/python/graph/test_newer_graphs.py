"""Graphs of a TensorFlow newer than 1.15, with attributes that its ops have got since."""

import numpy as np
import peers
import pytest
from google.protobuf import text_format

import minitf as tf


def text(source):
    return text_format.Parse(source, tf.GraphDef())


def attr(key, value):
    return f"attr {{ key: '{key}' value {{ {value} }} }}"


FLOATS = attr("dtype", "type: DT_FLOAT")
TWO = "shape { dim { size: 2 } }"

# What TensorFlow 2.21 writes of a variable, its first value and a product, cut down.
NET = f"""
node {{ name: 'w' op: 'VarHandleOp' {FLOATS} {attr("shape", TWO)}
  {attr("shared_name", "s: 'w'")} {attr("debug_name", "s: 'w/'")}
  {attr("allowed_devices", "list { }")} {attr("_class", "list { s: 'loc:@w' }")} }}
node {{ name: 'value' op: 'Const' {FLOATS}
  {
    attr(
        "value",
        "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } "
        "float_val: 3 float_val: 4 }",
    )
}
  experimental_type {{ type_id: TFT_PRODUCT args {{ type_id: TFT_TENSOR
    args {{ type_id: TFT_FLOAT }} }} }} }}
node {{ name: 'assign' op: 'AssignVariableOp' input: 'w' input: 'value' {FLOATS}
  {attr("validate_shape", "b: true")}
  {attr("_has_manual_control_dependencies", "b: true")} }}
node {{ name: 'read' op: 'ReadVariableOp' input: 'w' {FLOATS} }}
node {{ name: 'zero' op: 'Const' {attr("dtype", "type: DT_INT32")}
  {attr("value", "tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 }")} }}
node {{ name: 'row' op: 'ExpandDims' input: 'read' input: 'zero'
  {attr("T", "type: DT_FLOAT")} {attr("Tdim", "type: DT_INT32")} }}
node {{ name: 'y' op: 'MatMul' input: 'row' input: 'row' {attr("T", "type: DT_FLOAT")}
  {attr("transpose_a", "b: false")} {attr("transpose_b", "b: true")}
  {attr("grad_a", "b: true")} {attr("grad_b", "b: false")} }}
versions {{ producer: 2350 min_consumer: 12 }}
"""


def test_a_graph_with_variables_runs():
    assign, y = tf.import_graph_def(text(NET), return_elements=["assign", "y:0"], name="")
    with tf.Session() as session:
        session.run(assign)
        np.testing.assert_array_equal(session.run(y), [[25.0]])
    kept = {key for node in y.graph.as_graph_def().node for key in node.attr}
    assert not kept & {"debug_name", "allowed_devices", "validate_shape", "grad_a"}


TOP = f"""
node {{ name: 'x' op: 'Placeholder' {FLOATS} }}
node {{ name: 'k' op: 'Const' {attr("dtype", "type: DT_INT32")}
  {attr("value", "tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 }")} }}
node {{ name: 'top' op: 'TopKV2' input: 'x' input: 'k' {attr("T", "type: DT_FLOAT")}
"""


def test_the_value_that_changes_nothing_is_taken():
    old = attr("Tk", "type: DT_INT32") + attr("index_type", "type: DT_INT32")
    (top,) = tf.import_graph_def(text(TOP + old + "}"), return_elements=["top"])
    assert [output.dtype for output in top.outputs] == [tf.float32, tf.int32]


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            attr("index_type", "type: DT_INT16"),
            r"Node 'top' \(TopKV2\): attribute 'index_type' is newer than TensorFlow "
            "1.15; minitf has it as int32 only, not as int16",
        ),
        (attr("speed", "i: 3"), r"'import/top' \(TopKV2\): has no attribute 'speed'"),
    ],
)
def test_other_values_and_other_attributes_are_refused(new, message):
    with pytest.raises(ValueError, match=message):
        tf.import_graph_def(text(TOP + new + "}"))
    assert tf.get_default_graph().num_operations == 0


def test_shapes_that_the_file_knows_are_taken_over():
    known = attr("_output_shapes", f"list {{ {TWO} }}")
    float_type = attr("T", "type: DT_FLOAT")
    source = f"""node {{ name: 'x' op: 'Placeholder' {FLOATS} }}
                 node {{ name: 'y' op: 'Square' input: 'x' {float_type} {known} }}"""
    (y,) = tf.import_graph_def(text(source), return_elements=["y:0"])
    assert y.shape == [2]


def test_input_map_without_a_scope():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.square(x, name="y")
    ten = tf.constant(10.0, name="ten")
    (y,) = tf.import_graph_def(graph.as_graph_def(), {"x:0": ten}, ["y:0"], name="")
    assert (y.name, y.op.inputs[0]) == ("y:0", ten)
    with tf.Session() as session:
        assert session.run(y) == 100.0


TRAIN_IN_TENSORFLOW = """
import sys, numpy as np, tensorflow.compat.v1 as tf
folder, = sys.argv[1:]
tf.disable_v2_behavior()
tf.enable_resource_variables()
with tf.Graph().as_default() as graph, tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    ones = tf.ones_initializer()
    y = tf.matmul(x, tf.get_variable("w", [4, 3], initializer=ones))
    y = tf.nn.relu(y + tf.get_variable("b", [3], initializer=ones), name="y")
    top = tf.nn.top_k(y, 2)
    loss = tf.reduce_mean(tf.square(top.values - 1.0), name="loss")
    losses = []
    for optimizer in (tf.train.AdamOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9),
                      tf.train.FtrlOptimizer(0.1), tf.train.RMSPropOptimizer(0.1)):
        optimizer.minimize(loss, name=type(optimizer).__name__)
        losses.append(type(optimizer).__name__)
    tf.global_variables_initializer()
    tf.train.write_graph(graph, folder, "net.pb", as_text=False)
    tf.train.write_graph(graph, folder, "net.pbtxt")
    values = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)
    session.run("init")
    found = []
    for name in losses * 3:
        found.append(session.run(loss, {x: values}))
        session.run(name, {x: values})
    np.savez(folder + "/found.npz", names=losses * 3, found=found, x=values)
"""


@pytest.mark.peers("tensorflow")
@pytest.mark.parametrize("as_text", [True, False])
def test_we_train_a_net_of_tensorflow(tmp_path, as_text):
    peers.run("tensorflow", TRAIN_IN_TENSORFLOW, tmp_path)
    if as_text:
        graph_def = text((tmp_path / "net.pbtxt").read_text())
    else:
        graph_def = tf.GraphDef.FromString((tmp_path / "net.pb").read_bytes())
    tf.import_graph_def(graph_def, name="")
    saved = np.load(tmp_path / "found.npz")
    with tf.Session() as session:
        session.run("init")
        for name, wanted in zip(saved["names"], saved["found"], strict=True):
            loss = session.run("loss:0", {"x:0": saved["x"]})
            np.testing.assert_allclose(loss, wanted, rtol=1e-5)
            session.run(str(name), {"x:0": saved["x"]})
