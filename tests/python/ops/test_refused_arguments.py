"""Arguments that TensorFlow refuses or takes, and a lenient composite would not."""

import numpy as np
import pytest

import minitf as tf
from minitf.framework import errors


def test_true_is_the_number_1(eager):
    for dtype in (tf.int32, tf.float32, tf.complex128):
        assert tf.constant([True, False], dtype).numpy().tolist() == [1, 0]
    for dtype in (tf.uint8, tf.bfloat16, tf.complex64):
        with pytest.raises(TypeError, match="got True of type"):
            tf.constant(True, dtype)
    assert (tf.constant([3, -2]) > True).numpy().tolist() == [True, False]
    with pytest.raises(TypeError, match="Expected bool, got 1"):
        tf.constant(1, tf.bool)


def test_a_constant_is_no_cast(eager):
    with pytest.raises(TypeError, match=r"float32, got dtype int32.*tf\.cast"):
        tf.constant(tf.constant([1]), tf.float32)
    assert tf.constant(tf.constant([1]), tf.int32).numpy().tolist() == [1]


def test_parallel_stack_knows_the_shape():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3, 1])
        stacked = tf.parallel_stack([x, tf.ones([3, 1])], name="n")
        assert stacked.name == "n/ParallelConcat:0"
        assert stacked.shape.as_list() == [2, 3, 1]
        with pytest.raises(ValueError, match="known shape"):
            tf.parallel_stack([tf.placeholder(tf.float32, [None]), [1.0]])


def test_a_diagonal_is_one_of_a_square(eager):
    with pytest.raises(ValueError, match=r"stands for 3 and for.*\(3, 2\)"):
        tf.einsum("ii->i", np.zeros([3, 2], np.float32))


def test_ranks_that_do_not_fit(eager):
    with pytest.raises((ValueError, errors.InvalidArgumentError)):
        tf.nn.softmax_cross_entropy_with_logits_v2(
            labels=np.array([0.5, 0.3]), logits=np.array(1.5)
        )
    with pytest.raises(ValueError, match="must be of rank 4"):
        tf.nn.atrous_conv2d(np.float64(0), np.ones([2, 2, 3, 3]), 2, "VALID")
    with pytest.raises(ValueError, match="4-dimensional"):
        tf.nn.fused_batch_norm([], np.float32(1), [2.0])
    with pytest.raises(ValueError, match="one type"):
        tf.accumulate_n([tf.constant([1]), tf.constant([1.0])])


def test_the_range_of_a_histogram_has_the_type_of_the_values(eager):
    values = tf.constant([0.5, 1.5, 9.0], tf.float64)
    assert tf.histogram_fixed_width(values, [0.0, 5.0], 5).numpy().tolist() == [
        1,
        1,
        0,
        0,
        1,
    ]


RANGES = {
    "empty": ([1, 1], 3, "less than value_range"),
    "reversed": ([2, 1], 3, "less than value_range"),
    "NaN": ([0, np.nan], 3, "less than value_range"),
    "infinite": ([-np.inf, 1], 3, "must be finite"),
    "no bins": ([0, 1], 0, "nbins must be positive"),
    "bins below 0": ([0, 1], -2, "nbins must be positive"),
    "three ends": ([0, 1, 2], 3, "Shape|shape|length"),
    "two numbers of bins": ([0, 1], [3, 3], "Shape|shape"),
}


@pytest.mark.parametrize("case", RANGES)
@pytest.mark.parametrize("function", ["", "_bins"])
def test_a_range_without_bins_is_refused(function, case, evaluate):
    ends, bins, message = RANGES[case]
    function = getattr(tf, f"histogram_fixed_width{function}")
    refusal = (ValueError, tf.errors.InvalidArgumentError)
    with pytest.raises(refusal, match=message):
        evaluate(function([0.2, 0.8], np.float32(ends), bins))
    if not tf.executing_eagerly():
        fed = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        result = function([0.2, 0.8], *fed)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.Session().run(result, dict(zip(fed, (ends, bins), strict=True)))


