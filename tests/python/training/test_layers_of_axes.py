"""Layers over one, two and three axes: sizes, orders of axes, names, errors."""

import numpy as np
import pytest

import minitf as tf
from minitf.eager import context

SIZES = {1: [7], 2: [5, 6], 3: [4, 3, 5]}
# A layer, over how many axes it goes, and its arguments behind the inputs.
CONVOLUTIONS = [
    ("conv1d", 1, (2, 3)),
    ("conv2d", 2, (2, (3, 2))),
    ("conv3d", 3, (2, (2, 3, 2))),
    ("conv2d_transpose", 2, (2, (3, 2))),
    ("conv3d_transpose", 3, (2, (2, 3, 2))),
    ("separable_conv1d", 1, (2, 3)),
    ("separable_conv2d", 2, (2, 3)),
]
POOLS = [
    (f"{kind}_pooling{axes}d", axes, (2, 2))
    for kind in ("max", "average")
    for axes in (1, 2, 3)
]


def wave(shape):
    """Numbers that are different for each place."""
    return np.sin(np.arange(np.prod(shape)) * 1.7).reshape(shape).astype(np.float32)


def results(session, name, arguments, x, **options):
    """The output of a layer with known weights, and the gradient by its input."""
    with tf.variable_scope(None, "case"):
        x = tf.constant(x)
        before = len(tf.global_variables())
        y = getattr(tf.layers, name)(x, *arguments, **options)
        for variable in tf.global_variables()[before:]:
            variable.load(wave(variable.shape.as_list()), session)
        return session.run([y, tf.gradients(tf.reduce_sum(tf.sin(y)), x)[0]])


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize(("name", "axes", "arguments"), CONVOLUTIONS + POOLS)
def test_channels_first_is_the_same_with_axes_in_another_order(
    name, axes, arguments, padding, session
):
    x = wave([2, *SIZES[axes], 3])
    options = {"padding": padding}
    last = results(session, name, arguments, x, **options)
    options["data_format"] = "channels_first"
    first = results(session, name, arguments, np.moveaxis(x, -1, 1), **options)
    for a, b in zip(last, first, strict=True):
        np.testing.assert_allclose(a, np.moveaxis(b, 1, -1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("name", "axes", "arguments"), CONVOLUTIONS + POOLS)
def test_sizes_that_only_the_step_knows(name, axes, arguments, session):
    x = wave([2, *SIZES[axes], 3])
    known = results(session, name, arguments, x)[0]
    fed = tf.placeholder(tf.float32, [None] * (axes + 1) + [3])
    before = len(tf.global_variables())
    y = getattr(tf.layers, name)(fed, *arguments)
    assert y.shape.ndims == axes + 2
    assert y.shape.as_list()[-1] == known.shape[-1]
    for variable in tf.global_variables()[before:]:
        variable.load(wave(variable.shape.as_list()), session)
    np.testing.assert_allclose(session.run(y, {fed: x}), known, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("padding", "size", "strides", "expected"),
    [
        ("same", 3, 2, [None, 10, 12]),
        ("valid", 3, 2, [None, 11, 13]),
        ("valid", 1, 2, [None, 10, 12]),
        ("valid", (3, 2), (1, 3), [None, 7, 18]),
    ],
)
def test_static_shape_of_a_transpose(padding, size, strides, expected):
    x = tf.placeholder(tf.float32, [None, 5, 6, 3])
    y = tf.layers.conv2d_transpose(x, 4, size, strides, padding)
    assert y.shape.as_list() == [*expected, 4]
    assert tf.global_variables()[0].shape.as_list()[2:] == [4, 3]


def test_a_transpose_is_the_gradient_of_the_convolution(session):
    x, dy = tf.constant(wave([2, 5, 6, 3])), tf.constant(wave([2, 3, 4, 2]))
    kernel = wave([3, 3, 3, 2])
    y = tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "VALID")
    expected = tf.gradients(y, x, dy)[0]
    layer = tf.layers.Conv2DTranspose(3, 3, use_bias=False)
    found = layer(dy)
    layer.kernel.load(kernel, session)
    np.testing.assert_allclose(*session.run([expected, found]), rtol=1e-5, atol=1e-5)


