"""Settings of sessions and runs: limits, interrupts, traces, devices that are logged."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from minitf.python.client.timeline import Timeline

import minitf as tf


@pytest.fixture
def endless():
    """A session, and a loop that does not end by itself."""
    with tf.Graph().as_default(), tf.Session() as session:
        yield session, tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [0])


def test_a_run_ends_after_its_timeout(endless):
    session, loop = endless
    with pytest.raises(tf.errors.DeadlineExceededError, match="timeout"):
        session.run(loop, options=tf.RunOptions(timeout_in_ms=50))
    assert session.run(tf.constant(3)) == 3


def test_a_session_may_limit_all_its_runs():
    config = tf.ConfigProto(operation_timeout_in_ms=50)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        loop = tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 9, [0])
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(loop)


def test_closing_a_session_ends_its_runs(endless):
    session, loop = endless
    raised = []

    def run():
        try:
            session.run(loop)
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.1)
    session.close()
    thread.join(10)
    assert not thread.is_alive()
    assert isinstance(raised[0], tf.errors.CancelledError)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_run():
    program = """
        import minitf as tf
        loop = tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 9, [0])
        with tf.Session() as session:
            print("ready", flush=True)
            try:
                session.run(loop)
            except KeyboardInterrupt:
                print("interrupted", session.run(tf.constant(7)), flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert output == "interrupted 7\n"


@pytest.mark.parametrize(
    ("argument", "value"), [("options", 3), ("run_metadata", {}), ("options", "full")]
)
def test_messages_must_be_messages(argument, value):
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises(TypeError, match=f"{argument} must be a tf.Run"),
    ):
        session.run(tf.constant(1), **{argument: value})


def test_a_config_must_be_one():
    with pytest.raises(TypeError, match=r"config must be a tf.ConfigProto"):
        tf.Session(graph=tf.Graph(), config={"device_count": 1})


@pytest.mark.parametrize("kind", ["inter", "intra"])
def test_a_negative_number_of_threads_is_the_callers_alone(kind):
    too_many = tf.ConfigProto(**{f"{kind}_op_parallelism_threads": 2**31 - 1})
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most 1024 threads"):
        tf.Session(graph=tf.Graph(), config=too_many)
    config = tf.ConfigProto(**{f"{kind}_op_parallelism_threads": -1})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        product = tf.matmul(tf.ones([4, 4]), tf.ones([4, 4])) + tf.ones([4, 4])
        np.testing.assert_array_equal(session.run(product), np.full([4, 4], 5.0))


def _traced(session, fetches, feed=None):
    options = tf.RunOptions(
        trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True
    )
    metadata = tf.RunMetadata()
    return session.run(fetches, feed, options, metadata), metadata


def test_a_trace_lists_node_device_times_and_bytes():  # M064, M248
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [64, 64], name="x")
        product = tf.matmul(x, x, name="product")
        result = tf.reduce_sum(product, name="total")
        value, metadata = _traced(session, result, {x: np.eye(64)})
        assert value == 64
        (device,) = metadata.step_stats.dev_stats
        assert device.device.endswith("CPU:0")
        nodes = {stats.node_name: stats for stats in device.node_stats}
        stats = nodes["product"]
        assert stats.timeline_label.startswith("product = MatMul[packed](")
        assert stats.op_end_rel_nanos > 0
        memory = stats.output[0].tensor_description.allocation_description
        assert memory.requested_bytes == 64 * 64 * 4
        now = time.time() * 1e6
        assert now - 60e6 < stats.all_start_micros <= now
        assert nodes["total"].all_start_nanos >= stats.all_start_nanos
        names = {node.name for graph in metadata.partition_graphs for node in graph.node}
        assert "product" in names


def test_a_run_without_a_trace_leaves_the_metadata_empty():
    with tf.Graph().as_default(), tf.Session() as session:
        metadata = tf.RunMetadata()
        session.run(tf.constant(1), run_metadata=metadata)
        assert not metadata.step_stats.dev_stats


def test_a_timeline_is_what_trace_viewers_read():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.random_uniform([256, 256], name="x")
        _, metadata = _traced(session, tf.matmul(x, x, name="product"))
    trace = Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
    events = json.loads(trace)["traceEvents"]
    (product,) = [e for e in events if e.get("args", {}).get("name") == "product"]
    assert (product["ph"], product["name"]) == ("X", "MatMul")
    assert product["dur"] > 0
    assert any(e["ph"] == "M" and "CPU:0" in e["args"]["name"] for e in events)
    assert {e["ph"] for e in events} >= {"X", "M", "s", "t", "C"}
    assert all({"pid", "tid", "name"} <= set(e) for e in events)


def test_device_placement_is_logged(capfd):
    config = tf.ConfigProto(log_device_placement=True)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        session.run(tf.constant(1.0, name="one"))
    assert "one: (Const): /job:localhost/replica:0/task:0/device:CPU:0" in (
        capfd.readouterr().err
    )


def test_passes_can_be_switched_off():
    def num_nodes(config):
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            x = tf.placeholder(tf.float32, [2], name="x")
            y = (x * 1.0 + tf.constant(2.0) * tf.constant(3.0)) + 0.0
            value, metadata = _traced(session, y, {x: [1.0, 2.0]})
            assert value.tolist() == [7.0, 8.0]
            return len(metadata.step_stats.dev_stats[0].node_stats)

    off = tf.ConfigProto()
    off.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    meta = tf.ConfigProto()
    meta.graph_options.rewrite_options.disable_meta_optimizer = True
    assert num_nodes(off) == num_nodes(meta) == 8
    assert num_nodes(tf.ConfigProto()) < 4


def test_eight_threads_run_one_session_without_mixing_up():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        y = tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v + x), (0, x))[1]
        wrong = []

        def run(number):
            for i in range(200):
                value = session.run(y, {x: number * 1000 + i})
                if value != 6 * (number * 1000 + i):
                    wrong.append((number, i, value))

        threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
