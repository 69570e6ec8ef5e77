"""tf.train.Coordinator and tf.train.QueueRunner: stopping, joining, what is raised."""

import threading
import time

import pytest

import minitf as tf
from minitf.framework import errors


def started(target, *args):
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


# ---- Coordinator -----------------------------------------------------------------------


def test_threads_stop_when_asked():
    coord = tf.train.Coordinator()
    assert not coord.should_stop() and not coord.wait_for_stop(0)
    threads = [started(coord.wait_for_stop) for _ in range(3)]
    coord.request_stop()
    assert coord.should_stop() and coord.wait_for_stop()
    coord.join(threads)
    assert coord.joined and not any(thread.is_alive() for thread in threads)


def test_join_raises_the_first_exception():
    coord = tf.train.Coordinator()

    def work(number):
        with coord.stop_on_exception():
            raise ValueError(f"number {number}")

    threads = [started(work, 1)]
    threads[0].join()
    threads.append(started(work, 2))
    with pytest.raises(ValueError, match="number 1") as caught:
        coord.join(threads)
    assert any("work" in str(entry) for entry in caught.traceback), "where it was raised"
    with pytest.raises(ValueError, match="number 1"):
        coord.raise_requested_exception()


def test_a_stop_may_be_requested_after_join():
    coord = tf.train.Coordinator()
    coord.join([])
    assert coord.joined and not coord.should_stop()
    coord.request_stop()
    assert coord.should_stop(), "TensorFlow 2.21 does so, too"
    with pytest.raises(ValueError, match="late"):
        coord.request_stop(ValueError("late"))


def test_the_end_of_the_data_is_no_error():
    coord = tf.train.Coordinator()
    with coord.stop_on_exception():
        raise errors.OutOfRangeError(None, None, "end")
    assert coord.should_stop()
    coord.join([])

    strict = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    strict.request_stop(KeyError("fine"))
    strict.join([])
    strict.clear_stop()
    strict.request_stop(errors.OutOfRangeError(None, None, "end"))
    with pytest.raises(errors.OutOfRangeError):
        strict.join([])


def test_clear_stop_forgets():
    coord = tf.train.Coordinator()
    coord.request_stop(ValueError("x"))
    with pytest.raises(ValueError, match="x"):
        coord.join([])
    coord.clear_stop()
    assert not coord.should_stop() and not coord.joined
    coord.raise_requested_exception()
    coord.request_stop()
    coord.join([])


def test_after_join_an_exception_is_raised_at_once():
    coord = tf.train.Coordinator()
    coord.request_stop()
    coord.join([])
    coord.request_stop()
    with pytest.raises(ValueError, match="late"):
        coord.request_stop(ValueError("late"))


def test_threads_that_do_not_stop_are_named():
    gate = threading.Event()
    stubborn = threading.Thread(target=gate.wait, name="stubborn", daemon=True)
    stubborn.start()
    coord = tf.train.Coordinator()
    coord.register_thread(stubborn)
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: stubborn"):
        coord.join(stop_grace_period_secs=0.05)
    coord.clear_stop()
    coord.request_stop()
    coord.join([stubborn], stop_grace_period_secs=0.05, ignore_live_threads=True)
    gate.set()
    stubborn.join()


def test_a_thread_that_joins_does_not_wait_for_itself():
    coord = tf.train.Coordinator()
    coord.register_thread(threading.current_thread())
    coord.request_stop(ValueError("why"))
    with pytest.raises(ValueError, match="why"):
        coord.join(stop_grace_period_secs=0.05)
    assert coord.joined


def test_the_time_of_grace_may_have_no_end():
    coord = tf.train.Coordinator()
    coord.request_stop()
    coord.join([started(time.sleep, 0.02)], stop_grace_period_secs=float("inf"))


def test_join_ends_when_all_threads_have_ended_by_themselves():
    coord = tf.train.Coordinator()
    coord.join([started(lambda: None)])
    assert not coord.should_stop()


def test_what_is_no_exception_is_an_error():
    coord = tf.train.Coordinator()
    coord.request_stop("why")
    with pytest.raises(ValueError, match="ex must be a tuple or"):
        coord.join([])