def test_a_causal_convolution_sees_no_input_behind_its_output(session):
    x = wave([1, 6, 1])
    arguments, options = (1, 3), {"padding": "causal", "dilation_rate": 2}
    whole = results(session, "conv1d", arguments, x, **options)[0]
    assert whole.shape == (1, 6, 1)
    x[:, 4:] = 9
    changed = results(session, "conv1d", arguments, x, **options)[0]
    np.testing.assert_allclose(changed[:, :4], whole[:, :4], rtol=1e-6)
    assert np.all(changed[:, 4:] != whole[:, 4:])
    first = np.moveaxis(x, -1, 1)
    options["data_format"] = "channels_first"
    turned = results(session, "conv1d", arguments, first, **options)[0]
    np.testing.assert_allclose(np.moveaxis(turned, 1, -1), changed, rtol=1e-6)


def test_names_of_variables_and_nodes():
    x = tf.placeholder(tf.float32, [2, 7, 3])
    images = tf.placeholder(tf.float32, [2, 7, 7, 3])
    outputs = [
        tf.layers.conv1d(x, 4, 3),
        tf.layers.separable_conv1d(x, 4, 3),
        tf.layers.conv2d_transpose(images, 4, 3),
        tf.layers.max_pooling1d(x, 2, 2),
    ]
    assert [y.name for y in outputs] == [
        "conv1d/BiasAdd:0",
        "separable_conv1d/Squeeze:0",
        "conv2d_transpose/BiasAdd:0",
        "max_pooling1d/Squeeze:0",
    ]
    assert [(v.name, v.shape.as_list()) for v in tf.global_variables()] == [
        ("conv1d/kernel:0", [3, 3, 4]),
        ("conv1d/bias:0", [4]),
        ("separable_conv1d/depthwise_kernel:0", [3, 3, 1]),
        ("separable_conv1d/pointwise_kernel:0", [1, 3, 4]),
        ("separable_conv1d/bias:0", [4]),
        ("conv2d_transpose/kernel:0", [3, 3, 4, 3]),
        ("conv2d_transpose/bias:0", [4]),
    ]


def test_reuse_of_a_transpose_shares_its_filters():
    x = tf.placeholder(tf.float32, [2, 3, 7, 7, 2])
    for reuse in (None, True):
        tf.layers.conv3d_transpose(x, 4, 3, name="up", reuse=reuse)
    assert [v.name for v in tf.global_variables()] == ["up/kernel:0", "up/bias:0"]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda x: tf.layers.conv1d(x, 2, (3, 3)),
            ValueError,
            r"`kernel_size` argument must be a tuple of 1 integers. Received: \(3, 3\)",
        ),
        (
            lambda x: tf.layers.conv1d(x, 2, 3, padding="full"),
            ValueError,
            'must be one of "valid", "same", "causal". Received: \'full\'',
        ),
        (
            lambda x: tf.layers.conv2d(x, 2, 3, padding="causal"),
            ValueError,
            'must be one of "valid", "same". Received: \'causal\'',
        ),
        (lambda x: tf.layers.conv2d(x, 2, 3), ValueError, "must have rank 4"),
        (
            lambda x: tf.layers.conv2d_transpose(x, 2, 3, dilation_rate=2),
            TypeError,
            "unexpected keyword argument 'dilation_rate'",
        ),
        (
            lambda x: tf.layers.Conv2DTranspose(2, 3, output_padding=1),
            TypeError,
            "unexpected arguments",
        ),
        (
            lambda x: tf.layers.max_pooling3d(x, 2, None),
            ValueError,
            "`strides` argument must be a tuple of 3 integers. Received: None",
        ),
        (
            lambda x: tf.layers.conv3d(x, 2, 3, data_format="NDHWC"),
            ValueError,
            "`data_format` argument must be one of",
        ),
    ],
)
def test_errors_name_the_argument(call, kind, message):
    with pytest.raises(kind, match=message):
        call(tf.placeholder(tf.float32, [2, 7, 3]))


def test_classes_take_their_arguments_by_position():
    layer = tf.layers.Conv2DTranspose(4, 3, 2, "same", "channels_last", tf.nn.relu, False)
    assert (layer.strides, layer.padding, layer.use_bias) == ([2, 2], "SAME", False)
    assert layer.activation is tf.nn.relu
    assert layer.dilation_rate == [1, 1]


def test_eager_layers_keep_their_variables():
    with context.entered(None):
        layer = tf.layers.Conv3DTranspose(2, 2, 2, use_bias=False)
        x = tf.constant(wave([1, 2, 2, 2, 1]))
        a, b = layer(x), layer(x)
        assert a.shape.as_list() == [1, 4, 4, 4, 2]
        np.testing.assert_array_equal(a.numpy(), b.numpy())
        assert len(layer.variables) == 1
