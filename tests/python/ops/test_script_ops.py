"""Functions of the program as nodes: what they get, return and raise, and gradients."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context


def test_arrays_in_and_out(session):
    def function(x, names):
        assert isinstance(x, np.float32) and isinstance(names, np.ndarray)
        return x + 1, names[0] + b"!"

    y, text = tf.py_func(function, [1.0, ["a"]], [tf.float32, tf.string], name="f")
    assert (y.name, y.shape.ndims, y.op.type) == ("f:0", None, "PyFunc")
    assert session.run([y, text]) == [2, b"a!"]


def test_results_have_the_form_that_tout_has(session):
    single = tf.py_func(lambda x: x, [1.0], tf.float32)
    several = tf.py_func(lambda x: x, [1.0], [tf.float32])
    nothing = tf.py_func(lambda x: None, [1.0], [])
    assert isinstance(single, tf.Tensor) and isinstance(several, list)
    assert isinstance(nothing, tf.Operation) and session.run(nothing) is None
    assert tf.py_func(abs, [1.0], tf.float32, stateful=False).op.type == "PyFuncStateless"


@pytest.mark.parametrize(
    ("function", "tout", "text"),
    [
        (lambda x: x, [tf.float32] * 2, "returns 1 values, but expects to see 2 values"),
        (lambda x: [x, x], [tf.float32], "returns 2 values, but expects to see 1 values"),
        (lambda x: 2.0, tf.float32, "0-th value .* is float64, but expects float32"),
        (lambda x: 2, tf.int32, "0-th value .* is int64, but expects int32"),
    ],
)
def test_what_was_not_announced(function, tout, text, session):
    node = tf.py_func(function, [1.0], tout, name="liar")
    with pytest.raises(tf.errors.InvalidArgumentError, match=text) as caught:
        session.run(node)
    assert "node 'liar'" in str(caught.value)
    with pytest.raises(tf.errors.InternalError, match="Unsupported object type dict"):
        session.run(tf.py_func(lambda x: {}, [1.0], tf.float32))


ERRORS = [
    (ValueError("v"), tf.errors.InvalidArgumentError, "ValueError: v"),
    (TypeError("t"), tf.errors.InvalidArgumentError, "TypeError: t"),
    (StopIteration(), tf.errors.OutOfRangeError, "StopIteration"),
    (MemoryError(), tf.errors.ResourceExhaustedError, "MemoryError"),
    (NotImplementedError("n"), tf.errors.UnimplementedError, "NotImplementedError: n"),
    (KeyError("k"), tf.errors.UnknownError, "KeyError: 'k'"),
    (tf.errors.NotFoundError(None, None, "nf"), tf.errors.UnknownError, "nf"),
]


@pytest.mark.parametrize("function", [tf.py_func, tf.py_function])
@pytest.mark.parametrize(("error", "kind", "text"), ERRORS)
def test_an_exception_is_an_error_of_the_node(function, error, kind, text, session):
    def failing(x):
        raise error

    node = function(failing, [1.0], tf.float32, name="failing_node")
    with pytest.raises(kind, match=text) as caught:
        session.run(node)
    assert "node 'failing_node'" in str(caught.value)
    assert "in failing" in str(caught.value)  # where it was raised


def test_what_is_no_function():
    for function in (tf.py_func, tf.py_function):
        with pytest.raises(ValueError, match="Expected func to be callable"):
            function(3, [1.0], tf.float32)


def test_gradients_to_any_order(session):
    calls = []

    def cube(x, w):
        calls.append(x)
        return x * x * x, w * 2

    x, w = tf.constant([1.0, 2.0]), tf.constant(3.0)
    y, _ = tf.py_function(cube, [x, w], [tf.float32, tf.float32])
    dx, dw = tf.gradients(y, [x, w])
    assert session.run([dx, dw])[0].tolist() == [3, 12] and session.run(dw) == 0
    calls.clear()
    session.run([y, dx])
    assert len(calls) == 1  # the tape of the step is at hand
    assert session.run(tf.gradients(dx, x)[0]).tolist() == [6, 12]
    assert tf.gradients(tf.py_func(np.abs, [x], tf.float32), x) == [None]


def test_eager_mode():
    with context.entered(None):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * a, [x], tf.float32)
        assert tape.gradient(y, x).numpy().tolist() == [2, 4]
        assert tf.py_function(lambda a: 2, [x], [tf.float32])[0].numpy() == 2
        assert tf.py_func(lambda a: a + 1, [x], tf.float32).numpy().tolist() == [2, 3]
        with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError"):
            tf.py_function(lambda a: 1 / 0, [x], tf.float32)
        with pytest.raises(ZeroDivisionError):
            tf.py_func(lambda a: 1 / 0, [x], tf.float32)


def test_a_function_goes_when_its_graph_goes():
    class Function:
        def __call__(self, x):
            return x

    function = Function()
    reference = weakref.ref(function)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        y = tf.py_func(function, [1.0], tf.float32)
        del function
        gc.collect()
        assert session.run(y) == 1
        text = graph.as_graph_def()
    del graph, session, y
    gc.collect()
    assert reference() is None
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(text, return_elements=["PyFunc:0"])
        with pytest.raises(tf.errors.InvalidArgumentError, match="its graph is gone"):
            session.run(y)


def test_threads_share_a_function(session):
    y = tf.placeholder(tf.float32, [])
    doubled = tf.py_func(lambda x: np.float32(x * 2), [y], tf.float32)
    found = {}

    def run(i):
        found[i] = [session.run(doubled, {y: i}) for _ in range(20)]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == {i: [2 * i] * 20 for i in range(8)}


def test_a_function_may_run_a_session_and_write_to_its_arrays(session):
    def function(x):
        x[0] = 7
        with tf.Graph().as_default(), tf.Session() as inner:
            return inner.run(tf.constant(x) * 2)

    x = tf.constant([1.0, 2.0])
    y = tf.py_func(function, [x], tf.float32)
    found = session.run([y, x])
    assert found[0].tolist() == [14, 4] and found[1].tolist() == [1, 2]


PROGRAM = """
import minitf as tf
node = {"name": "f", "op": "PyFunc", "attr": {"token": {"s": b"pyfunc_0"}}}
node["attr"]["Tin"] = node["attr"]["Tout"] = {"list": {}}
tf.import_graph_def(tf.GraphDef(node=[node]), name="")
try:
    tf.Session().run("f")
except tf.errors.InvalidArgumentError as error:
    print(error)
"""


def test_a_node_from_elsewhere_says_that_its_function_is_not_here():
    run = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
    assert "callback pyfunc_0 is not found" in done.stdout, done
