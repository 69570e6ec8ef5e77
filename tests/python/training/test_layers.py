"""tf.layers and tf.losses."""

import numpy as np
import pytest

import minitf as tf


def test_conv2d_makes_kernel_and_bias():
    x = tf.placeholder(tf.float32, [None, 100, 100, 3])
    y = tf.layers.conv2d(x, 5, [20, 20], name="Layer")
    assert y.shape.as_list() == [None, 81, 81, 5]
    assert [(v.name, v.shape.as_list()) for v in tf.trainable_variables()] == [
        ("Layer/kernel:0", [20, 20, 3, 5]),
        ("Layer/bias:0", [5]),
    ]
    assert sum(v.shape.num_elements() for v in tf.trainable_variables()) == 6005
    assert y.name == "Layer/BiasAdd:0" and y.op.type == "BiasAdd"
    assert y.op.inputs[0].name == "Layer/Conv2D:0"


def test_a_second_layer_of_that_name_needs_reuse():
    x = tf.placeholder(tf.float32, [None, 10])
    first = tf.layers.dense(x, 5, name="Layer")
    with pytest.raises(
        ValueError, match="Variable Layer/kernel already exists, disallowed"
    ):
        tf.layers.dense(x, 5, name="Layer")
    with pytest.raises(ValueError, match="Variable Other/kernel does not exist"):
        tf.layers.dense(x, 5, name="Other", reuse=True)
    assert first.name == "Layer/BiasAdd:0"


def test_reuse_shares_variables_and_makes_new_nodes():
    x = tf.placeholder(tf.float32, [None, 28, 28, 1])
    y = tf.layers.conv2d(x, 4, 3, name="Layer")
    z = tf.layers.conv2d(x, 4, 3, name="Layer", reuse=True)
    assert (y.name, z.name) == ("Layer/BiasAdd:0", "Layer_1/BiasAdd:0")
    assert len(tf.global_variables()) == 2

    def kernel_of(out):
        return out.op.inputs[0].op.inputs[1].op.inputs[0]

    assert kernel_of(y) is kernel_of(z)
    with pytest.raises(
        ValueError, match=r"specified shape \(3, 3, 1, 5\) and found shape"
    ):
        tf.layers.conv2d(x, 5, 3, name="Layer", reuse=True)


def test_replicas_in_name_scopes_share_variables():
    x = tf.placeholder(tf.float32, [None, 10])
    with tf.name_scope("Replica1"):
        y = tf.layers.dense(x, 5, name="Layer")
    with tf.name_scope("Replica2"):
        z = tf.layers.dense(x, 5, name="Layer", reuse=True)
    assert (y.name, z.name) == ("Replica1/Layer/BiasAdd:0", "Replica2/Layer/BiasAdd:0")
    assert [v.name for v in tf.global_variables()] == ["Layer/kernel:0", "Layer/bias:0"]


def test_layers_without_names_are_counted():
    x = tf.placeholder(tf.float32, [None, 3])
    names = [tf.layers.dense(x, 2).name for _ in range(3)]
    assert names == ["dense/BiasAdd:0", "dense_1/BiasAdd:0", "dense_2/BiasAdd:0"]


def test_a_scope_is_passed_on():
    x = tf.placeholder(tf.float32, [None, 10])
    with tf.variable_scope("Layer") as scope:
        tf.layers.dense(x, 5, name="fc")
    with tf.variable_scope(scope, reuse=True):
        tf.layers.dense(x, 5, name="fc")
    assert [v.name for v in tf.global_variables()] == [
        "Layer/fc/kernel:0",
        "Layer/fc/bias:0",
    ]


def test_dense_is_a_product(evaluate):
    x = np.array([[1.0, 2.0, 3.0]], np.float32)
    y = tf.layers.dense(
        x,
        2,
        activation=tf.nn.relu,
        kernel_initializer=tf.constant_initializer([1.0, -1, 2, -1, 3, -1]),
        bias_initializer=tf.constant_initializer(0.5),
    )
    assert evaluate(y).tolist() == [[14.5, 0]]


def test_layers_are_objects_in_both_modes(evaluate):
    layer = tf.layers.Dense(3, use_bias=False, kernel_initializer=tf.ones_initializer())
    y = layer(tf.ones([2, 4]))
    z = layer(tf.zeros([1, 4]))
    assert len(layer.weights) == 1 and layer.count_params() == 12
    assert evaluate(y).tolist() == [[4] * 3] * 2 and evaluate(z).tolist() == [[0] * 3]


