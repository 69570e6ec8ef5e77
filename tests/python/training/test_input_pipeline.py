"""tf.train.string_input_producer to tf.train.shuffle_batch: order, epochs, whole batches.

All three producers shuffle unless told otherwise, as in TensorFlow.
"""

import itertools
from pathlib import Path

import numpy as np
import pytest
from runners import running

import minitf as tf
from minitf.data import MNIST_5K, mnist_5k
from minitf.framework import errors


def all_of(session, fetches):
    """The values of ``fetches``, step by step, until the data ends."""
    values = []
    while True:
        try:
            value = session.run(fetches)
        except errors.OutOfRangeError:
            return values
        values.append(value.tolist() if hasattr(value, "tolist") else value)


def joined(batches):
    return list(itertools.chain(*batches))


# ---- Producers -------------------------------------------------------------------------


def test_a_range_comes_so_many_times():
    number = tf.train.range_input_producer(5, num_epochs=3, shuffle=False).dequeue()
    with running() as session:
        assert all_of(session, number) == [0, 1, 2, 3, 4] * 3


def test_strings_come_for_ever_unless_told_otherwise():
    name = tf.train.string_input_producer(["a", "b"], shuffle=False).dequeue()
    with running() as session:
        assert [session.run(name) for _ in range(50)] == [b"a", b"b"] * 25


def test_slices_keep_pairs():
    words, numbers = ["Alpha", "Beta", "Delta", "Gamma"], [2, 3, 5, 7]
    pair = tf.train.slice_input_producer([words, numbers], num_epochs=1, shuffle=False)
    with running() as session:
        found = all_of(session, pair)
    assert found == [[b"Alpha", 2], [b"Beta", 3], [b"Delta", 5], [b"Gamma", 7]]


def test_each_epoch_is_a_permutation_that_the_seed_repeats():
    def order(seed):
        with tf.Graph().as_default():
            words, numbers = [f"w{i}" for i in range(10)], list(range(10))
            pair = tf.train.slice_input_producer([words, numbers], 2, seed=seed)
            with running() as session:
                pairs = all_of(session, pair)
        assert all(word == b"w%d" % number for word, number in pairs)
        return [int(number) for _, number in pairs]

    found = order(1)
    assert sorted(found[:10]) == sorted(found[10:]) == list(range(10))
    assert found[:10] != list(range(10)) and found[:10] != found[10:]
    assert order(1) == found != order(2)


def test_rows_of_a_matrix():
    row = tf.train.input_producer([[1, 2], [3, 4]], num_epochs=1, shuffle=False).dequeue()
    assert row.shape.as_list() == [2]
    with running() as session:
        assert all_of(session, row) == [[1, 2], [3, 4]]


def test_epochs_are_counted_in_a_local_variable():
    queue = tf.train.range_input_producer(5, num_epochs=3)
    (epochs,) = tf.local_variables()
    assert epochs.name == "input_producer/limit_epochs/epochs:0"
    assert tf.global_variables() == [] and queue.name == "input_producer"
    once = tf.train.limit_epochs(tf.constant(7), 1)
    with tf.Session() as session:
        with pytest.raises(errors.FailedPreconditionError):
            session.run(once)
        session.run(tf.local_variables_initializer())
        assert session.run(once) == 7
        with pytest.raises(errors.OutOfRangeError, match="Reached limit of 1"):
            session.run(once)


def test_count_up_to_counts():
    counter = tf.Variable(2)
    step = tf.count_up_to(counter, 4)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(step), session.run(step)] == [2, 3]
        with pytest.raises(errors.OutOfRangeError, match="Reached limit of 4"):
            session.run(step)
        assert session.run(counter) == 4


