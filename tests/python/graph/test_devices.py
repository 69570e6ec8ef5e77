"""Devices while a graph is built: names, scopes, colocation, parameter servers.

Where nodes really go, and what runs there, is in ``test_placement.py``.
"""

import pytest

import minitf as tf
from minitf.framework import devices


@pytest.fixture(autouse=True)
def graph():
    """A graph for every test."""
    with tf.Graph().as_default() as graph:
        yield graph


# ---- Names -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("/gpu:0", "/device:GPU:0"),
        ("/device:GPU:0", "/device:GPU:0"),
        ("gpu:0", "/device:GPU:0"),
        ("/GPU:3", "/device:GPU:3"),
        ("/cpu", "/device:CPU:*"),
        ("/device:CPU:*", "/device:CPU:*"),
        (
            "/job:worker/replica:1/task:2/cpu:0",
            "/job:worker/replica:1/task:2/device:CPU:0",
        ),
        ("/job:*/replica:*/task:3", "/task:3"),
        ("/", ""),
        ("", ""),
    ],
)
def test_a_device_spec_reads_every_spelling(text, canonical):
    assert tf.DeviceSpec.from_string(text).to_string() == canonical


@pytest.mark.parametrize(
    "text",
    [
        "gpu0",
        "/tpu0",
        "/gpu:x",
        "/gpu:-1",
        "/job:",
        "/job:1a",
        "//cpu:0",
        "/cpu:0/",
        "\n",
    ],
)
def test_what_is_no_device_is_refused(text):
    with pytest.raises(ValueError, match="Malformed device specification"):
        tf.DeviceSpec.from_string(text)
    with (
        pytest.raises(ValueError, match="Malformed device specification"),
        tf.device(text),
    ):
        pass


def test_a_device_has_one_type():
    for text in ("/cpu:0/cpu:1", "/job:a/device:CPU:0/gpu:1"):
        with (
            pytest.raises(ValueError, match="Multiple device types are not allowed"),
            tf.device(text),
        ):
            pass


def test_device_specs_merge_part_by_part():
    spec = tf.DeviceSpec(job="ps", device_type="cpu", device_index=0)
    spec.merge_from(tf.DeviceSpec.from_string("/task:1/gpu:3"))
    assert spec.to_string() == "/job:ps/task:1/device:GPU:3"
    assert spec == tf.DeviceSpec("ps", None, 1, "GPU", 3)
    assert hash(spec) == hash(tf.DeviceSpec("ps", None, 1, "GPU", 3))
    with tf.device(tf.DeviceSpec(device_type="GPU", device_index=1)):
        assert tf.constant(1).device == "/device:GPU:1"


def test_a_string_keeps_its_text_where_it_is_merged():
    assert devices.merge("/job:ps/gpu:1", "/cpu:0") == "/job:ps/cpu:0"
    assert devices.merge("", "/gpu:0") == "/gpu:0"


# ---- Colocation ------------------------------------------------------------------------


def test_a_node_beside_another_names_it():
    with tf.device("/gpu:1"):
        a = tf.constant(1.0, name="a")
    with tf.colocate_with(a):
        b = tf.constant(2.0, name="b")
    assert a.op.colocation_groups() == [b"loc:@a"]
    assert b.op.colocation_groups() == b.op.get_attr("_class") == [b"loc:@a"]
    assert b.device == "/gpu:1"


def test_colocation_is_passed_on_and_added_up(graph):
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    with graph.colocate_with(a.op):
        c = tf.constant(3.0, name="c")
        with graph.colocate_with(b):
            assert tf.constant(4.0).op.colocation_groups() == [b"loc:@a", b"loc:@b"]
        with graph.colocate_with(b, ignore_existing=True):
            assert tf.constant(5.0).op.colocation_groups() == [b"loc:@b"]
        with graph.colocate_with(None, ignore_existing=True):
            d = tf.constant(6.0, name="d")
    assert d.op.colocation_groups() == [b"loc:@d"]
    with graph.colocate_with(c):
        assert tf.constant(7.0).op.colocation_groups() == [b"loc:@a"]


