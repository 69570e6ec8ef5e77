"""Running parts of a graph: fetches, feeds, and what cannot be run."""

import collections
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import minitf as tf
from minitf.core.protobuf.rewriter_config_pb2 import RewriterConfig


def test_the_product_of_two_constants(session):
    matrix1 = tf.constant([[3.0, 3.0]])
    matrix2 = tf.constant([[2.0], [2.0]])
    product = tf.matmul(matrix1, matrix2)
    result = session.run(product)
    assert type(result) is np.ndarray
    assert result.dtype == np.float32 and result.shape == (1, 1)
    assert str(result) == "[[12.]]"
    assert product.eval().tolist() == [[12]]


def test_results_have_the_structure_of_the_fetches(session):
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    point = collections.namedtuple("point", "x y")
    assert session.run([a, b, a]) == [1, 2, 1]
    assert session.run((a, b)) == (1, 2)
    assert session.run(point(b, a)) == point(2, 1)
    assert session.run({"one": a, "more": [b, {"last": a}]}) == {
        "one": 1,
        "more": [2, {"last": 1}],
    }
    assert session.run(["a:0", b.op, "b"]) == [1, None, None]
    assert session.run([]) == []
    ordered = collections.OrderedDict([("z", a), ("y", b)])
    assert list(session.run(ordered).items()) == [("z", 1), ("y", 2)]
    with_default = session.run(collections.defaultdict(list, {"k": a}))
    assert with_default == {"k": 1} and with_default["new"] == []

    class Layers(list):
        def __init__(self, first, second):
            super().__init__([first, second])

    assert type(session.run(Layers(a, b))) is list
    assert session.run([b"a:0", b"a"]) == [1, None]


def test_a_list_of_fetches_may_change_between_runs(session):
    a, b = tf.constant(1.0), tf.constant(2.0)
    fetches = [a, b]
    assert session.run(fetches) == [1, 2]
    fetches[0] = b
    assert session.run(fetches) == [2, 2]


def test_any_tensor_can_be_fed_and_fetched(session):
    x = tf.constant(2.0)
    square = x * x
    result = square + 1
    assert session.run([square, result]) == [4, 5]
    assert session.run(result, {square: 10.0}) == 11
    assert session.run(x, {x: 7}) == 7


def test_three_steps_with_three_feeds(session):
    x = tf.placeholder(tf.float32, [None, 2])
    total = tf.reduce_sum(x, axis=1)
    for rows in (1, 7, 0):
        assert session.run(total, {x: np.ones((rows, 2))}).tolist() == [2.0] * rows


def test_feeds_may_be_named_or_nested(session):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    assert session.run(x - y, {"x:0": 5.0, y: 3}) == 2
    assert session.run(x - y, {b"x:0": 5.0, y: 3}) == 2
    assert session.run(x - y, {(x, y): (5.0, 1.0)}) == 4


def test_of_two_values_for_a_tensor_the_later_one_counts(session):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    assert session.run(x - y, {x: 1.0, y: 1.0, "x:0": 5.0}) == 4
    assert session.run(x - y, {"x:0": 5.0, y: 1.0, x: 1.0}) == 0
    assert session.make_callable(x + 1, [x, x])(1.0, 2.0) == 3


def test_a_graph_is_compiled_once(session):
    x = tf.placeholder(tf.float32)
    y = x + 1
    for i in range(1000):
        assert session.run(y, {x: i}) == i + 1
    assert session._core.num_executors_made == 1


def test_a_callable_takes_values_in_order(session):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    step = session.make_callable([x - y, x], [x, y])
    assert step(3.0, np.float32(1)) == [2, 3]
    with pytest.raises(TypeError, match="Expected 2 values to feed, got 1"):
        step(1.0)
    for wrong in (x, "x:0", {x}):
        with pytest.raises(TypeError, match="feed_list must be a list or tuple"):
            session.make_callable(x, wrong)


def test_sessions_keep_variables_apart():
    v = tf.Variable(1.0)
    with tf.Session() as one, tf.Session() as two:
        one.run(v.initializer)
        two.run(v.initializer)
        one.run(v.assign_add(1.0))
        assert (one.run(v), two.run(v)) == (2, 1)


def test_a_session_may_be_entered_and_is_the_default_one():
    x = tf.constant(3.0)
    with tf.Session() as session:
        assert tf.get_default_session() is session
        assert x.eval() == 3
    assert tf.get_default_session() is None
    interactive = tf.InteractiveSession()
    assert x.eval() == 3
    interactive.close()
    assert tf.get_default_session() is None