def test_files_that_match_are_looked_up_once(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
    assert files.name == "matching_filenames:0"
    assert tf.train.match_filenames_once("*", name="foo").name == "foo:0"
    name = tf.train.string_input_producer(files, num_epochs=1, shuffle=False).dequeue()
    with running() as session:
        found = all_of(session, name)
    assert [Path(path.decode()).name for path in found] == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.train.string_input_producer([]), "requires a non-null input tensor"),
        (lambda: tf.train.slice_input_producer([]), "Expected at least one tensor"),
        (lambda: tf.train.limit_epochs(1, 0), "num_epochs must be > 0 not 0."),
        (
            lambda: tf.train.input_producer(tf.placeholder(tf.int32)),
            "must have a fully defined shape or `element_shape`",
        ),
        (lambda: tf.train.input_producer(np.zeros([0, 2])), "at least one row"),
        (lambda: tf.train.batch([], 4), "Expected at least one tensor in batch()."),
        (lambda: tf.train.batch_join([], 4), "Expected at least one input"),
        (lambda: tf.train.batch([tf.placeholder(tf.int32)], 4), "Cannot infer Tensor's"),
        (
            lambda: tf.train.batch([tf.placeholder(tf.int32, [None])], 4),
            "All shapes must be fully defined",
        ),
        (
            lambda: tf.train.maybe_batch([1], [True, False], 4),
            "`keep_input` cannot be a vector when `enqueue_many=False`.",
        ),
        (
            lambda: tf.train.batch_join([{"a": 1}, {"b": 2}], 4),
            "All dictionaries in tensors_list must have the same keys",
        ),
        (lambda: tf.train.batch_join([{"a": 1}, [2]], 4), "dictionaries or lists"),
        (lambda: tf.train.batch_join([[1], {"a": 2}], 4), "dictionaries or lists"),
    ],
)
def test_what_makes_no_sense(make, message):
    with pytest.raises(ValueError, match=message.replace("()", r"\(\)")):
        make()


def test_a_list_that_turns_out_empty_is_an_error():
    names = tf.placeholder_with_default(tf.constant([], tf.string), [None])
    name = tf.train.string_input_producer(names).dequeue()
    with (
        pytest.raises(errors.InvalidArgumentError, match="non-null"),
        running() as session,
    ):
        all_of(session, name)


def test_eager_mode_has_no_pipelines(eager):
    for make in (
        lambda: tf.train.range_input_producer(3),
        lambda: tf.train.string_input_producer(["a"]),
        lambda: tf.train.batch([1], 2),
    ):
        with pytest.raises(RuntimeError, match="not supported when eager execution"):
            make()


# ---- Batches ---------------------------------------------------------------------------


def numbers(limit, epochs=1):
    return tf.train.range_input_producer(limit, epochs, shuffle=False).dequeue()


def test_batches_leave_out_what_does_not_fill_one():
    batch = tf.train.batch([numbers(10)], 4)
    assert batch.shape.as_list() == [4]
    with running() as session:
        assert all_of(session, batch) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_the_last_batch_may_be_smaller_if_allowed():
    batch = tf.train.batch([numbers(10)], 4, allow_smaller_final_batch=True)
    assert batch.shape.as_list() == [None]
    with running() as session:
        assert all_of(session, batch) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_a_dict_of_examples_gives_a_dict_of_batches():
    number = numbers(4)
    batch = tf.train.batch({"n": number, "square": number * number}, 2)
    with running() as session:
        session.run(batch)
        second = session.run(batch)
    assert {key: value.tolist() for key, value in second.items()} == {
        "n": [2, 3],
        "square": [4, 9],
    }


def test_enqueue_many_takes_examples_apart():
    number = numbers(3)
    batch = tf.train.batch([tf.stack([number, number])], 3, enqueue_many=True)
    with running() as session:
        assert all_of(session, batch) == [[0, 0, 1], [1, 2, 2]]


def test_dynamic_pad_fills_up_with_zeros():
    number = numbers(4)
    batch = tf.train.batch([tf.range(number)], 4, dynamic_pad=True)
    with running() as session:
        assert all_of(session, batch) == [[[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 2]]]


def test_many_threads_lose_and_repeat_nothing():
    batch = tf.train.batch([numbers(203)], 7, num_threads=4, capacity=20)
    with running() as session:
        assert sorted(joined(all_of(session, batch))) == list(range(203))


def test_join_takes_from_several_sources():
    examples = [[numbers(6)], [numbers(6) + 100]]
    batch = tf.train.batch_join(examples, 4)
    with running() as session:
        found = sorted(joined(all_of(session, batch)))
    assert found == [*range(6), *range(100, 106)]
    with pytest.raises(TypeError, match="types to be consistent: int32 vs. float32"):
        tf.train.batch_join([[1], [2.0]], 4)


def test_maybe_leaves_examples_out():
    number = numbers(10)
    even = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 5)
    with running() as session:
        assert all_of(session, even) == [[0, 2, 4, 6, 8]]


def test_maybe_with_a_vector_leaves_rows_out():
    number = numbers(3)
    rows = tf.stack([number, number + 10])
    large = tf.train.maybe_batch([rows], rows > 1, 4, enqueue_many=True)
    with running() as session:
        assert all_of(session, large) == [[10, 11, 2, 12]]
    nothing = tf.train.maybe_batch([number], False, 1)
    assert not [
        op
        for op in nothing.op.inputs[0].op.outputs[0].consumers()
        if "Enqueue" in op.type
    ]


