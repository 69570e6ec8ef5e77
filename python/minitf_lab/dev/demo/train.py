"""Trains the network of mnist_cnn.py in one mode of minitf.

    ./lab python -m minitf_lab.dev.demo.train static
    ./lab python -m minitf_lab.dev.demo.train eager

A mode is chosen once in a process, as in TensorFlow 1: so each is a run of its own. Both
see the same images in the same order, and start from the same weights.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minitf as tf
from minitf import data, viz
from minitf_lab.dev.demo.history import History
from minitf_lab.dev.demo.mnist_cnn import NUM_DIGITS, MnistCnn, mean_loss
from minitf_lab.progress import TrainingBar

LEARNING_RATE = 1e-3
EVALUATION_BATCH = 200

# One step on a batch: its loss and the part of it that was recognised.
Step = Callable[[np.ndarray, np.ndarray], tuple[float, float]]
# The recognised digits [N] of images [N,28,28,1].
Predict = Callable[[np.ndarray], np.ndarray]


@dataclass
class Run:
    """A network in one mode.

    Attributes:
        step: Trains on a batch.
        predict: Recognises images.
        freeze: Returns the trained graph, a serialized GraphDef without variables. The
            node ``images`` takes [N,28,28,1] and the node ``digits`` gives [N].
    """

    step: Step
    predict: Predict
    freeze: Callable[[], bytes] | None = None


@dataclass
class Options:
    """How to train."""

    epochs: int = 6
    batch: int = 50
    seed: int = 1
    dropout: float = 0.4
    max_steps: int = 0  # 0: as many as the epochs have
    folder: Path | None = None  # where the results go


def batches(
    images: np.ndarray, labels: np.ndarray, options: Options
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Every image once an epoch, in an order that the seed decides."""
    random = np.random.default_rng(options.seed)
    for _ in range(options.epochs):
        order = random.permutation(len(images))
        for start in range(0, len(order) - options.batch + 1, options.batch):
            chosen = order[start : start + options.batch]
            yield images[chosen], labels[chosen]