def test_pooling_and_flatten(evaluate):
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 4, 4, 1)
    assert evaluate(tf.layers.flatten(tf.layers.max_pooling2d(x, 2, 2))).tolist() == [
        [6, 8, 14, 16]
    ]
    assert evaluate(tf.layers.flatten(tf.layers.average_pooling2d(x, 2, 2))).tolist() == [
        [3.5, 5.5, 11.5, 13.5]
    ]
    assert tf.layers.flatten(tf.zeros([0, 2, 3])).shape.as_list() == [0, 6]


def test_flatten_of_an_unknown_batch():
    x = tf.placeholder(tf.float32, [None, 7, 7, 64])
    assert tf.layers.flatten(x).shape.as_list() == [None, 3136]


def test_dropout(evaluate):
    tf.set_random_seed(1)
    x = tf.ones([1000])
    assert evaluate(tf.layers.dropout(x, 0.25)).tolist() == [1] * 1000
    y = evaluate(tf.layers.dropout(x, 0.25, training=True, seed=1))
    np.testing.assert_allclose(sorted(set(y.tolist())), [0, 4 / 3], rtol=1e-6)
    assert 200 < (y == 0).sum() < 300
    with pytest.raises(ValueError, match="must provide a rate"):
        tf.nn.dropout(x)
    with pytest.raises(ValueError, match=r"range \[0, 1\)"):
        tf.nn.dropout(x, rate=1.5)


def test_dropout_by_a_placeholder(session):
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.dropout(tf.ones([100]), 0.5, training=training, seed=1)
    assert session.run(y, {training: False}).tolist() == [1] * 100
    assert set(session.run(y, {training: True}).tolist()) == {0, 2}


