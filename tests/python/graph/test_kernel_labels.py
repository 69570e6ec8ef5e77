"""Which kernel computes a node: the label that a scope of the graph gives it."""

import os
import subprocess
import sys

import numpy as np
import pytest

import minitf as tf

A = np.random.default_rng(1).standard_normal((5, 7))
B = np.random.default_rng(2).standard_normal((7, 3))


def test_nodes_within_are_computed_by_the_kernel_of_the_label():
    with tf.Graph().as_default() as graph:
        with graph._kernel_label_map({"MatMul": "naive"}):
            naive = tf.matmul(A, B)
            other = tf.add(A, A)
        usual = tf.matmul(A, B)
        assert naive.op.get_attr("_kernel") == b"naive"
        for op in (usual.op, other.op):
            with pytest.raises(ValueError, match="_kernel"):
                op.get_attr("_kernel")
        with tf.Session() as session:
            for y in session.run([naive, usual]):
                np.testing.assert_allclose(y, A @ B, rtol=1e-12)


def test_the_inner_label_comes_before_the_outer_one_op_by_op():
    with tf.Graph().as_default() as graph:
        outer = {"MatMul": "naive", "Conv2D": "eigen"}
        with graph._kernel_label_map(outer), graph._kernel_label_map({"MatMul": "tiled"}):
            product = tf.matmul(A, B)
            image = tf.nn.conv2d(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)), 1, "VALID")
    assert product.op.get_attr("_kernel") == b"tiled"
    assert image.op.get_attr("_kernel") == b"eigen"


def test_labels_and_gradients_of_one_op_stand_side_by_side():
    with tf.Graph().as_default() as graph:
        labels = graph._kernel_label_map({"MatMul": "naive"})
        with labels, graph.gradient_override_map({"MatMul": "Some"}):
            op = tf.matmul(A, B).op
    assert op.get_attr("_kernel") == b"naive"
    assert op.get_attr("_gradient_op_type") == b"Some"


def test_a_label_that_no_kernel_has_is_named_when_the_node_runs():
    with tf.Graph().as_default() as graph:
        with graph._kernel_label_map({"MatMul": "fastest"}):
            y = tf.matmul(A, B)
        with (
            tf.Session() as session,
            pytest.raises(tf.errors.NotFoundError, match="label .fastest."),
        ):
            session.run(y)


@pytest.mark.parametrize("wrong", [None, ["MatMul"], {"MatMul": 1}, {1: "naive"}])
def test_a_map_is_from_names_to_names(wrong):
    with (
        tf.Graph().as_default() as graph,
        pytest.raises(TypeError, match="op_to_kernel_label_map"),
        graph._kernel_label_map(wrong),
    ):
        pass


# ---- By the session's config ----------------------------------------------------------


def _labels(session, fetches, feed=None):
    """What the trace of a run says of each node: its label, "y = MatMul[naive](a, b)"."""
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    values = session.run(fetches, feed, options, metadata)
    stats = [s for device in metadata.step_stats.dev_stats for s in device.node_stats]
    return values, {s.node_name: s.timeline_label for s in stats}


def _config(**labels):
    config = tf.ConfigProto()
    for op, label in labels.items():
        config.minitf_kernel_labels[op] = label
    return config


@pytest.mark.parametrize("label", ["naive", "reordered", "tiled", "eigen", "packed"])
def test_a_session_labels_the_nodes_that_have_no_label(label):
    with tf.Graph().as_default() as graph:
        a, b = tf.placeholder(tf.float64, A.shape), tf.placeholder(tf.float64, B.shape)
        y = tf.matmul(a, b, name="y")
        other = "tiled" if label == "naive" else "naive"
        with graph._kernel_label_map({"MatMul": other}):
            own = tf.matmul(a, b, name="own")
        with tf.Session(config=_config(MatMul=label)) as session:
            values, labels = _labels(session, [y, own], {a: A, b: B})
        for value in values:
            np.testing.assert_allclose(value, A @ B, rtol=1e-12)
        fed = "feed/Placeholder_0, feed/Placeholder_1_0"
        assert labels["y"] == f"y = MatMul[{label}]({fed})"
        assert labels["own"].startswith(f"own = MatMul[{other}](")
        with pytest.raises(ValueError, match="_kernel"):
            y.op.get_attr("_kernel")  # the user's graph stays as it was built