def test_a_range_of_another_type_is_refused(evaluate):
    refusal = (TypeError, tf.errors.InvalidArgumentError)
    with pytest.raises(
        refusal, match="'value_range' has DataType int32 not in .*float32"
    ):
        evaluate(tf.histogram_fixed_width([0.5], tf.constant([0, 1]), 2))
    assert evaluate(tf.histogram_fixed_width([0.5], [0, 1], 2)).tolist() == [0, 1]
    with pytest.raises(refusal, match="DataType bool not in list of allowed values"):
        evaluate(tf.histogram_fixed_width([True], [False, True], 2))


def test_bins_are_computed_in_float64(evaluate):
    x = np.float32([0.7, 0.3, 1.0, -1.0])  # 0.7 is 0.699999988
    assert evaluate(tf.histogram_fixed_width(x, [0.0, 1.0], 10)).tolist() == [
        *(1, 0, 0, 1, 0, 0, 1, 0, 0, 1)
    ]
    assert evaluate(tf.histogram_fixed_width([1.0], [0.0, np.inf], 2)).tolist() == [1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        evaluate(tf.histogram_fixed_width([np.nan], [0.0, 1.0], 2))


@pytest.mark.parametrize("axis", [1, -2, 5])
def test_an_axis_of_sort_is_checked_in_the_step(axis, session):
    x = tf.placeholder(tf.float32)
    for function in (tf.sort, tf.argsort):
        y = function(x, axis)
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"axis {axis} is out"):
            session.run(y, {x: [2.0, 1.0]})
    rows = tf.sort(x, 0)
    assert session.run(rows, {x: [[2.0, 1.0], [0.0, 3.0]]}).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("ids", [[1, 0, 1], [0, 1, 0], [-1, 0, 1]])
@pytest.mark.parametrize("kind", ["sum", "mean", "sqrt_n"])
def test_segment_ids_are_sorted_from_0_up(kind, ids, evaluate):
    function = getattr(tf, f"sparse_segment_{kind}")
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be sorted"):
        evaluate(function([[1.0], [2.0], [4.0]], [0, 1, 2], ids))
    assert evaluate(function([[1.0], [4.0]], [1, 0], [0, 2])).tolist() == [[4], [0], [1]]


