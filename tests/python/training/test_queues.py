"""Queues in Python: names, elements as dicts, errors, and many threads.

Order, capacity and closing are tested in C++ (tests/minitf/io/queues/queues_test.cc); the
texts and names here are those that TensorFlow 1.15 gives for the same programs.
"""

import threading
import time

import numpy as np
import pytest

import minitf as tf
from minitf.framework import errors


@pytest.fixture
def run(session):
    return session.run


def later(function):
    """Runs ``function`` in a thread; returns a function that waits for its result."""
    result = []

    def target():
        try:
            result.append(function())
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=target, daemon=True)
    thread.start()

    def get():
        thread.join(20)
        assert result, "the call does not end"
        return result[0]

    return get


# ---- Elements --------------------------------------------------------------------------


def test_what_goes_in_comes_out(run):
    queue = tf.FIFOQueue(5, [tf.int32, tf.string], shapes=[[2], []])
    run(queue.enqueue([[1, 2], "a"]))
    run(queue.enqueue_many([[[3, 4], [5, 6]], ["b", "c"]]))
    numbers, text = run(queue.dequeue())
    assert numbers.tolist() == [1, 2] and text == b"a"
    numbers, texts = run(queue.dequeue_many(2))
    assert numbers.tolist() == [[3, 4], [5, 6]] and texts.tolist() == [b"b", b"c"]


def test_elements_with_names_are_dicts(run):
    queue = tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], []], names=["n", "x"])
    run(queue.enqueue({"x": 0.5, "n": 7}))
    assert run(queue.dequeue()) == {"n": 7, "x": 0.5}
    with pytest.raises(ValueError, match="You must enqueue a dictionary in a Queue with"):
        queue.enqueue([1, 2.0])
    with pytest.raises(
        ValueError, match=r"do not match names of Queue.  Dictionary: \['n'"
    ):
        queue.enqueue({"n": 1})
    plain = tf.FIFOQueue(5, tf.int32)
    with pytest.raises(ValueError, match="Queue must have names to enqueue a dictionary"):
        plain.enqueue({"n": 1})


def test_shapes_are_known_of_what_comes_out():
    queue = tf.PaddingFIFOQueue(5, [tf.int32], shapes=[[None, 3]])
    assert queue.dequeue().shape.as_list() == [None, 3]
    assert queue.dequeue_many(4).shape.as_list() == [4, None, 3]
    assert queue.dequeue_up_to(4).shape.as_list() == [None, None, 3]
    unknown = tf.placeholder(tf.int32, [])
    assert queue.dequeue_many(unknown).shape.as_list() == [None, None, 3]


def test_nodes_have_the_names_of_tensorflow():
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], name="q")
    ops = [
        queue.enqueue(1),
        queue.enqueue_many([[1]]),
        queue.dequeue().op,
        queue.dequeue_many(1).op,
        queue.dequeue_up_to(1).op,
        queue.close(),
        queue.size().op,
        queue.is_closed().op,
    ]
    assert [(op.name, op.type) for op in ops] == [
        ("q_enqueue", "QueueEnqueueV2"),
        ("q_EnqueueMany", "QueueEnqueueManyV2"),
        ("q_Dequeue", "QueueDequeueV2"),
        ("q_DequeueMany", "QueueDequeueManyV2"),
        ("q_DequeueUpTo", "QueueDequeueUpToV2"),
        ("q_Close", "QueueCloseV2"),
        ("q_Size", "QueueSizeV2"),
        ("q_Is_Closed", "QueueIsClosedV2"),
    ]
    assert queue.queue_ref.op.type == "FIFOQueueV2" and queue.name == "q"


def test_a_padding_queue_fills_up_with_zeros(run):
    queue = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None], [None]])
    for numbers, texts in [([1], ["a", "b"]), ([2, 3, 4], ["c"])]:
        run(queue.enqueue([numbers, texts]))
    numbers, texts = run(queue.dequeue_many(2))
    assert numbers.tolist() == [[1, 0, 0], [2, 3, 4]]
    assert texts.tolist() == [[b"a", b"b"], [b"c", b""]]


def test_a_priority_queue_gives_the_smallest(run):
    queue = tf.PriorityQueue(5, tf.string, shapes=[[]])
    assert queue.dtypes == [tf.int64, tf.string]
    run(queue.enqueue_many([np.array([3, 1, 2]), ["c", "a", "b"]]))
    priorities, texts = run(queue.dequeue_many(3))
    assert priorities.tolist() == [1, 2, 3] and texts.tolist() == [b"a", b"b", b"c"]


def test_a_random_queue_gives_a_permutation_that_its_seed_repeats():
    def order(seed):
        with tf.Graph().as_default(), tf.Session() as session:
            queue = tf.RandomShuffleQueue(50, 0, tf.int32, shapes=[[]], seed=seed)
            session.run(queue.enqueue_many([list(range(20))]))
            return session.run(queue.dequeue_many(20)).tolist()

    assert order(7)[:5] == [7, 4, 19, 15, 0], "TensorFlow gives these"
    assert sorted(order(8)) == list(range(20)) and order(8) == order(8) != order(7)


