"""Sessions on several devices: where nodes run, what travels, and that numbers agree.

The GPUs are emulated, so every test runs on every machine.
"""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from minitf.python.client import device_lib

import minitf as tf
from minitf.framework import devices

_NAME = "/job:localhost/replica:0/task:0/device:"


@pytest.fixture(autouse=True)
def graph(monkeypatch):
    """A graph for every test, and a process that may see all GPUs."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with tf.Graph().as_default() as graph:
        yield graph


def _on(device, function, *arguments):
    with tf.device(device):
        return function(*arguments)


# ---- Which devices there are -----------------------------------------------------------


def test_local_devices_are_the_cpu_and_emulated_gpus():
    found = device_lib.list_local_devices()
    assert [device.name for device in found] == ["/device:CPU:0"] + [
        f"/device:GPU:{i}" for i in range(4)
    ]
    assert [device.device_type for device in found] == ["CPU"] + ["GPU"] * 4
    assert found[0].memory_limit == 268435456
    assert "emulated" in found[1].physical_device_desc
    assert len({device.incarnation for device in found}) == 5
    assert repr(found[1]).startswith('name: "/device:GPU:0"\ndevice_type: "GPU"\n')


@pytest.mark.parametrize(("visible", "count"), [("", 0), ("0", 1), ("3,1", 2), ("-1", 0)])
def test_cuda_visible_devices_masks_gpus(monkeypatch, visible, count):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    found = device_lib.list_local_devices()
    assert [device.device_type for device in found] == ["CPU"] + ["GPU"] * count


def test_a_session_lists_the_devices_of_its_config():
    config = tf.ConfigProto(device_count={"CPU": 2, "GPU": 1})
    with tf.Session(config=config) as session:
        found = session.list_devices()
    assert [device.name for device in found] == [
        _NAME + "CPU:0",
        _NAME + "CPU:1",
        _NAME + "GPU:0",
    ]
    assert repr(found[0]).startswith(f"_DeviceAttributes({_NAME}CPU:0, CPU, 268435456, ")


def test_an_emulated_gpu_is_no_reason_to_prefer_it():
    assert not tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == ""


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="device_count has -1"):
        tf.Session(config=tf.ConfigProto(device_count={"CPU": -1}))
    config = tf.ConfigProto()
    config.gpu_options.visible_device_list = "9"
    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid GPU id '9'"):
        tf.Session(config=config)


# ---- Where nodes go --------------------------------------------------------------------


def _placement(capfd, fetches, **config):
    """The lines of log_device_placement, as a dict from node to 'GPU:1'."""
    config = tf.ConfigProto(log_device_placement=True, **config)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Session(config=config) as session:
        session.run(fetches)
    lines = [line.split(": ") for line in capfd.readouterr().err.splitlines()]
    return {
        line[0]: line[2].removeprefix(_NAME)
        for line in lines
        if len(line) == 3 and line[2].startswith(_NAME)
    }


def test_log_device_placement_says_where_each_node_is(capfd):
    a = _on("/gpu:1", tf.constant, [1.0, 2.0])
    b = a + 1.0
    placed = _placement(capfd, b)
    assert placed[a.op.name] == "GPU:1"
    assert placed[b.op.name] == "CPU:0"


def test_a_node_is_where_it_was_put_and_both_spellings_are_one(capfd):
    a = _on("/device:GPU:0", tf.constant, 1.0)
    b = _on("/gpu:0", tf.constant, 2.0)
    c = _on("/job:localhost/replica:0/task:0/cpu:0", tf.add, a, b)
    placed = _placement(capfd, c)
    assert [placed[x.op.name] for x in (a, b, c)] == ["GPU:0", "GPU:0", "CPU:0"]


def test_a_device_that_is_not_there():
    a = _on("/gpu:9", tf.constant, 1.0)
    refused = pytest.raises(tf.errors.InvalidArgumentError)
    with tf.Session() as session, refused as caught:
        session.run(a)
    message = str(caught.value)
    assert "Cannot assign a device for operation" in message
    assert "was explicitly assigned to /gpu:9 but available devices are [ " in message
    assert _NAME + "GPU:3" in message
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(a) == 1


def test_an_op_without_a_gpu_kernel(capfd):
    with tf.device("/gpu:0"):
        text = tf.constant("hello")
    refused = pytest.raises(tf.errors.InvalidArgumentError, match="no supported kernel")
    with tf.Session() as session, refused:
        session.run(text)
    placed = _placement(capfd, text, allow_soft_placement=True)
    assert placed[text.op.name] == "CPU:0"


def test_without_visible_gpus_all_falls_back(monkeypatch, capfd):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    a = _on("/gpu:0", tf.constant, 1.0)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(a)
    assert _placement(capfd, a, allow_soft_placement=True)[a.op.name] == "CPU:0"


def test_whoever_names_cards_computes_on_the_first_of_them(monkeypatch, capfd):
    x = tf.Variable([1.0, 2.0])
    y = tf.square(x)
    text = tf.constant("hello")
    assert _placement(capfd, x.initializer)[x.op.name] == "CPU:0"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert _placement(capfd, x.initializer)[x.op.name] == "GPU:0"
    assert _placement(capfd, text)[text.op.name] == "CPU:0"
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run(y).tolist() == [1.0, 4.0]


def test_colocation_holds_and_contradictions_are_named(capfd):
    a = _on("/gpu:1", tf.constant, 1.0)
    with tf.colocate_with(a):
        b = tf.constant(2.0)
    assert _placement(capfd, a + b)[b.op.name] == "GPU:1"
    b.op._set_device("/cpu:0")
    refused = pytest.raises(tf.errors.InvalidArgumentError, match="Cannot colocate nodes")
    with tf.Session() as session, refused:
        session.run(a + b)


def test_what_changes_a_variable_runs_beside_it(capfd):
    v = _on("/gpu:1", tf.Variable, [1.0, 2.0])
    with tf.device("/cpu:0"):
        change = v.assign_add([1.0, 1.0])
    config = tf.ConfigProto(log_device_placement=True)
    with tf.Session(config=config) as session:
        session.run(v.initializer)
        capfd.readouterr()
        assert session.run(change).tolist() == [2.0, 3.0]
        placed = capfd.readouterr().err
    assert f"AssignAddVariableOp): {_NAME}GPU:1" in placed


# ---- What travels ----------------------------------------------------------------------


def test_a_tensor_travels_once_to_each_device():
    x = tf.placeholder(tf.float32, [1000])
    with tf.device("/gpu:0"):
        b, c = tf.sin(x), tf.cos(x)
        total = tf.reduce_sum(b + c)
    with tf.Session() as session:
        value = np.linspace(0, 1, 1000, dtype=np.float32)
        result = session.run(total, {x: value})
        assert devices.transfers_of(session) == {
            "num_transfers": 2,  # x to the GPU, and the sum back
            "bytes": 4004,
            "bytes_copied": 4004,
        }
    assert result == pytest.approx(np.sum(np.sin(value) + np.cos(value)), rel=1e-5)


def test_each_device_has_memory_of_its_own():
    v = _on("/gpu:1", tf.Variable, np.zeros([256, 256], np.float32))
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(v.assign_add(np.ones([256, 256], np.float32)))
        memory = devices.memory_of(session)
        assert memory[_NAME + "GPU:1"]["bytes_in_use"] >= 4 * 256 * 256
        assert memory[_NAME + "GPU:0"]["bytes_in_use"] == 0
        kept = session.run(v)
    assert kept.sum() == 256 * 256  # also when the session and its devices are gone


def test_a_memory_limit_names_device_and_sizes():
    config = tf.ConfigProto()
    config.gpu_options.per_process_gpu_memory_fraction = 1e-5
    x = tf.placeholder(tf.float32, [None])
    y = _on("/gpu:0", tf.square, x)
    with tf.Session(config=config) as session:
        limit = devices.memory_of(session)[_NAME + "GPU:0"]["bytes_limit"]
        assert session.run(y, {x: [3.0]}).tolist() == [9.0]
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run(y, {x: np.zeros(limit, np.float32)})
        assert f"{_NAME}GPU:0 has " in str(caught.value)
        assert f" of {limit} bytes left" in str(caught.value)
        assert session.run(y, {x: [4.0]}).tolist() == [16.0]


def test_control_dependencies_hold_between_devices():
    v = _on("/cpu:0", tf.Variable, 1.0)
    change = v.assign(5.0)
    with tf.control_dependencies([change.op]), tf.device("/gpu:0"):
        after = tf.constant(10.0)
    with tf.control_dependencies([after]):
        read = v.read_value() + after
    with tf.Session() as session:
        for _ in range(20):
            session.run(v.initializer)
            assert session.run(read) == 15


def test_a_branch_may_be_on_another_device():
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(
        x > 0, lambda: _on("/gpu:0", tf.sqrt, x), lambda: _on("/gpu:1", tf.square, x)
    )
    with tf.Session() as session:
        assert session.run(y, {x: 4.0}) == 2
        assert session.run(y, {x: -4.0}) == 16


def test_a_loop_runs_on_one_device(capfd):
    with tf.device("/gpu:1"):
        total = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        assert session.run(total) == 12
    assert f"(NextIteration): {_NAME}GPU:1" in capfd.readouterr().err


def test_a_loop_on_two_devices(capfd):
    def body(i):
        return _on("/gpu:1", tf.add, _on("/gpu:0", tf.add, i, 1), 2)

    total = tf.while_loop(lambda i: i < 10, body, [tf.constant(0)])
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        assert session.run(total) == 12
        assert session.run(total) == 12
    log = capfd.readouterr().err
    assert f"(Add): {_NAME}GPU:0" in log and f"(Add): {_NAME}GPU:1" in log


def test_a_kernel_that_fails_on_one_device_ends_the_others():
    a = _on("/gpu:0", tf.placeholder, tf.int32, [])
    with tf.device("/gpu:1"):
        b = tf.floordiv(1, a)
    with tf.device("/cpu:0"):
        c = b + 1
    with tf.Session() as session:
        for _ in range(10):
            with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
                session.run(c, {a: 0})
        assert session.run(c, {a: 1}) == 2


# ---- Programs --------------------------------------------------------------------------


def _network(choose):
    """A network whose layer i is on choose(i), and a step of its training."""
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    h = x
    for i, size in enumerate((16, 16, 16, 4)):
        with tf.device(choose(i)):
            scale = np.random.default_rng(i).normal(size=(h.shape[1].value, size))
            w = tf.Variable(scale.astype(np.float32) / 4, name=f"w{i}")
            b = tf.Variable(tf.zeros([size]), name=f"b{i}")
            h = tf.nn.tanh(tf.matmul(h, w) + b)
    loss = tf.reduce_mean(tf.square(h - 0.5))
    return x, loss, tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)


def _losses(choose, config=None):
    with tf.Graph().as_default():
        x, loss, train = _network(choose)
        data = np.random.default_rng(9).normal(size=(32, 8)).astype(np.float32)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            return [session.run([loss, train], {x: data})[0] for _ in range(20)]


def test_a_network_over_four_devices_learns_as_on_one():
    alone = _losses(lambda i: "")
    config = tf.ConfigProto(device_count={"CPU": 4})
    on_cpus = _losses(lambda i: f"/cpu:{i}", config)
    on_gpus = _losses(lambda i: f"/gpu:{i}")
    assert alone[-1] < alone[0] / 2
    np.testing.assert_allclose(on_cpus, alone, rtol=1e-6)
    np.testing.assert_allclose(on_gpus, alone, rtol=1e-6)


def test_two_replicas_of_half_a_batch_give_the_gradient_of_the_whole():
    data = np.random.default_rng(3).normal(size=(16, 5)).astype(np.float32)
    x = tf.placeholder(tf.float32, [16, 5])
    with tf.device("/cpu:0"):
        w = tf.Variable(np.ones([5, 2], np.float32))
    halves = []
    for i, part in enumerate(tf.split(x, 2)):
        with tf.device(f"/gpu:{i}"):
            loss = tf.reduce_mean(tf.square(tf.matmul(part, w)))
            halves.append(tf.gradients(loss, w)[0])
    mean = tf.add_n(halves) / 2.0
    whole = tf.gradients(tf.reduce_mean(tf.square(tf.matmul(x, w))), w)[0]
    with tf.Session() as session:
        session.run(w.initializer)
        replicas, alone = session.run([mean, whole], {x: data})
    np.testing.assert_allclose(replicas, alone, atol=1e-6)


def test_a_device_function_for_replicas_runs():
    types = ["Variable", "VariableV2", "VarHandleOp"]

    def placement(device, vars_device="/cpu:0"):
        return lambda op: vars_device if op.type in types else device

    def replica(inputs, reuse, device):
        with tf.device(placement(device)):
            return tf.layers.conv2d(inputs, 5, [3, 3], name="Layer", reuse=reuse)

    x = tf.placeholder(tf.float32, [None, 10, 10, 3])
    first, second = replica(x, None, "/gpu:0"), replica(x, True, "/gpu:1")
    image = np.random.default_rng(1).normal(size=(2, 10, 10, 3)).astype(np.float32)
    for config in (None, tf.ConfigProto(allow_soft_placement=True)):
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            a, b = session.run([first, second], {x: image})
            assert a.shape == (2, 8, 8, 5)
            np.testing.assert_array_equal(a, b)


def test_many_threads_run_one_session_and_never_mix():
    x = tf.placeholder(tf.float32, [4])
    y = _on("/gpu:0", tf.multiply, x, 2.0)
    z = _on("/cpu:0", tf.add, _on("/gpu:1", tf.multiply, y, 3.0), x)
    wrong = []

    def work(session, number):
        for i in range(30):
            value = np.full([4], number * 100 + i, np.float32)
            if session.run(z, {x: value}).tolist() != (value * 7).tolist():
                wrong.append((number, i))

    with tf.Session() as session:
        threads = [threading.Thread(target=work, args=(session, i)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert wrong == []


def test_random_graphs_on_random_devices():
    random = np.random.default_rng(5)
    places = ["", "/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1", "/gpu:2"]
    functions = [tf.add, tf.subtract, tf.maximum, lambda a, b: tf.tanh(a) * b]
    config = tf.ConfigProto(device_count={"CPU": 2})
    for _ in range(10):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [3])
            chosen = [
                (random.integers(4), random.integers(i + 1), random.integers(i + 1))
                for i in range(30)
            ]
            found = []
            for on_many in (False, True):
                values = [x]
                for which, a, b in chosen:
                    place = places[random.integers(len(places))] if on_many else ""
                    f = functions[which]
                    values.append(_on(place, f, values[a], values[b]))
                with tf.Session(config=config) as session:
                    found.append(session.run(values, {x: [0.5, -1.0, 2.0]}))
            for one, other in zip(*found, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_program_that_never_names_a_device_pays_for_none():
    program = (
        "import minitf as tf\n"
        "from minitf.framework import devices\n"
        "with tf.Session() as session:\n"
        "    session.run(tf.constant(1.0) + 2.0)\n"
        "    assert devices.transfers_of(session)['num_transfers'] == 0\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