def test_indices_of_rows_are_a_vector_also_in_the_step(session):
    indices = tf.placeholder(tf.int32)
    y = tf.sparse_segment_sum([[1.0], [2.0]], indices, [0, 1])
    assert session.run(y, {indices: [1, 0]}).tolist() == [[2], [1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        session.run(y, {indices: [[1], [0]]})


def test_a_shape_may_have_any_rank_that_the_step_knows(session):
    shape = tf.placeholder(tf.int32)
    for sizes in (3, [3], [[1], [3]]):
        for function in (tf.zeros, tf.ones):
            expected = tuple(np.ravel(sizes))
            assert session.run(function(shape), {shape: sizes}).shape == expected
    assert tf.zeros(tf.constant(3)).shape == [3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        session.run(tf.eye(shape), {shape: [2]})


def test_the_rate_of_dropout_is_a_scalar():
    with pytest.raises(ValueError, match="must have rank 0"):
        tf.nn.dropout(tf.ones([2]), rate=tf.constant([0.5]))


def test_one_shape_of_a_cross_product_is_enough():
    with tf.Graph().as_default():
        y = tf.cross(tf.ones([2, 3]), tf.placeholder(tf.float32))
        assert y.shape.as_list() == [2, 3]


def test_a_pool_has_no_gaps_between_windows(eager):
    image = np.ones([1, 4, 4, 1], np.float32)
    with pytest.raises(ValueError, match="larger than the window"):
        tf.nn.pool(image, [1, 3], "MAX", "VALID", strides=[2, 1])


def test_a_letter_of_einsum_stands_for_one_size(session):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None])
    square = tf.placeholder(tf.float32, [None, None])
    for fed in ({x: [1, 2, 3], y: [2]}, {x: [[1, 2]], y: [1, 2]}):
        with pytest.raises(errors.InvalidArgumentError):
            session.run(tf.einsum("i,i->i", x, y), fed)
    with pytest.raises(
        errors.InvalidArgumentError, match=r"the letter ..i.. of einsum stands for sev"
    ):
        session.run(tf.einsum("ii->i", square), {square: np.ones([2, 3])})
    with pytest.raises(errors.InvalidArgumentError):
        session.run(tf.einsum("i,i->i", y, tf.ones([3])), {y: [2]})


def test_inputs_of_einsum_have_one_type(session):
    with pytest.raises(TypeError, match="one type, they have float32 and int32"):
        tf.einsum("i,i->i", tf.constant([1.0]), tf.constant([1]))
    assert session.run(tf.einsum("i,i->i", tf.constant([2.0]), [3])).tolist() == [6]


def test_labels_have_an_axis_of_classes(session):
    function = tf.nn.softmax_cross_entropy_with_logits
    with pytest.raises(ValueError, match="labels must have an axis"):
        function(labels=0.5, logits=[1.0, 2.0])
    x = tf.placeholder(tf.float32)
    for labels, logits in ((x, [1.0, 2.0]), ([1.0, 2.0], x)):
        with pytest.raises(errors.InvalidArgumentError):
            session.run(function(labels=labels, logits=logits), {x: 0.5})


def test_fused_batch_norm_takes_what_it_can_compute(eager):
    x = tf.ones([2, 1, 1, 2])
    with pytest.raises(ValueError, match=r"offset must .* 2 channels .*\(1,\)"):
        tf.nn.fused_batch_norm(x, [1.0, 2.0], [0.5])
    with pytest.raises(TypeError, match="float64 not in list of allowed values"):
        tf.nn.fused_batch_norm(tf.cast(x, tf.float64), [1.0, 2.0], [0.5, 0.5])
    with pytest.raises(TypeError, match="'input' has DataType int32 not in list"):
        tf.nn.conv3d(np.ones([1, 1, 1, 1, 1], np.int32), x, 1, "SAME")


def fed(call, *values):
    """The result of a call whose arguments the graph knows nothing of."""
    with tf.Graph().as_default(), tf.Session() as session:
        arrays = [np.asarray(value) for value in values]
        xs = [tf.placeholder(array.dtype, None) for array in arrays]
        return session.run(call(*xs), dict(zip(xs, arrays, strict=True)))


MATRIX = np.ones([2, 3], np.float32)


@pytest.mark.parametrize(
    ("call", "values", "message"),
    [
        (tf.where, [np.float32(0.5)], "a scalar has no places"),
        (tf.nn.top_k, [MATRIX, np.array([1], np.int32)], r"k must be a scalar.*\[1\]"),
        (
            lambda x, lengths: tf.reverse_sequence(x, lengths, 1),
            [MATRIX, np.ones([2, 1], np.int32)],
            r"seq_lengths must be a vector.*\[2,1\]",
        ),
        (
            lambda y, dy: tf.raw_ops.SqrtGrad(y=y, dy=dy),
            [MATRIX, np.float32(1)],
            r"must have one shape: \[2,3\] vs. \[\]",
        ),
        (
            lambda y, dy: tf.raw_ops.TanhGrad(y=y, dy=dy),
            [np.ones([1, 3]), np.ones([2, 3])],
            "must have one shape",
        ),
        (tf.gather_nd, [1.0, np.ones([0, 0], np.int32)], "at least a vector"),
        (
            lambda x: tf.pad(x, [[0, 0]], "REFLECT"),
            [np.ones([0])],
            "dimension size minus one: 0, 0 greater than -1",
        ),
    ],
)
def test_a_step_refuses(call, values, message):
    with pytest.raises(errors.InvalidArgumentError, match=message):
        fed(call, *values)


def test_attributes_without_a_default_are_needed(eager):
    with pytest.raises(TypeError, match=r"Unpack\(\) needs the argument 'num'"):
        tf.raw_ops.Unpack(value=[1.0])
    with pytest.raises(TypeError, match=r"Cast\(\) needs the argument 'DstT'"):
        tf.raw_ops.Cast(x=1.0)


def test_no_outputs_are_an_empty_list():
    with tf.Graph().as_default():
        assert tf.raw_ops.Unpack(value=tf.placeholder(tf.float32), num=0) == []
    assert tf.raw_ops.Unpack(value=np.ones([0, 2], np.float32), num=0) == []


def test_tensors_of_two_types_in_a_list(eager):
    single, double = tf.constant([1.0]), tf.constant([1.0], tf.float64)
    for call in (tf.stack, tf.add_n, tf.shape_n, lambda xs: tf.concat(xs, 0)):
        with pytest.raises(
            errors.InvalidArgumentError, match="float64 that does not match"
        ):
            call([single, double])
    with tf.Graph().as_default(), pytest.raises(TypeError, match="does not match"):
        tf.stack([tf.constant(1.0), tf.constant(1.0, tf.float64)])


def test_a_constant_in_front_takes_the_name_of_a_stack():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        assert tf.stack([[1.0, 2.0], x], -1).name == "stack_1:0"
        assert tf.stack([x, [1.0, 2.0]], -1).name == "stack_2:0"


def test_the_largest_of_whole_volumes(eager):
    for dtype in (tf.int32, tf.uint8, tf.float64):
        with pytest.raises(errors.InvalidArgumentError, match=dtype.name):
            tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1], dtype), 2, 2, "SAME")


