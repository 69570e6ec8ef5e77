"""Five steps of every optimizer, on a whole variable and on rows that were looked up.

The numbers are TensorFlow's (2.21, compat.v1, resource variables, float32).
"""

import numpy as np
import pytest

import minitf as tf

W = [[1.0, -2.0], [0.5, 0.25], [-1.0, 3.0], [2.0, 0.125]]
IDS = {"dense": None, "rows": [0, 2], "twice": [1, 3, 1]}
OPTIMIZERS = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "rms_prop": lambda: tf.train.RMSPropOptimizer(0.1, 0.8, 0.7, 1e-3),
    "centered_rms_prop": lambda: tf.train.RMSPropOptimizer(
        0.1, 0.8, 0.7, 1e-3, centered=True
    ),
    "adam": lambda: tf.train.AdamOptimizer(0.1, 0.8, 0.9, 1e-2),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, -0.3, 0.2, 0.05, 0.1),
    "ftrl_shrinkage": lambda: tf.train.FtrlOptimizer(
        0.1, -0.5, 0.2, 0.05, 0.1, l2_shrinkage_regularization_strength=0.3
    ),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(1.0, 0.8, 1e-3),
    "proximal_gradient_descent": lambda: tf.train.ProximalGradientDescentOptimizer(
        0.1, 0.2, 0.3
    ),
    "proximal_adagrad": lambda: tf.train.ProximalAdagradOptimizer(0.1, 0.1, 0.2, 0.3),
}
# After five steps on sum(rows^2 * [1, -0.5]).
EXPECTED = {
    "dense": {
        "gradient_descent": [
            0.32768,
            -3.22102,
            0.16384,
            0.402628,
            -0.32768,
            4.83153,
            0.65536,
            0.201314,
        ],
        "momentum": [
            -0.58042,
            -5.302,
            -0.29021,
            0.66275,
            0.58042,
            7.953,
            -1.16084,
            0.331375,
        ],
        "nesterov": [
            -0.415718,
            -6.98496,
            -0.207859,
            0.87312,
            0.415718,
            10.4774,
            -0.831435,
            0.43656,
        ],
        "adagrad": [
            0.69977,
            -2.32993,
            0.229637,
            0.542586,
            -0.69977,
            3.32826,
            1.6873,
            0.35529,
        ],
        "rms_prop": [
            -0.06996,
            -3.49003,
            -0.130849,
            0.691813,
            0.06996,
            4.60607,
            0.572048,
            0.356661,
        ],
        "centered_rms_prop": [
            -0.159368,
            -3.86844,
            -0.144928,
            0.707087,
            0.159368,
            5.05747,
            0.298351,
            0.358956,
        ],
        "adam": [
            0.514174,
            -2.49669,
            0.040968,
            0.719528,
            -0.514174,
            3.49786,
            1.50595,
            0.569517,
        ],
        "ftrl": [
            0.280172,
            -1.60091,
            0.047606,
            0.0822,
            -0.280172,
            2.54613,
            0.948651,
            0.025174,
        ],
        "ftrl_shrinkage": [
            0.434617,
            -1.66582,
            0.063858,
            0.053295,
            -0.434617,
            2.66288,
            1.38278,
            0.006076,
        ],
        "adadelta": [
            0.651715,
            -2.39843,
            0.190852,
            0.71065,
            -0.651715,
            3.39352,
            1.63367,
            0.593288,
        ],
        "proximal_gradient_descent": [
            0.220282,
            -2.66727,
            0.078952,
            0.236099,
            -0.220282,
            4.05651,
            0.502942,
            0.062444,
        ],
        "proximal_adagrad": [
            0.630562,
            -2.19502,
            0.145355,
            0.21998,
            -0.630562,
            3.20564,
            1.628,
            0.0,
        ],
    },
    "rows": {
        "gradient_descent": [0.32768, -3.22102, 0.5, 0.25, -0.32768, 4.83153, 2.0, 0.125],
        "momentum": [-0.58042, -5.302, 0.5, 0.25, 0.58042, 7.953, 2.0, 0.125],
        "nesterov": [-0.415718, -6.98496, 0.5, 0.25, 0.415718, 10.4774, 2.0, 0.125],
        "adagrad": [0.69977, -2.32993, 0.5, 0.25, -0.69977, 3.32826, 2.0, 0.125],
        "rms_prop": [-0.06996, -3.49003, 0.5, 0.25, 0.06996, 4.60607, 2.0, 0.125],
        "centered_rms_prop": [
            -0.159368,
            -3.86844,
            0.5,
            0.25,
            0.159368,
            5.05747,
            2.0,
            0.125,
        ],
        "adam": [0.514174, -2.49669, 0.5, 0.25, -0.514174, 3.49786, 2.0, 0.125],
        "ftrl": [0.280172, -1.60091, 0.5, 0.25, -0.280172, 2.54613, 2.0, 0.125],
        "ftrl_shrinkage": [0.434617, -1.66582, 0.5, 0.25, -0.434617, 2.66288, 2.0, 0.125],
        "adadelta": [0.651715, -2.39843, 0.5, 0.25, -0.651715, 3.39352, 2.0, 0.125],
        "proximal_gradient_descent": [
            0.220282,
            -2.66727,
            0.5,
            0.25,
            -0.220282,
            4.05651,
            2.0,
            0.125,
        ],
        "proximal_adagrad": [
            0.630562,
            -2.19502,
            0.5,
            0.25,
            -0.630562,
            3.20564,
            2.0,
            0.125,
        ],
    },
    "twice": {
        "gradient_descent": [1.0, -2.0, 0.03888, 0.62208, -1.0, 3.0, 0.65536, 0.201314],
        "momentum": [1.0, -2.0, -0.3645, 1.27211, -1.0, 3.0, -1.16084, 0.331375],
        "nesterov": [1.0, -2.0, -0.082568, 2.04426, -1.0, 3.0, -0.831435, 0.43656],
        "adagrad": [1.0, -2.0, 0.224499, 0.596154, -1.0, 3.0, 1.6873, 0.35529],
        "rms_prop": [1.0, -2.0, -0.184316, 1.14965, -1.0, 3.0, 0.572048, 0.356661],
        "centered_rms_prop": [
            1.0,
            -2.0,
            -0.192386,
            1.26906,
            -1.0,
            3.0,
            0.298351,
            0.358956,
        ],
        "adam": [1.0, -2.0, 0.035915, 0.73414, -1.0, 3.0, 1.50595, 0.569517],
        "ftrl": [1.0, -2.0, 0.053196, 0.243673, -1.0, 3.0, 0.948651, 0.025174],
        "ftrl_shrinkage": [1.0, -2.0, 0.122345, 0.231631, -1.0, 3.0, 1.38278, 0.006076],
        "adadelta": [1.0, -2.0, 0.190315, 0.724085, -1.0, 3.0, 1.63367, 0.593288],
        "proximal_gradient_descent": [
            1.0,
            -2.0,
            0.0,
            0.401736,
            -1.0,
            3.0,
            0.502942,
            0.062444,
        ],
        "proximal_adagrad": [1.0, -2.0, 0.180754, 0.412735, -1.0, 3.0, 1.628, 0.0],
    },
}


