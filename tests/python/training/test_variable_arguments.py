"""Arguments of variables: each is honoured or refused.

Expected names, shapes and values are those of tensorflow.compat.v1 2.21.
"""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context


def _names(variables):
    return [variable.name for variable in variables]


# ---- Parts -----------------------------------------------------------------------------


def test_a_partitioner_cuts_variables_of_its_scope():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(3)):
        v = tf.get_variable("v", [7, 2], initializer=tf.ones_initializer())
        scalar = tf.get_variable("z", [])
    with tf.variable_scope("s", reuse=True):
        assert tf.get_variable("v", [7, 2]) is v
    assert (v.name, v.shape.as_list(), scalar.name) == ("s/v", [7, 2], "s/z:0")
    assert _names(v) == ["s/v/part_0:0", "s/v/part_1:0", "s/v/part_2:0"]
    assert [part.shape.as_list() for part in v] == [[3, 2], [2, 2], [2, 2]]
    assert [part._save_slice_info.spec for part in v] == [
        "7 2 0,3:0,2",
        "7 2 3,2:0,2",
        "7 2 5,2:0,2",
    ]
    whole = tf.convert_to_tensor(v)
    assert whole.name == "s/v:0"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.reduce_sum(whole * 2.0)) == 28
        session.run(v.assign(np.arange(14.0).reshape(7, 2)))
        assert session.run(whole).tolist() == np.arange(14.0).reshape(7, 2).tolist()


def test_parts_of_an_initial_value():
    value = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    v = tf.get_variable("v", initializer=value, partitioner=tf.fixed_size_partitioner(2))
    eye = tf.get_variable(
        "eye",
        [3, 4],
        initializer=tf.initializers.identity(),
        partitioner=tf.fixed_size_partitioner(2, axis=1),
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(part).tolist() for part in v] == [
            [[1, 2], [3, 4]],
            [[5, 6]],
        ]
        assert session.run(tf.identity(eye)).tolist() == np.eye(3, 4).tolist()


def test_an_initializer_of_parts_knows_the_whole():
    tf.set_random_seed(1)
    v = tf.get_variable("v", [4, 300], partitioner=tf.fixed_size_partitioner(2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(tf.reduce_max(v)), 0.14029, atol=1e-5)


def test_optimizers_change_parts():
    one = tf.ones_initializer()
    v = tf.get_variable("v", [3], None, one, partitioner=tf.fixed_size_partitioner(2))
    whole = tf.identity(v)
    step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(whole * whole))
    assert _names(tf.global_variables()) == [
        *("v/part_0:0", "v/part_1:0", "v/part_0/Momentum:0", "v/part_1/Momentum:0"),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run(tf.identity(v)), [0.8] * 3)


def test_layers_may_be_in_parts():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        y = tf.layers.dense(tf.ones([1, 4]), 3, kernel_initializer=tf.ones_initializer())
    assert _names(tf.trainable_variables()) == [
        *("s/dense/kernel/part_0:0", "s/dense/kernel/part_1:0"),
        *("s/dense/bias/part_0:0", "s/dense/bias/part_1:0"),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[4, 4, 4]]


@pytest.mark.parametrize(
    ("partitioner", "message"),
    [
        (3, "must be callable"),
        (lambda shape, dtype: 3, "must return a sequence"),
        (lambda shape, dtype: [1], "does not match the Variable's rank"),
        (lambda shape, dtype: [2, 2], "slice a variable along one dimension"),
        (lambda shape, dtype: [0, 2], "zero partitions"),
        (tf.fixed_size_partitioner(2, axis=2), "along axis 2"),
    ],
)
def test_partitioners_that_make_no_sense(partitioner, message):
    with pytest.raises(ValueError, match=message):
        tf.get_variable("v", [4, 4], partitioner=partitioner)


def test_parts_are_shared_as_variables_are():
    two = tf.fixed_size_partitioner(2)
    tf.get_variable("v", [4], partitioner=two)
    tf.get_variable("w", [4])
    for name, partitioner, reuse, message in (
        ("v", two, False, "v already exists"),
        ("v", tf.fixed_size_partitioner(3), True, r"partitions \[3\].*\[2\]"),
        ("v", None, tf.AUTO_REUSE, "No partitioner was provided"),
        ("w", two, True, "unpartitioned version"),
        ("u", two, True, "u does not exist"),
    ):
        with (
            pytest.raises(ValueError, match=message),
            tf.variable_scope("", reuse=reuse),
        ):
            tf.get_variable(name, [4], partitioner=partitioner)


