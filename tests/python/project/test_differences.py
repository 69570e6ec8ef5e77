"""The rows of docs/differences.md: what minitf does where TensorFlow does otherwise."""

import re
from pathlib import Path

import numpy as np
import pytest
from number_difference_rows import (
    black,
    casts,
    complex_numbers,
    erf,
    integers,
    logs,
    nans,
    overflow,
    rounding,
    saturation,
    slopes,
    stretched,
    ties,
    winograd,
)

import minitf as tf
from minitf.framework import errors

DOCUMENT = Path(__file__).parents[3] / "docs" / "differences.md"


def denormals():
    assert tf.sqrt(np.full(9, 1e-40, np.float32)).numpy() == pytest.approx(1e-20)
    # the sum of n^-x from n = q on is about q^(1 - x) / (x - 1)
    assert tf.zeta(1.0575, 3e38).numpy() == pytest.approx(0.10663, rel=1e-3)
    assert (tf.constant(1e-40) * 1.0).numpy() == np.float32(1e-40)


def types():
    with pytest.raises((TypeError, errors.InvalidArgumentError), match="uint32"):
        tf.nn.relu(tf.constant([1], tf.uint32))


def wrong_arguments():
    with pytest.raises(errors.InvalidArgumentError, match="division by zero"):
        tf.truncatediv(1, 0)


def more():
    assert tf.rint(tf.constant([0.5, 1.5], tf.float16)).numpy().tolist() == [0, 2]
    x, w = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID", dilations=[1, 2, 2, 1])
    corners = [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
    assert tape.gradient(y, x).numpy()[0, :, :, 0].tolist() == corners
    x = tf.constant([3.0, 4.0], tf.float64)
    y = tf.clip_by_average_norm(x, 1.25)  # 5 / 2 is the norm of an element
    assert y.numpy() == pytest.approx([1.5, 2])
    assert tf.strings.format("a {}", 0).numpy() == b"a 0"
    assert tf.gather_nd(tf.zeros([0]), tf.zeros([3, 0], tf.int32)).shape == (3, 0)
    with tf.Graph().as_default(), tf.Session() as session:
        x, axis = tf.placeholder(tf.float32, None), tf.constant([0], tf.int64)
        d = tf.gradients(tf.reduce_sum(x, axis), x)[0]
        assert session.run(d, {x: [[1, 2]]}).tolist() == [[1, 1]]
        counts = tf.nn.sufficient_statistics(x, [])[0]
        assert session.run(counts, {x: [[1, 2]]}) == 1
        index = tf.placeholder(tf.int32, [None, None])
        y = tf.gather_nd(x, index, batch_dims=1)
        assert session.run(y, {x: [[1, 2], [3, 4]], index: [[1], [0]]}).tolist() == [2, 3]
        y = tf.while_loop(
            lambda i, v: i < 9,
            lambda i, v: (i + 1, v),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
            maximum_iterations=2,
        )
        assert session.run(y, {x: 5.0}) == [2, 5]


def sooner():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="axis 1"):
        tf.reduce_max(tf.placeholder(tf.float32, [3]), axis=1)


def gradients():
    x = tf.constant(0.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.softsign(x)
        dy = inner.gradient(y, x)
    assert outer.gradient(dy, x).numpy() == pytest.approx(-2 / 1.5**3)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(2.0)
        cube = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, 1.0])[1]
        assert session.run(tf.gradients(tf.gradients(cube, x), x)) == [12.0]
        labels = tf.constant([[0.5, 0.5]])
        logits = tf.constant([[1.0, 2.0]])
        found = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels)
        assert session.run(tf.gradients(found.backprop, labels))[0].tolist() == [[-1, -1]]


def shapes():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3, 3, 1])
        y = tf.nn.conv2d_transpose(
            x, tf.ones([2, 2, 1, 1]), [2, 4, 4, 1], [1, 1, 1, 1], "VALID"
        )
    assert y.shape.as_list() == [2, 4, 4, 1]


