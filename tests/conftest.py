"""What every test starts from: a new default graph, and graph mode unless it asks."""

import re
import signal

import peers
import pytest

import minitf as tf
from minitf import families


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests of peers that are not installed, and of families.

    And cases of labs, but for one of each task, unless ``-k`` or a test's whole name asks
    for some.
    """
    asks = config.option.keyword or any("::" in word for word in config.args)
    kept, left_out = [], []
    for item in items:
        mark = item.get_closest_marker("peers")
        is_possible = mark is None or peers.has(mark.args[0])
        is_asked = asks or not item.get_closest_marker("asked")
        fits = is_possible and is_asked and _has_families(item)
        (kept if fits else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _has_families(item):
    """Whether all families are here that the marks of a test, or its name, speak of."""
    needed = {name for mark in item.iter_markers("families") for name in mark.args}
    needed |= set(re.findall(r"\btf\.(image|summary)\.", item.name))
    return needed <= set(families.present)


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


@pytest.fixture(params=["graph", "eager"])
def parse(request):
    """A function that parses and gives arrays, with SparseTensors as three of them."""
    if request.param == "eager":
        tf.enable_eager_execution()

        def eager(function, *args, **kwargs):
            return _values(function(*args, **kwargs))

        yield eager
        tf.disable_eager_execution()
        return

    def graph(function, *args, **kwargs):
        with tf.Graph().as_default(), tf.Session() as session:
            return session.run(function(*args, **kwargs))

    yield graph


def _values(x):
    if isinstance(x, dict):
        return {key: _values(item) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)([_values(item) for item in x])
    if isinstance(x, tf.SparseTensor):
        parts = (x.indices, x.values, x.dense_shape)
        return tf.SparseTensorValue(*[part.numpy() for part in parts])
    return x.numpy()
