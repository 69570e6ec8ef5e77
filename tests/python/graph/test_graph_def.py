"""GraphDef: out of a graph, into another, through files, and to TensorFlow and back."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import peers
import pytest
from google.protobuf import text_format

import minitf as tf
from minitf.framework import messages


def small_net():
    """A small net whose weights are constants; its input is x, its output is y."""
    random = np.random.RandomState(1)
    x = tf.placeholder(tf.float32, [None, 8, 8, 2], name="x")
    kernel = tf.constant(random.randn(3, 3, 2, 4).astype(np.float32), name="kernel")
    y = tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME", name="conv")
    y = tf.nn.relu(tf.nn.bias_add(y, tf.constant([0.1, 0.2, 0.3, 0.4]), name="bias"))
    y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pool")
    y = tf.reshape(y, [-1, 16], name="flat")
    weights = tf.constant(random.randn(16, 3).astype(np.float32), name="weights")
    return tf.nn.softmax(tf.matmul(y, weights, name="product"), name="y")


IMAGES = np.random.RandomState(2).randn(5, 8, 8, 2).astype(np.float32)


def run(graph, output="y:0"):
    with tf.Session(graph=graph) as session:
        return session.run(output, {"x:0": IMAGES})


def test_another_process_runs_the_graph_from_its_file(tmp_path):
    with tf.Graph().as_default() as graph:
        small_net()
    expected = run(graph)
    path = tf.train.write_graph(graph, str(tmp_path / "new"), "net.pb", as_text=False)
    np.save(tmp_path / "images.npy", IMAGES)
    script = f"""
import numpy as np, minitf as tf
graph_def = tf.GraphDef.FromString(open({path!r}, "rb").read())
x, y = tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"])
with tf.Session() as session:
    np.save({str(tmp_path / "y.npy")!r},
            session.run(y, {{x: np.load({str(tmp_path / "images.npy")!r})}}))
