"""Cards, real or emulated: which there are, what runs on them, and what never may.

The emulator's memory is the host's, but its addresses carry a bit that makes a program
crash that follows one on the host. So all tests that compute on an emulated card also
test that no kernel of the CPU touches its memory.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from minitf.python.client import device_lib

import minitf as tf
from minitf import _minitf

PROGRAM = """
import minitf as tf
with tf.device("/gpu:0"):
    x = tf.constant([1.0, 2.0])
    y = tf.add(x, x)
with tf.Session() as session:
    gpus = [d.name for d in session.list_devices() if d.device_type == "GPU"]
    print([name.rpartition(":")[2] for name in gpus])
    print(session.run(y).tolist())
"""


def _run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": "0,1"} | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize("mode", ["emulate", "check", "cpu"])
def test_the_environment_says_what_gpus_are(mode):
    assert _run(PROGRAM, MINITF_GPU=mode) == "['0', '1']\n[2.0, 4.0]\n"


def test_what_check_mode_finds_is_an_error_of_the_op():
    program = """
import minitf as tf
with tf.device("/gpu:0"):
    y = tf.random_uniform([1000], name="numbers")
with tf.Session() as session:
    try:
        session.run(y)
    except tf.errors.InternalError as error:
        print(error.message.replace("\\n", " "))