def test_shuffle_batch_gives_all_in_another_order():
    def order(seed):
        with tf.Graph().as_default():
            batch = tf.train.shuffle_batch([numbers(40)], 5, 30, 20, seed=seed)
            with running() as session:
                return joined(all_of(session, batch))

    found = order(3)
    assert sorted(found) == list(range(40)) != found
    early = found[:5]
    assert max(early) < 30, "the first ones are drawn from those that fit"


def test_shuffle_batch_of_what_lies_ready_is_repeatable():
    def order(seed):
        with tf.Graph().as_default():
            queue = tf.RandomShuffleQueue(40, 0, tf.int32, shapes=[[]], seed=seed)
            with tf.Session() as session:
                session.run(queue.enqueue_many([list(range(40))]))
                return session.run(queue.dequeue_many(40)).tolist()

    assert order(3) == order(3) != order(4)


def test_shuffle_batch_join_and_maybe():
    examples = [[numbers(6)], [numbers(6) + 100]]
    batch = tf.train.shuffle_batch_join(examples, 4, 10, 2)
    number = numbers(10)
    odd = tf.train.maybe_shuffle_batch([number], 5, 10, 2, tf.equal(number % 2, 1))
    with running() as session:
        found = sorted(joined(all_of(session, batch)))
        assert found == [*range(6), *range(100, 106)]
        assert [sorted(found) for found in all_of(session, odd)] == [[1, 3, 5, 7, 9]]


# ---- The whole of it -------------------------------------------------------------------


def test_a_pipeline_runs_ahead_of_training():
    number = numbers(100)
    batch = tf.train.batch([number], 2, capacity=10)
    waiting = batch.op.inputs[0].op
    size = tf.raw_ops.QueueSizeV2(handle=waiting.outputs[0])
    with running() as session:
        while session.run(size) < 10:
            pass
        assert session.run(batch).tolist() == [0, 1]


def test_a_thousand_records_come_in_order(tmp_path):
    path = str(tmp_path / "records")
    records = [b"text %d" % i if i % 2 else bytes(range(i % 256)) for i in range(1000)]
    with tf.python_io.TFRecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    files = tf.train.string_input_producer([path], num_epochs=1)
    value = tf.TFRecordReader().read(files).value
    batch = tf.train.batch([value], 100, capacity=50)
    with running() as session:
        assert joined(all_of(session, batch)) == records


def test_three_ways_of_reading_give_the_same_batches():
    images, labels, _, _ = mnist_5k()
    size, steps = 50, 3

    # Feeding.
    x = tf.placeholder(tf.float32, [size, 28, 28])
    y = tf.placeholder(tf.int32, [size])
    fed = [x * 1, y * 1]

    # A pipeline from files: pixels and labels are records of fixed length.
    def raw(name, record_bytes, header_bytes):
        path = str(MNIST_5K / f"train-{name}-ubyte.gz")
        files = tf.train.string_input_producer([path], shuffle=False)
        reader = tf.FixedLengthRecordReader(record_bytes, header_bytes, encoding="GZIP")
        return tf.decode_raw(reader.read(files).value, tf.uint8)

    image = tf.cast(tf.reshape(raw("images-idx3", 784, 16), [28, 28]), tf.float32) / 255
    label = tf.cast(tf.reshape(raw("labels-idx1", 1, 8), []), tf.int32)
    piped = tf.train.batch([image, label], size)

    # Data in the graph.
    example = tf.train.slice_input_producer([images, labels], shuffle=False)
    preloaded = tf.train.batch(example, size)

    with running() as session:
        for step in range(steps):
            rows = slice(step * size, (step + 1) * size)
            expected = session.run(fed, {x: images[rows], y: labels[rows]})
            for way in (piped, preloaded):
                found = session.run(way)
                np.testing.assert_allclose(found[0], expected[0], atol=1e-7)
                assert found[1].tolist() == expected[1].tolist()


def test_a_model_trains_without_feeding():
    number = tf.cast(tf.train.range_input_producer(8, seed=1).dequeue(), tf.float32)
    x, y = tf.train.shuffle_batch([number / 8, number / 4 + 1], 4, 20, 8, seed=1)
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    with running() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(300):
            session.run(step)
        np.testing.assert_allclose(session.run([w, b]), [2, 1], atol=0.05)


def test_a_hundred_pipelines_end_without_a_hang():
    for i in range(100):
        with tf.Graph().as_default():
            batch = tf.train.batch([numbers(6)], 2, num_threads=1 + i % 3, capacity=3)
            with running(seconds=10) as session:
                if i % 2:
                    assert len(all_of(session, batch)) == 3
                else:
                    session.run(batch)  # and stop in the middle
