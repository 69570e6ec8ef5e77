"""Building a graph: nodes, names, scopes, control inputs, devices, collections."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import minitf as tf


def test_printing_a_tensor_shows_name_shape_and_dtype():
    product = tf.matmul(tf.constant([[3.0, 3.0]]), tf.constant([[2.0], [2.0]]))
    assert str(product) == 'Tensor("MatMul:0", shape=(1, 1), dtype=float32)'
    assert repr(product) == "<tf.Tensor 'MatMul:0' shape=(1, 1) dtype=float32>"
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    assert str(x) == 'Tensor("x:0", shape=(?, 3), dtype=float32)'
    assert str(tf.placeholder(tf.int64)) == 'Tensor("Placeholder:0", dtype=int64)'


def test_names_are_made_unique():
    a = tf.constant([[1.0]])
    assert [tf.matmul(a, a).name for _ in range(3)] == [
        "MatMul:0",
        "MatMul_1:0",
        "MatMul_2:0",
    ]
    assert tf.constant(1, name="matmul").op.name == "matmul_3"


def test_constants_are_named_after_the_node_that_takes_them():
    total = tf.constant(1.0) + 2.0
    assert total.op.name == "add"
    assert [tensor.name for tensor in total.op.inputs] == ["Const:0", "add/y:0"]


def test_a_name_that_ends_in_a_slash_is_taken_as_it_is():
    with tf.name_scope("model") as scope:
        y = tf.constant(1.0)
        z = tf.add(y, y, name=scope)
    assert (y.name, z.name) == ("model/Const:0", "model:0")
    with tf.name_scope(scope):
        assert tf.constant(2.0).name == "model/Const_1:0"
    with tf.name_scope("model"):
        assert tf.constant(3.0).name == "model_1/Const:0"


def test_an_op_tells_what_it_is():
    x = tf.placeholder(tf.float32, [1, 5, 5, 3])
    w = tf.placeholder(tf.float32, [3, 3, 3, 8])
    with tf.device("/gpu:0"):
        y = tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME", name="conv")
    op = y.op
    assert (op.type, op.name, op.device) == ("Conv2D", "conv", "/gpu:0")
    assert op.inputs[0] is x and op.inputs[1] is w and op.outputs[0] is y
    assert op.get_attr("strides") == [1, 2, 2, 1]
    assert op.get_attr("padding") == b"SAME"
    assert op.get_attr("use_cudnn_on_gpu") is True
    assert op.get_attr("T") is tf.float32
    assert op.node_def.op == "Conv2D" and op.node_def.input == [
        "Placeholder",
        "Placeholder_1",
    ]
    with pytest.raises(ValueError, match="has no attr named 'color'"):
        op.get_attr("color")
    assert y.consumers() == [] and x.consumers() == [op]


def test_every_node_knows_the_line_that_made_it():
    x = tf.constant(1.0)
    assert x.op.origin.startswith("test_graph.py:")
    assert tf.layers.dense(tf.ones([1, 2]), 3).op.origin.startswith("test_graph.py:")


def test_elements_are_found_by_name():
    graph = tf.get_default_graph()
    x = tf.constant(1.0, name="x")
    assert graph.get_tensor_by_name("x:0") is x
    assert graph.get_operation_by_name("x") is x.op
    assert graph.as_graph_element("x") is x.op
    with pytest.raises(KeyError, match="'y', does not exist"):
        graph.get_tensor_by_name("y:0")
    with pytest.raises(KeyError, match="only has 1 outputs"):
        graph.get_tensor_by_name("x:1")
    with pytest.raises(ValueError, match='use "x:0"'):
        graph.get_tensor_by_name("x")
    with pytest.raises(KeyError, match="Operation not in the graph"):
        graph.get_operation_by_name("y")
    assert graph.as_graph_element(b"x:0") is x


@pytest.mark.parametrize("name", ["nope", "", "^x"])
def test_what_cannot_be_the_name_of_a_tensor(name):
    tf.constant(1.0, name="x")
    text = f"The name '{name}' looks like an (invalid) Operation name, not a Tensor."
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.get_default_graph().get_tensor_by_name(name)


def test_what_no_element_can_be():
    graph = tf.get_default_graph()
    x = tf.constant(1.0, name="x")
    for name in ("x:0:0", "x:", "x:y"):
        with pytest.raises(ValueError, match=f"'{name}' looks a like a Tensor name, but"):
            graph.get_tensor_by_name(name)
    with pytest.raises(ValueError, match="can't both be False"):
        graph.as_graph_element(x, False, False)
    for find, kind in (
        (graph.get_operation_by_name, "Operation"),
        (graph.get_tensor_by_name, "Tensor"),
    ):
        with pytest.raises(TypeError, match=rf"{kind} names are .*, not int\."):
            find(3)


def test_a_name_is_text_and_not_empty():
    with tf.name_scope("scope"):
        assert tf.no_op(name=b"q").name == "scope/q"
    with pytest.raises(ValueError, match="'' is not a valid node name"):
        tf.constant(1, name="")
    for make in (tf.constant, tf.identity, tf.Variable):
        with pytest.raises(TypeError, match="a name must be a string, got 3"):
            make(1.0, name=3)


def test_name_scopes_nest():
    with tf.name_scope("Replica1"):
        with tf.name_scope("Layer"):
            assert tf.constant(1).name == "Replica1/Layer/Const:0"
        with tf.name_scope(None):
            assert tf.constant(1).name == "Const:0"


def test_the_default_graph_can_be_replaced():
    x = tf.constant(1.0, name="x")
    tf.reset_default_graph()
    assert tf.get_default_graph().get_operations() == []
    assert tf.get_default_graph() is not x.graph
    other = tf.Graph()
    with other.as_default():
        assert tf.get_default_graph() is other
        assert tf.constant(2.0, name="x").name == "x:0"
        with pytest.raises(AssertionError, match="nested graphs"):
            tf.reset_default_graph()
    with pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(x, other.get_tensor_by_name("x:0"))


def test_a_finalized_graph_takes_no_nodes():
    x = tf.constant(1.0)
    with tf.Session() as session:
        tf.get_default_graph().finalize()
        with pytest.raises(
            RuntimeError, match="Graph is finalized and cannot be modified"
        ):
            tf.constant(2.0)
        assert session.run(x) == 1


def test_the_collections_of_a_finalized_graph_stay_as_they_are():
    graph = tf.get_default_graph()
    tf.add_to_collection("things", 1)
    graph.finalize()
    for change in (
        lambda: tf.add_to_collection("things", 2),
        lambda: tf.add_to_collections(["things"], 2),
        lambda: graph.clear_collection("things"),
    ):
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modif"):
            change()
    assert tf.get_collection_ref("things") == [1]


def test_expressions_make_the_nodes_of_explicit_calls():
    def types(function):
        with tf.Graph().as_default() as graph:
            function(*[tf.placeholder(tf.float32, name=name) for name in "xab"])
            return [op.type for op in graph.get_operations()]

    implicit = types(lambda x, a, b: x * tf.sin(a * x + b))
    explicit = types(lambda x, a, b: tf.multiply(x, tf.sin(tf.add(tf.multiply(a, x), b))))
    assert [kind.replace("AddV2", "Add") for kind in implicit] == [
        kind.replace("AddV2", "Add") for kind in explicit
    ]


def test_graph_tensors_have_no_value():
    x = tf.placeholder(tf.float32, [2], name="x")
    with pytest.raises(TypeError, match="Python `bool` is not allowed"):
        bool(x)
    with pytest.raises(TypeError, match="only iterable when eager"):
        list(x)
    with pytest.raises(TypeError, match="len is not well defined"):
        len(x)
    with pytest.raises(ValueError, match="No default session is registered"):
        x.eval()


# ---- Control dependencies --------------------------------------------------------------


def test_control_dependencies_nest_and_add_up():
    a, b = tf.no_op("a"), tf.no_op("b")
    with tf.control_dependencies([a]):
        with tf.control_dependencies([b]):
            both = tf.constant(1.0)
        with tf.control_dependencies(None):
            none = tf.constant(1.0)
    assert both.op.control_inputs == [a, b]
    assert none.op.control_inputs == []
    assert both.op.node_def.input == ["^a", "^b"]


def test_what_waited_already_does_not_wait_again():
    a = tf.no_op("a")
    with tf.control_dependencies([a]):
        x = tf.constant(1.0)
        y = tf.identity(x)
    assert x.op.control_inputs == [a] and y.op.control_inputs == []


def test_slices_are_waited_for_by_their_values():
    values = tf.constant([1.0])
    with tf.control_dependencies([tf.IndexedSlices(values, tf.constant([0]))]):
        after = tf.no_op()
    assert after.control_inputs == [values.op]


def test_a_node_runs_after_its_control_inputs(session):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.read_value()
    assert session.run(after) == 5


# ---- Devices ---------------------------------------------------------------------------


def test_devices_are_kept_as_given_and_merged_part_by_part():
    with tf.device("/gpu:1"):
        assert tf.constant(1).device == "/gpu:1"
        with tf.device("/cpu:0"):
            assert tf.constant(1).device == "/cpu:0"
        with tf.device(None):
            assert tf.constant(1).device == ""
    with tf.device("/job:worker/task:1"), tf.device("/gpu:0"):
        assert tf.constant(1).device == "/job:worker/task:1/gpu:0"
    with pytest.raises(ValueError, match="Malformed device"):
        tf.device("gpu0").__enter__()


def test_a_device_function_is_called_once_for_each_node():
    seen = []

    def choose(op):
        seen.append(op.type)
        return "/gpu:3" if op.type == "Neg" else "/cpu:0"

    with tf.device(choose):
        y = -tf.constant(1.0)
    assert seen == ["Const", "Neg"]
    assert y.device == "/gpu:3" and y.op.inputs[0].device == "/cpu:0"
    with tf.device("/job:ps"), tf.device(choose):
        assert tf.constant(1.0).device == "/job:ps/cpu:0"


REPLICAS = """\
import minitf as tf

