"""What every test starts from: a new default graph, and graph mode unless it asks."""

import signal

import peers
import pytest

import minitf as tf


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests of peers that are not installed."""
    kept, left_out = [], []
    for item in items:
        mark = item.get_closest_marker("peers")
        needed = mark is None or peers.has(mark.args[0])
        (kept if needed else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.fixture(autouse=True)
def new_graph():
    tf.reset_default_graph()
    yield
    tf.disable_eager_execution()
    tf.reset_default_graph()


@pytest.fixture
def eager():
    """Runs the test in eager mode."""
    tf.enable_eager_execution()
    yield
    tf.disable_eager_execution()


@pytest.fixture
def session():
    """A session on the default graph."""
    with tf.Session() as session:
        yield session


@pytest.fixture
def ctrl_c():
    """Has SIGINT raise KeyboardInterrupt, also where a shell's job has it ignored."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.fixture(params=["graph", "eager"])
def evaluate(request):
    """Runs the test in both modes: a function from a tensor to its value."""
    if request.param == "eager":
        tf.enable_eager_execution()
        yield lambda x: x.numpy() if hasattr(x, "numpy") else [item.numpy() for item in x]
        tf.disable_eager_execution()
        return

    def run(x):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(x)

    yield run
