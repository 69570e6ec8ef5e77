"""Names of nodes, and what else a program sees of functions that make several nodes.

A function that makes several nodes puts them into a scope of its own, so that it does
not take names such as "Max" or "Const" from the program. The names are TensorFlow's.
"""

import threading

import numpy as np
import pytest

import minitf as tf

_MATRIX = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]


@pytest.fixture(autouse=True)
def graph():
    """A graph for every test."""
    with tf.Graph().as_default() as graph:
        yield graph


def _x():
    return tf.constant(_MATRIX, name="x")


RESULTS = {
    "ReduceLogSumExp:0": lambda: tf.reduce_logsumexp(_x()),
    "count_nonzero/Sum:0": lambda: tf.count_nonzero(_x(), axis=1),
    "reduce_std/Sqrt:0": lambda: tf.math.reduce_std(_x(), axis=0),
    "reduce_variance/Mean_1:0": lambda: tf.math.reduce_variance(_x()),
    "norm/Squeeze:0": lambda: tf.norm(_x()),
    "clip_by_norm:0": lambda: tf.clip_by_norm(_x(), 1.0),
    "clip_by_value:0": lambda: tf.clip_by_value(_x(), 0, 1),
    "global_norm/global_norm:0": lambda: tf.global_norm([_x(), None]),
    "clip_by_global_norm/clip_by_global_norm/_0:0": lambda: tf.clip_by_global_norm(
        [_x()], 1.0
    )[0][0],
    "zero_fraction/fraction:0": lambda: tf.nn.zero_fraction(_x()),
    "CRelu/Relu:0": lambda: tf.nn.crelu(_x()),
    "LogSigmoid:0": lambda: tf.log_sigmoid(_x()),
    "l2_normalize:0": lambda: tf.nn.l2_normalize(_x(), 0),
    "moments/Squeeze_1:0": lambda: tf.nn.moments(_x(), [0])[1],
    "logistic_loss:0": lambda: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=_x(), logits=_x()
    ),
    "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits:0": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=_x())
    ),
    "embedding_lookup/Identity:0": lambda: tf.nn.embedding_lookup(_x(), [1]),
    "boolean_mask/GatherV2:0": lambda: tf.boolean_mask(_x(), [True, False]),
    "LogicalXor:0": lambda: tf.logical_xor(_x() > 0, _x() > 1),
    "xor:0": lambda: (_x() > 0) ^ (_x() > 1),
    "floordiv:0": lambda: tf.floordiv(_x(), 2),
    "ToFloat:0": lambda: tf.to_float([1, 2]),
    "Abs:0": lambda: tf.abs([1.0]),
    "zeros_like:0": lambda: tf.zeros_like([1.0]),
    "ones_like:0": lambda: tf.ones_like([1.0]),
    "ExponentialDecay:0": lambda: tf.train.exponential_decay(0.1, 7, 3, 0.9),
    "PolynomialDecay:0": lambda: tf.train.polynomial_decay(0.1, 7, 3),
    "transpose_1:0": lambda: tf.nn.softmax(_x(), axis=0),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_result_has_the_name_that_tensorflow_gives_it(name):
    assert RESULTS[name]().name == name


@pytest.mark.parametrize("name", sorted(set(RESULTS) - {"transpose_1:0", "xor:0"}))
def test_all_nodes_are_in_the_scope_of_the_result(name, graph):
    RESULTS[name]()
    scopes = {name.split("/")[0].split(":")[0]}
    if name.startswith("clip_by_global_norm"):
        scopes.add("global_norm")
    given = {"x"}
    if name.startswith("LogicalXor"):
        given |= {"x_1", "Greater", "Greater_1"}
    if name.startswith("logistic_loss"):
        given |= {"x_1"}
    assert {op.name.split("/")[0] for op in graph.get_operations()} - given == scopes


def test_nodes_of_a_variable(graph):
    tf.Variable([1.0], name="v")
    assert [(op.name, op.type) for op in graph.get_operations()] == [
        ("v/Initializer/initial_value", "Const"),
        ("v", "VarHandleOp"),
        ("v/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"),
        ("v/Assign", "AssignVariableOp"),
        ("v/Read/ReadVariableOp", "ReadVariableOp"),
    ]


def test_an_operator_reads_a_variable_before_its_scope_begins(graph):
    v = tf.Variable([1.0], name="v")
    before = len(graph.get_operations())
    _ = v * 2.0
    _ = 2.0 + v
    _ = v[0]
    names = [op.name for op in graph.get_operations()][before:]
    assert names == [
        *("ReadVariableOp", "mul/y", "mul"),
        *("ReadVariableOp_1", "add/x", "add"),
        *("ReadVariableOp_2", "strided_slice/stack", "strided_slice/stack_1"),
        *("strided_slice/stack_2", "strided_slice"),
    ]


