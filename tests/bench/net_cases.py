"""The cases of ``./lab bench step``: training steps, for every framework.

``net_mlp``      784-256-10, batch 64, SGD
``net_cifar10``  24x24x3, two 5x5x64 with 3x3/2 pools, 384, 192, 10; batch 128, SGD
``net_lstm``     50 steps of 256 units, batch 32, SGD; the steps stand in the graph

The CNN of the demo is ``step_graph`` in tf_cases.py. minitf and TensorFlow run them in a
session, PyTorch eagerly.

Read next: ``tests/bench/worker.py``.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np

Work = Callable[[], object]

RATE = 0.01
TIMES, UNITS_OF_LSTM, BATCH_OF_LSTM = 50, 256, 32


class Net:
    """Base of all nets: creates variables of normal numbers, and layers."""

    def __init__(self, tf: ModuleType):
        self.tf = tf
        self.random = np.random.default_rng(1)

    def variable(self, *shape: int) -> object:
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        value = self.random.normal(0, scale, shape).astype(np.float32)
        return self.tf.Variable(value, use_resource=True)

    def zeros(self, size: int) -> object:
        return self.tf.Variable(np.zeros(size, np.float32), use_resource=True)

    def dense(self, x: object, size_in: int, size_out: int) -> object:
        y = self.tf.matmul(x, self.variable(size_in, size_out))
        return self.tf.nn.bias_add(y, self.zeros(size_out))

    def conv(self, x: object, *filters: int) -> object:
        nn = self.tf.nn
        y = nn.conv2d(x, self.variable(*filters), strides=[1, 1, 1, 1], padding="SAME")
        return nn.relu(nn.bias_add(y, self.zeros(filters[-1])))

    def images(self, *shape: int) -> object:
        return self.random.random(shape, np.float32)

    def loss(self, logits: object, labels: object) -> object:
        nn = self.tf.nn
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return self.tf.reduce_mean(losses)


def _mlp(net: Net, x: object, labels: object) -> object:
    y = net.tf.nn.relu(net.dense(x, 784, 256))
    return net.loss(net.dense(y, 256, 10), labels)


def _cifar10(net: Net, x: object, labels: object) -> object:
    nn = net.tf.nn
    pool = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    y = nn.max_pool(net.conv(x, 5, 5, 3, 64), **pool)
    y = nn.max_pool(net.conv(y, 5, 5, 64, 64), **pool)
    y = net.tf.reshape(y, [-1, 6 * 6 * 64])
    for size_in, size_out in ((6 * 6 * 64, 384), (384, 192)):
        y = nn.relu(net.dense(y, size_in, size_out))
    return net.loss(net.dense(y, 192, 10), labels)


def _lstm(net: Net, x: object, labels: object) -> object:
    """The cell of Hochreiter and Schmidhuber (1997) with forget gates."""
    tf, size = net.tf, UNITS_OF_LSTM
    weights, bias = net.variable(2 * size, 4 * size), net.zeros(4 * size)
    h = c = tf.zeros([BATCH_OF_LSTM, size])
    for x_t in tf.unstack(x, axis=0):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([x_t, h], 1), weights), bias)
        i, j, f, o = tf.split(gates, 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
    return net.loss(net.dense(h, size, 10), labels)


TITLES = {
    "net_mlp": "training step of an MLP",
    "net_cifar10": "training step of a CNN for cifar10",
    "net_lstm": "training step of an LSTM",
}

# Inputs, classes of labels are 10; the function that makes the loss.
NETS = {
    "net_mlp": ((64, 784), 64, _mlp),
    "net_cifar10": ((128, 24, 24, 3), 128, _cifar10),
    "net_lstm": ((TIMES, BATCH_OF_LSTM, UNITS_OF_LSTM), BATCH_OF_LSTM, _lstm),
}
NAMES = list(NETS)
UNITS = dict.fromkeys(NAMES, 1)


def tf_case(name: str, config: Callable[[ModuleType], object]) -> Callable:
    """The case for minitf and TensorFlow, which takes ``tf`` and gives the work."""

    def case(tf: ModuleType) -> Work:
        shape, batch, make = NETS[name]
        with tf.Graph().as_default() as graph:
            net = Net(tf)
            x, labels = (
                tf.placeholder(tf.float32, shape),
                tf.placeholder(tf.int64, [batch]),
            )
            loss = make(net, x, labels)
            train = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
            initialize = tf.global_variables_initializer()
        session = tf.Session(graph=graph, config=config(tf))
        session.run(initialize)
        feed = {x: net.images(*shape), labels: np.arange(batch) % 10}
        return lambda: session.run([train, loss], feed)

    return case


def _torch_net(torch: ModuleType, name: str) -> object:
    nn = torch.nn
    if name == "net_mlp":
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    if name == "net_cifar10":
        return nn.Sequential(
            nn.Conv2d(3, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
            nn.Conv2d(64, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
            nn.Flatten(), nn.Linear(6 * 6 * 64, 384), nn.ReLU(),
            nn.Linear(384, 192), nn.ReLU(), nn.Linear(192, 10),
        ).to(memory_format=torch.channels_last)  # fmt: skip

    class Lstm(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(UNITS_OF_LSTM, UNITS_OF_LSTM)
            self.last = nn.Linear(UNITS_OF_LSTM, 10)

        def forward(self, x):
            return self.last(self.lstm(x)[0][-1])

    return Lstm()


def torch_case(name: str, torch: ModuleType) -> Callable[[], Work]:
    """The case for PyTorch."""

    def case() -> Work:
        shape, batch, _ = NETS[name]
        net = _torch_net(torch, name)
        optimizer = torch.optim.SGD(net.parameters(), RATE)
        x = torch.rand(shape)
        if len(shape) == 4:
            x = x.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
        labels = torch.arange(batch) % 10

        def work() -> object:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(x), labels)
            loss.backward()
            optimizer.step()
            return loss.item()

        return work

    return case
