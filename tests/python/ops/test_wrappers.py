"""The functions of tf against numpy, in both modes."""

import numpy as np
import pytest

import minitf as tf

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
M = np.array([[1.0, -2, 3], [4, 5, -6]], np.float32)

CASES = {
    "getitem": (lambda: tf.constant(X)[1, ..., 2], X[1, ..., 2]),
    "getitem_slices": (lambda: tf.constant(X)[:, 1:, ::-2], X[:, 1:, ::-2]),
    "getitem_newaxis": (
        lambda: tf.constant(X)[tf.newaxis, 0, :, None],
        X[None, 0, :, None],
    ),
    "getitem_negative": (lambda: tf.constant(X)[-1, -2:], X[-1, -2:]),
    "getitem_tensor": (lambda: tf.constant(X)[tf.constant(1)], X[1]),
    "getitem_mask": (lambda: tf.constant(M)[tf.constant(M) > 0], M[M > 0]),
    "reshape": (lambda: tf.reshape(X, [4, -1]), X.reshape(4, -1)),
    "transpose": (lambda: tf.transpose(X), X.T),
    "transpose_perm": (lambda: tf.transpose(X, [1, 0, 2]), X.transpose(1, 0, 2)),
    "matrix_transpose": (lambda: tf.matrix_transpose(X), X.transpose(0, 2, 1)),
    "expand_dims": (lambda: tf.expand_dims(M, -1), M[..., None]),
    "squeeze": (lambda: tf.squeeze(M[None, :, None], [0]), M[:, None]),
    "concat": (lambda: tf.concat([M, M], 1), np.concatenate([M, M], 1)),
    "stack": (lambda: tf.stack([M, M], axis=1), np.stack([M, M], 1)),
    "tile": (lambda: tf.tile(M, [2, 1]), np.tile(M, [2, 1])),
    "pad": (lambda: tf.pad(M, [[1, 0], [0, 2]]), np.pad(M, [[1, 0], [0, 2]])),
    "pad_value": (
        lambda: tf.pad(M, [[1, 0], [0, 2]], constant_values=7.0),
        np.pad(M, [[1, 0], [0, 2]], constant_values=7),
    ),
    "pad_reflect": (
        lambda: tf.pad(M, [[1, 0], [0, 2]], "REFLECT"),
        np.pad(M, [[1, 0], [0, 2]], "reflect"),
    ),
    "pad_symmetric": (
        lambda: tf.pad(M, [[1, 0], [0, 2]], "symmetric"),
        np.pad(M, [[1, 0], [0, 2]], "symmetric"),
    ),
    "slice": (lambda: tf.slice(X, [0, 1, 0], [1, -1, 2]), X[0:1, 1:, 0:2]),
    "strided_slice": (lambda: tf.strided_slice(M, [0, 0], [2, 3], [1, 2]), M[:, ::2]),
    "gather": (lambda: tf.gather(X, [2, 0], axis=1), X[:, [2, 0]]),
    "gather_nd": (lambda: tf.gather_nd(M, [[0, 1], [1, 2]]), M[[0, 1], [1, 2]]),
    "one_hot": (lambda: tf.one_hot([0, 2], 3), np.eye(3)[[0, 2]]),
    "one_hot_values": (
        lambda: tf.one_hot([1], 3, on_value=5, off_value=-1),
        [[-1, 5, -1]],
    ),
    "where": (lambda: tf.where(tf.constant(M) > 0, M, -M), np.abs(M)),
    "where_index": (lambda: tf.where(tf.constant(M) < 0), np.argwhere(M < 0)),
    "boolean_mask": (lambda: tf.boolean_mask(M, [False, True]), M[1:]),
    "zeros": (lambda: tf.zeros([2, 3], tf.int32), np.zeros((2, 3))),
    "ones_like": (lambda: tf.ones_like(M), np.ones_like(M)),
    "fill": (lambda: tf.fill([2], 7), [7, 7]),
    "range": (lambda: tf.range(1, 10, 3), [1, 4, 7]),
    "range_float": (lambda: tf.range(0.0, 1.0, 0.25), [0, 0.25, 0.5, 0.75]),
    "range_down": (lambda: tf.range(5, 0, -2), [5, 3, 1]),
    "linspace": (lambda: tf.linspace(0.0, 1.0, 5), np.linspace(0, 1, 5)),
    "cast": (lambda: tf.cast([1.7, -1.7], tf.int32), [1, -1]),
    "reduce_sum": (lambda: tf.reduce_sum(X), X.sum()),
    "reduce_mean": (lambda: tf.reduce_mean(X, axis=[0, -1]), X.mean((0, 2))),
    "reduce_max": (lambda: tf.reduce_max(X, 1, keepdims=True), X.max(1, keepdims=True)),
    "reduce_old": (
        lambda: tf.reduce_min(X, reduction_indices=[1], keep_dims=True),
        X.min(1, keepdims=True),
    ),
    "reduce_prod": (lambda: tf.reduce_prod(M, 0), M.prod(0)),
    "reduce_all": (lambda: tf.reduce_all(tf.constant(M) > -9), True),
    "reduce_logsumexp": (lambda: tf.reduce_logsumexp(M, 1), np.log(np.exp(M).sum(1))),
    "count_nonzero": (lambda: tf.count_nonzero([0, 3, 0, 5]), 2),
    "norm": (lambda: tf.norm(M), np.linalg.norm(M)),
    "argmax": (lambda: tf.argmax(M, 1), M.argmax(1)),
    "argmin": (lambda: tf.argmin(M), M.argmin(0)),
    "add_n": (lambda: tf.add_n([M, M, M]), 3 * M),
    "truediv": (lambda: tf.constant([7, -7]) / 2, [3.5, -3.5]),
    "floordiv": (lambda: tf.constant([7, -7]) // 2, [3, -4]),
    "mod": (lambda: tf.mod([7, -7], 3), [1, 2]),
    "percent": (lambda: tf.constant([7, -7]) % 3, [1, 2]),
    "truncatemod": (lambda: tf.truncatemod([7, -7], 3), [1, -1]),
    "pow": (lambda: tf.constant([2.0, 3.0]) ** 2, [4, 9]),
    "rsub": (lambda: 1 - tf.constant([2.0]), [-1]),
    "rdiv": (lambda: 1 / tf.constant([2.0]), [0.5]),
    "rmatmul": (lambda: M @ tf.constant(M.T), M @ M.T),
    "array_first": (lambda: np.float32(2) * tf.constant(M), 2 * M),
    "compare": (
        lambda: (tf.constant([1, 2]) < 2) | (tf.constant([1, 2]) >= 2),
        [True, True],
    ),
    "invert": (lambda: ~(tf.constant([1, 2]) > 1), [True, False]),
    "xor": (lambda: tf.logical_xor([True, True], [True, False]), [False, True]),
    "neg": (lambda: -tf.constant(M), -M),
    "abs": (lambda: abs(tf.constant(M)), np.abs(M)),
    "abs_complex": (lambda: tf.abs(tf.constant([3 + 4j])), [5]),
    "conj": (lambda: tf.conj(tf.constant([1 + 2j])), [1 - 2j]),
    "conj_real": (lambda: tf.conj(tf.constant([1.5])), [1.5]),
    "clip_by_value": (lambda: tf.clip_by_value(M, -1.0, 2.0), M.clip(-1, 2)),
    "clip_by_norm": (lambda: tf.clip_by_norm([3.0, 4.0], 1.0), [0.6, 0.8]),
    "tensordot": (
        lambda: tf.tensordot(X, X, [[0, 1], [0, 1]]),
        np.tensordot(X, X, [[0, 1], [0, 1]]),
    ),
    "batch_matmul": (lambda: tf.matmul(X, X, transpose_b=True), X @ X.transpose(0, 2, 1)),
    "cumsum": (lambda: tf.cumsum([1.0, 2, 3], reverse=True), [6, 5, 3]),
    "softmax": (
        lambda: tf.nn.softmax([[1.0, 2, 3]]),
        [[0.09003057, 0.24472847, 0.66524096]],
    ),
    "softmax_axis": (
        lambda: tf.nn.softmax(M, axis=0),
        np.exp(M) / np.exp(M).sum(0, keepdims=True),
    ),
    "log_softmax": (
        lambda: tf.nn.log_softmax([[1.0, 2, 3]]),
        np.log([[0.09003057, 0.24472847, 0.66524096]]),
    ),
    "relu": (lambda: tf.nn.relu(M), M.clip(0)),
    "leaky_relu": (lambda: tf.nn.leaky_relu(M), np.where(M > 0, M, 0.2 * M)),
    "sigmoid": (lambda: tf.sigmoid([0.0]), [0.5]),
    "l2_normalize": (lambda: tf.nn.l2_normalize([3.0, 4.0]), [0.6, 0.8]),
    "moments": (
        lambda: tf.stack(tf.nn.moments(tf.constant(M), [0])),
        [M.mean(0), M.var(0)],
    ),
    "embedding": (lambda: tf.nn.embedding_lookup(M, [1, 0]), M[[1, 0]]),
    "sequence_mask": (
        lambda: tf.sequence_mask([1, 3], 3),
        [[True, False, False], [True, True, True]],
    ),
    "repeat": (lambda: tf.repeat([1, 2], 2), [1, 1, 2, 2]),
    "polyval": (lambda: tf.math.polyval([1.0, 2.0, 3.0], 2.0), 11),
    "invert_permutation": (lambda: tf.invert_permutation([2, 0, 1]), [1, 2, 0]),
    "reverse": (lambda: tf.reverse(M, [1]), M[:, ::-1]),
}


@pytest.mark.parametrize("name", CASES)
def test_values(evaluate, name):
    make, expected = CASES[name]
    value = evaluate(make())
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    assert np.shape(value) == np.shape(expected)


def test_functions_with_several_results(evaluate):
    parts = tf.split(X, 3, axis=1)
    np.testing.assert_array_equal(evaluate(parts[2]), X[:, 2:])
    parts = tf.split(X, [1, 3], axis=2)
    assert [p.shape.as_list() for p in parts] == [[2, 3, 1], [2, 3, 3]]
    assert len(tf.unstack(X, axis=1)) == 3
    unique = tf.unique([1, 3, 1])
    assert evaluate(unique.y).tolist() == [1, 3] and evaluate(unique.idx).tolist() == [
        0,
        1,
        0,
    ]
    grid = tf.meshgrid([1, 2], [3, 4, 5])
    expected = np.meshgrid([1, 2], [3, 4, 5])
    for part, want in zip(grid, expected, strict=True):
        np.testing.assert_array_equal(evaluate(part), want)


@pytest.mark.parametrize(
    ("a", "b"), [(False, False), (False, True), (True, False), (True, True)]
)
def test_the_four_cases_of_transposes(evaluate, a, b):
    rng = np.random.default_rng(1)
    left, right = rng.normal(size=(2, 3)), rng.normal(size=(3, 4))
    product = tf.matmul(left.T if a else left, right.T if b else right, a, b)
    np.testing.assert_allclose(evaluate(product), left @ right)


def test_types_of_python_values():
    assert tf.constant(1).dtype is tf.int32
    assert tf.constant(2**40).dtype is tf.int64
    assert tf.constant(1.5).dtype is tf.float32
    assert tf.constant([True]).dtype is tf.bool
    assert tf.constant("a").dtype is tf.string
    assert tf.constant(1j).dtype is tf.complex128
    assert tf.constant(np.float64(1)).dtype is tf.float64
    assert (tf.constant([1.0], tf.float64) + 1).dtype is tf.float64
    assert tf.constant([1, 2], shape=[2, 2]).shape == [2, 2]


def test_known_values_and_shapes():
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(tf.placeholder(tf.int32)) is None
    x = tf.placeholder(tf.float32, [None, 4])
    assert tf.reshape(x, [-1, 2, 2]).shape.as_list() == [None, 2, 2]
    assert tf.reshape(x, [tf.shape(x)[0], 4]).shape.as_list() == [None, 4]
    x.set_shape([7, None])
    assert x.shape.as_list() == [7, 4]
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([8, 4])


def test_mistakes_are_refused_when_the_node_is_made():
    f, i = tf.constant([1.0]), tf.constant([1])
    with pytest.raises(
        TypeError,
        match="Input 'y' of 'AddV2' Op has type int32 that does not "
        "match type float32 of argument 'x'",
    ):
        f + i
    with pytest.raises(
        TypeError, match="Expected int32, got 1.5 of type 'float' instead"
    ):
        i + 1.5
    with pytest.raises(TypeError, match="not in list of allowed values"):
        tf.sin(i)
    with pytest.raises(ValueError, match=r"\[2,3\].*\[4,5\]"):
        tf.matmul(tf.ones([2, 3]), tf.ones([4, 5]))
    with pytest.raises(ValueError, match="None values not supported"):
        tf.constant(None)
    with pytest.raises(ValueError, match="different lengths"):
        tf.constant([[1], [2, 3]])
    with pytest.raises(
        ValueError, match="requested dtype int32 for Tensor with dtype float32"
    ):
        tf.convert_to_tensor(f, tf.int32)
    with pytest.raises(
        TypeError, match="Cannot convert value 'number' to a TensorFlow DType"
    ):
        tf.cast(f, "number")


# ---- dtypes and shapes -----------------------------------------------------------------


def test_dtypes():
    assert tf.as_dtype("float") is tf.float32 and tf.as_dtype(np.int8) is tf.int8
    assert tf.float32.name == "float32" and tf.float32.as_numpy_dtype is np.float32
    assert tf.float32.is_floating and not tf.int32.is_floating and tf.uint8.is_unsigned
    assert tf.half is tf.float16 and tf.double is tf.float64
    assert repr(tf.int64) == "tf.int64" and str(tf.int64) == "<dtype: 'int64'>"
    assert (
        tf.float32 == "float32" and tf.float32 == np.float32 and tf.float32 != tf.float64
    )
    assert (tf.int8.min, tf.int8.max) == (-128, 127)
    assert tf.float32.base_dtype is tf.float32


def test_shapes():
    shape = tf.TensorShape([None, 3])
    assert str(shape) == "(?, 3)" and str(tf.TensorShape(None)) == "<unknown>"
    assert str(tf.TensorShape([5])) == "(5,)" and str(tf.TensorShape([])) == "()"
    assert (
        shape.as_list() == [None, 3] and shape.ndims == 2 and not shape.is_fully_defined()
    )
    assert shape.merge_with([2, None]).as_list() == [2, 3]
    assert shape.concatenate([4]).as_list() == [None, 3, 4]
    assert shape[1:] == [3] and shape[0].value is None and int(shape[1]) == 3
    assert tf.TensorShape([2, 3]).num_elements() == 6
    with pytest.raises(ValueError, match="not compatible"):
        shape.merge_with([2, 4])
    assert tf.Dimension(3) + 1 == 4 and (tf.Dimension(None) * 2).value is None
    assert (tf.Dimension(None) == 3) is None
