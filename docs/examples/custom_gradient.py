"""A gradient written by hand: log(1 + e^x), which is stable for large x.

The derivative by the chain rule is e^x / (1 + e^x), and for x = 100 both parts are
infinite in float32. ``stable`` gives backpropagation another formula: sigmoid(x). The
program shows both, in graph mode and in eager mode.
"""

from collections.abc import Callable

import minitf as tf

POINT = 100.0


def naive(x: tf.Tensor) -> tf.Tensor:
    """Returns log(1 + e^x), with the gradient of the chain rule."""
    return tf.log(1.0 + tf.exp(x))


@tf.custom_gradient
def stable(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    """Returns log(1 + e^x), and the function of its gradient."""

    def gradient(upstream: tf.Tensor) -> tf.Tensor:
        return upstream * tf.sigmoid(x)

    return tf.nn.softplus(x), gradient


def in_a_graph(function: Callable[[tf.Tensor], tf.Tensor]) -> float:
    """Returns the derivative of ``function`` at ``POINT``, by a graph of gradients."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(POINT)
        (gradient,) = tf.gradients(function(x), [x])
        return float(session.run(gradient))


def by_a_tape(function: Callable[[tf.Tensor], tf.Tensor]) -> float:
    """Returns the same derivative, by a tape in eager mode."""
    tf.enable_eager_execution()
    try:
        x = tf.constant(POINT)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return float(tape.gradient(y, x))
    finally:
        tf.disable_eager_execution()


def main() -> dict[str, float]:
    """Returns four derivatives, by function and mode."""
    found = {
        "naive, graph": in_a_graph(naive),
        "naive, eager": by_a_tape(naive),
        "stable, graph": in_a_graph(stable),
        "stable, eager": by_a_tape(stable),
    }
    for name, value in found.items():
        print(f"{name}: {value}")
    return found


if __name__ == "__main__":
    main()