"""
    found = _run(program, MINITF_GPU="check", SIMT_ACCESS_LIMIT="100")
    assert "check mode has found simt: ERROR kernel without an end" in found
    assert "in minitf::gpu::Random<float>" in found
    assert "node 'numbers/RandomUniform'" in found


def test_gpus_can_be_off():
    found = _run(PROGRAM, MINITF_GPU="off")
    assert "explicitly assigned to /gpu:0 but available devices are" in found
    assert "GPU:" not in found


def test_a_kind_of_gpus_that_there_is_not_is_an_error():
    found = _run(PROGRAM, MINITF_GPU="warp")
    assert (
        "MINITF_GPU is 'warp'; expected auto, cuda, emulate, check, cpu or off" in found
    )


def test_who_asks_for_cards_where_none_are_learns_why():
    if tf.test.is_gpu_available():
        pytest.skip("this machine has a card")
    found = _run(PROGRAM, MINITF_GPU="cuda", CUDA_VISIBLE_DEVICES="0")
    assert "MINITF_GPU is 'cuda', but there are no cards: " in found


@pytest.fixture
def session():
    """A session on emulated cards."""
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_a_variable_moves_between_card_and_host_and_keeps_its_value(session):
    with tf.device("/gpu:0"):
        v = tf.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2))
        add = v.assign_add(tf.ones([3, 2]))  # by a kernel of the card
        row = tf.scatter_update(v, [1], [[7.0, 8.0]])  # the CPU's, beside the card
        step = tf.train.AdamOptimizer(0.5).minimize(tf.reduce_sum(v * v))
    session.run(tf.global_variables_initializer())
    session.run(add)
    assert session.run(row).tolist() == [[1, 2], [7, 8], [5, 6]]
    session.run(add)
    session.run(step)
    expected = np.array([[2, 3], [8, 9], [6, 7]]) - 0.5
    np.testing.assert_allclose(session.run(v), expected, rtol=1e-5)


def test_an_op_without_a_kernel_of_the_card_goes_where_placement_may_put_it(session):
    with tf.device("/gpu:0"):
        x = tf.constant([3.0, 1.0, 2.0])
        top = tf.nn.top_k(x, 2).values
    assert session.run(top).tolist() == [3, 2]  # on the host beside the card
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as soft:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        assert soft.run(top, options=options, run_metadata=metadata).tolist() == [3, 2]
        devices = {
            stats.device.rpartition("device:")[2]
            for stats in metadata.step_stats.dev_stats
            if any(node.node_name == "TopKV2" for node in stats.node_stats)
        }
    assert devices == {"CPU:0"}


def _network(device):
    with tf.device(device):
        x = tf.placeholder(tf.float32, [None, 12, 12, 1], name="x")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        init = tf.random_normal_initializer(stddev=0.2, seed=5)
        h = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, kernel_initializer=init)
        h = tf.layers.max_pooling2d(h, 2, 2)
        h = tf.layers.conv2d(
            h, 8, 3, padding="same", activation=tf.nn.relu, kernel_initializer=init
        )
        h = tf.layers.average_pooling2d(h, 2, 2, padding="same")
        h = tf.layers.flatten(h)
        logits = tf.layers.dense(h, 10, kernel_initializer=init)
        return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def _losses(towers, optimizer):
    """Ten steps of a network in towers, with its variables on the CPU."""
    with tf.Graph().as_default() as graph:

        def place(tower):
            return lambda op: "/cpu:0" if op.type == "VarHandleOp" else tower

        opt = optimizer()
        losses, gradients = [], []
        for i, tower in enumerate(towers):
            with tf.variable_scope("net", reuse=i > 0):
                losses.append(_network(place(tower)))
            gradients.append(opt.compute_gradients(losses[-1]))
        means = [
            (tf.add_n([g for g, _ in of_variable]) / len(towers), of_variable[0][1])
            for of_variable in zip(*gradients, strict=True)
        ]
        train = opt.apply_gradients(means)
        loss = tf.add_n(losses) / len(towers)
        random = np.random.default_rng(0)
        images = random.normal(size=(16, 12, 12, 1)).astype(np.float32)
        labels = random.integers(0, 10, 16)
        parts = zip(
            np.split(images, len(towers)), np.split(labels, len(towers)), strict=True
        )
        feeds = {}
        for (x, y), part, of_part in zip(
            zip(
                [
                    op.outputs[0]
                    for op in graph.get_operations()
                    if op.name.endswith("x") and op.type == "Placeholder"
                ],
                [
                    op.outputs[0]
                    for op in graph.get_operations()
                    if op.name.endswith("labels") and op.type == "Placeholder"
                ],
                strict=True,
            ),
            *zip(*parts, strict=True),
            strict=True,
        ):
            feeds |= {x: part, y: of_part}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [session.run([loss, train], feeds)[0] for _ in range(10)]


OPTIMIZERS = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    "Adam": lambda: tf.train.AdamOptimizer(0.01),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.01),
    "Adagrad": lambda: tf.train.AdagradOptimizer(0.1),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_network_in_towers_on_two_cards_learns_as_on_the_cpu(optimizer):
    alone = _losses(["/cpu:0"], optimizer)
    assert alone[-1] < alone[0]
    np.testing.assert_allclose(_losses(["/gpu:0"], optimizer), alone, rtol=1e-4)
    if len([d for d in device_lib.list_local_devices() if d.device_type == "GPU"]) < 2:
        pytest.skip("this machine has one card, and two are needed")
    np.testing.assert_allclose(_losses(["/gpu:0", "/gpu:1"], optimizer), alone, rtol=1e-4)


@pytest.mark.parametrize("tier", ["naive", "shared", "registers"])
def test_products_have_tiers(session, tier):
    random = np.random.default_rng(1)
    a, b = random.normal(size=(70, 33)), random.normal(size=(33, 65))
    with tf.device("/gpu:0"), tf.get_default_graph()._kernel_label_map({"MatMul": tier}):
        c = tf.matmul(tf.constant(a, tf.float32), tf.constant(b, tf.float32))
    np.testing.assert_allclose(session.run(c), a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("tier", ["direct", "shared", "im2col", "tiles"])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_convolutions_have_tiers(session, tier, data_format):
    random = np.random.default_rng(2)
    x = random.normal(size=(2, 9, 8, 3)).astype(np.float32)
    w = random.normal(size=(3, 3, 3, 5)).astype(np.float32)
    expected = tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME")
    turned = x if data_format == "NHWC" else x.transpose(0, 3, 1, 2)
    strides = [1, 2, 2, 1] if data_format == "NHWC" else [1, 1, 2, 2]
    with tf.device("/gpu:0"), tf.get_default_graph()._kernel_label_map({"Conv2D": tier}):
        y = tf.nn.conv2d(turned, w, strides, "SAME", data_format=data_format)
    with tf.device("/cpu:0"):
        found, wanted = session.run([y, expected])
    if data_format == "NCHW":
        found = found.transpose(0, 2, 3, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_numbers_of_16_bits_are_computed_by_the_card(session, dtype):
    random = np.random.default_rng(3)
    x = random.normal(size=(2, 6, 5, 4))
    w = random.normal(size=(3, 3, 4, 2))

    def results(device):
        with tf.device(device):
            images, filters = tf.constant(x, dtype), tf.constant(w, dtype)
            rows = tf.reshape(images, [12, 20])
            window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
            y = tf.nn.conv2d(images, filters, [1, 1, 1, 1], "SAME")
            normal = tf.nn.fused_batch_norm(images, [1.0] * 4, [2.0] * 4)[0]
            return {
                "Sin": tf.sin(images),
                "Sub": images * images - images,
                "MatMul": tf.matmul(rows, rows, transpose_b=True),
                "Softmax": tf.nn.softmax(rows),
                "Mean": tf.reduce_mean(images, [1, 2]),
                "MaxPool": tf.nn.max_pool(images, **window),
                "Conv2D": y,
                "Cast": tf.cast(images, tf.float32),
                "Conv2DBackpropFilter": tf.gradients(tf.tanh(y) * y, filters)[0],
                "Greater": rows > 0,
                "FusedBatchNormV3": normal,
            }

    wanted, found = session.run([results("/cpu:0"), results("/gpu:0")])
    unit = 2.0 ** (-10 if dtype == tf.float16 else -7)
    for op, expected in wanted.items():
        assert found[op].dtype == expected.dtype, op
        a, b = found[op].astype(np.float64), expected.astype(np.float64)
        size = abs(b).max() if op in ("MatMul", "Conv2DBackpropFilter", "Conv2D") else 1
        np.testing.assert_allclose(a, b, rtol=2 * unit, atol=unit * size, err_msg=op)
        number = dtype.as_datatype_enum
        on_card = [t for device, t, _ in _minitf.kernels(op) if device.upper() == "GPU"]
        assert any(number in types.values() for types in on_card), op


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("rule", OPTIMIZERS)
def test_variables_of_16_bits_are_trained_on_the_card(rule, dtype, session):
    x = np.random.default_rng(4).normal(size=(5, 7))
    # In bfloat16 the usual beta2 of Adam, 0.999, is 1, and training diverges.
    adam = {"Adam": lambda: tf.train.AdamOptimizer(0.01, beta2=0.9)}

    def trained(device):
        with tf.device(device):
            v = tf.Variable(tf.constant(x, dtype))
            step = (OPTIMIZERS | adam)[rule]().minimize(tf.reduce_sum(v * v))
        return v, step

    variables, steps = zip(*map(trained, ["/cpu:0", "/gpu:0"]), strict=True)
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(steps)
    expected, found = [v.astype(np.float64) for v in session.run(variables)]
    assert abs(expected - x).max() > 0.01
    assert np.square(expected).sum() < np.square(x).sum()  # and so it is finite
    unit = 2.0 ** (-10 if dtype == tf.float16 else -7)
    np.testing.assert_allclose(found, expected, rtol=2 * unit, atol=2 * unit)
    on_card = [types for device, types, _ in _minitf.kernels(f"ResourceApply{rule}")
               if device.upper() == "GPU"]  # fmt: skip
    assert dtype.as_datatype_enum in [types["T"] for types in on_card]


def test_random_numbers_are_those_of_the_cpu(session):
    def numbers(device):
        with tf.device(device):
            return tf.random_uniform([1001], seed=7), tf.random_normal([1001], seed=8)

    (u, n), (v, m) = session.run([numbers("/cpu:0"), numbers("/gpu:0")])
    np.testing.assert_array_equal(u, v)
    np.testing.assert_allclose(n, m, rtol=1e-5, atol=1e-6)


def test_a_card_has_a_limit_of_its_own():
    options = tf.GPUOptions(per_process_gpu_memory_fraction=1e-6)
    with tf.device("/gpu:0"):
        y = tf.ones([1 << 22]) + 1.0
    with (
        tf.Session(config=tf.ConfigProto(gpu_options=options)) as session,
        pytest.raises(tf.errors.ResourceExhaustedError, match="GPU:0 has "),
    ):
        session.run(tf.reduce_sum(y))
