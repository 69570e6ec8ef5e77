"""The cases of ``./lab bench`` for minitf and for TensorFlow: one code for both.

minitf speaks TensorFlow 1.15, so each case takes ``tf``, which is ``minitf`` or
``tensorflow.compat.v1``. A case sets itself up and returns a function that does the work
once; ``UNITS`` says of how many units that work consists.

Read next: ``tests/bench/worker.py``.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import conv_cases
import gemm_cases
import io_cases
import net_cases
import numpy as np
import op_cases
import options

Work = Callable[[], object]

CHAIN_LENGTH = 1000
BATCH = 64
IMPORTED_NODES = 100_000
UNITS = {
    "chain": CHAIN_LENGTH,
    "fan": CHAIN_LENGTH,
    "build": CHAIN_LENGTH,
    "gradients": CHAIN_LENGTH,
    "first_run": CHAIN_LENGTH,
    "loop": CHAIN_LENGTH,
    "tape": CHAIN_LENGTH,
    "tape_forward": CHAIN_LENGTH,
    **conv_cases.UNITS,
    **gemm_cases.UNITS,
    **io_cases.UNITS,
    **net_cases.UNITS,
    **op_cases.UNITS,
}


def _config(tf: ModuleType, *, optimize: bool = True) -> object:
    """Threads for kernels, one for nodes, with the graph optimiser on or off."""
    config = tf.ConfigProto(
        intra_op_parallelism_threads=options.THREADS, inter_op_parallelism_threads=1
    )
    if not optimize:
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = -1
    return config


def session_run(tf: ModuleType) -> Work:
    """The smallest run: fetch a constant."""
    with tf.Graph().as_default() as graph:
        y = tf.constant(1.0)
    session = tf.Session(graph=graph, config=_config(tf))
    return lambda: session.run(y)


def feed_fetch(tf: ModuleType) -> Work:
    """Feed one array, fetch one."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [10])
        y = tf.identity(x)
    session = tf.Session(graph=graph, config=_config(tf))
    feed = {x: np.ones(10, np.float32)}
    return lambda: session.run(y, feed)


def _add_chain(tf: ModuleType, x: object) -> object:
    y = x
    for _ in range(CHAIN_LENGTH):
        y = tf.add(y, x)
    return y


def product_chain(x: Any) -> Any:
    """1,000 eager multiplications, one after another; of any framework."""
    y = x
    for _ in range(CHAIN_LENGTH):
        y = y * x
    return y


def chain(tf: ModuleType) -> Work:
    """1,000 scalar additions, one after another; the optimiser is off."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = _add_chain(tf, x)
    session = tf.Session(graph=graph, config=_config(tf, optimize=False))
    feed = {x: np.float32(1)}
    return lambda: session.run(y.op, feed)


def fan(tf: ModuleType) -> Work:
    """1,000 scalar additions side by side, summed; the optimiser is off."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = tf.add_n([tf.add(x, x) for _ in range(CHAIN_LENGTH)])
    session = tf.Session(graph=graph, config=_config(tf, optimize=False))
    feed = {x: np.float32(1)}
    return lambda: session.run(y.op, feed)


def first_run(tf: ModuleType) -> Work:
    """The first run of that chain in a new session; the optimiser is off."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = _add_chain(tf, x)
    feed = {x: np.float32(1)}

    def work() -> object:
        with tf.Session(graph=graph, config=_config(tf, optimize=False)) as session:
            return session.run(y, feed)

    return work


def loop(tf: ModuleType) -> Work:
    """A while_loop of 1,000 iterations that counts; per iteration."""
    with tf.Graph().as_default() as graph:
        y = tf.while_loop(lambda i: i < CHAIN_LENGTH, lambda i: i + 1, [0])
    session = tf.Session(graph=graph, config=_config(tf))
    return lambda: session.run(y)


def gradients(tf: ModuleType) -> Work:
    """tf.gradients of that chain, without building the chain itself."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [])
        y = _add_chain(tf, x)

    def work() -> object:
        with graph.as_default():
            return tf.gradients(y, x)

    return work


def import_graph(tf: ModuleType) -> Work:
    """import_graph_def of 100,000 nodes."""
    with tf.Graph().as_default() as graph:
        y = x = tf.placeholder(tf.float32, [])
        for _ in range(IMPORTED_NODES):
            y = tf.add(y, x)
    graph_def = graph.as_graph_def()

    def work() -> object:
        with tf.Graph().as_default():
            return tf.import_graph_def(graph_def, name="")

    return work


def build(tf: ModuleType) -> Work:
    """Building the graph of that chain."""

    def work() -> object:
        with tf.Graph().as_default():
            return _add_chain(tf, tf.placeholder(tf.float32, []))

    return work


def eager_add(tf: ModuleType) -> Work:
    """An eager addition of two small tensors."""
    x = tf.constant([1.0, 2.0])
    y = tf.constant([3.0, 4.0])
    return lambda: tf.add(x, y)