def test_queues_with_a_shared_name_are_one(run):
    one = tf.FIFOQueue(3, tf.int32, shared_name="s", name="one")
    two = tf.FIFOQueue(3, tf.int32, shared_name="s", name="two")
    run(one.enqueue(5))
    assert run(two.dequeue()) == 5
    for kwargs, message in [
        ({"capacity": 4}, "Shared queue 's' has capacity 3 but requested capacity was 4"),
        ({"dtypes": tf.float32}, "Shared queue 's' has component types"),
        ({"shapes": [[]]}, "Shared queue 's' has component shapes"),
        ({"shared_name": "_s"}, "shared_name cannot start with '_':_s"),
    ]:
        other = {"capacity": 3, "dtypes": tf.int32, "shared_name": "s", **kwargs}
        with pytest.raises(errors.InvalidArgumentError, match=message):
            run(tf.FIFOQueue(**other).size())
    shuffled = tf.RandomShuffleQueue(3, 1, tf.int32, shared_name="s")
    with pytest.raises(errors.InvalidArgumentError, match="Expected FIFOQueue"):
        run(shuffled.size())


def test_each_session_has_its_own_queue():
    queue = tf.FIFOQueue(3, tf.int32)
    with tf.Session() as one, tf.Session() as two:
        one.run(queue.enqueue(1))
        assert (one.run(queue.size()), two.run(queue.size())) == (1, 0)


def test_from_list_selects_a_queue(run):
    queues = [tf.FIFOQueue(3, tf.int32, shapes=[[]]) for _ in range(2)]
    which = tf.placeholder(tf.int32, [])
    selected = tf.QueueBase.from_list(which, queues)
    run(selected.enqueue(8), {which: 1})
    assert run([queue.size() for queue in queues]) == [0, 1]


def test_eager_mode_has_queues(eager):
    queue = tf.FIFOQueue(3, tf.int32, shapes=[[]])
    queue.enqueue(4)
    queue.enqueue_many([[5, 6]])
    assert queue.dequeue().numpy() == 4
    assert queue.dequeue_many(2).numpy().tolist() == [5, 6]
    assert tf.FIFOQueue(3, tf.int32, shapes=[[]]).size().numpy() == 0, "a new one"


# ---- Waiting and closing ---------------------------------------------------------------


def test_capacity_blocks_a_producer(run):
    queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    enqueue, dequeue, size = (
        queue.enqueue_many([[1, 2, 3]]),
        queue.dequeue(),
        queue.size(),
    )
    waiting = later(lambda: run(enqueue))
    while run(size) < 2:
        pass
    assert run(dequeue) == 1
    assert waiting() is None and run(size) == 2


def test_a_closed_queue_gives_what_it_has(run):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], name="q")
    run(queue.enqueue_many([[1, 2]]))
    run(queue.close())
    assert run(queue.is_closed())
    with pytest.raises(errors.OutOfRangeError) as caught:
        run(queue.dequeue_many(3))
    assert run(queue.dequeue_up_to(3)).tolist() == [1, 2]
    assert "is closed and has insufficient elements (requested 3, current size 2)" in str(
        caught.value
    )
    with pytest.raises(errors.OutOfRangeError) as caught:
        run(queue.dequeue())
    assert (
        "_q' is closed and has insufficient elements (requested 1, current size 0)"
        in (str(caught.value))
    )
    assert caught.value.op.name == "q_Dequeue"
    with pytest.raises(errors.CancelledError, match="_q' is closed."):
        run(queue.enqueue(3))


def test_closing_may_cancel_who_waits(run):
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    run(queue.enqueue(1))
    enqueue, close = queue.enqueue(2), queue.close(cancel_pending_enqueues=True)
    waiting = later(lambda: run(enqueue))
    time.sleep(0.05)  # whether it is in line already or not, it is cancelled
    run(close)
    assert isinstance(waiting(), errors.CancelledError)
    assert run(queue.dequeue()) == 1


def test_four_producers_and_three_consumers_lose_and_repeat_nothing(run):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    value = tf.placeholder(tf.int32, [])
    values = tf.placeholder(tf.int32, [None])
    enqueue, enqueue_many = queue.enqueue(value), queue.enqueue_many([values])
    take, take_up_to, close = queue.dequeue(), queue.dequeue_up_to(3), queue.close()

    def produce(first):
        for n in range(first, first + 100, 5):
            run(enqueue, {value: n})
            run(enqueue_many, {values: [n + 1, n + 2, n + 3, n + 4]})

    def consume(op):
        taken = []
        while True:
            try:
                taken += np.atleast_1d(run(op)).tolist()
            except errors.OutOfRangeError:
                return taken

    consumers = [
        later(lambda op=op: consume(op)) for op in (take, take_up_to, take_up_to)
    ]
    for producer in [later(lambda p=p: produce(100 * p)) for p in range(4)]:
        assert producer() is None
    run(close)
    taken = [number for consumer in consumers for number in consumer()]
    assert sorted(taken) == list(range(400))


