"""Arithmetic of SparseTensors beside that of the dense arrays they stand for."""

import numpy as np
import pytest

import minitf as tf


def random_sparse(pick, shape, dtype="float64"):
    """A SparseTensorValue and the array that it stands for."""
    array = np.where(pick.random(shape) < 0.5, pick.integers(-9, 10, shape), 0)
    array = array.astype(dtype)
    if array.dtype.kind == "c":
        array += (1j * pick.integers(-3, 4, shape) * (array != 0)).astype(dtype)
    places = np.argwhere(array)
    values = array[tuple(places.T)]
    return tf.SparseTensorValue(places, values, np.array(shape, np.int64)), array


def densified(value):
    array = np.zeros(value.dense_shape, value.values.dtype)
    for place, number in zip(value.indices, value.values, strict=True):
        array[tuple(place)] += number
    return array


def hidden(sparse):
    """The SparseTensor with no static shape, and what to feed."""
    parts = [tf.placeholder(part.dtype) for part in map(np.asarray, sparse)]
    return tf.SparseTensor(*parts), dict(zip(parts, sparse, strict=True))


TYPES = ("float32", "float64", "int32", "int64", "complex64", "complex128")

# ---- Matrix multiplication -------------------------------------------------------------


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
def test_products_of_random_matrices(session, adjoint_a, adjoint_b):
    pick = np.random.default_rng(2)
    for dtype in TYPES:
        m, k, n = pick.integers(0, 5, 3)
        sparse, a = random_sparse(pick, (k, m) if adjoint_a else (m, k), dtype)
        _, b = random_sparse(pick, (n, k) if adjoint_b else (k, n), dtype)
        left = a.conj().T if adjoint_a else a
        right = b.conj().T if adjoint_b else b
        product = tf.sparse_tensor_dense_matmul(sparse, b, adjoint_a, adjoint_b)
        assert product.shape.as_list() == [m, n]
        np.testing.assert_allclose(session.run(product), left @ right, rtol=1e-6)
        fed, feed = hidden(sparse)
        product = tf.sparse.matmul(fed, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)
        np.testing.assert_allclose(session.run(product, feed), left @ right, rtol=1e-6)