def _loss(w, ids):
    rows = w if ids is None else tf.gather(w, np.array(ids, np.int32))
    return tf.reduce_sum(rows * rows * [1.0, -0.5])


def _after_steps(name, ids, steps=5):
    w = tf.Variable(W)
    optimizer = OPTIMIZERS[name]()
    if tf.executing_eagerly():
        for _ in range(steps):
            optimizer.minimize(lambda: _loss(w, ids))
        return w.numpy()
    step = optimizer.minimize(_loss(w, ids))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(step)
        return session.run(w)


@pytest.fixture(params=["graph", "eager"])
def mode(request):
    if request.param == "eager":
        tf.enable_eager_execution()
    yield
    tf.disable_eager_execution()


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("kind", IDS)
def test_five_steps(name, kind, mode):
    expected = np.reshape(EXPECTED[kind][name], (4, 2))
    np.testing.assert_allclose(
        _after_steps(name, IDS[kind]), expected, rtol=2e-5, atol=2e-6
    )


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_lookup_of_nothing_changes_nothing(name, mode):
    np.testing.assert_array_equal(_after_steps(name, [], steps=2), W)


LOOKUPS = [[0, 2], [1], [1], [2, 2]]


def _after_lookups(session, optimizer):
    w = tf.Variable(W, name="w")
    ids = tf.placeholder(tf.int32, [None])
    rows = tf.gather(w, ids)
    step = optimizer.minimize(tf.reduce_sum(rows * rows * [1.0, -0.5]))
    session.run(tf.global_variables_initializer())
    for lookup in LOOKUPS:
        session.run(step, {ids: lookup})
    return {
        v.op.name: session.run(v).ravel().tolist() for v in [w, *optimizer.variables()]
    }


