"""A network with one hidden layer learns the handwritten digits that minitf ships.

Graph mode, with layers and the Adam optimizer. Prints the accuracy on 1,000 digits that
the training did not see.
"""

import numpy as np

import minitf as tf

BATCH = 100


class Network:
    """The nodes of the network that the program runs.

    Attributes:
        images: where images ``[N,28,28]`` are fed.
        labels: where labels ``[N]`` are fed.
        step: one step of training.
        accuracy: the share of images whose digit is recognized.
    """

    def __init__(self, hidden: int):
        self.images = tf.placeholder(tf.float32, [None, 28, 28], name="images")
        self.labels = tf.placeholder(tf.int32, [None], name="labels")
        pixels = tf.reshape(self.images, [-1, 28 * 28])
        units = tf.layers.dense(pixels, hidden, activation=tf.nn.relu)
        logits = tf.layers.dense(units, 10)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.labels, logits=logits
        )
        optimizer = tf.train.AdamOptimizer(learning_rate=0.003)
        self.step = optimizer.minimize(tf.reduce_mean(losses))
        digits = tf.argmax(logits, axis=1, output_type=tf.int32)
        is_right = tf.equal(digits, self.labels)
        self.accuracy = tf.reduce_mean(tf.cast(is_right, tf.float32))


def main(epochs: int = 3) -> float:
    """Trains the network, and returns its accuracy on the digits held out."""
    images, labels, test_images, test_labels = tf.data.mnist_5k()
    random = np.random.default_rng(seed=0)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        network = Network(hidden=64)
        session.run(tf.global_variables_initializer())
        for _ in range(epochs):
            order = random.permutation(len(images))
            for start in range(0, len(images), BATCH):
                rows = order[start : start + BATCH]
                feed = {network.images: images[rows], network.labels: labels[rows]}
                session.run(network.step, feed)
        feed = {network.images: test_images, network.labels: test_labels}
        accuracy = float(session.run(network.accuracy, feed))
    print(f"accuracy on new digits: {accuracy:.1%}")
    return accuracy


if __name__ == "__main__":
    main()