def test_logic_on_variables():
    v = tf.Variable([True, False], name="v")
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v & True).tolist() == [True, False]
        assert session.run(v ^ True).tolist() == [False, True]
        assert session.run(~v).tolist() == [False, True]


def test_a_reduction_over_all_axes_makes_a_constant_beside_it(graph):
    tf.reduce_sum(_x())
    assert [op.name for op in graph.get_operations()] == ["x", "Const", "Sum"]


@pytest.mark.parametrize("reduce", [tf.reduce_mean, tf.reduce_sum, tf.reduce_max])
def test_a_reduction_over_all_axes_is_known_to_be_a_scalar(reduce):
    assert reduce(tf.placeholder(tf.float32)).shape == []
    assert reduce(tf.constant(3.0)).shape == []
    kept = reduce(tf.placeholder(tf.float32), keepdims=True)
    assert kept.shape.ndims is None


def test_strings_are_joined_by_plus():
    with tf.Session() as session:
        assert session.run(tf.constant("a") + "b") == b"ab"
        joined = session.run("x" + tf.constant(["a", "b"]))
        assert joined.tolist() == [b"xa", b"xb"]


def test_sizes_may_be_numbers_and_tensors():
    x = tf.placeholder_with_default(np.ones([3, 4], np.float32), [None, 4])
    state = tf.zeros([tf.shape(x)[0], 2])
    with tf.Session() as session:
        assert session.run(state).shape == (3, 2)
        assert session.run(tf.ones([2, tf.constant(3)])).shape == (2, 3)


def test_matmul_of_a_batch_and_a_matrix():
    a = np.arange(12.0, dtype=np.float32).reshape(2, 2, 3)
    b = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    x, y = tf.constant(a), tf.constant(b)
    product = tf.matmul(x, y)
    assert product.shape == [2, 2, 2]
    with tf.Session() as session:
        got, dx, dy = session.run([product, *tf.gradients(product, [x, y])])
    assert np.array_equal(got, a @ b)
    assert np.array_equal(dx, np.ones([2, 2, 2]) @ b.T)
    assert np.array_equal(dy, np.einsum("nij,nik->jk", a, np.ones([2, 2, 2])))


