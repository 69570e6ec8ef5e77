"""The classic convolutional network for handwritten digits, for both modes of minitf.

    images [N,28,28,1]
    conv1  5x5, 32 features, relu    [N,28,28,32]
    pool1  2x2                       [N,14,14,32]
    conv2  5x5, 64 features, relu    [N,14,14,64]
    pool2  2x2                       [N,7,7,64]
    fc1    1024, relu, dropout       [N,1024]
    fc2    10, one for each digit    [N,10]

Called with placeholders it adds nodes to a graph; called with arrays in eager mode it
computes. Both use these very lines, and start from the same weights for the same seed.
"""

from typing import Any

import minitf as tf

NUM_DIGITS = 10


class MnistCnn:
    """The network and its weights, which are made at the first call.

    >>> model = MnistCnn(seed=1)
    >>> [layer.name for layer in model.layers]
    ['conv1', 'conv2', 'fc1', 'fc2']
    """

    def __init__(self, seed: int, dropout: float = 0.4) -> None:
        def weights(layer: int) -> Any:
            return tf.glorot_uniform_initializer(seed=10 * seed + layer)

        self.dropout = dropout
        self.conv1 = tf.layers.Conv2D(
            32,
            5,
            padding="same",
            activation=tf.nn.relu,
            kernel_initializer=weights(1),
            name="conv1",
        )
        self.conv2 = tf.layers.Conv2D(
            64,
            5,
            padding="same",
            activation=tf.nn.relu,
            kernel_initializer=weights(2),
            name="conv2",
        )
        self.fc1 = tf.layers.Dense(
            1024, activation=tf.nn.relu, kernel_initializer=weights(3), name="fc1"
        )
        self.fc2 = tf.layers.Dense(NUM_DIGITS, kernel_initializer=weights(4), name="fc2")

    @property
    def layers(self) -> list[Any]:
        """The layers that have weights, from the image to the digit."""
        return [self.conv1, self.conv2, self.fc1, self.fc2]

    @property
    def variables(self) -> list[Any]:
        """All weights; known after the first call."""
        return [variable for layer in self.layers for variable in layer.variables]

    def __call__(self, images: Any, training: Any) -> Any:
        """The ten scores of each image, ``[N,10]``, for ``images`` ``[N,28,28,1]``.

        Args:
            images: A tensor or an array.
            training: Whether to drop features out; a bool, or a tensor of one.
        """
        x = tf.layers.max_pooling2d(self.conv1(images), 2, 2, name="pool1")
        x = tf.layers.max_pooling2d(self.conv2(x), 2, 2, name="pool2")
        x = self.fc1(tf.layers.flatten(x, name="flatten"))
        x = tf.layers.dropout(x, rate=self.dropout, training=training, name="dropout")
        return self.fc2(x)


def mean_loss(scores: Any, labels: Any) -> Any:
    """The mean cross entropy of ``scores`` ``[N,10]`` and ``labels`` ``[N]``."""
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    )