def test_batch_normalization(session):
    x = np.random.default_rng(1).normal(3, 2, (64, 5)).astype(np.float32)
    y = tf.layers.batch_normalization(tf.constant(x), training=True, name="bn")
    session.run(tf.global_variables_initializer())
    values, _ = session.run([y, tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
    np.testing.assert_allclose(values.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(values.std(0), 1, atol=1e-3)
    moving = {v.op.name: session.run(v) for v in tf.global_variables()}
    np.testing.assert_allclose(moving["bn/moving_mean"], 0.01 * x.mean(0), rtol=1e-4)
    assert [v.op.name for v in tf.trainable_variables()] == ["bn/gamma", "bn/beta"]


def test_batch_normalization_moves_its_means_in_scopes_of_their_own():
    tf.layers.batch_normalization(tf.ones([2, 3]), training=True, name="bn")
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert [update.name for update in updates] == [
        "bn/AssignMovingAvg/AssignSubVariableOp",
        "bn/AssignMovingAvg_1/AssignSubVariableOp",
    ]


def test_batch_normalization_by_a_placeholder(session):
    x = np.random.default_rng(1).normal(3, 2, (64, 4, 5)).astype(np.float32)
    training = tf.placeholder(tf.bool, [])
    inputs = tf.placeholder(tf.float32, x.shape)
    y = tf.layers.batch_normalization(inputs, axis=1, training=training, name="bn")
    gamma, beta, mean, variance = tf.global_variables()
    update = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    slope = tf.gradients(tf.reduce_sum(y * y), [gamma, beta])
    session.run(tf.global_variables_initializer())

    values, _, slopes = session.run([y, update, slope], {inputs: x, training: True})
    np.testing.assert_allclose(values.mean((0, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(slopes[0], 2 * (values**2).sum((0, 2)), rtol=1e-4)
    expected = 0.01 * x.mean((0, 2))
    np.testing.assert_allclose(session.run(mean), expected, rtol=1e-4)

    # NaN in what is not trained on must not reach the moving means.
    values, _ = session.run([y, update], {inputs: x * np.nan, training: False})
    assert np.isnan(values).all()
    np.testing.assert_allclose(session.run(mean), expected, rtol=1e-4)
    values = session.run(y, {inputs: x, training: False})
    scale = np.sqrt(session.run(variance) + 1e-3)
    shaped = [v.reshape(1, 4, 1) for v in (expected, scale)]
    np.testing.assert_allclose(values, (x - shaped[0]) / shaped[1], rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "options", "expected"),
    [
        # TensorFlow's numbers for x = 0, 1, 2 ... 23 to the power 1.5.
        ([2, 2, 2, 3], {}, [13.0403, 14.3670, 15.6516]),
        ([2, 2, 2, 3], {"fused": True}, [13.0403, 14.3670, 15.6516]),
        ([2, 2, 2, 3], {"fused": False}, [11.5340, 12.6949, 13.8189]),
        ([2, 2, 2, 3], {"axis": 1}, [8.6308, 14.6006]),
        ([2, 2, 2, 3], {"axis": 2, "fused": True}, [10.6820, 13.9551]),
        ([8, 3], {"fused": True}, [11.5340, 12.6949, 13.8189]),
    ],
)
@pytest.mark.parametrize("training", [True, "placeholder"])
def test_the_moving_variance_of_images(session, shape, options, expected, training):
    x = np.arange(24, dtype=np.float32).reshape(shape) ** 1.5
    fed = tf.placeholder(tf.bool, [])
    training = fed if training == "placeholder" else training
    tf.layers.batch_normalization(tf.constant(x), training=training, **options)
    session.run(tf.global_variables_initializer())
    session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), {fed: True})
    moving = session.run(tf.global_variables()[-1])
    np.testing.assert_allclose(moving, expected, rtol=1e-5)


@pytest.mark.parametrize("axis", [1, 3, -1])
@pytest.mark.parametrize("options", [{}, {"scale": False}, {"center": False}])
@pytest.mark.parametrize("training", [True, False, "placeholder"])
def test_one_op_normalizes_images_as_the_parts_do(session, axis, options, training):
    x = np.random.default_rng(3).normal(2, 3, (4, 3, 5, 3)).astype(np.float32)
    images, fed = tf.constant(x), tf.placeholder(tf.bool, [])
    results = []
    for fused in (None, False):
        with tf.variable_scope(f"fused_{fused}"):
            y = tf.layers.batch_normalization(
                images,
                axis,
                training=fed if training == "placeholder" else training,
                moving_mean_initializer=tf.constant_initializer(1.5),
                moving_variance_initializer=tf.constant_initializer(4.0),
                fused=fused,
                **options,
            )
        variables = tf.trainable_variables(f"fused_{fused}")
        slopes = tf.gradients(tf.reduce_sum(y**3), [images, *variables])
        results.append([y, *slopes])
    types = {op.type for op in tf.get_default_graph().get_operations()}
    assert "FusedBatchNormV3" in types
    session.run(tf.global_variables_initializer())
    for is_training in (True, False):
        fused, parts = session.run(results, {fed: is_training})
        for one, other in zip(fused, parts, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-3)


def test_batch_normalization_honours_or_refuses_its_arguments(session):
    x = tf.ones([2, 2, 2, 3])
    y = tf.layers.batch_normalization(
        x,
        beta_initializer=tf.constant_initializer(3.0),
        moving_mean_initializer=tf.ones_initializer(),
        gamma_regularizer=tf.reduce_sum,
        beta_constraint=tf.nn.relu,
    )
    session.run(tf.global_variables_initializer())
    assert session.run(y).ravel().tolist() == [3] * 24
    assert session.run(tf.losses.get_regularization_loss()) == 3
    for options in ({"renorm": True}, {"virtual_batch_size": 2}, {"adjustment": abs}):
        with pytest.raises(tf.errors.UnimplementedError, match=next(iter(options))):
            tf.layers.batch_normalization(x, **options)


def test_separable_convolution(session):
    x = np.arange(2 * 5 * 5 * 3, dtype=np.float32).reshape(2, 5, 5, 3) / 50
    y = tf.layers.separable_conv2d(
        tf.constant(x),
        2,
        (3, 2),
        depth_multiplier=2,
        activation=tf.nn.relu,
        depthwise_initializer=tf.constant_initializer(np.arange(36) / 36 - 0.4),
        pointwise_initializer=tf.constant_initializer(0.7 - np.arange(12) / 12),
        bias_initializer=tf.ones_initializer(),
        pointwise_regularizer=tf.reduce_sum,
        name="sep",
    )
    session.run(tf.global_variables_initializer())
    assert [(v.op.name, v.shape.as_list()) for v in tf.global_variables()] == [
        ("sep/depthwise_kernel", [3, 2, 3, 2]),
        ("sep/pointwise_kernel", [1, 1, 6, 2]),
        ("sep/bias", [2]),
    ]
    found = session.run(y)
    assert (y.name, found.shape) == ("sep/Relu:0", (2, 3, 4, 2))
    np.testing.assert_allclose(found[1, 2, 1], [2.6837552, 1.8256165], rtol=1e-5)
    first = session.run(tf.losses.get_regularization_loss())
    assert first == session.run(tf.reduce_sum(tf.global_variables()[1]))
    again = tf.layers.separable_conv2d(
        x, 2, (3, 2), depth_multiplier=2, name="sep", reuse=True
    )
    assert again.name == "sep_1/BiasAdd:0"


def test_mistakes_in_layers():
    x = tf.placeholder(tf.float32, [None, None])
    with pytest.raises(ValueError, match="last dimension of the inputs to `Dense`"):
        tf.layers.dense(x, 3)
    with pytest.raises(ValueError, match="tuple of 2 integers"):
        tf.layers.conv2d(tf.zeros([1, 5, 5, 1]), 3, [1, 2, 3])
    with pytest.raises(ValueError, match="padding"):
        tf.layers.conv2d(tf.zeros([1, 5, 5, 1]), 3, 2, padding="around")


# ---- Losses ----------------------------------------------------------------------------


def test_cross_entropies(evaluate):
    logits = np.array([[1.0, 2, 3], [0, 0, 0]], np.float32)
    labels = np.array([2, 0])
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    expected = -np.log(p[[0, 1], labels])
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    dense = tf.nn.softmax_cross_entropy_with_logits(
        labels=np.eye(3)[labels], logits=logits
    )
    np.testing.assert_allclose(evaluate(sparse), expected, rtol=1e-6)
    np.testing.assert_allclose(evaluate(dense), expected, rtol=1e-6)
    mean = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    np.testing.assert_allclose(evaluate(mean), expected.mean(), rtol=1e-6)
    smoothed = tf.losses.softmax_cross_entropy(
        np.eye(3)[labels], logits, label_smoothing=0.3
    )
    soft = np.eye(3)[labels] * 0.7 + 0.1
    np.testing.assert_allclose(
        evaluate(smoothed), -(soft * np.log(p)).sum(1).mean(), rtol=1e-6
    )


def test_the_gradient_of_the_cross_entropy_is_softmax_minus_onehot(session):
    logits = tf.constant([[1.0, 2, 3], [0, 0, 0]])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=logits)
    gradient = tf.gradients(loss, logits)[0]
    p = session.run(tf.nn.softmax(logits))
    np.testing.assert_allclose(session.run(gradient), p - np.eye(3)[[2, 0]], atol=1e-6)


def test_labels_and_logits_must_both_be_given():
    with pytest.raises(ValueError, match="Both labels and logits"):
        tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0]])