def test_what_has_no_session_says_which_one_it_needs():
    x = tf.constant(3.0)
    with pytest.raises(ValueError) as error:
        x.op.run()
    assert str(error.value) == (
        "Cannot execute operation using `run()`: No default session is registered. Use "
        "`with sess.as_default():` or pass an explicit session to `run(session=sess)`"
    )
    other = tf.Session(graph=tf.Graph())
    with other.as_default():
        with pytest.raises(ValueError, match="default session to execute operation: the"):
            x.op.run()
        with pytest.raises(ValueError, match="Pass an explicit session to `eval"):
            x.eval()
    differs = "given session to {}'s graph is different from the session's graph.$"
    with pytest.raises(ValueError, match=differs.format("evaluate tensor: the tensor")):
        x.eval(session=other)
    with pytest.raises(ValueError, match=differs.format("execute oper.*the operation")):
        x.op.run(session=other)


def test_the_target_of_a_session_is_text():
    for target in (3, tf.Graph()):
        with pytest.raises(TypeError, match="target must be a string, but got <class"):
            tf.Session(target)


def test_an_unfed_placeholder_is_named(session):
    x = tf.placeholder(tf.float32, [None, 3], name="pixels")
    y = x + 1
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="You must feed a value for placeholder tensor 'pixels'",
    ):
        session.run(y)


def test_a_closed_session_does_not_run():
    x = tf.constant(1.0)
    session = tf.Session()
    session.run(x)
    step = session.make_callable(x)
    session._core.close()  # as if by another thread, after this one has looked
    for use in (lambda: session.run(x), step, session.list_devices):
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
            use()
        session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
        session.run(x)


def test_an_empty_graph_does_not_run():
    with pytest.raises(RuntimeError, match="The Session graph is empty. Add operations"):
        tf.Session().run([])


def test_fetches_that_make_no_sense(session):
    x = tf.constant(1.0, name="x")
    with pytest.raises(TypeError, match="has invalid type <class 'int'>"):
        session.run(3)
    with pytest.raises(TypeError, match="has invalid type <class 'NoneType'>"):
        session.run(None)
    with pytest.raises(ValueError, match="does not exist in the graph"):
        session.run("nothing:0")
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="is not an element of this graph."):
        session.run(other)
    assert session.run(x) == 1


def test_feeds_that_make_no_sense(session):
    x = tf.placeholder(tf.float32, [None, 100, 100, 3], name="x")
    n = tf.placeholder(tf.int32, [2], name="n")
    y = tf.shape(x), n + 1
    with pytest.raises(ValueError) as error:
        session.run(y[0], {x: np.zeros([2, 99, 100, 3])})
    assert str(error.value) == (
        "Cannot feed value of shape (2, 99, 100, 3) for Tensor 'x:0', which has shape "
        "'(?, 100, 100, 3)'"
    )
    with pytest.raises(TypeError, match="complex.*'n:0', which has type int32"):
        session.run(y[1], {n: [1.5j, 2.0]})
    with pytest.raises(ValueError, match="'n:0', which has type int32"):
        session.run(y[1], {n: ["a", "b"]})
    with pytest.raises(TypeError, match="int32. Try explicitly setting the type"):
        session.run(y[1], {n: [2**40, 1]})
    with pytest.raises(TypeError, match="value of a feed cannot be a tf.Tensor object"):
        session.run(y[1], {n: tf.constant([1, 2])})
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
        session.run(y[1], {"nothing:0": 1})
    with pytest.raises(ValueError):
        session.run(y[1], {n: [[1, 2], [3]]})
    yes = tf.placeholder(tf.bool)
    with pytest.raises(TypeError, match="value 3 is not compatible .* type bool"):
        session.run(yes, {yes: 3})
    assert session.run(yes, {yes: 1}) is np.True_
    assert session.run(y[1], {n: [1, 2]}).tolist() == [2, 3]


def test_an_error_names_the_node_and_the_users_line(session):
    x = tf.placeholder(tf.int32, name="x")
    y = tf.floordiv(6, x, name="ratio")
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        session.run(y, {x: 0})
    assert "Integer division by zero" in error.value.message or (
        "division by zero" in error.value.message.lower()
    )
    assert re.search(r"'ratio'.*at test_session\.py:\d+", error.value.message)
    assert error.value.op is y.op and error.value.node_def.name == "ratio"
    assert error.value.error_code == tf.errors.INVALID_ARGUMENT
    assert session.run(y, {x: 3}) == 2