# ---- What makes no sense ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.FIFOQueue(3, tf.int32, shapes=[[None]]), "All shapes must be fully"),
        (
            lambda: tf.FIFOQueue(3, tf.int32, shapes=[[1], [2]]),
            "the same length as dtypes",
        ),
        (
            lambda: tf.FIFOQueue(3, tf.int32, names=["a", "b"]),
            "List of names must have the",
        ),
        (
            lambda: tf.PaddingFIFOQueue(3, tf.int32, shapes=None),
            "a list of shapes must be",
        ),
        (
            lambda: tf.PaddingFIFOQueue(3, tf.int32, shapes=[tf.TensorShape(None)]),
            "All shapes must have a defined rank",
        ),
        (
            lambda: tf.FIFOQueue(3, tf.int32, shapes=[[]]).enqueue([1, 2]),
            "has 1 components",
        ),
        (
            lambda: tf.FIFOQueue(3, tf.int32, shapes=[[2]]).enqueue([[1, 2, 3]]),
            "are incompatible",
        ),
        (
            lambda: tf.FIFOQueue(3, tf.int32).enqueue_many([1]),
            "must have rank at least 1",
        ),
    ],
)
def test_a_mistake_is_found_when_the_node_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.FIFOQueue(0, tf.int32), "capacity must be positive"),
        (lambda: tf.RandomShuffleQueue(3, 3, tf.int32), "3 must be < capacity 3"),
        (lambda: tf.RandomShuffleQueue(3, -1, tf.int32), "-1 must be >= 0"),
    ],
)
def test_a_mistake_is_found_when_the_queue_is_made(run, make, message):
    with pytest.raises(errors.InvalidArgumentError, match=message):
        run(make().size())


def test_a_mistake_is_found_when_the_node_runs(run):
    queue = tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[2], []])
    a, b = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    n = tf.placeholder(tf.int32)
    one, many = queue.enqueue([a, b]), queue.enqueue_many([a, b])
    for op, feed, message in [
        (one, {a: [1, 2, 3], b: 1}, r"tuple component 0. Expected \[2\], got \[3\]"),
        (many, {a: [[1, 2]], b: [1, 2]}, r"tuple component 1. Expected \[1\], got \[2\]"),
        (many, {a: [[1, 2]], b: 1}, r"tuple component 1. Expected \[1\], got \[\]"),
        (queue.dequeue_many(n), {n: -1}, "DequeueManyOp requested -1 < 0 elements"),
        (queue.dequeue_up_to(n), {n: -3}, "DequeueUpToOp requested -3 < 0 elements"),
        (queue.dequeue_many(n), {n: [1, 2]}, "n must be a scalar"),
    ]:
        with pytest.raises(errors.InvalidArgumentError, match=message):
            run(op, feed)
    with pytest.raises(errors.InvalidArgumentError, match="to have specified shapes"):
        run(tf.FIFOQueue(3, tf.int32).dequeue_many(1))
    variable = tf.Variable(1)
    with pytest.raises(errors.InvalidArgumentError, match="not a queue"):
        run(tf.raw_ops.QueueSizeV2(handle=variable.handle))
    with pytest.raises(errors.InvalidArgumentError, match="asked for as float32"):
        handle = tf.FIFOQueue(3, tf.int32).queue_ref
        run(tf.raw_ops.QueueDequeueV2(handle=handle, component_types=[tf.float32]))


# ---- Steps that are given up -----------------------------------------------------------


def test_closing_a_session_ends_all_waits():
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    empty = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    full = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    names = tf.FIFOQueue(1, tf.string, shapes=[[]])
    waits = [
        queue.dequeue_many(2),
        empty.dequeue(),
        full.enqueue_many([[1, 2, 3]]),
        tf.IdentityReader().read(names).value,
    ]
    size, close = full.size(), full.close()
    session = tf.Session()
    session.run(queue.enqueue(1))
    waiting = [later(lambda fetch=fetch: session.run(fetch)) for fetch in waits]
    while session.run(size) == 0:  # a queue that is closed first takes no row
        time.sleep(0.01)
    waiting.append(later(lambda: session.run(close)))
    time.sleep(0.1)
    assert later(session.close)() is None
    for wait in waiting:
        # A step that had not begun finds the session closed.
        assert isinstance(wait(), (errors.CancelledError, RuntimeError))


def test_a_node_that_fails_ends_the_waits_of_its_step(run):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    run(queue.enqueue(1))
    divisor = tf.placeholder(tf.int32, [])
    both = [queue.dequeue_many(2), tf.floordiv(1, divisor)]
    failed = later(lambda: run(both, {divisor: 0}))()
    assert isinstance(failed, errors.InvalidArgumentError), failed
    assert run(queue.size()) == 1, "what the wait had taken is back"


def test_a_wait_may_have_a_limit(run):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    dequeue = queue.dequeue()
    options = tf.RunOptions(timeout_in_ms=50)
    late = later(lambda: run(dequeue, options=options))()
    assert isinstance(late, errors.DeadlineExceededError), late
    run(queue.enqueue(4))
    assert run(dequeue, options=options) == 4, "nobody else has taken it"