def test_partitioners_by_size():
    shape = tf.TensorShape([7, 64])
    by_size = tf.variable_axis_size_partitioner
    assert by_size(64)(shape, tf.float32) == [7, 1]
    assert by_size(1000)(shape, tf.float32) == [3, 1]
    assert by_size(1000, axis=1)(shape, tf.float32) == [1, 2]
    assert by_size(64, max_shards=3)(shape, tf.string) == [3, 1]
    least = tf.min_max_variable_partitioner
    assert least(5, min_slice_size=1000)(shape, tf.float64) == [4, 1]
    assert least(5, min_slice_size=1)(shape, tf.float64) == [5, 1]
    with pytest.raises(ValueError, match="must be positive"):
        by_size(0)
    with pytest.raises(ValueError, match="along axis 3"):
        least(5, axis=3)(shape, tf.float32)


def test_local_variables_are_not_trained():
    v = tf.get_local_variable("v", [1], tf.float32, None, None, False, ["c"])
    assert not v.trainable
    assert [tf.get_collection(key) for key in ("c", "local_variables")] == [[v], [v]]
    with pytest.raises(ValueError, match="is not trained"):
        tf.get_local_variable("w", [1], trainable=True)


# ---- Where and how values are kept -----------------------------------------------------


def test_reads_are_kept_on_the_caching_device():
    with tf.device("/cpu:0"):
        v = tf.get_variable("v", [2], caching_device="/cpu:1")
    y = v + 1.0
    assert y.op.inputs[0] is v.value() is v.value()
    assert (v.value().name, v.value().device) == ("v/Read/Identity:0", "/cpu:1")
    (dv,) = tf.gradients(y, v)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        session.run(v.initializer)
        assert session.run(dv).tolist() == [1, 1]
    with context.entered(None), pytest.raises(NotImplementedError, match="/cpu:1"):
        tf.Variable(1.0, caching_device="/cpu:1")


def test_synchronization_and_aggregation():
    modes = tf.VariableSynchronization
    v = tf.get_variable("v", [2], synchronization=modes.ON_READ)
    w = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
    assert (v.trainable, v.synchronization) == (False, modes.ON_READ)
    assert (w.trainable, w.aggregation) == (True, tf.VariableAggregation.MEAN)
    assert (w.synchronization, v.aggregation) == (
        modes.AUTO,
        tf.VariableAggregation.NONE,
    )
    with pytest.raises(ValueError, match="synchronization mode: x for variable: u"):
        tf.Variable(1.0, synchronization="x", name="u")
    with pytest.raises(ValueError, match="aggregation mode: 17"):
        tf.Variable(1.0, aggregation=17)


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (ValueError, {"use_resource": False}),
        (ValueError, {"collections": "abc"}),
        (ValueError, {"constraint": 3}),
        (ValueError, {"expected_shape": [2]}),
        (NotImplementedError, {"variable_def": b""}),
        (NotImplementedError, {"import_scope": "s"}),
        (TypeError, {"unknown": 1}),
    ],
)
def test_arguments_that_cannot_be(error, options):
    with pytest.raises(error):
        tf.Variable(1.0, **options)


def test_creators_stand_before_variables():
    log = []

    def outer(next_creator, **kwargs):
        log.append(sorted(kwargs))
        return next_creator(**kwargs)

    def inner(next_creator, **kwargs):
        return next_creator(**{**kwargs, "name": "renamed"})

    with tf.variable_creator_scope(outer):
        with tf.variable_creator_scope(inner):
            v = tf.Variable(1.0, name="q")
        w = tf.get_variable("w", [2])
    u = tf.Variable(2.0)
    assert _names([v, w, u]) == ["renamed:0", "w:0", "Variable:0"]
    assert len(log) == 2
    assert {"initial_value", "name", "trainable", "shape", "dtype"} <= set(log[0])