VAR_TYPES = ['Variable', 'VariableV2', 'VarHandleOp']

def my_device_placement(device, vars_device='/cpu:0'):
    def place(op):
        return vars_device if op.type in VAR_TYPES else device
    return place

def conv2d_replica(inp, reuse, device):
    with tf.device(my_device_placement(device)):
        return tf.layers.conv2d(inp, 5, [20, 20], name='Layer', reuse=reuse)

inp = tf.placeholder(tf.float32, [None, 100, 100, 3])
first = conv2d_replica(inp, False, '/gpu:0')
second = conv2d_replica(inp, True, '/gpu:1')
print('Device of first replica:', first.device)
print('Device of second replica:', second.device)
print('Variable devices:')
for var in tf.trainable_variables():
    print(var.name, var.device)
"""


def test_replicas_share_variables_on_the_cpu(capsys):
    exec(compile(REPLICAS, "replicas.py", "exec"), {})
    assert capsys.readouterr().out == (
        "Device of first replica: /gpu:0\n"
        "Device of second replica: /gpu:1\n"
        "Variable devices:\n"
        "Layer/kernel:0 /cpu:0\n"
        "Layer/bias:0 /cpu:0\n"
    )


# ---- Collections -----------------------------------------------------------------------


def test_collections():
    tf.add_to_collection("things", 1)
    tf.add_to_collection("things", 2)
    assert tf.get_collection("things") == [1, 2]
    tf.get_collection_ref("things").append(3)
    assert tf.get_collection("things") == [1, 2, 3]
    tf.get_collection("things").append(4)
    assert tf.get_collection("things") == [1, 2, 3]
    assert tf.get_collection("nothing") == []


def test_names_of_collections():
    graph = tf.get_default_graph()
    tf.get_variable("v", [])
    graph.add_to_collection(("a", 1), 2)
    graph.get_collection_ref("new")
    strings = ["variables", "trainable_variables", "new"]
    assert graph.get_all_collection_keys() == strings
    assert set(graph.collections) == {*strings, ("a", 1)}
    graph.clear_collection("new")
    assert "new" not in graph.collections


def test_a_cycle_is_reported_by_name(session):
    a = tf.identity(tf.constant(1.0), name="a")
    b = tf.identity(a, name="b")
    a.op._update_input(0, b)
    with pytest.raises(tf.errors.InvalidArgumentError, match="a.*b|b.*a"):
        session.run(b)
    c = tf.no_op("c")
    d = tf.no_op("d")
    c._add_control_input(d)
    d._add_control_input(c)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cycle"):
        session.run(c)


def test_a_tensor_among_the_attributes_is_a_message():
    with tf.Graph().as_default():
        value = tf.constant([1.5, 2.5]).op.get_attr("value")
    assert value.dtype == tf.float32.as_datatype_enum
    assert tf.make_ndarray(value).tolist() == [1.5, 2.5]


def test_a_container_holds_all_that_keeps_state():
    with tf.Graph().as_default() as graph, graph.container("box"):
        nodes = [
            tf.FIFOQueue(1, tf.float32).queue_ref.op,
            tf.TextLineReader().reader_ref.op,
            tf.Variable(1.0).handle.op,
        ]
        assert [node.get_attr("container") for node in nodes] == [b"box"] * 3
        tf.constant(1)  # has no container


def test_threads_have_default_graphs_of_their_own():
    def build() -> tuple:
        graph = tf.get_default_graph()
        name = tf.get_variable("shared", [2]).op.name
        tf.reset_default_graph()  # of this thread alone
        return graph, name, tf.get_default_graph() is graph

    here = tf.get_default_graph()
    tf.get_variable("shared", [2])
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        first, second = one.submit(build).result(), other.submit(build).result()
    assert first[1:] == second[1:] == ("shared", False)
    assert len({here, first[0], second[0]}) == 3
    assert tf.get_default_graph() is here

    def add() -> tf.Graph:
        with here.as_default():
            return tf.constant(1.0, name="added").graph

    with ThreadPoolExecutor(1) as one:
        assert one.submit(add).result() is here
