"""Batch normalization and its derivatives, beside the formulas in float64.

Sizes are drawn: images of any number, height and width, 0 and 1 among them, and odd
numbers of channels. The moments of a batch depend on all of it, and so do the
derivatives: those of the formula below come from central differences.
"""

import numpy as np
import pytest
from google.protobuf import text_format

import minitf as tf
from minitf.framework import errors

EPSILON = 0.01
formats = pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
modes = pytest.mark.parametrize("is_training", [True, False])


def drawn(seed, count, most=6, most_channels=67):
    """Shapes [N,H,W,C] of all kinds."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        channels = 2 * random.integers(0, most_channels // 2 + 1) + 1
        yield (*(int(n) for n in random.integers(0, most + 1, 3)), int(channels))


def turned(images, data_format):
    """Images [N,H,W,C] in ``data_format``, or back: both ways differ in the order."""
    return images if data_format == "NHWC" else np.moveaxis(images, 3, 1)


def numbers(shape, seed, scale=1.0, mean=0.0):
    return (np.random.default_rng(seed).normal(mean, scale, shape)).astype(np.float32)


# ---- The formulas, of images [N,H,W,C] in float64 --------------------------------------


def moments_of(x):
    if not x.size:
        return np.full((2, x.shape[3]), np.nan)
    return x.mean((0, 1, 2)), x.var((0, 1, 2))


def formula(x, scale, offset, moments=None):
    mean, variance = moments or moments_of(x)
    return (x - mean) / np.sqrt(variance + EPSILON) * scale + offset


def gradient_formula(dy, x, scale, moments=None):
    """The gradients of x, scale and offset."""
    mean, variance = moments or moments_of(x)
    r = 1 / np.sqrt(variance + EPSILON)
    h = (x - mean) * r
    axes = (0, 1, 2)
    dscale, doffset = (dy * h).sum(axes), dy.sum(axes)
    if moments:
        return dy * scale * r, dscale, doffset
    return scale * r * (dy - dy.mean(axes) - h * (dy * h).mean(axes)), dscale, doffset


def difference(function, xs, directions, step=1e-5):
    """The derivative of function(*xs) if xs move in ``directions``."""
    up, down = (
        function(*(x + way * step * d for x, d in zip(xs, directions, strict=True)))
        for way in (1, -1)
    )
    return (up - down) / (2 * step)


# ---- Values ----------------------------------------------------------------------------


def normalized(x, scale, offset, data_format="NHWC", moments=None, **options):
    """What minitf gives of images [N,H,W,C]: y, as these, and the moments."""
    given = moments or (None, None)
    y, mean, variance = tf.nn.fused_batch_norm(
        turned(x, data_format),
        scale,
        offset,
        *given,
        EPSILON,
        data_format,
        is_training=moments is None,
        **options,
    )
    y = np.asarray(y.numpy(), np.float64)
    y = y if data_format == "NHWC" else np.moveaxis(y, 1, 3)
    return y, mean.numpy(), variance.numpy()


@formats
@modes
def test_values_are_those_of_the_formula(data_format, is_training, eager):
    for seed, shape in enumerate(drawn(1, 60)):
        x, channels = numbers(shape, seed, 2, 1), shape[-1:]
        scale, offset = numbers(channels, seed + 1), numbers(channels, seed + 2)
        moments = (numbers(channels, seed + 3), numbers(channels, seed + 4) ** 2)
        moments = None if is_training else moments
        y, mean, variance = normalized(x, scale, offset, data_format, moments)
        wide = x.astype(np.float64)
        np.testing.assert_allclose(
            y, formula(wide, scale, offset, moments), rtol=2e-5, atol=2e-5
        )
        n = x.size // channels[0]
        found = moments_of(wide) if is_training or not n else moments
        unbiased = n / max(n - 1, 1) if is_training else 1
        np.testing.assert_allclose(mean, found[0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(variance, found[1] * unbiased, rtol=1e-5, atol=1e-6)


@formats
@pytest.mark.parametrize(("dtype", "digits"), [(tf.float16, 2e-3), (tf.bfloat16, 2e-2)])
def test_numbers_of_16_bits_are_computed_as_floats(data_format, dtype, digits, eager):
    for seed, shape in enumerate(drawn(2, 20)):
        x, scale, offset = (numbers(s, seed) for s in (shape, shape[-1:], shape[-1:]))
        narrow = tf.cast(turned(x, data_format), dtype)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(narrow)
            y, mean, _ = tf.nn.fused_batch_norm(
                narrow, scale, offset, epsilon=EPSILON, data_format=data_format
            )
            wide = tf.cast(narrow, tf.float32)
            tape.watch(wide)
            of_floats, wide_mean, _ = tf.nn.fused_batch_norm(
                wide, scale, offset, epsilon=EPSILON, data_format=data_format
            )
        assert (y.dtype, mean.dtype) == (dtype, tf.float32)
        np.testing.assert_array_equal(mean, wide_mean)
        narrow_y = tf.cast(y, tf.float32)
        np.testing.assert_allclose(narrow_y, of_floats, rtol=digits, atol=digits)
        dy = tf.cast(numbers(y.shape.as_list(), seed + 1), dtype)
        dx = tape.gradient(y, narrow, dy)
        wide_dx = tape.gradient(of_floats, wide, tf.cast(dy, tf.float32))
        assert dx.dtype == dtype
        np.testing.assert_allclose(
            tf.cast(dx, tf.float32), wide_dx, rtol=digits, atol=digits
        )


@formats
@pytest.mark.parametrize("mean", [1e2, 1e4, 1e6])
def test_a_large_mean_costs_no_digits(data_format, mean, eager):
    for seed, channels in enumerate((1, 3, 17, 64)):
        x = numbers((9, 20, 11, channels), seed, 3, mean)
        scale, offset = numbers(channels, seed + 1), numbers(channels, seed + 2)
        y, found, variance = normalized(x, scale, offset, data_format)
        wide = x.astype(np.float64)
        n = x.size // channels
        np.testing.assert_allclose(y, formula(wide, scale, offset), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found, moments_of(wide)[0], rtol=1e-7)
        np.testing.assert_allclose(variance, moments_of(wide)[1] * n / (n - 1), rtol=2e-6)


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0"])
def test_of_no_images_the_moments_are_nan_and_the_gradients_0(device, session):
    given = np.array([3.0, 4.0], np.float32)
    with tf.device(device):
        x, vector = tf.placeholder(tf.float32), tf.constant(given)
        y, mean, variance, used, _, _ = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=vector, offset=vector, mean=vector, variance=vector,
            is_training=False,
        )  # fmt: skip
        of_batch = tf.nn.fused_batch_norm(x, vector, vector)
        gradients = tf.gradients([y, of_batch[0]], [x, vector])
    fetches = [y, mean, variance, *of_batch[1:], used, *gradients]
    found = session.run(fetches, {x: np.zeros((0, 2, 3, 2))})
    for moments in found[1:5]:
        np.testing.assert_array_equal(moments, [np.nan, np.nan])
    np.testing.assert_array_equal(found[5], given)
    assert found[0].shape == found[6].shape == (0, 2, 3, 2)
    np.testing.assert_array_equal(found[7], [0, 0])


@formats
def test_running_moments_move_by_a_part(data_format, eager):
    x = numbers((3, 2, 5, 7), 1)
    old = numbers(7, 2), numbers(7, 3) ** 2
    y, mean, variance = tf.nn.fused_batch_norm(
        turned(x, data_format),
        np.ones(7),
        np.zeros(7),
        *old,
        data_format=data_format,
        exponential_avg_factor=0.3,
    )
    new = moments_of(x.astype(np.float64))
    np.testing.assert_allclose(mean, 0.7 * old[0] + 0.3 * new[0], rtol=1e-5)
    np.testing.assert_allclose(variance, 0.7 * old[1] + 0.3 * new[1] * 30 / 29, rtol=1e-5)
    np.testing.assert_allclose(np.mean(y), 0, atol=1e-6)


# ---- Derivatives -----------------------------------------------------------------------


def of_batch(data_format, moments):
    """Y of x, scale and offset, as a function of tensors."""
    given = moments or (None, None)
    return lambda x, scale, offset: tf.nn.fused_batch_norm(
        x, scale, offset, *given, EPSILON, data_format, moments is None
    )[0]


def drawn_case(seed, shape, is_training):
    """x, scale, offset and dy, and given moments."""
    channels = shape[-1]
    x, dy = numbers(shape, seed), numbers(shape, seed + 1)
    scale, offset = numbers(channels, seed + 2), numbers(channels, seed + 3)
    given = (numbers(channels, seed + 4), numbers(channels, seed + 5) ** 2)
    return (x, scale, offset, dy), None if is_training else given


@modes
def test_the_gradient_formula_is_right(is_training):
    (x, scale, offset, dy), given = drawn_case(1, (2, 3, 2, 3), is_training)
    xs = [a.astype(np.float64) for a in (x, scale, offset)]
    ways = [numbers(a.shape, i + 7) for i, a in enumerate(xs)]
    slope = difference(lambda *at: np.sum(dy * formula(*at, given)), xs, ways)
    found = gradient_formula(dy, *xs[:2], given)
    wanted = sum(np.sum(g * way) for g, way in zip(found, ways, strict=True))
    assert slope == pytest.approx(wanted, rel=1e-7)


@formats
@modes
def test_gradients_are_those_of_the_formula(data_format, is_training, eager):
    for seed, shape in enumerate(drawn(3, 40)):
        (x, scale, offset, dy), given = drawn_case(seed, shape, is_training)
        xs = [tf.constant(a) for a in (turned(x, data_format), scale, offset)]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = of_batch(data_format, given)(*xs)
        found = tape.gradient(y, xs, turned(dy, data_format))
        if x.size:
            wanted = gradient_formula(dy.astype(np.float64), x, scale, given)
        else:  # nothing comes from nowhere, though its mean is NaN
            wanted = [np.zeros_like(a) for a in (x, scale, offset)]
        wanted = (turned(wanted[0], data_format), *wanted[1:])
        for got, want in zip(found, wanted, strict=True):
            atol = 2e-5 * (1 + np.abs(want).max(initial=0))
            np.testing.assert_allclose(got, want, rtol=2e-4, atol=atol)


def test_no_gradient_flows_to_given_moments_or_from_outputs_that_hold_them(eager):
    x, one = tf.ones([2, 1, 1, 1]), tf.ones([1])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, one])
        y, mean, variance = tf.nn.fused_batch_norm(x, [1.0], [0.0], one, one, 1.0, "NHWC")
        given = tf.nn.fused_batch_norm(x, [1.0], [0.0], one, one, is_training=False)
    assert tape.gradient(mean, x) is None and tape.gradient(variance, x) is None
    assert tape.gradient(given, one) is None and tape.gradient(y, one) is None


def second_gradients(function, xs, dy, weights):
    """The gradients of sum(weights * gradients of sum(dy * y)) by xs and dy."""
    tensors = [tf.constant(a) for a in (*xs, dy)]
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as tape:
            tape.watch(tensors[:-1])
            y = function(*tensors[:-1])
        first = tape.gradient(y, tensors[:-1], tensors[-1])
    return outer.gradient(first, tensors, [tf.constant(w) for w in weights])


@formats
@modes
def test_second_derivatives_agree_with_differences(data_format, is_training, eager):
    shapes = [(2, 3, 2, 3), (1, 1, 1, 1), (3, 1, 2, 5), (4, 5, 6, 1), (2, 2, 3, 17)]
    for seed, shape in enumerate(shapes):
        (x, scale, offset, dy), given = drawn_case(seed, shape, is_training)
        weights = [
            numbers(a.shape, seed + i + 20) for i, a in enumerate((x, scale, offset))
        ]
        xs = (turned(x, data_format), scale, offset)
        turned_weights = [turned(weights[0], data_format), *weights[1:]]
        found = second_gradients(
            of_batch(data_format, given), xs, turned(dy, data_format), turned_weights
        )

        def first(x, scale, dy, weights=weights, given=given):
            parts = gradient_formula(dy, x, scale, given)
            return sum(np.sum(w * p) for w, p in zip(weights, parts, strict=True))

        at = [a.astype(np.float64) for a in (x, scale, dy)]
        ways = [numbers(a.shape, seed + i + 30) for i, a in enumerate(at)]
        wanted = difference(first, at, ways)
        ways = [turned(ways[0], data_format), ways[1], turned(ways[2], data_format)]
        got = [found[0], found[1], found[3]]
        total = sum(np.sum(g.numpy() * way) for g, way in zip(got, ways, strict=True))
        assert total == pytest.approx(wanted, rel=1e-3, abs=1e-3), shape
        assert found[2] is None or not np.any(found[2].numpy())


@modes
def test_each_gradient_alone_has_second_derivatives(is_training, eager):
    """Weights for one of the three gradients, so that the others have none."""
    (x, scale, offset, dy), given = drawn_case(5, (2, 2, 3, 3), is_training)
    for i in range(3):
        xs = [tf.constant(a) for a in (x, scale, offset, dy)]
        weight = numbers(xs[i].shape.as_list(), 9)
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as tape:
                tape.watch(xs[:3])
                y = of_batch("NHWC", given)(*xs[:3])
            first = tape.gradient(y, xs[:3], xs[3])[i]
        found = outer.gradient(first, [xs[0], xs[3]], tf.constant(weight))

        def one(x, dy, i=i, weight=weight):
            return np.sum(weight * gradient_formula(dy, x, scale, given)[i])

        at = [a.astype(np.float64) for a in (x, dy)]
        ways = [numbers(x.shape, 11), numbers(x.shape, 12)]
        total = sum(
            0 if g is None else np.sum(g.numpy() * way)
            for g, way in zip(found, ways, strict=True)
        )
        assert total == pytest.approx(difference(one, at, ways), rel=1e-3, abs=1e-3)


@modes
def test_third_derivatives_agree_with_differences_of_second_ones(is_training, eager):
    (x, scale, offset, dy), given = drawn_case(2, (3, 2, 2, 3), is_training)
    weight, weight_2, way = (numbers(x.shape, seed) for seed in (21, 22, 23))

    def second(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = of_batch("NHWC", given)(x, scale, offset)
            first = inner.gradient(y, x, tf.constant(dy))
        found = tape.gradient(first, x, tf.constant(weight))
        return tf.zeros_like(x) if found is None else found

    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(second(x) * weight_2)
    third = tape.gradient(loss, x)
    total = 0 if third is None else np.sum(third.numpy() * way)
    wanted = difference(
        lambda at: float(tf.reduce_sum(second(at) * weight_2)), [x], [way], 1e-2
    )
    assert total == pytest.approx(wanted, rel=2e-2, abs=2e-2)


# ---- Graphs ----------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0"])
@pytest.mark.parametrize("known", [True, False])
@formats
@modes
def test_a_graph_gives_the_same_on_each_device(device, known, data_format, is_training):
    (x, scale, offset, dy), given = drawn_case(3, (3, 4, 5, 7), is_training)
    arrays = [turned(x, data_format), scale, offset]
    with tf.device(device):
        xs = [tf.placeholder(tf.float32, a.shape if known else None) for a in arrays]
        dy_fed = tf.placeholder(tf.float32, arrays[0].shape if known else None)
        y = of_batch(data_format, given)(*xs)
        first = tf.gradients(y, xs, dy_fed)
        second = tf.gradients(tf.reduce_sum(first[0] ** 2), [xs[0], dy_fed])
    feeds = dict(zip([*xs, dy_fed], [*arrays, turned(dy, data_format)], strict=True))
    with tf.Session() as session:
        found, gradients, seconds = session.run([y, first, second], feeds)
    wanted = turned(formula(x.astype(np.float64), scale, offset, given), data_format)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    parts = gradient_formula(dy.astype(np.float64), x, scale, given)
    parts = (turned(parts[0], data_format), *parts[1:])
    for got, want in zip(gradients, parts, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)

    def squares(x, dy):
        return np.sum(gradient_formula(dy, x, scale, given)[0] ** 2)

    at = [a.astype(np.float64) for a in (x, dy)]
    ways = [numbers(x.shape, 31), numbers(x.shape, 32)]
    turned_ways = [turned(way, data_format) for way in ways]
    total = sum(np.sum(g * way) for g, way in zip(seconds, turned_ways, strict=True))
    assert total == pytest.approx(difference(squares, at, ways), rel=1e-3)


WRONG = [
    ([(2, 3, 4), (4,), (4,), (0,), (0,)], "x must be 4-dimensional"),
    ([(2, 3, 4, 5), (4,), (5,), (0,), (0,)], "scale must have a number for each channel"),
    ([(2, 3, 4, 5), (5,), (5, 1), (0,), (0,)], "offset must be 1-dimensional"),
    ([(2, 3, 4, 5), (5,), (5,), (0, 5), (0,)], "mean must be 1-dimensional"),
    ([(2, 3, 4, 5), (5,), (), (0,), (0,)], "offset must be 1-dimensional"),
]


@pytest.mark.parametrize(("shapes", "message"), WRONG)
@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0"])
@pytest.mark.parametrize("op", ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"])
def test_shapes_that_are_wrong_when_it_runs_are_errors(
    session, shapes, message, device, op
):
    names = ("x", "scale", "offset", "mean", "variance")
    with tf.device(device):
        fed = {name: tf.placeholder(tf.float32) for name in names}
        y = getattr(tf.raw_ops, op)(**fed)[0]
    feeds = {fed[n]: np.ones(s) for n, s in zip(names, shapes, strict=True)}
    with pytest.raises(errors.InvalidArgumentError, match=f"{op}.*{message}"):
        session.run(y, feeds)


def test_attributes_that_make_no_sense_are_refused(eager):
    x, one = tf.ones([1, 1, 1, 1]), tf.ones([1])
    with pytest.raises((ValueError, errors.InvalidArgumentError), match="NDHWC"):
        tf.nn.fused_batch_norm(x, one, one, data_format="NDHWC")
    with pytest.raises((ValueError, errors.InvalidArgumentError), match="float16|half"):
        tf.raw_ops.FusedBatchNorm(
            x=tf.cast(x, tf.float16), scale=one, offset=one, mean=one, variance=one
        )


# ---- Graphs of TensorFlow --------------------------------------------------------------


def attr(key, value):
    return f"attr {{ key: '{key}' value {{ {value} }} }}"


def placeholder(name, size=None):
    shape = "" if size is None else f"dim {{ size: {size} }}"
    shape = attr("shape", f"shape {{ {shape} }}") if size is not None else ""
    return (
        f"node {{ name: '{name}' op: 'Placeholder' {attr('dtype', 'type: DT_FLOAT')} "
        f"{shape} }}"
    )


def net(op, attrs):
    """A GraphDef as TensorFlow writes it: images, a normalization, an activation."""
    inputs = " ".join(f"input: '{n}'" for n in ("x", "scale", "offset", "mean", "var"))
    vectors = "".join(placeholder(n, 3) for n in ("scale", "offset", "mean", "var"))
    return text_format.Parse(
        f"""{placeholder("x")} {vectors}
        node {{ name: 'bn' op: '{op}' {inputs} {attr("T", "type: DT_FLOAT")}
          {attr("epsilon", "f: 0.01")} {attr("data_format", "s: 'NHWC'")}
          {attr("is_training", "b: false")} {attrs} }}
        node {{ name: 'y' op: 'Relu' input: 'bn' {attr("T", "type: DT_FLOAT")} }}
        versions {{ producer: 134 }}""",
        tf.GraphDef(),
    )


U = attr("U", "type: DT_FLOAT")
LATER = attr("exponential_avg_factor", "f: 1.0")


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("FusedBatchNorm", ""),
        ("FusedBatchNormV2", U),
        ("FusedBatchNormV3", U),
        ("FusedBatchNormV3", U + LATER),
    ],
)
def test_nodes_of_tensorflow_are_imported(session, op, attrs):
    y, mean = tf.import_graph_def(
        net(op, attrs), return_elements=["y:0", "bn:1"], name=""
    )
    (x, scale, offset, _), given = drawn_case(4, (2, 3, 4, 3), False)
    names = ("x", "scale", "offset", "mean", "var")
    arrays = dict(zip(names, (x, scale, offset, *given), strict=True))
    feeds = {f"{name}:0": array for name, array in arrays.items()}
    found, found_mean = session.run([y, mean], feeds)
    wanted = np.maximum(formula(x.astype(np.float64), scale, offset, given), 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(found_mean, given[0])
    dx = session.run(
        tf.gradients(y, tf.get_default_graph().get_tensor_by_name("x:0")), feeds
    )
    wanted = (wanted > 0) * scale / np.sqrt(given[1] + EPSILON)
    np.testing.assert_allclose(dx[0], wanted, rtol=1e-5, atol=1e-5)


def test_the_node_is_tensorflows(session):
    x = tf.placeholder(tf.float32, [None, 4, 4, 3])
    y, mean, _ = tf.nn.fused_batch_norm(x, [1.0] * 3, [0.0] * 3)
    assert (y.op.type, y.name, mean.name) == (
        "FusedBatchNormV3",
        "FusedBatchNormV3:0",
        "FusedBatchNormV3:1",
    )
    assert y.shape.as_list() == [None, 4, 4, 3] and mean.shape == [3]
    (node,) = (n for n in y.graph.as_graph_def().node if n.op == "FusedBatchNormV3")
    assert node.attr["epsilon"].f == np.float32(0.001)
    assert node.attr["is_training"].b and node.attr["data_format"].s == b"NHWC"
