"""Sessions in which the runners of queues are at work, and processes that are new."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import minitf as tf

# Names for programs of told_by.
HEAD = """
import ctypes, importlib, json, os, shutil, sys, threading
from pathlib import Path
import numpy as np
import minitf as tf

def error(run):
    try:
        run()
    except (tf.errors.OpError, ValueError, TypeError) as e:
        return f"{type(e).__name__}: {e}"
    return "no error"

def tell(what):
    print(json.dumps(what))
"""


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


def told_by(program, *arguments):
    """Runs a program in a new Python, and returns the value that the program tells.

    ``error`` makes the text of an exception, and ``tell`` prints the value.
    """
    command = [sys.executable, "-c", HEAD + program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