def test_a_looper_thread_repeats_until_the_stop():
    coord = tf.train.Coordinator()
    turns = []

    def turn(by):
        turns.append(by)
        if len(turns) == 3:
            coord.request_stop()

    thread = tf.train.LooperThread.loop(coord, None, turn, args=(7,))
    coord.join()
    assert turns == [7, 7, 7] and not thread.is_alive()

    coord = tf.train.Coordinator()
    tf.train.LooperThread.loop(coord, 0.001, turn, kwargs={"by": "x"}.copy())
    turns.clear()
    coord.join()
    assert turns == ["x"] * 3

    coord = tf.train.Coordinator()
    tf.train.LooperThread.loop(coord, None, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        coord.join()
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator"):
        tf.train.LooperThread("coord", None)


# ---- QueueRunner -----------------------------------------------------------------------


@pytest.fixture
def counting(session):
    """A queue for 5, and an op that enqueues 0, 1, ... up to 7, then OutOfRangeError."""
    count = tf.Variable(0, name="count")
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    enqueue = queue.enqueue(count.count_up_to(8))
    session.run(tf.global_variables_initializer())
    return queue, enqueue


def test_a_runner_fills_its_queue_and_closes_it(session, counting):
    queue, enqueue = counting
    runner = tf.train.QueueRunner(queue, [enqueue] * 3)
    threads = runner.create_threads(session, start=True)
    assert len(threads) == 3
    everything = queue.dequeue_many(8)
    assert sorted(session.run(everything).tolist()) == list(range(8))
    for thread in threads:
        thread.join(20)
    with pytest.raises(errors.OutOfRangeError, match="is closed and has insufficient"):
        session.run(queue.dequeue())
    assert runner.exceptions_raised == []


def test_threads_that_run_are_not_made_twice(session, counting):
    queue, enqueue = counting
    runner = tf.train.QueueRunner(queue, [enqueue])
    coord = tf.train.Coordinator()
    threads = runner.create_threads(session, coord, daemon=True, start=True)
    assert len(threads) == 2, "one more cancels at the stop"
    assert all(thread.daemon for thread in threads)
    assert threads[0].name == f"{queue.name}-{enqueue.name}"
    assert runner.create_threads(session, coord) == []
    coord.request_stop()
    coord.join()
    assert len(runner.create_threads(session)) == 1, "after they have ended they are"


def test_an_exception_reaches_the_coordinator(session):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    bad = queue.enqueue(tf.placeholder(tf.int32, [], name="unfed"))
    coord = tf.train.Coordinator()
    waiting = started(lambda: _quietly(session.run, queue.dequeue()))
    runner = tf.train.QueueRunner(queue, [bad])
    threads = runner.create_threads(session, coord, start=True)
    with pytest.raises(errors.InvalidArgumentError, match="unfed"):
        coord.join([*threads, waiting])
    assert not waiting.is_alive(), "the queue is closed, so nobody waits"


def _quietly(function, *args):
    try:
        function(*args)
    except errors.OpError:
        return


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_without_a_coordinator_exceptions_are_kept(session):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    bad = queue.enqueue(tf.placeholder(tf.int32, [], name="unfed"))
    runner = tf.train.QueueRunner(queue, [bad])
    for thread in runner.create_threads(session, start=True):
        thread.join()
    assert len(runner.exceptions_raised) == 1 and "unfed" in str(
        runner.exceptions_raised[0]
    )


def test_a_runner_may_end_at_other_exceptions(session):
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
    bad = queue.enqueue(tf.placeholder(tf.int32, [], name="unfed"))
    types = (errors.InvalidArgumentError, errors.OutOfRangeError)
    runner = tf.train.QueueRunner(queue, [bad], queue_closed_exception_types=types)
    for thread in runner.create_threads(session, start=True):
        thread.join()
    assert session.run(queue.is_closed())
    with pytest.raises(TypeError, match="must be a tuple of tf.errors types"):
        tf.train.QueueRunner(queue, [bad], queue_closed_exception_types=(ValueError,))
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.train.QueueRunner(queue, [bad], queue_runner_def=tf.train.QueueRunnerDef())
    no_error = runner.to_proto()
    no_error.queue_closed_exception_types.append(errors.OK)
    with pytest.raises(ValueError, match="exception_types: no error has the code 0"):
        tf.train.QueueRunner.from_proto(no_error)
    with pytest.raises(TypeError, match="must be a QueueRunnerDef, got 3"):
        tf.train.QueueRunner(queue_runner_def=3)
    with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
        tf.train.QueueRunner(queue, [])


def test_a_runner_survives_with_its_graph():
    with tf.Graph().as_default() as graph, tf.name_scope("input"):
        queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], name="queue")
        full = errors.CancelledError, errors.OutOfRangeError
        runner = tf.train.QueueRunner(
            queue, [queue.enqueue(3)] * 2, queue_closed_exception_types=full
        )
        queue.dequeue(name="next")
        assert runner.to_proto("elsewhere") is None
        assert runner.to_proto("input").queue_name == "queue"
        message = runner.to_proto()
    # As TensorFlow 2.21 writes it.
    assert message.SerializeToString() == (
        b"\n\x0binput/queue"
        b"\x12\x13input/queue_enqueue\x12\x13input/queue_enqueue"
        b'\x1a\x11input/queue_Close"\x13input/queue_Close_1*\x02\x01\x0b'
    )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="copy")
        again = tf.train.QueueRunner.from_proto(message, import_scope="copy/")
        assert again.queue_closed_exception_types == full
        assert again.name == "copy/input/queue"
        threads = again.create_threads(session, daemon=True, start=True)
        assert session.run("copy/input/next:0") == 3
        session.run(again.cancel_op)
        for thread in threads:
            thread.join()