def devices():
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        assert tf.constant(1.0).device == "/cpu:0"
        assert tf.train.create_global_step().initial_value.device == "/cpu:0"


def dropped():
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(3, tf.float32)
        with pytest.raises(ValueError, match="has 1 components"):
            queue.enqueue((1, 2.0))


def later():
    assert (tf.string.size, tf.resource.size) == (8, 1)
    with tf.Graph().as_default(), pytest.raises(TypeError, match="as a Python `bool`"):
        tf.image.central_crop(tf.ones([4, 4, 1]), tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="does not have defined limits"):
        _ = tf.resource.limits
    assert tf.resource.as_numpy_dtype is None
    with pytest.raises(TypeError, match="Expected int32, got 1.5"):
        tf.add(tf.constant([1]), 1.5)
    yes = tf.constant(True)
    with pytest.raises(TypeError, match=r"Expected bool, got 0.5"):
        tf.nn.batch_normalization(yes, yes, yes, None, None, 0.5)
    with tf.Graph().as_default(), pytest.raises(TypeError, match="bool"):
        _ = tf.constant([1.5]) * tf.constant([True])
    with pytest.raises(errors.InvalidArgumentError, match="num > 0"):
        tf.linspace(0.0, 1.0, 0)
    assert tf.strings.format("{}", ["\u00e4"]).numpy() == b'"\\303\\244"'


def loops():
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = tf.constant([0.25, 0.5]), tf.constant(0.75)
        y = tf.while_loop(
            lambda i, a: i < 3,
            lambda i, a: (i + 1, w),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
        )[1]
        assert session.run(tf.gradients(y, x))[0].tolist() == [0, 0]


def targets():
    x, v = tf.constant(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * x
    assert tape.gradient([y, x], x).numpy() == 1
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([2.0, 3.0])
        a, b = tf.split(x, 2)
        assert tf.gradients(a, [x, b])[1] is None
        found = tf.gradients(a * b, x, stop_gradients=[a])[0]
        assert session.run(found).tolist() == [0, 2]


def names():
    with tf.Graph().as_default():
        i = tf.constant(1)
        y = tf.switch_case(i, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)])
        assert y.name == "switch_case/cond/Merge:0"
        update = tf.metrics.true_positives([1], [1])[1]
        assert update.name == "true_positives/count:0"


def ranks():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        with pytest.raises(ValueError, match="channel dimension"):
            tf.layers.conv2d(x, 2, 3)
        assert tf.layers.average_pooling2d(x, 2, 1).shape.ndims == 4


def waits():
    with tf.Graph().as_default() as graph:
        first, a = tf.no_op("first"), tf.constant(1.0, name="a")
        tf.square(a, name="b")
        with tf.control_dependencies([first]):
            tf.import_graph_def(graph.as_graph_def(), name="copy")
        assert graph.get_operation_by_name("copy/a").control_inputs == [first]
        assert graph.get_operation_by_name("copy/b").control_inputs == []


def inner():
    with tf.Graph().as_default():
        assert tf.nn.swish(1.0).op.type == "Mul"
        noise = tf.image.psnr(tf.ones([2, 2, 1]), tf.zeros([2, 2, 1]), 1.0)
        assert noise.name == "PSNR:0"
        assert tf.sign(tf.constant([1j])).name == "Sign:0"
        ids = tf.SparseTensor([[0, 0]], tf.constant([0], tf.int64), [1, 1])
        rows = tf.nn.safe_embedding_lookup_sparse(tf.ones([2, 3]), ids)
        assert rows.name == "embedding_lookup:0"