def test_momentum_keeps_what_was_not_looked_up(session):
    found = _after_lookups(session, tf.train.MomentumOptimizer(0.1, 0.9))
    expected = {
        "w": [0.8, -2.2, 0.23, 0.325, -0.3, 4.23, 2.0, 0.125],
        "w/Momentum": [2.0, 2.0, 1.7, -0.5, -5.0, -9.3, 0.0, 0.0],
    }
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5)


def test_adam_moves_all_rows(session):
    found = _after_lookups(session, tf.train.AdamOptimizer(0.1, 0.8, 0.9, 1e-2))
    expected = {
        "w": [0.753904, -2.2461, 0.273598, 0.463382, -0.718354, 3.28222, 2.0, 0.125],
        "w/Adam": [0.2048, 0.2048, 0.264246, -0.082877, -0.837512, -1.5913, 0, 0],
        "w/Adam_1": [0.2916, 0.2916, 0.146261, 0.014162, 1.29241, 4.77837, 0, 0],
        "beta1_power": [0.32768],
        "beta2_power": [0.59049],
    }
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=2e-5, atol=1e-6)


# ---- Optimizers of others --------------------------------------------------------------


class Halving(tf.train.Optimizer):
    """Written as for TensorFlow, with the newer hooks."""

    def __init__(self):
        super().__init__(False, "Halving")

    def _resource_apply_dense(self, grad, handle):
        return handle.assign_sub(0.5 * grad, read_value=False)

    def _resource_apply_sparse(self, grad, handle, indices):
        return tf.scatter_sub(handle, indices, 0.5 * grad)


class OlderHalving(tf.train.Optimizer):
    """The same with the older hooks."""

    def __init__(self):
        super().__init__(False, "OlderHalving")

    def _apply_dense(self, grad, var):
        return var.assign_sub(0.5 * grad, read_value=False)

    def _apply_sparse(self, grad, var):
        assert isinstance(grad, tf.IndexedSlices)
        return var.scatter_sub(
            tf.IndexedSlices(0.5 * grad.values, grad.indices, grad.dense_shape)
        )


@pytest.mark.parametrize("kind", [Halving, OlderHalving])
@pytest.mark.parametrize("ids", [None, [1, 3, 1]])
def test_an_optimizer_with_hooks_of_its_own(kind, ids, session):
    w = tf.Variable(W)
    step = kind().minimize(_loss(w, ids))
    session.run(tf.global_variables_initializer())
    session.run(step)
    times = np.ones((4, 1)) if ids is None else [[0], [2], [0], [1]]
    expected = np.array(W) * (1 - times * np.array([1.0, -0.5]))
    np.testing.assert_allclose(session.run(w), expected, rtol=1e-6)


def test_hooks_see_every_row_once(session):
    seen = []

    class Looking(Halving):
        def _resource_apply_sparse(self, grad, handle, indices):
            seen.extend([grad, indices])
            return super()._resource_apply_sparse(grad, handle, indices)

    w = tf.Variable(W)
    Looking().minimize(_loss(w, [1, 3, 1]))
    session.run(tf.global_variables_initializer())
    grad, indices = session.run(seen)
    assert indices.tolist() == [1, 3]
    np.testing.assert_allclose(grad, [[2.0, -0.5], [4.0, -0.125]])


def test_a_derived_class_may_change_the_gradient_first(session):
    class Clipped(tf.train.GradientDescentOptimizer):
        def _apply_dense(self, grad, var):
            return super()._apply_dense(tf.clip_by_value(grad, -1.0, 1.0), var)

    w = tf.Variable([3.0, 0.25])
    step = Clipped(1.0).minimize(w * w)
    session.run(tf.global_variables_initializer())
    session.run(step)
    np.testing.assert_allclose(session.run(w), [2.0, -0.25])


def test_an_optimizer_without_hooks():
    with pytest.raises(NotImplementedError):
        tf.train.Optimizer(False, "None").minimize(tf.Variable(1.0) * 2.0)


# ---- What is refused -------------------------------------------------------------------