def test_start_queue_runners_starts_those_of_the_collection(session, counting):
    queue, enqueue = counting
    runner = tf.train.QueueRunner(queue, [enqueue])
    tf.train.add_queue_runner(runner)
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == [runner]
    coord = tf.train.Coordinator()
    with session.as_default():
        threads = tf.train.start_queue_runners(coord=coord)
    assert len(threads) == 2
    coord.request_stop()
    coord.join(threads)
    with tf.Graph().as_default(), tf.Session() as other:
        assert tf.train.start_queue_runners(other) == []


def test_start_queue_runners_needs_a_session():
    with pytest.raises(ValueError, match="No default session is registered"):
        tf.train.start_queue_runners()
    with pytest.raises(TypeError, match="sess must be a `tf.Session`"):
        tf.train.start_queue_runners("session")


def test_eager_mode_has_no_runners(eager):
    with pytest.raises(RuntimeError, match="not supported when eager execution"):
        tf.train.QueueRunner()
    with pytest.raises(RuntimeError, match="not supported when eager execution"):
        tf.train.start_queue_runners()


# ---- Clean ends ------------------------------------------------------------------------


def _shut_down(state):
    """Brings a pipeline into a state and stops it. Returns how long the stop took."""
    with tf.Graph().as_default():
        first = tf.FIFOQueue(4, tf.int32, shapes=[[]])
        second = tf.FIFOQueue(4, tf.int32, shapes=[[]])
        source = {"fails": tf.div(1, tf.placeholder_with_default(0, []))}.get(state, 1)
        tf.train.add_queue_runner(
            tf.train.QueueRunner(first, [first.enqueue(source)] * 2)
        )
        taken = first.dequeue()
        tf.train.add_queue_runner(tf.train.QueueRunner(second, [second.enqueue(taken)]))
        many, close = second.dequeue_many(9), second.close()
        starving = tf.FIFOQueue(1, tf.int32, shapes=[[]])
        wait_for_ever = starving.dequeue_many(2)
        closing = starving.close(cancel_pending_enqueues=True)
        with tf.Session() as session:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            if state == "half a batch":
                session.run(starving.enqueue(1))
                threads.append(started(_quietly, session.run, wait_for_ever))
            if state == "enqueuers wait":
                while session.run(second.size()) < 4:
                    pass
            if state == "closing":
                threads.append(started(_quietly, session.run, close))
            if state == "dequeuers wait":
                threads += [started(_quietly, session.run, many) for _ in range(2)]
            begin = time.monotonic()
            coord.request_stop()
            session.run(closing)
            try:
                coord.join(threads, stop_grace_period_secs=20)
            except errors.OpError:
                # The thread that enqueues may notice the close before it is stopped.
                assert state in ("fails", "closing")
            return time.monotonic() - begin


@pytest.mark.parametrize(
    "state",
    ["enqueuers wait", "dequeuers wait", "half a batch", "closing", "fails", "starting"],
)
def test_a_pipeline_stops_at_once_from_every_state(state):
    times = sorted(_shut_down(state) for _ in range(34))
    assert times[len(times) // 2] < 1, "half of the stops take less than a second"
    assert times[-1] < 20, "none hangs"