def make_static(options: Options) -> Run:
    """The network as a graph, built once, and a session that runs it."""
    images = tf.placeholder(tf.float32, [None, 28, 28, 1], name="images")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    training = tf.placeholder_with_default(False, [], name="training")
    tf.set_random_seed(options.seed)
    scores = MnistCnn(options.seed, options.dropout)(images, training)
    with tf.name_scope("loss"):
        loss = mean_loss(scores, labels)
    digits = tf.argmax(scores, axis=1, output_type=tf.int32, name="digits")
    with tf.name_scope("accuracy"):
        accuracy = tf.reduce_mean(tf.cast(tf.equal(digits, labels), tf.float32))
    train = tf.train.AdamOptimizer(LEARNING_RATE).minimize(loss)

    if options.folder:
        picture = viz.graph(tf.get_default_graph(), colours=None, title="The graph")
        picture.save(options.folder / "graph.html")
    session = tf.Session()
    session.run(tf.global_variables_initializer())

    def step(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        feed = {images: x, labels: y, training: True}
        _, loss_value, part = session.run([train, loss, accuracy], feed)
        return float(loss_value), float(part)

    def predict(x: np.ndarray) -> np.ndarray:
        return session.run(digits, {images: x})

    def freeze() -> bytes:
        graph_def = session.graph.as_graph_def()
        frozen = tf.graph_util.convert_variables_to_constants(
            session, graph_def, [digits.op.name]
        )
        return frozen.SerializeToString()

    return Run(step, predict, freeze)


def make_eager(options: Options) -> Run:
    """The network run op by op, recorded on a tape."""
    tf.enable_eager_execution()
    tf.set_random_seed(options.seed)
    model = MnistCnn(options.seed, options.dropout)
    optimizer = tf.train.AdamOptimizer(LEARNING_RATE)

    def step(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        with tf.GradientTape() as tape:
            scores = model(tf.constant(x), training=True)
            loss = mean_loss(scores, y)
        gradients = tape.gradient(loss, model.variables)
        optimizer.apply_gradients(zip(gradients, model.variables, strict=True))
        part = np.mean(np.argmax(scores.numpy(), axis=1) == y)
        return float(loss.numpy()), float(part)

    def predict(x: np.ndarray) -> np.ndarray:
        scores: Any = model(tf.constant(x), training=False)
        return np.argmax(scores.numpy(), axis=1)

    return Run(step, predict)


def write_frozen(
    folder: Path, graph: bytes, images: np.ndarray, labels: np.ndarray
) -> None:
    """Writes a graph to ``frozen.pb``, and an image of each digit to ``7.pgm`` and so on.

    Args:
        folder: Where the files go.
        graph: A serialized GraphDef.
        images: ``[N,28,28,1]``, from 0 to 1.
        labels: ``[N]``, with each digit at least once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "frozen.pb").write_bytes(graph)
    for digit in range(NUM_DIGITS):
        pixels = np.rint(images[labels == digit][0] * 255).astype(np.uint8)
        head = b"P5\n%d %d\n255\n" % pixels.shape[1::-1]
        (folder / f"{digit}.pgm").write_bytes(head + pixels.tobytes())


def confusion_matrix(labels: np.ndarray, digits: np.ndarray) -> np.ndarray:
    """How often each digit was taken for each other one.

    >>> confusion_matrix(np.array([3, 3, 4]), np.array([3, 8, 4]))[3, 8]
    np.int64(1)
    """
    matrix = np.zeros((NUM_DIGITS, NUM_DIGITS), np.int64)
    np.add.at(matrix, (labels, digits), 1)
    return matrix


def evaluate(predict: Predict, images: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The confusion matrix of a part of the data."""
    parts = range(0, len(images), EVALUATION_BATCH)
    digits = [predict(images[start : start + EVALUATION_BATCH]) for start in parts]
    return confusion_matrix(labels, np.concatenate(digits))


def train(mode: str, options: Options) -> History:
    """Trains in ``mode``, ``static`` or ``eager``, and shows how it goes."""
    images, labels, test_images, test_labels = data.mnist_5k()
    images, test_images = images[..., None], test_images[..., None]
    run = (make_static if mode == "static" else make_eager)(options)

    history = History(mode)
    epoch = len(images) // options.batch
    total = min(options.epochs * epoch, options.max_steps or sys.maxsize)
    with TrainingBar(mode, total, options.batch, epoch) as bar:
        for number, (x, y) in enumerate(batches(images, labels, options), start=1):
            loss, accuracy = run.step(x, y)
            history.losses.append(loss)
            bar.advance(loss, accuracy)
            if number % epoch == 0 or number == total:
                with bar.paused_clock():
                    confusion = evaluate(run.predict, test_images, test_labels)
                part = float(np.trace(confusion) / confusion.sum())
                history.accuracies.append(part)
                history.confusion = confusion.tolist()
            if number == total:
                break
    if options.folder and run.freeze:
        write_frozen(options.folder / "frozen", run.freeze(), test_images, test_labels)
    history.images_per_s = bar.images_per_s
    history.seconds = bar.seconds
    return history


def main() -> int:
    """Trains as the command line says and writes the history."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=["static", "eager"])
    parser.add_argument("--epochs", type=int, default=Options.epochs)
    parser.add_argument("--seed", type=int, default=Options.seed)
    parser.add_argument("--dropout", type=float, default=Options.dropout)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many")
    parser.add_argument("--folder", type=Path, help="where the results go")
    args = parser.parse_args()
    options = Options(
        epochs=args.epochs,
        seed=args.seed,
        dropout=args.dropout,
        max_steps=args.steps,
        folder=args.folder,
    )
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    try:
        start = time.monotonic()
        history = train(args.mode, options)
    except KeyboardInterrupt:
        return 130
    print(
        f"{args.mode}: held-out accuracy {history.accuracies[-1]:.1%}, "
        f"{history.images_per_s:.0f} images/s, {time.monotonic() - start:.0f} s"
    )
    if options.folder:
        text = json.dumps(asdict(history))
        (options.folder / f"{args.mode}.json").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