def test_colocation_comes_before_a_device_around_it_or_within(graph):
    with tf.device("/gpu:1"):
        a = tf.constant(1.0, name="a")
    with tf.device("/cpu:0"), tf.colocate_with(a):
        assert tf.constant(1.0).device == "/gpu:1"
        with tf.device("/cpu:0"):
            assert tf.constant(1.0).device == "/gpu:1"


def test_a_variable_can_be_colocated_with():
    with tf.device("/gpu:1"):
        v = tf.Variable(1.0, name="v")
    with tf.colocate_with(v):
        assert tf.constant(1.0).op.colocation_groups() == [b"loc:@v"]


@pytest.mark.parametrize("device", [3, 0, b"/cpu:0", ["/cpu:0"]])
def test_a_device_is_text(device):
    for given in (device, lambda op: device):
        with (
            pytest.raises(TypeError, match="must be a string or a tf.DeviceSpec, got"),
            tf.device(given),
        ):
            tf.no_op()


def test_what_a_device_function_returns_is_checked_at_once():
    with (
        tf.device(lambda op: "zz zz"),
        pytest.raises(ValueError, match="Malformed device specification 'zz zz'"),
    ):
        tf.no_op()


@pytest.mark.parametrize("op", [3, "a", [1.0]])
def test_what_cannot_be_colocated_with(op):
    tf.constant(1.0, name="a")
    with (
        pytest.raises(TypeError, match="an Operation, a tensor or a variable, got"),
        tf.colocate_with(op),
    ):
        pass


def test_colocation_with_nothing_must_be_meant(graph):
    with pytest.raises(ValueError, match="op is None"), graph.colocate_with(None):
        pass


def test_what_belongs_to_a_variable_asks_for_its_device():
    with tf.device("/gpu:1"):
        v = tf.Variable([1.0, 2.0], name="v")
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    with tf.device("/cpu:0"):
        optimizer.minimize(tf.reduce_sum(v * v))
    assert v.initializer.device == "/gpu:1"
    assert optimizer.get_slot(v, "momentum").device == "/gpu:1"


# ---- Parameter servers -----------------------------------------------------------------

CLUSTER = {"ps": ["ps0:1", "ps1:1"], "worker": ["w0:1", "w1:1", "w2:1"]}


def test_variables_go_to_the_parameter_servers_in_turn():
    with tf.device(tf.train.replica_device_setter(cluster=CLUSTER)):
        v, w, x = (tf.Variable([1.0, 2.0]) for _ in range(3))
        total = v + w
    assert [v.device, w.device, x.device] == [
        "/job:ps/task:0",
        "/job:ps/task:1",
        "/job:ps/task:0",
    ]
    assert v.initializer.device == "/job:ps/task:0"
    assert w.initializer.device == "/job:ps/task:1"
    assert total.device == "/job:worker"


def test_what_a_program_asks_for_is_kept():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        with tf.device("/cpu:0"):
            v = tf.Variable(1.0)
            total = v + 1.0
        with tf.device("/job:moon"):
            w = tf.Variable(1.0)
    assert v.device == "/job:ps/task:0/cpu:0"
    assert total.device == "/job:worker/cpu:0"
    assert w.device == "/job:moon"


def test_without_merging_what_asks_for_anything_is_left_alone():
    setter = tf.train.replica_device_setter(ps_tasks=2, merge_devices=False)
    with tf.device(setter):
        with tf.device("/cpu:0"):
            v = tf.Variable(1.0)
        w = tf.Variable(1.0)
    assert v.device == "/cpu:0"
    assert w.device == "/job:ps/task:0"


def test_other_ops_and_another_strategy():
    setter = tf.train.replica_device_setter(
        ps_tasks=3, ps_ops=["Const"], ps_strategy=lambda op: 2
    )
    with tf.device(setter):
        assert tf.constant(1.0).device == "/job:ps/task:2"
        assert tf.Variable(1.0).device == "/job:worker"


def test_the_greedy_strategy_balances_bytes():
    from minitf.training import device_setter

    strategy = device_setter.GreedyLoadBalancingStrategy(
        2, device_setter.byte_size_load_fn
    )
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)):
        sizes = [4, 1, 1, 1, 9]
        found = [tf.Variable(tf.zeros([size])).device for size in sizes]
    assert found == [f"/job:ps/task:{task}" for task in (0, 1, 1, 1, 1)]


