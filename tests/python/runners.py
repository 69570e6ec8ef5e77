"""Sessions in which the runners of queues are at work."""

from contextlib import contextmanager

import minitf as tf


@contextmanager
def running(seconds=20):
    """A session in which all runners of the graph run, and a clean end."""
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        try:
            yield session
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=seconds)
