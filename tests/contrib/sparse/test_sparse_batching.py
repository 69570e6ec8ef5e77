"""SparseTensors in tf.train.batch and its kin; the values are TensorFlow 2.21's."""

import numpy as np
import pytest
from runners import running

import minitf as tf
from minitf.contrib.sparse import sparse_batching
from minitf.framework import errors


def plain(value):
    """Lists of ``value``; of a SparseTensorValue, its places, values and sizes."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tf.SparseTensorValue):
        return tuple(part.tolist() for part in value)
    return [plain(v) for v in value] if isinstance(value, list) else value.tolist()


def all_of(fetches):
    """The values of ``fetches``, step by step, until the data ends."""
    values = []
    with running() as session, pytest.raises(errors.OutOfRangeError):
        while True:
            values.append(plain(session.run(fetches)))
    return values


def numbers(limit):
    return tf.train.range_input_producer(limit, 1, shuffle=False).dequeue()


def sparse_of(n):
    """A SparseTensor ``[n + 1, 3]`` of n values: n, n + 10 and so on."""
    place = tf.cast(tf.range(n), tf.int64)
    return tf.SparseTensor(
        tf.stack([place, place % 3], 1),
        tf.cast(tf.range(n) * 10 + n, tf.float32),
        tf.stack([tf.cast(n, tf.int64) + 1, 3]),
    )


def rows_of(n):
    """A SparseTensor ``[3, 4]`` with values in rows 0 and 2."""
    places = [[0, 1], [2, 0], [2, 3]]
    return tf.SparseTensor(places, tf.stack([n, n + 10, n + 20]), [3, 4])


# What sparse_of gives for 0 and 1, for 2 and 3, and for 4.
FIRST = ([[1, 0, 0]], [1.0], [2, 2, 3])
SECOND = (
    [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [1, 2, 2]],
    [2.0, 12.0, 3.0, 13.0, 23.0],
    [2, 4, 3],
)
LAST = (
    [[0, 0, 0], [0, 1, 1], [0, 2, 2], [0, 3, 0]],
    [4.0, 14.0, 24.0, 34.0],
    [1, 5, 3],
)


def shapes(batch):
    parts = (batch.indices, batch.values, batch.dense_shape)
    return [part.shape.as_list() for part in parts]


def test_examples_are_stacked_and_axes_are_as_long_as_the_longest():
    number = numbers(5)
    batch = tf.train.batch([number, sparse_of(number)], 2)
    assert isinstance(batch[1], tf.SparseTensor)
    assert shapes(batch[1]) == [[None, 3], [None], [3]]
    assert batch[1].dtype == tf.float32
    assert all_of(batch) == [[[0, 1], FIRST], [[2, 3], SECOND]]


def test_the_last_batch_of_a_dict_may_be_smaller():
    number = numbers(5)
    examples = {"n": number, "s": sparse_of(number)}
    batch = tf.train.batch(examples, 2, allow_smaller_final_batch=True)
    assert [value["s"] for value in all_of(batch)] == [FIRST, SECOND, LAST]


@pytest.mark.parametrize("form", [lambda s: s, lambda s: [s], lambda s: {"s": s}])
def test_one_component_in_any_form(form):
    batch = tf.train.batch(form(sparse_of(numbers(2))), 2)
    batch = batch["s"] if isinstance(batch, dict) else batch
    assert all_of(batch) == [FIRST]


def test_values_may_be_strings():
    number = numbers(2)
    sparse = tf.SparseTensor([[1]], tf.gather(["a", "b"], [number]), [3])
    batch = tf.train.batch([sparse], 2)
    assert all_of(batch) == [([[0, 1], [1, 1]], [b"a", b"b"], [2, 3])]


def test_a_sparse_tensor_value_is_a_sparse_tensor():
    value = tf.SparseTensorValue(np.array([[1]]), np.array([5]), np.array([3]))
    batch = tf.train.batch([numbers(2), value], 2)
    assert all_of(batch[1]) == [([[0, 1], [1, 1]], [5, 5], [2, 3])]


def test_dynamic_pad_fills_up_only_dense_components():
    number = numbers(4)
    batch = tf.train.batch([tf.range(number), sparse_of(number)], 2, dynamic_pad=True)
    assert all_of(batch) == [
        [[[0], [0]], FIRST],
        [[[0, 1, 0], [0, 1, 2]], SECOND],
    ]


def test_shapes_are_those_of_dense_components():
    number = numbers(2)
    batch = tf.train.batch([number, sparse_of(number)], 2, shapes=[[], [1]])
    assert all_of(batch) == [[[0, 1], FIRST]]


def test_enqueue_many_takes_rows_apart():
    number = numbers(3)
    examples = [rows_of(number), tf.stack([number, number, number])]
    batch = tf.train.batch(examples, 2, enqueue_many=True)
    assert shapes(batch[0]) == [[None, 2], [None], [2]]
    assert all_of(batch) == [
        [([[0, 1]], [0], [2, 4]), [0, 0]],
        [([[0, 0], [0, 3], [1, 1]], [10, 20, 1], [2, 4]), [0, 1]],
        [([[1, 0], [1, 3]], [11, 21], [2, 4]), [1, 1]],
        [([[0, 1]], [2], [2, 4]), [2, 2]],
    ]


def test_join_shares_one_map():
    number = numbers(4)
    batch = tf.train.batch_join([[sparse_of(number)], [sparse_of(number)]], 4)
    ((_, values, sizes),) = all_of(batch)
    assert sorted(values) == [1.0, 2.0, 3.0, 12.0, 13.0, 23.0]
    assert sizes == [4, 4, 3]


def test_shuffle_keeps_components_together():
    number = numbers(6)
    batch = tf.train.shuffle_batch([number, sparse_of(number)], 6, 20, 3, seed=1)
    ((order, (places, values, sizes)),) = all_of(batch)
    assert sorted(order) == [0, 1, 2, 3, 4, 5] and order != sorted(order)
    assert len(values) == 15 and sizes == [6, 6, 3]
    for (row, place, _), value in zip(places, values, strict=True):
        assert value == 10 * place + order[row]


def test_shuffle_join():
    number = numbers(4)
    examples = [{"s": sparse_of(number)}, {"s": sparse_of(number)}]
    batch = tf.train.shuffle_batch_join(examples, 4, 20, 2)
    ((_, values, _),) = all_of(batch["s"])
    assert sorted(values) == [1.0, 2.0, 3.0, 12.0, 13.0, 23.0]


# ---- keep_input ------------------------------------------------------------------------


def test_maybe_leaves_examples_out():
    number = numbers(6)
    keep = tf.equal(number % 2, 0)
    batch = tf.train.maybe_batch([number, sparse_of(number)], keep, 3)
    assert shapes(batch[1]) == [[None, 3], [None], [3]]
    places = [[1, 0, 0], [1, 1, 1], [2, 0, 0], [2, 1, 1], [2, 2, 2], [2, 3, 0]]
    values = [2.0, 12.0, 4.0, 14.0, 24.0, 34.0]
    assert all_of(batch) == [[[0, 2, 4], (places, values, [3, 5, 3])]]


@pytest.mark.parametrize("is_known", [True, False])
def test_maybe_true_is_batch(is_known):
    number = numbers(4)
    keep = True if is_known else tf.placeholder_with_default(True, [])
    batch = tf.train.maybe_batch([number, sparse_of(number)], keep, 2)
    assert all_of(batch) == [[[0, 1], FIRST], [[2, 3], SECOND]]


def test_maybe_with_many_leaves_all_rows_out():
    number = numbers(4)
    examples = [rows_of(number), tf.stack([number, number + 1, number + 2])]
    even = tf.equal(number % 2, 0)
    batch = tf.train.maybe_batch(examples, even, 3, enqueue_many=True)
    places = [[0, 1], [2, 0], [2, 3]]
    assert all_of(batch) == [
        [(places, [0, 10, 20], [3, 4]), [0, 1, 2]],
        [(places, [2, 12, 22], [3, 4]), [2, 3, 4]],
    ]


def test_maybe_with_many_counts_rows_and_not_values():
    number = numbers(1)
    sparse = tf.SparseTensor([[2, 3]], tf.stack([number + 5]), [3, 4])
    keep = tf.equal(number, 0)
    batch = tf.train.maybe_batch([sparse], keep, 3, enqueue_many=True)
    assert all_of(batch) == [([[2, 3]], [5], [3, 4])]


def test_maybe_with_a_vector_leaves_rows_out():
    number = numbers(4)
    examples = [rows_of(number), tf.stack([number, number + 1, number + 2])]
    keep = tf.stack([number > 1, False, number < 3])
    batch = tf.train.maybe_batch(examples, keep, 2, enqueue_many=True)
    assert all_of(batch) == [
        [([[0, 0], [0, 3], [1, 0], [1, 3]], [10, 20, 11, 21], [2, 4]), [2, 3]],
        [([[0, 1], [1, 0], [1, 3]], [2, 12, 22], [2, 4]), [2, 4]],
    ]


def test_a_vector_must_have_a_value_for_each_row(session):
    text = r"shape = \[3\] does not start with \[2\]"
    with pytest.raises(ValueError, match=text):
        tf.train.maybe_batch([rows_of(1)], [True, False], 2, enqueue_many=True)
    keep = tf.placeholder(tf.int32, [None])
    sparse = sparse_batching.SparseMap("map", tf.int32, 2).kept_rows(rows_of(1), keep)
    with pytest.raises(errors.InvalidArgumentError, match=r"\[3\] does not start with"):
        session.run(sparse, {keep: [1, 0]})


# ---- The map ---------------------------------------------------------------------------


def handles_left(session, name):
    """How many of the first 100 SparseTensors of a map have not been taken out."""
    count = 0
    for handle in range(100):
        take = tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=[handle], dtype=tf.float32, shared_name=name
        )
        try:
            session.run(take)
            count += 1
        except errors.InvalidArgumentError:
            pass
    return count


def enqueue_ops():
    """The op that each runner of the graph runs again and again."""
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    return [runner.enqueue_ops[0] for runner in runners]


@pytest.mark.parametrize("fetched", [0, 1])
def test_nothing_stays_in_the_map(session, fetched):
    keep = tf.placeholder(tf.bool, [])
    examples = [tf.constant(7), sparse_of(tf.constant(2))]
    batch = tf.train.maybe_batch(examples, keep, 3, shared_name="shared")
    (enqueue,) = enqueue_ops()
    for kept in (True, False, True, True):
        session.run(enqueue, {keep: kept})
    session.run(batch[fetched])
    assert handles_left(session, "shared/sparse_1") == 0
    session.run(enqueue, {keep: True})
    assert handles_left(session, "shared/sparse_1") == 1


def test_queues_of_one_name_share_what_is_in_them(session):
    batches = [
        tf.train.batch([sparse_of(tf.constant(n))], 2, shared_name="shared")
        for n in (2, 3)
    ]
    for enqueue in enqueue_ops():
        session.run(enqueue)
    assert plain(session.run(batches[0])) == SECOND


def added(sparse, **attrs):
    return tf.raw_ops.AddSparseToTensorsMap(
        sparse_indices=sparse.indices,
        sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape,
        **attrs,
    )


def taken(handles, dtype=tf.int32, **attrs):
    return tf.raw_ops.TakeManySparseFromTensorsMap(
        sparse_handles=handles, dtype=dtype, **attrs
    )


ONE = tf.SparseTensorValue([[1, 2]], [3], [4, 5])
TWO = tf.SparseTensorValue([[0, 1], [2, 0]], [4, 5], [3, 9])
FLAT = tf.SparseTensorValue([[1]], [3], [4])


def test_a_map_without_a_shared_name_is_called_like_the_node(session):
    handle = added(tf.SparseTensor(*ONE), name="a/node")
    handles = tf.stack(np.array([session.run(handle), session.run(handle)]))
    result = plain(list(session.run(taken(handles, shared_name="a/node"))))
    assert result == [[[0, 1, 2], [1, 1, 2]], [3, 3], [2, 4, 5]]


def refused(session, fetches, text, feeds=None):
    with pytest.raises(errors.InvalidArgumentError, match=text):
        session.run(fetches, feeds)


def test_a_handle_can_be_used_once(session):
    handle = session.run(added(tf.SparseTensor(*ONE), shared_name="m"))
    refused(session, taken([7], shared_name="m"), "find SparseTensor 7 in map 'm'")
    refused(session, taken([handle, handle], shared_name="m"), "find SparseTensor 0")
    assert session.run(taken([handle], shared_name="m"))[1].tolist() == [3]
    refused(session, taken([handle], shared_name="m"), "find SparseTensor 0")
    refused(session, taken([handle], shared_name="other"), "in map 'other'")


def test_what_is_taken_must_fit_together(session):
    def handles(*values):
        return [
            session.run(added(tf.SparseTensor(*value), shared_name="m"))
            for value in values
        ]

    wrong = taken(handles(ONE), tf.float32, shared_name="m")
    refused(session, wrong, r"of float32, but the values of SparseTensor\[0\] are int32")
    wrong = taken(handles(ONE, FLAT), shared_name="m")
    refused(session, wrong, r"the rank prior to SparseTensor\[1\] was 2, .* rank is 1")
    none = tf.constant([], tf.int64)
    refused(session, taken(none, shared_name="m"), "at least 1 SparseTensor, got 0")
    assert plain(list(session.run(taken(handles(ONE, TWO), shared_name="m")))) == [
        [[0, 1, 2], [1, 0, 1], [1, 2, 0]],
        [3, 4, 5],
        [2, 4, 9],
    ]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (([1, 2], [3], [4, 5]), r"indices should be a matrix but received shape \[2\]"),
        (([[1, 2]], [[3]], [4, 5]), r"values should be a vector .* shape \[1,1\]"),
        (([[1, 2]], [3], [[4, 5]]), r"shape should be a vector .* shape \[1,2\]"),
        (([[1, 2]], [3, 4], [4, 5]), "there are 1 places, but 2 values"),
        (([[1, 2]], [3], [4, 5, 6]), "places have 2 numbers, but the shape has 3"),
        (([[1, 2]], [3], [4, -5]), "-5"),
        (([[1, 2]], [3], [2**40, 2**40]), "1099511627776"),
    ],
)
@pytest.mark.parametrize("many", ["", "Many"])
def test_parts_that_do_not_fit(session, parts, text, many):
    fed = [tf.placeholder(dtype) for dtype in (tf.int64, tf.int32, tf.int64)]
    name = f"Add{many}SparseToTensorsMap"
    names = ("sparse_indices", "sparse_values", "sparse_shape")
    op = getattr(tf.raw_ops, name)(**dict(zip(names, fed, strict=True)))
    refused(session, op, f"{name}.*{text}", dict(zip(fed, parts, strict=True)))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (([[1]], [3], [4]), "rank of input SparseTensor should be > 1, but saw rank: 1"),
        (([[-1, 0]], [3], [4, 4]), r"\[0\] = \[-1,0\] is out of bounds: .* < \[4,4\]"),
        (([[4, 0]], [3], [4, 4]), r"indices\[0\] = \[4,0\] is out of bounds"),
        (([[3, 4]], [3], [4, 4]), r"indices\[0\] = \[3,4\] is out of bounds"),
        (([[3, 1], [0, 1]], [3, 4], [4, 4]), r"indices\[1\] = \[0,1\] is out of order"),
    ],
)
def test_rows_that_cannot_be_taken_apart(session, parts, text):
    sparse = tf.SparseTensor(*parts)
    many = tf.raw_ops.AddManySparseToTensorsMap(
        sparse_indices=sparse.indices,
        sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape,
    )
    refused(session, many, text)


def test_a_claim_of_very_many_rows_takes_no_memory(session):
    sparse = tf.SparseTensor([[0, 1]], [3], [2**40, 4])
    many = tf.raw_ops.AddManySparseToTensorsMap(
        sparse_indices=sparse.indices,
        sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape,
    )
    with pytest.raises(
        errors.ResourceExhaustedError, match="1099511627775 hold no value"
    ):
        session.run(many)


def test_outside_of_a_graph_a_map_needs_a_name(eager):
    sparse = tf.SparseTensor(*ONE)
    with pytest.raises(errors.InvalidArgumentError, match="must be a shared_name"):
        added(sparse)
    handle = added(sparse, shared_name="of a test")
    parts = taken(tf.stack([handle]), shared_name="of a test")
    assert parts[1].numpy().tolist() == [3]


# ---- Mistakes --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: tf.train.batch_join([[tf.SparseTensor(*FLAT)], [tf.constant(1)]], 2),
            ValueError,
            "Inconsistent SparseTensors",
        ),
        (
            lambda: tf.train.batch_join(
                [[tf.SparseTensor(*FLAT)], [tf.SparseTensor(*ONE)]], 2
            ),
            ValueError,
            "Inconsistent SparseTensors",
        ),
        (
            lambda: tf.train.batch_join(
                [[tf.SparseTensor(*FLAT)], [tf.SparseTensor([[1]], [1.0], [3])]], 2
            ),
            TypeError,
            "types to be consistent: int32 vs. float32",
        ),
        (
            lambda: tf.train.batch([tf.SparseTensor(*FLAT)], 2, enqueue_many=True),
            ValueError,
            "must have rank 2 or more",
        ),
    ],
)
def test_mistakes(make, error, text):
    with pytest.raises(error, match=text):
        make()
