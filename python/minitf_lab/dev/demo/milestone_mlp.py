"""Trains a network of two layers on handwritten digits; ``milestone.py`` runs it.

    python -m minitf_lab.dev.demo.milestone_mlp [--library FILE]

The last line that it prints is JSON: the part of the held-out digits that it recognises,
and the seconds. It stands on what the labs build: tensors and broadcasting, ops and their
shapes, a graph and its session, gradients, variables, scopes, an optimizer, passes.
"""

import argparse
import ctypes
import json
import time

EPOCHS, BATCH, HIDDEN = 5, 50, 128
LEARNING_RATE = 2e-3
SEED = 1


def _network(tf, images):  # noqa: ANN001 - minitf is loaded after the library
    with tf.variable_scope("mlp"):
        x = tf.reshape(images, [-1, 28 * 28])
        for layer, size in enumerate((HIDDEN, 10)):
            with tf.variable_scope(f"layer{layer}"):
                inputs = x.shape.as_list()[1]
                w = tf.get_variable("w", [inputs, size])
                b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
                x = tf.matmul(x, w) + b
                if size == HIDDEN:
                    x = tf.nn.relu(x)
        return x


def train() -> float:
    """The part of the held-out digits that is recognised after ``EPOCHS``."""
    import numpy as np

    import minitf as tf
    from minitf import data

    train_x, train_y, test_x, test_y = data.mnist_5k()
    images = tf.placeholder(tf.float32, [None, 28, 28], name="images")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    tf.set_random_seed(SEED)
    scores = _network(tf, images)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    )
    count = tf.train.get_or_create_global_step()
    steps = EPOCHS * (len(train_x) // BATCH)
    rate = tf.train.exponential_decay(LEARNING_RATE, count, steps // 2, 0.5)
    optimizer = tf.train.AdamOptimizer(rate)
    gradients, variables = zip(*optimizer.compute_gradients(loss), strict=True)
    clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
    step = optimizer.apply_gradients(zip(clipped, variables, strict=True), count)
    digits = tf.argmax(scores, axis=1)
    random = np.random.default_rng(SEED)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(EPOCHS):
            order = random.permutation(len(train_x))
            for start in range(0, len(order) - BATCH + 1, BATCH):
                chosen = order[start : start + BATCH]
                session.run(step, {images: train_x[chosen], labels: train_y[chosen]})
        return float(np.mean(session.run(digits, {images: test_x}) == test_y))


def main() -> None:
    """Trains with the library that is given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", help="libminitf.so with a student's files in C++")
    args = parser.parse_args()
    if args.library:
        # First, so that the Python module finds a library of this name loaded already.
        loaded = ctypes.CDLL(args.library, mode=ctypes.RTLD_GLOBAL)
        loaded.minitf_use_answer(b"all")
    start = time.monotonic()
    accuracy = train()
    print(json.dumps({"accuracy": accuracy, "seconds": time.monotonic() - start}))


if __name__ == "__main__":
    main()
