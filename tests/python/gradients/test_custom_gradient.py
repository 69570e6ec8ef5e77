"""Functions with gradients of their own, in both modes.

The expected values are those of tensorflow.compat.v1 2.21.
"""

import gc
import subprocess
import sys
import weakref

import pytest

import minitf as tf
from minitf.eager import context


@pytest.fixture(params=["graph", "eager"])
def differentiate(request):
    """A function that gives f(*xs), and gradients of the sum for xs and variables."""

    def in_graph(f, *xs, variables=()):
        tensors = [tf.constant(x) for x in xs]
        y = f(*tensors)
        found = tf.gradients(y, [*tensors, *variables])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [
                None if item is None else session.run(item).tolist()
                for item in (*(y if isinstance(y, (list, tuple)) else [y]), *found)
            ]

    def eagerly(f, *xs, variables=()):
        tensors = [tf.constant(x) for x in xs]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            y = f(*tensors)
        found = tape.gradient(y, [*tensors, *variables])
        return [
            None if item is None else item.numpy().tolist()
            for item in (*(y if isinstance(y, (list, tuple)) else [y]), *found)
        ]

    if request.param == "graph":
        yield in_graph
    else:
        with context.entered(None):
            yield eagerly


@tf.custom_gradient
def _cube(x):
    return x * x * x, lambda dy: dy * 100.0


# ---- What comes back -------------------------------------------------------------------


def test_several_results_and_a_gradient_that_is_none(differentiate):
    @tf.custom_gradient
    def f(x, y):
        return (x * y, x + y), lambda a, b: (a * 2.0 + b, None)

    assert differentiate(f, 2.0, 3.0) == [6, 5, 3, None]


def test_a_result_may_be_the_argument(differentiate):
    f = tf.custom_gradient(lambda x: (x, lambda dy: dy * 9.0))
    assert differentiate(f, 2.0) == [2, 9]


def test_a_function_within_a_function(differentiate):
    @tf.custom_gradient
    def f(x):
        return _cube(x) * 2.0, lambda dy: _cube(dy)

    assert differentiate(f, 2.0) == [16, 1]


def test_structures_of_arguments_and_results():
    @tf.custom_gradient
    def f(xs):
        return [xs[0] * 2.0, {"a": xs[1] * 3.0}], lambda a, b: [a * 10.0, b * 100.0]

    with context.entered(None):
        x, y = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            result = f([x, y])
        assert result[1]["a"].numpy() == 9
        assert [g.numpy() for g in tape.gradient(result, [x, y])] == [10, 100]
    x, y = tf.constant(2.0), tf.constant(3.0)
    result = f([x, y])
    with tf.Session() as session:
        assert session.run(tf.gradients(result[1]["a"], y)) == [100]


def test_second_derivatives_go_through_what_the_function_computed():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))

    x = tf.constant(0.5)
    (dx,) = tf.gradients(log1pexp(x), x)
    (ddx,) = tf.gradients(dx, x)
    with tf.Session() as session:
        assert session.run([dx, ddx]) == pytest.approx([0.622459, 0.235004], 1e-5)
    with context.entered(None):
        x = tf.constant(0.5)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = log1pexp(x)
            dx = inner.gradient(y, x)
        assert outer.gradient(dx, x).numpy() == pytest.approx(0.235004, 1e-5)


def test_a_tape_within_the_function(differentiate):
    @tf.custom_gradient
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        dx = tape.gradient(y, x)
        return y, lambda dy: dy * dx * 2.0

    assert differentiate(f, 2.0) == [8, 24]


def test_the_wrong_number_of_gradients(differentiate):
    f = tf.custom_gradient(lambda x: (x * 2.0, lambda dy: (dy, dy)))
    with pytest.raises(ValueError, match="1 gradients but returned 2"):
        differentiate(f, 2.0)


# ---- Variables and keywords ------------------------------------------------------------


def test_variables_that_the_function_reads(differentiate):
    v = tf.Variable(3.0)
    frozen = tf.Variable(1.0, trainable=False)

    @tf.custom_gradient
    def f(x):
        def gradient(dy, variables):
            return dy * 7.0, [dy * 11.0 for _ in variables]

        return x * v * frozen, gradient

    assert differentiate(f, 2.0, variables=[v, frozen]) == [6, 7, 11, None]


def test_variables_need_a_keyword_and_a_gradient_each(differentiate):
    v = tf.Variable(3.0)
    f = tf.custom_gradient(lambda x: (x * v, lambda dy: dy))
    with pytest.raises(TypeError, match="must accept a keyword argument 'variables'"):
        differentiate(f, 2.0)
    f = tf.custom_gradient(lambda x: (x * v, lambda dy, variables: (dy, [])))
    with pytest.raises(ValueError, match="Must return gradient for each variable"):
        differentiate(f, 2.0)


