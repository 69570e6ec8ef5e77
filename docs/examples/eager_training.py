"""Training in eager mode: ops run at once, and a tape records them for gradients.

A network with two layers learns exclusive or, which no single layer can.
"""

import numpy as np

import minitf as tf

INPUTS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
TARGETS = np.array([[0], [1], [1], [0]], np.float32)


class Network:
    """Two layers of weights.

    Attributes:
        variables: what training changes.
    """

    def __init__(self, hidden: int):
        random = np.random.default_rng(seed=3)
        weights_1 = random.normal(0, 1, (2, hidden)).astype(np.float32)
        weights_2 = random.normal(0, 1, (hidden, 1)).astype(np.float32)
        self.variables = [
            tf.Variable(weights_1, name="weights_1"),
            tf.Variable(tf.zeros([hidden]), name="offsets_1"),
            tf.Variable(weights_2, name="weights_2"),
            tf.Variable(tf.zeros([1]), name="offsets_2"),
        ]

    def __call__(self, x: np.ndarray) -> tf.Tensor:
        """Returns the logits ``[N,1]`` for inputs ``[N,2]``."""
        weights_1, offsets_1, weights_2, offsets_2 = self.variables
        units = tf.tanh(tf.matmul(x, weights_1) + offsets_1)
        return tf.matmul(units, weights_2) + offsets_2


def main(steps: int = 200) -> list[float]:
    """Trains the network; returns the probability of a 1 for each of the inputs."""
    tf.enable_eager_execution()
    try:
        network = Network(hidden=8)
        optimizer = tf.train.AdamOptimizer(learning_rate=0.1)
        for _ in range(steps):
            with tf.GradientTape() as tape:
                losses = tf.nn.sigmoid_cross_entropy_with_logits(
                    labels=TARGETS, logits=network(INPUTS)
                )
                loss = tf.reduce_mean(losses)
            gradients = tape.gradient(loss, network.variables)
            optimizer.apply_gradients(zip(gradients, network.variables, strict=True))
        chances = tf.sigmoid(network(INPUTS)).numpy()[:, 0]
    finally:
        tf.disable_eager_execution()
    for row, chance in zip(INPUTS, chances, strict=True):
        print(f"{int(row[0])} xor {int(row[1])}: {chance:.3f}")
    return [float(chance) for chance in chances]


if __name__ == "__main__":
    main()
