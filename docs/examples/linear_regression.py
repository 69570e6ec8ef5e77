"""Linear regression in graph mode: placeholders, variables, an optimizer, a session.

The data is y = 3 x - 1 with a little noise. The program prints the line that it finds.
"""

import numpy as np

import minitf as tf


def make_data(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns x and y, each ``[count]`` float32."""
    random = np.random.default_rng(seed=0)
    x = random.uniform(-1, 1, count).astype(np.float32)
    noise = random.normal(0, 0.05, count).astype(np.float32)
    return x, 3 * x - 1 + noise


def main() -> tuple[float, float]:
    """Fits a line, and returns its slope and its offset."""
    x_values, y_values = make_data(200)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, shape=[None], name="x")
        y = tf.placeholder(tf.float32, shape=[None], name="y")
        slope = tf.Variable(0.0, name="slope")
        offset = tf.Variable(0.0, name="offset")

        loss = tf.reduce_mean(tf.square(slope * x + offset - y), name="loss")
        step = tf.train.GradientDescentOptimizer(learning_rate=0.5).minimize(loss)

        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(100):
                session.run(step, feed_dict={x: x_values, y: y_values})
            found = session.run([slope, offset])
    print(f"y = {found[0]:.2f} x + {found[1]:.2f}")
    return float(found[0]), float(found[1])


if __name__ == "__main__":
    main()