def test_labels_have_the_rank_of_logits_whose_axis_is_moved(eager):
    function = tf.nn.softmax_cross_entropy_with_logits
    with pytest.raises(errors.InvalidArgumentError, match="transpose expects"):
        function(labels=[0.0], logits=[[1.0, -1.5], [2.0, 0.5]], dim=0)


def test_a_scalar_that_is_asserted_has_the_name_of_the_assertion():
    with tf.Graph().as_default():
        assert tf.assert_scalar(1.0).name == "assert_scalar:0"


def test_a_cross_product_is_one_of_real_numbers():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="'a' has DataType bool"):
        tf.cross(tf.constant(True), tf.constant(True))


def test_gaps_need_windows_of_known_size():
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [1, 6, 6, 2])
        filters = tf.placeholder(tf.float32, [None, 2, 2, 3])
        with pytest.raises(ValueError, match=r"sizes of the window.*\[None, 2\]"):
            tf.nn.atrous_conv2d(images, filters, 2, "SAME")
    with pytest.raises(ValueError, match="rank"):
        tf.nn.atrous_conv2d(tf.ones([3]), tf.ones([2, 2, 1, 1]), 2, "SAME")


ONE = np.ones([1], np.int32)


@pytest.mark.parametrize(
    ("call", "values", "what"),
    [
        (lambda x, n: tf.split(x, 1, n), [MATRIX, ONE], "split_dim"),
        (lambda x, n: tf.gather(x, [0], axis=n), [MATRIX, ONE], "axis"),
        (tf.one_hot, [[0], ONE], "depth"),
        (lambda x: tf.one_hot([0], 2, x), [ONE], "on_value"),
        (lambda x: tf.one_hot([0], 2, 1, x), [ONE], "off_value"),
        (lambda x: tf.linspace(x, 1.0, 3), [np.float32([0])], "start"),
        (lambda n: tf.linspace(0.0, 1.0, n), [ONE], "num"),
        (tf.argmax, [MATRIX, ONE], "dimension"),
        (tf.cumsum, [MATRIX, ONE], "axis"),
        (lambda x, n: tf.matrix_band_part(x, n, 0), [MATRIX, ONE], "num_lower"),
        (lambda x, n: tf.unsorted_segment_sum(x, [0, 0], n), [MATRIX, ONE], "num_seg"),
        (tf.multinomial, [MATRIX, ONE], "num_samples"),
    ],
)
def test_one_number_in_a_list_is_no_scalar(call, values, what):
    with pytest.raises(errors.InvalidArgumentError, match=f"{what}.*must be a scalar"):
        fed(call, *values)