def test_a_variable_as_an_argument():
    square = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * 5.0))
    v = tf.Variable(3.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(tf.gradients(square(v), v)) == [5]
    with context.entered(None):
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = square(v)
        assert tape.gradient(y, v).numpy() == 5


def test_keywords_are_for_eager_mode():
    @tf.custom_gradient
    def f(x, scale=1.0):
        return x * scale, lambda dy: dy * scale * 10.0

    with pytest.raises(ValueError, match="keywords arguments only"):
        f(tf.constant(2.0), scale=3.0)
    with context.entered(None):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, scale=3.0)
        assert (y.numpy(), tape.gradient(y, x).numpy()) == (6, 30)


# ---- How long it lives, and who finds it -----------------------------------------------


class _Big:
    """Something that a gradient function keeps."""


def _call_and_watch(alive):
    big = _Big()
    alive.append(weakref.ref(big))

    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy, big=big: dy

    return f(tf.constant(1.0))


def test_a_tape_forgets_the_function_with_itself():
    alive = []
    with context.entered(None):
        for _ in range(3):
            _call_and_watch(alive)
        gc.collect()
        assert [big() for big in alive] == [None] * 3
        with tf.GradientTape() as tape:
            x = tf.constant(1.0)
            tape.watch(x)
            y = _cube(x)
        assert tape.gradient(y, x).numpy() == 100


def test_a_graph_forgets_the_function_with_itself():
    alive = []
    graph = tf.Graph()
    with graph.as_default():
        _call_and_watch(alive)
    gc.collect()
    assert alive[0]() is not None
    del graph
    gc.collect()
    assert alive[0]() is None


def test_an_imported_graph_never_takes_another_function():
    x = tf.placeholder(tf.float32, [], name="x")
    tf.identity(_cube(x), name="y")
    graph_def = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default():
        tf.custom_gradient(lambda x: (x, lambda dy: -dy))(tf.constant(1.0))
        a = tf.constant(2.0)
        (b,) = tf.import_graph_def(graph_def, {"x": a}, ["y:0"])
        with tf.Session() as session:
            assert session.run(tf.gradients(b, a)) == [100]
        for node in graph_def.node:
            if node.op == "IdentityN":
                node.attr["_gradient_op_type"].s = b"CustomGradient-99"
        (b,) = tf.import_graph_def(graph_def, {"x": a}, ["y:0"])
        with pytest.raises(LookupError, match="CustomGradient-99"):
            tf.gradients(b, a)


def test_names_differ_from_process_to_process():
    program = """
import minitf as tf
f = tf.custom_gradient(lambda x: (x, lambda dy: dy))
print(f(tf.constant(1.0)).op.get_attr("_gradient_op_type"))
"""
    names = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(names) == 2
    assert all(b"CustomGradient-" in name for name in names)


# ---- Other gradients for ops -----------------------------------------------------------


def test_gradient_override_map_chooses_a_registered_function():
    @tf.RegisterGradient("TimesAHundred")
    def _times_a_hundred(op, dy):
        return [dy * 100.0, None]

    graph = tf.get_default_graph()
    x = tf.constant(2.0)
    with graph.gradient_override_map({"Mul": "TimesAHundred"}):
        y = x * 3.0
        with graph.gradient_override_map({"Mul": "Missing"}):
            lost = x * 5.0
        i = tf.identity(x)
    z = x * 4.0
    assert y.op.get_attr("_gradient_op_type") == b"TimesAHundred"
    with tf.Session() as session:
        found = [tf.gradients(target, x)[0] for target in (y, i, z)]
        assert session.run(found) == [100, 1, 4]
    with pytest.raises(LookupError, match=r"No gradient defined for op: Missing"):
        tf.gradients(lost, x)
    graph_def = graph.as_graph_def()
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        again = tf.get_default_graph().get_tensor_by_name
        with tf.Session() as session:
            found = tf.gradients(again(y.name), again(x.name))
            assert session.run(found) == [100]


@pytest.mark.parametrize("wrong", [["Mul"], {"Mul": 1}, {1: "Mul"}])
def test_gradient_override_map_is_from_names_to_names(wrong):
    with (
        pytest.raises(TypeError, match="strings to strings"),
        tf.get_default_graph().gradient_override_map(wrong),
    ):
        pass


def test_grad_pass_through(differentiate):
    v = tf.Variable(1.0)
    f = tf.grad_pass_through(lambda x: tf.round(x) * v)
    assert differentiate(f, 2.6, variables=[v]) == [3, 1, None]


def test_recompute_grad(differentiate):
    v = tf.Variable(3.0)
    calls = []

    def f(x, y):
        calls.append(1)
        return x * x * y * v

    assert differentiate(tf.recompute_grad(f), 2.0, 5.0, variables=[v]) == [
        *(60, 60, 12, 20),
    ]
    assert len(calls) == 2


def test_how_gradients_are_added_up():
    x = tf.constant(2.0)
    y = x * x + x
    with tf.Session() as session:
        for method in (0, 1, 2):
            found = tf.gradients(y, x, aggregation_method=method, gate_gradients=True)
            assert session.run(found) == [5]
    with pytest.raises(ValueError, match="aggregation_method specified 17"):
        tf.gradients(y, x, aggregation_method=17)