def test_two_threads_run_at_the_same_time(session):
    x = tf.placeholder(tf.float32, [200, 200])
    y = x
    for _ in range(10):
        y = tf.matmul(y, x) / 200.0
    array = np.ones((200, 200), np.float32)
    expected = session.run(y, {x: array})
    failures = []

    def work():
        for _ in range(20):
            if not np.array_equal(session.run(y, {x: array}), expected):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ---- The end of the program ------------------------------------------------------------

DAEMONS = """
import threading
import numpy as np
import minitf as tf

x = tf.placeholder(tf.float32, [64])
queue = tf.FIFOQueue(50, tf.float32, [[64]])
enqueue, dequeue = queue.enqueue(x), queue.dequeue_many(4)
endless = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [0])
session = tf.Session()

def fill():
    while True:
        session.run(enqueue, {x: np.ones(64)})

threads = [threading.Thread(target=fill, daemon=True) for _ in range(3)]
threads.append(threading.Thread(target=session.run, args=(endless,), daemon=True))
for thread in threads:
    thread.start()
for _ in range(20):
    session.run(dequeue)
"""


def test_a_program_may_end_while_daemon_threads_run_steps():
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", DAEMONS],
            capture_output=True,
            text=True,
            timeout=60,
            env={"PYTHONPATH": ":".join(sys.path)},
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_callable_takes_options_if_it_was_made_to(session):
    x = tf.placeholder(tf.float32)
    plain = session.make_callable(x + 1, [x])
    traced = session.make_callable(x + 1, [x], accept_options=True)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    assert traced(3, options=options, run_metadata=metadata) == 4
    assert metadata.step_stats.dev_stats
    with pytest.raises(TypeError, match="accept_options=True"):
        plain(3, options=options)


def test_bytes_beside_text_can_be_fed(session):
    x = tf.placeholder(tf.string)
    fed = ["a", "é", b"\xff\x00"]
    assert session.run(x, {x: fed}).tolist() == [b"a", "é".encode(), b"\xff\x00"]


def test_settings_of_old_programs_are_accepted():
    config = tf.ConfigProto(device_filters=["/job:ps"], placement_period=1)
    optimizer = config.graph_options.optimizer_options
    optimizer.global_jit_level = tf.OptimizerOptions.ON_1
    config.graph_options.place_pruned_graph = True
    config.gpu_options.allow_growth = True
    rewrites = config.graph_options.rewrite_options
    rewrites.memory_optimization = RewriterConfig.NO_MEM_OPT
    rewrites.shape_optimization = rewrites.auto_mixed_precision = RewriterConfig.OFF
    rewrites.optimizers.append("function")
    config.experimental.use_numa_affinity = True
    config.session_inter_op_thread_pool.add().num_threads = 2
    options = tf.RunOptions()
    options.experimental.use_run_handler_pool = True
    with tf.Session(config=config) as session:
        assert session.run(tf.constant(1) + 1, options=options) == 2


def test_a_callable_is_checked_when_it_is_made(session):
    x = tf.placeholder(tf.float32, [], name="x")
    assert session.make_callable(x + 1.0, [x, "x:0"])(1.0, 5.0) == 6
    with pytest.raises(ValueError, match="nope"):
        session.make_callable("nope:0", [x, x])
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key"):
        session.make_callable(x, [x, x, 3])


def test_texts_are_fed_as_the_numbers_they_spell():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, name="x")
        assert session.run(x, {x: ["1.5", "-2"]}).tolist() == [1.5, -2.0]
        with pytest.raises(ValueError, match=r"feed a str for Tensor 'x:0'.*'a'"):
            session.run(x, {x: "a"})


def test_a_step_does_not_run_what_a_fed_placeholder_waits_for():
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.Variable(0)
        with tf.control_dependencies([tf.assign_add(count, 1)]):
            x = tf.placeholder(tf.float32, [])
            constant = tf.constant(1.0)
        session.run(count.initializer)
        for waited_for, runs in ((x, 0), (constant, 1)):
            with tf.control_dependencies([waited_for]):
                y = tf.constant(5.0)
            assert session.run(y, {x: 2.0, constant: 3.0}) == 5
            assert session.run(count) == runs
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value"):
            session.run(x.op, {x: 2.0})