def empty():
    images, filters = tf.zeros([0, 4, 4, 2]), tf.ones([2, 2, 2, 2])
    assert tf.nn.conv2d(images, filters, 1, "VALID").shape == (0, 3, 3, 2)
    assert tf.nn.depthwise_conv2d(images, filters, [1] * 4, "SAME").shape == (0, 4, 4, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        sums = tf.nn.xw_plus_b([[]], tf.zeros([0, 2]), [1.0, -2.0])
        assert session.run(sums).tolist() == [[1.0, -2.0]]


def windows():
    with pytest.raises(errors.InvalidArgumentError, match="larger than the image"):
        tf.nn.max_pool(tf.ones([2, 2, 3, 1]), 3, 1, "VALID")


def known():
    x = tf.ones([2, 3])
    for refused in (
        lambda: tf.raw_ops.Sum(input=x, axis=tf.constant([[0]])),
        lambda: tf.raw_ops.Fill(dims=[2], value=[1.0]),
        lambda: tf.raw_ops.SqrtGrad(y=x, dy=tf.ones([3, 2])),
        lambda: tf.raw_ops.Unpack(value=x, num=0),
        lambda: tf.raw_ops.DiagPart(input=1.0),
        lambda: tf.raw_ops.SplitV(value=x, size_splits=[2], axis=[0], num_split=1),
    ):
        with pytest.raises(errors.InvalidArgumentError):
            refused()
        with tf.Graph().as_default(), pytest.raises(ValueError, match="Node"):
            refused()
    with pytest.raises(errors.InvalidArgumentError, match="negative size -1"):
        tf.raw_ops.BroadcastGradientArgs(s0=[2], s1=[-1])
    with pytest.raises(errors.InvalidArgumentError, match="an entry for each axis"):
        tf.raw_ops.Reverse(tensor=1.0, dims=[False])


def first():
    filters = tf.ones([2, 2, 1, 1])
    with pytest.raises((ValueError, errors.InvalidArgumentError), match="of rank 4"):
        tf.nn.atrous_conv2d(tf.constant(True), filters, 1, "VALID")


def hidden():
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int32)
        _, update = tf.metrics.mean_iou(labels, tf.constant([0, 0, 1]), 2)
        session.run(tf.local_variables_initializer())
        assert session.run(update, {labels: [0, 1, 1]}).tolist() == [[1, 0], [1, 1]]
        with pytest.raises(errors.InvalidArgumentError, match="differ in shape"):
            session.run(update, {labels: [[0], [1], [1]]})
    with pytest.raises(errors.InvalidArgumentError, match="less than value_range"):
        tf.histogram_fixed_width_bins([0.5], [2.0, 1.0])
    with tf.Graph().as_default(), tf.Session() as session:
        keep = tf.placeholder(tf.float32)
        kept = tf.nn.dropout(tf.ones([2, 3]), keep_prob=keep)
        assert session.run(kept, {keep: 1.0}).tolist() == [[1.0] * 3] * 2
        with pytest.raises(errors.InvalidArgumentError, match=r"\[1\].* not fit \[\]"):
            session.run(kept, {keep: [1.0]})


def ones():
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.float32, [None, None])
        loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=[[2.0, 1.0]])
        rows = tf.raw_ops.SoftmaxCrossEntropyWithLogits(
            features=tf.constant([[2.0, 1.0]]), labels=labels
        )
        assert rows.loss.shape.as_list() == [None]
        logits = rows.loss.op.inputs[0]
        gradient = tf.gradients(rows.loss, logits)[0]
        assert session.run(gradient, {labels: np.ones([4, 2])}).shape == (1, 2)
        with pytest.raises(errors.InvalidArgumentError, match="Input to reshape"):
            session.run(loss, {labels: np.ones([4, 2])})


def batches():
    with pytest.raises(errors.InvalidArgumentError, match=r"batch_dims \(1\)"):
        tf.gather(tf.ones([3, 4]), tf.zeros([3, 2], tf.int32), axis=0, batch_dims=1)


def splits():
    with tf.Graph().as_default(), tf.Session() as session:
        axis = tf.placeholder(tf.int32, [])
        pieces = tf.split(tf.ones([3, 3]), [1, 2], axis)
        assert pieces[0].shape.as_list() == [None, None]
        assert [item.shape for item in session.run(pieces, {axis: 0})] == [(1, 3), (2, 3)]