def test_losses_are_weighted_reduced_and_collected(session):
    x, z = tf.constant([[1.0, 2], [3, 4]]), tf.constant([[0.0, 0], [0, 0]])
    kinds = tf.losses.Reduction
    weights = [[2.0], [0.0]]
    values = [
        tf.losses.mean_squared_error(z, x),
        tf.losses.absolute_difference(z, x),
        tf.losses.mean_squared_error(z, x, weights),
        tf.losses.mean_squared_error(z, x, weights, reduction=kinds.SUM),
        tf.losses.mean_squared_error(z, x, weights, reduction=kinds.MEAN),
        tf.losses.mean_squared_error(z, x, weights, reduction=kinds.SUM_OVER_BATCH_SIZE),
    ]
    np.testing.assert_allclose(session.run(values), [7.5, 2.5, 5, 10, 2.5, 2.5])
    none = tf.losses.absolute_difference(z, x, weights, reduction=kinds.NONE)
    assert session.run(none).tolist() == [[2, 4], [0, 0]]
    assert tf.losses.get_losses() == [*values, none]
    with pytest.raises(ValueError, match="can not be broadcast"):
        tf.losses.mean_squared_error(z, x, [1.0, 2, 3])


def test_other_losses(evaluate):
    z, x = np.array([[1.0, 0]], np.float32), np.array([[0.5, 3.0]], np.float32)
    checks = {
        "huber_loss": (0.125 + 2.5) / 2,
        "hinge_loss": (0.5 + 4.0) / 2,
        "sigmoid_cross_entropy": np.mean(np.log1p(np.exp(-x * (2 * z - 1)))),
    }
    for name, expected in checks.items():
        value = evaluate(getattr(tf.losses, name)(z, x))
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    log = evaluate(tf.losses.log_loss(z, np.array([[0.8, 0.1]], np.float32)))
    np.testing.assert_allclose(log, -(np.log(0.8) + np.log(0.9)) / 2, rtol=1e-5)


@pytest.mark.parametrize(
    "name", ["mean_squared_error", "huber_loss", "sigmoid_cross_entropy", "log_loss"]
)
def test_labels_and_predictions_of_two_shapes_fail_in_the_step(name, session):
    x = tf.placeholder(tf.float32)
    loss = getattr(tf.losses, name)(tf.constant([[1.0], [0.0]]), x)
    assert np.isfinite(session.run(loss, {x: [[0.5], [0.5]]}))
    for other in ([0.5, 0.5], [[0.5]], [[0.5, 0.5]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="differ in shape"):
            session.run(loss, {x: other})


def test_class_numbers_lose_a_last_axis_in_the_step(session):
    x = tf.placeholder(tf.int32)
    logits = tf.constant([[0.0, 0.0], [0.0, 0.0]])
    loss = tf.losses.sparse_softmax_cross_entropy(x, logits)
    for labels in ([0, 1], [[0], [1]]):
        np.testing.assert_allclose(session.run(loss, {x: labels}), np.log(2), rtol=1e-6)
