"""Sessions that share out memory by a plan, and how much memory a training step takes."""

import subprocess
import sys

import numpy as np
import peers
import pytest

import minitf as tf

OFF, ON, CHECKED = range(3)

# LeNet-5 on BATCH images: a step of gradient descent, for either library as `tf`.
LENET = """
import sys
import numpy as np

BATCH = 64
random = np.random.RandomState(0)
variables = []

def variable(*shape):
    value = 0.1 * random.randn(*shape).astype(np.float32)
    variables.append(tf.get_variable(f"v{len(variables)}", initializer=value,
                                     use_resource=True))
    return variables[-1]

x = tf.placeholder(tf.float32, [BATCH, 28, 28, 1])
y = x
for filters, shape, padding in (6, (5, 5, 1, 6), "SAME"), (16, (5, 5, 6, 16), "VALID"):
    y = tf.nn.conv2d(y, variable(*shape), [1, 1, 1, 1], padding)
    y = tf.nn.relu(tf.nn.bias_add(y, variable(filters)))
    y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
y = tf.reshape(y, [-1, 400])
for inputs, outputs in (400, 120), (120, 84), (84, 10):
    y = tf.nn.relu(y) if inputs < 400 else y
    y = tf.matmul(y, variable(inputs, outputs)) + variable(outputs)
labels = tf.constant(np.arange(BATCH) % 10)
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=y)
loss = tf.reduce_mean(losses)
gradients = tf.gradients(loss, variables)
train = tf.group(*[v.assign_sub(0.1 * g) for v, g in zip(variables, gradients)])
feeds = {x: random.randn(BATCH, 28, 28, 1).astype(np.float32)}
config = tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
"""

MINITF_PEAK = (
    """
import minitf as tf
from minitf import _minitf
"""
    + LENET
    + """
config.graph_options.rewrite_options.minitf_memory_plan = int(sys.argv[1])
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run([train, loss], feeds)
print(_minitf.allocator_stats()[1])
"""
)

# Of each allocation that a full trace records: when it was made, or freed, and its bytes.
TENSORFLOW_PEAK = (
    """
import os
# TensorFlow's own kernels, on every machine: only some processors make it take oneDNN's.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
"""
    + LENET
    + """
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run([train, loss], feeds)
    metadata = tf.RunMetadata()
    session.run([train, loss], feeds, tf.RunOptions(trace_level=3), metadata)
changes = sorted((record.alloc_micros, record.alloc_bytes)
                 for device in metadata.step_stats.dev_stats
                 for node in device.node_stats
                 for memory in node.memory
                 for record in memory.allocation_records)
print(max(np.cumsum([size for _, size in changes])))
"""
)


def config_of(plan):
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.minitf_memory_plan = plan
    return config


@pytest.mark.parametrize("plan", [ON, CHECKED])
def test_a_plan_changes_no_result(plan):
    exec(compile(LENET, "lenet", "exec"), names := {"tf": tf})
    losses = {}
    for mode in (OFF, plan):
        with tf.Session(config=config_of(mode)) as session:
            session.run(tf.global_variables_initializer())
            losses[mode] = [
                session.run([names["loss"], names["train"]], names["feeds"])[0]
                for _ in range(5)
            ]
    assert losses[OFF][4] < losses[OFF][0]
    np.testing.assert_allclose(losses[plan], losses[OFF], rtol=1e-5)


def test_steps_with_branches_and_loops_run_without_a_plan():
    x = tf.placeholder(tf.float32, [4])
    y = tf.while_loop(lambda v: tf.reduce_sum(v) < 100, lambda v: v * 2, [x])
    z = tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1, lambda: x - 1)
    with tf.Session(config=config_of(CHECKED)) as session:
        y, z = session.run([y, z], {x: [1, 2, 3, 4]})
    np.testing.assert_array_equal(y, [16, 32, 48, 64])
    np.testing.assert_array_equal(z, [2, 3, 4, 5])


def test_fetches_stay_whole_when_the_session_is_gone():
    x = tf.placeholder(tf.float32, [1000])
    y = tf.exp(x) * 2
    with tf.Session(config=config_of(CHECKED)) as session:
        first = session.run([y, y + 1], {x: np.zeros(1000)})
        session.run([y, y + 1], {x: np.ones(1000)})
    np.testing.assert_array_equal(first[0], np.full(1000, 2, np.float32))
    np.testing.assert_array_equal(first[1], np.full(1000, 3, np.float32))


def test_a_plan_that_does_not_exist_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="no such memory plan: 7"):
        tf.Session(config=config_of(7))


def peak_of_minitf(plan):
    done = subprocess.run(
        [sys.executable, "-c", MINITF_PEAK, str(plan)],
        check=True,
        capture_output=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    return int(done.stdout)


def test_the_plan_needs_no_more_memory_than_the_pool():
    assert peak_of_minitf(ON) <= 1.05 * peak_of_minitf(OFF)


@pytest.mark.peers("tensorflow")
def test_a_training_step_needs_no_more_memory_than_tensorflows():
    tensorflow = int(peers.run("tensorflow", TENSORFLOW_PEAK))
    # Ours are all tensors of the process: variables, feeds and constants too.
    assert 0 < peak_of_minitf(OFF) <= tensorflow
    assert 0 < peak_of_minitf(ON) <= tensorflow