def test_a_cpu_for_the_variables():
    with tf.device(tf.train.replica_device_setter(ps_tasks=1, ps_device="/cpu:0")):
        v = tf.Variable(1.0)
        with tf.device("/job:moon"):
            w = tf.Variable(1.0)
        assert (v + w).device == "/job:worker"
    assert v.device == "/cpu:0"
    assert w.device == "/job:moon/cpu:0"


def test_no_parameter_servers_no_device_function():
    assert tf.train.replica_device_setter() is None
    assert tf.train.replica_device_setter(cluster={"worker": ["w0:1"]}) is None
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(1, ps_strategy=3)
    with pytest.raises(TypeError, match="a dict or have a method as_dict"):
        tf.train.replica_device_setter(cluster=3)


# ---- Gradients -------------------------------------------------------------------------


def _nodes_since(graph, first):
    return graph.get_operations()[first:]


def test_gradients_are_for_the_device_of_the_scope(graph):
    x = tf.constant(3.0)
    y = tf.square(x) * 2.0
    first = graph.num_operations
    with tf.device("/gpu:1"):
        tf.gradients(y, x)
    assert {op.device for op in _nodes_since(graph, first)} == {"/gpu:1"}
    first = graph.num_operations
    with tf.device(lambda op: "/gpu:2" if op.type == "Mul" else "/cpu:0"):
        tf.gradients(y, x)
    for op in _nodes_since(graph, first):
        assert op.device == ("/gpu:2" if op.type == "Mul" else "/cpu:0")


def test_gradients_go_beside_their_ops_if_asked_to(graph):
    x = tf.constant(3.0, name="x")
    with tf.device("/gpu:0"):
        y = tf.square(x, name="y")
    with tf.device("/gpu:1"):
        z = tf.exp(y, name="z")
    first = graph.num_operations
    tf.gradients(z, x, colocate_gradients_with_ops=True)
    of_y, of_z = (
        [op for op in _nodes_since(graph, first) if f"/{name}_grad/" in op.name]
        for name in "yz"
    )
    assert {op.device for op in of_y} == {"/gpu:0"}
    assert {op.device for op in of_z} == {"/gpu:1"}
    assert all(op.colocation_groups() == [b"loc:@z"] for op in of_z)


def test_a_group_is_where_its_nodes_are(graph):
    with graph.device("/gpu:1"):
        a = tf.constant(1.0, name="a")
    b, c = tf.constant(1.0, name="b"), tf.constant(1.0, name="c")
    with graph.device("/cpu:0"):
        alone = tf.group(a)
        several = tf.group(a, [b, c], name="several")
        assert tf.group(b).device == tf.group().device == "/cpu:0"
    assert alone.device == "/gpu:1"
    waits = {op.name: op for op in several.control_inputs}
    assert {name: op.device for name, op in waits.items()} == {
        "several/NoOp": "/cpu:0",
        "several/NoOp_1": "/gpu:1",
    }
    assert [op.name for op in waits["several/NoOp"].control_inputs] == ["b", "c"]
    assert several.name == "several" and several.device == "/cpu:0"
    with pytest.raises(TypeError, match="'inputs' of tf.group .* Received 'None'"):
        tf.group(a, None)


def test_a_tuple_leaves_tensors_where_they_are(graph):
    with graph.device("/gpu:1"):
        a = tf.constant(1.0, name="a")
    done = tf.no_op(name="done")
    tensor, nothing, op, number = tf.tuple([a, None, done, 3])
    assert tensor.device == "/gpu:1" and tensor.op.colocation_groups() == [b"loc:@a"]
    assert nothing is None and op.type == "NoOp" and number.dtype == tf.int32
    (gate,) = tensor.op.control_inputs
    assert gate.name == "tuple/group_deps" and gate in op.control_inputs
    with pytest.raises(ValueError, match="must have at least one Tensor"):
        tf.tuple([None])
    with pytest.raises(TypeError, match="'control_inputs' of tf.tuple .* Received '3'"):
        tf.tuple([a], control_inputs=[3])