"""
    subprocess.run(
        [sys.executable, "-c", script], check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), expected)


def test_text_and_bytes_give_the_graph_again(tmp_path):
    with tf.Graph().as_default() as graph:
        small_net()
    for as_text in (True, False):
        path = tf.train.write_graph(graph, tmp_path, "g", as_text=as_text)
        data = Path(path).read_bytes()
        read = tf.GraphDef()
        if as_text:
            text_format.Parse(data, read)
        else:
            read.ParseFromString(data)
        assert read == graph.as_graph_def()
        with tf.Graph().as_default() as again:
            tf.import_graph_def(read, name="")
        assert again.as_graph_def() == graph.as_graph_def()


def test_what_a_node_looks_like():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.device("/cpu:0"), tf.control_dependencies([x]):
        parts = tf.split(x, 3, axis=1, name="parts")
        y = tf.add(parts[0], parts[2], name="y")
    graph_def = tf.get_default_graph().as_graph_def(add_shapes=True)
    assert graph_def.versions.producer == 134
    node = graph_def.node[-1]
    assert node == text_format.Parse(
        """name: "y" op: "Add" input: "parts" input: "parts:2"
        device: "/device:CPU:0"
        attr { key: "T" value { type: DT_FLOAT } }
        attr { key: "_output_shapes" value { list { shape {
            dim { size: -1 } dim { size: 1 } } } } }""".replace(
            "/device:CPU:0", y.op.device
        ),
        tf.NodeDef(),
    )
    assert y.op.node_def.attr["T"].type == 1
    assert "_output_shapes" not in y.op.node_def.attr
    assert str(y.op).startswith('name: "y"\nop: "Add"\n')


def test_from_version_gives_what_was_added_since():
    graph = tf.get_default_graph()
    tf.constant(1.0, name="a")
    version = graph.version
    tf.constant(1.0, name="b")
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b"]


def test_input_map_puts_other_tensors_in_place():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.square(tf.add(x, 1.0, name="sum"), name="y")
    ten = tf.constant(10.0)
    y, sum_op = tf.import_graph_def(
        graph.as_graph_def(), {"x:0": ten}, ["y:0", "sum"], name="part"
    )
    assert (y.name, sum_op.name, sum_op.inputs[0]) == ("part/y:0", "part/sum", ten)
    (again,) = tf.import_graph_def(
        graph.as_graph_def(), {"sum": 3.0}, ["y:0"], name="part"
    )
    assert again.name == "part_1/y:0"
    with tf.Session() as session:
        assert session.run([y, again]) == [121.0, 9.0]


def test_scopes_reach_imported_nodes():
    with tf.Graph().as_default() as graph:
        with tf.device("/gpu:1"):
            tf.constant(1.0, name="mine")
        tf.constant(1.0, name="open")
    first = tf.no_op("first")
    with tf.device("/job:worker"), tf.control_dependencies([first]):
        mine, other = tf.import_graph_def(
            graph.as_graph_def(), return_elements=["mine", "open"]
        )
    assert mine.device == "/job:worker/device:GPU:1" or mine.device == "/job:worker/gpu:1"
    assert other.device == "/job:worker"
    assert other.control_inputs == [first]


def test_the_oldest_maker_counts():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
    old = tf.Session(graph=graph).graph_def
    assert old == graph.as_graph_def()
    assert old.versions.producer == tf.GRAPH_DEF_VERSION == 134
    assert old.versions.min_consumer == tf.GRAPH_DEF_VERSION_MIN_CONSUMER
    old.versions.producer = 27
    old.versions.min_consumer = 12
    with tf.Graph().as_default() as empty:
        tf.import_graph_def(old, name="")
        assert empty.graph_def_versions.producer == 27
        assert empty.as_graph_def().versions.min_consumer == 12
    with tf.Graph().as_default() as other:
        tf.constant(1.0)
        tf.import_graph_def(old)
        assert other.graph_def_versions.producer == 27


def test_a_loop_comes_back_and_runs():
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [], name="n")
        _, total = tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0), 0]
        )
        tf.identity(total, name="total")
    graph_def = graph.as_graph_def()
    merges = [node for node in graph_def.node if node.op == "Merge"]
    assert any("NextIteration" in node.input[1] for node in merges)
    n, total = tf.import_graph_def(graph_def, return_elements=["n:0", "total:0"])
    with tf.Session() as session:
        assert session.run(total, {n: 10}) == 45


def text(source):
    return text_format.Parse(source, tf.GraphDef())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "node { name: 'a' op: 'NoOp' input: '^b' }",
            "Node 'a': Unknown input node '.b'",
        ),
        ("node { name: 'a' op: 'NoOp' } " * 2, "Node 'a' is not unique"),
        ("node { name: 'a' op: 'NoOp' input: '^a' }", "cycle of 1 nodes: 'a'"),
        ("node { name: 'a b' op: 'NoOp' }", "'import/a b' is not a valid node name"),
        ("node { name: 'a' op: 'Const' }", r"'import/a' \(Const\): attribute 'value' is"),
        ("versions { min_consumer: 500 }", "min consumer version 500 above"),
    ],
)
def test_what_makes_no_sense_is_a_value_error(source, message):
    graph = tf.get_default_graph()
    with pytest.raises(ValueError, match=message):
        tf.import_graph_def(text(source))
    assert graph.num_operations == 0


def test_an_unknown_op_is_named():
    with pytest.raises(tf.errors.NotFoundError, match="'Matmul', of node 'a'.*'MatMul'"):
        tf.import_graph_def(text("node { name: 'a' op: 'Matmul' }"))


def test_arguments_of_the_wrong_kind():
    graph_def = tf.GraphDef()
    with pytest.raises(TypeError, match="graph_def must be a GraphDef proto"):
        tf.import_graph_def("graph")
    with pytest.raises(TypeError, match="input_map must be a dictionary"):
        tf.import_graph_def(graph_def, input_map=[1])
    with pytest.raises(TypeError, match="return_elements must be a list of strings"):
        tf.import_graph_def(graph_def, return_elements=[7])
    with pytest.raises(ValueError, match="Cannot convert 'a:b' to a tensor name"):
        tf.import_graph_def(graph_def, return_elements=["a:b"])
    with pytest.raises(ValueError, match="return tensor 'a:0' not found in graph def"):
        tf.import_graph_def(graph_def, return_elements=["a:0"])
    with pytest.raises(ValueError, match=r"not found in graph_def: \[nope:3\]"):
        tf.import_graph_def(graph_def, input_map={"nope:3": tf.constant(1)})
    with pytest.raises(ValueError, match="non-empty `name`"):
        tf.import_graph_def(graph_def, input_map={"a": 1}, name="")
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.import_graph_def(graph_def)


def test_threads_may_import_at_once():
    with tf.Graph().as_default() as source:
        small_net()
    graph_def = source.as_graph_def()
    graph = tf.Graph()

    def work():
        with graph.as_default():
            for _ in range(20):
                tf.import_graph_def(graph_def)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert graph.num_operations == 80 * len(graph_def.node)


def test_extract_sub_graph():
    a = tf.constant(1.0, name="a")
    with tf.control_dependencies([tf.no_op("wait")]):
        b = tf.square(a, name="b")
    tf.exp(b, name="c")
    graph_def = tf.get_default_graph().as_graph_def()
    part = tf.graph_util.extract_sub_graph(graph_def, ["b"])
    assert [node.name for node in part.node] == ["a", "wait", "b"]
    assert part.versions == graph_def.versions
    with pytest.raises(AssertionError, match="d is not in graph"):
        tf.graph_util.extract_sub_graph(graph_def, ["d"])
    with pytest.raises(TypeError, match="dest_nodes must be a list"):
        tf.graph_util.extract_sub_graph(graph_def, "b")


def test_remove_training_nodes():
    a = tf.constant(2.0, name="a")
    b = tf.identity(tf.identity(a, name="i"), name="j")
    tf.square(b, name="y")
    slim = tf.graph_util.remove_training_nodes(tf.get_default_graph().as_graph_def())
    assert [node.name for node in slim.node] == ["a", "y"]
    assert slim.node[1].input == ["a"]


def test_variables_become_constants():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    y = tf.add(tf.matmul(x, w), b, name="y")
    convert = tf.graph_util.convert_variables_to_constants
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(b, [5.0]))
        graph_def = session.graph.as_graph_def()
        frozen = convert(session, graph_def, ["y"])
        expected = session.run(y, {x: [[1, 2]]})
        half = convert(session, graph_def, ["y"], variable_names_blacklist=["b"])
    assert "VarHandleOp" not in {node.op for node in frozen.node}
    assert [node.name for node in half.node if node.op == "VarHandleOp"] == ["b"]
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(frozen, return_elements=["y:0"], name="")
        assert session.run(y, {"x:0": [[1, 2]]}) == expected == [[8.0]]


# ---- TensorFlow ------------------------------------------------------------------------

RUN_IN_TENSORFLOW = """
import sys, numpy as np, tensorflow.compat.v1 as tf
from google.protobuf import text_format
path, images, out = sys.argv[1:]
graph_def = tf.GraphDef()
if path.endswith("txt"):
    text_format.Parse(open(path).read(), graph_def)