def test_a_bias_has_the_type_of_the_values():
    with tf.Graph().as_default():
        values = tf.placeholder(tf.float64, [2, 1])
        assert tf.nn.bias_add(values, [1.0]).op.inputs[1].name == "BiasAdd/bias:0"
        with pytest.raises(ValueError, match="float64 for Tensor with dtype float32"):
            tf.nn.bias_add(values, tf.constant([1.0]))


def test_arguments_that_nothing_is_made_of_are_refused():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="op_dict must be None"):
        tf.import_graph_def(tf.GraphDef(), op_dict={})
    assert tf.test.is_gpu_available(True) == tf.test.is_gpu_available()
    if not tf.test.is_gpu_available():
        assert not tf.test.is_gpu_available(min_cuda_compute_capability=(3, 5))


def test_a_graph_refuses_the_kind_of_an_element_before_the_lengths_of_lists():
    with tf.Graph().as_default():
        for dtype in (tf.bool, tf.string):
            with pytest.raises(TypeError, match="got 1 of type 'int'"):
                tf.constant([[1], [1, 2]], dtype)
        with pytest.raises(ValueError, match="different lengths"):
            tf.constant([[1], [1, 2]], tf.float32)


def test_classes_must_have_one_static_shape():
    """``mean_per_class_accuracy`` makes vectors of them first."""
    labels, column = [1, 1, 0], [[1], [0], [0]]
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match=r"\(3, 1\) and \(3,\) are incompatible"):
            tf.metrics.mean_iou(tf.constant(labels), tf.constant(column), 2)
        accuracy = tf.metrics.mean_per_class_accuracy
        of_each = accuracy(tf.constant(labels), tf.constant(column), 2)[1]
        session.run(tf.local_variables_initializer())
        assert session.run(of_each).tolist() == [1, 0.5]
        with pytest.raises(ValueError, match=r"\(1,\) and \(3,\) are incompatible"):
            accuracy(tf.constant(labels), tf.constant([1]), 2)
        hidden = [tf.placeholder(tf.int32), tf.placeholder(tf.int32)]
        of_each = accuracy(*hidden, 2, name="of_hidden")[1]
        session.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="differ in shape"):
            session.run(of_each, {hidden[0]: labels, hidden[1]: [1]})


def test_an_attribute_that_is_needed_is_not_none(eager):
    with pytest.raises(TypeError, match="needs the argument 'dtypes', not None"):
        tf.raw_ops.RestoreV2(
            prefix="a", tensor_names=["b"], shape_and_slices=[""], dtypes=None
        )
    with pytest.raises(TypeError, match="needs the argument 'DstT', not None"):
        tf.raw_ops.Cast(x=1, DstT=None)


def test_an_empty_list_of_repeats_is_one_of_integers(eager):
    assert tf.repeat(np.zeros([0, 3]), [], axis=0).shape.as_list() == [0, 3]
    with pytest.raises(TypeError, match="integers, got tf.float32"):
        tf.repeat([1], 2.5)


def test_eye_knows_the_sizes_that_are_numbers():
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.placeholder(tf.int32, [])
        assert tf.eye(rows, 0).shape.as_list() == [None, 0]
        wide = tf.eye(rows, 2, batch_shape=[1])
        assert wide.shape.as_list() == [1, None, 2]
        assert session.run(wide, {rows: 3}).tolist() == [[[1, 0], [0, 1], [0, 0]]]


def test_a_restart_takes_a_tensor_for_how_much_longer():
    with tf.Graph().as_default(), tf.Session() as session:
        step, longer = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32)
        rate = tf.train.cosine_decay_restarts(0.5, step, 4, longer)
        for t_mul in (1.0, 1.5, 2.0):
            known = tf.train.cosine_decay_restarts(0.5, step, 4, t_mul)
            for at in (0, 3, 15):
                two = session.run([rate, known], {step: at, longer: t_mul})
                assert two[0] == pytest.approx(two[1], rel=1e-5)