def nothing():
    with pytest.raises(errors.InvalidArgumentError, match="= 7 is out of range"):
        tf.unsorted_segment_min(tf.zeros([1, 0]), [7], 3)


def places():
    with pytest.raises(errors.InvalidArgumentError, match="is out of bounds"):
        tf.sparse_reduce_sum(tf.SparseTensor([[5]], [1.0], [2]))


def texts():
    assert tf.strings.format("{}", tf.zeros([1, 0])).numpy() == b"[[]]"


def large():
    with tf.Graph().as_default():
        x = tf.constant([1])
        for sum_or_bits in (lambda: x + 2**40, lambda: 2**40 ^ x):
            with pytest.raises(ValueError, match="1099511627776 is out of range"):
                sum_or_bits()
        with pytest.raises(ValueError, match="no element was given"):
            tf.constant([], shape=[2])


def kept():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, [tf.float32], [[]])
        session.run(queue.enqueue(2.0))
        with pytest.raises(errors.DeadlineExceededError):
            options = tf.RunOptions(timeout_in_ms=100)
            session.run(queue.dequeue_many(2), options=options)
        assert session.run(queue.size()) == 1


def references():
    with pytest.raises(TypeError, match="101"):
        tf.as_dtype(101)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable([1.0, 2.0])
        session.run(variable.initializer)
        fed = tf.placeholder(tf.float32)
        freely = tf.assign(variable, fed, validate_shape=False)
        assert session.run(freely, {fed: [7.0, 8.0, 9.0]}).tolist() == [7, 8, 9]
        variable.load([3.0, 4.0], session)
        assert session.run(variable).tolist() == [3, 4]


def copies():
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("a", caching_device="/cpu:0"):
            w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
            rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
            step = tf.train.AdamOptimizer(0.1).apply_gradients([(rows, w)])
            v = tf.Variable(2.0, caching_device="/cpu:0", constraint=lambda x: x * 10.0)
            once = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(1.0, v)])
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        assert session.run(w) == pytest.approx([0.7, 1.0], rel=1e-4)
        session.run(once)
        assert session.run(v) == 10


def bounds():
    assert not tf.raw_ops.ApproximateEqual(x=1.0, y=1.5, tolerance=0.5).numpy()


ROWS = {
    "bounds": bounds,
    "nothing": nothing,
    "places": places,
    "black": black,
    "splits": splits,
    "texts": texts,
    "references": references,
    "copies": copies,
    "batches": batches,
    "known": known,
    "hidden": hidden,
    "ones": ones,
    "kept": kept,
    "large": large,
    "waits": waits,
    "names": names,
    "ranks": ranks,
    "devices": devices,
    "dropped": dropped,
    "later": later,
    "loops": loops,
    "targets": targets,
    "casts": casts,
    "complex": complex_numbers,
    "denormals": denormals,
    "empty": empty,
    "first": first,
    "erf": erf,
    "errors": wrong_arguments,
    "gradients": gradients,
    "logs": logs,
    "more": more,
    "nans": nans,
    "inner": inner,
    "integers": integers,
    "overflow": overflow,
    "winograd": winograd,
    "rounding": rounding,
    "saturation": saturation,
    "shapes": shapes,
    "slopes": slopes,
    "sooner": sooner,
    "stretched": stretched,
    "ties": ties,
    "types": types,
    "windows": windows,
}


OF_FAMILIES = {"inner": pytest.mark.families("image", "sparse")}


@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=OF_FAMILIES.get(row, ())) for row in ROWS]
)
def test_row(row, eager):
    ROWS[row]()


def test_each_row_of_the_document_is_tested():
    rows = re.findall(r"^\| (\w+) \|", DOCUMENT.read_text(), re.M)
    assert sorted(set(rows) - {"row"}) == sorted(ROWS)