else:
    graph_def.ParseFromString(open(path, "rb").read())
with tf.Graph().as_default(), tf.Session() as session:
    (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
    np.save(out, session.run(y, {"x:0": np.load(images)}))
"""


def test_a_node_without_an_op_is_refused():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a")
    with pytest.raises(ValueError, match="Node 'a' does not specify an operation"):
        tf.import_graph_def(graph_def)


def test_attributes_that_came_later_go_if_they_have_their_default():
    later = text(
        "node { name: 'a' op: 'NoOp' attr { key: 'flag' value { b: false } }"
        " attr { key: '_hint' value { b: true } } }"
    )
    ops = text_format.Parse(
        "op { name: 'NoOp' attr { name: 'flag' type: 'bool' "
        "default_value { b: false } } }",
        messages.get("OpList")(),
    )
    with pytest.raises(ValueError, match="has no attribute 'flag'"):
        tf.import_graph_def(later)
    (a,) = tf.import_graph_def(later, return_elements=["a"], producer_op_list=ops)
    assert a.get_attr("_hint") is True
    later.node[0].attr["flag"].b = True
    with pytest.raises(ValueError, match="has no attribute 'flag'"):
        tf.import_graph_def(later, producer_op_list=ops)


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.peers("tensorflow")
def test_tensorflow_runs_our_graph(tmp_path, as_text):
    with tf.Graph().as_default() as graph:
        small_net()
    name = "net.pbtxt" if as_text else "net.pb"
    path = tf.train.write_graph(graph, tmp_path, name, as_text=as_text)
    np.save(tmp_path / "x.npy", IMAGES)
    peers.run("tensorflow", RUN_IN_TENSORFLOW, path, tmp_path / "x.npy",
              tmp_path / "y.npy")  # fmt: skip
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), run(graph), atol=1e-5)


WRITE_IN_TENSORFLOW = """
import sys, numpy as np, tensorflow.compat.v1 as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_registry
folder, = sys.argv[1:]
tf.disable_v2_behavior()
with tf.Graph().as_default() as graph, tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 8, 8, 2], name="x")
    w = tf.get_variable("w", [3, 3, 2, 4], use_resource=True)
    y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID")
    y = tf.nn.avg_pool(tf.nn.relu(y), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    y = tf.reshape(y, [-1, 36])
    b = tf.get_variable("b", [36, 7], use_resource=True)
    y = tf.matmul(y, b, name="product") + tf.range(7, dtype=tf.float32)
    y = tf.concat([y, tf.zeros([tf.shape(y)[0], 1])], axis=1)
    y = tf.identity(tf.nn.log_softmax(y), name="y")
    session.run(tf.global_variables_initializer())
    frozen = tf.graph_util.convert_variables_to_constants(
        session, graph.as_graph_def(), ["y"])
    open(folder + "/net.pb", "wb").write(frozen.SerializeToString())
    ops = op_def_pb2.OpList(op=[op_def_registry.get(n.op) for n in frozen.node])
    open(folder + "/ops.pb", "wb").write(ops.SerializeToString())
    np.save(folder + "/y.npy", session.run(y, {x: np.load(folder + "/x.npy")}))
"""


@pytest.mark.peers("tensorflow")
def test_we_run_tensorflows_graph(tmp_path):
    np.save(tmp_path / "x.npy", IMAGES)
    peers.run("tensorflow", WRITE_IN_TENSORFLOW, tmp_path)
    graph_def = tf.GraphDef.FromString((tmp_path / "net.pb").read_bytes())
    # A newer TensorFlow's ops have attributes that those of 1.15 do not have.
    ops = messages.get("OpList").FromString((tmp_path / "ops.pb").read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="", producer_op_list=ops)
    np.testing.assert_allclose(run(graph), np.load(tmp_path / "y.npy"), atol=1e-5)