def tape_forward(tf: ModuleType) -> Work:
    """1,000 eager multiplications that a tape records, per op."""
    x = tf.constant(1.0)

    def work() -> object:
        with tf.GradientTape() as record:
            record.watch(x)
            return product_chain(x)

    return work


def tape(tf: ModuleType) -> Work:
    """The same and the gradient, per op."""
    x = tf.constant(1.0)

    def work() -> object:
        with tf.GradientTape() as record:
            record.watch(x)
            y = product_chain(x)
        return record.gradient(y, x)

    return work


class _Cnn(net_cases.Net):
    """The two-layer CNN of the demo, without dropout, on one batch of random images."""

    def __init__(self, tf: ModuleType):
        super().__init__(tf)
        self.batch = self.images(BATCH, 28, 28, 1)
        self.labels = self.random.integers(0, 10, BATCH).astype(np.int64)
        self.conv1 = [self.variable(5, 5, 1, 32), self.zeros(32)]
        self.conv2 = [self.variable(5, 5, 32, 64), self.zeros(64)]
        self.fc1 = [self.variable(7 * 7 * 64, 1024), self.zeros(1024)]
        self.fc2 = [self.variable(1024, 10), self.zeros(10)]
        self.variables = [*self.conv1, *self.conv2, *self.fc1, *self.fc2]
        self.optimizer = tf.train.AdamOptimizer(1e-4)

    def _conv_pool(self, x: object, weights: list) -> object:
        nn = self.tf.nn
        y = nn.conv2d(x, weights[0], strides=[1, 1, 1, 1], padding="SAME")
        y = nn.relu(nn.bias_add(y, weights[1]))
        window = [1, 2, 2, 1]
        return nn.max_pool(y, ksize=window, strides=window, padding="SAME")

    def loss_on(self, images: object, labels: object) -> object:
        tf = self.tf
        y = self._conv_pool(self._conv_pool(images, self.conv1), self.conv2)
        y = tf.reshape(y, [-1, 7 * 7 * 64])
        y = tf.nn.relu(tf.nn.bias_add(tf.matmul(y, self.fc1[0]), self.fc1[1]))
        logits = tf.nn.bias_add(tf.matmul(y, self.fc2[0]), self.fc2[1])
        return self.loss(logits, labels)


def step_graph(tf: ModuleType) -> Work:
    """A training step of the demo's CNN in a session: batch 64, Adam."""
    with tf.Graph().as_default() as graph:
        cnn = _Cnn(tf)
        images = tf.placeholder(tf.float32, [None, 28, 28, 1])
        labels = tf.placeholder(tf.int64, [None])
        loss = cnn.loss_on(images, labels)
        train = cnn.optimizer.minimize(loss, var_list=cnn.variables)
        initialize = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=_config(tf))
    session.run(initialize)
    feed = {images: cnn.batch, labels: cnn.labels}
    return lambda: session.run([train, loss], feed)


def step_eager(tf: ModuleType) -> Work:
    """The same step, eagerly."""
    cnn = _Cnn(tf)
    images, labels = tf.constant(cnn.batch), tf.constant(cnn.labels)

    def work() -> object:
        with tf.GradientTape() as tape:
            loss = cnn.loss_on(images, labels)
        gradients = tape.gradient(loss, cnn.variables)
        cnn.optimizer.apply_gradients(zip(gradients, cnn.variables, strict=True))
        return loss.numpy()

    return work


# What ./lab bench can be asked for: the cases of each group, and what each is called.
GROUPS = {
    "runtime": {
        "session_run": "smallest Session.run",
        "feed_fetch": "feed one array, fetch one",
        "chain": "chain of 1,000 scalar adds, per node",
        "fan": "1,000 scalar adds side by side, per node",
        "loop": "while_loop of 1,000 iterations, per iteration",
        "first_run": "first run of the chain in a new session, per node",
        "build": "building that graph, per node",
        "gradients": "tf.gradients of that chain, per node",
        "import_graph": "import_graph_def of 100,000 nodes",
        "eager_add": "eager add of two small tensors",
        "tape_forward": "eager product under a tape, per op",
        "tape": "the same, and its gradient, per op",
    },
    "step": {
        "step_graph": "training step of the demo's CNN, session",
        "step_eager": "the same, eagerly",
        **net_cases.TITLES,
    },
    "gemm": gemm_cases.TITLES,
    "conv": conv_cases.TITLES,
    "ops": op_cases.TITLES,
    "io": io_cases.TITLES,
}
CASES = {
    case.__name__: case
    for case in (
        session_run,
        feed_fetch,
        chain,
        fan,
        loop,
        first_run,
        build,
        gradients,
        import_graph,
        eager_add,
        tape_forward,
        tape,
        step_graph,
        step_eager,
    )
} | {
    name: group.tf_case(name, _config)
    for group in (conv_cases, gemm_cases, io_cases, net_cases, op_cases)
    for name in group.NAMES
}


def load(name: str) -> ModuleType:
    """Imports ``minitf`` or ``tensorflow``, in eager mode."""
    if name == "minitf":
        import minitf as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.config.threading.set_intra_op_parallelism_threads(options.THREADS)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.enable_eager_execution()
    return tf