def test_the_trace_tells_the_tiers_of_a_convolution_and_its_gradients():
    x = np.random.default_rng(3).standard_normal((2, 6, 6, 4)).astype(np.float32)
    w = np.random.default_rng(4).standard_normal((3, 3, 4, 4)).astype(np.float32)
    with tf.Graph().as_default():
        image, filters = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.float32)
        y = tf.nn.conv2d(image, filters, 1, "SAME", name="y")
        gradients = tf.gradients(y, [image, filters])
        config = _config(
            Conv2D="winograd2x2",
            Conv2DBackpropInput="im2col",
            Conv2DBackpropFilter="autotune",
        )
        fetches, feed = [y, *gradients], {image: x, filters: w}
        with tf.Session(config=config) as session, tf.Session() as usual:
            values, labels = _labels(session, fetches, feed)
            for value, expected in zip(values, usual.run(fetches, feed), strict=True):
                np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-4)
    ops = {text.split(" = ")[1].split("(")[0] for text in labels.values()}
    assert {"Conv2D[winograd2x2]", "Conv2DBackpropInput[im2col]"} <= ops
    assert ops & {"Conv2DBackpropFilter[im2col]", "Conv2DBackpropFilter[direct]"}


def test_a_node_without_tiers_has_no_tier_in_the_trace():
    with tf.Graph().as_default():
        a = tf.placeholder(tf.float64, name="a")
        y = tf.add(tf.matmul(a, a), a, name="y")
        with tf.Session() as session:
            _, labels = _labels(session, y, {a: np.eye(3)})
    assert labels["y"].startswith("y = Add(")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"MatMul": "fastest"}, 'MatMul has no kernel with the label "fastest"; there'),
        ({"Matmul": "naive"}, 'no kernel is registered for an op "Matmul"'),
        ({"Add": "naive"}, 'Add has no kernel with the label "naive"'),
    ],
)
def test_labels_that_no_kernel_has_are_refused_by_the_session(labels, message):
    with (
        tf.Graph().as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match=message),
    ):
        tf.Session(config=_config(**labels))


def test_the_environment_names_the_usual_tier_or_asks_to_try_them():
    program = (
        "import sys; sys.path.insert(0, 'tests/python/graph')\n"
        "import numpy as np, minitf as tf\n"
        "from test_kernel_labels import _labels\n"
        "a = tf.placeholder(tf.float32, [20, 20]); y = tf.matmul(a, a, name='y')\n"
        "x = tf.placeholder(tf.float32, [1, 8, 8, 4]); w = np.ones((3, 3, 4, 4), 'f')\n"
        "z = tf.nn.conv2d(x, w, 1, 'SAME', name='z')\n"
        "h = tf.matmul(*[tf.cast(a, tf.bfloat16)] * 2, name='h')\n"
        "feed = {a: np.eye(20), x: np.ones((1, 8, 8, 4))}\n"
        "with tf.Session() as session:\n"
        "    (product, image, _), labels = _labels(session, [y, z, h], feed)\n"
        "assert (product == np.eye(20)).all() and image[0, 4, 4, 0] == 36\n"
        "print(*(labels[name].split('(')[0] for name in 'yzh'), sep=';')\n"
    )
    for tier, expected in {
        "": {"packed"},
        "eigen": {"eigen"},
        "autotune": {"packed", "eigen", "tiled", "reordered"},
    }.items():
        environment = {**os.environ, "MINITF_MATMUL": tier, "MINITF_CONV": tier}
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment, capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        product, image, half = (
            text.split(" = ")[1].strip() for text in done.stdout.split(";")
        )
        assert product in {f"MatMul[{name}]" for name in expected}
        assert image in {
            f"Conv2D[{name}]"
            for name in {
                "": {"direct"},
                "eigen": {"eigen"},
                "autotune": {"direct", "im2col", "implicit", "winograd", "winograd2x2"},
            }[tier]
        }
        # As floats; if no tier is named, by an instruction that some processors have.
        ways = {*expected, "pairs"} if tier == "" else expected
        assert half in {f"MatMul[{name}]" for name in ways}