def test_types_that_do_not_fit():
    with pytest.raises(TypeError):
        tf.truediv(tf.constant([True]), tf.constant([True]))
    with pytest.raises(TypeError):
        tf.conj(tf.constant(["a"]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.softmax(tf.constant([[1.0]]), axis=2)
    with pytest.raises(TypeError):
        tf.clip_by_global_norm(tf.constant([1.0]), 1.0)


def test_mean_pairwise_squared_error_adds_up_the_examples():
    labels = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    predictions = [[0.5, 0.2, 0.9], [0.1, 0.3, 0.4]]
    loss = tf.losses.mean_pairwise_squared_error(labels, predictions)
    half = tf.losses.mean_pairwise_squared_error(
        labels, predictions, weights=[[1.0], [0.0]]
    )
    with tf.Session() as session:
        got = session.run([loss, half])
    assert got == pytest.approx([0.74 / 3 + 1.34 / 3, 0.74 / 3])


def test_moving_average_of_a_tensor():
    averages = tf.train.ExponentialMovingAverage(0.5)
    doubled = tf.constant([1.0, 2.0]) * 2
    update = averages.apply([doubled])
    average = averages.average(doubled)
    assert average.name == "mul/ExponentialMovingAverage:0"
    assert tf.moving_average_variables() == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        session.run(update)
        assert session.run(average).tolist() == [1.5, 3.0]


def test_moving_averages_are_not_among_the_variables_that_have_one():
    v = tf.Variable([1.0], name="v")
    tf.train.ExponentialMovingAverage(0.5).apply([v])
    assert tf.moving_average_variables() == [v]


def test_constants_of_a_call_are_in_its_scope(graph):
    tf.range(5)
    tf.cast(3, tf.float32)
    tf.one_hot([0, 1], 3)
    names = [op.name for op in graph.get_operations()]
    assert names == [
        "range/start",
        "range/limit",
        "range/delta",
        "range",
        "Cast/x",
        "Cast",
        "one_hot/on_value",
        "one_hot/off_value",
        "one_hot/indices",
        "one_hot/depth",
        "one_hot",
    ]


def test_threads_have_name_scopes_of_their_own(graph):
    is_inside, may_leave = threading.Event(), threading.Event()

    def stay_in_a():
        with graph.as_default(), tf.name_scope("a"):
            is_inside.set()
            may_leave.wait(10)

    thread = threading.Thread(target=stay_in_a)
    thread.start()
    assert is_inside.wait(10)
    with tf.name_scope("b"):
        assert tf.constant(1).name == "b/Const:0"
        may_leave.set()
        thread.join()
    assert tf.constant(1).name == "Const:0" and graph.get_name_scope() == ""


# Calls that make constants beside the tensors that they are given.
ELSEWHERE = {
    "a[0]": lambda a, i, v: a[0],
    "a[None]": lambda a, i, v: a[None],
    "v[0]": lambda a, i, v: v[0],
    "one_hot": lambda a, i, v: tf.one_hot(i, 3),
    "range": lambda a, i, v: tf.range(i),
    "norm": lambda a, i, v: tf.norm(a),
    "dropout": lambda a, i, v: tf.nn.dropout(a, rate=0.5),
    "boolean_mask": lambda a, i, v: tf.boolean_mask(a, [True, False]),
    "batch_normalization": lambda a, i, v: tf.nn.batch_normalization(
        a, 0.0, 1.0, None, None, 1e-3
    ),
    "shape": lambda a, i, v: tf.shape(a),
    "zeros_like": lambda a, i, v: tf.zeros_like(a),
    "ones_like": lambda a, i, v: tf.ones_like(a),
    "while_loop": lambda a, i, v: tf.while_loop(lambda n: n < 3, lambda n: n + 1, [i]),
    "assign": lambda a, i, v: v.assign([3.0, 4.0]),
    "variable": lambda a, i, v: tf.add(v, 1.0),
    "group": lambda a, i, v: tf.group(a, [i.op]),
    "tuple": lambda a, i, v: tf.tuple([a, i])[1],
    "variables_initializer": lambda a, i, v: tf.variables_initializer([v]),
    "mean_squared_error": lambda a, i, v: tf.losses.mean_squared_error(a, a),
    "clip_by_global_norm": lambda a, i, v: tf.clip_by_global_norm([a], 1.0)[1],
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_nodes_are_added_to_the_graph_of_the_tensors(name, graph):
    with tf.Graph().as_default() as home:
        arguments = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(1)
        variable = tf.Variable([1.0, 2.0])
    assert ELSEWHERE[name](*arguments, variable).graph is home
    assert graph.get_operations() == []


def test_a_scope_that_cannot_be_entered_leaves_the_default_graph(graph):
    with tf.Graph().as_default():
        elsewhere = tf.constant(1)
        sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 1])
    with pytest.raises(ValueError, match="not a valid scope name") as kept:
        tf.name_scope("bad name!", values=[elsewhere]).__enter__()
    assert kept.value is not None and tf.get_default_graph() is graph
    with tf.name_scope("inside", values=[sparse]):
        assert tf.get_default_graph() is sparse.graph
    assert tf.group(sparse).graph is sparse.graph
    with pytest.raises(TypeError, match="values must be a list of tensors, got"):
        tf.name_scope("a", values=elsewhere)


def test_values_keep_their_type_where_an_attribute_has_a_default():
    x = tf.placeholder(tf.float32, [2, 3])
    for axes in ([1, 0], np.array([1, 0]), ()):
        shape = tf.raw_ops.Transpose(x=tf.zeros([1] * len(axes)), perm=axes).op.inputs[1]
        assert shape.dtype == (tf.int64 if isinstance(axes, np.ndarray) else tf.int32)
    assert tf.reduce_sum(x, []).op.inputs[1].dtype == tf.int32
    # A type that the op does not take becomes the default.
    assert tf.raw_ops.Transpose(x=x, perm=np.array([1, 0], np.int8)).op.inputs[
        1
    ].dtype == (tf.int32)


def test_text_and_bytes_in_one_list():
    mixed = tf.constant(["a", b"\xff"]), tf.constant([["a"], [b"\xff"]], tf.string)
    text = tf.placeholder(tf.string, [None])
    with tf.Session() as session:
        assert session.run(mixed[0]).tolist() == [b"a", b"\xff"]
        assert session.run(mixed[1]).tolist() == [[b"a"], [b"\xff"]]
        assert session.run(tf.size(text), {text: []}) == 0
        with pytest.raises(
            ValueError, match=r"shape \(1, 0\) for Tensor 'Placeholder:0'"
        ):
            session.run(text, {text: [[]]})


def test_names_of_scopes_are_checked(graph):
    with pytest.raises(ValueError, match="'a b' is not a valid scope name"):
        tf.name_scope("a b").__enter__()
    with pytest.raises(ValueError, match="not a valid scope name"):
        tf.name_scope("_a").__enter__()
    for name in ("a b/", "_a/"):
        with pytest.raises(ValueError, match=f"'{name}' is not a valid scope name"):
            graph.name_scope(name).__enter__()
    with graph.name_scope(b"x"), graph.name_scope(b"y") as scope:
        assert scope == "x/y/"
    with tf.name_scope("a"), tf.name_scope("_b") as scope:
        assert scope == "a/_b/"


def test_real_numbers_may_be_fed_to_integers():
    labels = tf.placeholder(tf.int32, [None])
    with tf.Session() as session:
        assert session.run(labels, {labels: np.array([1.0, 2.5])}).tolist() == [1, 2]
