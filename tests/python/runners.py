"""Sessions in which the runners of queues are at work, and processes that are new."""

import os
import subprocess
import sys
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


def fresh_process(code):
    """What a new Python prints that runs ``code``."""
    command = [sys.executable, "-c", code]
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=path)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