def test_a_constraint_is_for_whole_variables(session):
    w = tf.Variable(W, constraint=lambda x: x)
    with pytest.raises(RuntimeError, match="constraint function on a sparse variable"):
        tf.train.GradientDescentOptimizer(0.1).minimize(_loss(w, [1]))


def test_gradients_and_variables_of_wrong_kinds():
    w = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(TypeError, match="must be a Tensor, IndexedSlices, or None"):
        optimizer.apply_gradients([(tf.SparseTensor([[0]], [1.0], [1]), w)])
    with pytest.raises(TypeError, match="must be convertible to a Tensor"):
        optimizer.apply_gradients([(object(), w)])
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        optimizer.apply_gradients([(1.0, tf.constant(1.0))])
    with pytest.raises(NotImplementedError, match="unsupported type"):
        optimizer.apply_gradients([(1.0, "w")])
    with pytest.raises(ValueError, match="Invalid type tf.int32"):
        optimizer.minimize(tf.constant(1), var_list=[w])
    with pytest.raises(ValueError, match="gate_gradients must be one of"):
        optimizer.minimize(w * w, gate_gradients=7)


def test_a_gradient_of_another_shape_is_refused_when_the_graph_is_made():
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    with pytest.raises(ValueError, match="needs a gradient of shape"):
        optimizer.apply_gradients([([1.0, 2.0, 3.0], tf.Variable([1.0, 2.0]))])
    rows = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]))
    with pytest.raises(ValueError, match="needs a gradient of shape"):
        optimizer.apply_gradients([(rows, tf.Variable(W))])


@pytest.mark.parametrize(
    ("indices", "message"),
    [([4], r"indices\[0\] = 4 is not in \[0, 4\)"), ([0, 1], "grad must have shape")],
)
def test_rows_that_do_not_fit(indices, message, session):
    w = tf.Variable(W)
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    slices = tf.IndexedSlices(
        tf.placeholder_with_default([[1.0, 2.0]], None), tf.constant(indices)
    )
    optimizer._create_slots([w])
    optimizer._prepare()
    node = optimizer._resource_apply_sparse(slices.values, w, slices.indices)
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(node)


# ---- Names and gates -------------------------------------------------------------------


def test_variables_of_two_optimizers_have_names_of_their_own():
    w = tf.get_variable("w", initializer=np.ones((2, 2), np.float32))
    with tf.name_scope("train"):
        for _ in range(2):
            tf.train.AdamOptimizer().minimize(_loss(w, [1]))
    assert [v.op.name for v in tf.global_variables()] == [
        "w",
        *("train/beta1_power", "train/beta2_power", "w/Adam", "w/Adam_1"),
        *("train/beta1_power_1", "train/beta2_power_1", "w/Adam_2", "w/Adam_3"),
    ]


def test_slots_are_below_the_variable_scope():
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=np.ones((2, 2), np.float32))
        tf.train.FtrlOptimizer(0.1, linear_name="Line").minimize(_loss(w, None))
    names = [v.op.name for v in tf.global_variables()]
    assert names == ["net/w", "net/net/w/Ftrl", "net/net/w/Line"]


def test_powers_in_a_scope_of_their_own():
    w = tf.Variable(W)
    adam = tf.train.AdamOptimizer(use_own_namescope_for_non_slot_vars=True)
    with tf.name_scope("train"):
        adam.minimize(_loss(w, None))
    assert [v.op.name for v in adam._non_slot_variables()] == [
        "Adam/beta1_power",
        "Adam/beta2_power",
    ]


def test_all_gradients_wait_for_each_other(session):
    w, b = tf.Variable(W), tf.Variable(2.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(
        _loss(w, [1]) + b * b, gate_gradients=optimizer.GATE_GRAPH
    )
    (rows, _), (db, _) = pairs
    assert isinstance(rows, tf.IndexedSlices)
    gates = [{i.name for i in x.op.control_inputs} for x in (rows, db)]
    assert gates[0] == gates[1] and len(gates[0]) == 1
    session.run(tf.global_variables_initializer())
    session.run(optimizer.apply_gradients(pairs))
    assert session.run(b) == 0


def test_slots_of_a_variable_that_is_gone_are_not_found_again(eager):
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    for size in range(1, 30):
        w = tf.Variable(tf.ones([size]))
        optimizer.minimize(lambda w=w: tf.reduce_sum(w))
        np.testing.assert_allclose(w.numpy(), np.full(size, 0.9), rtol=1e-6)
