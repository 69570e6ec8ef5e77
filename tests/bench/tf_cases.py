"""The cases of ``./lab bench`` for minitf and for TensorFlow: one code for both.

minitf speaks TensorFlow 1.15, so each case takes ``tf``, which is ``minitf`` or
``tensorflow.compat.v1``. A case sets itself up and returns a function that does the work
once; ``UNITS`` says of how many units that work consists.

Read next: ``tests/bench/worker.py``.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np

Work = Callable[[], object]

CHAIN_LENGTH = 1000
BATCH = 64
UNITS = {"chain": CHAIN_LENGTH, "chain_op": CHAIN_LENGTH, "build": CHAIN_LENGTH}


def _config(tf: ModuleType, *, optimize: bool = True) -> object:
    """One thread for everything, with the graph optimiser on or off."""
    config = tf.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
    )
    if not optimize and tf.__name__ != "minitf":  # minitf has no optimiser to turn off
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


def chain(tf: ModuleType) -> Work:
    """1,000 scalar additions, one after another; the optimiser is off."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = _add_chain(tf, x)
    session = tf.Session(graph=graph, config=_config(tf, optimize=False))
    feed = {x: np.float32(1)}
    return lambda: session.run(y.op, feed)


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


class _Cnn:
    """The two-layer CNN of the demo, without dropout, on one batch of random images."""

    def __init__(self, tf: ModuleType):
        random = np.random.default_rng(1)

        def variable(*shape: int) -> object:
            scale = np.sqrt(2 / np.prod(shape[:-1]))
            value = random.normal(0, scale, shape).astype(np.float32)
            return tf.Variable(value, use_resource=True)

        def zeros(size: int) -> object:
            return tf.Variable(np.zeros(size, np.float32), use_resource=True)

        self.tf = tf
        self.images = random.random((BATCH, 28, 28, 1), np.float32)
        self.labels = random.integers(0, 10, BATCH).astype(np.int64)
        self.conv1 = [variable(5, 5, 1, 32), zeros(32)]
        self.conv2 = [variable(5, 5, 32, 64), zeros(64)]
        self.fc1 = [variable(7 * 7 * 64, 1024), zeros(1024)]
        self.fc2 = [variable(1024, 10), zeros(10)]
        self.variables = [*self.conv1, *self.conv2, *self.fc1, *self.fc2]
        self.optimizer = tf.train.AdamOptimizer(1e-4)

    def _conv_pool(self, x: object, weights: list) -> object:
        nn = self.tf.nn
        y = nn.conv2d(x, weights[0], strides=[1, 1, 1, 1], padding="SAME")
        y = nn.relu(nn.bias_add(y, weights[1]))
        window = [1, 2, 2, 1]
        return nn.max_pool(y, ksize=window, strides=window, padding="SAME")

    def loss(self, images: object, labels: object) -> object:
        tf = self.tf
        y = self._conv_pool(self._conv_pool(images, self.conv1), self.conv2)
        y = tf.reshape(y, [-1, 7 * 7 * 64])
        y = tf.nn.relu(tf.nn.bias_add(tf.matmul(y, self.fc1[0]), self.fc1[1]))
        logits = tf.nn.bias_add(tf.matmul(y, self.fc2[0]), self.fc2[1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits
        )
        return tf.reduce_mean(losses)


def step_graph(tf: ModuleType) -> Work:
    """A training step of the demo's CNN in a session: batch 64, Adam."""
    with tf.Graph().as_default() as graph:
        cnn = _Cnn(tf)
        images = tf.placeholder(tf.float32, [None, 28, 28, 1])
        labels = tf.placeholder(tf.int64, [None])
        loss = cnn.loss(images, labels)
        train = cnn.optimizer.minimize(loss, var_list=cnn.variables)
        initialize = tf.global_variables_initializer()
    session = tf.Session(graph=graph, config=_config(tf))
    session.run(initialize)
    feed = {images: cnn.images, labels: cnn.labels}
    return lambda: session.run([train, loss], feed)


def step_eager(tf: ModuleType) -> Work:
    """The same step, eagerly."""
    cnn = _Cnn(tf)
    images, labels = tf.constant(cnn.images), tf.constant(cnn.labels)

    def work() -> object:
        with tf.GradientTape() as tape:
            loss = cnn.loss(images, labels)
        gradients = tape.gradient(loss, cnn.variables)
        cnn.optimizer.apply_gradients(zip(gradients, cnn.variables, strict=True))
        return loss.numpy()

    return work


CASES = {
    case.__name__: case
    for case in (session_run, feed_fetch, chain, build, eager_add, step_graph, step_eager)
}


def load(name: str) -> ModuleType:
    """Imports ``minitf`` or ``tensorflow``, in eager mode with one thread."""
    if name == "minitf":
        import minitf as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.enable_eager_execution()
    return tf
