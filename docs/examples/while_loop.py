"""A loop inside a graph: the largest eigenvalue of a matrix, by power iteration.

One call of ``session.run`` does all rounds. The loop ends when the estimate no longer
changes, and the gradient of the result flows through it.
"""

import numpy as np

import minitf as tf

LIMIT = 100  # rounds


def largest_eigenvalue(matrix: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the eigenvalue of ``matrix`` ``[N,N]``, and the number of rounds.

    The matrix is symmetric, and its largest eigenvalue is positive.
    """
    size = tf.shape(matrix)[0]
    start = tf.ones(tf.stack([size, 1]))

    def is_moving(
        count: tf.Tensor, vector: tf.Tensor, value: tf.Tensor, change: tf.Tensor
    ) -> tf.Tensor:
        return tf.logical_and(count < LIMIT, change > 1e-6)

    def round_of(
        count: tf.Tensor, vector: tf.Tensor, value: tf.Tensor, change: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
        product = tf.matmul(matrix, vector)
        length = tf.norm(product)
        return count + 1, product / length, length, tf.abs(length - value)

    first = (tf.constant(0), start, tf.constant(0.0), tf.constant(1.0))
    count, _, value, _ = tf.while_loop(is_moving, round_of, first)
    return value, count


def main() -> tuple[float, np.ndarray]:
    """Returns the eigenvalue of a matrix, and its gradient with respect to the matrix."""
    with tf.Graph().as_default(), tf.Session() as session:
        matrix = tf.constant([[2.0, 1.0], [1.0, 3.0]])
        value, count = largest_eigenvalue(matrix)
        (gradient,) = tf.gradients(value, [matrix])
        results = session.run([value, count, gradient])
    print(f"eigenvalue {results[0]:.4f} after {results[1]} rounds, gradient")
    print(results[2])
    return float(results[0]), np.asarray(results[2])


if __name__ == "__main__":
    main()