def test_elements_of_one_place_add_up_in_any_order(session):
    sparse = tf.SparseTensor([[1, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    product = tf.sparse.sparse_dense_matmul(sparse, [[1.0], [10.0]])
    assert session.run(product).tolist() == [[20.0], [4.0]]


def test_half_precision_is_summed_as_float(session):
    sparse = tf.SparseTensor([[0, i] for i in range(3)], np.float16([2048, 1, 1]), [1, 3])
    product = tf.sparse_tensor_dense_matmul(sparse, np.ones([3, 1], np.float16))
    assert session.run(product).tolist() == [[2050.0]]


def test_products_that_do_not_fit():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    with pytest.raises(ValueError, match=r"inner dimensions differ: a has shape \[2,3\]"):
        tf.sparse_tensor_dense_matmul(sparse, [[1.0, 2.0]])
    with pytest.raises(TypeError, match="input must be a SparseTensor, got 3"):
        tf.sparse_tensor_dense_matmul(3, [[1.0, 2.0]])


@pytest.mark.parametrize("place", [[2, 0], [0, 3], [-1, 0], [0, -1], [2**40, 0]])
def test_places_outside_are_refused_in_the_step(session, place):
    sparse = tf.SparseTensor([place], [1.0], [2, 3])
    dense = tf.ones([2, 3])
    message = r"indices\[0\] = .* is out of bounds: need 0 <= index < \[2,3\]"
    for y in (
        tf.sparse_tensor_dense_matmul(sparse, tf.ones([3, 1])),
        tf.sparse_add(sparse, dense),
        tf.sparse_add(sparse, sparse).values,
        (sparse * dense).values,
        tf.sparse_reduce_sum(sparse),
        tf.sparse_softmax(sparse).values,
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(y)


# ---- Sums ------------------------------------------------------------------------------


def test_sums_of_random_tensors(session):
    pick = np.random.default_rng(4)
    for rank in (1, 2, 3, 4, 5):
        for dtype in TYPES:
            shape = tuple(pick.integers(1, 4, rank))
            (first, a), (second, b) = (random_sparse(pick, shape, dtype) for _ in "ab")
            total = session.run(tf.sparse_add(first, second))
            np.testing.assert_array_equal(densified(total), a + b)
            order = [tuple(place) for place in total.indices]
            assert order == sorted(set(order))
            np.testing.assert_array_equal(session.run(tf.sparse.add(first, b)), a + b)
            np.testing.assert_array_equal(session.run(tf.sparse.add(a, second)), a + b)


def test_only_small_sums_of_two_elements_are_left_out(session):
    a = tf.SparseTensor([[0], [1], [2]], [1.0, 0.1, 5.0], [4])
    b = tf.SparseTensor([[0], [2], [3]], [-1.25, -5.0, 0.1], [4])
    kept = session.run(tf.sparse_add(a, b, threshold=0.25))
    assert kept.indices.tolist() == [[0], [1], [3]]
    kept = session.run(tf.sparse_add(a, b, thresh=0.5))
    assert kept.indices.tolist() == [[1], [3]]
    assert len(session.run(tf.sparse_add(a, b)).values) == 4
    least = tf.SparseTensor([[0]], np.int32([-(2**31)]), [4])
    zero = tf.SparseTensor([[0]], np.int32([0]), [4])
    assert len(session.run(tf.sparse_add(least, zero, 2**31 - 1)).values) == 1


def test_terms_out_of_order_are_put_in_order(session):
    a = tf.SparseTensor([[1], [0]], [1.0, 2.0], [2])
    b = tf.SparseTensor([[0]], [4.0], [2])
    total = session.run(tf.sparse_add(a, b))
    assert total.indices.tolist() == [[0], [1]]
    assert total.values.tolist() == [6.0, 1.0]


def test_gradient_of_a_sum_passes_by_what_is_left_out(session):
    x = tf.constant([1.0, 2.0])
    a = tf.SparseTensor([[0], [2]], x, [3])
    b = tf.SparseTensor([[2]], [-2.0], [3])
    total = tf.sparse_add(a, b, 0.5)
    weights = tf.constant([10.0])
    [dx] = session.run(tf.gradients(total.values * weights, x))
    assert dx.tolist() == [10.0, 0.0]


def test_sums_that_do_not_fit(session):
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    with pytest.raises(TypeError, match="at least one input should be a SparseTensor"):
        tf.sparse_add([1.0], [2.0])
    with pytest.raises(ValueError, match=r"2, 3|\[2,3\]"):
        tf.sparse_add(sparse, tf.ones([3, 2]))
    with pytest.raises(ValueError, match="both 'threshold' and 'thresh'"):
        tf.sparse_add(sparse, sparse, 1.0, 1.0)
    fed, feed = hidden(([[0]], np.float32([1]), [2]))
    total = tf.sparse_add(sparse, fed)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="the shapes of a and b differ"
    ):
        session.run(total, feed)


# ---- Operators -------------------------------------------------------------------------


def test_operators_of_random_tensors_broadcast_the_dense_one(session):
    pick = np.random.default_rng(6)
    for rank in (1, 2, 3, 4, 5, 6):
        shape = tuple(pick.integers(1, 4, rank))
        value, a = random_sparse(pick, shape)
        sparse = tf.SparseTensor(*value)
        dense_shape = [1 if pick.random() < 0.4 else size for size in shape]
        dense_shape = dense_shape[pick.integers(0, rank + 1) :]
        dense = pick.integers(1, 9, dense_shape).astype("float64")
        listed = tuple(value.indices.T)
        for y, expected in (
            (sparse * dense, a * dense),
            (tf.constant(dense) * sparse, a * dense),
            (tf.Variable(dense).initialized_value() * sparse, a * dense),
            (sparse / dense, a / dense),
        ):
            found = session.run(y)
            assert found.indices.tolist() == value.indices.tolist()
            np.testing.assert_allclose(found.values, expected[listed], rtol=1e-12)


def test_integers_are_divided_as_floats(session):
    sparse = tf.SparseTensor([[0], [1]], [3, 4], [2])
    quotient = session.run(sparse / 2)
    assert quotient.values.dtype == np.float64 and quotient.values.tolist() == [1.5, 2.0]
    parts = [sparse.indices, sparse.values, sparse.dense_shape]
    divided = tf.raw_ops.SparseDenseCwiseDiv(
        sp_indices=parts[0], sp_values=parts[1], sp_shape=parts[2], dense=0
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        session.run(divided)


def test_other_operators_are_refused():
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    for operation in (
        lambda: tf.constant([1.0, 2.0]) + sparse,
        lambda: 2.0 * sparse,
        lambda: sparse - 1.0,
    ):
        with pytest.raises(TypeError):
            operation()


def test_a_dense_one_that_does_not_broadcast(session):
    sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
    message = r"dense has shape \[2,2,3\], which does not broadcast to the shape \[2,3\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run((sparse * tf.ones([2, 2, 3])).values)


def test_gradients_of_operators(session):
    x, d = tf.constant([2.0, 3.0]), tf.constant([[4.0], [5.0]])
    sparse = tf.SparseTensor([[0, 1], [1, 0]], x, [2, 2])
    dx, dd = session.run(tf.gradients((sparse * d).values, [x, d]))
    assert (dx.tolist(), dd.tolist()) == ([4.0, 5.0], [[2.0], [3.0]])
    dx, dd = session.run(tf.gradients((sparse / d).values, [x, d]))
    np.testing.assert_allclose(dx, [1 / 4, 1 / 5])
    np.testing.assert_allclose(dd, [[-2 / 16], [-3 / 25]])


# ---- Reductions and others -------------------------------------------------------------


def test_reductions_of_random_tensors(session):
    pick = np.random.default_rng(8)
    for rank in (1, 2, 3, 4):
        for _ in range(5):
            shape = tuple(pick.integers(1, 4, rank))
            value, a = random_sparse(pick, shape)
            axes = sorted(set(pick.integers(0, rank, pick.integers(0, rank + 1))))
            keep = bool(pick.integers(2))
            given = [int(axis) - rank * pick.integers(2) for axis in axes]
            expected = a.sum(tuple(axes), keepdims=keep)
            total = tf.sparse_reduce_sum(value, np.array(given, np.int32), keep)
            assert total.shape.as_list() == list(expected.shape)
            np.testing.assert_allclose(session.run(total), expected)
            sparse = tf.sparse_reduce_sum_sparse(value, np.array(given, np.int32), keep)
            found = session.run(sparse)
            assert found.dense_shape.tolist() == list(expected.shape)
            np.testing.assert_allclose(densified(found), expected)
            largest = np.where(a == 0, -np.inf, a).max(tuple(axes), keepdims=keep)
            found = session.run(
                tf.sparse_reduce_max(value, np.array(given, np.int32), keep)
            )
            np.testing.assert_allclose(found, np.where(np.isneginf(largest), 0, largest))


def test_all_axes_are_reduced_by_default(session):
    fed, feed = hidden(([[0, 1], [1, 0]], np.float32([2, -5]), [2, 2]))
    y = [tf.sparse_reduce_sum(fed), tf.sparse_reduce_max(fed, keepdims=True)]
    total, largest = session.run(y, feed)
    assert (total, largest.tolist()) == (-3.0, [[2.0]])
    found = session.run(tf.sparse.reduce_max_sparse(fed), feed)
    assert (found.values.tolist(), found.dense_shape.tolist()) == ([2.0], [])
    with pytest.raises(ValueError, match="both 'axis' and 'reduction_axes'"):
        tf.sparse_reduce_sum(fed, 0, reduction_axes=0)


def test_softmax_is_that_of_the_listed_elements(session):
    sparse = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 3.0, 7.0], [2, 3])
    values = session.run(tf.sparse.softmax(sparse)).values
    np.testing.assert_allclose(values, [1 / (1 + np.e**2), 1 / (1 + np.e**-2), 1])


def test_the_larger_and_the_smaller_of_two(session):
    pick = np.random.default_rng(9)
    (first, a), (second, b) = (random_sparse(pick, (3, 4)) for _ in "ab")
    larger, smaller = session.run(
        [tf.sparse_maximum(first, second), tf.sparse.minimum(first, second)]
    )
    np.testing.assert_array_equal(densified(larger), np.maximum(a, b))
    np.testing.assert_array_equal(densified(smaller), np.minimum(a, b))


def test_reorder_keeps_the_order_of_equal_places_and_has_a_gradient(session):
    x = tf.constant([1.0, 2.0, 3.0])
    sparse = tf.sparse_reorder(tf.SparseTensor([[1], [0], [1]], x, [2]))
    assert sparse.op.type == "SparseReorder"
    assert session.run(sparse.values).tolist() == [2.0, 1.0, 3.0]
    [dx] = session.run(tf.gradients(sparse.values * [1.0, 10.0, 100.0], x))
    assert dx.tolist() == [10.0, 1.0, 100.0]


# ---- Parts -----------------------------------------------------------------------------


def test_dense_tensors_become_sparse_and_transposed(session):
    pick = np.random.default_rng(12)
    for rank in (1, 2, 3, 4):
        value, a = random_sparse(pick, tuple(pick.integers(1, 4, rank)))
        found = session.run(tf.sparse.from_dense(a))
        np.testing.assert_array_equal(densified(found), a)
        assert len(found.values) == np.count_nonzero(a)
        perm = pick.permutation(rank)
        found = session.run(tf.sparse_transpose(value, perm))
        np.testing.assert_array_equal(densified(found), a.transpose(perm))
        fed, feed = hidden(value)
        found = session.run(tf.sparse.transpose(fed), feed)
        np.testing.assert_array_equal(densified(found), a.T)
        assert found.indices.tolist() == sorted(found.indices.tolist())


@pytest.mark.parametrize("perm", [[0], [0, 0], [0, 2], [1, 0, 2], [-1, 0]])
def test_what_is_not_a_permutation(session, perm):
    value = tf.SparseTensorValue([[0, 1]], np.float32([1]), [2, 3])
    with pytest.raises(ValueError, match="perm must be a permutation of 2 axes, got"):
        tf.sparse.transpose(value, perm)
    fed, feed = hidden(value)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tf.sparse.transpose(fed, perm), feed)


def test_static_shapes_are_known_in_part():
    parts = ([[0, 1]], [1.0])
    assert tf.SparseTensor(*parts, tf.placeholder(tf.int64, [2])).shape.as_list() == [
        None,
        None,
    ]
    assert tf.SparseTensor(*parts, tf.placeholder(tf.int64)).shape.ndims is None
    rows = tf.placeholder(tf.int64, [])
    assert tf.SparseTensor(*parts, tf.stack([rows, 3])).shape.as_list() == [None, 3]


def test_retained_elements_and_diagonals(session):
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
    found = session.run(tf.sparse_retain(sparse, [True, False, True]))
    assert (found.indices.tolist(), found.values.tolist()) == ([[0, 1], [1, 2]], [1, 3])
    with pytest.raises(ValueError, match="incompatible|compatible"):
        tf.sparse.retain(sparse, [True])
    with pytest.raises(TypeError, match="tf.sparse.retain: input must be a SparseTensor"):
        tf.sparse.retain([1.0], [True])
    for rows, columns in ((3, None), (2, 4), (4, 2), (0, 3)):
        found = session.run(tf.sparse.eye(rows, columns, tf.int32))
        np.testing.assert_array_equal(densified(found), np.eye(rows, columns, dtype=int))
